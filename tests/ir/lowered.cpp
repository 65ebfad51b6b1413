#include "tests/ir/lowered.h"

#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <utility>

namespace cml::test {

namespace {

model::Model checked(SourceSet& sources, std::string_view model, const std::string& name) {
  const FileId file = sources.add(name, std::string(model));
  Diagnostics diagnostics;
  model::Model result = load_model(sources, file, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    if (info(diagnostic.code).severity == Severity::Error)
      FAIL(code_text(diagnostic.code), ": ", diagnostic.message, " at ", diagnostic.where.begin);
  return result;
}

}  // namespace

LoweredModel lowered_model(std::string_view text, const std::string& name) {
  LoweredModel result;
  result.model = checked(result.sources, text, name);
  auto system = ir::lower(result.model, result.sources);
  if (!system) FAIL(system.error().message);
  result.system = *std::move(system);
  return result;
}

Expected<ir::System, ir::Unsupported> lowered(std::string_view model, const std::string& name) {
  SourceSet sources;
  const model::Model found = checked(sources, model, name);
  return ir::lower(found, sources);
}

ir::System system_of(std::string_view model) {
  auto system = lowered(model);
  if (!system) FAIL(system.error().message);
  return *std::move(system);
}

std::string project_text(const std::string& file) {
  std::ifstream in(std::string(CML_SOURCE_DIR "/tests/") + file, std::ios::binary);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace cml::test
