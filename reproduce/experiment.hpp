#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/recall.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"
#include "report/reproduction_report.hpp"
#include "report/text.hpp"

/// What the experiments of all papers have in common.
namespace credence::reproduce {

using report::Json;
using report::operator""_key;

/// What is asked of an experiment; each looks at some of it. Empty: as the experiment has it.
struct Request {
  std::string folder;  ///< of the data sets
  std::string sets;    ///< keys with commas
  std::string sizes;
  std::string methods;
  bool quick = false;
  std::optional<int> repeats;
  std::optional<int> splits;
  std::optional<double> smoothing;
  std::uint64_t seed = 0;
};

/// How a run went; the report of each paper starts with this.
struct Course {
  int threads = 0;
  double seconds = 0;
  core::StopReason stopped = core::StopReason::none;
};

/// A part of an experiment, often one data set. `run` appends to the report, and says whether the part came to its end.
struct Part {
  std::size_t units;  ///< roughly the work
  std::function<bool(const core::Context&)> run;
  std::string data;  ///< a checksum; empty where the data are computed
};

/// One paper's experiment: `read`, then `run`, then the report.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// @throws Error file with the file's name and where anyone gets the data; invalid_data
  virtual std::vector<Part> read(const std::string& folder) = 0;
  /// Runs all parts. Parts stop early, with what is complete, if the monitor says so.
  void run(const std::vector<Part>& parts, const core::Context& context);
  virtual const Course& course() const = 0;
  virtual std::string text() const = 0;
  virtual Json json() const = 0;

 private:
  virtual Course& course() = 0;
};

/// A paper has a `Report` that starts with a Course, and its report_text and report_json.
template <class Report>
class ExperimentWith : public Experiment {
 public:
  const Course& course() const override { return report_; }
  std::string text() const override { return report_text(report_); }
  Json json() const override { return report_json(report_); }

 protected:
  Report report_;

 private:
  Course& course() override { return report_; }
};

// The papers. All throw Error invalid_argument that names the option that is wrong.

std::unique_ptr<Experiment> nonconformity_experiment(const Request& request);
std::unique_ptr<Experiment> tcm_nn_experiment(const Request& request);
std::unique_ptr<Experiment> in_sample_experiment(const Request& request);
std::unique_ptr<Experiment> kernel_validity_experiment(const Request& request);

/// The positions in `words` of a list with commas, each once, in the order asked for; all if the list is empty.
/// @throws Error invalid_argument with the option and the words there are
std::vector<std::size_t> positions_of(const char* option, const std::string& list,
                                      const std::vector<std::string>& words);
/// The sets with these keys, by the same rule.
template <class Set, std::size_t count>
std::vector<const Set*> chosen_sets(const std::array<Set, count>& sets, const std::string& keys) {
  std::vector<std::string> known;
  for (const Set& set : sets) known.emplace_back(set.key);
  std::vector<const Set*> chosen;
  for (const std::size_t position : positions_of("--sets", keys, known)) chosen.push_back(&sets[position]);
  return chosen;
}

/// What the work finds with its own progress of so many units; none if the monitor stops it.
template <class Work>
auto unless_stopped(std::size_t units, const core::Context& context,
                    const Work& work) -> std::optional<decltype(work(context))> {
  if (context.monitor.should_stop()) return std::nullopt;
  core::Monitor monitor(context.monitor, units);
  try {
    return work(context.with(monitor));
  } catch (const Error&) {
    if (!context.monitor.should_stop()) throw;
    return std::nullopt;
  }
}
/// The same, but for work that the context's checkpoint knows under a key made of words and numbers: this is recalled.
template <class Work>
auto recalled_or(const std::vector<std::string>& words, const std::vector<std::uint64_t>& numbers, std::size_t units,
                 const core::Context& context, const Work& work) -> std::optional<decltype(work(context))> {
  using Found = decltype(work(context));
  if (context.checkpoint == nullptr) return unless_stopped(units, context, work);
  core::Fingerprint key;
  for (const std::string& word : words) key.add(word);
  key.add(std::span<const std::uint64_t>(numbers));
  if (auto known = core::recalled<Found>(context, key, [](const Found&) { return true; })) {
    context.monitor.advance(units);
    return known;
  }
  auto found = unless_stopped(units, context, work);
  if (found && !context.monitor.should_stop()) core::keep(context, key, *found);
  return found;
}
std::string checksum_of(const data::Dataset& dataset);
/// @throws Error interrupted if the selection or the fit was stopped
void check_not_stopped(bool stopped);

/// FOLDER/STEM.csv.gz or .csv; empty if the folder has neither.
std::string file_of(const std::string& folder, const std::string& stem);
inline constexpr const char* of_uci =
    "anyone gets the data from the UCI Machine Learning Repository, and docs/reproduce.md says how to make the files "
    "from them";
inline constexpr const char* of_many = "docs/reproduce.md says where anyone gets it and how to make the file";
/// @param what  "the data set Bupa". @throws Error file
std::string required_file_of(const std::string& folder, const std::string& stem, const std::string& what,
                             const char* origin);
/// @throws Error invalid_data if a column has text
void check_numbers(const data::Dataset& dataset);
/// The first class against all others.
void join_other_classes(data::Dataset& dataset);

/// A count of the data beside what the paper prints.
struct Counted {
  const char* what;
  std::size_t here;
  std::size_t printed;
};
/// In what the data differ from the paper; empty if in nothing.
std::vector<std::string> differences(std::initializer_list<Counted> counts);

/// Mean of some runs and, of two runs or more, how much they vary.
struct Figure {
  double mean = 0;
  std::optional<double> deviation;       ///< of one run
  std::optional<double> standard_error;  ///< of the mean
};
Figure figure_of(const std::vector<double>& values);
/// Of a number that each run has.
template <class Run, class Of>
Figure figure_over(const std::vector<Run>& runs, const Of& of) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(of(run));
  return figure_of(values);
}
/// "12.34", or "12.34 (0.05)" with the deviation.
std::string figure_text(const Figure& figure, int decimals);
Json figure_json(const Figure& figure);

/// " *" after the name of a data set that has remarks.
std::string mark_of(const std::vector<std::string>& remarks);
/// "* Bupa: 341 rows, in the paper 345", or nothing.
std::string footnote(const std::string& name, const std::vector<std::string>& remarks);
/// The last line of a report.
std::string closing_line(const Course& course);
/// The members that all reports have, around those of one paper.
/// @param found  what the page shows
Json report_document(const char* table, const char* paper, const Course& course, const report::Json& members,
                     report::Reproduction found);

}  // namespace credence::reproduce
