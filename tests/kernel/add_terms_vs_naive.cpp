#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/simd.hpp"
#include "support/on_target.hpp"
#include "support/random_data.hpp"

namespace add_terms_vs_naive_tests {

using namespace credence;
using test::OnTarget;

struct TermsCase {
  std::size_t width, count, columns;
  std::size_t first = 3;
  core::AlignedVector<float> rows;
  data::DenseMatrix factors;  ///< of more columns than are asked for
  std::vector<std::uint32_t> chosen;
  core::AlignedVector<double> out;

  TermsCase(std::size_t width_, std::size_t count_, std::size_t columns_)
      : width(width_),
        count(count_),
        columns(columns_),
        rows(count_ * stride()),
        factors(test::random_matrix(count_ + 1, columns_ + 2, 1)),
        out(columns_ * stride(), 0.5) {
    const data::DenseMatrix values = test::random_matrix(count, width, 2);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t j = 0; j < width; ++j) rows[t * stride() + j] = static_cast<float>(values.row(t)[j]);
      if (t % 3 != 1) chosen.push_back(static_cast<std::uint32_t>(first + t));
    }
  }

  std::size_t stride() const { return kernel::padded(width); }
  void add() {
    kernel::simd::add_terms(kernel::simd::Terms<float>{rows.data(), stride(), first, chosen.data(), chosen.size(),
                                                       factors.values.data(), columns + 2, columns},
                            out.data());
  }
};

TEST(AddTerms, VsNaiveForAllSizesAndTargets) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (const std::size_t width : {1U, 15U, 16U, 17U, 40U}) {
      for (const std::size_t count : {0U, 1U, 2U, 7U, 33U}) {
        for (const std::size_t columns : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 30U}) {
          TermsCase one(width, count, columns);
          one.add();
          for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t j = 0; j < width; ++j) {
              double expected = 0.5;
              for (std::size_t k = 0; k < one.chosen.size(); ++k)
                expected += one.factors.row(k)[c] * double{one.rows[(one.chosen[k] - one.first) * one.stride() + j]};
              ASSERT_NEAR(one.out[c * one.stride() + j], expected, 1e-13)
                  << hwy::TargetName(target) << " " << width << " x " << count << " x " << columns;
            }
          }
        }
      }
    }
  }
}

TEST(AddTerms, AColumnsSumsDoNotDependOnTheOthers) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    TermsCase all(37, 50, 11);
    all.add();
    for (std::size_t c = 0; c < 11; ++c) {
      core::AlignedVector<double> alone(all.stride(), 0.5);
      kernel::simd::add_terms(kernel::simd::Terms<float>{all.rows.data(), all.stride(), all.first, all.chosen.data(),
                                                         all.chosen.size(), all.factors.values.data() + c, 13, 1},
                              alone.data());
      for (std::size_t j = 0; j < 37; ++j)
        ASSERT_EQ(alone[j], all.out[c * all.stride() + j]) << hwy::TargetName(target) << ", column " << c;
    }
  }
}

}  // namespace add_terms_vs_naive_tests
