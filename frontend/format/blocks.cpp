// Finds what belongs together; see blocks.h.
#include "frontend/format/blocks.h"

namespace cml::formatting {
namespace {

struct OpenBrace {
  std::size_t at = kNowhere;
  std::size_t last_colon = kNowhere;  // of the case that is open in it
};

}  // namespace

Blocks::Blocks(const std::vector<Item>& items)
    : next_token(items.size(), items.size()),
      partner(items.size(), kNowhere),
      chain_end(items.size(), kNowhere),
      written_on_one_line(items.size(), false),
      continues(items.size(), false),
      is_label(items.size(), false),
      case_end(items.size(), kNowhere) {
  find_partners(items);
  find_chains(items);
}

void Blocks::find_partners(const std::vector<Item>& items) {
  std::vector<OpenBrace> open(1);
  std::size_t previous = kNowhere;  // the token before
  bool in_label = false;
  std::size_t brackets = 0;  // open since the label's word
  const auto end_case = [&] {
    if (open.back().last_colon != kNowhere) case_end[open.back().last_colon] = previous;
    open.back().last_colon = kNowhere;
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (item.is_comment()) continue;
    if (item.is("(") || item.is("[")) {
      ++brackets;
    } else if (item.is(")") || item.is("]")) {
      brackets -= brackets > 0 ? 1 : 0;
    } else if (item.is("{")) {
      open.push_back({i, kNowhere});
    } else if (item.is("}")) {
      end_case();
      if (open.size() > 1) {
        partner[open.back().at] = i;
        open.pop_back();
      }
    } else if (item.is("case") || item.is("default")) {
      // As names these words never stand where a statement begins.
      const bool begins_statement =
          previous != kNowhere && (items[previous].is("{") || items[previous].is(";") ||
                                   items[previous].is("}") || case_end[previous] != kNowhere);
      if (begins_statement) {
        end_case();
        is_label[i] = in_label = true;
        brackets = 0;
      }
    } else if (in_label && brackets == 0 && item.is(":") && item.role == Role::Plain) {
      in_label = false;
      open.back().last_colon = i;
      case_end[i] = i;  // no statements so far
    }
    previous = i;
  }
}

void Blocks::find_chains(const std::vector<Item>& items) {
  std::vector<std::size_t> breaks(items.size() + 1, 0);  // line breaks before item i and earlier
  for (std::size_t i = 0; i < items.size(); ++i) {
    breaks[i + 1] = breaks[i] + items[i].newlines_before + (items[i].multi_line ? 1 : 0);
  }
  std::size_t next = items.size();  // token
  for (std::size_t i = items.size(); i-- > 0;) {
    next_token[i] = next;
    if (!items[i].is_comment()) next = i;
    if (!items[i].is("{")) continue;
    const std::size_t close = partner[i];
    if (close != kNowhere) {
      const bool one_line = close == i + 1 || breaks[close + 1] == breaks[i + 1];
      const std::size_t after = next_token[close];
      chain_end[i] = close;
      written_on_one_line[i] = one_line;
      if (after < items.size() && items[after].role == Role::ContinuesBlock) {
        // No header contains a brace, and each is walked through once.
        std::size_t other = after;
        while (other < items.size() && !items[other].is("{"))
          other = next_token[other];
        if (other < items.size() && chain_end[other] != kNowhere) {
          continues[other] = true;
          chain_end[i] = chain_end[other];
          written_on_one_line[i] = one_line && written_on_one_line[other];
        }
      }
    }
  }
}

}  // namespace cml::formatting
