#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/as_strange.hpp"
#include "credence/selection/nonconformity.hpp"
#include "report/json.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

/// How many rows are like nothing that the model was trained on (conformal/familiarity.hpp).
/// What labelled rows say of a nonconformity model. The error of rows and the limit that is proved are two tables, as
/// they are about different events (selection/nonconformity.hpp).
namespace credence::report {

/// Rows that are unlike the training rows, and lie on one side of the range that a column has there.
struct OutsideRange {
  std::string column;  ///< its name, or its number from 1 on
  std::size_t rows;
  std::string side;  ///< "above" the largest value of the training, or "below" the least
  double end;        ///< that value
  std::string
      text;  ///< "column 's04': 200 of 200 rows above the training's largest, 84.9", of the rows that are unlike
};

/// Counts rows at the levels that people look at.
class FamiliarityTally {
 public:
  static constexpr std::array<double, 2> levels{0.01, 0.05};

  /// @param known  rows that new rows are compared with
  /// @param model  whose ranges of columns are looked at; it must outlive the object
  explicit FamiliarityTally(std::size_t known, const model::Predictor* model = nullptr)
      : known_(known), model_(model) {}
  /// @param rows  the raw ones that have this familiarity, for a model
  void add(std::span<const double> familiarity, const data::Dataset* rows = nullptr);

  std::size_t known() const { return known_; }
  std::size_t rows() const { return rows_; }
  /// Rows whose familiarity is at most levels[i].
  std::size_t at(std::size_t i) const { return counts_[i]; }
  /// The place of the smaller level that a p-value can reach: 0.01 from 99 known rows on.
  std::size_t listed() const { return known_ + 1 >= 100 ? 0 : 1; }
  /// Why rows at the level of the list are unlike, if they are more than chance makes them: the three columns with most
  /// of them outside the training's range, a fifth of them at least.
  std::vector<OutsideRange> outside() const;
  /// The warning: empty unless there are clearly more unfamiliar rows than the level says. The limit is that of a
  /// beta-binomial count (bounds::split_miss_counts), so that rows like those of the training give a warning in at most
  /// about one of 2,000 files.
  std::string warning() const;

 private:
  bool is_alarming() const;

  std::size_t known_;
  const model::Predictor* model_;
  std::vector<std::array<std::size_t, 2>> outside_{};  ///< of each column: rows below, and rows above
  std::size_t rows_ = 0;
  std::array<std::size_t, 2> counts_{};
};

struct FamiliarityReport {
  struct Unlike {
    std::size_t row;  ///< its number in its file
    double familiarity;
  };

  FamiliarityTally tally;
  std::vector<Unlike> unlike;  ///< rows at most at the level of the list: the 20 least familiar ones, these first
  std::vector<OutsideRange> outside{};  ///< FamiliarityTally::outside
};

/// Nothing of predictions without familiarity.
std::optional<FamiliarityReport> familiarity_report(std::span<const double> familiarity, FamiliarityTally tally,
                                                    const data::Dataset& dataset);
/// "2 of 190 look unlike the training rows (familiarity at most 0.01); about 2 are expected by chance", at the level of
/// the list.
std::string familiarity_text(const FamiliarityTally& tally, const char* others);
/// The fact of this text, and why rows are unlike.
void add_familiarity_facts(const FamiliarityReport& report, Section& section);
/// How many rows are unlike those of the training, and which.
void add_familiarity(const FamiliarityReport& report, Section& section);
/// Of each level `level`, `n` and `share`.
Json familiarity_levels_json(const FamiliarityTally& tally);
/// Rows compared with, counts at the levels, and the list.
Json familiarity_json(const FamiliarityReport& report);

/// What to say if the rows hold those that trained the model, whatever its kind (model::TrainingRecord::row_keys).
/// Empty if not; where the model does not know its rows; for fewer than ten of them; and where each occurs more than
/// twice, as new rows then hold them too.
/// @param keys  of the rows, as they came (data::row_keys)
std::string seen_rows_sentence(const model::TrainingRecord& record, const std::vector<std::uint64_t>& keys);
std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset);

/// Error of the rows decided at each eps_crit or below: at most eight lines, the last among them.
void add_error_curve(const std::vector<selection::BoundPoint>& curve, Section& section);
Json error_curve_json(const std::vector<selection::BoundPoint>& curve);

/// Rows as strange under their true class, counted among `rows` and as proved: at most eight lines.
void add_as_strange(const std::vector<selection::AsStrange>& lines, std::size_t rows,
                    const selection::NonconformityRule& rule, Section& section);
Json as_strange_json(const std::vector<selection::AsStrange>& lines, std::size_t rows);

}  // namespace credence::report
