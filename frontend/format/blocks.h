// What belongs together: braces and their partners, blocks that go on after `else` and `or`, the
// statements of a `case`. Three passes over the items, without recursion.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/format/items.h"

namespace cml::formatting {

inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

struct Blocks {
  explicit Blocks(const std::vector<Item>& items);

  /// The first token, not comment, after an item; `items.size()` if there is none.
  std::vector<std::size_t> next_token;
  /// Of a `{`: its `}`.
  std::vector<std::size_t> partner;
  /// Of a `{`: the `}` of the last block in its chain (`if … else if … else`, `either … or …`).
  std::vector<std::size_t> chain_end;
  /// Of a `{`: that and all later blocks of the chain were written without a line break inside.
  std::vector<bool> written_on_one_line;
  /// Of a `{`: goes on with a chain.
  std::vector<bool> continues;
  /// Of a `case` or `default`: it is a label, not a name. Of the colon after it: where its
  /// statements end.
  std::vector<bool> is_label;
  std::vector<std::size_t> case_end;

 private:
  void find_partners(const std::vector<Item>& items);
  void find_chains(const std::vector<Item>& items);
};

}  // namespace cml::formatting
