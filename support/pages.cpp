#include "support/pages.h"

#include <new>
#include <sys/mman.h>

namespace cml {
namespace {

constexpr std::size_t kSmall = 4096;

}  // namespace

Pages::Pages(std::size_t bytes, Size size) : bytes_((bytes + kSmall - 1) / kSmall * kSmall) {
  // Huge pages begin at multiples of their size: ask for more, and give back what is around.
  const std::size_t asked = bytes_ + (size == Size::Huge ? kHuge : 0);
  void* const got =
      mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(got);
  if (size == Size::Small) return;
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(data_) % kHuge) % kHuge;
  if (before > 0) munmap(data_, before);
  data_ += before;
  if (asked - before > bytes_) munmap(data_ + bytes_, asked - before - bytes_);
  (void)madvise(data_, bytes_, MADV_HUGEPAGE);  // a wish: without, everything works
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace cml
