#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/data/splits.hpp"
#include "credence/neighbours/family.hpp"
#include "credence/svm/family.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace {

using test::expect_error;
using test::Surroundings;

FitOptions with(const std::string& measure, Mode mode) {
  FitOptions options;
  options.measure = measure;
  options.mode = mode;
  return options;
}

data::Dataset clouds(std::size_t rows, int classes = 2, std::uint64_t seed = 3) {
  return test::random_clouds(rows, 4, classes, 1, seed).dataset();
}

std::size_t compared(const ConformalPredictor& predictor) {
  const auto counts = predictor.machine->class_counts();
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::vector<std::size_t> rows_where(const std::vector<bool>& flags, bool value) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == value) rows.push_back(i);
  return rows;
}

/// (#{ alpha_i >= alpha } + 1) / (n + 1)
double naive_p(const std::vector<double>& others, double alpha) {
  const auto count = std::count_if(others.begin(), others.end(), [&](double other) { return other >= alpha; });
  return static_cast<double>(count + 1) / static_cast<double>(others.size() + 1);
}

TEST(Measures, EachHasALineAndUnknownOnesAreNamed) {
  EXPECT_EQ(measures(), (std::vector<std::string>{"nn-ratio", "nn-own", "margin"}));
  for (const std::string& name : measures()) EXPECT_GT(describe_measure(name).size(), 20U);
  expect_error(ErrorCode::invalid_argument, "allowed are nn-ratio, nn-own, margin",
               [] { describe_measure("distance"); });
}

TEST(FitOptions, NameAllProblemsAtOnce) {
  EXPECT_TRUE(FitOptions{}.validate().empty());
  FitOptions options = with("nn-own", Mode::cross);
  options.k = 0;
  options.folds = 1;
  options.calibration = 1;
  options.class_weights.balanced = true;
  EXPECT_EQ(options.validate().size(), 5U) << "k, mode of nn-own, folds, calibration, class weights";
  FitOptions svm = with("margin", Mode::transductive);
  svm.C = -1;
  svm.kernel.type = kernel::KernelType::precomputed;
  svm.class_weights.balanced = true;
  svm.solver.tolerance = 0;
  EXPECT_EQ(svm.validate().size(), 4U);
  FitOptions distances = with("nn-ratio", Mode::inductive);
  distances.metric = neighbours::Metric::precomputed;
  distances.scaling = data::Scaling::minmax;
  EXPECT_EQ(distances.validate().size(), 2U);
  EXPECT_EQ(with("distance", Mode::cross).validate().size(), 1U);
}

TEST(Fit, ScalesForTheMarginAndNotForNeighbours) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(40);
  const auto scaling = [&](FitOptions options) {
    return fit(rows, options, surroundings.context)->preprocessing.scaling;
  };
  EXPECT_EQ(scaling(with("nn-ratio", Mode::transductive)), data::Scaling::none);
  EXPECT_EQ(scaling(with("margin", Mode::transductive)), data::Scaling::standard);
  EXPECT_EQ(scaling(with("margin", Mode::cross)), data::Scaling::standard);
  FitOptions asked = with("nn-ratio", Mode::inductive);
  asked.scaling = data::Scaling::minmax;
  EXPECT_EQ(scaling(asked), data::Scaling::minmax);
}

TEST(Fit, TransductiveMachinesAreThoseOfTheirOptions) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(50, 3);
  FitOptions options = with("nn-own", Mode::transductive);
  options.k = 4;
  options.metric = neighbours::Metric::manhattan;
  const auto predictor = fit(rows, options, surroundings.context);
  const auto& nearest = dynamic_cast<const TransductiveNeighbours&>(*predictor->machine);
  EXPECT_EQ(nearest.options().measure, NeighbourMeasure::own_class);
  EXPECT_EQ(nearest.options().k, 4);
  EXPECT_EQ(nearest.options().metric, neighbours::Metric::manhattan);
  EXPECT_EQ(predictor->description(), "nn-own, k = 4, manhattan distance; transductive");

  FitOptions margin = with("margin", Mode::transductive);
  margin.C = 3;
  const auto svm = fit(rows, margin, surroundings.context);
  const auto& machine = dynamic_cast<const TransductiveSvm&>(*svm->machine);
  EXPECT_EQ(machine.options().C, 3);
  const data::Features scaled = svm->preprocessing.apply(rows);
  EXPECT_EQ(machine.options().kernel.gamma, kernel::resolve_gamma(margin.gamma, kernel::KernelType::rbf, scaled));
  EXPECT_EQ(compared(*svm), 50U);
}

/// The classifier, the preprocessing and the ranks, each made by hand from the rows that are left.
TEST(Fit, InductiveMarginEqualsTheHandMadeSplit) {
  const Surroundings surroundings;
  for (const int classes : {2, 3}) {
    const data::Dataset rows = clouds(90, classes);
    FitOptions options = with("margin", Mode::inductive);
    options.seed = 11;
    options.C = 2;
    const auto predictor = fit(rows, options, surroundings.context);

    const std::vector<bool> held = data::random_hold_out(90, 27, {}, 11);
    const data::Dataset training = rows.select_rows(rows_where(held, false));
    const data::Dataset kept = rows.select_rows(rows_where(held, true));
    svm::TrainOptions train;
    train.C = 2;
    train.gamma = options.gamma;
    const svm::SvmModel model = svm::train(training, train, surroundings.context).model;
    const data::DenseMatrix scores = model.predict(kept, surroundings.context).score;
    std::vector<double> strangeness;
    for (std::size_t i = 0; i < kept.rows(); ++i)
      strangeness.push_back(-scores.row(i)[static_cast<std::size_t>(kept.labels[i])]);
    const data::Dataset fresh = clouds(40, classes, 77);
    const data::DenseMatrix of_new = model.predict(fresh, surroundings.context).score;
    const data::DenseMatrix p = predictor->predict(fresh, surroundings.context).p_value;
    for (std::size_t i = 0; i < fresh.rows(); ++i)
      for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c)
        EXPECT_EQ(p.row(i)[c], naive_p(strangeness, -of_new.row(i)[c])) << "row " << i << ", class " << c;
  }
}

/// p = (sum over folds #{ alpha_i >= alpha_k } + 1) / (n + 1), with 1-NN by loops.
TEST(Fit, CrossNeighboursEqualsTheSumOverHandMadeFolds) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60, 3);
  FitOptions options = with("nn-ratio", Mode::cross);
  options.k = 2;
  options.seed = 5;
  const auto predictor = fit(rows, options, surroundings.context);
  const std::vector<int> folds = data::k_fold(60, 5, 5);
  const data::Dataset fresh = clouds(25, 3, 78);
  std::vector<std::vector<double>> counts(25, std::vector<double>(3, 1.0));
  for (int fold = 0; fold < 5; ++fold) {
    std::vector<std::size_t> training;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < 60; ++i) (folds[i] == fold ? kept : training).push_back(i);
    neighbours::NeighbourFamily family;
    family.rows = rows.features.select_rows(training);
    family.labels = rows.select_rows(training).labels;
    family.k = {2};
    family.class_count = 3;
    const model::Scores own = family.score_all(rows.features.select_rows(kept), surroundings.context);
    const model::Scores others = family.score_all(fresh.features, surroundings.context);
    for (std::size_t r = 0; r < 25; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < kept.size(); ++i) {
          const double score = own.at(i, 0)[static_cast<std::size_t>(rows.labels[kept[i]])];
          counts[r][c] += -score >= -others.at(r, 0)[c] ? 1 : 0;
        }
      }
    }
  }
  const data::DenseMatrix p = predictor->predict(fresh, surroundings.context).p_value;
  for (std::size_t r = 0; r < 25; ++r)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(p.row(r)[c], counts[r][c] / 61) << r << ", " << c;
  EXPECT_EQ(predictor->machine->validity(), Validity::twice);
  EXPECT_EQ(predictor->record.folds, 5);
}

/// Exact validity asks that what is held out depends on nothing but the number of rows.
TEST(Fit, HoldOutsDoNotLookAtLabelsUnlessLabelConditional) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(100);
  FitOptions options = with("nn-ratio", Mode::inductive);
  options.scaling = data::Scaling::minmax;  // tells which rows were trained on
  const auto before = fit(rows, options, surroundings.context);
  options.label_conditional = true;
  const auto stratified = fit(rows, options, surroundings.context);
  EXPECT_EQ(stratified->machine->class_counts(), (std::vector<std::size_t>{15, 15}));
  for (std::size_t i = 0; i < 100; ++i) rows.labels[i] = i < 20 ? 0 : 1;
  const auto other_stratified = fit(rows, options, surroundings.context);
  EXPECT_EQ(other_stratified->machine->class_counts(), (std::vector<std::size_t>{6, 24}));
  EXPECT_NE(other_stratified->preprocessing.shift, stratified->preprocessing.shift);
  options.label_conditional = false;
  const auto after = fit(rows, options, surroundings.context);
  EXPECT_EQ(before->preprocessing.shift, after->preprocessing.shift);
  EXPECT_EQ(before->preprocessing.scale, after->preprocessing.scale);
  EXPECT_EQ(compared(*after), 30U);
}

TEST(Fit, HeldOutRowsHaveNoSayInThePreprocessing) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(50);
  FitOptions options = with("margin", Mode::inductive);
  options.seed = 2;
  const auto before = fit(rows, options, surroundings.context);
  for (const std::size_t i : rows_where(data::random_hold_out(50, 15, {}, 2), true))
    for (double& value : rows.features.dense().row(i)) value *= 1000;
  const auto after = fit(rows, options, surroundings.context);
  EXPECT_EQ(before->preprocessing.scale, after->preprocessing.scale);
  EXPECT_EQ(before->preprocessing.shift, after->preprocessing.shift);
}

TEST(Fit, WholeGroupsAreHeldOut) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(60);
  for (std::size_t i = 0; i < 60; ++i) rows.groups.push_back(static_cast<int>(i / 8));
  const std::size_t held = compared(*fit(rows, with("nn-ratio", Mode::inductive), surroundings.context));
  EXPECT_TRUE(held == 16 || held == 12) << held << ": 18 were asked for, but groups have 8 rows, and one 4";
  FitOptions cross = with("nn-ratio", Mode::cross);
  cross.folds = 3;
  const auto predictor = fit(rows, cross, surroundings.context);
  std::vector<std::size_t> sizes(3, 0);
  for (const int fold : data::grouped_k_fold(rows.groups, 3, 0)) ++sizes[static_cast<std::size_t>(fold)];
  EXPECT_NE(sizes, (std::vector<std::size_t>{20, 20, 20})) << "as folds without groups would be";
  const auto& parts = dynamic_cast<const Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 3U);
  for (std::size_t fold = 0; fold < 3; ++fold) EXPECT_EQ(parts[fold].labels.size(), sizes[fold]);
}

TEST(Fit, FixedFoldsAreTaken) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30);
  for (std::size_t i = 0; i < 30; ++i) rows.folds.push_back(i < 6 ? 0 : i < 14 ? 1 : 2);
  const auto predictor = fit(rows, with("nn-ratio", Mode::cross), surroundings.context);
  const auto& parts = dynamic_cast<const Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].labels.size(), 6U);
  EXPECT_EQ(parts[1].labels.size(), 8U);
}

TEST(FitInductive, TrainsOnceOnTheRowsThatAreLeft) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(40);
  FitOptions options;
  options.calibration = 0.25;
  int calls = 0;
  const auto predictor = fit_inductive(
      rows, options,
      [&](const data::Dataset& training, const core::Context& context) {
        ++calls;
        EXPECT_EQ(training.rows(), 30U);
        return classifier_of(svm::train(training, {}, context).model);
      },
      surroundings.context);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(compared(*predictor), 10U);
  EXPECT_EQ(predictor->machine->validity(), Validity::exact);
}

TEST(ClassifierOf, ScoresAndNormsAreThoseOfTheSvm) {
  const Surroundings surroundings;
  for (const auto type : {kernel::KernelType::rbf, kernel::KernelType::linear, kernel::KernelType::polynomial}) {
    svm::TrainOptions train;
    train.kernel.type = type;
    const data::Dataset rows = clouds(120, 3);
    const svm::SvmModel model = svm::train(rows, train, surroundings.context).model;
    const TrainedClassifier classifier = classifier_of(model);
    const data::Features features = model.preprocessing.apply(rows);
    const data::DenseMatrix expected = model.predict(rows, surroundings.context).score;
    const data::DenseMatrix scores = scores_of(*classifier.classifier, features, surroundings.context);
    for (std::size_t i = 0; i < expected.values.size(); ++i) EXPECT_NEAR(scores.values[i], expected.values[i], 1e-10);
    const auto& family = dynamic_cast<const svm::SvmFamily&>(*classifier.classifier);
    const data::DenseMatrix gram = kernel::kernel_block(model.kernel, model.support_vectors, model.support_vectors);
    for (std::size_t m = 0; m < model.machines.size(); ++m) {
      const svm::BinaryMachine& machine = model.machines[m];
      double square = 0;
      for (std::size_t a = 0; a < machine.support.size(); ++a) {
        for (std::size_t b = 0; b < machine.support.size(); ++b) {
          square +=
              machine.coefficients[a] * machine.coefficients[b] * gram.row(machine.support[a])[machine.support[b]];
        }
      }
      EXPECT_NEAR(family.norm.row(0)[m], std::sqrt(square), 1e-9 * std::sqrt(square));
    }
  }
}

TEST(Fit, RefusesWhatCannotBeFitted) {
  const Surroundings surroundings;
  const auto refused = [&](const data::Dataset& rows, const FitOptions& options, ErrorCode code, const char* part) {
    expect_error(code, part, [&] { fit(rows, options, surroundings.context); });
  };
  const FitOptions nearest;
  data::Dataset rows = clouds(20);
  data::Dataset unlabelled = rows;
  unlabelled.labels.clear();
  refused(unlabelled, nearest, ErrorCode::invalid_data, "no labels");
  data::Dataset one_class = rows;
  std::fill(one_class.labels.begin(), one_class.labels.end(), 1);
  for (const Mode mode : {Mode::transductive, Mode::inductive, Mode::cross})
    for (const char* measure : {"nn-ratio", "margin"})
      refused(one_class, with(measure, mode), ErrorCode::invalid_data, "at least two classes");
  data::Dataset weighted = rows;
  weighted.weights.assign(20, 2.0);
  refused(weighted, nearest, ErrorCode::invalid_argument, "weights");
  refused(weighted, with("margin", Mode::transductive), ErrorCode::invalid_argument, "weights");
  EXPECT_NO_THROW(fit(weighted, with("margin", Mode::inductive), surroundings.context));
  FitOptions distances;
  distances.metric = neighbours::Metric::precomputed;
  refused(rows, distances, ErrorCode::invalid_data, "");
  rows.schema.columns[1].kind = data::ColumnKind::categorical;
  refused(rows, distances, ErrorCode::invalid_data, "names");
  FitOptions none;
  none.k = 0;
  refused(clouds(20), none, ErrorCode::invalid_argument, "k");
  for (const Mode mode : {Mode::transductive, Mode::inductive, Mode::cross}) {
    FitOptions huge = with("nn-ratio", mode);
    huge.k = mode == Mode::transductive ? 21 : 17;
    refused(clouds(20), huge, ErrorCode::invalid_argument, mode == Mode::inductive ? "only 14 rows" : "rows to learn");
    huge.k = 1 << 30;
    refused(clouds(20), huge, ErrorCode::invalid_argument, "1073741824");
  }
  FitOptions many = with("nn-ratio", Mode::cross);
  many.folds = 21;
  refused(clouds(20), many, ErrorCode::invalid_argument, "fold");
}

TEST(Fit, NamesAClassThatIsLeftWithoutTrainingRows) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30, 3);
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = i == 0 ? 2 : static_cast<int>(i % 2);
  expect_error(ErrorCode::invalid_data, "class 'c'",
               [&] { fit(rows, with("nn-ratio", Mode::cross), surroundings.context); });
}

/// A class that nothing is compared with would have the p-value 1 everywhere, and win.
TEST(Fit, NamesAClassThatIsLeftWithoutHeldOutRows) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30, 3);
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = i == 0 ? 2 : static_cast<int>(i % 2);
  FitOptions stratified = with("nn-ratio", Mode::inductive);
  stratified.label_conditional = true;
  expect_error(ErrorCode::invalid_data, "class 'c' is held out", [&] { fit(rows, stratified, surroundings.context); });
  stratified.mode = Mode::cross;
  expect_error(ErrorCode::invalid_data, "too few rows", [&] { fit(rows, stratified, surroundings.context); });
}

TEST(Fit, SaysWhatIsNotProved) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60);
  const auto validity = [&](FitOptions options) { return fit(rows, options, surroundings.context)->validity(); };
  for (const Mode mode : {Mode::transductive, Mode::inductive, Mode::cross}) {
    const Validity proved = mode == Mode::cross ? Validity::twice : Validity::exact;
    const Validity fitted = mode == Mode::inductive ? Validity::exact : Validity::approximate;
    FitOptions options = with("nn-ratio", mode);
    EXPECT_EQ(validity(options), proved);
    options.missing = data::Missing::impute;  // there is no missing cell
    EXPECT_EQ(validity(options), proved);
    options.scaling = data::Scaling::minmax;
    EXPECT_EQ(validity(options), fitted);
    options = with("margin", mode);
    EXPECT_EQ(validity(options), fitted);  // standardised
    options.scaling = data::Scaling::none;
    EXPECT_EQ(validity(options), mode == Mode::transductive ? Validity::approximate : proved);  // gamma by rule
    options.gamma = {kernel::GammaRule::Kind::value, 0.3};
    EXPECT_EQ(validity(options), proved);
    options.kernel.type = kernel::KernelType::sigmoid;
    EXPECT_EQ(validity(options), mode == Mode::transductive ? Validity::approximate : proved);
  }
  FitOptions conditional = with("nn-ratio", Mode::inductive);
  conditional.label_conditional = true;
  ConformalPredictor predictor = *fit(rows, conditional, surroundings.context);
  EXPECT_EQ(predictor.validity(), Validity::exact);
  predictor.options.label_conditional = false;  // the rows compared with were drawn class by class
  EXPECT_EQ(predictor.validity(), Validity::approximate);
}

TEST(Fit, RefusesAnSvmThatDoesNotConverge) {
  const Surroundings surroundings;
  for (const Mode mode : {Mode::transductive, Mode::inductive, Mode::cross}) {
    FitOptions options = with("margin", mode);
    options.solver.max_steps = 2;
    expect_error(ErrorCode::interrupted, "step limit", [&] { fit(clouds(60), options, surroundings.context); });
  }
}

TEST(Fit, StopsWhenAsked) {
  Surroundings surroundings;
  surroundings.monitor.cancel();
  for (const char* measure : {"nn-ratio", "margin"}) {
    expect_error(ErrorCode::interrupted, "",
                 [&] { fit(clouds(300), with(measure, Mode::transductive), surroundings.context); });
  }
  expect_error(ErrorCode::interrupted, "", [&] {
    FitOptions options = with("margin", Mode::inductive);
    options.C = 1e6;
    fit(clouds(300), options, surroundings.context);
  });
}

/// Errors over independent training sets, each with one new row: a binomial count.
std::size_t errors_of(const FitOptions& options, double eps, std::size_t trials) {
  const Surroundings surroundings;
  std::size_t errors = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    core::RandomStream random(trial, 4242);
    data::DenseMatrix x(25, 2);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 25; ++i) {
      const bool positive = random.uniform() < 0.4;  // no seed here draws a part with one class only
      labels.emplace_back(positive ? "b" : "a");
      for (double& value : x.row(i)) value = random.normal() + (positive ? 1 : 0);
    }
    FitOptions seeded = options;
    seeded.seed = trial;
    data::Dataset all = data::make_dataset(data::Features(x), labels);
    std::vector<std::size_t> known(24);
    std::iota(known.begin(), known.end(), std::size_t{0});
    const auto predictor = fit(all.select_rows(known), seeded, surroundings.context);
    const std::size_t last[] = {24};
    const auto p = predictor->predict(all.select_rows(last), surroundings.context).p_value;
    errors += p.row(0)[static_cast<std::size_t>(all.labels[24])] <= eps ? 1U : 0U;
  }
  return errors;
}

TEST(Fit, RegionsMissAsOftenAsPromised) {
  constexpr std::size_t trials = 1500;
  constexpr double eps = 0.2;
  const bounds::CountInterval band = bounds::central_counts(trials, eps, 1e-4);
  for (const auto& [measure, mode] : {std::pair{"nn-ratio", Mode::transductive},
                                      {"nn-own", Mode::transductive},
                                      {"margin", Mode::transductive},
                                      {"nn-ratio", Mode::inductive},
                                      {"margin", Mode::inductive}}) {
    SCOPED_TRACE(testing::Message() << measure << ", mode " << static_cast<int>(mode));
    FitOptions options = with(measure, mode);
    EXPECT_LE(errors_of(options, eps, trials), band.upper);
    options.smoothed = true;
    const std::size_t errors = errors_of(options, eps, trials);
    EXPECT_LE(errors, band.upper);
    EXPECT_GE(errors, band.lower);
  }
}

}  // namespace
}  // namespace credence::conformal
