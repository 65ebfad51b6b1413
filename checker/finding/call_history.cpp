#include "checker/finding/call_history.h"

#include <fmt/format.h>

#include "ir/exec/histories.h"
#include "ir/exec/state_layout.h"
#include "ir/value_text.h"

namespace cml::checker {
namespace {

std::string value_text(const ir::System& system, const ir::CallCode::Value& value,
                       const std::int32_t* words) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.words.size(); ++i)
    texts.push_back(ir::word_text(system, value.words[i], words[i]));
  return ir::fill_pattern(value.pattern, texts);
}

const ir::CallCode& code_of(const ir::System& system, std::uint32_t specification,
                            std::uint32_t method) {
  return system.specifications[specification].methods[method];
}

}  // namespace

std::string call_text(const ir::System& system, std::uint32_t specification, std::uint32_t method,
                      const std::int32_t* arguments) {
  const ir::CallCode& call = code_of(system, specification, method);
  std::string text;
  for (const ir::CallCode::Value& argument : call.arguments) {
    if (!text.empty()) text += ", ";
    text += value_text(system, argument, arguments);
    arguments += argument.words.size();
  }
  return fmt::format("{}({})", call.name, text);
}

std::string returned_text(const ir::System& system, std::uint32_t specification,
                          std::uint32_t method, const std::int32_t* words) {
  const ir::CallCode::Value& result = code_of(system, specification, method).result;
  return result.words.empty() ? "" : value_text(system, result, words);
}

void CallHistory::add(const ir::Record& record) {
  for (const ir::CallEvent& event : record.calls) {
    const std::int32_t* words = record.call_words.data() + event.first;
    entries_.push_back({event, {words, words + event.count}});
  }
}

std::optional<CallsOfObject> CallHistory::of(ir::ObjectId history) const {
  CallsOfObject result;
  std::map<ir::ThreadId, std::pair<std::size_t, unsigned>> open;  // the call, and those inside
  for (const Entry& entry : entries_) {
    const ir::CallEvent& event = entry.event;
    if (event.history != history) continue;
    const auto found = open.find(event.thread);
    if (!event.is_response) {
      if (found != open.end()) {
        ++found->second.second;
        continue;
      }
      open.emplace(event.thread, std::pair(result.calls.size(), 0U));
      RecordedCall call;
      call.thread = event.thread.valid() ? system_.threads[event.thread].name : "finally";
      call.text = call_text(system_, event.specification, event.method, entry.words.data());
      call.begins = result.events++;
      result.calls.push_back(std::move(call));
      continue;
    }
    if (found == open.end()) continue;
    if (found->second.second > 0) {
      --found->second.second;
      continue;
    }
    RecordedCall& call = result.calls[found->second.first];
    call.result = returned_text(system_, event.specification, event.method, entry.words.data());
    call.ends = result.events++;
    result.last = found->second.first;
    open.erase(found);
    const std::uint32_t caller = event.thread.valid()
                                     ? event.thread.index
                                     : static_cast<std::uint32_t>(system_.threads.size());
    const ir::Histories& histories = *system_.histories;
    bool explained = false;
    std::vector<std::string> possible;
    for (const ir::Words& words : histories.possible_results(event.before, caller)) {
      explained = explained || words == entry.words;
      possible.push_back(returned_text(system_, event.specification, event.method, words.data()));
    }
    if (explained || event.before == ir::kNotLinearizable) continue;
    result.possible = std::move(possible);
    return result;
  }
  return std::nullopt;
}

std::string linearizability_message(const Violation& violation) {
  const std::string object = violation.object.value_or("an object");
  if (!violation.history) return fmt::format("the calls of {} are not linearizable", object);
  const CallsOfObject& history = *violation.history;
  const RecordedCall& last = history.calls[history.last];
  const std::string returns =
      last.result->empty() ? "returns" : fmt::format("returns {}", *last.result);
  return fmt::format("{} of {} {}, which no order of the calls explains", last.text, object,
                     returns);
}

}  // namespace cml::checker
