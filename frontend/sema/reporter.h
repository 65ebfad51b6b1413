// Reports into `Diagnostics` with what instantiation adds to it: an error inside an instance of a
// generic class or function says which instantiation it belongs to, and the same error at the same
// place is reported once, however many instances have it.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "frontend/diagnostic.h"
#include "support/ids.h"

namespace cml::sema {

/// Why something exists: "the instantiation `Queue<int, 3>`", at the place that wants it.
struct Note {
  SourceRange where;
  std::string text;
  Id<struct NoteTag> parent;
};
using NoteId = Id<struct NoteTag>;

class Reporter {
 public:
  explicit Reporter(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The returned reference is good until the next report.
  Diagnostic& report(Code code, SourceRange where, std::string message, NoteId note = {});
  [[nodiscard]] bool has_errors() const { return diagnostics_.has_errors(); }
  /// For those who have something to add to what a callee reported.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool last_is(Code code) const { return last_ != nullptr && last_->code == code; }
  [[nodiscard]] Diagnostic& last() { return *last_; }
  NoteId add_note(Note note) { return notes_.push(std::move(note)); }

 private:
  Diagnostics& diagnostics_;
  IdVector<NoteId, Note> notes_;
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t, std::string>> seen_;
  Diagnostic repeated_{};
  Diagnostic* last_ = nullptr;  // good until the next report
  std::size_t count_ = 0;
};

}  // namespace cml::sema
