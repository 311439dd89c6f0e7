#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

/// Which methods choose among several kernels and scalings by default, and what is given instead is taken as given.
namespace default_grid_contract_tests {

using namespace credence;
using data::Scaling;
using kernel::KernelType;
using selection::Learner;
using selection::Options;
using selection::Rule;
using test::expect_error;

const data::Dataset& numbers() {
  static const data::Dataset dataset = test::random_clouds(60, 3, 2, 0.9, 5).dataset();
  return dataset;
}

data::Dataset thin_rows() {
  const test::Clouds clouds = test::random_clouds(60, 3, 2, 0.9, 5);
  return data::make_dataset(data::Features(test::sparse_of(clouds.x)), clouds.labels);
}

/// What takes part: kernels, scalings, numbers of gammas and of costs, and the rule.
struct Grid {
  std::vector<KernelType> kernels;
  std::vector<Scaling> scalings;
  std::size_t gammas;
  std::size_t costs;
  Rule rule;

  bool operator==(const Grid&) const = default;
};

void PrintTo(const Grid& grid, std::ostream* out) {
  for (const KernelType type : grid.kernels) *out << kernel::name(type) << ' ';
  for (const Scaling scaling : grid.scalings) *out << core::word(scaling) << ' ';
  *out << grid.gammas << " gammas, " << grid.costs << " costs, " << core::word(grid.rule);
}

Grid grid_of(const Options& options, const data::Dataset& rows = numbers()) {
  const Options all = options.resolved_for(rows);
  return {all.kernels.types, all.preparation.scalings, all.kernels.gamma.size(), all.costs.axis().size(),
          all.rule_or_best()};
}

const std::vector<KernelType> both_kernels{KernelType::rbf, KernelType::laplacian};
const std::vector<Scaling> both_scalings{Scaling::standard, Scaling::quantile};
const Grid one_svm{{KernelType::rbf}, {Scaling::standard}, 10, 11, Rule::best};

TEST(DefaultGrid, IsOfTheseMethodsOfSvmsAlone) {
  const std::set<std::string> several{"cv", "regions"};
  for (const std::string& method : selection::methods()) {
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      Options options;
      options.method = selection::method_named(method);
      if (!selection::chooses_from(options.method, learner)) continue;
      options.choose_from(learner);
      SCOPED_TRACE(method + ", " + std::string(core::word(learner)));
      const bool expected = several.contains(method) && learner == Learner::svm;
      EXPECT_EQ(options.has_default_grid(), expected);
      const Options all = options.resolved_for(numbers());
      EXPECT_EQ(all.preparation.scalings.size(), expected ? 2U : 1U);
      EXPECT_EQ(all.kernels.types.size(), expected ? 2U : learner == Learner::knn ? 0U : 1U);
      if (options.looks_at("rule")) EXPECT_EQ(all.rule, expected && method == "cv" ? Rule::average : Rule::best);
      if (options.has_costs() && !expected) EXPECT_EQ(all.costs.C, selection::SvmCosts::default_costs());
      options.choose_one_svm();
      if (options.has_costs() && !options.has_rvms()) EXPECT_EQ(grid_of(options), one_svm);
    }
  }
  Options race;
  race.race = selection::Race::yes;
  EXPECT_EQ(grid_of(race), grid_of({}));
  Options one_partition;
  one_partition.method = selection::Regions{.partitions = 1};
  EXPECT_EQ(grid_of(one_partition), one_svm);
  Options numbers_predicted;
  numbers_predicted.task = data::Task::regression;
  EXPECT_FALSE(numbers_predicted.has_default_grid());
}

/// Six widths in units of the median distance and six costs, of two kernels and two scalings: 144 settings.
TEST(DefaultGrid, OfRowsOfNumbersIsThis) {
  const Options all = Options{}.resolved_for(numbers());
  EXPECT_EQ(grid_of({}), (Grid{both_kernels, both_scalings, 6, 6, Rule::average}));
  EXPECT_EQ(all.costs.C, (std::vector<double>{1.0 / 32, 0.25, 1, 4, 32, 512}));
  const std::vector<double> powers{-5, -3, -1.5, 0, 1.5, 3};
  for (std::size_t k = 0; k < powers.size(); ++k) {
    EXPECT_EQ(all.kernels.gamma[k].kind, kernel::GammaRule::Kind::median);
    EXPECT_DOUBLE_EQ(all.kernels.gamma[k].value, std::exp2(powers[k]));
  }
  // The same options with the same rows are resolved already.
  EXPECT_EQ(grid_of(all), grid_of({}));
}

TEST(DefaultGrid, WhatIsGivenIsTakenAsGiven) {
  using Change = std::function<void(Options&)>;
  const std::vector<KernelType> rbf{KernelType::rbf};
  const std::vector<Scaling> standard{Scaling::standard};
  const std::vector<std::tuple<std::string, Change, Grid>> changes{
      {"one kernel",
       [](Options& o) { o.kernels.types = {KernelType::laplacian}; },
       {{KernelType::laplacian}, both_scalings, 6, 6, Rule::average}},
      {"kernels without a distance",
       [](Options& o) { o.kernels.types = {KernelType::polynomial}; },
       {{KernelType::polynomial}, both_scalings, 10, 6, Rule::average}},
      {"gammas",
       [](Options& o) { o.kernels.gamma = kernel::parse_gammas("0.1,1"); },
       {rbf, both_scalings, 2, 6, Rule::average}},
      {"gammas of given kernels",
       [](Options& o) {
         o.kernels.types = both_kernels;
         o.kernels.gamma = kernel::parse_gammas("0.1,1");
       },
       {both_kernels, both_scalings, 2, 6, Rule::average}},
      {"sigmas",
       [](Options& o) {
         o.kernels.gamma = selection::KernelGrid::of_sigmas(std::vector<double>{1, 2, 4});
         o.kernels.by_sigma = true;
       },
       {rbf, both_scalings, 3, 6, Rule::average}},
      {"a scaling",
       [](Options& o) { o.preparation.scalings = {Scaling::minmax}; },
       {both_kernels, {Scaling::minmax}, 6, 6, Rule::average}},
      {"costs", [](Options& o) { o.costs.C = {1, 2}; }, {both_kernels, both_scalings, 6, 2, Rule::average}},
      {"nu", [](Options& o) { o.costs.nu = {0.2}; }, {both_kernels, both_scalings, 6, 1, Rule::average}},
      {"the best", [](Options& o) { o.rule = Rule::best; }, {both_kernels, both_scalings, 6, 6, Rule::best}},
      {"the most regularised",
       [](Options& o) { o.rule = Rule::one_se; },
       {both_kernels, both_scalings, 6, 6, Rule::one_se}},
      {"one setting",
       [](Options& o) {
         o.costs.C = {1};
         o.kernels.gamma = kernel::parse_gammas("median");
       },
       {rbf, standard, 1, 1, Rule::best}},
      {"one nu and one gamma",
       [](Options& o) {
         o.costs.nu = {0.2};
         o.kernels.gamma = kernel::parse_gammas("0.1");
       },
       {rbf, standard, 1, 1, Rule::best}},
      {"one cost of a kernel without gamma",
       [](Options& o) {
         o.kernels.types = {KernelType::linear};
         o.costs.C = {1};
       },
       {{KernelType::linear}, standard, 10, 1, Rule::best}},
      {"one setting of two kernels, averaged",
       [](Options& o) {
         o.kernels.types = both_kernels;
         o.kernels.gamma = kernel::parse_gammas("0.1");
         o.costs.C = {1};
         o.rule = Rule::average;
       },
       {both_kernels, standard, 1, 1, Rule::average}},
      {"one SVM", [](Options& o) { o.choose_one_svm(); }, one_svm},
      {"one SVM, but for its kernel",
       [](Options& o) {
         o.kernels.types = {KernelType::laplacian};
         o.choose_one_svm();
       },
       {{KernelType::laplacian}, standard, 10, 11, Rule::best}},
  };
  for (const auto& [name, change, expected] : changes) {
    Options options;
    change(options);
    EXPECT_TRUE(options.validate().empty()) << name;
    EXPECT_EQ(grid_of(options), expected) << name;
  }
}

TEST(DefaultGrid, OfSparseAndPrecomputedRowsIsOneSvm) {
  EXPECT_EQ(grid_of({}, thin_rows()), one_svm);
  Options precomputed;
  precomputed.kernels.types = {KernelType::precomputed};
  EXPECT_EQ(grid_of(precomputed), (Grid{{KernelType::precomputed}, {Scaling::none}, 10, 11, Rule::best}));
  Options ranks;
  ranks.preparation.scalings = {Scaling::quantile};
  const test::Surroundings surroundings;
  expect_error(ErrorCode::invalid_argument, "sparse rows know only the scalings",
               [&] { selection::Selector(ranks).select(thin_rows(), surroundings.context); });
}

/// Ranks of two values are the values, so that both scalings make the same columns.
TEST(DefaultGrid, OfColumnsOfTwoValuesHasOneScaling) {
  core::RandomStream random(3, 1);
  data::DenseMatrix votes(80, 4);
  std::vector<std::string> labels;
  for (double& value : votes.values) value = random.uniform() < 0.5 ? -1 : 4;
  for (std::size_t i = 0; i < votes.rows; ++i) labels.emplace_back(votes.row(i)[0] + votes.row(i)[1] > 1 ? "y" : "n");
  const data::Dataset dataset = data::make_dataset(votes, labels);
  const Grid standard{both_kernels, {Scaling::standard}, 6, 6, Rule::average};
  EXPECT_EQ(grid_of({}, dataset), standard);
  Options options;
  options.preparation.scalings = {Scaling::standard, Scaling::quantile};
  EXPECT_EQ(grid_of(options, dataset), standard);
  const test::Surroundings surroundings(2);
  EXPECT_EQ(selection::Selector(Options{}).select(dataset, surroundings.context).grid.size(), 72U);
  Options bootstrap = options;
  bootstrap.method = selection::Bootstrap{};
  EXPECT_EQ(grid_of(bootstrap, dataset).scalings, standard.scalings);
  options.preparation.scalings = {Scaling::quantile};  // alone it is taken as given
  EXPECT_EQ(grid_of(options, dataset).scalings, options.preparation.scalings);
  votes.row(0)[3] = 5;
  EXPECT_EQ(grid_of({}, data::make_dataset(votes, labels)).scalings, both_scalings);
}

TEST(DefaultGrid, EqualValuesOfListsCountOnce) {
  Options options;
  options.kernels.types = {KernelType::laplacian, KernelType::rbf, KernelType::laplacian};
  options.preparation.scalings = {Scaling::minmax, Scaling::minmax};
  options.kernels.gamma = kernel::parse_gammas("0.5,0.25");
  options.costs.C = {1, 4};
  EXPECT_EQ(grid_of(options), (Grid{{KernelType::laplacian, KernelType::rbf}, {Scaling::minmax}, 2, 2, Rule::average}));
}

TEST(DefaultGrid, ListsAreRefusedWhereOneIsTaken) {
  const auto refused = [](const Options& options, const char* part) {
    expect_error(ErrorCode::invalid_argument, part, [&] { selection::Selector{options}; });
  };
  const std::set<std::string> takers{"cv", "regions", "loo", "bootstrap", "kfold-nested", "holdout", "holdout-vote"};
  for (const std::string& method : selection::methods()) {
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      Options options;
      options.method = selection::method_named(method);
      if (!selection::chooses_from(options.method, learner)) continue;
      options.choose_from(learner);
      SCOPED_TRACE(method + ", " + std::string(core::word(learner)));
      options.preparation.scalings = both_scalings;
      if (takers.contains(method) && learner == Learner::svm) {
        options.kernels.types = both_kernels;
        EXPECT_TRUE(options.validate().empty());
        const Grid grid = grid_of(options);
        EXPECT_EQ(grid.kernels, both_kernels);
        EXPECT_EQ(grid.scalings, both_scalings);
        EXPECT_EQ(grid.gammas * grid.costs, options.has_default_grid() ? 36U : 110U);
        EXPECT_EQ(grid.rule, method == "cv" ? Rule::average : Rule::best);
        continue;
      }
      refused(options, "several kernels or scalings are lists to choose SVMs from, and ");
      if (learner == Learner::knn) continue;
      options.preparation.scalings = {};
      options.kernels.types = {KernelType::rbf, KernelType::linear};
      refused(options, "several kernels or scalings are lists to choose SVMs from, and ");
    }
  }
  Options options;
  options.kernels.types = {KernelType::rbf, KernelType::precomputed};
  refused(options, "a precomputed kernel has no others beside it");
  options.kernels.types = both_kernels;
  options.kernels.by_sigma = true;
  refused(options, "sigma is the width of the rbf kernel");
}

}  // namespace default_grid_contract_tests
