#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "credence/conformal/p_value.hpp"

namespace credence::bench {

/// Training rows and rows to rank, as numbers.
struct SplitData {
  data::DenseMatrix training;
  std::vector<int> labels;
  data::DenseMatrix test;
  std::size_t classes = 0;
};
/// NAME.train.csv.gz and NAME.test.csv.gz of the folder.
SplitData read_split(const std::string& folder, const std::string& name);
/// Class c in {0, 1} in turn, each feature normal about c / 2 - 1/4.
SplitData gaussians(std::size_t rows, std::size_t test_rows, std::size_t features, std::size_t classes = 2);

/// Everything by Credence: 1-nearest-neighbour ratio, the p-values of all labels.
struct ConformalRun {
  Seconds training;
  Seconds ranking;
  conformal::Ranks ranks;

  Seconds all() const { return {training.wall + ranking.wall, training.cpu + ranking.cpu}; }
};
ConformalRun credence_conformal(const SplitData& data, int threads);

/// Everything by Credence beside one plain exact nearest-neighbour query by others; two threads, wall clock.
struct PlainQueryRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::size_t features = 0;
  std::size_t classes = 0;
  std::vector<Seconds> training;
  std::vector<Seconds> ranking;
  struct Peer {
    std::string name;
    std::vector<Seconds> seconds;
  };
  std::vector<Peer> peers;

  double all() const { return median(training).wall + median(ranking).wall; }
  double all_cpu() const { return median(training).cpu + median(ranking).cpu; }
  /// Of the fastest peer; 0 without one.
  double fastest() const;
};
void to_json(nlohmann::json& json, const PlainQueryRow& row);
PlainQueryRow compare_plain_query(const Settings& settings, nlohmann::json& versions);

/// Credence alone in a process of its own; two threads, wall clock.
struct ConformalSizeRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::size_t features = 0;
  std::size_t classes = 0;
  std::vector<Seconds> training;
  std::vector<Seconds> ranking;
  double megabytes = 0;  ///< largest resident memory, the data included, above that of the program before

  double milliseconds_per_row() const { return 1000 * median(ranking).wall / static_cast<double>(test_rows); }
};
void to_json(nlohmann::json& json, const ConformalSizeRow& row);
ConformalSizeRow measure_shuttle(const Settings& settings);
/// One size of the two Gaussian classes in 30 dimensions.
ConformalSizeRow measure_gaussians(std::size_t rows, const Settings& settings);
/// What such a process does. @param name  "shuttle", or "gaussians" with its rows
nlohmann::json conformal_alone(const std::string& name, const std::string& folder, std::size_t rows);

/// Exponent of the power law through (rows, processor seconds), by least squares of logarithms; of the last `count`.
double fitted_exponent(const std::vector<ConformalSizeRow>& rows, bool of_training, std::size_t count);

/// Another full conformal predictor with the same nonconformity score; one thread each.
struct ConformalPeerRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::size_t classes = 0;
  std::vector<Seconds> credence;
  std::vector<Seconds> peer;
  std::size_t differing = 0;  ///< p-values

  double ratio() const { return median(peer).cpu / median(credence).cpu; }
};
void to_json(nlohmann::json& json, const ConformalPeerRow& row);
ConformalPeerRow compare_conformal_peer(const Settings& settings, nlohmann::json& versions);

/// Transductive SVM beside LIBSVM, which is trained anew for each row and class; one thread each.
struct TransductiveSvmRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::size_t libsvm_rows = 0;  ///< of them by LIBSVM
  std::size_t classes = 0;
  double C = 1;
  double gamma = 1;
  std::vector<Seconds> credence;  ///< ranking `test_rows` rows, without the first training
  std::vector<Seconds> libsvm;    ///< ranking `libsvm_rows` rows
  double mean_difference = 0;     ///< of p-values, on LIBSVM's rows
  std::size_t differing_labels = 0;

  double credence_milliseconds() const { return 1000 * median(credence).cpu / static_cast<double>(test_rows); }
  double libsvm_milliseconds() const { return 1000 * median(libsvm).cpu / static_cast<double>(libsvm_rows); }
  double ratio() const { return libsvm_milliseconds() / credence_milliseconds(); }
};
void to_json(nlohmann::json& json, const TransductiveSvmRow& row);
TransductiveSvmRow compare_transductive_svm(const Settings& settings);

/// p-values of the first `rows` test rows (two classes, rbf), every machine trained from scratch by LIBSVM. A margin
/// within the tolerance of 1 counts as 1, as TransductiveSvm says.
data::DenseMatrix libsvm_transductive(const SplitData& data, std::size_t rows, double C, double gamma,
                                      Seconds& seconds);

struct ConformalResults {
  std::vector<PlainQueryRow> plain;
  std::vector<ConformalSizeRow> shuttle;
  std::vector<ConformalSizeRow> gaussians;
  std::vector<ConformalPeerRow> peers;
  std::vector<TransductiveSvmRow> svms;
};
void to_json(nlohmann::json& json, const ConformalResults& results);

}  // namespace credence::bench
