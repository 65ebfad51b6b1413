// The grammar for tree-sitter, with the library of it: it parses all models that are right, and
// gives the words of the language the colours of keywords. It is compiled here, as editors do it.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tree_sitter/api.h>
#include <vector>

#include "frontend/words.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

const std::string kFolder = CML_SOURCE_DIR "/editors/tree-sitter/";

struct Deleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  void operator()(TSQuery* query) const { ts_query_delete(query); }
  void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
};
template <class Of>
using Owned = std::unique_ptr<Of, Deleter>;

/// Compiled and loaded once.
const TSLanguage* language() {
  static const TSLanguage* const loaded = []() -> const TSLanguage* {
    const TemporaryFolder folder;
    const std::string library = folder.write("cml.so", "");
    const ProcessResult compiled =
        run({"cc", "-shared", "-fPIC", "-o", library, kFolder + "src/parser.c"});
    INFO(compiled.err);
    REQUIRE(compiled.status == 0);
    void* const handle = dlopen(library.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    using Entry = const TSLanguage* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(handle, "tree_sitter_cml"));
    REQUIRE((entry != nullptr));
    return entry();
  }();
  return loaded;
}

Owned<TSTree> parse(std::string_view text) {
  const Owned<TSParser> parser(ts_parser_new());
  REQUIRE(ts_parser_set_language(parser.get(), language()));
  return Owned<TSTree>(ts_parser_parse_string(parser.get(), nullptr, text.data(),
                                              static_cast<std::uint32_t>(text.size())));
}

Owned<TSQuery> query(const std::string& name) {
  const std::string text = read_file(kFolder + "queries/" + name);
  std::uint32_t at = 0;
  TSQueryError error = TSQueryErrorNone;
  Owned<TSQuery> result(
      ts_query_new(language(), text.data(), static_cast<std::uint32_t>(text.size()), &at, &error));
  INFO(fmt::format("{} at {}", name, text.substr(at, 40)));
  REQUIRE(result != nullptr);
  return result;
}

/// What each node that a query captures is captured as.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> captures(
    const TSQuery* query, const TSTree* tree) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> found;
  const Owned<TSQueryCursor> cursor(ts_query_cursor_new());
  ts_query_cursor_exec(cursor.get(), query, ts_tree_root_node(tree));
  TSQueryMatch match;
  for (std::uint32_t i = 0; ts_query_cursor_next_capture(cursor.get(), &match, &i);) {
    const TSQueryCapture& capture = match.captures[i];
    std::uint32_t length = 0;
    const char* const name = ts_query_capture_name_for_id(query, capture.index, &length);
    found[{ts_node_start_byte(capture.node), ts_node_end_byte(capture.node)}].emplace(name, length);
  }
  return found;
}

std::vector<std::string> models() {
  std::vector<std::string> found;
  for (const char* const folder : {"/examples", "/stdlib", "/tests/models"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CML_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".cml") found.push_back(entry.path());
  return found;
}

TEST_CASE("tree-sitter: the parser is made from the grammar that is here") {
  const std::string sum = run({"sha256sum", kFolder + "grammar.js"}).out.substr(0, 64);
  const std::string parser = read_file(kFolder + "src/parser.c");
  INFO("editors/tree-sitter/generate makes it");
  CHECK(parser.substr(0, parser.find('\n')).ends_with(sum));
}

TEST_CASE("tree-sitter: all models are parsed without an error") {
  std::size_t count = 0;
  for (const std::string& model : models()) {
    CAPTURE(model);
    const Owned<TSTree> tree = parse(read_file(model));
    CHECK_FALSE(ts_node_has_error(ts_tree_root_node(tree.get())));
    ++count;
  }
  CHECK(count > 300);
  CHECK(ts_node_has_error(ts_tree_root_node(parse("thread Main { let x = ; }").get())));
}

TEST_CASE(
    "tree-sitter: keywords have the colours of keywords, in all models, and each node one colour") {
  const Owned<TSQuery> colours = query("highlights.scm");
  const std::vector<std::string> all = cml::keywords();
  const std::set<std::string> keywords(all.begin(), all.end());
  const std::regex words("[A-Za-z_][A-Za-z0-9_]*");
  std::set<std::string> seen;
  for (const std::string& model : models()) {
    CAPTURE(model);
    const std::string text = read_file(model);
    const Owned<TSTree> tree = parse(text);
    for (const auto& [range, names] : captures(colours.get(), tree.get())) {
      const std::string word = text.substr(range.first, range.second - range.first);
      CAPTURE(word);
      CHECK(names.size() == 1);
      const std::string& name = *names.begin();
      const bool is_word = std::regex_match(word, words);
      const bool is_keyword =
          name.starts_with("keyword") || name == "boolean" || name.ends_with(".builtin");
      if (is_keyword) CHECK(is_word);
      if (is_keyword) seen.insert(word);
    }
  }
  // What the language calls a keyword is one somewhere, and has the colour.
  for (const std::string& word : keywords) {
    CAPTURE(word);
    CHECK(seen.contains(word));
  }
}

TEST_CASE("tree-sitter: words that are keywords in one place only are names in others") {
  const Owned<TSQuery> colours = query("highlights.scm");
  const std::string text =
      "semaphore s = 0 max 2;\nshared max: int;\nlock read;\nrwlock r;\n"
      "thread Main { let count = max; with read { label \"a\"; } with read r { max = count + 1; } "
      "let label = forall i in 0..1: i < count; s.release(); }\n"
      "property p: always max == 0 implies eventually count in Main;\n";
  const std::string right = text.substr(0, text.find("property"));
  const Owned<TSTree> tree = parse(right);
  CHECK_FALSE(ts_node_has_error(ts_tree_root_node(tree.get())));
  const auto found = captures(colours.get(), tree.get());
  const auto colour = [&](std::string_view before, std::string_view word) {
    const std::size_t at = right.find(fmt::format("{}{}", before, word)) + before.size();
    const auto one =
        found.find({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())});
    return one == found.end() ? std::string() : *one->second.begin();
  };
  CHECK(colour("s = 0 ", "max").starts_with("keyword"));
  CHECK(colour("shared ", "max") == "variable");
  CHECK(colour("= ", "max") == "");
  CHECK(colour("lock ", "read") == "variable");
  CHECK(colour("with ", "read") == "");
  CHECK(colour("} with ", "read").starts_with("keyword"));
  CHECK(colour("{ ", "label").starts_with("keyword"));
  CHECK(colour("let ", "label") == "variable");
  CHECK(colour("s.", "release") == "function.method");
}

TEST_CASE("tree-sitter: what editors fold and indent are nodes of the grammar") {
  for (const char* const name : {"folds.scm", "indents.scm"})
    CHECK(ts_query_pattern_count(query(name).get()) > 0);
}

}  // namespace
