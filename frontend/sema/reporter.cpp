// Notes form a chain from the inner instantiation outwards; the first few are enough.
#include "frontend/sema/reporter.h"

#include <fmt/format.h>
#include <utility>

namespace cml::sema {

Diagnostic& Reporter::report(Code code, SourceRange where, std::string message, NoteId note) {
  constexpr int kMaxNotes = 3;
  // What has no place of its own (`-D`) is distinguished by its text.
  const std::string text = where.end == 0 ? message : std::string();
  if (!seen_.emplace(code, where.file.index, where.begin, where.end, text).second) {
    repeated_ = Diagnostic{code, where, {}};
    last_ = &repeated_;
    return repeated_;
  }
  Diagnostic& diagnostic = diagnostics_.report(code, where, std::move(message));
  for (int noted = 0; note.valid() && noted < kMaxNotes; ++noted) {
    diagnostic.also(notes_[note].where, fmt::format("in {}", notes_[note].text));
    note = notes_[note].parent;
  }
  last_ = &diagnostic;
  ++count_;
  return diagnostic;
}

}  // namespace cml::sema
