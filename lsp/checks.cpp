#include "lsp/checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "lsp/requests.h"

namespace cml::lsp {
namespace {

using rpc::Answer;
using rpc::Failure;

/// The form of the answer is ours, and so is standard input.
bool is_ours(const std::string& option) {
  constexpr auto kOurs = std::to_array<std::string_view>(
      {"--output", "--format", "--trace", "--interactive", "--help"});
  if (!option.starts_with('-')) return true;
  if (option.starts_with("--"))
    return std::ranges::any_of(kOurs, [&](std::string_view ours) {
      return option == ours || option.starts_with(std::string(ours) + "=");
    });
  // Of one letter, and several in a word: `-qoFILE`. What follows `D` is its value.
  const std::size_t ours = option.find_first_of("oih");
  return ours != option.npos && ours < option.find('D');
}

/// `-D`, `N=3`: an option and its value are two words.
bool is_value(const std::vector<std::string>& words, std::size_t at) {
  return at > 0 && words[at - 1].starts_with('-') && words[at - 1].find('=') == std::string::npos &&
         !words[at].starts_with('-');
}

constexpr int kWrong = 2;

}  // namespace

Answer Checks::execute(const Json& params, const Json& id) {
  const auto command = params.at("command").get<std::string>();
  const Json known = commands();
  if (std::ranges::find(known, Json(command)) == known.end())
    return Failure{rpc::kInvalidParams, fmt::format("there is no command `{}`", command)};
  const Json arguments = params.value("arguments", Json::array());
  Document* const document = workspace_.find(arguments.at(0).get<std::string>());
  if (document == nullptr)
    return Failure{rpc::kInvalidParams, fmt::format("{} is not open", arguments[0].dump())};
  std::vector<std::string> options;
  if (arguments.size() > 1) options = arguments[1].get<std::vector<std::string>>();
  for (std::size_t i = 0; i < options.size(); ++i)
    if (is_ours(options[i]) && !is_value(options, i))
      return Failure{rpc::kInvalidParams, fmt::format("`{}` cannot be an option here", options[i])};
  // Somebody who types on does not see that a search never ends; another limit may be asked for.
  std::vector<std::string> words = {command == "cml.simulate" ? "simulate" : "check", "--max-time",
                                    "60"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--output", "-", "--format", command == "cml.report" ? "html" : "json",
                             "--progress", "never", "-"});
  if (const auto before = running_.find(document->uri); before != running_.end())
    stop(Json(before->second), "another check has begun");
  // A text that has never been saved has none.
  std::error_code error;
  std::string folder = std::filesystem::path(document->path).parent_path().string();
  if (!std::filesystem::is_directory(folder, error)) folder.clear();
  const Running run{command, document->uri, workspace_.checked_texts(*document)};
  running_[run.uri] = id;
  programs_.start(
      id, {std::move(words), std::move(folder), document->text.text()},
      [this, id, run](rpc::ProgramResult result) { ended(id, run, std::move(result)); });
  return rpc::Later();
}

void Checks::cancel(const Json& id) { stop(id, "cancelled"); }

void Checks::stop_of(const std::string& uri) {
  if (const auto found = running_.find(uri); found != running_.end())
    stop(Json(found->second), "the text has been closed");
}

void Checks::stop_all() {
  while (!running_.empty())
    stop(Json(running_.begin()->second), "the server is shut down");
}

void Checks::stop(const Json& id, const std::string& why) {
  std::erase_if(running_, [&](const auto& one) { return one.second == id; });
  if (!programs_.stop(id)) return;
  server_.fail(id, {rpc::kRequestCancelled, why});
}

void Checks::ended(const Json& id, const Running& run, rpc::ProgramResult result) {
  running_.erase(run.uri);
  if (result.status == kWrong && result.out.empty()) {
    // An option that does not exist, which standard error tells.
    while (!result.err.empty() && result.err.back() == '\n')
      result.err.pop_back();
    server_.fail(id, {rpc::kInvalidParams, result.err});
    return;
  }
  server_.respond(id, answer(run, std::move(result)));
}

Json Checks::answer(const Running& run, rpc::ProgramResult result) {
  if (run.command == "cml.report") return {{"html", std::move(result.out)}};
  Json found = Json::parse(result.out, nullptr, false);
  if (found.is_discarded() || !found.is_object()) {
    std::string why = "the check has crashed, or was killed";
    if (result.status >= 0)
      why = result.err.empty() ? fmt::format("the check has ended with status {}", result.status)
                               : "the check has failed: " + result.err;
    found = {{"failure", std::move(why)}};
  }
  const std::string text = summary(found);
  Document* const document = workspace_.find(run.uri);
  // Of texts that have changed meanwhile the places would be wrong, and perhaps the verdict.
  const bool is_current = document != nullptr && workspace_.set_result(*document, found, run.texts);
  if (is_current) found_(*document);
  return {{"summary", text},
          {"verdict", found.value("verdict", Json(nullptr))},
          {"current", is_current},
          {"result", std::move(found)}};
}

}  // namespace cml::lsp
