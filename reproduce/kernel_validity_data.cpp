#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

// Table 1 as printed.
// clang-format off
constexpr std::array<PaperSet, table_1_sets + 1> sets{{
    {"australian", "AUSTRALIAN", "australian", "label", false, 690, 14,
     {{{15.5, 1.2}, {16.5, 1.9}, {18.6, 1.35}, {21, 3.6}}}, 13.4, {12.5, 15.5}},
    {"bupa", "BUPA", "bupa", "label", false, 345, 6,
     {{{41, 0.4}, {37.5, 2.5}, {39, 0.6}, {37.6, 3.8}}}, 31, {33, 42}},
    {"cleveland", "CLEVELAND", "cleveland", "label", true, 303, 13,
     {{{18.6, 1.8}, {21, 2.7}, {20, 2.5}, {28, 5.6}}}, 17, {17, 21}},
    {"credit", "CREDIT", "credit", "label", false, 690, 15,
     {{{17.3, 2.7}, {18, 1.6}, {16.9, 2.4}, {20, 2.9}}}, 14.5, {13, 15.5}},
    {"hepatitis", "HEPATITIS", "hepatitis", "histology", false, 155, 19,
     {{{43, 5.6}, {39.17, 3.8}, {39, 3.9}, {39.21, 4.6}}}, 36, {31, 38}},
    {"hungary", "HUNGARY", "hungary", "label", true, 294, 13,
     {{{22, 4.4}, {20, 2.3}, {24, 5.3}, {26, 4}}}, 18, {17, 20}},
    {"long_beach", "LONG BEACH", "long_beach", "label", true, 200, 13,
     {{{25.25, 0.5}, {25.18, 0.9}, {27, 1.7}, {26, 4.6}}}, 24.5, {25, 30}},
    {"pima", "PIMA", "pima", "label", false, 768, 8,
     {{{34, 2.7}, {30, 2}, {27, 2.5}, {29.6, 2.9}}}, 23, {23, 25.5}},
    {"switzerland", "SWITZERLAND", "switzerland", "label", true, 123, 13,
     {{{6.4, 1.6}, {8, 1.8}, {7, 2}, {7.6, 2.3}}}, 5.8, {5, 8}},
    {"sinc", "sinc", nullptr, nullptr, false, 0, 0, {}, 0, {}},
}};
// clang-format on
constexpr std::size_t training_part = 3;  // a third
constexpr std::size_t least_of_class = 2;
constexpr int most_draws = 1000;
constexpr std::uint64_t draw_purpose = 0x6B65726E76616C;  // "kernval"

data::Dataset read_file(const std::string& path, const std::string& label) {
  data::ReadOptions options;
  options.missing = data::Missing::impute;
  options.label = label;
  try {
    return data::read(path, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw Error(ErrorCode::invalid_data, fmt::format("the class is to be in a column '{}'", label), {path});
  }
}

/// The cells of a text column are numbers already: those of its levels.
void number_levels(data::Dataset& dataset) {
  for (data::Column& column : dataset.schema.columns) {
    column.kind = data::ColumnKind::numeric;
    column.levels.clear();
  }
}

/// Whether some class has fewer rows than it should.
bool lacks_a_class(const data::Dataset& dataset, std::span<const std::size_t> rows, std::size_t least) {
  std::array<std::size_t, 2> counts{};
  for (const std::size_t i : rows) ++counts[static_cast<std::size_t>(dataset.labels[i])];
  return std::min(counts[0], counts[1]) < least;
}

}  // namespace

Settings settings_of(const Request& request) {
  Settings settings;
  const bool few = request.quick && request.sets.empty();
  for (const PaperSet* set : chosen_sets(sets, few ? "cleveland,hepatitis,switzerland,sinc" : request.sets))
    if (set->is_sinc())
      settings.sinc = true;
    else
      settings.sets.push_back(set);
  settings.splits = request.splits.value_or(request.quick ? 4 : settings.splits);
  settings.seed = request.seed;
  return settings;
}

data::Dataset read_set(const PaperSet& set, const std::string& folder) {
  data::Dataset dataset =
      read_file(required_file_of(folder, set.file, std::string("the data set ") + set.name, of_uci), set.label);
  data::check_trainable(dataset);
  number_levels(dataset);
  if (set.zero_or_more) join_other_classes(dataset);
  if (dataset.class_count() != 2) {
    throw Error(ErrorCode::invalid_data, fmt::format("Table 1 has two classes, not {}", dataset.class_count()),
                {dataset.source, 0, set.label});
  }
  return dataset;
}

std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset) {
  return differences({{"rows", dataset.rows(), set.rows}, {"features", dataset.features.columns(), set.features}});
}

Halves draw(const data::Dataset& dataset, std::uint64_t seed) {
  core::RandomStream random(seed, draw_purpose);
  std::vector<std::size_t> rows(dataset.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t count = (rows.size() + training_part / 2) / training_part;
  for (int tries = 0; tries < most_draws; ++tries) {
    random.shuffle(rows);
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(count);
    if (lacks_a_class(dataset, std::span(rows).first(count), least_of_class)) continue;
    std::sort(rows.begin(), middle);
    std::sort(middle, rows.end());
    return {dataset.select_rows(std::span(rows).first(count)), dataset.select_rows(std::span(rows).subspan(count))};
  }
  throw Error(ErrorCode::invalid_data,
              fmt::format("no third of these {} rows has {} of each class", rows.size(), least_of_class),
              {dataset.source});
}

}  // namespace credence::reproduce::kernel_validity
