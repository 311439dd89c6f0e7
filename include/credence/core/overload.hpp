#pragma once

namespace credence::core {

/// Several functions as one, to visit a variant with.
template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

}  // namespace credence::core
