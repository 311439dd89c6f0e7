#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/watch.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "neighbours/space/space.hpp"

/// What streams are compared with.
namespace credence::conformal {

/// Mean distances to the nearest of some rows.
class Distances {
 public:
  /// @param rows  preprocessed  @param which  of them are compared with, at least one
  /// @param fitted  how these scale columns, of all rows that are measured: others have no say in the scale
  Distances(const data::Features& rows, std::span<const std::size_t> which, const FittedScale& fitted = {});
  /// Of each row the mean distance to the nearest Familiarity::neighbours. @throws Error interrupted
  std::vector<double> of(const data::Features& rows, const core::Context& context) const;

 private:
  data::Features scaled(const data::Features& rows) const;

  std::vector<double> factors_;  ///< of the columns; empty: as they are
  std::unique_ptr<neighbours::Space> space_;
  std::size_t k_ = 1;
};

/// Counts of new values of each column between the quantiles of the known rows. Sparse rows have none.
class ColumnCounts {
 public:
  static constexpr std::size_t bins = 16;
  static constexpr std::size_t most_columns = 1000;

  ColumnCounts() = default;
  ColumnCounts(const data::Features& known, const std::vector<std::string>& names);

  /// Counts of new values, columns x bins.
  using Counts = std::vector<std::uint64_t>;
  Counts none() const { return Counts(known_.size(), 0); }
  void add(const data::Features& rows, std::size_t row, Counts& fresh) const;
  std::vector<MovedColumn> moved(const Counts& fresh) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> edges_;  ///< columns x (bins - 1)
  Counts known_;
};

/// Gamblers who bet on single columns: the place of a value among all before it, in 16 bins whose ends are quantiles of
/// rows that take no part. Sparse rows have none.
class ColumnBets {
 public:
  struct Bet {
    std::array<std::uint64_t, ColumnCounts::bins> counts{};
    JumperMixture mixture;
    std::array<double, 2> rise{};
    std::array<std::uint64_t, 2> start{};

    friend void visit(auto& bytes, Bet& bet) { bytes(bet.counts, bet.mixture, bet.rise, bet.start); }
  };

  ColumnBets() = default;
  /// @param apart  rows that the ends of bins come from
  explicit ColumnBets(const data::Features& apart);
  /// One for each column, which know these rows. @param kept  may be empty
  std::vector<Bet> begin(const data::Features& kept) const;
  /// @param number  of the row in the stream, from 0 on  @return the mean capital, and where the richest one saw a
  /// change begin
  Beside add(const data::Features& rows, std::size_t row, std::uint64_t seed, std::uint64_t number,
             std::vector<Bet>& bets) const;

 private:
  std::vector<double> edges_;  ///< columns x (bins - 1)
};

/// In [0, 1), of a value of a stream: which stream, and which value.
double tau_of(std::uint64_t seed, std::uint64_t stream, std::uint64_t number);

}  // namespace credence::conformal
