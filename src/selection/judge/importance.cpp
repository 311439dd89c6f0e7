#include "credence/selection/importance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/model/probability.hpp"
#include "selection/judge/predictions.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {
namespace {

constexpr std::uint64_t shuffling_purpose = 0x7368'7566'666C'65;  // "shuffle"

/// Rows of changed copies that are predicted together.
std::size_t rows_at_once(const data::Dataset& rows) {
  constexpr std::size_t most_numbers = 4'000'000;
  return std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(1, rows.features.columns()), 64, 16384);
}

double value_at(const data::Features& features, std::size_t row, std::size_t column) {
  if (!features.is_sparse()) return features.dense().row(row)[column];
  const auto indices = features.sparse().row_indices(row);
  const auto found = std::ranges::lower_bound(indices, column);
  if (found == indices.end() || *found != column) return 0;
  return features.sparse().row_values(row)[static_cast<std::size_t>(found - indices.begin())];
}

/// What `judge` makes of the rows of changed copies of a data set, a block of rows at a time: of each copy a line of
/// numbers for each row.
/// @param change  change(copy, row, values of the row)  @param judge  judge(rows of the block, their numbers)
std::vector<data::DenseMatrix> judged_copies(const data::Dataset& rows, std::size_t copies, const auto& change,
                                             const auto& judge, const core::Context& context) {
  const std::size_t n = rows.rows();
  const std::size_t at_once = rows_at_once(rows);
  std::vector<data::DenseMatrix> judged(copies);
  for (std::size_t begin = 0; begin < n * copies; begin += at_once) {
    if (context.monitor.should_stop()) throw Error(ErrorCode::interrupted, "the columns were not judged to the end");
    const std::vector<std::size_t> items = core::numbers_from(begin, std::min(at_once, n * copies - begin));
    const std::vector<std::size_t> numbers = core::mapped(items, [&](std::size_t item) { return item % n; });
    data::Dataset block = rows.select_rows(numbers);
    data::DenseMatrix values = block.features.to_dense();
    for (std::size_t a = 0; a < items.size(); ++a) change(items[a] / n, numbers[a], values.row(a));
    block.features = std::move(values);
    const data::DenseMatrix found = judge(block, numbers);
    for (std::size_t a = 0; a < items.size(); ++a) {
      data::DenseMatrix& own = judged[items[a] / n];
      if (own.rows == 0) own = data::DenseMatrix(n, found.columns);
      std::ranges::copy(found.row(a), own.row(numbers[a]).begin());
    }
    context.monitor.advance(items.size());
  }
  return judged;
}

std::string name_of(const data::Schema& schema, std::size_t column) {
  const std::string& name = schema.columns[column].name;
  return name.empty() ? fmt::format("column {}", column + 1) : name;
}

/// @throws Error invalid_argument for kernel values, whose columns are rows of the training
void check_measurements(const model::Predictor& model, const data::Dataset& rows) {
  model.check_columns(rows);
  if (model.capabilities().precomputed)
    refuse("the rows are kernel values, whose columns are rows of the training and no measurements");
}

/// Of the mean of numbers of rows, where clusters are drawn and not single rows. @param clusters  empty: rows are
double standard_error_of_mean(const std::vector<double>& numbers, const std::vector<int>& clusters) {
  const double mean = core::mean_of(numbers);
  std::map<std::size_t, double> sums;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sums[clusters.empty() ? i : static_cast<std::size_t>(clusters[i])] += numbers[i] - mean;
  double squares = 0;
  for (const auto& [cluster, sum] : sums) squares += sum * sum;
  const auto m = static_cast<double>(sums.size());
  return std::sqrt(squares * m / (m - 1)) / static_cast<double>(numbers.size());
}

/// Numbers the columns of numbers alike that a chain of correlations of at least so much links. Correlations are those
/// of normal scores of ranks; gaps count as the median.
std::vector<std::size_t> linked(const data::Dataset& rows, double least) {
  const std::size_t columns = rows.features.columns();
  data::DenseMatrix values = rows.features.to_dense();
  for (std::size_t i = 0; i < values.rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)  // of text, whose levels the model need not know
      if (rows.schema.columns[j].kind == data::ColumnKind::categorical) values.row(i)[j] = 0;
  const data::Dataset dense = rows.with_features(std::move(values));
  const auto ranked =
      data::Preprocessing::fit_for_others(dense, core::numbers_below(rows.rows()), data::Scaling::quantile);
  const data::Features scores = ranked.apply(dense);
  const auto of_column = core::made(columns, [&](std::size_t j) {
    if (ranked.raw[j].kind == data::ColumnKind::categorical) return std::vector<double>(rows.rows(), 0.0);
    return core::made(rows.rows(), [&](std::size_t i) { return scores.dense().row(i)[ranked.raw[j].output]; });
  });
  std::vector<std::size_t> group = core::numbers_below(columns);
  for (std::size_t j = 1; j < columns; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double sum = std::inner_product(of_column[j].begin(), of_column[j].end(), of_column[k].begin(), 0.0);
      constexpr double rounding = 1e-9;
      if (std::abs(sum) / static_cast<double>(rows.rows()) >= least - rounding)
        std::ranges::replace(group, std::max(group[j], group[k]), std::min(group[j], group[k]));
    }
  }
  return group;
}

std::vector<ColumnImportance> columns_to_shuffle(const data::Dataset& rows, double correlated) {
  if (!(correlated >= 0 && correlated <= 1))
    refuse(fmt::format("a correlation lies above 0 and at most at 1, not at {}", correlated));
  const auto group = correlated > 0 ? linked(rows, correlated) : core::numbers_below(rows.features.columns());
  constexpr std::size_t most_named = 3;
  std::map<std::size_t, ColumnImportance> found;
  for (std::size_t j = 0; j < group.size(); ++j) {
    ColumnImportance& own = found[group[j]];
    if (own.columns.size() < most_named) own.name += (own.columns.empty() ? "" : " + ") + name_of(rows.schema, j);
    own.columns.push_back(j);
  }
  return core::mapped(found, [](const auto& group_and_column) {
    ColumnImportance one = group_and_column.second;
    if (one.columns.size() > most_named) one.name += fmt::format(" + {} more", one.columns.size() - most_named);
    return one;
  });
}

/// Rows left out change places with rows that the same fold model left out: values of its own training rows are others
/// to it than new ones.
std::vector<std::vector<std::size_t>> permutations_of(const model::Predictor& model, std::size_t rows,
                                                      const ImportanceOptions& options) {
  if (!options.permutations.empty()) return options.permutations;
  const std::vector<int> part = options.left_out ? model.calibration.fold_model_of : std::vector<int>(rows, 0);
  core::RandomStream random(options.seed, shuffling_purpose);
  return core::made(options.repeats, [&](std::size_t) {
    std::vector<std::size_t> order(rows);
    for (int k = 0; k <= std::ranges::max(part); ++k) {
      const std::vector<std::size_t> own = data::rows_where(part, k);
      std::vector<std::size_t> shuffled = own;
      random.shuffle(shuffled);
      for (std::size_t a = 0; a < own.size(); ++a) order[own[a]] = shuffled[a];
    }
    return order;
  });
}

/// Shuffles columns of the rows, and judges the model, or the fold models that had not seen the rows.
class Shuffling {
 public:
  Shuffling(const model::Predictor& model, const data::Dataset& rows, const ImportanceOptions& options,
            const core::Context& context)
      : model_(model),
        rows_(rows),
        options_(options),
        context_(context),
        weights_(options.weights),
        permutations_(permutations_of(model, rows.rows(), options)) {
    if (weights_.empty()) weights_.assign(rows.rows(), 1.0);
    const double mean = core::mean_of(weights_);
    for (double& weight : weights_) weight /= mean;
    as_they_are_ = parts_of_copies(1, [](std::size_t, std::size_t, std::span<double>) {}).front();
  }

  std::size_t repeats() const { return permutations_.size(); }
  double loss() const { return core::mean_of(as_they_are_); }

  void measure(std::size_t repeats, std::span<ColumnImportance> some) const {
    const auto change = [&](std::size_t copy, std::size_t row, std::span<double> values) {
      for (const std::size_t column : some[copy / repeats].columns)
        values[column] = value_at(rows_.features, permutations_[copy % repeats][row], column);
    };
    const auto shuffled = parts_of_copies(some.size() * repeats, change);
    for (std::size_t k = 0; k < some.size(); ++k)
      compare(repeats, std::span(shuffled).subspan(k * repeats, repeats), some[k]);
  }

 private:
  void compare(std::size_t repeats, std::span<const std::vector<double>> shuffled, ColumnImportance& one) const {
    std::vector<double> shares(rows_.rows(), 0.0);  // what a row adds as the one that gets a value, and that gives one
    one.rises.assign(repeats, 0.0);
    for (std::size_t r = 0; r < repeats; ++r) {
      for (std::size_t i = 0; i < shares.size(); ++i) {
        const double rise = shuffled[r][i] - as_they_are_[i];
        one.rises[r] += rise / static_cast<double>(shares.size());
        for (const std::size_t row : {i, permutations_[r][i]}) shares[row] += rise / static_cast<double>(repeats);
      }
    }
    one.rise = core::mean_of(one.rises);
    one.standard_error = standard_error_of_mean(shares, rows_.clusters());
  }

  std::vector<std::vector<double>> parts_of_copies(std::size_t copies, const auto& change) const {
    const auto judge = [&](const data::Dataset& block, const auto& numbers) { return judged(block, numbers); };
    return core::mapped(judged_copies(rows_, copies, change, judge, context_),
                        [&](const data::DenseMatrix& copy) { return parts({copy.values.begin(), copy.values.end()}); });
  }

  /// Of each row one number: its loss, or what a score of all rows is made of (a label, a margin).
  data::DenseMatrix judged(const data::Dataset& block, const std::vector<std::size_t>& numbers) const {
    auto said = options_.left_out ? by_fold_models(block, numbers) : model_.predict(block, context_);
    if (!rows_.is_regression() && options_.score == Score::log_loss) model::add_probabilities(model_, {}, said);
    data::DenseMatrix judged(numbers.size(), 1);
    for (std::size_t a = 0; a < numbers.size(); ++a) judged.row(a)[0] = number_of(said, a, numbers[a]);
    return judged;
  }

  /// Of each row a number; their mean is the loss of all rows, and each lies off it by what the row adds to the loss.
  /// Of a loss that is a mean they are the losses of the rows.
  std::vector<double> parts(std::vector<double> numbers) const {
    const Score score = options_.score;
    if (!rows_.is_regression() && score == Score::roc_auc) return of_margins(numbers);
    if (!rows_.is_regression() && score != Score::accuracy && !is_mean_loss(score)) return of_labels(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= weights_[i];
    return numbers;
  }

  model::Prediction by_fold_models(const data::Dataset& block, const std::vector<std::size_t>& numbers) const {
    model::Prediction said;
    said.label.resize(numbers.size());
    said.mean.resize(numbers.size());
    said.region_of.resize(numbers.size());
    said.score = data::DenseMatrix(numbers.size(), std::max<std::size_t>(1, rows_.class_count()));
    model_.fold_models.score(
        block, model_.preprocessing, context_, [&](std::size_t first, std::size_t member, const model::Scores& scores) {
          for (std::size_t r = 0; r < scores.rows; ++r) {
            const auto own = static_cast<std::size_t>(model_.calibration.fold_model_of[numbers[first + r]]);
            if (own < member || own >= member + scores.models) continue;
            const double* const values = scores.at(r, own - member);
            said.label[first + r] = scores.label(r, own - member);
            std::copy_n(values, scores.classes, said.score.row(first + r).begin());
            said.mean[first + r] = *values;
            if (!scores.region_of.empty()) said.region_of[first + r] = scores.region_of[r];
          }
        });
    return said;
  }

  double number_of(const model::Prediction& said, std::size_t a, std::size_t row) const {
    if (rows_.is_regression()) return std::pow(said.mean[a] - rows_.targets[row], 2);
    const int truth = rows_.labels[row];
    if (options_.score == Score::accuracy) return said.label[a] == truth ? 0 : 1;
    if (options_.score == Score::cost) return options_.costs.at(truth, said.label[a]);
    if (options_.score == Score::log_loss)
      return model::log_loss(said.probability.row(a)[static_cast<std::size_t>(truth)]);
    if (options_.score != Score::roc_auc) return said.label[a];
    const data::DenseMatrix& order = said.score.columns == 2 ? said.score : said.probability;
    if (order.columns != 2) refuse("the model gives labels alone, by which an AUC cannot order the rows");
    return order.row(a)[1];
  }

  /// Each row is on the right side of a share of the other class: DeLong's structural components.
  std::vector<double> of_margins(const std::vector<double>& margins) const {
    const std::vector<std::uint32_t> order = ascending(margins);
    double all[2] = {0, 0};
    for (std::size_t i = 0; i < margins.size(); ++i) all[rows_.labels[i]] += weights_[i];
    if (!(all[0] > 0 && all[1] > 0)) refuse_data("an AUC needs rows of both classes", {rows_.source});
    double below[2] = {0, 0};
    double area = 0;
    std::vector<double> right(margins.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      double here[2] = {0, 0};
      for (; end < order.size() && margins[order[end]] == margins[order[begin]]; ++end)
        here[rows_.labels[order[end]]] += weights_[order[end]];
      const double of_class[2] = {1 - (below[1] + here[1] / 2) / all[1], (below[0] + here[0] / 2) / all[0]};
      for (std::size_t k = begin; k < end; ++k) right[order[k]] = of_class[rows_.labels[order[k]]];
      area += here[1] * of_class[1] / all[1];
      for (const int c : {0, 1}) below[c] += here[c];
    }
    return core::made(margins.size(), [&](std::size_t i) {
      const double share = static_cast<double>(margins.size()) * weights_[i] / all[rows_.labels[i]];
      return 1 - area - share * (right[i] - area);
    });
  }

  /// The jackknife's values, each of which leaves out a row.
  std::vector<double> of_labels(const std::vector<double>& labels) const {
    const auto each = core::made(labels.size(), [&](std::size_t i) {
      LabelCounts own(rows_.class_count());
      own.add(static_cast<std::size_t>(rows_.labels[i]), static_cast<std::size_t>(labels[i]), weights_[i]);
      return own.sums();
    });
    return pooled_loss(options_.score, each).values;
  }

  const model::Predictor& model_;
  const data::Dataset& rows_;
  const ImportanceOptions& options_;
  const core::Context& context_;
  std::vector<double> weights_;  ///< of the rows, with mean 1
  std::vector<std::vector<std::size_t>> permutations_;
  std::vector<double> as_they_are_;
};

void check_importance(const model::Predictor& model, const data::Dataset& rows, const ImportanceOptions& options) {
  check_measurements(model, rows);
  const std::size_t n = rows.rows();
  if (n < 2 || !rows.is_labelled()) refuse_data("columns are shuffled among at least two labelled rows", {rows.source});
  const auto fits = [&](const auto& list) { return list.size() == n; };
  if (!(options.weights.empty() || fits(options.weights)) || !std::ranges::all_of(options.permutations, fits))
    refuse("weights and permutations have a number for each row");
  if (options.repeats == 0 && options.permutations.empty()) refuse("a column is shuffled at least once");
  if (!options.left_out) return;
  if (model.fold_models.empty())
    refuse("the model keeps no fold models, by which rows left out could be judged; judge new rows instead");
  if (model.calibration.fold_model_of.size() != n)
    refuse(fmt::format("rows left out are those of the training, in their order: {} rows, not {}",
                       model.calibration.fold_model_of.size(), n));
}

}  // namespace

Importance permutation_importance(const model::Predictor& model, const data::Dataset& rows,
                                  const ImportanceOptions& options, const core::Context& context) {
  check_importance(model, rows, options);
  Importance found{.score = rows.is_regression() ? "mean squared error" : loss_title(options.score),
                   .rows = rows.rows(),
                   .left_out = options.left_out};
  std::vector<ColumnImportance> columns = columns_to_shuffle(rows, options.correlated);
  context.monitor.expect(found.rows);
  const Shuffling shuffling(model, rows, options, context);
  found.loss = shuffling.loss();
  found.repeats = shuffling.repeats();
  found.asked = columns.size();
  found.screened = options.screen && columns.size() >= ImportanceOptions::screened_from && found.repeats > 1;
  const std::size_t first = found.screened ? 1 : found.repeats;
  const std::size_t leading = found.screened ? ImportanceOptions::most_leading : 0;
  const std::size_t copies = columns.size() * first + leading * found.repeats;
  context.monitor.expect(found.rows * copies);
  const core::Stopwatch watch;
  std::size_t done = 0;
  try {
    const std::size_t together = std::max<std::size_t>(1, rows_at_once(rows) / (found.rows * first));
    while (done < columns.size()) {
      const std::size_t count = std::min(together, columns.size() - done);
      shuffling.measure(first, std::span(columns).subspan(done, count));
      if (done == 0 && options.begins)
        options.begins(watch.seconds() * static_cast<double>(copies) / static_cast<double>(count * first));
      done += count;
    }
    std::vector<std::size_t> order = core::numbers_below(columns.size());
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return columns[k].rise; });
    order.resize(leading);
    for (const std::size_t k : order) shuffling.measure(found.repeats, std::span(&columns[k], 1));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || done == 0) throw;
  }
  columns.resize(done);
  found.columns = std::move(columns);
  return found;
}

Importance importance_left_out(const model::Predictor& chosen, const data::Dataset& dataset, const Selection& selection,
                               ImportanceOptions options, const core::Context& context) {
  const RowsInUse used = rows_in_use(dataset, selection.options);
  const bool split = selection.options.p_values == model::PValues::split && selection.set_aside > 0;
  const std::size_t judged = chosen.calibration.fold_model_of.size() + selection.set_aside;
  const data::Dataset rows =
      split || (selection.set_aside > 0 && judged == used.rows->rows())
          ? used.rows->select_rows(data::rows_where(set_aside_rows(*used.rows, selection.options), split))
          : *used.rows;
  options.left_out = !split;
  options.score = selection.options.score;
  options.weights = rows.is_regression()                     ? std::vector<double>{}
                    : options.score != Score::accuracy       ? rows.weights
                    : weighs_errors(rows, selection.options) ? error_weights(rows, class_costs(rows, selection.options))
                                                             : std::vector<double>{};
  if (options.score == Score::cost)
    options.costs = model::DecisionCosts::parse(selection.options.label_costs, rows.schema.classes);
  return permutation_importance(chosen, rows, options, context);
}

Score score_of_choice(const model::Predictor& model) {
  for (const auto& word : words_of(Score{}))
    if (model.record.honest && word.value != Score::cost && loss_title(word.value) == model.record.honest->score)
      return word.value;
  return Score::accuracy;
}

namespace {

/// The empirical quantile of ascending values, as mquantiles of SciPy has it by default.
double quantile_between(const std::vector<double>& values, double share) {
  const auto n = static_cast<double>(values.size());
  const double place = n * share + 0.4 + 0.2 * share;
  const double below = std::floor(std::clamp(place, 1.0, n - 1));
  const double weight = std::clamp(place - below, 0.0, 1.0);
  const auto k = static_cast<std::size_t>(below);
  return (1 - weight) * values[k - 1] + weight * values[k];
}

/// The values that a column gets: of text all levels that the model knows.
std::vector<double> grid_of(const data::Dataset& rows, std::size_t column, bool text) {
  const auto levels = static_cast<double>(rows.schema.columns[column].levels.size());
  constexpr std::size_t resolution = 100;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (const double value = value_at(rows.features, i, column); !std::isnan(value) && !(text && value >= levels))
      values.push_back(value);
  std::ranges::sort(values);
  std::vector<double> different = values;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < resolution || text) return different;
  const double from = quantile_between(values, 0.05);
  const double step = (quantile_between(values, 0.95) - from) / (resolution - 1);
  if (!(step > 0)) return {from};
  return core::made(resolution, [&](std::size_t k) { return from + step * static_cast<double>(k); });
}

/// The answers of a model in numbers, and in `found` what they are.
data::DenseMatrix answers_of(const model::Predictor& model, model::Prediction said, Dependence& found) {
  found.response = "prediction";
  data::DenseMatrix answers(said.mean.size(), 1);
  std::ranges::copy(said.mean, answers.values.begin());
  if (model.schema.task == data::Task::regression) return answers;
  const bool able = said.probability.columns > 0 || model::missing_for_probabilities(model).empty();
  if (able) model::add_probabilities(model, {}, said);
  const bool one = said.decision.columns == 1;
  found.response = able ? "probability" : one ? "decision value" : "score";
  answers = able ? said.probability : one ? said.decision : said.score;
  if (answers.columns == 0) refuse("the model gives labels alone, and no numbers whose mean could be taken");
  return answers;
}

}  // namespace

Dependence partial_dependence(const model::Predictor& model, const data::Dataset& rows, std::size_t column,
                              const core::Context& context) {
  check_measurements(model, rows);
  if (column >= rows.schema.columns.size())
    refuse(fmt::format("there is no column {} among {}", column, rows.schema.columns.size()));
  const data::Column& described = rows.schema.columns[column];
  const bool text = described.kind == data::ColumnKind::categorical;
  Dependence found{.name = name_of(rows.schema, column), .values = grid_of(rows, column, text)};
  if (found.values.empty()) refuse_data("the column has no value", {rows.source, 0, found.name});
  if (text)
    for (const double level : found.values) found.levels.push_back(described.levels[static_cast<std::size_t>(level)]);
  context.monitor.expect(rows.rows() * found.values.size());
  const auto change = [&](std::size_t copy, std::size_t, std::span<double> values) {
    values[column] = found.values[copy];
  };
  const auto judge = [&](const data::Dataset& block, const auto&) {
    return answers_of(model, model.predict(block, context), found);
  };
  const auto answers = judged_copies(rows, found.values.size(), change, judge, context);
  const std::size_t skipped = answers.front().columns == 2 ? 1 : 0;  // the first of two classes
  found.average = data::DenseMatrix(answers.size(), answers.front().columns - skipped);
  for (std::size_t k = 0; k < answers.size(); ++k)
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t c = 0; c < found.average.columns; ++c)
        found.average.row(k)[c] += answers[k].row(i)[c + skipped] / static_cast<double>(rows.rows());
  const std::vector<std::string>& classes = model.schema.classes;
  found.classes.assign(classes.end() - static_cast<std::ptrdiff_t>(classes.empty() ? 0 : found.average.columns),
                       classes.end());
  return found;
}

std::size_t column_named(const data::Schema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.columns, name, &data::Column::name);
  if (!name.empty() && found != schema.columns.end()) return static_cast<std::size_t>(found - schema.columns.begin());
  std::size_t place = 0;
  std::from_chars(name.data(), name.data() + name.size(), place);
  if (place >= 1 && place <= schema.columns.size() && schema.columns[place - 1].name.empty()) return place - 1;
  const std::vector<std::string> names = core::mapped(schema.columns, &data::Column::name);
  refuse(fmt::format("'{}' is none of the columns that the model knows{}", name, core::did_you_mean(name, names)));
}

}  // namespace credence::selection
