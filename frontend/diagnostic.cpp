// The list of codes as a table, and the collector of diagnostics; see diagnostic.h.
#include "frontend/diagnostic.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

namespace cml {
namespace {

constexpr auto kCodes = std::to_array<CodeInfo>({
#define CML_DIAGNOSTIC(name, number, severity, title) \
  {Code::name, Severity::severity, #name, title},
#include "frontend/diagnostics.def"
#undef CML_DIAGNOSTIC
});

constexpr bool ascending() {
  for (std::size_t i = 1; i < kCodes.size(); ++i) {
    if (kCodes[i - 1].code >= kCodes[i].code) return false;
  }
  return true;
}
static_assert(ascending(), "diagnostics.def is sorted by number, and no number is used twice");

}  // namespace

std::span<const CodeInfo> all_codes() { return kCodes; }

const CodeInfo& info(Code code) {
  return *std::lower_bound(kCodes.begin(), kCodes.end(), code,
                           [](const CodeInfo& entry, Code wanted) { return entry.code < wanted; });
}

std::string code_text(Code code) {
  const char letter = info(code).severity == Severity::Error ? 'E' : 'W';
  return fmt::format("{}{:04}", letter, static_cast<unsigned>(code));
}

Diagnostic& Diagnostics::report(Code code, SourceRange where, std::string message) {
  Diagnostic diagnostic{code, where, std::move(message), {}, {}};
  if (info(code).severity == Severity::Error) {
    ++errors_;
    if (errors_ > kMaxErrors) {
      ++suppressed_;
      overflow_ = std::move(diagnostic);
      return overflow_;
    }
  }
  return all_.emplace_back(std::move(diagnostic));
}

void Diagnostics::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(a.where.file, a.where.begin) < std::tuple(b.where.file, b.where.begin);
  });
}

}  // namespace cml
