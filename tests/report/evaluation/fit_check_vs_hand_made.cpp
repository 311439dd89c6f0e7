#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/data/splits.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence {
namespace fit_check_vs_hand_made_tests {

using Document = nlohmann::json;

Document check_of(const data::Dataset& rows, const conformal::FitOptions& options, const core::Context& context) {
  const auto fit = [&](const data::Dataset& some) { return conformal::fit(some, options, context); };
  const auto check = report::fit_check(rows, options.p_values, {0.1}, fit, context);
  if (!check) return nullptr;
  EXPECT_EQ(check->of_rows.size(), 3U) << "sizes, rejection and confidence";
  return Document::parse(report::json_text(report::fit_check_json(*check)));
}

/// A fifth of the rows drawn, a predictor of the others, and the counts of its evaluation, each made by hand.
TEST(FitCheck, CountsWhatAPredictorOfTheOtherRowsGetsWrong) {
  const test::Surroundings surroundings;
  const data::Dataset rows = test::random_clouds(103, 3, 2, 0.6, 5).dataset();
  conformal::FitOptions options;
  options.p_values.seed = 8;
  const Document check = check_of(rows, options, surroundings.context);

  const std::vector<bool> kept = data::random_hold_out(103, 20, {}, 8);
  std::vector<std::size_t> some;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < 103; ++i) (kept[i] ? others : some).push_back(i);
  const data::Dataset judged = rows.select_rows(others);
  const auto predictor = conformal::fit(rows.select_rows(some), options, surroundings.context);
  const model::Prediction prediction = predictor->predict(judged, surroundings.context);
  const conformal::Evaluation evaluation =
      conformal::evaluate(prediction.p_value, judged.labels, std::vector{0.1}, false);
  EXPECT_GT(evaluation.errors, 0U) << "rows that are all right hold nothing";
  EXPECT_EQ(check["n"], 20);
  EXPECT_EQ(check["fitted_rows"], 83);
  EXPECT_EQ(check["errors"], evaluation.errors);
  EXPECT_EQ(check["prediction_sets"][0]["errors"], evaluation.levels[0].errors);
  EXPECT_EQ(check["prediction_sets"][0]["single"], evaluation.levels[0].single);
}

TEST(FitCheck, IsLeftOutWhereRowsAreTooFew) {
  const test::Surroundings surroundings;
  EXPECT_TRUE(check_of(test::random_clouds(4, 3, 2, 2, 5).dataset(), {}, surroundings.context).is_null());
}

}  // namespace fit_check_vs_hand_made_tests
}  // namespace credence
