#include "report/promise.h"

#include <fmt/format.h>

namespace cml::report {

Promise promise_of(const checker::Result& result) {
  Promise promise;
  promise.none_of = {"deadlock"};
  (result.checked_hangs ? promise.none_of : promise.not_checked).emplace_back("lost thread");
  promise.none_of.insert(promise.none_of.end(), {"failed assertion", "faulty operation"});
  if (result.discipline_form() == checker::Discipline::Races) {
    promise.none_of.emplace_back("data race");
  } else {
    const bool is_checked = result.discipline_form() != checker::Discipline::Off;
    (is_checked ? promise.none_of : promise.not_checked).emplace_back("unprotected shared object");
  }
  for (const checker::CheckedProperty& property : result.properties)
    promise.holds.push_back(
        fmt::format("property {} {}", property.name,
                    property.fairness == Fairness::None
                        ? "without fairness"
                        : fmt::format("under {} fairness", spelling(property.fairness))));
  if (promise.holds.empty()) promise.not_checked.emplace_back("termination under fairness");
  return promise;
}

std::string promise_text(const checker::Result& result) {
  const Promise promise = promise_of(result);
  std::string text = "verified:";
  for (const std::string& what : promise.none_of)
    text += fmt::format("{} no {}", text.ends_with(':') ? "" : ",", what);
  for (std::size_t i = 0; i < promise.holds.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? "; holds:" : ",", promise.holds[i]);
  if (promise.not_checked.empty()) return text;
  text += "; not checked:";
  for (const std::string& what : promise.not_checked)
    text += fmt::format("{} {}", text.ends_with(':') ? "" : ",", what);
  return text + " (docs/liveness.md)";
}

}  // namespace cml::report
