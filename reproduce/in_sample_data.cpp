#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

// Table IX as printed, test rows as Tables XI and XIII give them away.
constexpr std::array<PaperSet, 14> sets{{
    {"mnist", "MNIST 0/1", "anguita_mnist01", 13074, 784, 0, 0},
    {"brain_tumor1", "Brain tumor 1", "brain_tumor1", 90, 5920, 18, 0},
    {"brain_tumor2", "Brain tumor 2", "brain_tumor2", 50, 10367, 14, 1},
    {"colon_ancona", "Colon cancer 1", "colon_ancona", 47, 22283, 11, 2},
    {"colon", "Colon cancer 2", "colon", 62, 2000, 14, 3},
    {"dlbcl", "DLBCL", "dlbcl", 77, 5469, 21, 4},
    {"duke", "Duke breast", "duke", 44, 7129, 12, 5},
    {"golub", "Leukemia", "golub", 72, 7129, 16, 6},
    {"leukemia1", "Leukemia 1", "leukemia1", 72, 5327, 20, 7},
    {"leukemia2", "Leukemia 2", "leukemia2", 72, 11225, 20, 8},
    {"lung_cancer", "Lung cancer", "lung_cancer", 203, 12600, 47, 9},
    {"myeloma", "Myeloma", "myeloma", 105, 28032, 25, 10},
    {"prostate_tumor", "Prostate tumor", "prostate_tumor", 102, 10509, 22, 11},
    {"srbct", "SRBCT", "srbct", 83, 2308, 23, 12},
}};
constexpr double largest_pixel = 255;
constexpr std::uint64_t draw_purpose = 0x696E73616D706C;  // "insampl"

data::Dataset scaled(const data::Dataset& raw, const data::Preprocessing& preprocessing) {
  data::Dataset dataset = raw;
  dataset.features = preprocessing.apply(raw);
  return dataset;
}

Split split_of(const data::Dataset& dataset, const std::vector<bool>& is_reference) {
  std::vector<std::size_t> training;
  std::vector<std::size_t> reference;
  for (std::size_t i = 0; i < is_reference.size(); ++i) (is_reference[i] ? reference : training).push_back(i);
  return {dataset.select_rows(training), dataset.select_rows(reference)};
}

}  // namespace

Settings settings_of(const Request& request) {
  const auto unless_given = [&](const std::string& given, const char* of_quick) {
    return given.empty() && request.quick ? std::string(of_quick) : given;
  };
  std::vector<std::string> size_words;
  for (const std::size_t size : sizes) size_words.push_back(std::to_string(size));
  std::vector<std::string> methods;
  for (const ColumnWords& column : column_words) methods.emplace_back(column.key);
  Settings settings;
  settings.sets = chosen_sets(sets, unless_given(request.sets, "mnist,duke,srbct"));
  settings.only_existing = request.sets.empty();
  settings.lines = positions_of("--sizes", unless_given(request.sizes, "10,40,100"), size_words);
  std::ranges::sort(settings.lines);
  for (const std::size_t column : positions_of("--methods", request.methods, methods))
    settings.columns.push_back(static_cast<Column>(column));
  std::ranges::sort(settings.columns);
  if (request.quick) settings.splits = 2;
  settings.draws = request.repeats.value_or(request.quick ? 3 : settings.draws);
  settings.seed = request.seed;
  return settings;
}

bool exists(const PaperSet& set, const std::string& folder) {
  return !file_of(folder, set.file).empty();
}

data::Dataset read_set(const PaperSet& set, const std::string& folder) {
  data::Dataset dataset =
      data::read(required_file_of(folder, set.file, std::string("the data set ") + set.name, of_many));
  data::check_trainable(dataset);
  check_numbers(dataset);
  if (dataset.class_count() != 2) join_other_classes(dataset);
  dataset.features = dataset.features.to_dense();
  if (set.is_mnist())
    for (double& pixel : dataset.features.dense().values) pixel /= largest_pixel;
  return dataset;
}

std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset) {
  return differences({{"rows", dataset.rows(), set.rows}, {"features", dataset.features.columns(), set.features}});
}

Split draw_balanced(const data::Dataset& dataset, std::size_t size, std::uint64_t seed) {
  std::vector<bool> is_reference(dataset.rows(), true);
  for (int label = 0; label < 2; ++label) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      if (dataset.labels[i] == label) rows.push_back(i);
    if (rows.size() <= size / 2) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{} training rows need more than {} rows of each class, and class {} has {}", size,
                              size / 2, dataset.schema.classes[static_cast<std::size_t>(label)], rows.size()),
                  {dataset.source});
    }
    core::RandomStream random(seed, draw_purpose + 1000 * size + static_cast<std::uint64_t>(label));
    random.shuffle(rows);
    for (std::size_t i = 0; i < size / 2; ++i) is_reference[rows[i]] = false;
  }
  return split_of(dataset, is_reference);
}

Split draw_stratified(const PaperSet& set, const data::Dataset& dataset, std::uint64_t seed) {
  const double share = static_cast<double>(set.test_rows) / static_cast<double>(set.rows);
  const Split raw = split_of(dataset, data::hold_out(dataset.labels, share, seed));
  const auto preprocessing = data::Preprocessing::fit(raw.training, data::Scaling::minmax);
  return {scaled(raw.training, preprocessing), scaled(raw.reference, preprocessing)};
}

}  // namespace credence::reproduce::in_sample
