// Files as the protocol names them: `file:///home/me/a%20model.cml`. What has another scheme, as a
// text that has never been saved, is no file and has the URI as its path.
#pragma once

#include <string>
#include <string_view>

namespace cml::lsp {

/// Without symbolic links, where the file is there.
[[nodiscard]] std::string path_of_uri(std::string_view uri);
[[nodiscard]] std::string uri_of_path(std::string_view path);
/// Of a module of the standard library, `std.barrier`: a file of the installation, or if there is
/// none, a name that the request cml/module answers.
[[nodiscard]] std::string uri_of_module(std::string_view module);
/// The module, if it is such a URI; else empty.
[[nodiscard]] std::string module_of_uri(std::string_view uri);

}  // namespace cml::lsp
