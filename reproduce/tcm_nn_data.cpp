#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/data/reader.hpp"
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

}  // namespace

std::vector<const PaperSet*> sets_of(const std::string& keys) {
  return chosen_sets(sets, keys);
}

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

std::vector<std::string> mismatches(const PaperSet& set, const SetData& data) {
  const bool split = set.protocol == Protocol::fixed_split;
  return differences({{split ? "training rows" : "rows", data.training.rows, set.training_rows},
                      {"test rows", data.test.rows, set.test_rows},
                      {"features", data.training.columns, set.features},
                      {"classes", data.class_count, set.classes}});
}

}  // namespace credence::reproduce::tcm_nn
