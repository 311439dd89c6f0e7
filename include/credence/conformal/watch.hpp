#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

/// Tests whether new rows still come from the distribution of the training rows.
namespace credence::conformal {

// ```cpp
// using namespace credence;
// conformal::Evidence evidence(100);  // an alarm at 100
// for (int row = 0; row < 200; ++row) evidence.add(row < 100 ? row % 7 : 10 + row % 7, 0.5);
// std::cout << (evidence.alarm_row() > 100 ? "alarm" : "quiet") << '\n';  // prints alarm
// ```

// Evidence that a stream is not exchangeable, row after row. Memory does not grow with the stream.

/// Counts of nonconformity scores that are rounded to about 0.4 % (8 bits of the mantissa). Rounding is fixed
/// beforehand and keeps the order, so that ranks among rounded values are as valid as ranks among values; ties are more
/// frequent.
class RoundedScores {
 public:
  /// @param nonconformity  no NaN
  void add(double nonconformity);
  /// Cost: one addition for each different rounded value.
  Rank rank(double nonconformity) const;
  std::uint64_t size() const { return size_; }
  /// False for bytes that were altered.
  bool holds_together() const;

  template <class Bytes>
  friend void visit(Bytes& bytes, RoundedScores& scores) {
    bytes(scores.keys_, scores.counts_, scores.size_);
  }

 private:
  std::vector<std::uint32_t> keys_;  ///< ascending
  std::vector<std::uint64_t> counts_;
  std::uint64_t size_ = 0;
};

/// A martingale that bets against p-values being independent and uniform: the mean of simple jumpers, one for each rate
/// of jumping, each of which bets 1 + e (p - 1/2) with e = -1, 0, 1 and sometimes changes e.
/// Source: Vovk, Petej, Nouretdinov, Ahlberg, Carlsson, Gammerman, Retrain or not retrain (2021), arXiv 2102.10439.
class JumperMixture {
 public:
  static constexpr std::array<double, 5> rates{1e-4, 1e-3, 1e-2, 1e-1, 1};

  JumperMixture();
  /// @param p  in [0, 1]
  void bet(double p);
  /// Natural logarithm of the capital. It is 0 at the start, where the capital is 1.
  double log_capital() const;

  template <class Bytes>
  friend void visit(Bytes& bytes, JumperMixture& mixture) {
    for (Jumper& jumper : mixture.jumpers_) bytes(jumper.share, jumper.log);
  }

 private:
  struct Jumper {
    std::array<double, 3> share{};  ///< of the capital that bets on e = -1, 0, 1
    double log = 0;                 ///< of the capital
  };
  std::array<Jumper, rates.size()> jumpers_;
};

/// A second gambler on the rows of an Evidence: his capital, and the row, from 1 on, at which the change began for him.
struct Beside {
  double log_capital = 0;
  std::uint64_t began = 1;
};

/// The evidence of a stream of nonconformity scores. Each score gets a smoothed p-value among the kept values and all
/// earlier scores. These p-values are independent and uniform if kept values and stream are exchangeable. So the
/// probability that the evidence ever reaches `limit` is at most 1 / limit (Ville).
class Evidence {
 public:
  /// @param limit  of an alarm, above 1  @param kept  values to compare with from the start
  explicit Evidence(double limit = 100, std::span<const double> kept = {});

  /// Directions of a change: p-values became smaller (values stranger), or larger.
  enum Direction : std::size_t { stranger, tamer };

  /// @param tau     uniform on [0, 1), one for each value
  /// @param beside  of a gambler who has half of the money; nullptr: there is none
  /// @return for each direction whether its cumulative sum (began_row) is back at 0: a change began later, if at all
  std::array<bool, 2> add(double nonconformity, double tau, const Beside* beside = nullptr);

  std::uint64_t rows() const { return rows_; }
  double limit() const { return limit_; }
  double log_evidence() const { return log_; }
  double log_largest() const { return largest_; }
  /// The row, from 1 on, at which the limit was reached first; 0: never.
  std::uint64_t alarm_row() const { return alarm_row_; }
  /// The row, from 1 on, at which the change began. Each direction has a rise, a cumulative sum of log bets (Page,
  /// 1954). The change began where the larger rise last left 0, or at Beside::began, if Beside has more capital. After
  /// an alarm the row stays.
  std::uint64_t began_row() const { return began_; }
  /// The direction of the larger rise.
  Direction direction() const { return rise_[tamer] > rise_[stranger] ? tamer : stranger; }
  /// At most `most_points` rows, evenly spread over the stream, and the logarithm of the evidence at each.
  const std::vector<std::pair<std::uint64_t, double>>& course() const { return course_; }
  static constexpr std::size_t most_points = 512;
  /// False for bytes that were altered.
  bool holds_together() const { return scores_.holds_together() && stride_ > 0; }

  template <class Bytes>
  friend void visit(Bytes& bytes, Evidence& evidence) {
    bytes(evidence.limit_, evidence.scores_, evidence.mixture_, evidence.rows_, evidence.log_, evidence.began_,
          evidence.largest_, evidence.rise_, evidence.start_, evidence.alarm_row_, evidence.stride_);
    auto count = static_cast<std::uint64_t>(evidence.course_.size());
    bytes(count);
    if (count > most_points) count = most_points;
    evidence.course_.resize(static_cast<std::size_t>(count));
    for (auto& [row, log] : evidence.course_) bytes(row, log);
  }

 private:
  double limit_;
  RoundedScores scores_;
  JumperMixture mixture_;
  std::uint64_t rows_ = 0;
  double log_ = 0;
  std::uint64_t began_ = 1;
  double largest_ = 0;
  std::array<double, 2> rise_{};          ///< of each direction
  std::array<std::uint64_t, 2> start_{};  ///< rows before it began
  std::uint64_t alarm_row_ = 0;
  std::uint64_t stride_ = 1;  ///< rows between points of the course
  std::vector<std::pair<std::uint64_t, double>> course_;
};

struct WatchOptions {
  double alarm = 0.01;
  std::uint64_t seed = 0;

  static void describe(auto&& field) {
    field("alarm", &WatchOptions::alarm,
          "the largest probability of a false alarm, at any time, in a stream of rows like the training rows",
          core::inside(0, 1));
    field("seed", &WatchOptions::seed, "seed for drawing the rows to compare with and for breaking ties");
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
  double above = 0.5;       ///< chance that a new value is above a known one, ties count 1/2; 1/2: not moved
  double z = 0;             ///< of the rank test of Mann and Whitney, on 16 bins; nothing is proved of it
  double log_evidence = 0;  ///< natural logarithm of the capital that was bet on this column
};

/// Counts of one call of Watch::update.
struct Watched {
  std::size_t rows = 0;    ///< new ones
  std::size_t labels = 0;  ///< that became known
  std::size_t again = 0;   ///< rows that were seen before, with nothing new
};

/// Watches a stream of rows for a model. What is watched:
/// - familiarity: the mean distance of a row to its nearest ones among a random half of the rows that the model keeps,
///   compared with the other half and with all earlier rows (Evidence). The first half alone sets the scale of columns,
///   if the model scales them. Half of the capital bets on this distance, the other half on single columns: on the rank
///   of a value among earlier ones, in 16 bins whose ends the first half of the rows sets.
/// - with labels also the nonconformity of the row's class (1 - its p-value, or whether the label is wrong), compared
///   with all earlier labelled rows. Rows count in the order in which their labels come.
/// With labels each of the two has half of `alarm`. The bits do not depend on whether rows come in one call or several.
/// Memory: 8 bytes for each row with an id, and a part that does not grow with the stream.
class Watch {
 public:
  static constexpr std::size_t least_known_rows = 20;

  /// @param labels  whether labels are watched too  @param model  which must outlive the object
  /// @throws Error invalid_argument for options out of range, and for a model that keeps too few rows of its training
  Watch(const model::Predictor& model, const WatchOptions& options, bool labels, const core::Context& context);
  /// Continues from a state.  @throws Error format for bytes that are no state, of a later version, altered, or of
  /// another model
  Watch(const model::Predictor& model, std::string_view state, const core::Context& context);
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

  /// @param rows    raw rows with the model's schema
  /// @param labels  known_label of each row; empty: nothing is known  @param ids  of each row; empty: rows have none
  /// @throws Error invalid_data as predict; invalid_argument for a wrong number of labels or ids, and if only some of
  /// all rows have ids; interrupted. After an error the object is as before.
  Watched update(const data::Dataset& rows, std::span<const int> labels, std::span<const std::string> ids,
                 const core::Context& context);
  /// The state as bytes, with a version and a checksum.
  std::string state() const;

  const WatchOptions& options() const;
  bool watches_labels() const;
  bool alarm() const;
  const Evidence& familiarity() const;
  const Evidence& labels() const;
  /// Errors of all labelled rows, then of each class.
  const std::vector<RunningErrors>& errors() const;
  /// The columns, those with the most evidence first; none for sparse rows.
  std::vector<MovedColumn> moved_columns() const;

 private:
  struct Impl;
  struct News;
  void check_call(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const;
  News news_of(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const;

  std::unique_ptr<Impl> impl_;
};

/// Tests whether the rows of a table change along an order: a watch of the rows in that order, with a random quarter of
/// the table (at most 1,000 rows) as its known rows. Columns are scaled by all rows.
/// @param order  value of each row; equal ones are put in a random order by the seed
/// @throws Error invalid_data for fewer than 20 rows; invalid_argument for an order of a wrong length
Evidence evidence_of_order(const data::Dataset& rows, std::span<const double> order, const WatchOptions& options,
                           const core::Context& context);

}  // namespace credence::conformal
