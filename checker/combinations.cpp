#include "checker/combinations.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <vector>

namespace cml::checker {
namespace {

template <class T>
const std::vector<Named<T>>& list() {
  static const std::vector<Named<T>> kList = [] {
    std::vector<Named<T>> result;
#define CML_VALUE(type, value, word) \
  if constexpr (std::is_same_v<type, T>) result.emplace_back(word, T value);
#define CML_REFUSED(condition, example, reason, help)
#include "checker/combinations.def"
#undef CML_VALUE
#undef CML_REFUSED
    return result;
  }();
  return kList;
}

bool is_same(const ReductionOptions& a, const ReductionOptions& b) {
  return a.sets == b.sets && a.sleep == b.sleep;
}
template <class T>
bool is_same(const T& a, const T& b) {
  return a == b;
}

constexpr Refusal kRefusals[] = {
#define CML_VALUE(type, value, word)
#define CML_REFUSED(condition, example, reason, help) \
  {[](const Options& options) { return condition; }, example, reason, help},
#include "checker/combinations.def"
#undef CML_VALUE
#undef CML_REFUSED
};

template <class T>
std::string row(std::string_view option) {
  std::string words;
  for (const auto& [word, value] : values<T>())
    words += fmt::format("{}`{}`", words.empty() ? "" : ", ", word);
  return fmt::format("| `{}` | {} |\n", option, words);
}

}  // namespace

template <class T>
std::span<const Named<T>> values() {
  return list<T>();
}

template <class T>
std::string_view name(const T& value) {
  for (const auto& [word, known] : list<T>())
    if (is_same(known, value)) return word;
  return "";
}

#define CML_DIMENSION(T)                          \
  template std::span<const Named<T>> values<T>(); \
  template std::string_view name<T>(const T& value);
CML_DIMENSION(Granularity)
CML_DIMENSION(Composition)
CML_DIMENSION(ReductionOptions)
CML_DIMENSION(StoreKind)
CML_DIMENSION(Undo)
CML_DIMENSION(Order)
CML_DIMENSION(Discipline)
CML_DIMENSION(Engine)
#undef CML_DIMENSION

std::span<const Refusal> all_refusals() { return kRefusals; }

const Refusal* refused(const Options& options) {
  const auto found = std::ranges::find_if(
      kRefusals, [&options](const Refusal& refusal) { return refusal.refuses(options); });
  return found == std::end(kRefusals) ? nullptr : found;
}

std::string combinations_table() {
  std::string text = "| option | values |\n|---|---|\n";
  text += row<Granularity>("--granularity") + row<Composition>("--composition") +
          row<ReductionOptions>("--reduction") + row<StoreKind>("--store") + row<Undo>("--undo") +
          row<Order>("--order") + row<Discipline>("--discipline") + row<Engine>("--engine");
  text += "\n| refused | because | instead |\n|---|---|---|\n";
  for (const Refusal& refusal : kRefusals)
    text += fmt::format("| `{}` | {} | {} |\n", refusal.example, refusal.reason, refusal.help);
  return text;
}

}  // namespace cml::checker
