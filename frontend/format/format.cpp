// cml fmt: parse, scan, tell apart, lay out, print, and see that nothing got lost.
#include "frontend/format.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/format/items.h"
#include "frontend/format/line_layout.h"
#include "frontend/format/print.h"
#include "frontend/format/roles.h"
#include "frontend/parse.h"

namespace cml {
namespace {

using formatting::Item;

bool same_comment(std::string_view left, std::string_view right) {
  const auto without_indent = [](std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  };
  return std::ranges::equal(formatting::lines_of(left), formatting::lines_of(right), {},
                            without_indent, without_indent);
}

/// The same tokens and comments in the same order; only the indentation inside block comments may
/// differ.
bool same_words(const std::vector<Item>& before, const std::vector<Item>& after) {
  return std::ranges::equal(before, after, [](const Item& left, const Item& right) {
    if (left.kind != right.kind) return false;
    return left.text == right.text || (left.is_comment() && same_comment(left.text, right.text));
  });
}

}  // namespace

Expected<std::string, FormatError> format(const SourceSet& sources, FileId file,
                                          Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const ast::Ast tree = parse(sources, file, diagnostics);
  if (diagnostics.error_count() > errors_before) return Unexpected(FormatError::Syntax);

  std::vector<Item> items = formatting::scan(sources.file(file).text());
  formatting::mark_roles(tree, items);
  std::string text = formatting::print(items, formatting::lay_out(items));
  if (!same_words(items, formatting::scan(text))) return Unexpected(FormatError::Internal);
  return text;
}

}  // namespace cml
