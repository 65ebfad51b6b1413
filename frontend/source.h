// Source text and places in it.
//
// Every file that a model consists of (the main file, imported files, modules of the standard
// library) is read once into a `SourceSet`, which owns the text for as long as anything points into
// it: the AST, the checked model and diagnostics hold `std::string_view`s and byte ranges only.
// Lines and columns are computed on demand, because only diagnostics and traces want them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/ids.h"

namespace cml {

using FileId = Id<struct FileTag>;

/// Bytes [begin, end) of one file. An empty range is a point between two characters.
struct SourceRange {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// The smallest range that covers both, which must lie in one file.
[[nodiscard]] SourceRange cover(SourceRange first, SourceRange last);

/// Line and column for people, both from 1; columns count code points, a tab is one.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Who wrote a file.
enum class Origin : std::uint8_t { User, Library };

class SourceFile {
 public:
  SourceFile(std::string display_name, std::string text, Origin origin);

  /// The name as the user gave it, for messages ("philosophers.cml", "std.rwlock").
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] Origin origin() const { return origin_; }
  [[nodiscard]] LineColumn line_column(std::uint32_t offset) const;
  /// Line `line` (from 1) without its line break; empty beyond the end.
  [[nodiscard]] std::string_view line_text(std::uint32_t line) const;
  /// Offset of the first byte of a line (from 1).
  [[nodiscard]] std::uint32_t line_begin(std::uint32_t line) const;

 private:
  std::string name_;
  std::string text_;
  Origin origin_;
  std::vector<std::uint32_t> line_starts_;
};

class SourceSet {
 public:
  FileId add(std::string display_name, std::string text, Origin origin = Origin::User);
  [[nodiscard]] const SourceFile& file(FileId id) const { return *files_[id.index]; }
  [[nodiscard]] std::string_view text(SourceRange range) const;
  /// Whether it is a place in a module of the standard library.
  [[nodiscard]] bool is_library(SourceRange range) const {
    return range.file.valid() && file(range.file).origin() == Origin::Library;
  }
  [[nodiscard]] std::size_t size() const { return files_.size(); }

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;  // pointers: texts must not move
};

}  // namespace cml
