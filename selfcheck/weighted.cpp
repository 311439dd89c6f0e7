#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/random.hpp"
#include "selfcheck/p_values.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t weighted_purpose = 1807;

/// Rows with a nonconformity score under their own class, and what says how much they count.
struct Strange {
  std::vector<double> nonconformity_scores;
  std::vector<int> labels;
  std::vector<int> groups;
  std::vector<double> weights;
};

/// A group of 1 to 50 rows that are much alike. Groups of strange rows are small, so that rows counted alike speak of
/// other groups.
void draw_group(int group, core::RandomStream& random, Strange& rows) {
  const double common = random.normal();
  const std::size_t size = common > 0 ? 1 + random.below(5) : 10 + random.below(41);
  for (std::size_t i = 0; i < size; ++i) {
    rows.nonconformity_scores.push_back(common + 0.2 * random.normal());
    rows.labels.push_back(random.uniform() < (common > 0 ? 0.7 : 0.3) ? 1 : 0);
    rows.groups.push_back(group);
  }
}

/// A row whose x has the density 1, of which the chance among new rows is 2 x, or a row that is drawn so.
void draw_weighted(bool fresh, core::RandomStream& random, Strange& rows) {
  const double x = fresh ? std::max(random.uniform(), random.uniform()) : random.uniform();
  rows.nonconformity_scores.push_back(std::floor(5 * x + random.normal()));
  rows.labels.push_back(0);
  rows.weights.push_back(2 * x + 1e-9);
}

/// A row of the second class with the given probability, whose rows are stranger.
void draw_of_shares(double share, core::RandomStream& random, Strange& rows) {
  const int label = random.uniform() < share ? 1 : 0;
  rows.labels.push_back(label);
  rows.nonconformity_scores.push_back(random.normal() + 1.5 * label);
}

double p_value_of_first(const Strange& known, const Strange& fresh, const conformal::RowWeights& weights,
                        const conformal::PValueOptions& options, double own) {
  const conformal::ScoreCalibration calibration(known.nonconformity_scores, known.labels, 2, weights);
  const conformal::Rank rank =
      calibration.rank(-fresh.nonconformity_scores[0], fresh.labels[0], options.label_conditional, own);
  return options.smoothed ? conformal::smoothed_p_value(rank, conformal::smoothing_tau(options.seed, 0))
                          : conformal::p_value(rank);
}

/// Rows with the nonconformity score as their only column.
data::Dataset placed(const Strange& rows) {
  data::DenseMatrix x(rows.nonconformity_scores.size(), 1);
  std::ranges::copy(rows.nonconformity_scores, x.values.begin());
  data::Dataset dataset = data::make_dataset(data::Features(x), {});
  dataset.schema.classes = {"a", "b"};
  dataset.labels = rows.labels;
  dataset.groups = rows.groups;
  dataset.weights = rows.weights;
  return dataset;
}

/// That of the first new row in the mode transductive, which takes groups and weights from the rows.
double transductive_p_value(const Strange& known, const Strange& fresh, const conformal::PValueOptions& p_values,
                            const core::Context& context) {
  conformal::FitOptions options;
  options.measure = conformal::OwnClassDistance{};
  options.mode = conformal::mode::Transductive{.weight_column = known.weights.empty() ? "" : "w"};
  options.scaling = data::Scaling::none;
  options.p_values = p_values;
  const model::Prediction prediction = conformal::fit(placed(known), options, context)->predict(placed(fresh), context);
  return prediction.p_value.row(0)[static_cast<std::size_t>(fresh.labels[0])];
}

using WeightedTrial = double (*)(std::size_t n, bool alike, const conformal::PValueOptions& options,
                                 core::RandomStream& random, const core::Context& context);

double of_new_group(std::size_t n, bool alike, const conformal::PValueOptions& options, core::RandomStream& random,
                    const core::Context&) {
  Strange known;
  for (std::size_t group = 0; group < n; ++group) draw_group(static_cast<int>(group), random, known);
  Strange fresh;
  draw_group(0, random, fresh);  // its first row is as good as any
  const std::vector<double> shares = conformal::group_shares(known.groups);
  return p_value_of_first(known, fresh, alike ? conformal::RowWeights{} : conformal::RowWeights{shares, true}, options,
                          1);
}

double of_weighted_row(std::size_t n, bool alike, const conformal::PValueOptions& options, core::RandomStream& random,
                       const core::Context&) {
  Strange known;
  for (std::size_t i = 0; i < n; ++i) draw_weighted(false, random, known);
  Strange fresh;
  draw_weighted(true, random, fresh);
  if (alike) return p_value_of_first(known, fresh, {}, options, 1);
  return p_value_of_first(known, fresh, {.values = known.weights}, options, fresh.weights[0]);
}

double of_other_shares(std::size_t n, bool alike, const conformal::PValueOptions& options, core::RandomStream& random,
                       const core::Context&) {
  Strange known;
  for (std::size_t i = 0; i < n; ++i) draw_of_shares(0.1, random, known);
  Strange fresh;
  draw_of_shares(0.8, random, fresh);
  conformal::PValueOptions own = options;
  own.label_conditional = !alike;
  return p_value_of_first(known, fresh, {}, own, 1);
}

double of_new_group_transductive(std::size_t n, bool alike, const conformal::PValueOptions& options,
                                 core::RandomStream& random, const core::Context& context) {
  Strange known;
  for (std::size_t group = 0; group < n; ++group) draw_group(static_cast<int>(group), random, known);
  Strange fresh;
  draw_group(0, random, fresh);
  fresh.groups.clear();
  if (alike) known.groups.clear();
  return transductive_p_value(known, fresh, options, context);
}

/// Rows of large weight lie far apart.
double of_weighted_row_transductive(std::size_t n, bool alike, const conformal::PValueOptions& options,
                                    core::RandomStream& random, const core::Context& context) {
  Strange known;
  Strange fresh;
  for (std::size_t i = 0; i <= n; ++i) {
    const double place = i == n ? std::max(random.uniform(), random.uniform()) : random.uniform();
    Strange& rows = i == n ? fresh : known;
    rows.nonconformity_scores.push_back(place * random.normal());
    rows.labels.push_back(static_cast<int>(i % 2));
    rows.weights.push_back(2 * place + 1e-9);
  }
  if (alike) known.weights.clear();
  return transductive_p_value(known, fresh, options, context);
}

}  // namespace

std::vector<Setting> of_weighted(Weighted weighted, const Style& style, bool alike) {
  struct Kind {
    const char* name;
    WeightedTrial trial;
    std::vector<std::size_t> sizes;
  };
  const std::array<Kind, 5> kinds{{{"groups of 1 to 50", &of_new_group, {9, 100}},
                                   {"weights 2 x", &of_weighted_row, {19, 100}},
                                   {"shares 0.1, then 0.8", &of_other_shares, {60}},
                                   {"groups of 1 to 50", &of_new_group_transductive, {9, 60}},
                                   {"weights 2 x", &of_weighted_row_transductive, {19, 60}}}};
  const Kind& kind = kinds[static_cast<std::size_t>(weighted)];
  std::vector<Setting> settings;
  for (const std::size_t n : kind.sizes) {
    const auto trial = [=, run = kind.trial](std::uint64_t seed, const core::Context& context,
                                             std::vector<double>& values) {
      core::RandomStream random(seed, weighted_purpose);
      values.push_back(run(n, alike, {style.smoothed, style.label_conditional, seed}, random, context));
    };
    settings.push_back({kind.name, n, trial});
  }
  return settings;
}

}  // namespace credence::selfcheck
