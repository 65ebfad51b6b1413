// The requests that are answered from what is known of the open texts: a function for each, with
// the parameters and results of the protocol
// (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification).
// A file for each family.
#pragma once

#include "lsp/workspace.h"
#include "rpc/server.h"

namespace cml::lsp {

// hover.cpp
[[nodiscard]] Json hover(Workspace& workspace, const Json& params);

// navigation.cpp
[[nodiscard]] Json definition(Workspace& workspace, const Json& params);
[[nodiscard]] Json references(Workspace& workspace, const Json& params);
[[nodiscard]] Json highlights(Workspace& workspace, const Json& params);

// rename.cpp
[[nodiscard]] rpc::Answer prepare_rename(Workspace& workspace, const Json& params);
[[nodiscard]] rpc::Answer rename(Workspace& workspace, const Json& params);

// symbols.cpp
[[nodiscard]] Json document_symbols(Workspace& workspace, const Json& params);
[[nodiscard]] Json workspace_symbols(Workspace& workspace, const Json& params);

// completion.cpp
[[nodiscard]] Json completion(Workspace& workspace, const Json& params);

// semantic_tokens.cpp
[[nodiscard]] Json semantic_tokens_legend();
[[nodiscard]] Json semantic_tokens(Workspace& workspace, const Json& params);

// folding.cpp
[[nodiscard]] Json folding_ranges(Workspace& workspace, const Json& params);

// formatting.cpp
[[nodiscard]] Json formatting(Workspace& workspace, const Json& params);

// diagnostics.cpp
[[nodiscard]] Json diagnostics(Workspace& workspace, const Document& document);

// code_actions.cpp
[[nodiscard]] Json code_actions(Workspace& workspace, const Json& params);

// results.cpp
[[nodiscard]] Json result_diagnostics(Workspace& workspace, const Document& document);
[[nodiscard]] Json code_lenses(Workspace& workspace, const Json& params);
[[nodiscard]] Json inlay_hints(Workspace& workspace, const Json& params);
/// What a check has found, in a sentence; `inconclusive` is never said as success.
[[nodiscard]] std::string summary(const Json& result);
/// What the last check says of the protection of an object, "guarded by m"; or nothing.
[[nodiscard]] std::string protection(const Analysis& analysis, const Document& document,
                                     SourceRange declared);

}  // namespace cml::lsp
