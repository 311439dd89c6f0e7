#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/data/splits.hpp"
#include "credence/svm/family.hpp"
#include "neighbours/search/family.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace fit_contract_tests {

using test::expect_error;
using test::Surroundings;

using mode::Cross;
using mode::Inductive;
using mode::Transductive;

FitOptions with(const Measure& measure, const Mode& mode) {
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

TEST(Measures, EachHasANameALineAndTheOptionsThatItLooksAt) {
  std::vector<std::string> found;
  for (Measure measure : measures()) {
    EXPECT_GT(sentence_of(measure).size(), 20U);
    std::string text = fmt::format("{} {}:", name_of(measure), model_of(measure));
    for (const core::Field& field : fields_of(measure)) text += " " + field.name;
    found.push_back(text);
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"nn-ratio : k metric", "nn-own : k metric",
                                      "margin svm: C kernel degree coef0 gamma sigma class_weight tolerance max_steps",
                                      "margin rvm: kernel degree coef0 gamma sigma algorithm starts centres"}));
  EXPECT_EQ(neighbour_measure("nn-own"), OwnClassDistance::measure());
  expect_error(ErrorCode::invalid_argument, "nn-ratio, nn-own", [] { neighbour_measure("margin"); });
}

TEST(FitOptions, NameAllProblemsAtOnce) {
  EXPECT_TRUE(FitOptions{}.validate().empty());
  EXPECT_EQ(with(OwnClassDistance{{.k = 0}}, Cross{1}).validate().size(), 3U) << "k, mode of nn-own, folds";
  EXPECT_EQ(with(NeighbourRatio{}, Inductive{1}).validate().size(), 1U) << "calibration";
  SvmMargin svm;
  svm.C = -1;
  svm.kernel.shape.type = kernel::KernelType::precomputed;
  svm.class_weights.balanced = true;
  svm.solver.tolerance = 0;
  EXPECT_EQ(with(svm, Transductive{}).validate().size(), 4U);
  FitOptions distances = with(NeighbourRatio{{.metric = neighbours::Metric::precomputed}}, Inductive{});
  distances.scaling = data::Scaling::minmax;
  EXPECT_EQ(distances.validate().size(), 2U);
  SvmMargin width;
  width.kernel.set_sigma(2);
  EXPECT_EQ(width.kernel.gamma.value, 0.125);
  EXPECT_TRUE(with(width, Cross{}).validate().empty());
  width.kernel.shape.type = kernel::KernelType::linear;
  EXPECT_EQ(with(width, Cross{}).validate().size(), 1U) << "sigma is the width of an rbf kernel";
  expect_error(ErrorCode::invalid_argument, "not a width", [&] { width.kernel.set_sigma(0); });
}

TEST(Fit, ScalesWhereUnitsMatter) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(40);
  const auto scaling = [&](FitOptions options) {
    return fit(rows, options, surroundings.context)->preprocessing.scaling;
  };
  EXPECT_EQ(scaling(with(NeighbourRatio{}, Transductive{})), data::Scaling::standard);
  EXPECT_EQ(scaling(with(NeighbourRatio{{.metric = neighbours::Metric::cosine}}, Transductive{})), data::Scaling::none);
  EXPECT_EQ(scaling(with(SvmMargin{}, Transductive{})), data::Scaling::standard);
  EXPECT_EQ(scaling(with(SvmMargin{}, Cross{})), data::Scaling::standard);
  FitOptions asked = with(NeighbourRatio{}, Inductive{});
  asked.scaling = data::Scaling::minmax;
  EXPECT_EQ(scaling(asked), data::Scaling::minmax);
}

TEST(Fit, TransductiveMachinesAreThoseOfTheirOptions) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(50, 3);
  const FitOptions options = with(OwnClassDistance{{4, neighbours::Metric::manhattan}}, Transductive{});
  const auto predictor = fit(rows, options, surroundings.context);
  const auto& nearest = dynamic_cast<const TransductiveNeighbours&>(*predictor->machine);
  EXPECT_EQ(nearest.options().measure, OwnClassDistance::measure());
  EXPECT_EQ(nearest.options().k, 4);
  EXPECT_EQ(nearest.options().metric, neighbours::Metric::manhattan);
  EXPECT_EQ(predictor->description(), "nn-own, k = 4, manhattan distance; transductive");

  SvmMargin margin;
  margin.C = 3;
  const auto svm = fit(rows, with(margin, Transductive{.apart = 0}), surroundings.context);
  const auto& machine = dynamic_cast<const TransductiveSvm&>(*svm->machine);
  EXPECT_EQ(machine.options().C, 3);
  const data::Features scaled = svm->preprocessing.apply(rows);
  EXPECT_EQ(machine.options().kernel.gamma,
            kernel::resolve_gamma(margin.kernel.gamma, kernel::KernelType::rbf, scaled));
  EXPECT_EQ(compared(*svm), 50U);
}

/// The classifier, the preprocessing and the ranks, each made by hand from the rows that are left.
TEST(Fit, InductiveMarginEqualsTheHandMadeSplit) {
  const Surroundings surroundings;
  for (const int classes : {2, 3}) {
    const data::Dataset rows = clouds(90, classes);
    SvmMargin margin;
    margin.C = 2;
    FitOptions options = with(margin, Inductive{});
    options.p_values.seed = 11;
    const auto predictor = fit(rows, options, surroundings.context);

    const std::vector<bool> held = data::random_hold_out(90, 27, {}, 11);
    const data::Dataset training = rows.select_rows(rows_where(held, false));
    const data::Dataset kept = rows.select_rows(rows_where(held, true));
    svm::TrainOptions train;
    train.C = 2;
    train.gamma = margin.kernel.gamma;
    const svm::SvmModel model = svm::train(training, train, surroundings.context).model;
    const data::DenseMatrix scores = model.predict(kept, surroundings.context).score;
    std::vector<double> nonconformity;
    for (std::size_t i = 0; i < kept.rows(); ++i)
      nonconformity.push_back(-scores.row(i)[static_cast<std::size_t>(kept.labels[i])]);
    const data::Dataset fresh = clouds(40, classes, 77);
    const data::DenseMatrix of_new = model.predict(fresh, surroundings.context).score;
    const data::DenseMatrix p = predictor->predict(fresh, surroundings.context).p_value;
    for (std::size_t i = 0; i < fresh.rows(); ++i)
      for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c)
        EXPECT_EQ(p.row(i)[c], naive_p(nonconformity, -of_new.row(i)[c])) << "row " << i << ", class " << c;
  }
}

/// p = (sum over folds #{ alpha_i >= alpha_k } + 1) / (n + 1), with 1-NN by loops.
TEST(Fit, CrossNeighboursEqualsTheSumOverHandMadeFolds) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60, 3);
  FitOptions options = with(NeighbourRatio{{.k = 2}}, Cross{});
  options.scaling = data::Scaling::none;
  options.p_values.seed = 5;
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
  EXPECT_EQ(predictor->record.resamples, 5);
}

/// Exact validity asks that what is held out depends on nothing but the number of rows.
TEST(Fit, HoldOutsDoNotLookAtLabelsUnlessLabelConditional) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(100);
  FitOptions options = with(NeighbourRatio{}, Inductive{});
  options.scaling = data::Scaling::minmax;  // tells which rows were trained on
  const auto before = fit(rows, options, surroundings.context);
  options.p_values.label_conditional = true;
  const auto stratified = fit(rows, options, surroundings.context);
  EXPECT_EQ(stratified->machine->class_counts(), (std::vector<std::size_t>{15, 15}));
  for (std::size_t i = 0; i < 100; ++i) rows.labels[i] = i < 20 ? 0 : 1;
  const auto other_stratified = fit(rows, options, surroundings.context);
  EXPECT_EQ(other_stratified->machine->class_counts(), (std::vector<std::size_t>{6, 24}));
  EXPECT_NE(other_stratified->preprocessing.shift, stratified->preprocessing.shift);
  options.p_values.label_conditional = false;
  const auto after = fit(rows, options, surroundings.context);
  EXPECT_EQ(before->preprocessing.shift, after->preprocessing.shift);
  EXPECT_EQ(before->preprocessing.scale, after->preprocessing.scale);
  EXPECT_EQ(compared(*after), 30U);
}

TEST(Fit, HeldOutRowsHaveNoSayInThePreprocessing) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(50);
  FitOptions options = with(SvmMargin{}, Inductive{});
  options.p_values.seed = 2;
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
  const std::size_t held = compared(*fit(rows, with(NeighbourRatio{}, Inductive{}), surroundings.context));
  EXPECT_TRUE(held == 16 || held == 12) << held << ": 18 were asked for, but groups have 8 rows, and one 4";
  FitOptions in_folds = with(NeighbourRatio{}, Cross{3});
  in_folds.scaling = data::Scaling::none;  // no row is apart
  const auto predictor = fit(rows, in_folds, surroundings.context);
  std::vector<std::size_t> sizes(3, 0);
  const std::vector<int> fold_of_group = data::k_fold(8, 3, 0);  // which looks at no sizes
  for (const int group : rows.groups) ++sizes[static_cast<std::size_t>(fold_of_group[static_cast<std::size_t>(group)])];
  EXPECT_NE(sizes, (std::vector<std::size_t>{20, 20, 20})) << "as folds without groups would be";
  const auto& parts = dynamic_cast<const conformal::Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 3U);
  for (std::size_t fold = 0; fold < 3; ++fold) EXPECT_EQ(parts[fold].labels.size(), sizes[fold]);
}

TEST(Fit, FixedFoldsAreTaken) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30);
  for (std::size_t i = 0; i < 30; ++i) rows.folds.push_back(i < 6 ? 0 : i < 14 ? 1 : 2);
  FitOptions in_folds = with(NeighbourRatio{}, Cross{});
  in_folds.scaling = data::Scaling::none;  // no row is apart
  const auto predictor = fit(rows, in_folds, surroundings.context);
  const auto& parts = dynamic_cast<const conformal::Inductive&>(*predictor->machine).parts();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].labels.size(), 6U);
  EXPECT_EQ(parts[1].labels.size(), 8U);
}

TEST(FitInductive, TrainsOnceOnTheRowsThatAreLeft) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(40);
  int calls = 0;
  const auto predictor = fit_inductive(
      rows, Inductive{0.25}, {},
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
  const FitOptions nearest{};
  data::Dataset rows = clouds(20);
  data::Dataset unlabelled = rows;
  unlabelled.labels.clear();
  refused(unlabelled, nearest, ErrorCode::invalid_data, "no labels");
  data::Dataset one_class = rows;
  std::fill(one_class.labels.begin(), one_class.labels.end(), 1);
  for (const Mode& mode : modes())
    for (const Measure& measure : {Measure(NeighbourRatio{}), Measure(SvmMargin{})})
      refused(one_class, with(measure, mode), ErrorCode::invalid_data, "at least two classes");
  data::Dataset weighted = rows;
  weighted.weights.assign(20, 2.0);
  refused(weighted, nearest, ErrorCode::invalid_argument, "weights");
  refused(weighted, with(SvmMargin{}, Transductive{}), ErrorCode::invalid_argument, "weights");
  EXPECT_NO_THROW(fit(weighted, with(SvmMargin{}, Inductive{}), surroundings.context));
  const FitOptions distances = with(NeighbourRatio{{.metric = neighbours::Metric::precomputed}}, Transductive{});
  refused(rows, distances, ErrorCode::invalid_data, "");
  rows.schema.columns[1].kind = data::ColumnKind::categorical;
  refused(rows, distances, ErrorCode::invalid_data, "names");
  refused(clouds(20), with(NeighbourRatio{{.k = 0}}, Transductive{}), ErrorCode::invalid_argument, "k");
  for (const Mode& mode : modes()) {
    const int above = is_transductive(mode) ? 21 : 17;
    refused(clouds(20), with(NeighbourRatio{{.k = above}}, mode), ErrorCode::invalid_argument,
            std::holds_alternative<Inductive>(mode) ? "only 14 rows" : "rows to learn");
    refused(clouds(20), with(NeighbourRatio{{.k = 1 << 30}}, mode), ErrorCode::invalid_argument, "1073741824");
  }
  refused(clouds(20), with(NeighbourRatio{}, Cross{21}), ErrorCode::invalid_data, "fold");
}

TEST(Fit, NamesAClassThatIsLeftWithoutTrainingRows) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30, 3);
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = i == 0 ? 2 : static_cast<int>(i % 2);
  expect_error(ErrorCode::invalid_data, "class 'c'",
               [&] { fit(rows, with(NeighbourRatio{}, Cross{}), surroundings.context); });
}

/// A class that nothing is compared with would have the p-value 1 everywhere, and win.
TEST(Fit, NamesAClassThatIsLeftWithoutHeldOutRows) {
  const Surroundings surroundings;
  data::Dataset rows = clouds(30, 3);
  for (std::size_t i = 0; i < 30; ++i) rows.labels[i] = i == 0 ? 2 : static_cast<int>(i % 2);
  FitOptions stratified = with(NeighbourRatio{}, Inductive{});
  stratified.p_values.label_conditional = true;
  expect_error(ErrorCode::invalid_data, "class 'c' is held out", [&] { fit(rows, stratified, surroundings.context); });
  stratified.mode = Cross{};
  expect_error(ErrorCode::invalid_data, "too few rows", [&] { fit(rows, stratified, surroundings.context); });
}

TEST(Fit, SaysWhatIsNotProved) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60);
  const auto validity = [&](FitOptions options) { return fit(rows, options, surroundings.context)->validity(); };
  for (const Mode& mode : modes()) {
    const Validity proved = std::holds_alternative<Cross>(mode) ? Validity::twice : Validity::exact;
    const Validity fitted = is_transductive(mode) ? Validity::approximate : proved;
    Mode on_all_rows = mode;
    if (auto* full = std::get_if<Transductive>(&on_all_rows)) full->apart = 0;
    FitOptions options = with(NeighbourRatio{}, mode);
    EXPECT_EQ(validity(options), proved);
    options.missing = data::Missing::impute;  // there is no missing value
    EXPECT_EQ(validity(options), proved);
    options.scaling = data::Scaling::minmax;
    EXPECT_EQ(validity(options), proved);
    options.mode = on_all_rows;
    EXPECT_EQ(validity(options), fitted);
    EXPECT_EQ(validity(with(SvmMargin{}, on_all_rows)), fitted);  // standardised
    options = with(SvmMargin{}, mode);
    options.scaling = data::Scaling::none;
    EXPECT_EQ(validity(options), is_transductive(mode) ? Validity::approximate : proved);  // gamma by rule
    auto& margin = std::get<SvmMargin>(options.measure);
    margin.kernel.gamma = {kernel::GammaRule::Kind::value, 0.3};
    EXPECT_EQ(validity(options), proved);
    margin.kernel.shape.type = kernel::KernelType::sigmoid;
    EXPECT_EQ(validity(options), is_transductive(mode) ? Validity::approximate : proved);
  }
  FitOptions conditional = with(NeighbourRatio{}, Inductive{});
  conditional.p_values.label_conditional = true;
  ConformalPredictor predictor = *fit(rows, conditional, surroundings.context);
  EXPECT_EQ(predictor.validity(), Validity::exact);
  predictor.options.label_conditional = false;  // the rows compared with were drawn class by class
  EXPECT_EQ(predictor.validity(), Validity::approximate);
}

/// Everything made by hand: each fold's scaling by the rows that train its classifier, and counts of all folds.
TEST(Fit, CrossScalesInEachFoldAsTheHandMadeOne) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60, 3);
  FitOptions options = with(NeighbourRatio{{.k = 2}}, Cross{.folds = 4});
  options.p_values.seed = 5;
  const auto predictor = fit(rows, options, surroundings.context);
  EXPECT_EQ(predictor->validity(), Validity::twice);
  EXPECT_EQ(compared(*predictor), 60U) << "every row is compared with";
  const std::vector<int> folds = data::k_fold(60, 4, 5);
  const data::Dataset fresh = clouds(25, 3, 78);
  std::vector<ScoreCalibration> known;
  std::vector<data::DenseMatrix> scores;
  for (int fold = 0; fold < 4; ++fold) {
    const data::Dataset kept = rows.select_rows(data::rows_where(folds, fold));
    const data::Dataset training = rows.select_rows(data::rows_where(folds, [&](int own) { return own != fold; }));
    const TrainedClassifier trained =
        NeighbourRatio{{.k = 2}}.training({data::Scaling::standard, {}, 0})(training, surroundings.context);
    known.emplace_back(scores_of(*trained.classifier, trained.preprocessing.apply(kept), surroundings.context),
                       kept.labels);
    scores.push_back(scores_of(*trained.classifier, trained.preprocessing.apply(fresh), surroundings.context));
  }
  EXPECT_EQ(predictor->predict(fresh, surroundings.context).p_value.values,
            p_values(CrossCalibration(known).ranks(scores, false), {}).values);
}

/// What training does in a fold sees the rows of the other folds alone.
TEST(FitCross, TrainsOnTheOtherFoldsAlone) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60);
  const std::vector<int> folds = data::k_fold(60, 3, 0);
  int fold = 0;
  const Train train = [&](const data::Dataset& training, const core::Context& context) {
    const auto others = data::rows_where(folds, [&](int own) { return own != fold; });
    EXPECT_EQ(training.labels, rows.select_rows(others).labels);
    EXPECT_EQ(training.features.dense().values, rows.select_rows(others).features.dense().values);
    SvmMargin margin;
    margin.C = ++fold;
    return margin.training({data::Scaling::standard, {}, 0})(training, context);
  };
  const auto predictor = fit_cross(rows, Cross{.folds = 3}, {}, train, surroundings.context);
  EXPECT_EQ(fold, 3);
  EXPECT_EQ(predictor->of_folds.size(), 3U);
  EXPECT_EQ(predictor->validity(), Validity::twice);
  EXPECT_EQ(predictor->record.C, 0) << "folds have costs of their own";
  expect_error(ErrorCode::invalid_argument, "the model asks for raw rows",
               [&] { predictor->predict_preprocessed(predictor->preprocessing.apply(rows), surroundings.context); });
}

/// Everything made by hand: a tenth drawn without a look at labels, scaling by it, nearest distances among the others.
TEST(Fit, ScalingOfRowsApartEqualsTheHandMadeOne) {
  const Surroundings surroundings;
  const data::Dataset rows = clouds(60, 3);
  FitOptions options = with(NeighbourRatio{{.k = 2}}, Transductive{});
  options.p_values.seed = 5;
  const auto predictor = fit(rows, options, surroundings.context);
  EXPECT_EQ(predictor->validity(), Validity::exact);
  const std::vector<bool> apart = data::random_hold_out(60, 6, {}, 5);
  const data::Dataset others = rows.select_rows(rows_where(apart, false));
  EXPECT_EQ(compared(*predictor), 54U);
  const data::Preprocessing scaling =
      data::Preprocessing::fit(rows.select_rows(rows_where(apart, true)), data::Scaling::standard);
  const TransductiveNeighbours machine(scaling.apply(others), others.labels, 3, NeighbourRatio{{.k = 2}},
                                       surroundings.context);
  const data::Dataset fresh = clouds(25, 3, 78);
  const Ranks ranks = machine.ranks(scaling.apply(fresh), false, surroundings.context);
  EXPECT_EQ(predictor->predict(fresh, surroundings.context).p_value.values, p_values(ranks, {}).values);
}

TEST(Fit, RefusesAnSvmThatDoesNotConverge) {
  const Surroundings surroundings;
  SvmMargin margin;
  margin.solver.max_steps = 2;
  for (const Mode& mode : modes()) {
    expect_error(ErrorCode::interrupted, "step limit",
                 [&] { fit(clouds(60), with(margin, mode), surroundings.context); });
  }
}

TEST(Fit, StopsWhenAsked) {
  Surroundings surroundings;
  surroundings.monitor.cancel();
  for (const Measure& measure : {Measure(NeighbourRatio{}), Measure(SvmMargin{})}) {
    expect_error(ErrorCode::interrupted, "",
                 [&] { fit(clouds(300), with(measure, Transductive{}), surroundings.context); });
  }
  expect_error(ErrorCode::interrupted, "", [&] {
    SvmMargin margin;
    margin.C = 1e6;
    fit(clouds(300), with(margin, Inductive{}), surroundings.context);
  });
}

}  // namespace fit_contract_tests
}  // namespace credence::conformal
