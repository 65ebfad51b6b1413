#include "tests/ir/lowered.h"

#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

namespace cml::test {

Expected<ir::System, ir::Unsupported> lowered(std::string_view model, const std::string& name) {
  SourceSet sources;
  const FileId file = sources.add(name, std::string(model));
  Diagnostics diagnostics;
  const model::Model checked = load_model(sources, file, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    if (info(diagnostic.code).severity == Severity::Error)
      FAIL(code_text(diagnostic.code), ": ", diagnostic.message, " at ", diagnostic.where.begin);
  return ir::lower(checked, sources);
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
