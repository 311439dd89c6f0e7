#include "application.hpp"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "commands.hpp"
#include "credence/blas/openblas.hpp"
#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/kernel/kernel.hpp"
#include "output.hpp"
#include "run.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

#if defined(CREDENCE_HAS_REPRODUCE) && defined(CREDENCE_HAS_SELFCHECK)
#define CREDENCE_OPTIONAL_LINE "  credence reproduce | selfcheck     rerun papers; test promises by simulation\n"
#elif defined(CREDENCE_HAS_REPRODUCE)
#define CREDENCE_OPTIONAL_LINE "  credence reproduce TABLE           the tables of papers, beside their figures\n"
#elif defined(CREDENCE_HAS_SELFCHECK)
#define CREDENCE_OPTIONAL_LINE "  credence selfcheck [--quick]       promises of bounds and p-values, by trials\n"
#else
#define CREDENCE_OPTIONAL_LINE ""
#endif

constexpr const char* main_help = R"(Credence chooses a kernel classifier and saves, applies and evaluates it.

  credence describe DATA             a look at data before a training
  credence select DATA [-o MODEL]    choose a model: cv, nonconformity, loo, ...
  credence train DATA -o MODEL       train one model with given C and gamma
  credence predict MODEL DATA        label, decision or p-values for each row
  credence evaluate MODEL DATA       error rate, confusion matrix, recall
  credence conformal fit|online DATA p-values, and prediction sets
  credence info | limits | update    show a model; try limits; recalibrate
  credence compare | honest LOSSES   compare methods; error of the best of many
  credence watch | exchangeable      test whether new or ordered rows change
  credence report RESULT -o PAGE     charts and plain words of a result, as HTML
  credence bound | convert           bound an error rate; convert models or data
  credence demo|doctor|man|completion small data; this machine; manual; shells
)" CREDENCE_OPTIONAL_LINE R"(
DATA is CSV or svmlight text, plain, gzip or zip; - is stdin. Examples:
  credence select patients.csv --label diagnosis -o patients.credence
  credence predict patients.credence new.csv -o predictions.csv
  credence COMMAND --help            options and examples; --version [--verbose]

Exit codes: 0 success, 1 unexpected failure, 2 wrong option or argument,
  3 unusable data, 4 file cannot be read or written or is not valid,
  5 stopped by a limit, 6 out of memory, 7 alarm of watch, 130 interrupted
)";

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

int parse_and_run(int argc, char** argv) {
  remember_command(argc, argv);
  CommandLine line("credence", main_help, exit_code_footer);
  bool show_version = false;
  bool verbose = false;
  const Group options = line.program().group("Options");
  options.flag("--version", &show_version, "print the version");
  options.flag("--verbose", &verbose, "with --version: SIMD target, threads, BLAS and its core type, compiler");
  const Action action = add_parts(
      line.program(),
      {
          {"describe", "Says what a data file holds, and what to look at before a training.", add_describe},
          {"select", "Chooses among the models of a grid, and saves what was chosen.", add_select},
          {"train", "Trains one model with given C and gamma.", add_train},
          {"predict", "Writes the label of each row, with confidence and prediction sets, as CSV.", add_predict},
          {"evaluate", "Compares predictions with the labels of a data file.", add_evaluate},
          {"info", "Says what a model file holds: columns, classes, settings, estimate, p-values.", add_info},
          {"limits", "Shows how many rows are decided at different limits on the error of each class.", add_limits},
          {"update", "Makes p-values of a model rest on labelled rows of another data set.", add_update},
          {"conformal", "Fits conformal predictors: p-values, and prediction sets of your choice.", add_conformal},
          {"compare", "Compares methods of selection on the same outer folds.", add_compare},
          {"honest", "Says what error to expect of the best of many candidates, from their losses.", add_honest},
          {"watch", "Tests whether new rows still come from the distribution of the training rows.", add_watch},
          {"exchangeable", "Tests whether the rows of a table change along an order.", add_exchangeable},
          {"report", "Makes a page of charts and plain words of a result.", add_report},
          {"bound", "Prints upper bounds of an error rate, side by side.", add_bound},
          {"convert", "Converts models (Credence, LIBSVM) and data (CSV, svmlight).", add_convert},
          {"doctor", "Says what the command finds on this computer, and what makes it slow.", add_doctor},
          {"completion", "Prints a script that completes the command line, for bash, zsh or fish.", add_completion},
          {"man", "Prints the manual page.", add_man},
          {"demo", "Selects, saves, predicts and evaluates on a small data set.", add_demo},
#ifdef CREDENCE_HAS_REPRODUCE
          {"reproduce", "Runs the experiments of a paper and prints its figures beside ours.", add_reproduce},
#endif
#ifdef CREDENCE_HAS_SELFCHECK
          {"selfcheck", "Checks by simulation what bounds and p-values promise.", add_selfcheck},
#endif
      },
      [] {
        print_error(main_help);
        return exit_code::usage;
      });
  if (const auto help = line.parse(argc, argv)) {
    print(*help);
    return exit_code::success;
  }
  if (show_version) {
    print_version(verbose);
    return exit_code::success;
  }
  return action();
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

const char* const exit_code_footer =
    "Exit codes: 0 success, 1 unexpected failure, 2 wrong option or argument,\n"
    "  3 unusable data, 4 file cannot be read or written or is not valid,\n"
    "  5 stopped by a limit, 6 out of memory, 7 alarm of watch, 130 interrupted";

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

int exit_code_of(core::StopReason reason) {
  return reason == core::StopReason::none        ? exit_code::success
         : reason == core::StopReason::cancelled ? exit_code::interrupted
                                                 : exit_code::limit;
}

int complain(const std::string& sentence, int code) {
  print_error(fmt::format("credence: {}\n", plain_line(with_options(sentence))));
  return code;
}

Action add_parts(Command command, const std::vector<Part>& parts, const Action& nothing) {
  const auto asked = std::make_shared<Action>(nothing);
  for (const auto& [name, description, add] : parts)
    command.part(name, description, [asked, add = add](Command part) {
      Action action = add(part);
      if (part.parsed()) *asked = std::move(action);
    });
  return [asked] { return (*asked)(); };
}

}  // namespace credence::cli

/// The whole command: parses, runs a subcommand, turns every error into one line on standard error and an exit code.
int main(int argc, char** argv) {
  using namespace credence::cli;
  prepare_for_little_memory();
  credence::system::prepare_streams();
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
