#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/qp/solver.hpp"
#include "support/on_target.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "support/reference_qp.hpp"

namespace simd_targets_agree_tests {

using namespace credence;
using test::OnTarget;

/// The targets of this processor that the library has code for.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> result;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) result.push_back(target);
  return result;
}

TEST(SimdTargets, TheNameIsThatOfTheTargetInUse) {
  for (const std::int64_t target : targets()) {
    const OnTarget on(target);
    EXPECT_EQ(kernel::simd_target(), hwy::TargetName(target));
  }
}

TEST(SimdTargets, GramsAndRowsAgreeWithTheFormula) {
  for (const std::int64_t target : targets()) {
    const OnTarget on(target);
    for (const std::size_t n : {1U, 5U, 15U, 16U, 17U, 31U, 33U}) {
      for (const std::size_t d : {1U, 3U, 8U, 15U, 17U}) {
        const data::DenseMatrix x = test::random_matrix(n, d, n + d);
        for (const kernel::Kernel& kernel : test::formula_kernels(d)) {
          const data::DenseMatrix expected = test::reference_block(kernel, x, x);
          const kernel::Gram gram(kernel, kernel::Base(kernel.type, data::Features(x)));
          const auto cached = kernel::cached_rows(kernel, data::Features(x), std::size_t{1} << 16);
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              const double scale = std::max(1.0, std::abs(expected.row(i)[j]));
              ASSERT_NEAR(gram.matrix().row(i)[j], expected.row(i)[j], 2e-6 * scale)
                  << hwy::TargetName(target) << " " << kernel::name(kernel.type);
              ASSERT_NEAR(cached->row(i)[j], expected.row(i)[j], 5e-6 * scale)
                  << hwy::TargetName(target) << " " << kernel::name(kernel.type);
            }
          }
        }
      }
    }
  }
}

TEST(SimdTargets, SolutionsAgree) {
  for (const std::size_t n : {2U, 7U, 16U, 17U, 100U, 131U}) {
    const test::Clouds clouds = test::random_clouds(n, 4, 2, 0.7, n);
    test::MatrixRows rows(test::reference_block({.type = kernel::KernelType::rbf, .gamma = 0.2}, clouds.x, clouds.x));
    std::vector<double> y;
    for (const int c : clouds.classes) y.push_back(c == 1 ? 1 : -1);
    const qp::Problem problem = test::classification_problem(y, 30);
    const data::DenseMatrix k = rows.matrix();
    const test::PointReport reference = test::report(k, problem, test::reference_solution(k, problem));
    for (const std::int64_t target : targets()) {
      const OnTarget on(target);
      qp::State state = qp::zero_state(problem);
      const core::Monitor monitor;
      const qp::Statistics statistics = qp::solve(rows, problem, state, {.tolerance = 1e-6}, monitor);
      EXPECT_EQ(statistics.status, qp::Status::converged) << hwy::TargetName(target);
      const test::PointReport point = test::report(k, problem, state.beta);
      EXPECT_LE(point.gap, 1.1e-6) << hwy::TargetName(target) << " n " << n;
      EXPECT_NEAR(point.objective, reference.objective, 1e-7 * (1 + std::abs(reference.objective)))
          << hwy::TargetName(target) << " n " << n;
    }
  }
}

}  // namespace simd_targets_agree_tests
