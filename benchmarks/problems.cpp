#include "problems.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <numeric>

#include "credence/core/random.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"

namespace credence::bench {
namespace {

data::Dataset random_rows(const data::Dataset& dataset, std::size_t rows) {
  if (rows == 0 || rows >= dataset.rows()) return dataset;
  std::vector<std::size_t> order(dataset.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  core::RandomStream(0).shuffle(order);
  order.resize(rows);
  std::sort(order.begin(), order.end());
  return dataset.select_rows(order);
}

/// The given classes become the second class, all others the first.
void make_two_classes(data::Dataset& dataset, const std::vector<std::string>& positive) {
  for (int& label : dataset.labels) {
    const std::string& name = dataset.schema.classes[static_cast<std::size_t>(label)];
    label = std::find(positive.begin(), positive.end(), name) != positive.end() ? 1 : 0;
  }
  dataset.schema.classes = {"0", "1"};
}

data::Dataset standardise(const data::Dataset& dataset) {
  const auto preprocessing = data::Preprocessing::fit(dataset, data::Scaling::standard);
  std::vector<std::string> labels;
  for (const int label : dataset.labels) labels.push_back(dataset.schema.classes[static_cast<std::size_t>(label)]);
  return data::make_dataset(preprocessing.apply(dataset), labels);
}

}  // namespace

std::vector<Recipe> grid_recipes() {
  return {{"pima", "pima.csv.gz", {}, 0},
          {"bupa", "bupa.csv.gz", {}, 0},
          {"ionosphere", "ionosphere.csv.gz", {}, 0},
          {"breastw", "breastw.csv.gz", {}, 0},
          {"australian", "australian.csv.gz", {}, 0},
          {"credit", "hardoon_credit.csv.gz", {}, 0},
          {"shuttle1800", "shuttle.train.csv.gz", {"1"}, 1800},
          {"satellite1800", "satellite.train.csv.gz", {"1", "2", "5"}, 1800}};
}

Recipe shipped_recipe() {
  return {"breast_cancer", "breast_cancer.csv", {}, 0};
}

std::vector<Recipe> many_class_recipes() {
  return {{"usps1500", "usps.train.csv.gz", {}, 1500}, {"satellite1800x6", "satellite.train.csv.gz", {}, 1800},
          {"segment", "segment.csv.gz", {}, 0},        {"glass6", "glass.csv.gz", {}, 0},
          {"letter1500", "letter.csv", {}, 1500},      {"clouds26", "", {}, 1500}};
}

void set_grid(selection::Options& options, const Grid& grid) {
  options.kernels.gamma = grid.gamma;
  if (options.has_costs()) options.costs.C = grid.C;
}

Grid many_class_grid(const Problem& problem) {
  Grid grid;
  grid.gamma.clear();
  const double usual = 1 / static_cast<double>(problem.standardised.features.columns());
  for (const double times : {0.25, 1.0, 4.0})
    grid.gamma.push_back({.kind = kernel::GammaRule::Kind::value, .value = times * usual});
  return grid;
}

data::Dataset overlapping_classes(std::size_t rows) {
  constexpr std::size_t classes = 26;
  constexpr std::size_t columns = 16;
  core::RandomStream random(26);
  data::DenseMatrix centres(classes, columns);
  for (double& value : centres.values) value = random.normal();
  data::DenseMatrix numbers(rows, columns);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    labels.emplace_back(1, static_cast<char>('a' + i % classes));
    for (std::size_t j = 0; j < columns; ++j) numbers.row(i)[j] = centres.row(i % classes)[j] + random.normal();
  }
  return data::make_dataset(std::move(numbers), labels);
}

Problem prepare(const Recipe& recipe, const std::string& folder) {
  Problem problem;
  problem.name = recipe.name;
  problem.raw =
      recipe.file.empty()
          ? overlapping_classes(recipe.rows)
          : random_rows(data::read(folder + "/" + recipe.file, {.missing = data::Missing::drop}), recipe.rows);
  if (!recipe.positive.empty()) make_two_classes(problem.raw, recipe.positive);
  problem.standardised = standardise(problem.raw);
  problem.folds = data::stratified_k_fold(problem.standardised.labels, 10, 0);
  return problem;
}

data::Dataset standardised_file(const std::string& path, std::size_t rows) {
  return standardise(random_rows(data::read(path), rows));
}

void write_with_folds(const std::string& path, const Problem& problem) {
  auto file = fmt::output_file(path);
  const data::DenseMatrix numbers = problem.standardised.features.to_dense();
  for (std::size_t j = 0; j < numbers.columns; ++j) file.print("x{},", j + 1);
  file.print("label,fold\n");
  for (std::size_t i = 0; i < numbers.rows; ++i) {
    for (const double value : numbers.row(i)) file.print("{},", value);
    file.print("{},{}\n", problem.standardised.labels[i], problem.folds[i]);
  }
}

}  // namespace credence::bench
