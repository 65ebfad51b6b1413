#include "app/svg.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "app/child_process.h"

namespace cml::app {
namespace {

constexpr int kNotFound = 127;  // as the shell says it

/// The rest of a process: reads the text as its input, and becomes `dot`.
[[noreturn]] void become_dot(const std::string& text) {
  const int input = ::memfd_create("dot", MFD_CLOEXEC);
  for (std::size_t done = 0; input >= 0 && done < text.size();) {
    const ssize_t count = ::write(input, text.data() + done, text.size() - done);
    if (count <= 0) std::_Exit(1);
    done += static_cast<std::size_t>(count);
  }
  ::lseek(input, 0, SEEK_SET);
  if (::dup2(input, STDIN_FILENO) < 0) std::_Exit(1);
  ::execlp("dot", "dot", "-Tsvg", static_cast<char*>(nullptr));
  std::_Exit(kNotFound);
}

}  // namespace

Expected<std::string, UsageError> svg_of(const std::string& dot) {
  ChildResult drawn;
  run_in_children(
      1, 1, [&dot](std::size_t) -> ExitStatus { become_dot(dot); },
      [&drawn](std::size_t, ChildResult result) { drawn = std::move(result); });
  constexpr const char* kWithout = "leave `--format svg` out, and draw what comes elsewhere";
  if (static_cast<int>(drawn.status) == kNotFound)
    return Unexpected(
        UsageError{"`dot`, which draws graphs, is not installed",
                   fmt::format("install Graphviz (`apt install graphviz`), or {}", kWithout)});
  if (!drawn.failure.empty() || static_cast<int>(drawn.status) != 0)
    return Unexpected(UsageError{fmt::format("`dot` cannot draw this graph{}",
                                             drawn.failure.empty() ? ": " + drawn.err.substr(0, 200)
                                                                   : " (" + drawn.failure + ")"),
                                 kWithout});
  return std::move(drawn.out);
}

}  // namespace cml::app
