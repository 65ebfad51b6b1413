// `cml check --format html`: a page that needs nothing but a browser. A real one opens it here
// (Chromium, without a window) and steps through it.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/process.h"

namespace {

using namespace cml::test;

std::string page_of(const std::string& model, const std::vector<std::string>& options = {}) {
  std::vector<std::string> command = {CML_BINARY, "check", "--format", "html"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(model);
  ProcessOptions where;
  where.folder = CML_SOURCE_DIR;
  return run(command, where).out;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++found;
  return found;
}

class Browser {
 public:
  /// What the page has become, at a place like `#1.3`. Errors of its script stand in its title.
  std::string open(const std::string& page, std::string_view place, std::string_view then = "") {
    std::string watched = page;
    constexpr std::string_view kHead = "<head>";
    watched.insert(watched.find(kHead) + kHead.size(),
                   "<script>window.onerror = (text) => { window.failed = text; };</script>");
    const std::size_t end = watched.rfind("</body>");
    REQUIRE(end != std::string::npos);
    watched.insert(end, fmt::format("<script>{}\nif (window.failed) document.title = 'failed: ' + "
                                    "window.failed;</script>",
                                    then));
    const std::filesystem::path file = folder_.write("page.html", watched);
    const std::string home = "HOME=" + file.parent_path().string();
    const ProcessResult result =
        run({"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--dump-dom", fmt::format("file://{}{}", file.string(), place)},
            {.input = {}, .folder = {}, .environment = {home, "PATH=/usr/bin:/bin"}});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(result.out.find("<title>failed") == std::string::npos);
    return result.out;
  }

 private:
  TemporaryFolder folder_;
};

/// Shown, not as part of the script.
bool shows(const std::string& document, std::string_view part) {
  const std::size_t body = document.find("<body>");
  const std::size_t data = document.find("<script type=\"application/json\"");
  return document.substr(body, data - body).find(part) != std::string::npos;
}

TEST_CASE("html: a page is one file that fetches nothing") {
  const std::string page = page_of("examples/philosophers.cml");
  CHECK(page.starts_with("<!DOCTYPE html>"));
  for (const std::string_view part : {"http:", "https:", " src=", "<link", "@import", "fetch("}) {
    CAPTURE(part);
    CHECK(page.find(part) == std::string::npos);
  }
  CHECK(page.find("@REPORT@") == std::string::npos);
}

TEST_CASE("html: what a model says cannot end the element that it stands in") {
  const TemporaryFolder folder;
  const std::string model = folder.write("m.cml",
                                         "model \"</script><b>bold\";  // </script> <!-- \n"
                                         "thread A { fail \"</script>\"; }\n");
  const std::string page = page_of(model);
  CHECK(count(page, "</script>") == 2);
  CHECK(count(page, "<!--") == 0);
  Browser browser;
  CHECK(shows(browser.open(page, ""), "&lt;/script&gt;"));
}

TEST_CASE("html: a browser shows where each thread stands after each step") {
  const std::string page = page_of("examples/philosophers.cml");
  Browser browser;
  const std::string end = browser.open(page, "");
  CHECK(shows(end, "5 of 5"));
  CHECK(shows(end, "<b>deadlock</b>: no thread can move"));
  CHECK(shows(end, "each waits for the next: Philosopher[0] → Philosopher[1]"));
  CHECK(shows(end, "<tr class=\"now\" data-line=\"17\">"));
  CHECK(shows(end, "<tr class=\"fault\" data-line=\"18\">"));
  CHECK(shows(end, "aria-label=\"who waits for whom\""));
  const std::string third = browser.open(page, "#1.3");
  CHECK(shows(third, "3 of 5"));
  CHECK(shows(third,
              "<tr class=\"changed\"><td class=\"code\">fork[2]</td>"
              "<td class=\"code\">Philosopher[2]</td>"));
  CHECK(shows(third, "<td class=\"code\">fork[3]</td><td class=\"code\">free</td>"));
  CHECK(shows(end, "<b>try: </b>take the locks in one order everywhere"));
  CHECK(shows(end, "holds <code>fork[4]</code>"));
  CHECK(shows(end, "which Philosopher[1] holds"));
}

TEST_CASE("html: keys step through it") {
  const std::string page = page_of("examples/bounded_buffer_notify_bug.cml");
  Browser browser;
  const auto behind = [&](std::string_view keys) {
    return browser.open(page, "",
                        fmt::format("for (const key of [{}]) document.dispatchEvent(new "
                                    "KeyboardEvent('keydown', {{ key }}));",
                                    keys));
  };
  CHECK(shows(behind("'Home', 'ArrowRight', 'ArrowRight'"), ">2 of "));
  CHECK(shows(behind("'Home', 'ArrowDown'"), ">3 of "));  // the first thread waits then
  CHECK(shows(behind("'Home', 'End', 'Home'"), ">0 of "));
}

TEST_CASE("html: every kind of result can be shown") {
  Browser browser;
  const auto shown = [&](const std::string& model, std::string_view part,
                         const std::vector<std::string>& options = {}) {
    CAPTURE(model);
    CHECK(shows(browser.open(page_of(model, options), ""), part));
  };
  shown("examples/philosophers_ordered.cml", "no deadlock");
  shown("examples/philosophers_ordered.cml", "inconclusive", {"--max-states", "10"});
  shown("examples/lock_discipline.cml", "access 3: ");
  shown("examples/std/mailbox_wrong.cml", ">std.mailbox</button>");
  shown("examples/std/errgroup_wrong.cml", "(line errgroup:47, from line 24)");
  shown("examples/std/errgroup_wrong.cml", "title=\"Main: blocked\"");
  shown("tests/models/livelock_polling_pair.cml", "from here on again and again:", {"--all"});
  shown("examples/philosophers_ordered.cml", "<h2>What never happens</h2>", {"--coverage"});
  shown("tests/models/livelock_polling_pair.cml", "could be changed by");
  shown("tests/report/wrong/readers_writers.cml", "fairness does not exclude that");
  shown("tests/models/not_linearizable_counter.cml", "which no order explains");
  shown("tests/models/commutes_false.cml", "<b>false-commute</b>");
}

}  // namespace
