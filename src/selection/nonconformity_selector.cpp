#include <algorithm>
#include <numeric>

#include "selection/choice.hpp"
#include "selection/hold_out.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

/// Algorithm 1 with some of the validation rows, judged on the others. The margins are sorted once for all samples.
class ResampledNonconformity {
 public:
  ResampledNonconformity(const HoldOut& run, const NonconformityOptions& options);
  double operator()(std::span<const std::uint32_t> drawn) const;

 private:
  NonconformityRule rule_of(std::span<const std::uint32_t> drawn) const;
  model::Scores scores_of(const std::vector<std::size_t>& rows) const;

  struct Margin {
    double value;
    std::size_t row;
  };
  const HoldOut& run_;
  NonconformityOptions options_;
  std::vector<std::vector<Margin>> sorted_;  ///< per model, ascending
};

ResampledNonconformity::ResampledNonconformity(const HoldOut& run, const NonconformityOptions& options)
    : run_(run), options_(options), sorted_(run.scores.models) {
  for (std::size_t k = 0; k < sorted_.size(); ++k) {
    for (std::size_t i = 0; i < run.labels.size(); ++i) {
      sorted_[k].push_back({run.scores.at(i, k)[run.labels[i]], i});
    }
    std::sort(sorted_[k].begin(), sorted_[k].end(), [](const Margin& a, const Margin& b) { return a.value < b.value; });
  }
}

NonconformityRule ResampledNonconformity::rule_of(std::span<const std::uint32_t> drawn) const {
  const std::size_t n = std::accumulate(drawn.begin(), drawn.end(), std::size_t{0});
  data::DenseMatrix margins(sorted_.size(), n);
  std::vector<std::size_t> errors(sorted_.size(), 0);
  for (std::size_t k = 0; k < sorted_.size(); ++k) {
    double* out = margins.row(k).data();
    for (const Margin& margin : sorted_[k]) {
      out = std::fill_n(out, drawn[margin.row], margin.value);
      errors[k] += run_.scores.label(margin.row, k) != run_.labels[margin.row] ? drawn[margin.row] : 0U;
    }
  }
  return {std::move(margins), std::move(errors), run_.scores.classes, options_};
}

model::Scores ResampledNonconformity::scores_of(const std::vector<std::size_t>& rows) const {
  model::Scores part(rows.size(), run_.scores.models, run_.scores.classes);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::copy_n(run_.scores.at(rows[r], 0), part.models * part.classes, part.at(r, 0));
  }
  return part;
}

double ResampledNonconformity::operator()(std::span<const std::uint32_t> drawn) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == 0) {
      out.push_back(i);
    }
  }
  const NonconformityRule rule = rule_of(drawn);
  model::Prediction prediction = rule.prepare(out.size());
  rule.predict(scores_of(out), 0, prediction);
  std::size_t errors = 0;
  for (std::size_t r = 0; r < out.size(); ++r) {
    errors += prediction.label[r] != run_.labels[out[r]] ? 1U : 0U;
  }
  return static_cast<double>(errors) / static_cast<double>(out.size());
}

/// Nonconformity model selection: no cell is chosen, each row gets the model that is surest of it.
class Nonconformity final : public Selector {
 public:
  explicit Nonconformity(Options options) : options_(std::move(options)) {
    options_.nonconformity.seed = options_.seed;
  }

  Selection select(const data::Dataset& dataset, const core::Context& context) const override {
    HoldOut run = hold_out(dataset, options_, context);
    if (run.trained.family) {
      auto predictor = std::make_shared<FamilyPredictor>(run.predictor(dataset, options_));
      predictor->rule = NonconformityRule(run.scores, run.labels, options_.nonconformity);
      run.selection.predictor = std::move(predictor);
      add_bbc(
          options_, context, run.labels.size(), run.groups,
          [&](const core::Context& part) {
            return bootstrap_bias_corrected(run.labels.size(), run.groups,
                                            ResampledNonconformity(run, options_.nonconformity), bbc_options(options_),
                                            part);
          },
          run.selection);
    }
    conclude(dataset, options_, context, run.selection);
    return std::move(run.selection);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Selector> make_nonconformity(const Options& options) {
  return std::make_unique<Nonconformity>(options);
}

}  // namespace credence::selection
