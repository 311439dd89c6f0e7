#include <gtest/gtest.h>

#include "support/rvm_fits.hpp"

/// Counts of work, which no processor and no other program changes: what a fit costs in factorisations.
namespace credence::rvm {
namespace work_counts_tests {

using test::fit_of;
using test::SparseProblem;

SparseProblem problem_of(std::size_t rows) {
  return test::random_problem(rows, 3, data::Task::classification, 11).with_width(1.5);
}

/// The first ten or so updates, with all columns, are nearly all of the cost: it stays below 40 full factorisations,
/// the 15 or so of the first search among them, each of which takes a third of the others.
TEST(WorkOfBatch, IsFewFullFactorisations) {
  for (const std::size_t rows : {150U, 300U}) {
    const Fit fit = fit_of(problem_of(rows));
    EXPECT_LT(fit.full_factorisations, 40) << rows;
    EXPECT_LT(fit.newton_steps, 2U * static_cast<unsigned>(fit.iterations) + 40U) << rows;
    EXPECT_LT(fit.factorisations, static_cast<unsigned>(fit.iterations) + 40U) << rows;
  }
}

/// A sequential fit never factorises a model of many columns.
TEST(WorkOfSequential, IsLessThanOneFullFactorisation) {
  FitOptions options;
  options.algorithm = Algorithm::sequential;
  const Fit fit = fit_of(problem_of(300), options);
  EXPECT_LT(fit.full_factorisations, 5);
  EXPECT_LT(fit.columns.size(), 40U);
}

}  // namespace work_counts_tests
}  // namespace credence::rvm
