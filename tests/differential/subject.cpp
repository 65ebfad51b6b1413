#include "tests/differential/subject.h"

#include <deque>
#include <unordered_map>

#include "checker/check.h"
#include "ir/lower/lower.h"

namespace cml::differential {

Subject::Subject(const std::string& text, const std::string& path) {
  const FileId file = sources_.add(path, text);
  Diagnostics diagnostics;
  model_ = load_model(sources_, file, {}, diagnostics);
  if (diagnostics.has_errors()) {
    for (const Diagnostic& diagnostic : diagnostics.all())
      if (info(diagnostic.code).severity == Severity::Error) refused_ = diagnostic.message;
    return;
  }
  has_model_ = true;
  ir::LowerOptions options;  // models are small, and so are their states then
  options.max_heap = 8;
  options.stack_room = 8;
  auto system = ir::lower(*model_, sources_, options);
  if (system) {
    system_ = std::move(*system);
  } else {
    refused_ = system.error().message;
  }
}

const checker::Result* Subject::truth(std::uint64_t max_states, checker::Discipline discipline,
                                      bool spurious, bool hang_check) {
  Search& known = truths_[{discipline, spurious, hang_check}];
  const bool is_enough =
      known.result.stats.complete ? known.max_states != 0 : known.max_states >= max_states;
  if (!is_enough) {
    checker::Options options;
    options.all = true;
    options.discipline = discipline;
    options.spurious_wakeups = spurious;
    options.hang_check = hang_check;
    options.limits.max_states = max_states;
    options.static_analyses = false;
    options.engine = checker::Engine::Interpreter;
    known.max_states = max_states;
    known.result = checker::check(*system_, sources_, options);
  }
  const checker::Statistics& stats = known.result.stats;
  return stats.complete && stats.states <= max_states ? &known.result : nullptr;
}

Subject& Subject::of(const std::string& text, const std::string& path) {
  constexpr std::size_t kKept = 300;
  static std::unordered_map<std::string, Subject> subjects;
  static std::deque<std::string> latest;
  const std::string key = path + '\n' + text;
  if (const auto found = subjects.find(key); found != subjects.end()) return found->second;
  if (latest.size() == kKept) {
    subjects.erase(latest.front());
    latest.pop_front();
  }
  latest.push_back(key);
  return subjects.try_emplace(key, text, path).first->second;
}

}  // namespace cml::differential
