// A result as JSON.
#include "report/result_json.h"

#include <type_traits>
#include <variant>

#include "checker/combinations.h"
#include "report/advice.h"
#include "report/promise.h"

namespace cml::report {
namespace {

using checker::AccessSide;
using checker::Result;
using checker::ThreadStatus;
using checker::TraceStep;
using checker::Violation;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json place_or_null(const SourceSet& sources, SourceRange where) {
  return where.file.valid() ? location_json(sources, where) : Json(nullptr);
}

Json fields_json(const std::vector<std::pair<std::string, std::string>>& fields) {
  Json object = Json::object();
  for (const auto& [name, value] : fields)
    object[name] = value;
  return object;
}

Json typed_json(const checker::TypedValue& value) {
  return std::visit(
      [](const auto& is) -> Json {
        using Is = std::decay_t<decltype(is)>;
        if constexpr (std::is_same_v<Is, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Is, checker::TypedValue::List>) {
          Json list = Json::array();
          for (const checker::TypedValue& one : is)
            list.push_back(typed_json(one));
          return list;
        } else if constexpr (std::is_same_v<Is, checker::TypedValue::Fields>) {
          Json object = Json::object();
          for (const auto& [name, one] : is)
            object[name] = typed_json(one);
          return object;
        } else {
          return is;
        }
      },
      value.is);
}

Json typed_json(const std::optional<checker::Value>& value) {
  return value ? typed_json(value->typed) : Json(nullptr);
}

Json values_json(const std::vector<checker::NamedValue>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    object[name] = typed_json(value.typed);
  return object;
}

Json trace_json(const SourceSet& sources, const std::vector<TraceStep>& trace) {
  Json steps = Json::array();
  for (const TraceStep& step : trace) {
    steps.push_back({{"thread", step.thread},
                     {"location", place_or_null(sources, step.location)},
                     {"operation", step.operation},
                     {"choice", or_null(step.choice)},
                     {"begins_loop", step.begins_loop},
                     {"result", typed_json(step.result)},
                     {"was", typed_json(step.was)},
                     {"woken", step.woken ? Json(*step.woken) : Json(nullptr)},
                     {"spurious", step.is_spurious},
                     {"reads", values_json(step.reads)},
                     {"changes", values_json(step.changes)},
                     {"before", values_json(step.before)}});
  }
  return steps;
}

Json threads_json(const SourceSet& sources, const std::vector<ThreadStatus>& threads) {
  Json list = Json::array();
  for (const ThreadStatus& thread : threads) {
    Json wakers = Json::array();
    for (const checker::Waker& waker : thread.wakers)
      wakers.push_back({{"thread", waker.thread}, {"why_not", waker.why_not}});
    list.push_back({{"thread", thread.thread},
                    {"location", place_or_null(sources, thread.location)},
                    {"from", place_or_null(sources, thread.from)},
                    {"state", thread.state},
                    {"blocked_on", or_null(thread.blocked_on)},
                    {"waits_for", or_null(thread.waits_for)},
                    {"holds", thread.holds},
                    {"wakers", std::move(wakers)},
                    {"notes", thread.notes},
                    {"locals", values_json(thread.locals)},
                    {"daemon", thread.is_daemon},
                    {"stuck", thread.is_stuck}});
  }
  return list;
}

Json heap_json(const std::vector<checker::HeapObject>& objects) {
  Json list = Json::array();
  for (const checker::HeapObject& object : objects)
    list.push_back({{"object", object.name},
                    {"path", object.path.empty() ? Json(nullptr) : Json(object.path)},
                    {"class", object.of},
                    {"fields", values_json(object.fields)}});
  return list;
}

Json orders_json(const std::vector<checker::OrderOfCalls>& orders) {
  Json list = Json::array();
  for (const checker::OrderOfCalls& order : orders)
    list.push_back({{"calls", order.calls}, {"after", fields_json(order.after)}});
  return list;
}

Json history_json(const std::optional<checker::CallsOfObject>& history) {
  if (!history) return nullptr;
  Json calls = Json::array();
  for (const checker::RecordedCall& call : history->calls)
    calls.push_back({{"thread", call.thread},
                     {"call", call.text},
                     {"result", or_null(call.result)},
                     {"begins", call.begins},
                     {"ends", call.result ? Json(call.ends) : Json(nullptr)}});
  return {
      {"calls", std::move(calls)}, {"unexplained", history->last}, {"possible", history->possible}};
}

Json looks_at_json(const std::vector<checker::LookedAt>& objects) {
  Json list = Json::array();
  for (const checker::LookedAt& item : objects) {
    Json threads = Json::array();
    for (const auto& [thread, now] : item.changed_by)
      threads.push_back({{"thread", thread}, {"now", now}});
    list.push_back({{"object", item.object}, {"changed_by", std::move(threads)}});
  }
  return list;
}

Json execution_json(const std::optional<checker::FairExecution>& execution) {
  if (!execution) return nullptr;
  Json threads = Json::array();
  for (const auto& [thread, why] : execution->threads)
    threads.push_back({{"thread", thread}, {"why_fair", why}});
  return {{"property", execution->property},
          {"fairness", spelling(execution->fairness)},
          {"ends", execution->ends},
          {"threads", std::move(threads)}};
}

Json promise_json(const Result& result) {
  if (result.verdict != checker::Verdict::Verified) return nullptr;
  const Promise promise = promise_of(result);
  return {
      {"none_of", promise.none_of}, {"holds", promise.holds}, {"not_checked", promise.not_checked}};
}

Json race_json(checker::RaceBehind race) {
  if (race == checker::RaceBehind::Unknown) return nullptr;
  return race == checker::RaceBehind::Race;
}

Json step_json(const SourceSet& sources, const checker::NamedStep& step) {
  return {{"thread", step.thread},
          {"location", place_or_null(sources, step.location)},
          {"operation", step.operation}};
}

Json last_order_json(const SourceSet& sources, const std::optional<checker::LastOrder>& order) {
  if (!order) return Json::array();
  return Json::array({step_json(sources, order->before), step_json(sources, order->after)});
}

Json violations_json(const SourceSet& sources, const std::vector<Violation>& violations) {
  Json list = Json::array();
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const Violation& violation = violations[i];
    Json accesses = Json::array();
    for (const AccessSide& side : violation.accesses) {
      accesses.push_back({{"thread", side.thread},
                          {"location", place_or_null(sources, side.location)},
                          {"operation", side.operation},
                          {"locks", side.locks},
                          {"trace", trace_json(sources, side.trace)}});
    }
    list.push_back({{"id", i + 1},
                    {"kind", checker::name(violation.kind)},
                    {"message", violation.message},
                    {"location", place_or_null(sources, violation.location)},
                    {"object", or_null(violation.object)},
                    {"thread", or_null(violation.thread)},
                    {"values", values_json(violation.values)},
                    {"threads", threads_json(sources, violation.threads)},
                    {"state", values_json(violation.state)},
                    {"heap", heap_json(violation.heap)},
                    {"cycle", violation.cycle},
                    {"trace", trace_json(sources, violation.trace)},
                    {"trace_lost", violation.is_trace_lost},
                    {"accesses", std::move(accesses)},
                    {"looks_at", looks_at_json(violation.looks_at)},
                    {"execution", execution_json(violation.execution)},
                    {"advice", advice(violation)},
                    {"almost", violation.almost},
                    {"race", race_json(violation.race)},
                    {"ordered_by", violation.ordered_by},
                    {"last_order", last_order_json(sources, violation.last_order)},
                    {"before", fields_json(violation.before)},
                    {"orders", orders_json(violation.orders)},
                    {"history", history_json(violation.history)}});
  }
  return list;
}

Json limit_json(std::uint64_t limit) { return limit == UINT64_MAX ? Json(nullptr) : Json(limit); }

Json options_json(const checker::Options& options) {
  const auto& limits = options.limits;
  return {{"granularity", checker::name(options.granularity)},
          {"composition", checker::name(options.composition)},
          {"store", checker::name(checker::StoreKind{options.store, options.state_form})},
          {"undo", options.undo ? Json(checker::name(*options.undo)) : Json(nullptr)},
          {"reduction", checker::name(options.reduction)},
          {"order", checker::name(options.order)},
          {"seed", options.seed},
          {"discipline", checker::name(options.discipline)},
          {"all", options.all},
          {"shortest", options.shortest},
          {"spurious_wakeups", options.spurious_wakeups},
          {"hang_check", options.hang_check},
          {"fairness", options.fairness ? Json(spelling(*options.fairness)) : Json(nullptr)},
          {"max_depth", limit_json(limits.max_depth)},
          {"max_states", limit_json(limits.max_states)},
          {"max_memory", limit_json(limits.max_memory)},
          {"max_time", limits.max_seconds > 0 ? Json(limits.max_seconds) : Json(nullptr)},
          {"max_invisible", limits.max_invisible},
          {"max_threads", limits.max_threads},
          {"max_heap", limits.max_heap},
          {"max_stack", limits.max_stack}};
}

Json reduction_json(const checker::Options& options, const checker::ReductionStatistics& stats) {
  if (!options.reduction.any()) return nullptr;
  const auto average = [&stats](std::uint64_t sum) {
    return stats.sets == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(stats.sets);
  };
  return {{"sets", stats.sets},
          {"average_set", average(stats.chosen)},
          {"average_enabled", average(stats.enabled)},
          {"largest_set", stats.largest},
          {"single_sets", stats.single},
          {"slept", stats.slept},
          {"full_by_proviso", stats.full_by_proviso},
          {"skipped", stats.skipped},
          {"full_by_stop", stats.full_by_stop}};
}

Json liveness_json(const checker::Statistics& stats) {
  if (stats.liveness_states == 0) return nullptr;
  return {{"states", stats.liveness_states}, {"transitions", stats.liveness_transitions}};
}

Json properties_json(const std::vector<checker::CheckedProperty>& properties) {
  Json list = Json::array();
  for (const checker::CheckedProperty& property : properties)
    list.push_back({{"property", property.name},
                    {"fairness", spelling(property.fairness)},
                    {"holds", property.holds}});
  return list;
}

Json statistics_json(const checker::Options& options, const checker::Statistics& stats,
                     bool assumption_broken) {
  const bool is_stateful = options.store == checker::Store::Stateful;
  return {{"search", is_stateful ? "stateful" : "stateless"},
          {"granularity", checker::name(options.granularity)},
          {"composition", checker::name(options.composition)},
          {"reduction", checker::name(options.reduction)},
          {"engine", stats.is_native ? "jit" : "interpreter"},
          {"complete", stats.complete && !assumption_broken},
          {"states", stats.states},
          {"transitions", stats.transitions},
          {"executions", stats.executions},
          {"blocked_executions", stats.blocked_executions},
          {"max_depth", stats.max_depth},
          {"deadlocked_states", is_stateful ? Json(stats.deadlocked_states) : Json(nullptr)},
          {"limits_hit", stats.limits_hit},
          {"cyclic", is_stateful ? Json(nullptr) : Json(stats.is_cyclic)},
          {"probability_missed", stats.probability_missed},
          {"reduced", reduction_json(options, stats.reduction)},
          {"liveness", liveness_json(stats)},
          {"state_bytes", stats.state_bytes},
          {"peak_memory_bytes", stats.peak_memory_bytes},
          {"seconds",
           {{"total", stats.seconds_total},
            {"front", stats.seconds_front},
            {"jit", stats.seconds_jit},
            {"search", stats.seconds_search},
            {"hangs", stats.seconds_hangs},
            {"liveness", stats.seconds_liveness}}}};
}

std::string_view verdict_name(checker::Verdict verdict) {
  switch (verdict) {
    case checker::Verdict::Verified:
      return "verified";
    case checker::Verdict::Violated:
      return "violated";
    case checker::Verdict::Inconclusive:
      return "inconclusive";
  }
  return "";
}

}  // namespace

Json result_json(const SourceSet& sources, const std::string& model, const model::Model& checked,
                 const Diagnostics& diagnostics, const checker::Options& options,
                 const Result& result) {
  Json document = result_head(model);
  const checker::Options searched = result.searched_with.value_or(options);
  document["options"] = options_json(searched);
  document["title"] = checked.title;
  Json constants = Json::object();
  for (const model::Constant& constant : checked.constants) {
    std::visit([&](const auto& value) { constants[constant.name] = value; }, constant.value);
  }
  document["constants"] = std::move(constants);
  document["verdict"] = verdict_name(result.verdict);
  document["promise"] = promise_json(result);
  document["properties"] = properties_json(result.properties);
  document["violations"] = violations_json(sources, result.violations);
  Json warnings = Json::array();
  for (const checker::Warning& warning : result.warnings) {
    warnings.push_back({{"kind", warning.kind},
                        {"message", warning.message},
                        {"location", place_or_null(sources, warning.location)}});
  }
  document["warnings"] = std::move(warnings);
  Json discipline = Json::array();
  for (const checker::DisciplineEntry& entry : result.discipline) {
    Json row = {{"object", entry.object},
                {"status", entry.status},
                {"locks", entry.locks},
                {"of_each", entry.of_each},
                {"established", entry.established}};
    if (entry.partial) row["partial"] = true;
    discipline.push_back(std::move(row));
  }
  document["discipline"] = std::move(discipline);
  Json cover = Json::array();
  for (const checker::CoverEntry& entry : result.cover) {
    cover.push_back({{"label", entry.label},
                     {"location", place_or_null(sources, entry.location)},
                     {"reached", entry.reached}});
  }
  document["cover"] = std::move(cover);
  Json limits = Json::array();
  for (const checker::LimitPlace& place : result.limits) {
    limits.push_back({{"limit", place.limit},
                      {"thread", place.thread.empty() ? Json(nullptr) : Json(place.thread)},
                      {"location", place_or_null(sources, place.location)}});
  }
  document["limits"] = std::move(limits);
  document["unsupported"] =
      result.unsupported ? Json{{"message", result.unsupported->message},
                                {"location", place_or_null(sources, result.unsupported->location)}}
                         : Json(nullptr);
  document["diagnostics"] = diagnostics_json(sources, diagnostics);
  document["stats"] = statistics_json(searched, result.stats, result.assumption_broken);
  return document;
}

}  // namespace cml::report
