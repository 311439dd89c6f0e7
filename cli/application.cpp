#include "application.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <string>

#include "blas.hpp"
#include "commands.hpp"
#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/kernel/kernel.hpp"
#include "memory.hpp"
#include "output.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

constexpr const char* main_help = R"(Credence chooses a kernel classifier and saves, applies and evaluates it.

  credence select DATA [-o MODEL]    choose a model: cv, nonconformity, loo, ...
  credence train DATA -o MODEL       train one model with given C and gamma
  credence predict MODEL DATA        label, decision or p-values for each row
  credence evaluate MODEL DATA       error rate, confusion matrix, recall
  credence conformal fit|online DATA p-values and regions that hold
  credence compare DATA              methods of selection on the same folds
  credence bound --errors K --n N    how large the error behind a count can be
  credence convert IN OUT            LIBSVM models; CSV and svmlight data
  credence demo                      all of it on a small data set
  credence reproduce TABLE           the tables of papers, beside their figures

DATA is CSV or svmlight text, plain or gzip; - is standard input. Examples:
  credence select patients.csv --label diagnosis -o patients.credence
  credence predict patients.credence new.csv -o predictions.csv

  credence COMMAND --help            options, defaults and examples
  credence --version [--verbose]     version; SIMD target, BLAS core, compiler

Exit codes: 0 success, 1 unexpected failure, 2 wrong option or argument,
  3 unusable data, 4 file cannot be read or written or is not valid,
  5 stopped by a limit, 6 out of memory, 130 interrupted
)";

constexpr const char* exit_code_footer =
    "Exit codes: 0 success, 1 unexpected failure, 2 wrong option or argument,\n"
    "  3 unusable data, 4 file cannot be read or written or is not valid,\n"
    "  5 stopped by a limit, 6 out of memory, 130 interrupted";

/// "credence conformal fit"
std::string path_of(const CLI::App* app) {
  const std::string& name = app->get_name();
  return app->get_parent() == nullptr ? name : path_of(app->get_parent()) + ' ' + name;
}

/// The subcommand that was asked for, however deep; the application itself if none was.
const CLI::App& asked_for(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : asked_for(*chosen.front());
}

void add_exit_codes(CLI::App& command) {
  command.footer(command.get_footer() + "\n\n" + exit_code_footer);
  for (CLI::App* part : command.get_subcommands({})) add_exit_codes(*part);
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(28); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (app->get_parent() == nullptr) return main_help;
    return CLI::Formatter::make_help(app, std::move(name), mode);
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string usage = "Usage: " + path_of(app);
    if (app->get_require_subcommand_min() > 0) usage += " COMMAND";
    for (const CLI::Option* option : app->get_options()) {
      if (option->nonpositional() || option->get_single_name().empty()) continue;
      usage += ' ' + option->get_single_name();
    }
    return usage + " [OPTIONS]\n";
  }
  /// The type and nothing else: defaults are part of the descriptions, in words.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() || option->get_positional() ? "" : ' ' + option->get_type_name();
  }
};

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return exit_code::usage;
    case ErrorCode::invalid_data:
      return exit_code::data;
    case ErrorCode::file:
    case ErrorCode::format:
      return exit_code::file;
    case ErrorCode::memory:
      return exit_code::memory;
    case ErrorCode::interrupted:
      return Run::was_interrupted() ? exit_code::interrupted : exit_code::limit;
  }
  return exit_code::failure;
}

int complain(const std::string& sentence, int code) {
  std::string line = with_options(sentence);
  std::replace(line.begin(), line.end(), '\n', ' ');
  print_error(fmt::format("credence: {}\n", line));
  return code;
}

void print_version(bool verbose) {
  std::string text = fmt::format("credence {}\n", version());
  if (verbose) {
    text += fmt::format("SIMD target  {}\n", kernel::simd_target());
    text += fmt::format("threads      {}\n", core::Threads(0).count());
    text += fmt::format("memory       {:.1f} GiB for kernel matrices, unless --memory says otherwise\n",
                        static_cast<double>(core::default_memory_budget()) / (1024.0 * 1024.0 * 1024.0));
    const blas::Description blas = blas::describe();
    text += fmt::format("BLAS         {}\n", blas.config);
    text += fmt::format("BLAS core    {}, {}\n", blas.core_type, blas.reason);
    text += fmt::format("compiler     {}\n", CREDENCE_COMPILER);
  }
  print(text);
}

struct Command {
  const char* name;
  const char* description;
  Action (*add)(CLI::App&);
};

constexpr Command command_list[] = {
    {"select", "Chooses among the models of a grid, and saves what was chosen.", add_select},
    {"train", "Trains one model with given C and gamma.", add_train},
    {"predict", "Writes a label, and what else the model says, for each row, as CSV.", add_predict},
    {"evaluate", "Compares predictions with the labels of a data file.", add_evaluate},
    {"conformal", "Fits conformal predictors: p-values and prediction regions that are valid.", add_conformal},
    {"compare", "Compares methods of selection on the same outer folds.", add_compare},
    {"bound", "Prints bounds on the error behind a number of errors, side by side.", add_bound},
    {"convert", "Converts models (Credence, LIBSVM) and data (CSV, svmlight).", add_convert},
    {"demo", "Selects, saves, predicts and evaluates on a small data set.", add_demo},
    {"reproduce", "Runs the experiments of a paper and prints its figures beside ours.", add_reproduce},
};

int parse_and_run(int argc, char** argv) {
  CLI::App app;
  app.name("credence");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(exit_code_footer);
  app.require_subcommand(0, 1);
  bool show_version = false;
  bool verbose = false;
  app.add_flag("--version", show_version, "print the version");
  app.add_flag("--verbose", verbose, "with --version: SIMD target, threads, BLAS and its core type, compiler");

  std::vector<std::pair<CLI::App*, Action>> commands;
  for (const auto& [name, description, add] : command_list) {
    CLI::App* command = app.add_subcommand(name, description);
    Action action = add(*command);
    add_exit_codes(*command);
    commands.emplace_back(command, std::move(action));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(asked_for(app).help());
    return exit_code::success;
  } catch (const CLI::ParseError& error) {
    return complain(fmt::format("{} (see {} --help)", error.what(), path_of(&asked_for(app))), exit_code::usage);
  }
  if (show_version) {
    print_version(verbose);
    return exit_code::success;
  }
  for (const auto& [command, action] : commands)
    if (command->parsed()) return action();
  print_error(main_help);
  return exit_code::usage;
}

/// The exit code of the exception in hand, after one line about it on standard error.
int deal_with_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return complain(error.what(), exit_code_of(error.code()));
  } catch (const std::bad_alloc&) {
    say_memory_is_missing();
    return exit_code::memory;
  } catch (const std::exception& error) {
    return complain(fmt::format("unexpected failure: {}", error.what()), exit_code::failure);
  }
}

}  // namespace

int run_application(int argc, char** argv) {
  prepare_for_little_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left is noticed when writing
  try {
    return parse_and_run(argc, argv);
  } catch (...) {
    try {
      return deal_with_exception();
    } catch (const std::bad_alloc&) {
      say_memory_is_missing();
      return exit_code::memory;
    }
  }
}

}  // namespace credence::cli
