// Emits the function that appends the enabled actions of all threads (runtime.h: EnabledFunction),
// and the table that it reads: the rows of enabled_table.h, stored by columns.
//
//   thread 0, n rows:   where the field lies  4 × n │ value  1 × n │ …      thread 1: …
//
// A thread has only those columns in which its rows differ. Where all its fields are bytes, bytes
// are loaded; else words of four bytes, which are masked.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/exec/state_layout.h"
#include "jit/enabled_table.h"
#include "support/ids.h"

namespace llvm {
class Module;
}

namespace cml::jit {

/// The function's name, which no thread can have: it is no identifier.
inline constexpr const char* kEnabledName = "all:enabled";

/// Returns the table, which the function gets as its second argument.
[[nodiscard]] std::vector<std::uint8_t> emit_enabled(
    llvm::Module& module, const ir::Layout& layout,
    const IdVector<ir::ThreadId, std::vector<EnabledTest>>& tests);

}  // namespace cml::jit
