#include "credence/conformal/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "conformal/fit/set_apart.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/core/version.hpp"
#include "credence/data/splits.hpp"

namespace credence::conformal {
namespace {

/// Of the stream that draws one row of each group.
constexpr std::uint64_t one_of_each_purpose = 0x6f6e65206f66;  // "one of"

bool fills_cells(const data::Dataset& dataset, const FitOptions& options) {
  const std::span<const double> values = dataset.features.stored();
  return options.missing == data::Missing::impute &&
         std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

std::shared_ptr<ConformalPredictor> predictor_for(const data::Dataset& dataset, data::Missing missing,
                                                  const PValueOptions& p_values) {
  auto predictor = std::make_shared<ConformalPredictor>();
  predictor->schema = dataset.schema_without_hint();
  predictor->missing = missing;
  predictor->record.method = "conformal";
  predictor->record.note_rows(dataset);
  predictor->record.seed = p_values.seed;
  predictor->record.version = version();
  predictor->options = p_values;
  return predictor;
}

std::shared_ptr<const Machine> transductive_machine(const data::Features& rows, const data::Dataset& dataset,
                                                    const FitOptions& options, model::TrainingRecord& record,
                                                    const core::Context& context) {
  return std::visit(
      [&](const auto& measure) -> std::shared_ptr<const Machine> {
        if constexpr (requires { measure.machine(rows, dataset, record, context); })
          return measure.machine(rows, dataset, record, context);
        else
          refuse("this measure has no transductive mode");
      },
      options.measure);
}

Train trainer(const FitOptions& options, data::Scaling scaling) {
  const Preparation preparation{scaling, options.missing, options.p_values.seed};
  return std::visit(
      [&](const auto& measure) -> Train {
        if constexpr (requires { measure.training(preparation); })
          return measure.training(preparation);
        else
          refuse("this measure trains no classifier");
      },
      options.measure);
}

/// Distances along axes are what familiarity is made of; a measure of angles or of given distances has none.
bool has_axes(const Measure& measure) {
  const std::optional<NeighbourOptions> nearest = neighbour_options(measure);
  return !nearest || nearest->metric == neighbours::Metric::euclidean ||
         nearest->metric == neighbours::Metric::manhattan;
}

/// Every class of the data set must be learnt from wherever something is trained.
void check_part(const data::Dataset& training, const data::Dataset& whole, const char* advice) {
  std::vector<bool> present(whole.class_count(), false);
  std::vector<bool> occurs(whole.class_count(), false);
  for (const int label : training.labels) present[static_cast<std::size_t>(label)] = true;
  for (const int label : whole.labels) occurs[static_cast<std::size_t>(label)] = true;
  for (std::size_t c = 0; c < present.size(); ++c) {
    if (!occurs[c] || present[c]) continue;
    refuse_data(fmt::format("no row of the class '{}' is left to train on once others are held out; {}",
                            whole.schema.classes[c], advice),
                {whole.source});
  }
}

constexpr const char* few_groups = "the modes inductive and cross train on all rows of a group";

/// What to do where a class has too few rows for random hold-outs.
const char* advice(const data::Dataset& dataset, const PValueOptions& p_values) {
  if (!dataset.clusters().empty()) return "other groups, folds or another seed are needed";
  return p_values.label_conditional
             ? "the class has too few rows"
             : "take label-conditional p-values, whose hold-outs are stratified, or another seed";
}

/// Label-conditional p-values of a class that nothing can be compared with would always be 1.
void check_kept(const Machine& machine, const data::Dataset& dataset, const PValueOptions& p_values) {
  const std::vector<std::size_t> counts = machine.class_counts();
  for (std::size_t c = 0; p_values.label_conditional && c < counts.size(); ++c) {
    if (counts[c] == 0) {
      refuse_data(fmt::format("no row of the class '{}' is held out, and label-conditional p-values need one of each "
                              "class; hold out a larger share, or leave the class out",
                              dataset.schema.classes[c]),
                  {dataset.source});
    }
  }
}

bool is_stratified(const data::Dataset& dataset, const PValueOptions& p_values) {
  return p_values.label_conditional && dataset.clusters().empty();
}

std::size_t count_groups(const data::Dataset& dataset) {
  return static_cast<std::size_t>(*std::ranges::max_element(dataset.groups)) + 1;
}

/// What was drawn for each group, for each row.
template <class Drawn>
std::vector<Drawn> of_rows(const data::Dataset& dataset, const std::vector<Drawn>& of_groups) {
  return core::mapped(dataset.groups, [&](int group) -> Drawn { return of_groups[static_cast<std::size_t>(group)]; });
}

/// Draws a share of the groups: a draw that looked at their sizes would not treat them as it treats a new group.
std::vector<bool> draw_groups(const data::Dataset& dataset, double share, std::uint64_t seed) {
  const std::size_t groups = count_groups(dataset);
  if (groups < 2) refuse("all rows are of one group, so that none can be held out");
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(groups)));
  return of_rows(dataset, data::random_hold_out(groups, std::clamp<std::size_t>(count, 1, groups - 1), {}, seed));
}

/// Fixed folds or groups are held out as wholes if there are any.
std::vector<bool> held_out(const data::Dataset& dataset, const mode::Inductive& split, const PValueOptions& p_values) {
  const std::size_t n = dataset.rows();
  if (dataset.folds.empty() && !dataset.groups.empty()) return draw_groups(dataset, split.calibration, p_values.seed);
  if (is_stratified(dataset, p_values)) return data::hold_out(dataset.labels, split.calibration, p_values.seed);
  const auto count = static_cast<std::size_t>(std::llround(split.calibration * static_cast<double>(n)));
  return data::random_hold_out(n, std::clamp<std::size_t>(count, 1, n - 1), dataset.clusters(), p_values.seed);
}

/// One row of each group, whatever the group's size.
data::Dataset one_of_each_group(const data::Dataset& dataset, std::uint64_t seed) {
  std::vector<std::size_t> order = core::numbers_below(dataset.rows());
  core::RandomStream(seed, one_of_each_purpose).shuffle(order);
  std::vector<bool> drawn(count_groups(dataset), false);
  std::vector<std::size_t> rows;
  for (const std::size_t i : order) {
    const auto group = static_cast<std::size_t>(dataset.groups[i]);
    if (!drawn[group]) rows.push_back(i);
    drawn[group] = true;
  }
  std::ranges::sort(rows);
  return dataset.select_rows(rows);
}

double share_apart(const Mode& mode) {
  const auto* const full = std::get_if<mode::Transductive>(&mode);
  return full != nullptr ? full->apart : 0;
}

std::vector<int> folds_of(const data::Dataset& dataset, int folds, const PValueOptions& p_values) {
  if (!dataset.folds.empty()) return dataset.folds;
  if (!dataset.groups.empty()) {
    if (count_groups(dataset) < static_cast<std::size_t>(folds))
      refuse(fmt::format("there are {} groups, fewer than the {} folds", count_groups(dataset), folds));
    return of_rows(dataset, data::k_fold(count_groups(dataset), folds, p_values.seed));
  }
  return p_values.label_conditional ? data::stratified_k_fold(dataset.labels, folds, p_values.seed)
                                    : data::k_fold(dataset.rows(), folds, p_values.seed);
}

struct Parts {
  std::vector<std::size_t> training;
  std::vector<std::size_t> kept;
};

Parts parts_of(std::size_t rows, auto is_kept) {
  Parts parts;
  for (std::size_t i = 0; i < rows; ++i) (is_kept(i) ? parts.kept : parts.training).push_back(i);
  return parts;
}

/// Rows of a group in training and among those compared with would be near each other, as new groups are not.
void check_groups_whole(const data::Dataset& dataset) {
  if (dataset.folds.empty() || dataset.groups.empty()) return;
  std::vector<int> fold(count_groups(dataset), -1);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    int& own = fold[static_cast<std::size_t>(dataset.groups[i])];
    if (own >= 0 && own != dataset.folds[i]) {
      refuse_data(fmt::format("row {} is in another fold than a row before of the same group",
                              dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i]),
                  {dataset.source});
    }
    own = dataset.folds[i];
  }
}

void check_counting(const data::Dataset& rows, bool weighs) {
  if (weighs && rows.weights.empty()) refuse("p-values are to weigh rows that have no weights");
  if (weighs && !rows.groups.empty()) refuse("p-values know groups or weights, not both");
}

/// Rows that new rows are compared with, and what p-values know of them.
class Compared {
 public:
  /// @param column  of categories; empty: none  @param weighs  whether p-values know weights
  Compared(const data::Dataset& rows, const std::string& column, bool weighs) : groups_(rows.groups) {
    check_counting(rows, weighs);
    if (weighs) weights_ = rows.weights;
    if (column.empty()) return;
    by_ = CategoryColumn::of(rows.features, place_of(column, rows.schema.columns));
    categories_ = by_->codes(rows.features);
  }

  const std::optional<CategoryColumn>& by() const { return by_; }
  /// Gives a part what is known of its rows.
  void give(const std::vector<std::size_t>& rows, CalibratedClassifier& part) const {
    part.category_of = core::picked(categories_, rows);
    part.weights = core::picked(weights_, rows);
    part.groups = core::picked(groups_, rows);
    if (by_) part.region_of.clear();
  }

 private:
  static std::size_t place_of(const std::string& name, const std::vector<data::Column>& columns) {
    const std::vector<std::string> names = core::mapped(columns, &data::Column::name);
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    refuse(
        fmt::format("the column of categories '{}' is none of the features{}", name, core::did_you_mean(name, names)));
  }

  std::optional<CategoryColumn> by_;
  std::vector<int> categories_;
  std::vector<double> weights_;
  std::vector<int> groups_;
};

bool fits_preprocessing(const data::Dataset& dataset, const FitOptions& options) {
  return options.resolved_scaling() != data::Scaling::none || fills_cells(dataset, options);
}

}  // namespace

Apart set_apart(const data::Dataset& dataset, const FitOptions& options) {
  constexpr std::size_t fewest = 4;  // two to fit a scaling on, and two to compare
  Apart apart;
  const std::size_t n = dataset.rows();
  const double share = share_apart(options.mode);
  const bool trains = !model_of(options.measure).empty() || !is_transductive(options.mode);
  const bool groups = !dataset.groups.empty();
  if (share == 0 || n < fewest || !fits_preprocessing(dataset, options)) {
    apart.fitted = core::numbers_below(dataset.rows());
    if (groups) apart.others = one_of_each_group(dataset, options.p_values.seed);
    if (groups && trains) check_part(*apart.others, dataset, few_groups);
    return apart;
  }
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(n)));
  const std::vector<bool> is_apart =
      groups ? draw_groups(dataset, share, options.p_values.seed)
      : is_stratified(dataset, options.p_values)
          ? data::hold_out(dataset.labels, share, options.p_values.seed)
          : data::random_hold_out(n, std::clamp<std::size_t>(count, 2, n - 2), {}, options.p_values.seed);
  Parts parts = parts_of(n, [&](std::size_t i) { return !is_apart[i]; });
  apart.some = true;
  apart.fitted = std::move(parts.training);
  apart.others = dataset.select_rows(parts.kept);
  if (groups) apart.others = one_of_each_group(*apart.others, options.p_values.seed);
  if (trains)
    check_part(*apart.others, dataset, groups ? few_groups : "--apart 0 fits scaling and medians on all rows");
  return apart;
}

data::Preprocessing preprocessing_of(const data::Dataset& dataset, const FitOptions& options, const Apart& apart) {
  data::Preprocessing of_all = data::Preprocessing::fit(dataset, options.resolved_scaling());
  if (!apart.some) return of_all;
  data::Preprocessing of_apart = data::Preprocessing::fit_for_others(dataset, apart.fitted, options.resolved_scaling());
  of_apart.constant = std::move(of_all.constant);  // for the warning
  return of_apart;
}

std::shared_ptr<ConformalPredictor> fit_inductive(const data::Dataset& dataset, const mode::Inductive& split,
                                                  const PValueOptions& p_values, const Train& train,
                                                  const core::Context& context) {
  mode::Inductive described = split;
  throw_if_any(core::problems_of(core::fields_of(described)));
  data::check_trainable(dataset);
  check_groups_whole(dataset);
  const std::vector<bool> is_kept = held_out(dataset, split, p_values);
  const Parts parts = parts_of(dataset.rows(), [&](std::size_t i) { return is_kept[i]; });
  data::Dataset training = dataset.select_rows(parts.training);
  const data::Dataset kept = dataset.select_rows(parts.kept);
  const Compared known(kept, split.by, !split.weight_column.empty());
  if (!split.weight_column.empty()) training.weights.clear();
  check_part(training, dataset, advice(dataset, p_values));
  const TrainedClassifier trained = train(training, context);
  // New rows are read the same way: see Predictor::predict.
  const data::Features features = trained.preprocessing.apply(kept, data::UnknownLevel::ignore);
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, trained.missing, p_values);
  predictor->preprocessing = trained.preprocessing;
  model::TrainingRecord& record = predictor->record;
  record.C = trained.record.C;
  record.nu = trained.record.nu;
  record.tolerance = trained.record.tolerance;
  record.selected_error = trained.record.selected_error;
  std::vector<CalibratedClassifier> only{calibrate(trained.classifier, features, kept.labels, context)};
  known.give(core::numbers_below(kept.rows()), only.front());
  predictor->machine = std::make_shared<Inductive>(std::move(only));
  predictor->by = known.by();
  predictor->weight_column = split.weight_column;
  predictor->stratified = is_stratified(dataset, p_values);
  check_kept(*predictor->machine, dataset, p_values);
  if (!trained.classifier->is_precomputed()) predictor->keep_known_rows(dataset);
  return predictor;
}

std::shared_ptr<ConformalPredictor> fit_cross(const data::Dataset& dataset, const mode::Cross& split,
                                              const PValueOptions& p_values, const Train& train,
                                              const core::Context& context) {
  mode::Cross described = split;
  throw_if_any(core::problems_of(core::fields_of(described)));
  data::check_trainable(dataset);
  check_groups_whole(dataset);
  const Compared known(dataset, split.by, !split.weight_column.empty());
  const std::vector<int> folds = folds_of(dataset, split.folds, p_values);
  const int count = *std::ranges::max_element(folds) + 1;
  std::vector<CalibratedClassifier> calibrated;
  std::vector<TrainedClassifier> trained;
  for (int fold = 0; fold < count; ++fold) {
    const Parts parts = parts_of(dataset.rows(), [&](std::size_t i) { return folds[i] == fold; });
    if (parts.kept.empty()) continue;
    data::Dataset training = dataset.select_rows(parts.training);
    if (!split.weight_column.empty()) training.weights.clear();
    check_part(training, dataset, advice(dataset, p_values));
    trained.push_back(train(training, context));
    const data::Dataset kept = dataset.select_rows(parts.kept);
    const data::Features features = trained.back().preprocessing.apply(kept, data::UnknownLevel::ignore);
    calibrated.push_back(calibrate(trained.back().classifier, features, kept.labels, context));
    known.give(parts.kept, calibrated.back());
  }
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, trained.front().missing, p_values);
  for (const TrainedClassifier& one : trained) predictor->of_folds.push_back(one.preprocessing);
  predictor->preprocessing = predictor->of_folds.front();
  predictor->record.tolerance = trained.front().record.tolerance;
  const double cost = trained.front().record.C;
  const bool alike = std::ranges::all_of(trained, [&](const TrainedClassifier& one) { return one.record.C == cost; });
  predictor->record.C = alike ? cost : 0;
  predictor->record.resamples = static_cast<int>(calibrated.size());
  predictor->machine = std::make_shared<Inductive>(std::move(calibrated));
  predictor->by = known.by();
  predictor->weight_column = split.weight_column;
  predictor->stratified = is_stratified(dataset, p_values);
  if (!trained.front().classifier->is_precomputed()) predictor->keep_known_rows(dataset);
  return predictor;
}

namespace {

void check_fit(const data::Dataset& dataset, const FitOptions& options) {
  throw_if_any(options.validate());
  data::check_trainable(dataset);
  // Weights of p-values are none of training.
  data::Dataset unweighted;
  unweighted.schema = dataset.schema;
  unweighted.source = dataset.source;
  unweighted.features = dataset.features.view();
  const data::Dataset& trained_on = weight_column_of(options.mode).empty() ? dataset : unweighted;
  std::visit([&](const auto& measure) { measure.check(trained_on, options.mode); }, options.measure);
}

std::shared_ptr<ConformalPredictor> fit_transductive(const data::Dataset& dataset, const FitOptions& options,
                                                     const core::Context& context) {
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, options.missing, options.p_values);
  predictor->weight_column = weight_column_of(options.mode);
  check_counting(dataset, !predictor->weight_column.empty());
  const Apart apart = set_apart(dataset, options);
  const data::Dataset& compared = apart.compared(dataset);
  predictor->preprocessing = preprocessing_of(dataset, options, apart);
  predictor->machine = transductive_machine(predictor->preprocessing.apply(compared, data::UnknownLevel::ignore),
                                            compared, options, predictor->record, context);
  predictor->fitted_on_compared =
      (fits_preprocessing(dataset, options) && !apart.some) ||
      std::visit([](const auto& measure) { return measure.looks_at_rows(); }, options.measure);
  predictor->stratified = apart.some && is_stratified(dataset, options.p_values);
  if (has_axes(options.measure)) predictor->keep_known_rows(dataset);
  predictor->one_of_each_group = !dataset.groups.empty();
  predictor->rows_apart = apart.some ? apart.fitted.size() : 0;
  return predictor;
}

}  // namespace

std::shared_ptr<ConformalPredictor> fit(const data::Dataset& dataset, const FitOptions& options,
                                        const core::Context& context) {
  check_fit(dataset, options);
  if (const auto* split = std::get_if<mode::Inductive>(&options.mode))
    return fit_inductive(dataset, *split, options.p_values, trainer(options, options.resolved_scaling()), context);
  if (const auto* split = std::get_if<mode::Cross>(&options.mode))
    return fit_cross(dataset, *split, options.p_values, trainer(options, options.resolved_scaling()), context);
  return fit_transductive(dataset, options, context);
}

}  // namespace credence::conformal
