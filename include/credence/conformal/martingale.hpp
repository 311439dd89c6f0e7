#pragma once

/// ```cpp
/// using namespace credence;
/// conformal::Evidence evidence(100);  // an alarm at 100
/// for (int row = 0; row < 200; ++row) evidence.add(row < 100 ? row % 7 : 10 + row % 7, 0.5);
/// std::cout << (evidence.alarm_row() > 100 ? "alarm" : "quiet") << '\n';  // prints alarm
/// ```

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "credence/conformal/p_value.hpp"

/// Evidence that a stream is not exchangeable, row after row. Memory does not grow with the stream.
namespace credence::conformal {

/// Counts of strangeness values that are rounded to about 0.4 % (8 bits of the mantissa). Rounding is fixed beforehand
/// and keeps the order, so that ranks among rounded values are as valid as ranks among values; ties are more frequent.
class RoundedScores {
 public:
  /// @param strangeness  no NaN
  void add(double strangeness);
  /// Cost: one addition for each different rounded value.
  Rank rank(double strangeness) const;
  std::uint64_t size() const { return size_; }

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
  /// Natural logarithm of the capital, which begins with 0.
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

/// The capital of another gambler on the same rows, and the row, from 1 on, at which the change began for him.
struct Beside {
  double log_capital = 0;
  std::uint64_t began = 1;
};

/// The evidence of a stream of strangeness values. Each is compared with kept values and with all before it, smoothed:
/// such p-values are independent and uniform where kept values and stream are exchangeable. So the evidence ever
/// reaches `limit` with probability at most 1 / limit (Ville).
class Evidence {
 public:
  /// @param limit  of an alarm, above 1  @param kept  values to compare with from the start
  explicit Evidence(double limit = 100, std::span<const double> kept = {});

  /// Directions of a change: p-values became smaller (values stranger), or larger.
  enum Direction : std::size_t { stranger, tamer };

  /// @param tau     uniform on [0, 1), one for each value
  /// @param beside  of a gambler who has half of the money; nullptr: there is none
  /// @return for each direction whether its rise starts anew: no change in this direction is in sight before here
  std::array<bool, 2> add(double strangeness, double tau, const Beside* beside = nullptr);

  std::uint64_t rows() const { return rows_; }
  double limit() const { return limit_; }
  double log_evidence() const { return log_; }
  double log_largest() const { return largest_; }
  /// The row, from 1 on, at which the limit was reached first; 0: never.
  std::uint64_t alarm_row() const { return alarm_row_; }
  /// The row, from 1 on, at which the change began: where the rise in this direction started (the cumulative sums of
  /// Page, 1954, of log bets on one direction), up to an alarm.
  std::uint64_t began_row() const { return began_; }
  /// That of the larger rise.
  Direction direction() const { return rise_[tamer] > rise_[stranger] ? tamer : stranger; }
  /// Some rows and the logarithm of the evidence at them, evenly spread over the stream, at most `most_points`.
  const std::vector<std::pair<std::uint64_t, double>>& course() const { return course_; }
  static constexpr std::size_t most_points = 512;

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

}  // namespace credence::conformal
