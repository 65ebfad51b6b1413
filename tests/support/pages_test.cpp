#include "support/pages.h"

#include <algorithm>
#include <doctest/doctest.h>

namespace cml {

TEST_CASE("pages are zero bytes, from a page's beginning on") {
  for (const auto size : {Pages::Size::Small, Pages::Size::Huge}) {
    const std::size_t page = size == Pages::Size::Huge ? Pages::kHuge : 4096;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, Pages::kHuge - 1,
                                    Pages::kHuge, 2 * Pages::kHuge + 5}) {
      CAPTURE(bytes);
      const Pages pages(bytes, size);
      CHECK(reinterpret_cast<std::uintptr_t>(pages.data()) % page == 0);
      CHECK(pages.bytes() >= bytes);
      CHECK(std::all_of(pages.data(), pages.data() + bytes,
                        [](std::uint8_t byte) { return byte == 0; }));
      std::fill_n(pages.data(), pages.bytes(), std::uint8_t{0xff});
    }
  }
}

TEST_CASE("pages move") {
  Pages first(10, Pages::Size::Small);
  first.data()[3] = 7;
  Pages second = std::move(first);
  CHECK(second.data()[3] == 7);
  Pages third;
  third = std::move(second);
  CHECK(third.data()[3] == 7);
}

}  // namespace cml
