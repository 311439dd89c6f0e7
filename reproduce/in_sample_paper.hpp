#pragma once

#include <array>
#include <cstddef>

/// What Anguita, Ghio, Oneto, Ridella, "In-Sample and Out-of-Sample Model Selection and Error Estimation for Support
/// Vector Machines" (2012) prints.
namespace credence::reproduce::in_sample {

/// The tables that can be run. II, IV, VI, VIII need the DaimlerChrysler pedestrians.
enum class Table { I, III, V, VII, XIV, X, XI, XII, XIII };

/// The columns of all tables: maximal discrepancy and Rademacher complexity around a hint and around 0, ten folds,
/// leave-one-out, bootstrap.
enum Column : std::size_t { md_hint, rc_hint, md, rc, kcv, loo, bts };
inline constexpr std::size_t column_count = 7;

/// Lines of each table.
inline constexpr std::size_t line_count = 13;
/// Training rows of the lines of Tables I to VIII and XIV.
inline constexpr std::array<std::size_t, line_count> sizes{10, 20, 40, 60, 80, 100, 120, 150, 170, 200, 250, 300, 400};

/// In percent; Table XIV in seconds.
struct Printed {
  double value;
  double half_width;  ///< behind the printed +-

  bool is_dash() const { return value < 0; }
};
Printed printed(Table table, std::size_t line, Column column);

/// False for two kinds of printed cells that contradict others: soft errors of in-sample methods in Table X above
/// (1 + hard error of Table XI) / 2, where one classifier has both errors and a row that is no error has a soft loss
/// below 1/2; and bounds of Table XII below the error that they bound, of Table X.
bool is_consistent(Table table, std::size_t line, Column column);

/// False for the bounds of the hinted methods in Tables V and XII.
bool is_reproducible(Table table, Column column);

}  // namespace credence::reproduce::in_sample
