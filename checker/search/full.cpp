#include "checker/search/full.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
Full<Codec>::Full(const SearchInput& input, Codec codec)
    : Search(input),
      depths_(options_, explorer_, limits_),
      store_(std::move(codec), Expansion<Codec>::kBatch, budget_),
      known_(options_),
      expansion_(options_, explorer_, limits_, store_, 0, predecessors_, known_) {}

template <StateCodec Codec>
void Full<Codec>::run() {
  explorer_.start();
  (void)store_.find_or_put(explorer_.reached());
  predecessors_.add({});
  known_.add();
  show_states();
  while (!CML_MUTATED("a-search-cut-short-is-complete", limits_.stopped(),
                      explorer_.monitors().enough())) {
    if (next_ == depths_.end()) {
      if (!CML_MUTATION("depths-end-before-the-last-are-looked-up")) expansion_.flush();
      if (!begin_depth()) break;
    }
    visit(next_++);
  }
  expansion_.flush();
}

template <StateCodec Codec>
bool Full<Codec>::begin_depth() {
  if (waiting() == 0 || !depths_.begin(store_.size())) return false;
  show_states();
  return true;
}

template <StateCodec Codec>
void Full<Codec>::show_states() {
  depths_.show_states(next_, [this](StateNumber state) {
    load(state);
    return moved_to(state);
  });
}

template <StateCodec Codec>
void Full<Codec>::load(StateNumber state) {
  now_ = state;
  store_.load(state, explorer_.state());
}

template <StateCodec Codec>
void Full<Codec>::visit(StateNumber state) {
  load(state);
  expansion_.take_all(
      state, options_.shortest ? explorer_.enabled() : explorer_.enabled_in_new(moved_to(state)));
}

template <StateCodec Codec>
Path Full<Codec>::path() const {
  const std::optional<Predecessor> firing = expansion_.firing();
  if (!firing) return path_to(now_);
  Path result = path_to(firing->state);
  result.push_back(firing->action);
  return result;
}

template <StateCodec Codec>
Path Full<Codec>::path_to(StateNumber state) const {
  Path result;  // backwards
  for (; state != 0; state = predecessors_[state].state)
    result.push_back(predecessors_[state].action);
  std::reverse(result.begin(), result.end());
  return result;
}

template class Full<IdentityCodec>;
template class Full<PackingCodec>;
template class Full<HeapCodec>;

}  // namespace cml::checker
