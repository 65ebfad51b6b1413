// The pages of `cml explain`: docs/explain/*.md, embedded in the program.
//
// A page is called like its file: a code ("E0301", "W0901") or a kind ("deadlock"). It starts with
// `# NAME: title` and has an example and a cure, which tests run.
#pragma once

#include <span>
#include <string_view>

namespace cml::report {

struct ExplainPage {
  std::string_view name;
  std::string_view text;  // Markdown
};

/// All pages, sorted by name.
[[nodiscard]] std::span<const ExplainPage> explain_pages();

/// The title in a page's first line.
[[nodiscard]] std::string_view page_title(const ExplainPage& page);

/// The page a person means: `E0301`, `e0301`, `301`, `Lock Discipline`, `lock_discipline`. Null if
/// there is none.
[[nodiscard]] const ExplainPage* find_explain_page(std::string_view subject);

}  // namespace cml::report
