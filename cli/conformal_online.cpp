#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include "application.hpp"
#include "apply.hpp"
#include "conformal.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/conformal/measure.hpp"
#include "credence/conformal/online.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/random.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"
#include "report/text.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

/// Of the stream that shuffles the rows.
constexpr std::uint64_t shuffling = 0x736875666c;
constexpr double band_delta = 0.05;

struct OnlineFlags {
  DataOptions data;
  RunOptions run;
  std::string measure = "nn-ratio";
  Described given;
  std::string scale = "none";
  conformal::PValueOptions p_values = conformal::online_p_values;
  bool shuffle = false;
  std::string eps = "0.01,0.05";
  std::string output;
  DocumentOutput document;

  /// Without the options of the measure.
  template <class Visitor>
  static void describe(Visitor&& field) {
    field("scale", &OnlineFlags::scale, {"none: scaling would look at rows that come later", "WORD"});
    field("eps", &OnlineFlags::eps, {"significance levels", "LIST"});
    field.part(&OnlineFlags::p_values);
    field("shuffle", &OnlineFlags::shuffle, "the rows in random order, not that of the file");
  }
};

/// Regions at one level, counted over the steps so far.
struct RunningCounts {
  std::size_t errors = 0;
  std::size_t empty = 0;
  std::size_t multiple = 0;
  std::size_t classes = 0;  ///< in all regions

  void add(const conformal::OnlineStep& step, double eps) {
    const auto size = static_cast<std::size_t>(std::count_if(step.p_value.begin(), step.p_value.end(),
                                                             [&](double p) { return conformal::in_region(p, eps); }));
    errors += is_error(step, eps) ? 1U : 0U;
    empty += size == 0 ? 1U : 0U;
    multiple += size > 1 ? 1U : 0U;
    classes += size;
  }
  static bool is_error(const conformal::OnlineStep& step, double eps) {
    return !conformal::in_region(step.p_value[static_cast<std::size_t>(step.truth)], eps);
  }
};

/// Where the counts of all levels stood after t steps.
struct Checkpoint {
  std::size_t t = 0;
  std::vector<RunningCounts> levels;
};

/// What on-line prediction came to.
struct Course {
  std::vector<Checkpoint> checkpoints;  ///< ten, the last after all rows
  std::size_t label_errors = 0;
  std::string csv;
};

/// The measures that can learn row by row.
std::vector<conformal::Measure> nearest_measures() {
  std::vector<conformal::Measure> measures = conformal::measures();
  std::erase_if(measures, [](const conformal::Measure& measure) { return !conformal::neighbour_options(measure); });
  return measures;
}

conformal::NeighbourOptions neighbour_options(const OnlineFlags& options, const data::ReadOptions& reading) {
  conformal::Measure measure;
  with_option("--measure",
              [&] { measure = conformal::measure_named(conformal::neighbour_measure(options.measure).name); });
  options.given.set_all(fields_of(measure));
  const conformal::NeighbourOptions neighbours = *conformal::neighbour_options(measure);
  std::vector<std::string> problems;
  if (neighbours.metric == neighbours::Metric::precomputed)
    problems.emplace_back("--metric: precomputed distances cannot be learnt one row after another");
  if (options.scale != "none")
    problems.emplace_back("--scale: on-line it can only be none, as scaling would look at rows that come later");
  if (reading.missing == data::Missing::impute)
    problems.emplace_back("--missing: impute would look at rows that come later; error and drop do not");
  if (reading.task == data::Task::regression)
    problems.emplace_back("--task: p-values are of classes; for a regression there is credence conformal intervals");
  throw_if_any(problems);
  return neighbours;
}

std::vector<double> online_levels(const OnlineFlags& options) {
  std::vector<double> levels = parse_eps(options.eps);
  if (levels.empty()) throw Error(ErrorCode::invalid_argument, "--eps: at least one level is needed");
  return levels;
}

data::Dataset read_stream(const OnlineFlags& options, const data::ReadOptions& reading, int k) {
  data::Dataset dataset = read_with_notes(options.data.path, reading, options.run.quiet);
  data::check_trainable(dataset);
  if (!dataset.weights.empty()) throw Error(ErrorCode::invalid_argument, "nearest neighbours take no sample weights");
  if (static_cast<std::size_t>(k) > dataset.rows()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--k: {} is more than the {} rows there are", k, dataset.rows()));
  }
  if (!options.shuffle) return dataset;
  std::vector<std::size_t> order(dataset.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  core::RandomStream(options.p_values.seed, shuffling).shuffle(order);
  return dataset.select_rows(order);
}

/// Names of classes and levels go into the header, values below them.
std::string csv_header(const data::Dataset& dataset, const std::vector<double>& levels) {
  std::string text = "t,row,label,truth";
  for (const std::string& name : dataset.schema.classes) text += ',' + data::csv_cell("p_" + name);
  for (const double eps : levels) text += fmt::format(",error_{0},errors_{0},line_{0}", eps);
  return text + '\n';
}

class Recorder {
 public:
  Recorder(const data::Dataset& dataset, const std::vector<double>& levels, bool with_csv)
      : dataset_(dataset), levels_(levels), with_csv_(with_csv), counts_(levels.size()) {
    if (with_csv) course_.csv = csv_header(dataset, levels);
    for (const std::string& name : dataset.schema.classes) spellings_.push_back(data::csv_cell(name));
  }

  void add(const conformal::OnlineStep& step) {
    ++t_;
    course_.label_errors += step.label != step.truth ? 1U : 0U;
    for (std::size_t e = 0; e < levels_.size(); ++e) counts_[e].add(step, levels_[e]);
    if (with_csv_) append_csv(step);
    constexpr std::size_t parts = 10;
    const std::size_t n = dataset_.rows();
    if (t_ * parts / n != (t_ - 1) * parts / n) course_.checkpoints.push_back({t_, counts_});
  }
  const Course& course() const { return course_; }

 private:
  void append_csv(const conformal::OnlineStep& step) {
    auto out = std::back_inserter(course_.csv);
    fmt::format_to(out, "{},{},{},{}", t_, dataset_.file_rows.empty() ? t_ : dataset_.file_rows[t_ - 1],
                   spellings_[static_cast<std::size_t>(step.label)], spellings_[static_cast<std::size_t>(step.truth)]);
    for (const double p : step.p_value) fmt::format_to(out, ",{}", p);
    for (std::size_t e = 0; e < levels_.size(); ++e) {
      fmt::format_to(out, ",{},{},{:.10g}", RunningCounts::is_error(step, levels_[e]) ? 1 : 0, counts_[e].errors,
                     levels_[e] * static_cast<double>(t_));
    }
    course_.csv += '\n';
  }

  const data::Dataset& dataset_;
  const std::vector<double>& levels_;
  bool with_csv_;
  std::size_t t_ = 0;
  std::vector<RunningCounts> counts_;
  std::vector<std::string> spellings_;
  Course course_;
};

/// Errors, classes and regions of the first t steps at one level.
struct LevelCourse {
  std::size_t t;
  double eps;
  const RunningCounts& counts;

  bounds::CountInterval band() const { return bounds::central_counts(t, eps, band_delta); }
  double line() const { return eps * static_cast<double>(t); }
  double mean_size() const { return static_cast<double>(counts.classes) / static_cast<double>(t); }
};

report::Json checkpoint_json(const LevelCourse& at) {
  return {{"t", at.t},
          {"errors", at.counts.errors},
          {"line", at.line()},
          {"lower", at.band().lower},
          {"upper", at.band().upper},
          {"mean_size", at.mean_size()},
          {"empty", at.counts.empty},
          {"multiple", at.counts.multiple}};
}

std::string level_table(const Course& course, const std::vector<double>& levels, std::size_t e) {
  std::string text =
      fmt::format("\n{:>11}  {:>8}  {:>9}  {:>11}  {:>9}  {:>7}  {:>8}\n", fmt::format("eps {}: t", levels[e]),
                  "errors", "line", "95 % band", "mean size", "empty", "multiple");
  for (const Checkpoint& checkpoint : course.checkpoints) {
    const LevelCourse at{checkpoint.t, levels[e], checkpoint.levels[e]};
    text += fmt::format("{:>11}  {:>8}  {:>9.2f}  {:>11}  {:>9.3f}  {:>7}  {:>8}\n", at.t, at.counts.errors, at.line(),
                        fmt::format("{} - {}", at.band().lower, at.band().upper), at.mean_size(), at.counts.empty,
                        at.counts.multiple);
  }
  return text;
}

std::string final_line(const Course& course, const std::vector<double>& levels, std::size_t e) {
  const Checkpoint& last = course.checkpoints.back();
  const bounds::CountInterval band = bounds::central_counts(last.t, levels[e], band_delta);
  const std::size_t errors = last.levels[e].errors;
  return fmt::format("{:<12}{} = {} at eps {}: {} the band around the line\n", e == 0 ? "errors" : "", errors,
                     report::percent(static_cast<double>(errors) / static_cast<double>(last.t)), levels[e],
                     errors < band.lower   ? "below"
                     : errors > band.upper ? "above"
                                           : "within");
}

std::string online_table(const Course& course, const data::Dataset& dataset, const OnlineFlags& options,
                         const conformal::NeighbourOptions& neighbours, const std::vector<double>& levels) {
  std::string text =
      fmt::format("{:<12}{}: {}, {}, {}\n", "data", options.data.path == "-" ? "standard input" : options.data.path,
                  report::count_of(dataset.rows(), "row"), report::count_of(dataset.class_count(), "class"),
                  options.shuffle ? fmt::format("shuffled by seed {}", options.p_values.seed) : "in file order");
  text += fmt::format("{:<12}{}, k = {}, {} distance; {}{} p-values\n", "measure", neighbours.measure.name,
                      neighbours.k, core::word(neighbours.metric), options.p_values.smoothed ? "smoothed" : "plain",
                      options.p_values.label_conditional ? ", label-conditional" : "");
  text += fmt::format("{:<12}{} of {} are wrong\n", "labels", course.label_errors, dataset.rows());
  for (std::size_t e = 0; e < levels.size(); ++e) text += level_table(course, levels, e);
  text += "\n";
  for (std::size_t e = 0; e < levels.size(); ++e) text += final_line(course, levels, e);
  return text;
}

report::Json online_json(const Course& course, const data::Dataset& dataset, const OnlineFlags& options,
                         const conformal::NeighbourOptions& neighbours, const std::vector<double>& levels) {
  report::Json per_level = report::Json::array();
  for (std::size_t e = 0; e < levels.size(); ++e) {
    report::Json points = report::Json::array();
    for (const Checkpoint& checkpoint : course.checkpoints)
      points.push_back(checkpoint_json({checkpoint.t, levels[e], checkpoint.levels[e]}));
    per_level.push_back({{"eps", levels[e]}, {"checkpoints", std::move(points)}});
  }
  return {{"kind", "conformal online"},
          {"source", options.data.path},
          {"rows", dataset.rows()},
          {"classes", dataset.schema.classes},
          {"measure", std::string(neighbours.measure.name)},
          {"k", neighbours.k},
          {"metric", std::string(core::word(neighbours.metric))},
          {"smoothed", options.p_values.smoothed},
          {"label_conditional", options.p_values.label_conditional},
          {"shuffled", options.shuffle},
          {"seed", options.p_values.seed},
          {"band", {{"confidence", 1 - band_delta}, {"method", "binomial"}}},
          {"label_errors", course.label_errors},
          {"levels", std::move(per_level)},
          {"version", version()}};
}

int run_online_command(const OnlineFlags& options) {
  const data::ReadOptions reading = read_options(options.data);
  const conformal::NeighbourOptions neighbours = neighbour_options(options, reading);
  const std::vector<double> levels = online_levels(options);
  check_output(options.output, {options.data.path});
  check_document_output(options.document, {options.data.path, options.output});
  check_run_files(options.run.log, options.run.checkpoint,
                  {options.data.path, options.output, options.document.json, options.document.report});
  if (options.output == "-" && options.document.json == "-")
    throw Error(ErrorCode::invalid_argument, "-o and --json cannot both go to standard output");
  const Human human(options.run.quiet, options.output == "-" ? options.output : options.document.json);
  Run run(options.run, true);

  const data::Dataset dataset = read_stream(options, reading, neighbours.k);
  const data::Features rows = data::Preprocessing::fit(dataset, data::Scaling::none).apply(dataset);
  run.catch_signals();
  const Stopwatch stopwatch;
  Recorder recorder(dataset, levels, !options.output.empty());
  conformal::run_online(rows, dataset.labels, dataset.class_count(), neighbours, options.p_values, run.context(),
                        [&](const conformal::OnlineStep& step) {
                          recorder.add(step);
                          return true;
                        });
  const double seconds = stopwatch.seconds();
  run.end_work();
  human.print(online_table(recorder.course(), dataset, options, neighbours, levels));
  if (options.output == "-")
    print(recorder.course().csv);
  else if (!options.output.empty())
    core::write_atomically(options.output, recorder.course().csv);
  report::Json document = online_json(recorder.course(), dataset, options, neighbours, levels);
  document["seconds"] = seconds;
  document["threads"] = run.context().threads.count();
  write_document(std::move(document), options.document, options.data.path);
  if (!options.run.quiet && !options.shuffle)
    note("errors follow the line if the order of the rows means nothing; --shuffle makes that so");
  return exit_code::success;
}

void add_prediction_options(Command command, OnlineFlags& options) {
  const Group group = command.group("Prediction");
  group.option("--measure", &options.measure, "WORD", "nn-ratio (default) or nn-own");
  for (conformal::Measure measure : nearest_measures()) options.given.add(group, fields_of(measure));
  add_fields(group, core::fields_of(options));
}

}  // namespace

Action add_conformal_online(Command command) {
  const auto options = std::make_shared<OnlineFlags>();
  add_training_data_options(command, options->data, false);
  add_prediction_options(command, *options);
  command.group("Output").option("-o,--output", &options->output, "FILE",
                                 "every step as CSV: t, row, label, truth, p_CLASS,\n"
                                 "error_EPS, errors_EPS (so far), line_EPS; - is\n"
                                 "standard output");
  add_document_options(command, options->document, "write the table as JSON; - is standard output");
  add_run_options(command, options->run, true);
  command.footer(
      "Smoothed p-values of exchangeable rows make errors that are independent, each\n"
      "with probability eps, so that their sum follows the line eps t; 95 % band: where\n"
      "a binomial count of t trials lies.\n\n"
      "Examples:\n"
      "  credence conformal online pima.csv --shuffle\n"
      "  credence conformal online pima.csv --k 3 --eps 0.05,0.2 -o steps.csv");
  return [options] { return run_online_command(*options); };
}

}  // namespace credence::cli
