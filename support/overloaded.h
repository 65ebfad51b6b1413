// One visitor of a variant made of several functions: std::visit(Overloaded{…, …}, variant).
#pragma once

namespace cml {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace cml
