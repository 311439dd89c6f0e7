#include "credence/selection/error_estimation.hpp"

#include <fmt/format.h>

#include <functional>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

void check_estimation(const ErrorEstimation& estimation) {
  std::vector<std::string> problems;
  if (estimation.judgements.empty())
    problems.emplace_back("an error estimate needs at least one classifier that was judged");
  for (std::size_t j = 0; j < estimation.judgements.size(); ++j) {
    const Judgement& judgement = estimation.judgements[j];
    if (judgement.rows == 0) {
      problems.push_back(fmt::format("judgement {} rests on no row", j + 1));
    } else if (judgement.errors > judgement.rows || !(judgement.soft >= 0 && judgement.soft <= 1)) {
      problems.push_back(fmt::format("judgement {} has {} errors on {} rows, and a mean soft loss of {}", j + 1,
                                     judgement.errors, judgement.rows, judgement.soft));
    }
  }
  if (!(estimation.delta > 0 && estimation.delta < 1))
    problems.push_back(fmt::format("delta must lie between 0 and 1, both excluded; it is {}", estimation.delta));
  throw_if_any(problems);
}

double error_rate(const Judgement& judgement) {
  return static_cast<double>(judgement.errors) / static_cast<double>(judgement.rows);
}

double mean_over_judgements(const std::vector<Judgement>& judgements,
                            const std::function<double(const Judgement&)>& value) {
  double sum = 0;
  for (const Judgement& judgement : judgements) sum += value(judgement);
  return sum / static_cast<double>(judgements.size());
}

double bernstein(double mean, double rows, double delta) {
  return rows > 1 ? bounds::empirical_bernstein_upper_limit(mean, rows, delta) : 1.0;
}

}  // namespace

void add_bounds(ErrorEstimation& estimation) {
  check_estimation(estimation);
  const auto count = static_cast<double>(estimation.judgements.size());
  const double delta = estimation.united ? estimation.delta / count : estimation.delta;
  estimation.delta_each = delta;
  estimation.hard = mean_over_judgements(estimation.judgements, error_rate);
  estimation.soft =
      mean_over_judgements(estimation.judgements, [](const Judgement& judgement) { return judgement.soft; });
  estimation.bounds.clear();
  using Limit = double (*)(double mean, double m, double delta);
  const auto add = [&](const char* name, Loss loss, Limit limit) {
    estimation.bounds.push_back({name, loss, loss == Loss::soft ? estimation.soft : estimation.hard,
                                 mean_over_judgements(estimation.judgements, [&](const Judgement& judgement) {
                                   return limit(loss == Loss::soft ? judgement.soft : error_rate(judgement),
                                                static_cast<double>(judgement.rows), delta);
                                 })});
  };
  add("Hoeffding", Loss::soft, bounds::hoeffding_upper_limit);
  add("empirical Bernstein", Loss::soft, bernstein);
  estimation.bounds.push_back({"Clopper-Pearson", Loss::hard, estimation.hard,
                               mean_over_judgements(estimation.judgements, [&](const Judgement& judgement) {
                                 return bounds::binomial_upper_limit(static_cast<double>(judgement.errors),
                                                                     static_cast<double>(judgement.rows), delta);
                               })});
  add("Hoeffding", Loss::hard, bounds::hoeffding_upper_limit);
  add("empirical Bernstein", Loss::hard, bernstein);
  add("empirical Chernoff", Loss::hard, bounds::empirical_chernoff_upper_limit);
}

}  // namespace credence::selection
