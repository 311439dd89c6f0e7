#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "credence/conformal/neighbours.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"
#include "reproduce/tcm_nn.hpp"

namespace credence::reproduce::tcm_nn {
namespace {

constexpr std::size_t side = 16;  // of an image

// Tables 1 to 3 and section 4 as printed.
// clang-format off
constexpr std::array<PaperSet, 5> sets{{
    {"usps", "USPS", "usps", Protocol::fixed_split, Images::normalised, 7291, 2007, 256, 10, 4.29,
     {{{94.77, 5.23, 0, 97.9}, {92.38, 0, 7.62, 98.4}}}},
    {"usps-smoothed", "USPS, smoothed", "usps", Protocol::fixed_split, Images::smoothed, 7291, 2007, 256, 10, 4.29,
     {{{94.77, 5.23, 0, 97.9}, {92.38, 0, 7.62, 98.4}}}},
    {"satellite", "Satellite", "satellite", Protocol::fixed_split, Images::none, 4435, 2000, 36, 6, 10.6,
     {{{64.4, 35.6, 0, 98.8}, {86.5, 13.5, 0, 94.9}}}},
    {"shuttle", "Shuttle", "shuttle", Protocol::fixed_split, Images::none, 43500, 14500, 9, 7, 0.11,
     {{{99.17, 0, 0.83, 99.9}, {94.99, 0, 5.01, 99.9}}}},
    {"segment", "Segment", "segment", Protocol::cross_validation, Images::none, 2310, 0, 9, 7, 3.68,
     {{{90.04, 9.96, 0, 100}, {97.36, 0, 2.64, 99.1}}}},
}};
// clang-format on

struct SetData {
  data::DenseMatrix training;
  std::vector<int> labels;
  data::DenseMatrix test;
  std::vector<int> test_labels;
  std::size_t class_count = 0;
};

std::string checksum_of(const SetData& data) {
  core::Fingerprint sum;
  for (const data::DenseMatrix* rows : {&data.training, &data.test})
    sum.add(std::span<const double>(rows->values.data(), rows->values.size()));
  for (const std::vector<int>* labels : {&data.labels, &data.test_labels}) sum.add(std::span<const int>(*labels));
  const std::uint64_t sizes[] = {data.training.rows, data.test.rows, data.class_count};
  sum.add(std::span<const std::uint64_t>(sizes));
  return sum.text();
}

std::string path_of(const std::string& folder, const std::string& stem, const char* name) {
  return required_file_of(folder, stem, std::string("a file of the data set ") + name, of_many);
}

data::DenseMatrix numbers_of(const data::Dataset& dataset) {
  check_numbers(dataset);
  return dataset.features.to_dense();
}

void check_labels(const data::Dataset& dataset) {
  if (!dataset.is_labelled()) throw Error(ErrorCode::invalid_data, "there are no labels", {dataset.source});
  const auto unknown = std::find_if(dataset.labels.begin(), dataset.labels.end(), [](int label) { return label < 0; });
  if (unknown == dataset.labels.end()) return;
  const auto row = static_cast<std::size_t>(unknown - dataset.labels.begin());
  throw Error(ErrorCode::invalid_data,
              fmt::format("the class of data row {} occurs in no training row", dataset.file_rows[row]),
              {dataset.source});
}

void check_images(const PaperSet& set, const data::DenseMatrix& rows) {
  if (set.images == Images::none || rows.columns == side * side) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("{}: images have {} pixels, not {}", set.name, side * side, rows.columns));
}

void normalise(std::span<double> row) {
  const auto n = static_cast<double>(row.size());
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / n;
  double squares = 0;
  for (const double value : row) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / n);
  for (double& value : row) value = deviation > 0 ? (value - mean) / deviation : 0;
}

/// Weights of the Gaussian at distances -3, ..., 3, which sum to 1.
std::array<double, 7> gaussian(double width) {
  std::array<double, 7> weights{};
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double t = (static_cast<double>(i) - 3) / width;
    weights[i] = std::exp(-t * t / 2);
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Along one direction; beyond the edge the image is mirrored, the edge pixel included.
void smooth_line(double* first, std::size_t step, const std::array<double, 7>& weights) {
  std::array<double, side> line{};
  for (std::size_t i = 0; i < side; ++i) line[i] = first[i * step];
  for (std::size_t i = 0; i < side; ++i) {
    double sum = 0;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      const auto at = static_cast<std::ptrdiff_t>(i + w) - 3;
      const auto last = static_cast<std::ptrdiff_t>(side) - 1;
      const std::ptrdiff_t inside = at < 0 ? -at - 1 : at > last ? 2 * last - at + 1 : at;
      sum += weights[w] * line[static_cast<std::size_t>(inside)];
    }
    first[i * step] = sum;
  }
}

void smooth(std::span<double> image, const std::array<double, 7>& weights) {
  for (std::size_t i = 0; i < side; ++i) smooth_line(image.data() + i * side, 1, weights);
  for (std::size_t i = 0; i < side; ++i) smooth_line(image.data() + i, side, weights);
}

/// In place. @param width  of the Gaussian, positive
void prepare_images(data::DenseMatrix& rows, Images images, double width) {
  if (images == Images::none) return;
  const std::array<double, 7> weights = gaussian(width);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (images == Images::smoothed) smooth(rows.row(i), weights);
    normalise(rows.row(i));
  }
}

/// Numbers as they are compared; the test rows are empty if there is no fixed split.
/// @throws Error file with the file's name and where anyone gets the data; invalid_data for text columns, a test label
/// that no training row has, or images that are not of 256 pixels
SetData read_set(const PaperSet& set, const std::string& folder, double smoothing) {
  const bool split = set.protocol == Protocol::fixed_split;
  const std::string file = set.file;
  const data::Dataset training = data::read(path_of(folder, split ? file + ".train" : file, set.name));
  data::check_trainable(training);
  SetData data;
  data.training = numbers_of(training);
  data.labels = training.labels;
  data.class_count = training.class_count();
  check_images(set, data.training);
  prepare_images(data.training, set.images, smoothing);
  if (!split) return data;
  data::ReadOptions options;
  options.schema = &training.schema;
  const data::Dataset test = data::read(path_of(folder, file + ".test", set.name), options);
  check_labels(test);
  data.test = numbers_of(test);
  data.test_labels = test.labels;
  prepare_images(data.test, set.images, smoothing);
  return data;
}

/// In what the data differ from what the paper says of them; empty if in nothing.
std::vector<std::string> mismatches(const PaperSet& set, const SetData& data) {
  const bool split = set.protocol == Protocol::fixed_split;
  return differences({{split ? "training rows" : "rows", data.training.rows, set.training_rows},
                      {"test rows", data.test.rows, set.test_rows},
                      {"features", data.training.columns, set.features},
                      {"classes", data.class_count, set.classes}});
}

constexpr int folds = 10;
constexpr std::size_t figure_1_k = 20;
constexpr std::size_t figure_2_rows = 50;
constexpr std::size_t figure_2_samples = 1000;
constexpr std::uint64_t figure_2_purpose = 0x66696775726532;  // "figure2"

conformal::NeighbourOptions options_of(int k) {
  conformal::NeighbourOptions options;
  options.k = k;
  return options;
}

data::DenseMatrix p_values(const conformal::Machine& machine, const data::DenseMatrix& test,
                           const core::Context& context) {
  return conformal::p_values(machine.ranks(test, false, context), {});
}

std::size_t count_errors(const data::DenseMatrix& p_values, const std::vector<int>& labels) {
  return conformal::evaluate(p_values, labels, {}, false).errors;
}

double distance(std::span<const double> x, std::span<const double> z) {
  double sum = 0;
  for (std::size_t f = 0; f < x.size(); ++f) sum += (x[f] - z[f]) * (x[f] - z[f]);
  return std::sqrt(sum);
}

/// Of plain k-nearest neighbours for k = 1, ..., most: a row gets the label that most of its k nearest rows have. Of
/// rows at equal distance the row of the lower class counts as nearer; of labels with equal counts that of the nearest
/// row wins. Source: Cover and Hart, IEEE Trans. IT 13 (1967).
std::vector<std::size_t> neighbour_errors(const SetData& data, std::size_t most, const core::Context& context) {
  std::vector<std::vector<bool>> wrong(data.test.rows, std::vector<bool>(most));
  context.threads.for_each(data.test.rows, [&](std::size_t row) {
    if (context.monitor.should_stop()) throw Error(ErrorCode::interrupted, "the search for neighbours was stopped");
    std::vector<std::pair<double, int>> near;
    for (std::size_t i = 0; i < data.training.rows; ++i)
      near.emplace_back(distance(data.training.row(i), data.test.row(row)), data.labels[i]);
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(most));
    std::vector<std::size_t> votes(data.class_count);
    for (std::size_t k = 0; k < most; ++k) {
      ++votes[static_cast<std::size_t>(near[k].second)];
      const std::size_t highest = *std::ranges::max_element(votes);
      const auto first = std::ranges::find_if(
          near, [&](const auto& one) { return votes[static_cast<std::size_t>(one.second)] == highest; });
      wrong[row][k] = first->second != data.test_labels[row];
    }
  });
  return core::made(most, [&](std::size_t k) {
    return static_cast<std::size_t>(std::ranges::count_if(wrong, [k](const auto& of_row) { return of_row[k]; }));
  });
}

std::vector<int> pick(const std::vector<int>& labels, const std::vector<std::size_t>& rows) {
  std::vector<int> picked;
  for (const std::size_t i : rows) picked.push_back(labels[i]);
  return picked;
}

SetData data_of_fold(const SetData& all, const std::vector<int>& fold_of, int fold) {
  const auto training = data::rows_where(fold_of, [&](int other) { return other != fold; });
  const auto test = data::rows_where(fold_of, fold);
  const data::Features rows = all.training;
  return {rows.select_rows(training).dense(), pick(all.labels, training), rows.select_rows(test).dense(),
          pick(all.labels, test), all.class_count};
}

/// Appends the rows of one split to a pass.
void run_split(const SetData& data, Pass& pass, const core::Context& context) {
  const conformal::TransductiveNeighbours machine(data.training, data.labels, data.class_count, options_of(1), context);
  const data::DenseMatrix found = p_values(machine, data.test, context);
  pass.p_values.values.insert(pass.p_values.values.end(), found.values.begin(), found.values.end());
  pass.p_values.rows += found.rows;
  pass.p_values.columns = found.columns;
  pass.labels.insert(pass.labels.end(), data.test_labels.begin(), data.test_labels.end());
  const std::size_t plain = neighbour_errors(data, 1, context).front();
  pass.folds.push_back({found.rows, count_errors(found, data.test_labels), plain});
}

Ties count_ties(const data::DenseMatrix& p_values, std::span<const int> labels) {
  Ties ties;
  for (std::size_t i = 0; i < p_values.rows; ++i) {
    const auto row = p_values.row(i);
    const auto largest = std::max_element(row.begin(), row.end());
    if (std::count(row.begin(), row.end(), *largest) < 2) continue;
    ++ties.rows;
    if (largest - row.begin() != labels[i]) ++ties.errors;
    if (row[static_cast<std::size_t>(labels[i])] != *largest) ++ties.unavoidable;
  }
  return ties;
}

Pass run_pass(const PaperSet& set, const SetData& data, std::uint64_t seed, const core::Context& context) {
  Pass pass;
  pass.seed = seed;
  if (set.protocol == Protocol::fixed_split) {
    run_split(data, pass, context);
  } else {
    const std::vector<int> fold_of = data::stratified_k_fold(data.labels, folds, seed);
    for (int fold = 0; fold < folds; ++fold) run_split(data_of_fold(data, fold_of, fold), pass, context);
  }
  pass.ties = count_ties(pass.p_values, pass.labels);
  return pass;
}

data::DenseMatrix first_columns(const data::DenseMatrix& matrix, std::size_t count) {
  data::DenseMatrix columns(matrix.rows, count);
  for (std::size_t i = 0; i < matrix.rows; ++i) std::copy_n(matrix.row(i).begin(), count, columns.row(i).begin());
  return columns;
}

/// The state for a smaller k is part of that for the largest.
Figure1 figure_1(const SetData& data, const core::Context& context) {
  const auto k_max = static_cast<int>(std::min(figure_1_k, data.training.rows));
  const conformal::TransductiveNeighbours largest(data.training, data.labels, data.class_count, options_of(k_max),
                                                  context);
  const conformal::TransductiveNeighbours::State state = largest.state();
  Figure1 figure;
  figure.rows = data.test.rows;
  for (int k = 1; k <= k_max; ++k) {
    const auto count = static_cast<std::size_t>(k);
    const conformal::TransductiveNeighbours machine(
        {state.rows, state.labels, first_columns(state.own, count), first_columns(state.other, count)},
        data.class_count, options_of(k));
    figure.tcm.push_back(count_errors(p_values(machine, data.test, context), data.test_labels));
  }
  figure.neighbours = neighbour_errors(data, figure.tcm.size(), context);
  return figure;
}

std::vector<double> true_p_values(const Pass& pass) {
  std::vector<double> values;
  for (std::size_t i = 0; i < pass.labels.size(); ++i)
    values.push_back(pass.p_values.row(i)[static_cast<std::size_t>(pass.labels[i])]);
  return values;
}

/// Share of prediction sets at significance eps that hold the true class.
double share_held(std::span<const double> true_p, double significance) {
  const auto held = std::count_if(true_p.begin(), true_p.end(),
                                  [significance](double p) { return conformal::in_set(p, significance); });
  return static_cast<double>(held) / static_cast<double>(true_p.size());
}

std::vector<std::vector<double>> draw_samples(const std::vector<double>& values, std::size_t size, std::uint64_t seed) {
  core::RandomStream random(seed, figure_2_purpose);
  std::vector<std::vector<double>> samples(figure_2_samples);
  std::vector<double> shuffled = values;
  for (std::vector<double>& sample : samples) {
    random.shuffle(shuffled);
    sample.assign(shuffled.begin(), shuffled.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return samples;
}

/// Million steps of training and of a query of all test rows.
std::size_t training_units(std::size_t rows, std::size_t columns) {
  return rows * rows * columns / 2000000 + 1;
}
std::size_t query_units(std::size_t rows, std::size_t test_rows, std::size_t columns) {
  return rows * test_rows * columns / 1000000 + 1;
}

std::size_t pass_units(const PaperSet& set, const SetData& data) {
  const std::size_t rows = data.training.rows;
  const std::size_t columns = data.training.columns;
  if (set.protocol == Protocol::fixed_split)
    return training_units(rows, columns) + 2 * query_units(rows, data.test.rows, columns);
  return folds * (training_units(rows, columns) + 2 * query_units(rows, rows / folds, columns));
}

std::size_t figure_units(const PaperSet& set, const SetData& data) {
  if (set.images == Images::none) return 0;
  return training_units(data.training.rows, data.training.columns) +
         (figure_1_k + 1) * query_units(data.training.rows, data.test.rows, data.training.columns);
}

int passes_of(const PaperSet& set, int shuffles) {
  return set.protocol == Protocol::fixed_split ? 1 : shuffles;
}

Figure2 figure_2(const Pass& pass, std::uint64_t seed) {
  const std::vector<double> all = true_p_values(pass);
  Figure2 figure{std::min(figure_2_rows, all.size()), figure_2_samples, {}};
  const auto samples = draw_samples(all, figure.instances, seed);
  for (int percent = 1; percent <= 100; ++percent) {
    const double significance = percent / 100.0;
    std::vector<double> shares;
    for (const std::vector<double>& sample : samples) shares.push_back(share_held(sample, significance));
    const double first = shares.front();
    std::sort(shares.begin(), shares.end());
    figure.points.push_back({(100 - percent) / 100.0, share_held(all, significance), first,
                             shares[figure_2_samples / 20 - 1], shares[figure_2_samples - figure_2_samples / 20]});
  }
  return figure;
}

std::size_t units_of(const PaperSet& set, const SetData& data, int shuffles) {
  return static_cast<std::size_t>(passes_of(set, shuffles)) * pass_units(set, data) + figure_units(set, data);
}

SetResult run_set(const PaperSet& set, const SetData& data, const std::string& checksum, int shuffles,
                  std::uint64_t seed, const core::Context& context) {
  const double start = context.monitor.seconds();
  SetResult result{&set, data.training.rows, data.test.rows, mismatches(set, data), {}, {}, {}, 0, true};
  for (int s = 0; s < passes_of(set, shuffles) && result.complete; ++s) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(s);
    auto pass = recalled_or({"tcm-nn", checksum, set.key}, {own}, pass_units(set, data), context,
                            [&](const core::Context& part) { return run_pass(set, data, own, part); });
    result.complete = pass.has_value();
    if (!pass) break;
    pass->found = conformal::evaluate(pass->p_values, pass->labels, levels, false);
    result.passes.push_back(std::move(*pass));
  }
  if (set.images != Images::none && result.complete) {
    result.confidence = figure_2(result.passes.front(), seed);
    result.neighbours = recalled_or({"tcm-nn figure 1", checksum, set.key}, {}, figure_units(set, data), context,
                                    [&](const core::Context& part) { return figure_1(data, part); });
    result.complete = result.neighbours.has_value();
  }
  result.seconds = context.monitor.seconds() - start;
  return result;
}

/// Without --repeats: enough to tell the deviation over folds.
constexpr int default_shuffles = 10;

class TcmNn : public ExperimentWith<Report> {
 public:
  explicit TcmNn(const Request& request) : sets_(chosen_sets(sets, request.sets)) {
    report_.smoothing = request.smoothing.value_or(smoothing_width);
    report_.shuffles = request.repeats.value_or(default_shuffles);
    report_.seed = request.seed;
  }

  std::vector<Part> read(const std::string& folder) override {
    std::vector<Part> parts;
    for (const PaperSet* set : sets_) {
      const auto data = std::make_shared<const SetData>(read_set(*set, folder, report_.smoothing));
      const std::string checksum = checksum_of(*data);
      parts.push_back({units_of(*set, *data, report_.shuffles),
                       [this, set, data, checksum](const core::Context& context) {
                         report_.sets.push_back(
                             run_set(*set, *data, checksum, report_.shuffles, report_.seed, context));
                         return report_.sets.back().complete;
                       },
                       checksum});
    }
    return parts;
  }

 private:
  std::vector<const PaperSet*> sets_;
};

}  // namespace

std::size_t Pass::neighbour_errors() const {
  return std::accumulate(folds.begin(), folds.end(), std::size_t{0},
                         [](std::size_t sum, const Fold& fold) { return sum + fold.neighbour_errors; });
}

}  // namespace credence::reproduce::tcm_nn

std::unique_ptr<credence::reproduce::Experiment> credence::reproduce::tcm_nn_experiment(const Request& request) {
  return std::make_unique<tcm_nn::TcmNn>(request);
}
