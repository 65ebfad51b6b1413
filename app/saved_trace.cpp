#include "app/saved_trace.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <utility>

#include "report/diagnostics_json.h"

namespace cml::app {
namespace {

using report::Json;

/// What is wrong with a document, thrown and caught in this file.
struct Wrong {
  std::string what;
  std::string cure = "`cml check --format json -o TRACE.json MODEL.cml` writes a trace";
};

const Json& member(const Json& object, const char* name, const char* of) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end())
    throw Wrong{fmt::format("{} has no member `{}`", of, name)};
  return *found;
}

std::string text(const Json& object, const char* name, const char* of) {
  const Json& value = member(object, name, of);
  if (!value.is_string()) throw Wrong{fmt::format("`{}` of {} is no text", name, of)};
  return value;
}

const Json& list(const Json& object, const char* name, const char* of) {
  const Json& value = member(object, name, of);
  if (!value.is_array()) throw Wrong{fmt::format("`{}` of {} is no list", name, of)};
  return value;
}

SavedSteps steps_of(const Json& trace, std::optional<std::size_t>* loop) {
  SavedSteps steps;
  for (const Json& one : trace) {
    SavedStep step;
    step.step.thread = text(one, "thread", "a step");
    step.operation = text(one, "operation", "a step");
    const Json& choice = member(one, "choice", "a step");
    if (choice.is_number_unsigned() && choice.get<std::uint64_t>() <= UINT32_MAX)
      step.step.choice = choice.get<std::uint32_t>();
    else if (!choice.is_null())
      throw Wrong{"`choice` of a step is no number"};
    if (loop != nullptr && !*loop && one.value("begins_loop", Json(false)) == Json(true))
      *loop = steps.size();
    steps.push_back(std::move(step));
  }
  return steps;
}

Definitions constants_of(const Json& document) {
  Definitions constants;
  const Json& all = member(document, "constants", "the document");
  if (!all.is_object()) throw Wrong{"`constants` is no object"};
  for (const auto& [name, value] : all.items())
    if (value.is_string())
      constants[name] = value.get<std::string>();
    else if (value.is_number_integer() || value.is_boolean())
      constants[name] = value.dump();
  return constants;
}

const Json& document_of(const Json& read, const std::string& model) {
  if (!read.is_array()) return read;
  const auto has_violations = [](const Json& one) {
    const auto found = one.is_object() ? one.find("violations") : one.end();
    return one.is_object() && found != one.end() && found->is_array() && !found->empty();
  };
  const Json* best = nullptr;
  for (const Json& one : read) {
    if (!has_violations(one)) continue;
    if (one.value("model", Json()) == Json(model)) return one;
    if (best == nullptr) best = &one;
  }
  if (best == nullptr) throw Wrong{"none of its documents has a violation"};
  return *best;
}

SavedTrace trace_of(const Json& read, const std::string& model, std::uint64_t id) {
  const Json& document = document_of(read, model);
  if (!document.is_object() || document.value("schema", Json()) != Json("cml-result/1"))
    throw Wrong{"it is no result of cml"};
  if (!document.contains("violations")) throw Wrong{"its model had errors, so there is no trace"};
  const Json& violations = list(document, "violations", "the document");
  if (violations.empty()) throw Wrong{"it has no violation, so there is no trace"};
  if (id > violations.size())
    throw Wrong{fmt::format("it has {} violations, not {}", violations.size(), id),
                "`--violation` takes the `id` of one of them"};
  const Json& violation = violations[id == 0 ? 0 : static_cast<std::size_t>(id) - 1];
  SavedTrace saved;
  saved.violations = violations.size();
  saved.kind = text(violation, "kind", "a violation");
  saved.message = text(violation, "message", "a violation");
  if (violation.value("trace_lost", Json(false)) == Json(true))
    throw Wrong{"there was no memory or time for its trace",
                "check again with more `--max-memory` and `--max-time`"};
  if (saved.kind == "false-commute")
    throw Wrong{"calls that do not commute are tried by themselves: there is no trace",
                "`cml check` tries them again"};
  saved.steps = steps_of(list(violation, "trace", "a violation"), &saved.loop);
  for (const Json& access : list(violation, "accesses", "a violation"))
    saved.others.push_back(steps_of(list(access, "trace", "an access"), nullptr));
  for (const Json& thread : list(violation, "threads", "a violation"))
    if (thread.is_object() && thread.value("stuck", Json(false)) == Json(true))
      saved.stuck.push_back(text(thread, "thread", "a thread"));
  saved.constants = constants_of(document);
  const Json& options = member(document, "options", "the document");
  saved.spurious_wakeups =
      options.is_object() && options.value("spurious_wakeups", Json(false)) == Json(true);
  return saved;
}

}  // namespace

Expected<SavedTrace, UsageError> read_saved_trace(const std::string& path, const std::string& model,
                                                  std::uint64_t id) {
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    return Unexpected(UsageError{fmt::format("cannot read `{}`", path), Wrong().cure});
  const Json read = Json::parse(content, nullptr, false);
  if (read.is_discarded())
    return Unexpected(UsageError{fmt::format("`{}` is no JSON", path), Wrong().cure});
  try {
    return trace_of(read, model, id);
  } catch (const Wrong& wrong) {
    return Unexpected(UsageError{fmt::format("`{}`: {}", path, wrong.what), wrong.cure});
  }
}

}  // namespace cml::app
