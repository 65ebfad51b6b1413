// Lines and columns from byte offsets; see source.h.
#include "frontend/source.h"

#include <algorithm>
#include <cassert>

#include "support/lines.h"

namespace cml {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

SourceRange cover(SourceRange first, SourceRange last) {
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

SourceFile::SourceFile(std::string display_name, std::string text, Origin origin)
    : name_(std::move(display_name)),
      text_(std::move(text)),
      origin_(origin),
      line_starts_(line_starts(text_)) {}

LineColumn SourceFile::line_column(std::uint32_t offset) const {
  const std::uint32_t place = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), place);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  std::string_view before =
      std::string_view(text_).substr(line_starts_[line - 1], place - line_starts_[line - 1]);
  if (line == 1 && before.starts_with(kByteOrderMark)) before.remove_prefix(kByteOrderMark.size());
  const auto continuations = std::count_if(before.begin(), before.end(), continues_code_point);
  return {line, static_cast<std::uint32_t>(before.size()) -
                    static_cast<std::uint32_t>(continuations) + 1};
}

std::string_view SourceFile::line_text(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[line - 1];
  const std::size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
  std::string_view text = std::string_view(text_).substr(begin, end - begin);
  if (text.ends_with('\r')) text.remove_suffix(1);  // of \r\n
  if (line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::uint32_t SourceFile::line_begin(std::uint32_t line) const {
  if (line == 0) return 0;
  if (line > line_starts_.size()) return static_cast<std::uint32_t>(text_.size());
  return line_starts_[line - 1];
}

FileId SourceSet::add(std::string display_name, std::string text, Origin origin) {
  const FileId id = FileId::of(files_.size());
  files_.push_back(std::make_unique<SourceFile>(std::move(display_name), std::move(text), origin));
  return id;
}

std::string_view SourceSet::text(SourceRange range) const {
  const std::string_view text = file(range.file).text();
  const std::size_t begin = std::min<std::size_t>(range.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(range.end, begin, text.size());
  return text.substr(begin, end - begin);
}

}  // namespace cml
