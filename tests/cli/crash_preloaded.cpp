// Loaded into the program by LD_PRELOAD: its first look at a terminal crashes in the way that
// CML_CRASH names.
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

// NOLINTNEXTLINE(misc-no-recursion): that is the point
unsigned overflow(unsigned depth) {
  volatile unsigned frame[1024];
  frame[0] = depth;
  return depth == 0 ? 0 : overflow(depth - 1) + frame[0];
}

}  // namespace

extern "C" int isatty(int) {
  const char* const wanted = std::getenv("CML_CRASH");
  const std::string_view crash = wanted == nullptr ? "" : wanted;
  if (crash == "overflow") return overflow(1U << 30) != 0 ? 1 : 0;
  if (crash == "abort") std::abort();
  if (crash == "null") {
    volatile int* volatile nowhere = nullptr;
    return *nowhere;
  }
  if (crash == "illegal") __builtin_trap();
  return 0;
}
