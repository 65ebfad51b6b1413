// The function that appends the entries of all threads (runtime.h: EntriesFunction).
#pragma once

#include <vector>

#include "ir/layout.h"
#include "jit/entry_table.h"
#include "support/ids.h"

namespace llvm {
class Module;
}

namespace cml::jit {

/// No thread has this name: it is no identifier.
inline constexpr const char* kEntriesName = "all:entries";

/// `tests` must outlive the code.
void emit_entries(llvm::Module& module, const ir::Layout& layout,
                  const IdVector<ir::ThreadId, std::vector<EntryTest>>& tests);

}  // namespace cml::jit
