// Limits: that each is told by its name, with its place and what to do about it.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/process.h"

namespace {

using cml::test::ProcessResult;
using nlohmann::json;
using Words = std::vector<std::string>;

ProcessResult check(const std::string& model, Words words = {}) {
  words.insert(words.begin(), {CML_BINARY, "check"});
  words.emplace_back("-");
  return cml::test::run(words, {.input = model, .folder = {}, .environment = {}});
}

json check_json(const std::string& model, Words words = {}) {
  words.insert(words.end(), {"--format", "json"});
  return json::parse(check(model, words).out);
}

struct Case {
  std::string_view limit;
  std::string model;
  Words words;
  int line;
  bool only_composed = false;  // else its steps are transitions like others, without a limit
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"lock-depth", "lock m;\nthread A { loop { m.acquire(); } }\n", {}, 2},
      {"lock-depth",
       "lock m;\nthread A { atomic { for i in 0..<300 { let t = m.tryAcquire(); } } }\n",
       {},
       2},
      {"lock-depth",
       "lock m;\nthread A { m.acquire(); loop { let t = m.tryAcquire(); } }\n",
       {},
       2},
      {"lock-depth",
       "lock m;\nthread A { m.acquire(); loop {\nselect { case m.acquire(): skip; } } }\n",
       {},
       3},
      {"max-threads",
       "thread T() { skip; }\nthread A { loop {\nspawn T(); } }\n",
       {"--max-threads", "16"},
       3,
       true},
      {"max-threads",
       "thread T(n: int) {\nlet h = spawn T(n + 1); join h; }\nthread A { spawn T(0); }\n",
       {"--max-threads", "4"},
       2},
      {"max-invisible",
       "shared x: int = 0;\nthread A { loop { x = x + 1; } }\nthread B { skip; }\n",
       {"--max-invisible", "100"},
       2,
       true},
      {"max-invisible",
       "lock m;\nthread A { var n = 0; m.acquire(); loop {\nm.acquire(); m.release(); n = n + 1; } "
       "}\n",
       {"--max-invisible", "100"},
       3,
       true},
      {"max-invisible",
       "lock m;\nthread A { atomic { var n = 0; loop {\n"
       "let t = m.tryAcquire(); n = n + 1; m.release(); } } }\n",
       {"--max-invisible", "100"},
       3},
      {"max-invisible",
       "atomic x: int(0..1);\ninvariant low: f();\n"
       "fun f(): bool { var n = 0; while n < 1000 {\nn = n + 1; } return x < 2; }\n"
       "thread A { x = 1; }\n",
       {"--max-invisible", "100"},
       3},
      {"choices", "atomic x: int;\nthread A { x = choose(0..2000000); }\n", {}, 2},
      {"choices",
       "atomic x: int;\nthread A {\natomic { let a = choose(0..2000); let b = choose(0..2000); "
       "x = a + b; } }\n",
       {},
       3},
      {"choices",
       "atomic x: int;\nthread A { atomic { x = 1;\nlet a = choose(0..2000000); x = a; } }\n",
       {},
       3},
  };
  return kCases;
}

TEST_CASE("a limit is told by the one that was hit, with its place, in every search") {
  for (const Case& item : cases()) {
    for (Words words : std::vector<Words>{{},
                                          {"--granularity", "access", "--reduction", "none"},
                                          {"--composition", "none"},
                                          {"--composition", "invisible-first"},
                                          {"--jit-after", "0"}}) {
      CAPTURE(item.model);
      CAPTURE(words.empty() ? "" : words.back());
      if (item.only_composed && !words.empty() && (words[1] == "access" || words[1] == "none"))
        continue;
      words.insert(words.end(), item.words.begin(), item.words.end());
      const json result = check_json(item.model, words);
      CHECK(result["verdict"] == "inconclusive");
      CHECK(result["stats"]["limits_hit"] == json::array({item.limit}));
      REQUIRE(result.contains("limits"));
      REQUIRE(result["limits"].size() == 1);
      CHECK(result["limits"][0]["limit"] == item.limit);
      CHECK(result["limits"][0]["location"]["line"] == item.line);
    }
  }
}

bool contains_words(std::string text, std::string_view part) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.find(part) != std::string_view::npos;
}

TEST_CASE("the report says what to do about a limit") {
  const std::string long_one = "atomic x: int(0..99); thread A { for i in 0..<99 { x = i; } }";
  const std::string endless = "lock m;\nthread A { loop { m.acquire(); } }\n";
  CHECK(contains_words(check(endless).out, "lock-depth: A at -:2:"));
  CHECK(contains_words(check(endless).out, "Release it as often"));
  CHECK(contains_words(check(long_one, {"--max-states", "5", "--reduction", "none"}).out,
                       "Allow more with `--max-states`"));
  CHECK(contains_words(check(long_one, {"--max-depth", "5", "--reduction", "none"}).out,
                       "Allow more with `--max-depth`"));
}

TEST_CASE("a search without a store says that the model is cyclic") {
  const std::string cyclic = "atomic x: bool; thread A { loop { x = !x; } } thread B { x = true; }";
  const std::string longer = "atomic x: int(0..99); thread A { for i in 0..<99 { x = i; } }";
  const Words stateless = {"--store", "stateless", "--max-depth", "50"};
  for (const char* undo : {"checkpoint", "replay", "reverse"}) {
    Words words = stateless;
    words.insert(words.end(), {"--undo", undo, "--max-states", "5k"});
    CHECK(contains_words(check(cyclic, words).out, "the model is cyclic"));
    CHECK(contains_words(check(cyclic, words).out, "--store stateful"));
    CHECK(check_json(cyclic, words)["stats"]["cyclic"] == true);
    CHECK(contains_words(check(longer, words).out, "Allow more with `--max-depth`"));
    CHECK(check_json(longer, words)["stats"]["cyclic"] == false);
  }
  CHECK(check_json(longer)["stats"]["cyclic"] == nullptr);
}

TEST_CASE("--max-states stores as many, and no more") {
  const std::string model =
      "atomic x: int(0..300); thread A { for i in 0..<300 { x = i; } } thread B { skip; }";
  const Words full = {"--granularity", "access", "--reduction", "none"};
  const int all = check_json(model, full)["stats"]["states"];
  REQUIRE(all > 100);
  for (const char* order : {"bfs", "sequential"}) {
    for (const char* reduction : {"none", "sleep", "stubborn", "persistent+sleep"}) {
      CAPTURE(order);
      CAPTURE(reduction);
      Words words = {"--granularity", "access", "--order", order, "--reduction", reduction};
      const int states = check_json(model, words)["stats"]["states"];
      words.insert(words.end(), {"--max-states", "3"});
      const json limited = check_json(model, words);
      CHECK(limited["stats"]["states"] == std::min(states, 3));
      CHECK((limited["verdict"] == "inconclusive") == (states > 3));
    }
  }
  Words just_enough = full;
  just_enough.insert(just_enough.end(), {"--max-states", std::to_string(all)});
  CHECK(check_json(model, just_enough)["verdict"] == "verified");
  just_enough.back() = std::to_string(all - 1);
  const json one_less = check_json(model, just_enough);
  CHECK(one_less["verdict"] == "inconclusive");
  CHECK(one_less["stats"]["states"] == all - 1);
}

}  // namespace
