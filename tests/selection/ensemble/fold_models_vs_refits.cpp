#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

/// The machines of folds by which selected models compare rows, beside machines trained one by one, and p-values
/// counted by the definition.
namespace fold_models_vs_refits_tests {

using namespace credence;
using test::Surroundings;

data::Dataset known_rows(int classes, std::uint64_t seed = 3) {
  return test::random_clouds(72, 3, classes, 0.8, seed).dataset();
}

data::Dataset new_rows(int classes) {
  return test::random_clouds(40, 3, classes, 0.8, 30).dataset();
}

selection::Options small_grid(selection::Method method) {
  selection::Options options;
  options.method = std::move(method);
  options.costs.C = {0.2, 2, 20};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.4");
  options.costs.solver.tolerance = 1e-9;
  options.estimate = selection::Estimate::none;
  options.seed = 4;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options) {
  Surroundings surroundings(2);
  return selection::Selector(options).select(dataset, surroundings.context);
}

std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const selection::Selection& chosen) {
  Surroundings surroundings(2);
  return selection::fitted(dataset, chosen, surroundings.context);
}

/// Scores of some rows by an SVM of a setting that is trained on other rows, which are scaled already.
data::DenseMatrix refit_scores(const data::Dataset& training, const selection::Setting& setting,
                               const data::Dataset& rows) {
  Surroundings surroundings;
  svm::TrainOptions options;
  options.C = setting.C;
  options.gamma = {kernel::GammaRule::Kind::value, setting.gamma};
  options.kernel.type = setting.kernel.value();
  options.scaling = data::Scaling::none;
  options.solver.tolerance = 1e-9;
  return svm::train(training, options, surroundings.context).model.predict(rows, surroundings.context).score;
}

data::Dataset prepared(const data::Preprocessing& preprocessing, const data::Dataset& rows) {
  data::Dataset result = rows;
  result.features = preprocessing.apply(rows);
  return result;
}

/// Rows as the model's own preprocessing makes them.
data::Dataset prepared(const model::Predictor& model, const data::Dataset& rows) {
  return prepared(model.preprocessing, rows);
}

/// p = (1 + rows i whose nonconformity score is at least that of the new row under the machine without the fold of i) /
/// (n + 1)
data::DenseMatrix naive_p_values(const data::Dataset& known, const data::Dataset& fresh, std::span<const int> folds,
                                 const std::function<data::DenseMatrix(const data::Dataset& training, int fold,
                                                                       const data::Dataset& rows)>& scores_of) {
  data::DenseMatrix p(fresh.rows(), known.class_count());
  std::ranges::fill(p.values, 1.0);
  for (int k = 0; k <= *std::ranges::max_element(folds); ++k) {
    const std::vector<std::size_t> own = data::rows_where(folds, k);
    const data::Dataset training = known.select_rows(data::rows_where(folds, [k](int fold) { return fold != k; }));
    const data::Dataset left_out = known.select_rows(own);
    const data::DenseMatrix of_known = scores_of(training, k, left_out);
    const data::DenseMatrix of_fresh = scores_of(training, k, fresh);
    for (std::size_t r = 0; r < fresh.rows(); ++r) {
      for (std::size_t c = 0; c < p.columns; ++c)
        for (std::size_t i = 0; i < own.size(); ++i)
          p.row(r)[c] +=
              of_known.row(i)[static_cast<std::size_t>(left_out.labels[i])] <= of_fresh.row(r)[c] + 1e-9 ? 1 : 0;
    }
  }
  for (double& value : p.values) value /= static_cast<double>(known.rows() + 1);
  return p;
}

/// Solutions within a tolerance may swap neighbours in rank: a p-value moves by at most one row.
void expect_equal_ranks(const data::DenseMatrix& p, const data::DenseMatrix& naive, std::size_t rows) {
  ASSERT_EQ(p.values.size(), naive.values.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    EXPECT_NEAR(p.values[i], naive.values[i], 1.0001 / static_cast<double>(rows + 1));
    equal += std::abs(p.values[i] - naive.values[i]) < 1e-12 ? 1U : 0U;
  }
  EXPECT_GE(equal + 2, p.values.size());
}

model::Prediction predict(const model::Predictor& model, const data::Dataset& rows) {
  Surroundings surroundings;
  return conformal::predict_with_confidence(model, rows, {}, surroundings.context);
}

TEST(FoldModels, GiveThePValuesOfMachinesTrainedOneByOne) {
  for (const int classes : {2, 3}) {
    const data::Dataset known = known_rows(classes);
    const data::Dataset fresh = new_rows(classes);
    for (const selection::Method& method : std::vector<selection::Method>{
             selection::CrossValidation{.folds = 4}, selection::LeaveOneOut{}, selection::Bootstrap{.resamples = 8},
             selection::HoldOut{}, selection::KFoldNested{.folds = 4}}) {
      const selection::Options options = small_grid(method);
      const selection::Selection chosen = select(known, options);
      const auto model = fitted(known, chosen);
      const int folds = options.traits().folds ? 4 : 10;
      ASSERT_EQ(model->fold_models.count(), static_cast<std::size_t>(folds)) << options.name();
      EXPECT_EQ(model->calibration.p_values, model::PValues::cross);
      const std::vector<int> fold_of = data::stratified_k_fold(known.labels, folds, options.seed);
      EXPECT_EQ(model->calibration.fold_model_of, fold_of);
      const selection::Setting& setting = chosen.grid[chosen.best.value()];
      const data::DenseMatrix naive =
          naive_p_values(prepared(*model, known), prepared(*model, fresh), fold_of,
                         [&](const data::Dataset& training, int, const data::Dataset& rows) {
                           return refit_scores(training, setting, rows);
                         });
      expect_equal_ranks(predict(*model, fresh).p_value, naive, known.rows());
      Surroundings surroundings;
      EXPECT_EQ(predict(*model, fresh).label, model->predict(fresh, surroundings.context).label);
    }
  }
}

/// The machine of all rows shares kernel values with the machines of the folds, or has them for itself.
TEST(FoldModels, ShareKernelValuesWithoutAChangeToTheLastBit) {
  for (const int classes : {2, 3}) {
    for (const kernel::KernelType type : {kernel::KernelType::rbf, kernel::KernelType::linear,
                                          kernel::KernelType::polynomial, kernel::KernelType::laplacian}) {
      for (const bool sparse : {false, true}) {
        data::Dataset known = known_rows(classes);
        data::Dataset fresh = new_rows(classes);
        if (sparse) {
          known.features = test::sparse_of(known.features.dense());
          fresh.features = test::sparse_of(fresh.features.dense());
        }
        selection::Options options = small_grid(selection::CrossValidation{.folds = 3});
        options.kernels.types = {type};
        auto model = std::const_pointer_cast<model::Predictor>(fitted(known, select(known, options)));
        Surroundings surroundings(2);
        const auto compare = [&] {
          const model::Prediction together = predict(*model, fresh);
          model::Prediction apart = model->predict(fresh, surroundings.context);
          ASSERT_TRUE(conformal::add_confidence(*model, fresh, {}, surroundings.context, apart));
          EXPECT_EQ(together.label, apart.label);
          EXPECT_EQ(together.decision.values, apart.decision.values);
          EXPECT_EQ(together.score.values, apart.score.values);
          EXPECT_EQ(together.p_value.values, apart.p_value.values);
        };
        compare();
        // Support vectors that no machine of a fold has, as if the rows of the folds had other numbers.
        auto& machine = dynamic_cast<svm::SvmModel&>(*model);
        for (std::size_t& row : machine.support_rows) row += row % 2 == 0 ? 0U : 1000U;
        compare();
      }
    }
  }
}

/// Kernels and scalings of the members differ; the scalings and widths are those of all rows.
TEST(FoldModels, OfAnAverageAreAveragesOfMachinesTrainedOneByOne) {
  selection::Options options = small_grid(selection::CrossValidation{.folds = 3});
  options.rule = selection::Rule::average;
  selection::Options several = options;
  several.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  several.kernels.gamma = kernel::parse_gammas("0.05,median");
  several.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  for (const auto& [classes, one] : {std::pair{2, options}, {2, several}, {3, several}}) {
    const data::Dataset known = known_rows(classes, 5);
    const data::Dataset fresh = new_rows(classes);
    const selection::Selection chosen = select(known, one);
    const std::vector<std::size_t>& members = chosen.average->members;
    ASSERT_GT(members.size(), 1U);
    const auto model = fitted(known, chosen);
    ASSERT_EQ(model->fold_models.parts.size() > 2, one.kernels.types.size() > 1);
    const data::DenseMatrix naive = naive_p_values(
        known, fresh, data::stratified_k_fold(known.labels, 3, one.seed),
        [&](const data::Dataset& training, int, const data::Dataset& rows) {
          data::DenseMatrix mean(rows.rows(), known.class_count());
          for (const std::size_t member : members) {
            const selection::Setting& setting = chosen.grid[member];
            const auto scaling = data::Preprocessing::fit(known, setting.scale.value());
            const data::DenseMatrix own = refit_scores(prepared(scaling, training), setting, prepared(scaling, rows));
            for (std::size_t i = 0; i < own.values.size(); ++i)
              mean.values[i] += std::clamp(own.values[i], -3.0, 3.0) / static_cast<double>(members.size());
          }
          return mean;
        });
    expect_equal_ranks(predict(*model, fresh).p_value, naive, known.rows());
  }
}

TEST(FoldModels, OfRelevanceVectorMachinesAreThoseTrainedOneByOne) {
  const data::Dataset known = known_rows(2, 7);
  const data::Dataset fresh = new_rows(2);
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 3};
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = kernel::parse_gammas("0.5,2");
  options.estimate = selection::Estimate::none;
  const selection::Selection chosen = select(known, options);
  const auto model = fitted(known, chosen);
  const data::DenseMatrix naive = naive_p_values(
      prepared(*model, known), prepared(*model, fresh), data::stratified_k_fold(known.labels, 3, options.seed),
      [&](const data::Dataset& training, int, const data::Dataset& rows) {
        Surroundings surroundings;
        rvm::TrainOptions train;
        train.gamma = {kernel::GammaRule::Kind::value, chosen.grid[*chosen.best].gamma};
        train.scaling = data::Scaling::none;
        train.seed = options.seed;
        return rvm::train(training, train, surroundings.context).model.predict(rows, surroundings.context).score;
      });
  expect_equal_ranks(predict(*model, fresh).p_value, naive, known.rows());
}

/// PValues::nested: the machine without a fold has the setting that cross-validation over the other folds chooses, and
/// no scale that the fold had a part in.
TEST(FoldModels, ThatAreProvedAreChosenWithoutTheirFold) {
  data::Dataset known = known_rows(2, 9);
  const data::Dataset fresh = new_rows(2);
  for (std::size_t i = 0; i < known.rows(); ++i) known.folds.push_back(static_cast<int>(i / 2 % 4));
  for (const bool several : {false, true}) {
    const auto grid = [&](selection::Method method) {
      selection::Options options = small_grid(std::move(method));
      if (several) options.kernels.types = {kernel::KernelType::laplacian, kernel::KernelType::rbf};
      if (several) options.preparation.scalings = {data::Scaling::quantile, data::Scaling::standard};
      return options;
    };
    selection::Options options = grid(selection::KFoldNested{});
    options.p_values = model::PValues::nested;
    const selection::Selection chosen = select(known, options);
    const auto model = fitted(known, chosen);
    ASSERT_EQ(model->fold_models.count(), 4U);
    EXPECT_EQ(model->calibration.p_values, model::PValues::nested);
    const data::DenseMatrix naive =
        naive_p_values(known, fresh, known.folds, [&](const data::Dataset& training, int, const data::Dataset& rows) {
          const selection::Selection inner = select(training, grid(selection::CrossValidation{}));
          Surroundings surroundings;
          return selection::model_without_folds(training, inner, surroundings.context)
              ->predict(rows, surroundings.context)
              .score;
        });
    expect_equal_ranks(predict(*model, fresh).p_value, naive, known.rows());
  }
}

TEST(FoldModels, ThatAreProvedHaveFoldsThatLookAtNoLabel) {
  data::Dataset known = known_rows(2, 9);
  selection::Options options = small_grid(selection::KFoldNested{.folds = 4});
  options.p_values = model::PValues::nested;
  EXPECT_EQ(select(known, options).calibration.fold_model_of, data::k_fold(known.rows(), 4, options.seed));
}

TEST(FoldModels, OfASplitAreNone) {
  const data::Dataset known = known_rows(3, 11);
  const data::Dataset fresh = new_rows(3);
  selection::Options options = small_grid(selection::CrossValidation{.folds = 3});
  options.p_values = model::PValues::split;
  options.estimate = selection::Estimate::holdout;
  const selection::Selection chosen = select(known, options);
  const auto model = fitted(known, chosen);
  EXPECT_TRUE(model->fold_models.empty());
  EXPECT_EQ(chosen.set_aside, 21U);
  EXPECT_EQ(model->record.rows, 51U);
  const std::vector<bool> aside = selection::set_aside_rows(known, options);
  const data::Dataset compared = known.select_rows(data::rows_where(aside, true));
  Surroundings surroundings;
  const data::DenseMatrix of_known = model->predict(compared, surroundings.context).score;
  const model::Prediction prediction = predict(*model, fresh);
  for (std::size_t r = 0; r < fresh.rows(); ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      std::size_t count = 1;
      for (std::size_t i = 0; i < compared.rows(); ++i)
        count += of_known.row(i)[static_cast<std::size_t>(compared.labels[i])] <= prediction.score.row(r)[c] ? 1U : 0U;
      EXPECT_DOUBLE_EQ(prediction.p_value.row(r)[c], static_cast<double>(count) / 22.0);
    }
  }
}

TEST(FoldModels, OfASplitAreNoneInRegionsEither) {
  const data::Dataset known = test::random_clouds(240, 3, 2, 0.8, 13).dataset();
  selection::Options options = small_grid(selection::Regions{.region_size = 80, .partitions = 1, .folds = 3});
  options.p_values = model::PValues::split;
  options.estimate = selection::Estimate::holdout;
  const auto model = fitted(known, select(known, options));
  EXPECT_TRUE(model->fold_models.empty());
  EXPECT_EQ(model->calibration.labels.size(), 72U);
  EXPECT_EQ(model->calibration.region_of.size(), 72U);
  test::TemporaryFolder folder;
  io::save_model(*model, folder.path() + "/model.credence");
  EXPECT_EQ(predict(*io::load_model(folder.path() + "/model.credence"), new_rows(2)).p_value.rows, 40U);
}

TEST(FoldModels, OfRegionsCompareWithRowsOfTheirRegion) {
  const data::Dataset known = test::random_clouds(240, 2, 2, 0.8, 13).dataset();
  selection::Options options = small_grid(selection::Regions{.region_size = 80, .partitions = 1, .folds = 3});
  const selection::Selection chosen = select(known, options);
  const auto model = fitted(known, chosen);
  ASSERT_EQ(model->fold_models.count(), 3U);
  ASSERT_GT(chosen.partition()->regions, 1U);
  const model::Prediction prediction = predict(*model, known);
  const auto& folds =
      dynamic_cast<const svm::RegionFamily&>(*model->fold_models.parts.front().family).partitions.front();
  Surroundings surroundings;
  const data::Features features = model->preprocessing.apply(known);
  const auto rows_of =
      model::rows_by_region(folds.router.regions_of(features, surroundings.context), folds.regions.size());
  for (std::size_t p = 0; p < rows_of.size(); ++p) {
    const model::Scores said = folds.regions[p].score(3, 2, features.select_rows(rows_of[p]), surroundings.context);
    for (std::size_t a = 0; a < rows_of[p].size(); ++a) {
      for (std::size_t c = 0; c < 2; ++c) {
        std::size_t count = 1;
        for (std::size_t b = 0; b < rows_of[p].size(); ++b) {
          const auto k = static_cast<std::size_t>(model->calibration.fold_model_of[rows_of[p][b]]);
          const auto label = static_cast<std::size_t>(known.labels[rows_of[p][b]]);
          count += said.at(b, k)[label] <= said.at(a, k)[c] ? 1U : 0U;
        }
        EXPECT_DOUBLE_EQ(prediction.p_value.row(rows_of[p][a])[c],
                         static_cast<double>(count) / static_cast<double>(rows_of[p].size() + 1));
      }
    }
  }
}

TEST(FoldModels, SurviveAModelFile) {
  test::TemporaryFolder folder;
  using selection::Rule;
  for (const auto& [method, rule, several] : std::vector<std::tuple<selection::Method, Rule, bool>>{
           {selection::CrossValidation{.folds = 3}, Rule::best, false},
           {selection::CrossValidation{.folds = 3}, Rule::average, false},
           {selection::CrossValidation{.folds = 3}, Rule::average, true},
           {selection::Regions{.region_size = 40, .partitions = 1, .folds = 3}, Rule::best, false},
           {selection::KFoldNested{.folds = 3}, Rule::best, false},
           {selection::Bootstrap{.resamples = 4}, Rule::best, false}}) {
    const data::Dataset known = known_rows(3, 15);
    selection::Options options = small_grid(method);
    if (rule == Rule::average) options.rule = rule;
    if (several) options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
    if (several) options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
    if (options.is<selection::Bootstrap>()) options.choose_from(selection::Learner::rvm);
    if (options.traits().nests) options.p_values = model::PValues::nested;
    const auto model = fitted(known, select(known, options));
    io::save_model(*model, folder.path() + "/model.credence");
    const auto loaded = io::load_model(folder.path() + "/model.credence");
    EXPECT_EQ(loaded->fold_models.count(), options.traits().folds ? 3U : 10U) << options.name();
    EXPECT_EQ(loaded->calibration.p_values, options.p_values);
    const data::Dataset fresh = new_rows(3);
    EXPECT_EQ(predict(*loaded, fresh).p_value.values, predict(*model, fresh).p_value.values);
  }
}

/// Progress, which the machines of the folds report and the machine of all rows does not, waits until the time is over.
TEST(FoldModels, ThatATimeLimitStopsLeaveAModelWithoutPValues) {
  const data::Dataset known = known_rows(2);
  const selection::Selection chosen = select(known, small_grid(selection::CrossValidation{.folds = 3}));
  const core::Threads threads(1);
  const double seconds = 2;
  core::Monitor monitor(
      [&](const core::Monitor::Progress& progress) {
        const double left = seconds + 0.01 - progress.seconds;
        if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
        return true;
      },
      seconds);
  const auto model = selection::fitted(known, chosen, {threads, monitor});
  ASSERT_EQ(monitor.stop_reason(), core::StopReason::time_budget);
  EXPECT_TRUE(model->fold_models.empty());
  EXPECT_TRUE(model->calibration.empty());
  EXPECT_TRUE(selection::lacks_fold_models(chosen, *model));
  Surroundings surroundings;
  EXPECT_EQ(model->predict(new_rows(2), surroundings.context).label,
            fitted(known, chosen)->predict(new_rows(2), surroundings.context).label);
  EXPECT_FALSE(selection::lacks_fold_models(chosen, *fitted(known, chosen)));
}

TEST(FoldModels, AreRefusedWhereNothingIsProved) {
  selection::Options options = small_grid(selection::CrossValidation{});
  options.p_values = model::PValues::nested;
  test::expect_error(ErrorCode::invalid_argument, "--method kfold-nested",
                     [&] { return selection::Selector(options); });
  options.p_values = model::PValues::split;
  options.estimate = selection::Estimate::nested;
  test::expect_error(ErrorCode::invalid_argument, "also give the estimate (holdout)",
                     [&] { return selection::Selector(options); });
  options = small_grid(selection::Nonconformity{});
  options.p_values = model::PValues::split;
  test::expect_error(ErrorCode::invalid_argument, "keeps no scores of rows left out",
                     [&] { return selection::Selector(options); });
}

/// A family of one model that gives every row a score of its own number, and counts the rows that it scores.
class CountingFamily final : public model::ClassifierFamily {
 public:
  CountingFamily(double number, std::size_t& count) : number_(number), count_(count) {}
  std::size_t models() const override { return 1; }
  std::size_t classes() const override { return 2; }
  void score(const data::Features& rows, const core::Context&,
             const std::function<void(std::size_t, const model::Scores&)>& visit) const override {
    model::Scores scores(rows.rows(), 1, 2);
    std::ranges::fill(scores.values, number_);
    count_ += rows.rows();
    visit(0, scores);
  }

 private:
  double number_;
  std::size_t& count_;
};

TEST(FoldModels, ScoreTheRowsThatTheyLeftOutAlone) {
  const data::Dataset known = known_rows(2);
  std::vector<int> fold_model_of;
  for (std::size_t i = 0; i < known.rows(); ++i) fold_model_of.push_back(static_cast<int>(i * i % 5) - 1);
  std::size_t scored = 0;
  Surroundings surroundings(2);
  const model::Calibration said = selection::judged_by_fold_models(
      known,
      [&](std::size_t k) {
        return model::Members{{{std::nullopt, std::make_shared<CountingFamily>(static_cast<double>(k), scored)}}, {}};
      },
      data::Preprocessing::fit(known, data::Scaling::none), fold_model_of, surroundings.context);
  std::erase(fold_model_of, -1);
  EXPECT_EQ(scored, fold_model_of.size());
  ASSERT_EQ(said.fold_model_of, fold_model_of);
  for (std::size_t a = 0; a < fold_model_of.size(); ++a) EXPECT_EQ(said.nonconformity_scores[a], -fold_model_of[a]);
}

}  // namespace fold_models_vs_refits_tests
