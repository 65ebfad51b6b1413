#include "support/pages.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace cml {

Pages::Pages(std::size_t bytes, Size size) : bytes_(bytes), size_(size) {
  if (size == Size::Small) {
    data_ = static_cast<std::uint8_t*>(std::calloc(bytes, 1));
    if (data_ == nullptr) throw std::bad_alloc();
    return;
  }
  // Huge pages begin at multiples of their size: ask for more, and give back what is around.
  const std::size_t asked = bytes + kHuge;
  void* const got =
      mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::uint8_t*>(got);
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(begin) % kHuge) % kHuge;
  data_ = begin + before;
  if (before > 0) munmap(begin, before);
  // The length is in small pages.
  const std::size_t used = (bytes + 4095) / 4096 * 4096;
  if (asked - before > used) munmap(data_ + used, asked - before - used);
  (void)madvise(data_, used, MADV_HUGEPAGE);  // a wish
}

Pages::~Pages() {
  if (data_ == nullptr) return;
  if (size_ == Size::Small) {
    std::free(data_);
  } else {
    munmap(data_, bytes_);
  }
}

}  // namespace cml
