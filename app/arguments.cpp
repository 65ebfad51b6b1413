// Options and arguments by CLI11, errors in our own words.
#include "app/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace cml::app {
namespace {

// "-q,--quiet" -> {"-q", "--quiet"}
std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    list.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

std::string longest_name(const std::string& names) {
  const std::vector<std::string> list = split_names(names);
  return *std::ranges::max_element(list, {}, &std::string::size);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        factor = 1'000;
        break;
      case 'm':
      case 'M':
        factor = 1'000'000;
        break;
      case 'g':
      case 'G':
        factor = 1'000'000'000;
        break;
      default:
        break;
    }
    if (factor > 1) text.remove_suffix(1);
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = text[i] == '_' && i > 0 && i + 1 < text.size() && text[i - 1] != '_';
    if (!separates) digits += text[i];
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return std::nullopt;
  }
  if (number > UINT64_MAX / factor) return std::nullopt;
  return number * factor;
}

std::optional<double> parse_seconds(std::string_view text) {
  double factor = 1;
  if (!text.empty() && (text.back() < '0' || text.back() > '9')) {
    switch (text.back()) {
      case 's':
        break;
      case 'm':
        factor = 60;
        break;
      case 'h':
        factor = 3600;
        break;
      default:
        return std::nullopt;
    }
    text.remove_suffix(1);
  }
  // from_chars alone would take "inf", "nan" and exponents, too.
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!is_plain || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number <= 0) return std::nullopt;
  return number * factor;
}

// The option that CLI11 complains about: its messages start with the name, for flags without
// dashes.
const CLI::Option* option_in(const CLI::App& parser, std::string_view message) {
  const std::string name(message.substr(0, message.find_first_of(": ")));
  for (const char* dashes : {"", "--", "-"}) {
    if (const CLI::Option* option = parser.get_option_no_throw(dashes + name)) return option;
  }
  return nullptr;
}

}  // namespace

Arguments::Arguments() : parser_(std::make_unique<CLI::App>()) {
  parser_->set_help_flag();  // ours is shown by the caller
  parser_->allow_extras();   // what is left over is reported in our own words
  parser_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Arguments::~Arguments() = default;

void Arguments::section(std::string title) { sections_.push_back({std::move(title), {}}); }

void Arguments::describe(const std::string& names, const std::string& metavariable,
                         std::string description) {
  if (sections_.empty()) section("Options");
  std::string spelling = fmt::format("{}", fmt::join(split_names(names), ", "));
  if (!metavariable.empty()) spelling += " " + metavariable;
  sections_.back().entries.push_back({std::move(spelling), std::move(description)});
  for (std::string& name : split_names(names))
    option_names_.push_back(std::move(name));
}

void Arguments::positional(const std::string& name, std::string& target, std::string description,
                           bool required) {
  if (sections_.empty()) section("Arguments");
  sections_.back().entries.push_back({name, std::move(description)});
  parser_->add_option(fmt::format("positional{}", positionals_++), target);
  if (!required) return;
  checks_.emplace_back([&target, name]() -> std::optional<UsageError> {
    if (!target.empty()) return std::nullopt;
    return UsageError{fmt::format("{} is missing", name)};
  });
}

void Arguments::positionals(const std::string& name, std::vector<std::string>& target,
                            std::string description, bool required) {
  if (sections_.empty()) section("Arguments");
  sections_.back().entries.push_back({name + "...", std::move(description)});
  parser_->add_option(fmt::format("positional{}", positionals_++), target)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!required) return;
  checks_.emplace_back([&target, name]() -> std::optional<UsageError> {
    if (!target.empty()) return std::nullopt;
    return UsageError{fmt::format("{} is missing", name)};
  });
}

void Arguments::flag(const std::string& names, bool& target, std::string description) {
  describe(names, {}, std::move(description));
  parser_->add_flag(names, target)->disable_flag_override();
}

void Arguments::flag_with_word(const std::string& name, bool& target, const std::string& word,
                               bool& with_word, std::string description) {
  describe(name, {}, std::move(description));
  std::string& text = *texts_.emplace_back(std::make_unique<std::string>());
  CLI::Option& option = *parser_->add_flag(name, text);
  checks_.emplace_back(
      [&option, &text, &target, &with_word, name, word]() -> std::optional<UsageError> {
        if (option.count() == 0) return std::nullopt;
        target = true;
        with_word = text == word;
        if (with_word || text == "true") return std::nullopt;
        return UsageError{fmt::format("`{}` cannot be `{}`", name, text),
                          fmt::format("it is `{}` or `{}={}`", name, name, word)};
      });
}

CLI::Option& Arguments::text_option(const std::string& names, const std::string& metavariable,
                                    std::string& target, std::string description) {
  describe(names, metavariable, std::move(description));
  return *parser_->add_option(names, target);
}

void Arguments::value(const std::string& names, const std::string& metavariable,
                      std::string& target, std::string description) {
  text_option(names, metavariable, target, std::move(description));
}

void Arguments::value(const std::string& names, const std::string& metavariable,
                      std::optional<std::string>& target, std::string description) {
  std::string& text = *texts_.emplace_back(std::make_unique<std::string>());
  CLI::Option& option = text_option(names, metavariable, text, std::move(description));
  checks_.emplace_back([&option, &text, &target]() -> std::optional<UsageError> {
    if (option.count() > 0) target = text;
    return std::nullopt;
  });
}

void Arguments::values(const std::string& names, const std::string& metavariable,
                       std::vector<std::string>& target, std::string description) {
  describe(names, metavariable, std::move(description));
  parser_->add_option(names, target)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void Arguments::count(const std::string& names, std::uint64_t& target, std::string description) {
  std::string& text = *texts_.emplace_back(std::make_unique<std::string>());
  CLI::Option& option = text_option(names, "N", text, std::move(description));
  checks_.emplace_back([&option, &text, &target, names]() -> std::optional<UsageError> {
    if (option.count() == 0) return std::nullopt;
    const auto number = parse_count(text);
    const std::string name = longest_name(names);
    if (!number) {
      return UsageError{fmt::format("`{}` needs a number, not `{}`", name, text),
                        fmt::format("for example `{} 1000`, `{} 2M`", name, name)};
    }
    target = *number;
    return std::nullopt;
  });
}

void Arguments::seconds(const std::string& names, double& target, std::string description) {
  std::string& text = *texts_.emplace_back(std::make_unique<std::string>());
  CLI::Option& option = text_option(names, "TIME", text, std::move(description));
  checks_.emplace_back([&option, &text, &target, names]() -> std::optional<UsageError> {
    if (option.count() == 0) return std::nullopt;
    const auto time = parse_seconds(text);
    const std::string name = longest_name(names);
    if (!time) {
      return UsageError{fmt::format("`{}` needs a time, not `{}`", name, text),
                        fmt::format("for example `{} 90`, `{} 1.5m`, `{} 2h`", name, name, name)};
    }
    target = *time;
    return std::nullopt;
  });
}

void Arguments::choice_of_words(const std::string& names, const std::vector<std::string>& words,
                                std::string description, std::function<void(std::size_t)> chosen) {
  std::string& text = *texts_.emplace_back(std::make_unique<std::string>());
  CLI::Option& option =
      text_option(names, fmt::format("{}", fmt::join(words, "|")), text, std::move(description));
  checks_.emplace_back(
      [&option, &text, names, words, chosen = std::move(chosen)]() -> std::optional<UsageError> {
        if (option.count() == 0) return std::nullopt;
        const auto found = std::ranges::find(words, text);
        if (found != words.end()) {
          chosen(static_cast<std::size_t>(found - words.begin()));
          return std::nullopt;
        }
        UsageError error{fmt::format("`{}` cannot be `{}`", longest_name(names), text)};
        const std::vector<std::string_view> known(words.begin(), words.end());
        if (const auto near = suggest(text, known)) {
          error.help = fmt::format("did you mean `{} {}`?", longest_name(names), *near);
        } else {
          error.help = fmt::format("it is one of {}", fmt::join(words, ", "));
        }
        return error;
      });
}

// What the parser could not place: an option that does not exist, or one argument too many.
UsageError Arguments::unknown(const std::vector<std::string>& words) const {
  const auto option = std::ranges::find_if(
      words, [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
  if (option == words.end()) {
    return {fmt::format("one argument too many: `{}`", words.front())};
  }
  const std::string name = option->substr(0, option->find('='));
  UsageError error{fmt::format("unknown option `{}`", name)};
  const std::vector<std::string_view> known(option_names_.begin(), option_names_.end());
  if (const auto near = suggest(name, known)) {
    error.help = fmt::format("did you mean `{}`?", *near);
  }
  return error;
}

Expected<void, UsageError> Arguments::parse(std::vector<std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") {
      help_wanted_ = true;
      return {};
    }
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    parser_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const CLI::Option* option = option_in(*parser_, error.what());
    if (option == nullptr) return Unexpected(UsageError{"cannot understand the command line"});
    const std::string name = option->get_name();
    return Unexpected(UsageError{option->get_expected_max() == 0
                                     ? fmt::format("`{}` takes no value", name)
                                     : fmt::format("`{}` needs a value", name)});
  }
  std::vector<std::string> left = parser_->remaining();
  if (const auto mark = std::ranges::find(left, "--"); mark != left.end()) left.erase(mark);
  if (!left.empty()) return Unexpected(unknown(left));
  for (const Check& check : checks_) {
    if (std::optional<UsageError> error = check()) return Unexpected(*std::move(error));
  }
  return {};
}

}  // namespace cml::app
