#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/error.hpp"
#include "credence/core/fingerprint.hpp"
#include "output.hpp"
#include "reproduce/experiment.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

struct ReproduceFlags {
  std::string table;
  reproduce::Request request;
  RunOptions run;
  DocumentOutput document;
};

using MakeExperiment = std::unique_ptr<reproduce::Experiment> (*)(const reproduce::Request&);

constexpr std::pair<const char*, MakeExperiment> tables[] = {
    {"nonconformity", reproduce::nonconformity_experiment},
    {"tcm-nn", reproduce::tcm_nn_experiment},
    {"in-sample", reproduce::in_sample_experiment},
    {"kernel-validity", reproduce::kernel_validity_experiment}};

MakeExperiment experiment_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [word, make] : tables) {
    if (name == word) return make;
    names.emplace_back(word);
  }
  under_name("TABLE", [&] { core::refuse_word(name, names); });
  return nullptr;
}

/// Options that not every table has.
void check_options(const std::string& table, const reproduce::Request& options) {
  const bool in_sample = table == "in-sample";
  const bool kernel_validity = table == "kernel-validity";
  const auto refuse = [](const char* option, const char* owners) {
    credence::refuse(fmt::format("{} is an option of {} only", option, owners));
  };
  if (options.quick && !in_sample && !kernel_validity) refuse("--quick", "in-sample and kernel-validity");
  if (!options.sizes.empty() && !in_sample) refuse("--sizes", "in-sample");
  if (!options.methods.empty() && !in_sample) refuse("--methods", "in-sample");
  if (options.splits && !kernel_validity) refuse("--splits", "kernel-validity");
  if (options.smoothing && table != "tcm-nn") refuse("--smoothing", "tcm-nn");
  if (options.repeats && kernel_validity) refuse("--repeats", "nonconformity, tcm-nn and in-sample");
}

void check_count(const char* option, std::optional<int> count) {
  if (count && (*count < 1 || *count > 10000)) refuse(fmt::format("{}: {} is not between 1 and 10000", option, *count));
}

void check_smoothing(std::optional<double> width) {
  if (width && !(*width > 0 && *width <= 10))
    refuse(fmt::format("--smoothing: {} is not greater than 0 and at most 10", *width));
}

void check_folder(const ReproduceFlags& options) {
  // Figure 2 of kernel-validity is computed.
  const bool needs_data = options.table != "kernel-validity" || options.request.sets != "sinc";
  const std::string& folder = options.request.folder;
  if (folder.empty() && !needs_data) return;
  if (folder.empty()) refuse("--data is required: the folder of the data sets");
  if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::file, fmt::format("--data: '{}' is not a folder", folder));
}

std::string optional_text(const auto& value) {
  return value ? fmt::format("{}", *value) : "none";
}

/// Of all that the results of an experiment depend on.
std::string checksum_of(const reproduce::Request& asked) {
  core::Fingerprint sum;
  for (const std::string& text :
       {asked.sets, asked.sizes, asked.methods, std::string(asked.quick ? "quick" : "whole"),
        optional_text(asked.repeats), optional_text(asked.splits), optional_text(asked.smoothing)})
    sum.add(text);
  sum.add(std::span<const std::uint64_t>(&asked.seed, 1));
  return sum.text();
}

std::string checksum_of(const std::vector<reproduce::Part>& parts) {
  core::Fingerprint sum;
  for (const reproduce::Part& part : parts) sum.add(part.data);
  return sum.text();
}

/// Prints and writes a report that is complete or was stopped; returns the exit code.
int finish_report(const ReproduceFlags& options, const reproduce::Experiment& experiment) {
  const Human human(options.run.quiet, options.document.json);
  const core::StopReason stopped = experiment.course().stopped;
  const bool complete = stopped == core::StopReason::none;
  const std::string mark =
      fmt::format("{}: partial result", stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT");
  if (!complete) human.print(mark + "\n");
  human.print(experiment.text());
  report::Json document = experiment.json();
  if (!complete) document["warnings"] = std::vector<std::string>{mark};
  write_document(std::move(document), options.document, "");
  if (!complete) warn(mark);
  return exit_code_of(stopped);
}

int run_reproduce(const ReproduceFlags& options) {
  const MakeExperiment make = experiment_named(options.table);
  check_options(options.table, options.request);
  check_count("--repeats", options.request.repeats);
  check_count("--splits", options.request.splits);
  check_smoothing(options.request.smoothing);
  check_folder(options);
  const std::unique_ptr<reproduce::Experiment> experiment = make(options.request);
  check_document_output(options.document);
  check_run_files(options.run.log, options.run.checkpoint, {options.document.json, options.document.report});
  Run run(options.run, true);
  const std::vector<reproduce::Part> parts = experiment->read(options.request.folder);
  run.catch_signals();
  run.open_checkpoint("reproduce " + options.table, checksum_of(options.request), checksum_of(parts));
  experiment->run(parts, run.context());
  run.end_work();
  return finish_report(options, *experiment);
}

void add_experiment_options(Command command, reproduce::Request& options) {
  const Group group = command.group("Experiment");
  group.option("--data", &options.folder, "DIR",
               "folder of the data sets (required, except for --sets\n"
               "sinc); see docs/reproduce.md");
  group.option("--sets", &options.sets, "LIST", "some of the data sets, with commas (default: all)");
  group.option("--repeats", &options.repeats, "INT",
               "shuffles to average over (default: 1; tcm-nn: 10,\n"
               "where there are folds; in-sample: 10 draws of MNIST)");
  group.option("--sizes", &options.sizes, "LIST",
               "in-sample: some of MNIST's 10, 20, ..., 400\n"
               "training rows (default: all)");
  group
      .option("--methods", &options.methods, "LIST",
              "in-sample: some of md-hint, rc-hint, md, rc, kcv,\n"
              "loo, bts (default: all)")
      .words({"md-hint", "rc-hint", "md", "rc", "kcv", "loo", "bts"});
  group.option("--splits", &options.splits, "INT",
               "kernel-validity: random splits of each set, noise\n"
               "seeds of Figure 2 (default: 20)");
  group.option("--smoothing", &options.smoothing, "WIDTH",
               "tcm-nn: width of the Gaussian over the images of\n"
               "usps-smoothed, in pixels (default: 0.7, chosen\n"
               "because it gives the paper's error)");
  group.flag("--quick", &options.quick,
             "in-sample, kernel-validity: few sets and draws,\n"
             "sizes or splits");
  group.option("--seed", &options.seed, "INT", "seed of the first shuffle (default: 0)");
}

}  // namespace

Action add_reproduce(Command command) {
  const auto options = std::make_shared<ReproduceFlags>();
  std::vector<std::string> words;
  for (const auto& [word, make] : tables) words.emplace_back(word);
  command
      .argument("TABLE", &options->table,
                "nonconformity: Hardoon et al. (2009), Table 3 ...\n"
                "tcm-nn: Proedrou et al. (2002), Tables 1 to 3 ...\n"
                "in-sample: Anguita et al. (2012), Tables I, III,\n"
                "V, VII, X to XIV\n"
                "kernel-validity: Kropotov et al., Table 1, Figure 2")
      .words(words);
  add_experiment_options(command, options->request);
  add_document_options(command, options->document, "write every fold as JSON; - is standard output");
  add_run_options(command, options->run, true);
  add_checkpoint_option(command, options->run);
  command.footer(
      "Examples:\n"
      "  credence reproduce nonconformity --data DIR --sets pima,bupa --repeats 5\n"
      "  credence reproduce tcm-nn --data DIR --sets satellite\n"
      "  credence reproduce in-sample --data DIR --quick\n"
      "  credence reproduce kernel-validity --data DIR --splits 20\n"
      "  credence reproduce kernel-validity --sets sinc");
  return [options] { return run_reproduce(*options); };
}

}  // namespace credence::cli
