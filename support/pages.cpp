#include "support/pages.h"

#include <new>
#include <sys/mman.h>

namespace cml {
namespace {

constexpr std::size_t kSmall = std::size_t{1} << 16;  // the largest there is on any machine

bool is_aligned(const std::uint8_t* data) {
  return reinterpret_cast<std::uintptr_t>(data) % Pages::kHuge == 0;
}

std::uint8_t* map(std::size_t bytes) {
  void* const got =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(got);
}

}  // namespace

Pages::Pages(std::size_t bytes, Size size) : bytes_((bytes + kSmall - 1) / kSmall * kSmall) {
  data_ = map(bytes_);
  if (size == Size::Small) return;
  if (!is_aligned(data_)) {
    // Huge pages begin at multiples of their size: ask for more, and give back what is around.
    munmap(data_, bytes_);
    const std::size_t asked = bytes_ + kHuge;
    data_ = map(asked);
    const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(data_) % kHuge) % kHuge;
    if (before > 0) munmap(data_, before);
    data_ += before;
    if (asked - before > bytes_) munmap(data_ + bytes_, asked - before - bytes_);
  }
  (void)madvise(data_, bytes_, MADV_HUGEPAGE);  // a wish: without, everything works
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace cml
