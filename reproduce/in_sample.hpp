#pragma once

#include <span>

#include "credence/model/predictor.hpp"
#include "reproduce/experiment.hpp"

/// Tables I, III, V, VII and X to XIV of Anguita, Ghio, Oneto, Ridella, "In-Sample and Out-of-Sample Model Selection
/// and Error Estimation for Support Vector Machines" (2012).
namespace credence::reproduce::in_sample {

/// The tables that can be run. II, IV, VI, VIII need the DaimlerChrysler pedestrians.
enum class Table { I, III, V, VII, XIV, X, XI, XII, XIII };

/// The columns of all tables: maximal discrepancy and Rademacher complexity around a hint and around 0, ten folds,
/// leave-one-out, bootstrap.
enum Column : std::size_t { md_hint, rc_hint, md, rc, kcv, loo, bts };
inline constexpr std::size_t column_count = 7;
struct ColumnWords {
  const char* key;   ///< for --methods
  const char* name;  ///< as printed
};
inline constexpr std::array<ColumnWords, column_count> column_words{{{"md-hint", "MD_f"},
                                                                     {"rc-hint", "RC_f"},
                                                                     {"md", "MD"},
                                                                     {"rc", "RC"},
                                                                     {"kcv", "KCV"},
                                                                     {"loo", "LOO"},
                                                                     {"bts", "BTS"}}};

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

/// MNIST, or a microarray of Table IX.
struct PaperSet {
  const char* key;   ///< for --sets
  const char* name;  ///< in the tables
  const char* file;  ///< CSV, without .csv or .csv.gz
  std::size_t rows;  ///< as printed
  std::size_t features;
  std::size_t test_rows;  ///< of a split; 0: training rows are drawn, all others are the reference set
  std::size_t line;       ///< of Tables X to XIII

  bool is_mnist() const { return test_rows == 0; }
};

/// What is run.
struct Settings {
  std::vector<const PaperSet*> sets;
  bool only_existing = false;      ///< sets without a file are left out, not refused
  std::vector<std::size_t> lines;  ///< of Tables I to VIII: indexes `sizes`, ascending
  std::vector<Column> columns;     ///< ascending
  int draws = 10;                  ///< of MNIST
  int splits = 5;                  ///< of the microarrays, as in the paper
  std::uint64_t seed = 0;          ///< of the first draw or split
};

/// w x + b.
struct LinearClassifier {
  std::vector<double> weights;
  double bias = 0;
};
/// What a predictor draws from; one classifier for most. Hints are added. @throws Error invalid_argument if it is not
/// made of linear SVMs over raw features
std::vector<LinearClassifier> linear_classifiers(const model::Predictor& predictor);

struct ReferenceError {
  double hard = 0;  ///< share of rows with y f <= 0
  double soft = 0;  ///< mean soft loss
};
/// Mean over the classifiers: the expected error of one drawn for each row. Cost: rows x non-zeros x classifiers.
ReferenceError reference_error(std::span<const LinearClassifier> classifiers, const data::Dataset& rows,
                               const core::Context& context);

/// Details of an in-sample bound.
struct InSampleFigures {
  std::size_t n = 0;
  std::size_t trials = 0;
  double training_loss = 0;
  double complexity = 0;
  double complexity_error = 0;
  double deviation = 0;
  double bound_upper = 0;  ///< with certified minima
};

/// What one method chose by one loss, and how it did.
struct Chosen {
  double hyper_parameter = 0;  ///< rho, or C; of out-of-sample methods that of all rows' choice
  std::size_t classifiers = 0;
  ReferenceError error;
  double estimate = 0;          ///< mean loss on held-out rows; in-sample: training loss
  std::optional<double> bound;  ///< as it was computed, above 1 too
  std::optional<InSampleFigures> in_sample;
  double seconds = 0;
};

struct MethodResult {
  Column column;
  Chosen soft;
  std::optional<Chosen> hard;  ///< out-of-sample methods choose again by the hard loss
};

/// One training set, all columns.
struct Draw {
  std::uint64_t seed = 0;
  std::vector<MethodResult> methods;  ///< in the order of Settings::columns
};

/// A line of the tables: a size of MNIST, or a microarray.
struct Line {
  const PaperSet* set;
  std::size_t line = 0;
  std::string name;
  std::size_t training_rows = 0;
  std::size_t reference_rows = 0;
  std::vector<std::string> mismatches;
  std::vector<Draw> draws;  ///< complete ones; seeds Settings::seed, + 1, ...
  bool complete = false;
};

// The members of what a checkpoint keeps (credence/core/bytes.hpp).

template <class Bytes>
void visit(Bytes& bytes, ReferenceError& error) {
  bytes(error.hard, error.soft);
}
template <class Bytes>
void visit(Bytes& bytes, InSampleFigures& figures) {
  bytes(figures.n, figures.trials, figures.training_loss, figures.complexity, figures.complexity_error,
        figures.deviation, figures.bound_upper);
}
template <class Bytes>
void visit(Bytes& bytes, Chosen& chosen) {
  bytes(chosen.hyper_parameter, chosen.classifiers, chosen.error, chosen.estimate, chosen.bound, chosen.in_sample,
        chosen.seconds);
}
template <class Bytes>
void visit(Bytes& bytes, MethodResult& method) {
  bytes(method.column, method.soft, method.hard);
}
template <class Bytes>
void visit(Bytes& bytes, Draw& draw) {
  bytes(draw.seed, draw.methods);
}

/// All that was computed.
struct Report : Course {
  Settings settings;
  std::vector<const PaperSet*> missing;  ///< without a file
  std::vector<Line> lines;
};
inline constexpr const char* paper_title =
    "Anguita, Ghio, Oneto, Ridella: In-Sample and Out-of-Sample Model Selection and Error Estimation for Support "
    "Vector Machines (2012)";
/// All tables as text.
std::string report_text(const Report& report);
/// The same with every draw.
Json report_json(const Report& report);

/// What a table says of a method, in percent or seconds, over draws. None if no draw is complete or the table has no
/// such cell.
std::optional<Figure> figure_of(Table table, const Line& line, Column column);
/// 1.96 standard deviations of the mean over draws; none for one draw.
std::optional<double> half_width_of(const Figure& figure);
/// "V".
const char* number_of(Table table);

/// A printed figure of MNIST and how near ours comes. What has to be met are those of four sizes; the others are held
/// against the same limits, so that the choice of sizes hides nothing.
struct Target {
  Table table;
  std::size_t line;
  Column column;
  bool of_target_size = false;  ///< n = 40, 100, 200 or 400
  double ours = 0;
  double paper = 0;
  double difference = 0;  ///< relative for errors, in points for bounds
  double allowed = 0;     ///< of its absolute value

  bool met() const { return difference <= allowed && difference >= -allowed; }
};
/// MNIST, all sizes that were run: errors of Table I within 25 per cent (out-of-sample methods), bounds of Tables V and
/// VII within two points (where one is printed, hints aside).
std::vector<Target> targets_of(const Report& report);

}  // namespace credence::reproduce::in_sample
