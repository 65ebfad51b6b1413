// Text to AST: the one entrance to `frontend/syntax/`.
#pragma once

#include "frontend/ast.h"
#include "frontend/diagnostic.h"
#include "frontend/source.h"

namespace cml {

/// Parses one file. Always returns a tree; what could not be understood is reported and left out,
/// so that `Sema` can check the rest. Never throws, whatever the bytes.
[[nodiscard]] ast::Ast parse(const SourceSet& sources, FileId file, Diagnostics& diagnostics);

}  // namespace cml
