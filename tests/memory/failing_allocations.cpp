// Linked into a second binary of the program, cml_failing: its allocations fail when they are told
// to.
//
//   CML_FAIL=FIRST:EVERY   the allocation with that number fails, and each EVERY-th one behind it
//                          (0: no other)
//   CML_FAIL_COUNTS=FILE   a line is appended: how many allocations there were, and how many failed
//
// The functions stand in front of the C library's own, whose other names they call, so all that
// allocates is seen: operator new, LLVM, libraries written in C, and the program's own use of mmap.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT: glibc's name
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* old, std::size_t size);               // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
}

namespace {

std::atomic<std::uint64_t> allocations = 0;
std::atomic<std::uint64_t> failures = 0;
std::uint64_t first = 0;  // 0: none
std::uint64_t every = 0;

bool fails() {
  const std::uint64_t number = ++allocations;
  if (first == 0 || number < first) return false;
  if (number != first && (every == 0 || (number - first) % every != 0)) return false;
  ++failures;
  errno = ENOMEM;
  return true;
}

__attribute__((constructor)) void begin() {
  const char* const when = std::getenv("CML_FAIL");
  if (when == nullptr) return;
  char* rest = nullptr;
  const std::uint64_t number = std::strtoull(when, &rest, 10);
  every = *rest == ':' ? std::strtoull(rest + 1, nullptr, 10) : 0;
  allocations = 0;
  first = number;
}

/// At the end, also where the program ends itself at once.
__attribute__((destructor)) void end() {
  const char* const path = std::getenv("CML_FAIL_COUNTS");
  if (path == nullptr) return;
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%llu %llu\n",
                                   static_cast<unsigned long long>(allocations.load()),
                                   static_cast<unsigned long long>(failures.load()));
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (write(file, line, static_cast<std::size_t>(length)) < 0) _exit(125);
  close(file);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *result = got;
  return 0;
}
void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && fails()) return MAP_FAILED;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, length, protection, flags, file, offset));
}

[[noreturn]] void _exit(int status) {  // NOLINT: the C library's names
  end();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
[[noreturn]] void _Exit(int status) { _exit(status); }  // NOLINT

}  // extern "C"
