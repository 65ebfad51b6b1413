// The options and arguments of one command: declared once, parsed, shown in its help.
//
//   arguments.positional("MODEL.cml", options.model, "the model; `-` is standard input");
//   arguments.values("-D", "NAME=value", options.definitions, "set a constant");
//   arguments.choice("--format", {{"text", Format::Text}, {"json", Format::Json}}, options.format,
//                    "…");
//   arguments.count("--max-states", limits.max_states, "stop after this many states");
//
// CLI11 splits the command line; its types stay in arguments.cpp, and its messages are not shown:
// every mistake becomes a UsageError of ours, with a suggestion where there is one. A value option
// that is given twice takes the last value. Targets must outlive the Arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expected.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cml::app {

struct UsageError {
  std::string message;
  std::string help = {};
};

class Arguments {
 public:
  /// A line of the help: "--format text|json" and what it does.
  struct Entry {
    std::string spelling;
    std::string description;
  };
  /// Entries under a heading, in the order of their declaration.
  struct Section {
    std::string title;
    std::vector<Entry> entries;
  };

  Arguments();
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// The options declared from here on stand under this heading.
  void section(std::string title);

  /// An argument without a dash, in the order of declaration; missing is an error if `required`.
  void positional(const std::string& name, std::string& target, std::string description,
                  bool required = true);
  /// All remaining arguments without a dash.
  void positionals(const std::string& name, std::vector<std::string>& target,
                   std::string description, bool required = true);

  /// "-q,--quiet"
  void flag(const std::string& names, bool& target, std::string description);
  /// "--all", and with a word, "--all=verbose", the second as well.
  void flag_with_word(const std::string& name, bool& target, const std::string& word,
                      bool& with_word, std::string description);
  void value(const std::string& names, const std::string& metavariable, std::string& target,
             std::string description);
  void value(const std::string& names, const std::string& metavariable,
             std::optional<std::string>& target, std::string description);
  /// Repeatable, one value each time.
  void values(const std::string& names, const std::string& metavariable,
              std::vector<std::string>& target, std::string description);
  /// A number of things; `1_000`, `10k`, `2M` and `3G` are understood.
  void count(const std::string& names, std::uint64_t& target, std::string description);
  /// A time in seconds; `90`, `1.5`, `90s`, `1.5m` and `2h` are understood.
  void seconds(const std::string& names, double& target, std::string description);
  /// One of a few words.
  template <class T>
  void choice(const std::string& names,
              std::initializer_list<std::pair<std::string_view, T>> choices, T& target,
              const std::string& description) {
    choice(names, std::span(choices.begin(), choices.size()), target, description);
  }
  template <class U, class T>
  void choice(const std::string& names, std::span<const std::pair<std::string_view, U>> choices,
              T& target, const std::string& description) {
    std::vector<std::string> words;
    std::vector<U> meanings;
    for (const auto& [word, meaning] : choices) {
      words.emplace_back(word);
      meanings.push_back(meaning);
    }
    choice_of_words(names, words, description,
                    [meanings = std::move(meanings), &target](std::size_t chosen) {
                      target = meanings[chosen];
                    });
  }

  /// Parses what follows the command's name and fills the targets.
  [[nodiscard]] Expected<void, UsageError> parse(std::vector<std::string> words);
  /// `--help` or `-h` was among them; then nothing else has been looked at.
  [[nodiscard]] bool help_wanted() const { return help_wanted_; }

  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }

 private:
  using Check = std::function<std::optional<UsageError>()>;

  void choice_of_words(const std::string& names, const std::vector<std::string>& words,
                       std::string description, std::function<void(std::size_t)> chosen);
  CLI::Option& text_option(const std::string& names, const std::string& metavariable,
                           std::string& target, std::string description);
  void describe(const std::string& names, const std::string& metavariable, std::string description);
  [[nodiscard]] UsageError unknown(const std::vector<std::string>& words) const;

  std::unique_ptr<CLI::App> parser_;
  std::vector<Section> sections_;
  std::vector<std::string> option_names_;            // for suggestions
  std::vector<std::unique_ptr<std::string>> texts_;  // of options that are converted afterwards
  std::vector<Check> checks_;                        // run after parsing, in order
  std::size_t positionals_ = 0;
  bool help_wanted_ = false;
};

}  // namespace cml::app
