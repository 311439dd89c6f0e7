#include "selection/asked.hpp"

namespace credence::selection {

const Estimation* Options::estimation() const {
  return asked<const Estimation*>(
      method, nullptr,
      [](const auto& own)
        requires requires { own.estimation; }
      { return &own.estimation; });
}

Loss Options::loss() const {
  const Loss of_estimation = estimation() != nullptr ? estimation()->loss : Loss::hard;
  return asked(
      method, of_estimation,
      [](const auto& own)
        requires requires { own.loss; }
      { return own.loss; });
}

Score Options::score() const {
  return asked(
      method, Score::accuracy,
      [](const auto& own)
        requires requires { own.scoring; }
      { return own.scoring.score; });
}

std::string Options::label_costs() const {
  return asked(
      method, std::string(),
      [](const auto& own)
        requires requires { own.scoring; }
      { return own.scoring.cost; });
}

Rule Options::rule() const {
  return asked(
      method, Rule::best,
      [](const auto& own)
        requires requires { own.rule; }
      { return own.rule; });
}

Race Options::race() const {
  return asked(
      method, Race::no,
      [](const auto& own)
        requires requires { own.racing; }
      { return own.racing.race; });
}

const InSampleOptions* Options::in_sample() const {
  return asked<const InSampleOptions*>(
      method, nullptr,
      [](const auto& own)
        requires requires { own.in_sample; }
      { return &own.in_sample; });
}

std::size_t Options::resample_count(std::size_t n) const {
  return asked(
      method, std::size_t{traits().holds_out ? 1U : 0U},
      [n](const auto& own)
        requires requires { own.resample_count(n); }
      { return own.resample_count(n); });
}

std::string Options::words(std::size_t n) const {
  return asked(
      method, std::string(),
      [n](const auto& own)
        requires requires { own.words(n); }
      { return own.words(n); });
}

}  // namespace credence::selection
