#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace gram_vs_formula_tests {

using namespace credence;
using kernel::KernelType;
using test::formula_kernels;
using test::random_matrix;
using test::random_thin_matrix;
using test::reference_block;
using test::sparse_of;

kernel::Gram gram_of(const kernel::Kernel& kernel, const data::Features& features) {
  return {kernel, kernel::Base(kernel.type, features)};
}

/// Formula to `tolerance` (relative, absolute below one), symmetry to the last bit, diagonal, layout.
void expect_gram(const kernel::Gram& gram, const data::DenseMatrix& expected, double tolerance,
                 const std::string& what) {
  const std::size_t n = expected.rows;
  ASSERT_EQ(gram.size(), n) << what;
  ASSERT_EQ(gram.matrix().stride, kernel::padded(n)) << what;
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(gram.matrix().row(0)) % 64, 0U) << what;
  ASSERT_EQ(gram.diagonal().size(), kernel::padded(n)) << what;
  for (std::size_t i = 0; i < n; ++i) {
    const float* row = gram.matrix().row(i);
    for (std::size_t j = 0; j < n; ++j) {
      const double value = expected.row(i)[j];
      ASSERT_NEAR(row[j], value, tolerance * std::max(1.0, std::abs(value))) << what << " (" << i << ", " << j << ")";
      ASSERT_EQ(row[j], gram.matrix().row(j)[i]) << what << " (" << i << ", " << j << ")";
    }
    for (std::size_t j = n; j < gram.matrix().stride; ++j) ASSERT_EQ(row[j], 0) << what << " padding of row " << i;
    ASSERT_EQ(gram.diagonal()[i], row[i]) << what;
  }
}

TEST(Gram, VsFormulaForAllSizes) {
  for (const std::size_t d : {1U, 3U, 8U, 17U}) {
    for (std::size_t n = 1; n <= 40; ++n) {
      const data::DenseMatrix x = random_matrix(n, d, n + 50 * d);
      const data::DenseMatrix thin = random_thin_matrix(n, d, n + 50 * d);
      for (const kernel::Kernel& kernel : formula_kernels(d)) {
        const std::string what = std::string(kernel::name(kernel.type)) + " n " + std::to_string(n);
        expect_gram(gram_of(kernel, x), reference_block(kernel, x, x), 2e-6, what);
        expect_gram(gram_of(kernel, sparse_of(thin)), reference_block(kernel, thin, thin), 2e-6, "sparse " + what);
      }
    }
  }
}

TEST(Gram, SmallValuesKeepTheirRelativeAccuracy) {
  const data::DenseMatrix x = random_matrix(30, 4, 3, 2.0);
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const kernel::Kernel kernel{.type = type, .gamma = 0.5};
    const kernel::Gram gram = gram_of(kernel, x);
    const data::DenseMatrix expected = reference_block(kernel, x, x);
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t j = 0; j < x.rows; ++j) {
        const double value = expected.row(i)[j];
        // A float distance carries a relative error of 6e-8, so the exponential one of 6e-8 times its exponent.
        const double tolerance = (1e-6 + 2e-7 * std::abs(std::log(value))) * value + 1e-30;  // smaller values are 0
        ASSERT_NEAR(gram.matrix().row(i)[j], value, tolerance);
      }
    }
  }
}

TEST(Gram, ExtremeGammas) {
  const data::DenseMatrix x = random_matrix(19, 3, 3);
  for (const double gamma : {std::ldexp(1.0, -30), std::ldexp(1.0, -15), 8.0, 1e4, 1e12}) {
    for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
      const kernel::Kernel kernel{.type = type, .gamma = gamma};
      expect_gram(gram_of(kernel, x), reference_block(kernel, x, x), 2e-6, "gamma " + std::to_string(gamma));
    }
  }
}

TEST(Gram, DiagonalIsExactlyOne) {
  const data::DenseMatrix x = random_matrix(37, 11, 8, 5.0, 3.0);
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    for (const double gamma : {1e-5, 1.0, 1e5}) {
      const kernel::Gram gram = gram_of({.type = type, .gamma = gamma}, x);
      for (std::size_t i = 0; i < x.rows; ++i) ASSERT_EQ(gram.diagonal()[i], 1.0F);
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < x.rows; ++j) {
          ASSERT_GE(gram.matrix().row(i)[j], 0.0F);
          ASSERT_LE(gram.matrix().row(i)[j], 1.0F);
        }
      }
    }
  }
}

TEST(Gram, EqualRowsGiveEqualRows) {
  for (const std::size_t d : {1U, 5U, 19U}) {
    const data::DenseMatrix few = random_matrix(7, d, d, 2.0);
    std::vector<std::size_t> repeats;
    for (std::size_t i = 0; i < 45; ++i) repeats.push_back((i * i + 2 * i) % 7);
    const data::DenseMatrix x = test::rows_of_matrix(few, repeats);
    for (const kernel::Kernel& kernel : formula_kernels(d)) {
      const kernel::Gram gram = gram_of(kernel, x);
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (repeats[i] != repeats[j]) continue;
          for (std::size_t k = 0; k < x.rows; ++k) {
            ASSERT_EQ(gram.matrix().row(i)[k], gram.matrix().row(j)[k])
                << kernel::name(kernel.type) << " rows " << i << ", " << j << " column " << k;
          }
        }
      }
    }
  }
}

TEST(Gram, LargeOffsetDoesNotDestroyDistances) {
  const data::DenseMatrix centred = random_matrix(33, 6, 12);
  for (const double offset : {1e4, -1e4, 1e5}) {
    data::DenseMatrix moved = centred;
    for (double& value : moved.values) value += offset;
    for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
      const kernel::Kernel kernel{.type = type, .gamma = 0.2};
      expect_gram(gram_of(kernel, moved), reference_block(kernel, moved, moved), 5e-6, "offset");
    }
  }
}

TEST(Gram, OneBaseServesManyGammas) {
  const data::DenseMatrix x = random_matrix(21, 4, 2);
  const kernel::Base base(KernelType::rbf, data::Features(x));
  EXPECT_EQ(base.type(), KernelType::rbf);
  for (const double gamma : {0.01, 0.1, 1.0}) {
    const kernel::Kernel kernel{.type = KernelType::rbf, .gamma = gamma};
    expect_gram(kernel::Gram(kernel, base), reference_block(kernel, x, x), 2e-6, "shared base");
  }
}

TEST(Base, HoldsSquaredAndManhattanDistances) {
  const data::DenseMatrix x = random_matrix(18, 5, 2);
  const kernel::Base squared(KernelType::rbf, data::Features(x));
  const kernel::Base manhattan(KernelType::laplacian, data::Features(x));
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.rows; ++j) {
      double two = 0;
      double one = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        const double difference = x.row(i)[k] - x.row(j)[k];
        two += difference * difference;
        one += std::abs(difference);
      }
      ASSERT_NEAR(squared.at(i, j), two, 1e-6 * std::max(two, 1.0));
      ASSERT_NEAR(manhattan.at(i, j), one, 1e-6 * std::max(one, 1.0));
    }
    ASSERT_EQ(squared.at(i, i), 0.0F);
    ASSERT_EQ(manhattan.at(i, i), 0.0F);
  }
}

TEST(Gram, PrecomputedTakesTheValues) {
  const data::DenseMatrix x = random_matrix(17, 3, 5);
  const data::DenseMatrix values = reference_block({.type = KernelType::linear}, x, x);
  const kernel::Kernel kernel{.type = KernelType::precomputed};
  expect_gram(gram_of(kernel, values), values, 2e-6, "precomputed");
  expect_gram(gram_of(kernel, sparse_of(values)), values, 2e-6, "sparse precomputed");
}

TEST(Gram, PrecomputedMustBeSquareAndSymmetric) {
  data::DenseMatrix values = reference_block({}, random_matrix(5, 2, 1), random_matrix(5, 2, 1));
  test::expect_error(ErrorCode::invalid_data, "",
                     [&] { kernel::Base(KernelType::precomputed, data::Features(random_matrix(5, 4, 1))); });
  values.row(1)[3] *= 1 + 1e-9;  // rounding is allowed
  EXPECT_NO_THROW(kernel::Base(KernelType::precomputed, data::Features(values)));
  values.row(1)[3] += 0.01;
  test::expect_error(ErrorCode::invalid_data, "symmetric",
                     [&] { kernel::Base(KernelType::precomputed, data::Features(values)); });
}

TEST(GramBytes, IsTheMemoryOfTheMatrix) {
  for (const std::size_t n : {1U, 16U, 17U, 1000U}) {
    EXPECT_GE(kernel::gram_bytes(n), n * kernel::padded(n) * sizeof(float));
    EXPECT_LE(kernel::gram_bytes(n), (n + 4) * kernel::padded(n) * sizeof(float) + 4096);
  }
}

}  // namespace gram_vs_formula_tests
