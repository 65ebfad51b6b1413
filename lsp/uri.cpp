#include "lsp/uri.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>

#include "frontend/stdlib_embedded.h"

namespace cml::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFile = "file://";
constexpr std::string_view kModule = "cml-std:/";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
         c == '-' || c == '_' || c == '.' || c == '~';
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16).ptr ==
            text.data() + at + 3) {
      result += static_cast<char>(byte);
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

/// Where an installation has the modules, beside the program; or the sources, from which it was
/// built.
fs::path folder_of_modules() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {"../share/cml/stdlib", "../../stdlib"})
    if (fs::exists(program / folder / "barrier.cml", error))
      return fs::weakly_canonical(program / folder, error);
  return {};
}

}  // namespace

std::string path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kFile)) return std::string(uri);
  std::string_view rest = uri.substr(kFile.size());
  if (!rest.starts_with('/')) rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // a host
  std::string path = decoded(rest.substr(0, rest.find('?')));
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::string uri_of_path(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string uri(kFile);
  for (const char c : path)
    uri += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

std::string uri_of_module(std::string_view module) {
  static const fs::path kFolder = folder_of_modules();
  for (const EmbeddedModule& known : embedded_stdlib()) {
    if (known.name != module || kFolder.empty()) continue;
    std::string name(module.substr(module.find('.') + 1));
    for (char& c : name)
      if (c == '.') c = '/';
    const fs::path file = kFolder / (name + ".cml");
    std::error_code error;
    // A file of another version would have other lines.
    if (fs::file_size(file, error) == known.text.size() && !error)
      return uri_of_path(file.string());
  }
  return fmt::format("{}{}.cml", kModule, module);
}

std::string module_of_uri(std::string_view uri) {
  if (!uri.starts_with(kModule)) return {};
  uri.remove_prefix(kModule.size());
  if (uri.ends_with(".cml")) uri.remove_suffix(4);
  return std::string(uri);
}

}  // namespace cml::lsp
