// Reads `// expect:` lines and runs checks (expectation.h).
#include "tests/harness/expectation.h"

#include <sstream>

#include "tests/harness/process.h"

namespace cml::test {

namespace {

/// The words behind `mark` on the first line that begins with it.
std::vector<std::string> words_behind(std::string_view mark, std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::vector<std::string> words;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(mark)) continue;
    std::istringstream rest(line.substr(mark.size()));
    for (std::string word; rest >> word;)
      words.push_back(word);
    break;
  }
  return words;
}

/// The kinds of a list of violations or warnings.
std::vector<std::string> kinds_in(const nlohmann::json& result, const char* list) {
  std::vector<std::string> kinds;
  if (!result.is_object() || !result.contains(list)) return kinds;
  for (const auto& entry : result[list])
    kinds.push_back(entry.value("kind", ""));
  return kinds;
}

}  // namespace

std::optional<Expectation> expectation(std::string_view text) {
  std::vector<std::string> words = words_behind("// expect: ", text);
  if (words.empty()) return std::nullopt;
  Expectation expected;
  expected.verdict = words.front();
  expected.kinds.assign(words.begin() + 1, words.end());
  expected.warnings = words_behind("// warns: ", text);
  return expected;
}

std::string CheckAnswer::verdict() const {
  return result.is_object() ? result.value("verdict", "") : "";
}

std::vector<std::string> CheckAnswer::kinds() const { return kinds_in(result, "violations"); }

std::vector<std::string> CheckAnswer::warnings() const { return kinds_in(result, "warnings"); }

CheckAnswer check_model(const std::string& path, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{CML_BINARY, "check", path, "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProcessResult process = run(arguments);
  CheckAnswer answer;
  answer.status = process.status;
  answer.err = process.err;
  answer.result = nlohmann::json::parse(process.out, nullptr, false);
  return answer;
}

int exit_status(std::string_view verdict) {
  if (verdict == "verified") return 0;
  return verdict == "violated" ? 1 : 3;
}

}  // namespace cml::test
