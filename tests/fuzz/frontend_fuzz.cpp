// libFuzzer target: whatever the bytes, the front end returns diagnostics or a model, and the
// formatter returns text or nothing. The seeds are tests/malformed and examples.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "frontend/diagnostic.h"
#include "frontend/format.h"
#include "frontend/load_model.h"
#include "frontend/source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(data, data + size);
  cml::SourceSet sources;
  cml::Diagnostics diagnostics;
  const cml::FileId main = sources.add("fuzz.cml", std::move(text));
  const cml::model::Model model = cml::load_model(sources, main, {}, diagnostics);
  static_cast<void>(model);
  cml::Diagnostics format_diagnostics;
  const auto formatted = cml::format(sources, main, format_diagnostics);
  static_cast<void>(formatted);
  return 0;
}
