#include "selfcheck/p_values.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/grouped.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/error.hpp"
#include "credence/data/row_key.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t p_values_purpose = 1801;

Setting setting_of(const Place& place, const Style& style, std::optional<int> of_class, const TrueClass& p_value) {
  const Problem& law = problem(place.problem);
  const Drawing drawing{place.n, 1, of_class, style.least};
  std::string name = law.name;
  if (of_class) name += std::string(", class ") + static_cast<char>('a' + *of_class);
  return {name, place.n,
          [&law, drawing, style, p_value](std::uint64_t seed, const core::Context& context, std::vector<double>& out) {
            core::RandomStream random(seed, p_values_purpose);
            for (;;) {
              const Example example = draw_example(law, drawing, random);
              try {
                const double p = p_value(example, {style.smoothed, style.label_conditional, seed}, context);
                if (std::isnan(p)) continue;
                out.push_back(p);
                return;
              } catch (const Error& error) {
                if (!style.redraw || error.code() != ErrorCode::invalid_data) throw;
              }
            }
          }};
}

kernel::GammaRule gamma_of(double value) {
  kernel::GammaRule rule;
  rule.value = value;
  return rule;
}

/// Scores of two classes by a rule that is wrong at times, in whole numbers.
data::DenseMatrix rough_scores(const data::Features& rows) {
  const data::DenseMatrix& x = rows.dense();
  data::DenseMatrix scores(x.rows, 2);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double towards_1 = std::floor(x.row(i)[0] / 2);
    scores.row(i)[0] = -towards_1;
    scores.row(i)[1] = towards_1 - 1;
  }
  return scores;
}

double p_value_of(const conformal::Ranks& ranks, const Example& example, const conformal::PValueOptions& options) {
  return conformal::p_values(ranks, options, data::row_keys(example.fresh.features)).row(0)[example.truth()];
}

std::vector<int> groups_of(const data::Features& rows) {
  const data::DenseMatrix& x = rows.dense();
  std::vector<int> groups;
  for (std::size_t i = 0; i < x.rows; ++i) groups.push_back(x.row(i)[x.columns - 1] > 1 ? 1 : 0);
  return groups;
}

}  // namespace

std::vector<Setting> for_true_class(const std::vector<Place>& places, const Style& style, const TrueClass& p_value) {
  std::vector<Setting> settings;
  for (const Place& place : places) {
    const auto classes = static_cast<int>(problem(place.problem).shares.size());
    if (!style.label_conditional) {
      settings.push_back(setting_of(place, style, {}, p_value));
      continue;
    }
    for (const int label : {0, classes - 1}) settings.push_back(setting_of(place, style, label, p_value));
  }
  return settings;
}

TrueClass fitted(const conformal::Measure& measure, const conformal::Mode& mode, conformal::Validity promised,
                 std::optional<data::Scaling> scaling) {
  conformal::FitOptions options;
  options.measure = measure;
  options.mode = mode;
  options.scaling = scaling;
  return [options, promised](const Example& example, const conformal::PValueOptions& p_values,
                             const core::Context& context) {
    conformal::FitOptions own = options;
    own.p_values = p_values;
    const auto predictor = conformal::fit(example.known, own, context);
    if (predictor->validity() != promised)
      throw Error(ErrorCode::invalid_argument, "a conformal predictor states another validity than selfcheck expects");
    return predictor->predict(example.fresh, context).p_value.row(0)[example.truth()];
  };
}

conformal::Measure svm_margin(double C) {
  conformal::SvmMargin margin;
  margin.C = C;
  margin.kernel.gamma = gamma_of(0.5);
  return margin;
}

conformal::Measure rvm_margin() {
  conformal::RvmMargin margin;
  margin.kernel.gamma = gamma_of(20);  // follows its training rows closely
  return margin;
}

std::vector<Setting> against_cross_bound(std::vector<Setting> settings, int folds) {
  for (Setting& setting : settings) {
    setting.nominal = [n = setting.n, folds](double level) {
      return conformal::cross_conformal_bound(level, n, static_cast<std::size_t>(folds));
    };
  }
  return settings;
}

TrueClass familiarity_of_rows() {
  return [](const Example& example, const conformal::PValueOptions&, const core::Context& context) {
    const conformal::Familiarity familiarity(example.known.features, context);
    return familiarity.p_values(example.fresh.features, context).front();
  };
}

TrueClass outside_scores() {
  return [](const Example& example, const conformal::PValueOptions& options, const core::Context&) {
    const conformal::ScoreCalibration calibration(rough_scores(example.known.features), example.known.labels);
    return p_value_of(calibration.ranks(rough_scores(example.fresh.features), options.label_conditional), example,
                      options);
  };
}

TrueClass grouped_scores(int group) {
  return [group](const Example& example, const conformal::PValueOptions& options, const core::Context&) {
    if (groups_of(example.fresh.features)[0] != group) return std::nan("");
    const conformal::GroupedCalibration calibration(rough_scores(example.known.features), example.known.labels,
                                                    groups_of(example.known.features));
    return p_value_of(calibration.ranks(rough_scores(example.fresh.features), groups_of(example.fresh.features),
                                        options.label_conditional),
                      example, options);
  };
}

TrueClass nonconformity_of_one(selection::PValue kind) {
  return [kind](const Example& example, const conformal::PValueOptions&, const core::Context&) {
    const auto scores_of = [](const data::Features& rows) {
      const data::DenseMatrix& x = rows.dense();
      model::Scores scores(x.rows, 1, 2);
      for (std::size_t i = 0; i < x.rows; ++i) {
        scores.at(i, 0)[0] = 1 - x.row(i)[0];
        scores.at(i, 0)[1] = x.row(i)[0] - 1;
      }
      scores.label_by_score();
      return scores;
    };
    const model::Prediction prediction = selection::nonconformity(
        scores_of(example.known.features), example.known.labels, scores_of(example.fresh.features), {.p_value = kind});
    return prediction.p_value.row(0)[example.truth()];
  };
}

}  // namespace credence::selfcheck
