#pragma once

#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/options.hpp"

namespace credence::bench {

/// A data set as both sides get it.
struct Problem {
  std::string name;
  data::Dataset raw;           ///< as read
  data::Dataset standardised;  ///< mean 0, variance 1 on all rows
  std::vector<int> folds;      ///< ten stratified folds, seed 0
};

/// How a data set of the grid comparison is made.
struct Recipe {
  std::string name;
  std::string file;                   ///< in the folder of the data sets; empty: generated, see `overlapping_classes`
  std::vector<std::string> positive;  ///< classes against the rest; empty: the classes of the file
  std::size_t rows = 0;               ///< size of a random subset, seed 0; 0 is all rows
};

/// A grid as both sides get it.
struct Grid {
  std::vector<double> C = selection::SvmCosts::default_costs();
  std::vector<kernel::GammaRule> gamma = selection::KernelGrid::default_gammas();
};
/// Gives the grid to a method that is chosen already; a method without C takes the gammas.
void set_grid(selection::Options& options, const Grid& grid);

/// The data sets whose ratios are averaged, and pima before them.
std::vector<Recipe> grid_recipes();
/// The data set that ships with the project.
Recipe shipped_recipe();

/// The data sets of more than two classes.
std::vector<Recipe> many_class_recipes();
/// Three gammas, a quarter of LIBSVM's default 1 / features, that and four times it, with the costs of the default
/// grid.
Grid many_class_grid(const Problem& problem);
/// 26 classes in turn: normal clouds of variance 1 in 16 dimensions, whose centres are normal with variance 1; seed 26.
data::Dataset overlapping_classes(std::size_t rows);

Problem prepare(const Recipe& recipe, const std::string& folder);

/// Standardised rows of a file, all classes; a random subset if `rows` is not 0.
data::Dataset standardised_file(const std::string& path, std::size_t rows);

/// Standardised numbers, class index and fold, with a header, for programs that read CSV.
void write_with_folds(const std::string& path, const Problem& problem);

}  // namespace credence::bench
