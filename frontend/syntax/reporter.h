// Where the syntax phase reports: the run's `Diagnostics`, minus what would only echo an earlier
// error.
//
// One place gets one error, and what stands next to a lexical error gets no syntax error on top.
// Such reports go to a scratch diagnostic that nobody sees, so that callers need not ask.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "frontend/diagnostic.h"
#include "frontend/source.h"

namespace cml::syntax {

class Reporter {
 public:
  Reporter(Diagnostics& diagnostics, FileId file, std::string_view text)
      : diagnostics_(diagnostics), file_(file), text_(text) {}

  Diagnostic& report(Code code, SourceRange where, std::string message) {
    if (!places_.insert(where.begin).second) {
      scratch_ = {};
      return scratch_;
    }
    ++errors_;
    return diagnostics_.report(code, where, std::move(message));
  }

  /// No error is reported at this place any more.
  void silence(std::uint32_t offset) { places_.insert(offset); }

  [[nodiscard]] std::size_t errors() const { return errors_; }
  /// The file has as many errors as are kept; parsing on would report no other.
  [[nodiscard]] bool too_many() const { return errors_ >= Diagnostics::kMaxErrors; }

  [[nodiscard]] SourceRange range(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(SourceRange range) const {
    return text_.substr(range.begin, range.end - range.begin);
  }
  [[nodiscard]] FileId file() const { return file_; }

 private:
  Diagnostics& diagnostics_;
  FileId file_;
  std::string_view text_;
  std::unordered_set<std::uint32_t> places_;
  std::size_t errors_ = 0;
  Diagnostic scratch_{};
};

}  // namespace cml::syntax
