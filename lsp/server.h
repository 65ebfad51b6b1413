// The language server: `cml lsp` (https://microsoft.github.io/language-server-protocol, 3.17).
//
//   descriptors ──rpc::Server──▶ requests.h over a Workspace
//                      └──────▶ Checks, a process each
//
// Requests are answered in the order in which they come, from one thread: none takes long, as what
// does is a process of its own. Nothing but messages is written to `out`.
#pragma once

namespace cml::lsp {

/// Until the client says `exit` or is gone. True: it has said `shutdown` before.
[[nodiscard]] bool serve(int in, int out);

}  // namespace cml::lsp
