#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/conformal/measure.hpp"
#include "credence/core/random.hpp"
#include "support/naive_tcm.hpp"
#include "support/random_data.hpp"

namespace credence::test {

/// Examples and queries for the transductive predictor.
struct TcmProblem {
  data::DenseMatrix rows;
  std::vector<int> labels;
  std::size_t classes = 0;
  data::DenseMatrix queries;
};

/// Numbers on which a wrong rule, a lost tie or a distance in float shows.
enum class Numbers {
  normal,
  grid,            ///< integers 0..3: ties
  tenths,          ///< 0.1 times them: distances that are equal but for rounding
  offset_grid,     ///< 1e6 + integers
  far_normal,      ///< 1e8 + normal: no float tells rows apart
  near_copies,     ///< four places, each with rows 1e-9 apart
  scaled_columns,  ///< columns of 1e-6 .. 1e6
  huge,            ///< up to 1e150: no float holds it
  tiny,            ///< 1e-150: every float is 0
  denormal,        ///< 1e-310: squares are 0
  outlier,         ///< normal, with a row of 1e8
  far_column,      ///< normal, but 1e30 in the first column of all: its square is no float
  magnitudes,      ///< every number of its own magnitude, 1e-40 .. 1e40
};
inline constexpr std::array all_numbers{
    Numbers::normal,      Numbers::grid,           Numbers::tenths,    Numbers::offset_grid, Numbers::far_normal,
    Numbers::near_copies, Numbers::scaled_columns, Numbers::huge,      Numbers::tiny,        Numbers::denormal,
    Numbers::outlier,     Numbers::far_column,     Numbers::magnitudes};
inline constexpr std::array all_metrics{neighbours::Metric::euclidean, neighbours::Metric::manhattan,
                                        neighbours::Metric::cosine, neighbours::Metric::precomputed};
inline constexpr std::array measured_metrics{neighbours::Metric::euclidean, neighbours::Metric::manhattan,
                                             neighbours::Metric::cosine};
inline const std::vector<conformal::NeighbourMeasure> all_measures = [] {
  std::vector<conformal::NeighbourMeasure> nearest;
  for (const conformal::Measure& measure : conformal::measures())
    if (const auto options = conformal::neighbour_options(measure)) nearest.push_back(options->measure);
  return nearest;
}();

inline double random_number(Numbers kind, std::size_t column, core::RandomStream& random) {
  const auto integer = [&] { return static_cast<double>(random.below(4)); };
  switch (kind) {
    case Numbers::grid:
      return integer();
    case Numbers::tenths:
      return 0.1 * integer();
    case Numbers::offset_grid:
      return 1e6 + integer();
    case Numbers::far_normal:
      return 1e8 + random.normal();
    case Numbers::near_copies:
      return static_cast<double>(random.below(2)) + 1e-9 * random.normal();
    case Numbers::scaled_columns:
      return random.normal() * std::pow(10.0, static_cast<double>(column % 13) - 6);
    case Numbers::huge:
      return 1e150 * (2 * random.uniform() - 1);
    case Numbers::tiny:
      return 1e-150 * random.normal();
    case Numbers::denormal:
      return 1e-310 * random.normal();
    case Numbers::far_column:
      return column == 0 ? 1e30 : random.normal();
    case Numbers::magnitudes:
      return random.normal() * std::pow(10.0, 80 * random.uniform() - 40);
    default:
      return random.normal();
  }
}

inline data::DenseMatrix random_numbers(Numbers kind, std::size_t n, std::size_t d, core::RandomStream& random) {
  data::DenseMatrix result(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < d; ++f) result.row(i)[f] = random_number(kind, f, random);
  if (kind == Numbers::outlier && n > 0) std::fill(result.row(n / 2).begin(), result.row(n / 2).end(), 1e8);
  return result;
}

inline void copy_row(const data::DenseMatrix& from, std::size_t i, data::DenseMatrix& to, std::size_t j) {
  std::copy(from.row(i).begin(), from.row(i).end(), to.row(j).begin());
}

/// A share of the rows repeats earlier ones, with whatever label; a third of the queries are rows.
inline void repeat_rows(TcmProblem& problem, double share, core::RandomStream& random) {
  for (std::size_t i = 1; i < problem.rows.rows; ++i)
    if (random.uniform() < share) copy_row(problem.rows, random.below(i), problem.rows, i);
  for (std::size_t q = 0; q < problem.queries.rows && problem.rows.rows > 0; q += 3)
    copy_row(problem.rows, random.below(problem.rows.rows), problem.queries, q);
}

inline TcmProblem random_problem(Numbers kind, std::size_t n, std::size_t d, std::size_t classes, std::size_t queries,
                                 std::uint64_t seed) {
  core::RandomStream random(seed, 901);
  TcmProblem problem{random_numbers(kind, n, d, random), {}, classes, random_numbers(kind, queries, d, random)};
  for (std::size_t i = 0; i < n; ++i) problem.labels.push_back(static_cast<int>(random.below(classes)));
  repeat_rows(problem, 0.25, random);
  return problem;
}

/// About `zeros` of the numbers are 0.
inline TcmProblem thin_problem(Numbers kind, std::size_t n, std::size_t d, double zeros, std::uint64_t seed) {
  TcmProblem problem = random_problem(kind, n, d, 3, 12, seed);
  core::RandomStream random(seed, 902);
  for (data::DenseMatrix* matrix : {&problem.rows, &problem.queries})
    for (double& value : matrix->values) value = random.uniform() < zeros ? 0 : value;
  repeat_rows(problem, 0.1, random);
  return problem;
}

/// Distances between queries and rows, for the precomputed metric.
inline data::DenseMatrix naive_query_distances(const TcmProblem& problem, neighbours::Metric metric) {
  data::DenseMatrix result(problem.queries.rows, problem.rows.rows);
  for (std::size_t q = 0; q < result.rows; ++q)
    for (std::size_t i = 0; i < result.columns; ++i)
      result.row(q)[i] = naive_distance(problem.queries.row(q), problem.rows.row(i), metric);
  return result;
}

/// The same problem in a form that the metric can read: no rows of zeros for the cosine, distances for precomputed.
inline TcmProblem fit_for(neighbours::Metric metric, TcmProblem problem) {
  if (metric == neighbours::Metric::precomputed) {
    problem.queries = naive_query_distances(problem, neighbours::Metric::euclidean);
    problem.rows = naive_distances(problem.rows, neighbours::Metric::euclidean);
  }
  if (metric == neighbours::Metric::cosine) {
    for (data::DenseMatrix* matrix : {&problem.rows, &problem.queries}) {
      for (std::size_t i = 0; i < matrix->rows; ++i) {
        double squares = 0;
        for (const double value : matrix->row(i)) squares += value * value;
        if (squares == 0) matrix->row(i)[0] = 1;
      }
    }
  }
  return problem;
}

inline data::Features stored(const data::DenseMatrix& matrix, bool sparse) {
  return sparse ? data::Features(sparse_of(matrix)) : data::Features(matrix);
}

inline NaiveTcm naive_of(const TcmProblem& problem, const conformal::NeighbourOptions& options) {
  return {problem.rows, problem.labels, problem.classes, options};
}

inline conformal::TransductiveNeighbours trained(const TcmProblem& problem, const conformal::NeighbourOptions& options,
                                                 const core::Context& context, bool sparse = false) {
  return {stored(problem.rows, sparse), problem.labels, problem.classes, options, context};
}

inline std::string told(const conformal::NeighbourOptions& options) {
  return std::string(options.measure.name) + ", k = " + std::to_string(options.k) + ", metric " +
         std::to_string(static_cast<int>(options.metric));
}

inline std::string told(const conformal::Rank& rank) {
  return std::to_string(rank.greater) + " greater, " + std::to_string(rank.equal) + " equal, of " +
         std::to_string(rank.of);
}

/// Every count is the same; the first that is not is told.
inline void expect_same_ranks(const conformal::Ranks& fast, const conformal::Ranks& naive) {
  ASSERT_EQ(fast.rows, naive.rows);
  ASSERT_EQ(fast.classes, naive.classes);
  for (std::size_t q = 0; q < naive.rows; ++q) {
    for (std::size_t c = 0; c < naive.classes; ++c) {
      ASSERT_TRUE(fast.at(q, c) == naive.at(q, c))
          << "query " << q << ", class " << c << ": " << told(fast.at(q, c)) << "; naive: " << told(naive.at(q, c));
    }
  }
}

}  // namespace credence::test
