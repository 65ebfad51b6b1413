// The command line: `cml --version` and `cml --help`. Nothing but this folder ends the process.
#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/core.h>
#include <string>

#include "support/version.h"

namespace {

constexpr int kWrongUsage = 2;
constexpr int kInternalError = 4;

int run(int argc, char** argv) {
  CLI::App app("cml - a concurrent modelling language and its model checker", "cml");
  app.set_version_flag("--version", fmt::format("cml {}", cml::kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? 0 : kWrongUsage;
  }
  fmt::print("{}", app.help());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "cml: internal error: {}\n", failure.what());
    return kInternalError;
  }
}
