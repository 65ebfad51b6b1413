// `cml mcp` as an agent has it: the tools, what can be read, and that what is inconclusive is never
// said as success.
#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/harness/conversation.h"
#include "tests/harness/json_schema.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

class Agent : public Conversation {
 public:
  Agent() : Conversation("mcp", Separated::ByLines) {
    const json answer =
        request("initialize", {{"protocolVersion", "2025-06-18"},
                               {"capabilities", json::object()},
                               {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    CHECK(answer["protocolVersion"] == "2025-06-18");
    CHECK(answer["serverInfo"]["name"] == "cml");
    notify("notifications/initialized", json::object());
  }
  json call(const std::string& tool, const json& arguments) {
    return request("tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  std::string told(const std::string& tool, const json& arguments) {
    const json answer = call(tool, arguments);
    CHECK(answer["isError"] == false);
    return answer["content"][0]["text"].get<std::string>();
  }
};

const char* const kTwoOrders =
    "lock a;\nlock b;\nthread One { with a { with b { skip; } } }\n"
    "thread Two { with b { with a { skip; } } }\n";
const char* const kCounter =
    "const N = 2;\nlock m;\nshared x: int(0..9) = 0;\n"
    "thread T[i in 0..<N] { with m { x = x + 1; } }\nfinally { assert x == N; }\n";
const char* const kEndless =
    "atomic n[12]: int(0..9);\nthread T[i in 0..<12] { loop { n[i] = (n[i] + 1) % 10; } }\n";

TEST_CASE("a tool server tells its tools, with schemas of what they take") {
  Agent agent;
  const json tools = agent.request("tools/list", json::object())["tools"];
  std::set<std::string> names;
  for (const json& tool : tools) {
    names.insert(tool["name"].get<std::string>());
    CHECK(tool["description"].get<std::string>().size() > 20);
    CHECK(tool["inputSchema"]["type"] == "object");
  }
  CHECK(names == std::set<std::string>{"check", "simulate", "explain", "format"});
  CHECK(agent.request("ping", json::object()).empty());
  CHECK(agent.end() == 0);
  CHECK(agent.stray() == "");
}

TEST_CASE("an agent is told one of three verdicts") {
  Agent agent;
  const std::string violated = agent.told("check", {{"text", kTwoOrders}});
  CHECK(violated.starts_with("VIOLATED: deadlock"));
  CHECK(contains(violated, "a.acquire()"));
  CHECK(contains(violated, "waits for"));
  CHECK(contains(violated, "`explain`"));
  CHECK(violated.size() < 1500);
  const std::string verified = agent.told("check", {{"text", kCounter}});
  CHECK(verified.starts_with("VERIFIED: "));
  CHECK(contains(verified, "not checked: "));
  CHECK(contains(verified, "x is protected by m"));
  CHECK(verified.size() < 800);
  const json sized = agent.call("check", {{"text", kCounter}, {"constants", {{"N", 3}}}});
  CHECK(contains(sized["content"][0]["text"].get<std::string>(), "\"N\":3"));
  CHECK(sized["structuredContent"]["verdict"] == "verified");
  const json cut = agent.call("check", {{"text", kEndless}, {"max_time", 0.2}});
  const std::string inconclusive = cut["content"][0]["text"].get<std::string>();
  CHECK(inconclusive.starts_with("INCONCLUSIVE: a limit was reached: max-time"));
  CHECK(contains(inconclusive, "This is no success"));
  CHECK_FALSE(contains(inconclusive, "verified"));
  CHECK_FALSE(contains(inconclusive, "VERIFIED"));
  CHECK(cut["structuredContent"]["verdict"] == "inconclusive");
}

TEST_CASE("walks that find nothing prove nothing, and what they find is told") {
  Agent agent;
  const std::string nothing = agent.told("simulate", {{"text", kCounter}, {"runs", 5}});
  CHECK(nothing.starts_with("INCONCLUSIVE: 5 random walks have found nothing"));
  CHECK(agent.told("simulate", {{"text", kTwoOrders}, {"seed", 1}})
            .starts_with("VIOLATED: deadlock"));
}

TEST_CASE("a model with errors is an error, with places and cures") {
  Agent agent;
  const json answer = agent.call("check", {{"text", "lock m;\nthread T { m.lock(); }\n"}});
  CHECK(answer["isError"] == true);
  const auto text = answer["content"][0]["text"].get<std::string>();
  CHECK(contains(text, "line 2, column 14: error E0307"));
  CHECK(contains(text, "did you mean `acquire`?"));
  CHECK(answer["structuredContent"]["verdict"].is_null());
  CHECK(answer["structuredContent"]["diagnostics"].size() == 1);
}

TEST_CASE("a model may be a file, and only a model") {
  const TemporaryFolder folder;
  Agent agent;
  const std::string path = folder.write("m.cml", kTwoOrders).string();
  CHECK(agent.told("check", {{"path", path}}).starts_with("VIOLATED"));
  CHECK(agent.call("check", {{"path", (folder.path() / "none.cml").string()}})["isError"] == true);
  const auto refused = [&](const json& arguments) {
    return agent.failure("tools/call", {{"name", "check"}, {"arguments", arguments}})["code"];
  };
  CHECK(refused({{"path", "/etc/passwd"}}) == -32602);
  CHECK(refused({{"path", path}, {"text", ""}}) == -32602);
  CHECK(refused(json::object()) == -32602);
  CHECK(refused({{"text", ""}, {"output", "/tmp/x"}}) == -32602);
  CHECK(refused({{"text", 7}}) == -32602);
  CHECK(refused({{"text", ""}, {"constants", {{"N", json::array()}}}, {"runs", "many"}}) == -32602);
  CHECK(agent.failure("tools/call", {{"name", "rm"}})["code"] == -32602);
}

TEST_CASE("an agent reads explanations, formats, and reads the reference") {
  Agent agent;
  CHECK(contains(agent.told("explain", {{"name", "deadlock"}}), "```"));
  CHECK(contains(agent.told("explain", {{"name", "E0301"}}), "E0301"));
  const json unknown = agent.call("explain", {{"name", "deadlok"}});
  CHECK(unknown["isError"] == true);
  CHECK(contains(unknown["content"][0]["text"].get<std::string>(), "`deadlock`"));
  CHECK(agent.told("format", {{"text", "lock   m;\nthread T{skip;}"}}) ==
        "lock m;\nthread T { skip; }\n");
  CHECK(agent.call("format", {{"text", "lock"}})["isError"] == true);

  const json resources = agent.request("resources/list", json::object())["resources"];
  std::set<std::string> uris;
  for (const json& one : resources)
    uris.insert(one["uri"].get<std::string>());
  for (const char* uri : {"cml://language/reference", "cml://language/tour", "cml://std.barrier",
                          "cml://explain/deadlock"}) {
    CAPTURE(uri);
    CHECK(uris.contains(uri));
    const json read = agent.request("resources/read", {{"uri", uri}})["contents"][0];
    CHECK(read["uri"] == uri);
    CHECK(read["text"].get<std::string>().size() > 200);
  }
  CHECK(read_file(CML_SOURCE_DIR "/docs/reference.md") ==
        agent.request("resources/read",
                      {{"uri", "cml://language/reference"}})["contents"][0]["text"]);
  CHECK(agent.failure("resources/read", {{"uri", "cml://nothing"}})["code"] == -32002);
}

TEST_CASE("a tool server answers others while it checks, and forgets what is cancelled") {
  Agent agent;
  const int long_one =
      agent.ask("tools/call", {{"name", "check"}, {"arguments", {{"text", kEndless}}}});
  CHECK(agent.request("ping", json::object()).empty());
  agent.notify("notifications/cancelled", {{"requestId", long_one}, {"reason", "enough"}});
  CHECK(agent.told("check", {{"text", kTwoOrders}}).starts_with("VIOLATED"));
  CHECK(agent.end() == 0);
  CHECK(agent.stray() == "");
}

TEST_CASE("an agent is told which argument is wrong, and what would be right") {
  using namespace std::string_literals;
  Agent agent;
  const auto told = [&](const std::string& tool, const json& arguments) {
    const json error = agent.failure("tools/call", {{"name", tool}, {"arguments", arguments}});
    CHECK(error["code"] == -32602);
    return error["message"].get<std::string>();
  };
  const std::string text = kCounter;
  CHECK(contains(told("check", {{"path", "/etc/passwd\0.cml"s}}), "`path`"));
  for (const char* value : {"2..3", "2,3", "2 3", "", "2\\"})
    CHECK(
        contains(told("check", {{"text", text}, {"constants", {{"N", value}}}}), "`constants.N`"));
  CHECK(
      contains(told("check", {{"text", text}, {"constants", {{"N", "2\0zz"s}}}}), "`constants.N`"));
  CHECK(contains(told("check", {{"text", text}, {"constants", {{"N", 1.5}}}}), "`constants.N`"));
  CHECK(contains(told("check", {{"text", text}, {"constants", {{"N=1", 2}}}}), "`constants.N=1`"));
  CHECK(contains(told("check", {{"text", text}, {"constants", {1}}}), "of type object"));
  CHECK(contains(told("check", {{"text", text}, {"max_time", -1}}), "`max_time` is -1"));
  CHECK(contains(told("check", {{"text", text}, {"max_time", 1e9}}), "at most 3600"));
  CHECK(contains(told("check", {{"text", text}, {"all", "yes"}}), "`all` is string"));
  CHECK(contains(told("simulate", {{"text", text}, {"runs", -3}}), "`runs` is -3"));
  CHECK(contains(told("simulate", {{"text", text}, {"runs", 0}}), "at least 1"));
  CHECK(contains(told("simulate", {{"text", text}, {"runs", 1.5}}), "of type integer"));
  CHECK(contains(told("simulate", {{"text", text}, {"all", true}}), "no argument `all`"));
  CHECK(contains(told("explain", json::object()), "`name` is missing"));
  CHECK(contains(told("explain", json::array({1})), "of type object"));
  // One value in each of its forms.
  const std::string flags =
      "const YES = true;\nenum E { red, blue }\nconst WHAT: E = red;\n" + text;
  const json arguments = {{"text", flags},
                          {"constants", {{"N", "3"}, {"YES", false}, {"WHAT", "blue"}}}};
  CHECK(agent.told("check", arguments).starts_with("VERIFIED"));
}

TEST_CASE("what a program is told of a long trace is as short as what a person is") {
  Agent agent;
  const json answer = agent.call(
      "check",
      {{"text",
        "atomic x: int(0..5000) = 0;\nthread A { loop { x = x + 1; assert x < 600; } }\n"}});
  const json& violation = answer["structuredContent"]["violations"][0];
  CHECK(answer["structuredContent"].dump().size() < 10'000);
  CHECK(violation["trace_length"].get<int>() > 600);
  REQUIRE(violation["trace"].size() == 40);
  CHECK(violation["trace"][0]["step"] == 1);
  CHECK(violation["trace"][39]["step"] == violation["trace_length"]);
  CHECK(contains(answer["content"][0]["text"].get<std::string>(), "steps are left out here"));
}

TEST_CASE("a script may write its requests and end its input") {
  Conversation agent("mcp", Separated::ByLines);
  const auto line = [](int id, const char* method, const json& params) {
    return json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() +
           "\n";
  };
  const json params = {{"name", "check"}, {"arguments", {{"text", kTwoOrders}}}};
  agent.write(line(1, "initialize", {{"protocolVersion", "2025-06-18"}}) +
              line(2, "tools/call", params));
  agent.close_input();
  CHECK(agent.answer(1).contains("result"));
  CHECK(agent.answer(2)["result"]["structuredContent"]["verdict"] == "violated");
  CHECK(agent.end() == 0);
}

TEST_CASE("checks run in processes that are called like the program, a few at a time") {
  const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
  Agent agent;
  const auto names_of_children = [&] {
    const std::string id = std::to_string(agent.process());
    std::istringstream children(read_file("/proc/" + id + "/task/" + id + "/children"));
    std::vector<std::string> names;
    for (std::string child; children >> child;)
      names.push_back(read_file("/proc/" + child + "/comm"));
    return names;
  };
  std::vector<int> requests;
  for (std::size_t i = 0; i < processors + 2; ++i)
    requests.push_back(
        agent.ask("tools/call", {{"name", "check"}, {"arguments", {{"text", kEndless}}}}));
  CHECK(agent.request("ping", json::object()).empty());
  std::vector<std::string> names = names_of_children();
  CHECK(names.size() == processors);
  for (int round = 0; round < 500 && names != std::vector<std::string>(processors, "cml\n");
       ++round) {
    ::usleep(10'000);  // until they have begun
    names = names_of_children();
  }
  CHECK(names == std::vector<std::string>(processors, "cml\n"));
  // Those that wait, and those that run: nothing is left of what is cancelled.
  for (auto request = requests.rbegin(); request != requests.rend(); ++request)
    agent.notify("notifications/cancelled", {{"requestId", *request}});
  CHECK(agent.request("ping", json::object()).empty());
  CHECK(names_of_children().empty());
  CHECK(agent.told("check", {{"text", kTwoOrders}}).starts_with("VIOLATED"));
}

TEST_CASE("a tool server speaks the versions of the protocol that have no batches") {
  const auto spoken = [](const json& version) {
    Conversation agent("mcp", Separated::ByLines);
    return agent.request("initialize", {{"protocolVersion", version}})["protocolVersion"];
  };
  CHECK(spoken("2025-06-18") == "2025-06-18");
  CHECK(spoken("2025-03-26") == "2025-06-18");
  CHECK(spoken("2024-11-05") == "2024-11-05");
  // Wrong parameters do not lock the client out.
  Conversation agent("mcp", Separated::ByLines);
  CHECK(agent.failure("initialize", {{"protocolVersion", 7}})["code"] == -32602);
  CHECK(agent.failure("tools/list", json::object())["code"] == -32600);
  CHECK(agent.request("initialize", json::object()).contains("serverInfo"));
}

TEST_CASE("a tool server survives what is no message") {
  Conversation agent("mcp", Separated::ByLines);
  CHECK(agent.failure("tools/list", json::object())["code"] == -32600);
  agent.write("nonsense\n");
  CHECK(agent.answer(nullptr)["error"]["code"] == -32700);
  agent.write("\n\r\n[]\n");
  CHECK(agent.answer(nullptr)["error"]["code"] == -32600);
  for (const char* version : {"2", "null", "[2]"}) {
    agent.write(std::string("{\"jsonrpc\":") + version + ",\"id\":9,\"method\":\"x\"}\n");
    CHECK(agent.answer(9)["error"]["code"] == -32600);
  }
  agent.write(std::string(3'000'000, '[') + std::string(3'000'000, ']') + "\n");
  CHECK(agent.answer(nullptr)["error"]["code"] == -32700);
  CHECK(agent.request("initialize", {{"protocolVersion", "1900-01-01"}})["protocolVersion"] ==
        "2025-06-18");
  CHECK(agent.failure("no/such", json::object())["code"] == -32601);
  CHECK(agent.failure("tools/call", json::object())["code"] == -32602);
  CHECK(agent.end() == 0);
}

}  // namespace
