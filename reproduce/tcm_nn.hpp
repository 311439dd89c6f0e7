#pragma once

#include <span>

#include "credence/conformal/evaluation.hpp"
#include "credence/data/fingerprint.hpp"
#include "reproduce/experiment.hpp"

/// Tables 1 to 3 and Figures 1 and 2 of Proedrou, Nouretdinov, Vovk, Gammerman, "Transductive Confidence Machines for
/// Pattern Recognition" (2002).
namespace credence::reproduce::tcm_nn {

/// A line of Table 3, in percent.
struct PrintedSets {
  double single;
  double multiple;
  double empty;
  double correct;  ///< of the rows with one class
};

enum class Protocol { fixed_split, cross_validation };

/// What is done to each row before anything else.
enum class Images {
  none,
  normalised,  ///< less its mean, over its standard deviation (population), as the paper says; a constant row becomes 0
  smoothed,    ///< as a 16 x 16 image by a Gaussian, then normalised; not in the paper
};

/// Width of that Gaussian, in pixels. Chosen because it gives the error that the paper prints, but for one row of
/// 2,007.
inline constexpr double smoothing_width = 0.7;

struct PaperSet {
  const char* key;   ///< for --sets
  const char* name;  ///< in the tables
  const char* file;  ///< CSV; fixed split: two, with .train and .test before the ending
  Protocol protocol;
  Images images;
  std::size_t training_rows;  ///< as printed; all rows if there is no fixed split
  std::size_t test_rows;
  std::size_t features;
  std::size_t classes;
  double error;                     ///< Tables 1 and 2: of TCM-NN, in percent
  std::array<PrintedSets, 2> sets;  ///< Table 3
};

/// Significance levels of Table 3.
inline constexpr std::array<double, 2> levels{0.01, 0.05};

/// Rows whose largest p-value two classes or more have. The prediction is the lowest of them.
struct Ties {
  std::size_t rows = 0;
  std::size_t errors = 0;       ///< of the lowest class
  std::size_t unavoidable = 0;  ///< none of the tied classes is the true one
};

struct Fold {
  std::size_t rows = 0;
  std::size_t errors = 0;
  std::size_t neighbour_errors = 0;
};

/// One pass over all test rows: the split, or ten folds.
struct Pass {
  std::uint64_t seed = 0;       ///< of the folds
  data::DenseMatrix p_values;   ///< rows x classes
  std::vector<int> labels;      ///< of the rows
  std::vector<Fold> folds;      ///< one for a fixed split
  conformal::Evaluation found;  ///< at `levels`
  Ties ties;

  /// Of plain 1-nearest neighbour.
  std::size_t neighbour_errors() const;
};

/// The members of what a checkpoint keeps (credence/core/bytes.hpp); `found` follows from the p-values.
template <class Bytes>
void visit(Bytes& bytes, Ties& ties) {
  bytes(ties.rows, ties.errors, ties.unavoidable);
}
template <class Bytes>
void visit(Bytes& bytes, Fold& fold) {
  bytes(fold.rows, fold.errors, fold.neighbour_errors);
}
template <class Bytes>
void visit(Bytes& bytes, Pass& pass) {
  bytes(pass.seed, pass.p_values, pass.labels, pass.folds, pass.ties);
}

struct Figure1 {
  std::size_t rows = 0;
  std::vector<std::size_t> tcm;         ///< errors for k = 1, 2, ...
  std::vector<std::size_t> neighbours;  ///< the same of plain nearest neighbours
};
template <class Bytes>
void visit(Bytes& bytes, Figure1& figure) {
  bytes(figure.rows, figure.tcm, figure.neighbours);
}

/// One confidence level 1 - eps of Figure 2: shares of rows whose prediction set holds the true class.
struct Figure2Point {
  double confidence = 0;
  double all = 0;     ///< of all test rows
  double sample = 0;  ///< of the first sample
  double low = 0;     ///< 5 % of the samples have this share or less
  double high = 0;    ///< 5 % this or more
};
struct Figure2 {
  std::size_t instances = 0;  ///< rows of a sample, drawn without replacement
  std::size_t samples = 0;
  std::vector<Figure2Point> points;  ///< confidence 0.99, 0.98, ..., 0
};

/// What became of one data set.
struct SetResult {
  const PaperSet* set;
  std::size_t training_rows = 0;
  std::size_t test_rows = 0;
  std::vector<std::string> mismatches;
  std::vector<Pass> passes;           ///< one; with cross-validation one a shuffle, seeds seed, seed + 1, ...
  std::optional<Figure1> neighbours;  ///< USPS only
  std::optional<Figure2> confidence;  ///< USPS only
  double seconds = 0;
  bool complete = false;
};

inline constexpr const char* paper_title =
    "Proedrou, Nouretdinov, Vovk, Gammerman: Transductive Confidence Machines for Pattern Recognition (2002)";

/// All that was computed.
struct Report : Course {
  std::vector<SetResult> sets;
  double smoothing = smoothing_width;
  int shuffles = 1;  ///< of the sets without a fixed split
  std::uint64_t seed = 0;
};

/// Tables 1 to 3 and Figures 1 and 2 as text.
std::string report_text(const Report& report);
/// The same with every fold, every k and every confidence level.
Json report_json(const Report& report);

}  // namespace credence::reproduce::tcm_nn
