#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/conformal/martingale.hpp"
#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

/// Whether rows still come from where the rows of the training came from.
namespace credence::conformal {

struct WatchOptions {
  double alarm = 0.01;
  std::uint64_t seed = 0;

  static void describe(auto&& field) {
    field("alarm", &WatchOptions::alarm,
          "a stream of rows like those of the training ever gives an alarm with probability at most this",
          core::inside(0, 1));
    field("seed", &WatchOptions::seed, "of the rows that are compared with, and of ties");
  }
};

/// What is known of the label of a row.
namespace known_label {
inline constexpr int none = -2;   ///< nothing yet
inline constexpr int other = -1;  ///< a class that the model does not know; any other value is the class
}  // namespace known_label

/// Errors among labelled rows, with limits that hold at all times at once (bounds::running_interval).
struct RunningErrors {
  std::string of;  ///< a class; empty: of all rows
  std::uint64_t rows = 0;
  std::uint64_t errors = 0;  ///< rows with another label
};

/// How far a column of new rows has moved from the known rows since the change began (Evidence::began_row).
struct MovedColumn {
  std::string name;
  std::size_t column = 0;   ///< of the preprocessed rows
  double above = 0.5;       ///< chance that a new value is above a known one, ties half; 1/2: not moved
  double z = 0;             ///< of the rank test of Mann and Whitney, on 16 bins; nothing is proved of it
  double log_evidence = 0;  ///< natural logarithm of the capital of who bets on this column
};

/// Numbers of rows of one call.
struct Watched {
  std::size_t rows = 0;    ///< new ones
  std::size_t labels = 0;  ///< that became known
  std::size_t again = 0;   ///< rows that were seen before, and told nothing new
};

/// Watches a stream of rows for a model. What is watched:
/// - familiarity: the mean distance of a row to its nearest ones among a random half of the rows that the model keeps,
///   compared with the other half and with all rows before (Evidence). The first half alone sets the scale of columns,
///   if the model scales them. Half of the capital bets on that, the other half on single columns: the place of a value
///   among those before, in 16 bins whose ends the first half sets.
/// - with labels also how strange the row's class is to the model (1 - its p-value, or whether the label is wrong),
///   compared with all labelled rows before. Rows count in the order in which their labels come.
/// With labels each of the two has half of `alarm`. Rows fed whole or in pieces give the same bits.
/// Memory: 8 bytes for each row with an id, and what does not grow with the stream.
class Watch {
 public:
  static constexpr std::size_t least_known_rows = 20;

  /// @param labels  whether labels are watched too  @param model  which must outlive the object
  /// @throws Error invalid_argument for options out of range, and for a model that keeps too few rows of its training
  Watch(const model::Predictor& model, const WatchOptions& options, bool labels, const core::Context& context);
  /// Goes on from a state. @throws Error format for bytes that are no state, of a later version, altered, or of another
  /// model
  Watch(const model::Predictor& model, std::string_view state, const core::Context& context);
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

  /// @param rows    raw rows with the model's schema
  /// @param labels  known_label of each row; empty: nothing is known  @param ids  of each row; empty: rows have none
  /// @throws Error invalid_data as predict; invalid_argument for labels or ids of another number of rows, and rows with
  /// ids after rows without; interrupted. After an error the object is as before.
  Watched update(const data::Dataset& rows, std::span<const int> labels, std::span<const std::string> ids,
                 const core::Context& context);
  /// Bytes: versioned, with a checksum.
  std::string state() const;

  const WatchOptions& options() const;
  bool watches_labels() const;
  bool alarm() const;
  const Evidence& familiarity() const;
  const Evidence& labels() const;
  /// Of all labelled rows, then of each class.
  const std::vector<RunningErrors>& errors() const;
  /// From the one with the most evidence on; none of sparse rows.
  std::vector<MovedColumn> moved_columns() const;

 private:
  struct Impl;
  struct News;
  void check_call(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const;
  News news_of(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const;

  std::unique_ptr<Impl> impl_;
};

/// Whether the rows of a table come in an order: a watch of the rows in their order, for which a random quarter of the
/// table (at most 1,000 rows) is set apart. Columns are scaled by all rows.
/// @param order  value of each row; equal ones are put in a random order by the seed
/// @throws Error invalid_data for fewer than 20 rows; invalid_argument for another number of values
Evidence evidence_of_order(const data::Dataset& rows, std::span<const double> order, const WatchOptions& options,
                           const core::Context& context);

}  // namespace credence::conformal
