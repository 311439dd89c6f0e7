#include "report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report_text.hpp"

namespace credence::bench {
namespace {

/// The targets that the project set itself.
constexpr double pima_target = 30;
constexpr double mean_target = 25;
constexpr double training_target = 3;
constexpr double speed_up_target = 1.8;
constexpr double reading_target = 10e6;

std::string verdict(double value, double target) {
  return value >= target ? "reached" : "missed";
}

/// "2^-5" for a power of two.
std::string power_text(double value) {
  const double exponent = std::log2(value);
  return exponent == std::round(exponent) ? fmt::format("2^{:.0f}", exponent) : fmt::format("{:.4g}", value);
}

std::string machine_text(const nlohmann::json& machine) {
  std::string versions;
  for (const auto& [name, version] : machine.at("versions").items())
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", name, version.get<std::string>());
  const auto load = machine.at("load_average").get<std::vector<double>>();
  return fmt::format(
      "{}, {} cores, SIMD {}, {:.1f} GiB\n{}, {}\n{}\nload average at the start {:.2f}, {:.2f}, {:.2f}\n",
      machine.at("processor").get<std::string>(), machine.at("cores").get<int>(),
      machine.at("simd_target").get<std::string>(), machine.at("memory_megabytes").get<double>() / 1024,
      machine.at("system").get<std::string>(), machine.at("compiler").get<std::string>(), versions, load[0], load[1],
      load[2]);
}

/// How much longer the wall clock ran than the processor worked for one-threaded runs: above 1 the machine was busy.
double wall_over_processor(const Results& results) {
  std::vector<double> shares;
  for (const GridRow& row : results.grids) {
    for (const Seconds& run : row.credence) shares.push_back(run.wall / run.cpu);
    for (const Seconds& run : row.libsvm) shares.push_back(run.wall / run.cpu);
  }
  for (const GridRow& row : results.many.grids)
    for (const Seconds& run : row.credence) shares.push_back(run.wall / run.cpu);
  for (const TrainingRow& row : results.training)
    for (const Seconds& run : row.libsvm) shares.push_back(run.wall / run.cpu);
  for (const LeftOutRow& row : results.left_out)
    for (const Seconds& run : row.credence) shares.push_back(run.wall / run.cpu);
  for (const PredictionRow& row : results.prediction)
    for (const Seconds& run : row.one_thread) shares.push_back(run.wall / run.cpu);
  for (const EstimateRow& row : results.estimates)
    for (const Seconds& run : row.none) shares.push_back(run.wall / run.cpu);
  for (const MethodRow& row : results.methods)
    for (const Seconds& run : row.one_thread) shares.push_back(run.wall / run.cpu);
  for (const RvmFitRow& row : results.rvm.fits)
    for (const Seconds& run : row.batch().seconds) shares.push_back(run.wall / run.cpu);
  for (const ConformalPeerRow& row : results.conformal.peers)
    for (const Seconds& run : row.peer) shares.push_back(run.wall / run.cpu);
  for (const TransductiveSvmRow& row : results.conformal.svms)
    for (const Seconds& run : row.credence) shares.push_back(run.wall / run.cpu);
  for (const InSampleRow& row : results.in_sample.in_sample)
    for (const Seconds& run : row.one_thread) shares.push_back(run.wall / run.cpu);
  for (const ConvexStepRow& row : results.in_sample.convex_steps)
    for (const Seconds& run : row.libsvm) shares.push_back(run.wall / run.cpu);
  return median(shares);
}

/// One busy core does not slow one thread down, but it does two.
bool machine_was_busy(const Results& results) {
  return wall_over_processor(results) > 1.1 || results.machine.at("load_average").at(0).get<double>() > 0.5;
}

std::string grid_text(const Results& results) {
  std::string text =
      fmt::format(
          "\nGrid of {} settings x 10 folds, standardised, tolerance {}, LIBSVM cache {:.0f} MB; processor seconds\n",
          results.grid_size, tolerance, libsvm_cache_megabytes) +
      grid_table(results.grids);
  for (const GridRow& row : results.grids) {
    if (row.name != "pima" || row.ratios.empty()) continue;
    text += fmt::format("pima: {:.1f} times LIBSVM (target {}: {}; moonshot 80)\n", row.ratio(), pima_target,
                        verdict(row.ratio(), pima_target));
  }
  if (const double mean = geometric_mean(results.grids); mean > 0) {
    text += fmt::format("geometric mean without pima: {:.1f} times LIBSVM (target {}: {})\n", mean, mean_target,
                        verdict(mean, mean_target));
  }
  std::vector<double> speed_ups;
  std::vector<double> work;
  for (const GridRow& row : results.grids) {
    speed_ups.push_back(row.speed_up);
    work.push_back(median(row.two_threads).cpu / median(row.credence).cpu);
  }
  return text +
         fmt::format(
             "two threads: {:.2f} times one, median of the data sets (target {}: {});\n"
             "together they take {:.2f} times the processor seconds of one\n",
             median(speed_ups), speed_up_target,
             machine_was_busy(results) ? "machine too busy to tell" : verdict(median(speed_ups), speed_up_target),
             median(work));
}

std::string training_text(const Results& results) {
  std::string text = fmt::format(
      "\nOne training, one thread, standardised, tolerance {}; processor seconds, peak MB above the data\n"
      "{:<10}{:>6}{:>6}{:>7}{:>8}{:>9}{:>7}{:>12}{:>7}{:>13}{:>6}{:>7}\n",
      tolerance, "data set", "rows", "C", "gamma", "LIBSVM", "Credence", "ratio", "MB (theirs)", "budget",
      "SV (theirs)", "diff", "obj.");
  double smallest = HUGE_VAL;
  for (const TrainingRow& row : results.training) {
    text += fmt::format("{:<10}{:>6}{:>6}{:>7}{:>8}{:>9}{:>7.1f}{:>12}{:>7}{:>13}{:>6}{:>7.0e}\n", row.task.name,
                        row.rows, power_text(row.task.C), power_text(row.task.gamma),
                        seconds_text(median(row.libsvm).cpu), seconds_text(median(row.credence).cpu), row.ratio(),
                        fmt::format("{:.0f} ({:.0f})", row.credence_megabytes, row.libsvm_megabytes),
                        row.task.budget_megabytes == 0 ? "-" : fmt::format("{}", row.task.budget_megabytes),
                        fmt::format("{} ({})", row.credence_support, row.libsvm_support), row.differing_predictions,
                        (row.credence_objective - row.libsvm_objective) / std::abs(row.libsvm_objective));
    smallest = std::min(smallest, row.ratio());
  }
  return text + fmt::format(
                    "budget -: half of the memory; diff: training rows predicted differently;\n"
                    "obj.: relative difference of the objective (negative: Credence is lower)\n"
                    "smallest ratio: {:.1f} (target {}: {})\n",
                    smallest, training_target, verdict(smallest, training_target));
}

std::string reading_text(const Results& results) {
  std::string text = "\nReading CSV, 50000 x 101 cells\n";
  for (const ReadingRow& row : results.reading) {
    const std::string memory = row.megabytes > 0 ? fmt::format(", {:.0f} MB", row.megabytes) : "";
    text += fmt::format("{:<34}{:>9} s{:>8.1f} million cells a second and core{}\n", row.name,
                        seconds_text(median(row.seconds).cpu), row.cells_per_second() / 1e6, memory);
  }
  const double slowest = std::min(results.reading[0].cells_per_second(), results.reading[1].cells_per_second());
  return text + fmt::format("target {:.0f} million: {}\n", reading_target / 1e6, verdict(slowest, reading_target));
}

}  // namespace

std::string grid_table(const std::vector<GridRow>& rows) {
  std::string text =
      fmt::format("{:<15}{:>5}{:>5}{:>9}{:>9}{:>9}{:>7}{:>7}{:>9}{:>6}{:>5}{:>8}{:>7}\n", "data set", "rows", "dims",
                  "LIBSVM", "sklearn", "Credence", "ratio", "/skl", "per fold", "2 thr", "diff", "steps", "fact.");
  for (const GridRow& row : rows) {
    const bool known = !row.ratios.empty();
    const bool peer = !row.scikit_learn.empty();
    text += fmt::format(
        "{:<15}{:>5}{:>5}{:>9}{:>9}{:>9}{:>7}{:>7}{:>9}{:>6}{:>5}{:>8}{:>7}\n", row.name, row.rows, row.features,
        known ? seconds_text(median(row.libsvm).cpu) : "-", peer ? seconds_text(median(row.scikit_learn).cpu) : "-",
        seconds_text(median(row.credence).cpu), known ? fmt::format("{:.1f}", row.ratio()) : "-",
        peer ? fmt::format("{:.1f}", row.scikit_learn_ratio) : "-", seconds_text(median(row.per_fold).cpu),
        fmt::format("x{:.2f}", row.speed_up), known ? fmt::format("{}", row.largest_difference) : "-",
        count_text(row.steps), count_text(row.factorisations));
  }
  return text +
         "ratio: LIBSVM / Credence; /skl: scikit-learn / Credence; per fold: scaling fitted inside every fold;\n"
         "2 thr: wall-clock speed-up of two threads; diff: largest difference from LIBSVM over the settings, rows\n";
}

double geometric_mean(const std::vector<GridRow>& grids) {
  double sum = 0;
  double count = 0;
  for (const GridRow& row : grids) {
    if (row.name == "pima" || row.ratios.empty()) continue;
    sum += std::log(row.ratio());
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

std::string as_text(const Results& results) {
  std::string text = machine_text(results.machine);
  for (const std::string& note : results.notes) text += note + "\n";
  if (!results.training.empty()) text += training_text(results);
  if (!results.reading.empty()) text += reading_text(results);
  if (!results.grids.empty()) text += grid_text(results);
  text += selection_text(results);
  text += many_class_text(results);
  text += conformal_text(results);
  text += in_sample_text(results.in_sample);
  text += rvm_text(results.rvm);
  if (machine_was_busy(results)) {
    text += fmt::format(
        "\nThe machine was busy (one thread's wall clock: {:.2f} times its processor time). Ratios are of\n"
        "processor seconds where not said; all that is of wall clock needs an idle machine.\n",
        wall_over_processor(results));
  }
  return text;
}

nlohmann::json as_json(const Results& results) {
  const double mean = geometric_mean(results.grids);
  return {{"machine", results.machine},
          {"settings",
           {{"tolerance", tolerance},
            {"libsvm_cache_megabytes", libsvm_cache_megabytes},
            {"cells", results.grid_size},
            {"folds", 10},
            {"seed", 0},
            {"quick", results.settings.quick},
            {"repeats", results.settings.repeats},
            {"runs", results.settings.runs}}},
          {"notes", results.notes},
          {"grids", results.grids},
          {"geometric_mean_without_pima", mean > 0 ? nlohmann::json(mean) : nlohmann::json()},
          {"training", results.training},
          {"reading", results.reading},
          {"leave_one_out", results.left_out},
          {"prediction", results.prediction},
          {"honest_estimate", results.estimates},
          {"methods", {{"data_set", results.methods_name}, {"rows", results.methods}}},
          {"many_classes", results.many},
          {"conformal", results.conformal},
          {"methods_with_bounds", results.in_sample},
          {"relevance_vector_machines", results.rvm},
          {"wall_over_processor", wall_over_processor(results)}};
}

}  // namespace credence::bench
