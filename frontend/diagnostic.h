// Diagnostics: what is wrong with a model, where, and what cures it.
//
// A diagnostic says first what was observed, then the rule, then the cure (`hint`); lower case, no
// full stop. It has one primary place and any number of related ones. Its code is stable: scripts
// and `cml explain` rely on it. The closed list of codes is `frontend/diagnostics.def`; each has a
// page `docs/explain/E0123.md` with an example and its cure, and a golden test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/source.h"

namespace cml {

enum class Severity : std::uint8_t { Error, Warning };

enum class Code : std::uint16_t {
#define CML_DIAGNOSTIC(name, number, severity, title) name = (number),
#include "frontend/diagnostics.def"
#undef CML_DIAGNOSTIC
};

struct CodeInfo {
  Code code;
  Severity severity;
  std::string_view name;   // the enumerator, for tests
  std::string_view title;  // one line for `cml explain`
};

/// All codes, in the order of their numbers.
[[nodiscard]] std::span<const CodeInfo> all_codes();
[[nodiscard]] const CodeInfo& info(Code code);
/// "E0123" or, for a warning, "W0123".
[[nodiscard]] std::string code_text(Code code);

struct Related {
  SourceRange where;
  std::string message;
};

struct Diagnostic {
  Code code;
  SourceRange where;
  std::string message;
  std::vector<Related> related = {};
  std::string hint = {};

  Diagnostic& also(SourceRange place, std::string text) {
    related.push_back({place, std::move(text)});
    return *this;
  }
  Diagnostic& cure(std::string text) {
    hint = std::move(text);
    return *this;
  }
};

/// Collects the diagnostics of a run. At most `kMaxErrors` errors are kept; more are counted.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxErrors = 50;

  /// The returned reference is good until the next report:
  ///   diagnostics.report(Code::UnknownName, range, "…").cure("did you mean `x`?");
  Diagnostic& report(Code code, SourceRange where, std::string message);

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  /// Errors beyond kMaxErrors, which are not in `all()`.
  [[nodiscard]] std::size_t suppressed() const { return suppressed_; }
  [[nodiscard]] std::span<const Diagnostic> all() const { return all_; }
  /// By file and place, errors and warnings together; the order in which they are shown.
  void sort();

 private:
  std::vector<Diagnostic> all_;
  Diagnostic overflow_{};
  std::size_t errors_ = 0;
  std::size_t suppressed_ = 0;
};

}  // namespace cml
