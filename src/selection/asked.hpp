#pragma once

#include <concepts>
#include <utility>
#include <variant>

#include "credence/selection/options.hpp"

namespace credence::selection {

/// Returns the question's answer for the method; `otherwise` if the question does not accept the method.
///
///     asked(options.method, Rule::best, [](const auto& own) requires requires { own.rule; } { return own.rule; });
template <class T, class Question>
T asked(const Method& method, T otherwise, const Question& question) {
  return std::visit(
      [&](const auto& own) -> T {
        if constexpr (std::invocable<const Question&, decltype(own)>)
          return question(own);
        else
          return std::move(otherwise);
      },
      method);
}

}  // namespace credence::selection
