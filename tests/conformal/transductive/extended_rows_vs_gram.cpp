#include <gtest/gtest.h>

#include <numeric>

#include "conformal/transductive/extended_rows.hpp"
#include "conformal/transductive/known_rows.hpp"
#include "credence/kernel/gram.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace extended_rows_vs_gram_tests {

using kernel::KernelType;

/// The rows `chosen` of a matrix and behind them the last one.
void expect_part_of(const kernel::Gram& whole, const std::vector<std::size_t>& chosen, kernel::Rows& rows,
                    const std::string& what) {
  const std::size_t n = chosen.size();
  ASSERT_EQ(rows.size(), n) << what;
  const float* row_before = nullptr;
  std::size_t before = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const float* row = rows.row(a);
    for (std::size_t b = 0; b < n; ++b) {
      ASSERT_EQ(row[b], whole.matrix().row(chosen[a])[chosen[b]]) << what << ", " << a << ", " << b;
      if (row_before != nullptr) ASSERT_EQ(row_before[b], whole.matrix().row(chosen[before])[chosen[b]]) << what;
    }
    for (std::size_t b = n; b < kernel::padded(n); ++b) ASSERT_EQ(row[b], 0.0F) << what;
    ASSERT_EQ(rows.diagonal()[a], whole.matrix().row(chosen[a])[chosen[a]]) << what;
    if (a >= 2) {
      before = a - 2;  // fetched anew, then two more: valid until the third next call
      row_before = rows.row(before);
      rows.row(a - 1);
      rows.row(a);
    }
  }
  for (std::size_t b = n; b < kernel::padded(n); ++b) ASSERT_EQ(rows.diagonal()[b], 0.0F) << what;
}

TEST(ExtendedRowsVsGram, TheMatrixOfOneExampleMore) {
  for (const std::size_t n : {15U, 16U, 17U, 33U}) {
    for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::polynomial, KernelType::laplacian}) {
      for (const bool sparse : {false, true}) {
        if (sparse && type == KernelType::laplacian) continue;  // the same but for rounding
        const data::DenseMatrix x = test::random_thin_matrix(n + 1, 5, n);
        const data::Features all = sparse ? data::Features(test::sparse_of(x)) : data::Features(x);
        std::vector<std::size_t> known(n);
        std::iota(known.begin(), known.end(), std::size_t{0});
        kernel::Kernel kernel;
        kernel.type = type;
        kernel.gamma = 0.3;
        const kernel::Gram whole(kernel, kernel::Base(type, all));
        test::Surroundings surroundings;
        const KnownRows known_rows(all.select_rows(known), kernel, surroundings.context);
        const data::Features last = all.select_rows(std::vector<std::size_t>{n});
        const NewRows::Values values = NewRows(known_rows, last).values(0, 1);
        const std::unique_ptr<kernel::Rows> base = known_rows.rows(surroundings.context);

        // Rows 2 .. 4 and 7 .. n - 1, then the new one.
        std::vector<std::size_t> chosen{2, 3, 4};
        for (std::size_t i = 7; i <= n; ++i) chosen.push_back(i);
        const std::array<RowRange, 2> ranges{RowRange{2, 3}, RowRange{7, n - 7}};
        ExtendedRows extended(*base, ranges, {values.of(0), values.width}, values.own[0]);
        expect_part_of(whole, chosen, extended, "extended");
        ExtendedRows plain(*base, ranges);
        expect_part_of(whole, {chosen.begin(), chosen.end() - 1}, plain, "not extended");

        const std::size_t end = chosen.size() - 1;
        const std::vector<std::vector<std::size_t>> parts{{0, 2, 3, 5, end}, {1, 4, 6}, {0, 1, 2, end}};
        for (const std::vector<std::size_t>& keep : parts) {
          std::vector<std::size_t> of_whole;
          for (const std::size_t a : keep) of_whole.push_back(chosen[a]);
          const std::unique_ptr<kernel::Rows> part = extended.subset(keep);
          expect_part_of(whole, of_whole, *part, "part");
        }
        const std::unique_ptr<kernel::Rows> part = extended.subset(parts[0]);
        expect_part_of(whole, {chosen[0], chosen[3], n}, *part->subset(std::vector<std::size_t>{0, 2, 4}),
                       "part of a part");
      }
    }
  }
}

}  // namespace extended_rows_vs_gram_tests
}  // namespace credence::conformal
