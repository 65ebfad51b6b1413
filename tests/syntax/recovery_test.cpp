// One mistake is one error: examples with every semicolon left out in turn, and with all of them.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/parse.h"
#include "frontend/source.h"

namespace cml {
namespace {

namespace fs = std::filesystem;

std::string read_example(const std::string& name) {
  std::ifstream in(fs::path(CML_SOURCE_DIR) / "examples" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Offsets of semicolons that end a line, outside of comments.
std::vector<std::size_t> semicolons(const std::string& text) {
  std::vector<std::size_t> result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t comment = text.substr(begin, end - begin).find("//");
    const bool ends = end > begin && text[end - 1] == ';' && comment == std::string::npos;
    if (ends) result.push_back(end - 1);
    begin = end + 1;
  }
  return result;
}

std::vector<Code> errors_of(const std::string& text) {
  SourceSet sources;
  Diagnostics diagnostics;
  const ast::Ast ast = parse(sources, sources.add("variant.cml", text), diagnostics);
  static_cast<void>(ast);
  std::vector<Code> result;
  for (const Diagnostic& diagnostic : diagnostics.all())
    result.push_back(diagnostic.code);
  return result;
}

}  // namespace

TEST_CASE("a missing semicolon is one error") {
  for (const char* name : {"bank_transfer.cml", "bounded_buffer_monitor.cml", "elevator.cml",
                           "select_server.cml", "treiber_stack.cml", "two_phase_commit.cml"}) {
    CAPTURE(name);
    const std::string text = read_example(name);
    const std::vector<std::size_t> places = semicolons(text);
    REQUIRE(places.size() > 5);
    for (const std::size_t place : places) {
      CAPTURE(place);
      std::string variant = text;
      variant[place] = ' ';
      CHECK(errors_of(variant) == std::vector<Code>{Code::MissingSemicolon});
    }
    std::string variant = text;
    for (const std::size_t place : places)
      variant[place] = ' ';
    CHECK(errors_of(variant) == std::vector<Code>(places.size(), Code::MissingSemicolon));
  }
}

TEST_CASE("what follows a mistake is still read") {
  SourceSet sources;
  Diagnostics diagnostics;
  const ast::Ast ast = parse(sources, sources.add("variant.cml", R"(
    42;
    lock a
    thread A { x = ; y = 1; }
    thread { skip; }
    fun f(a: int, b) { skip; }
    class C { nonsense; lock b; init( { skip; } }
    thread B { while x = 1 { let z = 1; } }
  )"),
                             diagnostics);
  std::size_t threads = 0;
  for (const ast::DeclId id : ast.items) {
    const auto* thread = std::get_if<ast::ThreadDecl>(&ast.decls[id].node);
    if (thread == nullptr) continue;
    ++threads;
    CHECK(thread->body.statements.size() == 1);
  }
  CHECK(threads == 2);
  CHECK(ast.items.size() == 5);
  CHECK(diagnostics.error_count() == 8);
}

}  // namespace cml
