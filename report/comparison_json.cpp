#include "report/comparison_json.h"

#include <string>

#include "report/comparison_text.h"
#include "report/result_json.h"

namespace cml::report {
namespace {

Json standing_json(const checker::Compared& one, bool agrees) {
  const std::string why = standing_text(one);
  return {{"search", checker::short_name(one.options)},
          {"words", one.words},
          {"standing", checker::name(one.standing())},
          {"why", why.empty() ? Json(nullptr) : Json(why)},
          {"instead", one.refusal != nullptr ? Json(one.refusal->help) : Json(nullptr)},
          {"agrees", agrees}};
}

}  // namespace

Json comparison_json(const SourceSet& sources, const std::string& model,
                     const model::Model& checked, const Diagnostics& warnings,
                     std::span<const checker::Compared> all) {
  const auto two = checker::disagreement(all);
  Json list = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const checker::Compared& one = all[i];
    Json document = one.refusal != nullptr
                        ? result_head(model)
                        : result_json(sources, model, checked, warnings, one.options, one.result);
    document["comparison"] = standing_json(one, !two || (two->first != i && two->second != i));
    list.push_back(std::move(document));
  }
  return list;
}

}  // namespace cml::report
