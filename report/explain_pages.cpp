// Finding a page by what people write.
#include "report/explain_pages.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>

namespace cml::report {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const ExplainPage* find_exact(std::string_view name) {
  const auto pages = explain_pages();
  const auto found = std::ranges::find(pages, name, &ExplainPage::name);
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace

std::string_view page_title(const ExplainPage& page) {
  const std::string_view line = page.text.substr(0, page.text.find('\n'));
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? line : line.substr(colon + 2);
}

const ExplainPage* find_explain_page(std::string_view subject) {
  std::string name;
  for (const char c : subject) {
    const bool separates = c == ' ' || c == '_';
    name += separates ? '-' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (const ExplainPage* page = find_exact(name)) return page;

  std::string digits = name;
  std::string letters = "EW";
  if (!digits.empty() && (digits.front() == 'e' || digits.front() == 'w')) {
    letters = digits.front() == 'e' ? "E" : "W";
    digits.erase(0, 1);
  }
  if (digits.empty() || digits.size() > 4 || !std::ranges::all_of(digits, is_digit)) return nullptr;
  for (const char letter : letters) {
    if (const ExplainPage* page = find_exact(fmt::format("{}{:0>4}", letter, digits))) return page;
  }
  return nullptr;
}

}  // namespace cml::report
