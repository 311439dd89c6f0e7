#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>

namespace credence::cli {

void add_reading_options(CLI::App& app, DataOptions& options) {
  const std::string group = "Reading";
  app.add_option("--format", options.format, "csv, svmlight or auto (default: by name and content)")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--delimiter", options.delimiter, "one character, or tab (default: ,)")
      ->type_name("CHAR")
      ->group(group);
  app.add_option("--header", options.header, "yes, no or auto (default)")->type_name("WORD")->group(group);
}

void add_task_option(CLI::App& app, DataOptions& options) {
  app.add_option("--task", options.task, "classification (default) or regression: the label\nis a class, or a number")
      ->type_name("WORD")
      ->group("Reading");
}

void add_training_data_options(CLI::App& app, DataOptions& options, bool with_folds) {
  const std::string group = "Reading";
  app.add_option("DATA", options.path, "CSV or svmlight text, plain or gzip; - is stdin")->required();
  add_task_option(app, options);
  app.add_option("--label", options.label,
                 "column of classes or numbers, its name or position\n"
                 "(default: label, target, class or y; otherwise the\n"
                 "last)")
      ->type_name("COL")
      ->group(group);
  app.add_option("--missing", options.missing,
                 "empty, NA, ?, nan: error (default), drop (the row)\n"
                 "or impute (median, most frequent level)")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--categorical", options.categorical, "a column of numbers that are names; may be repeated")
      ->type_name("COL")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--weights", options.weights, "column of sample weights (> 0)")->type_name("COL")->group(group);
  if (with_folds) {
    app.add_option("--groups", options.groups, "column of groups: rows of one share a fold")
        ->type_name("COL")
        ->group(group);
    app.add_option("--fold-column", options.folds, "column of fixed folds, instead of --folds")
        ->type_name("COL")
        ->group(group);
    app.add_option("--hint-column", options.hint,
                   "column of decision values that are known before,\n"
                   "for methods that can start from a hint; CSV only")
        ->type_name("COL")
        ->group(group);
  }
  add_reading_options(app, options);
}

void add_training_options(CLI::App& app, TrainingOptions& options) {
  const std::string group = "Kernel and training";
  app.add_option("--kernel", options.kernel,
                 "rbf (default), linear, polynomial, sigmoid,\n"
                 "laplacian or precomputed")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--degree", options.degree, "of the polynomial kernel (default: 3)")->type_name("INT")->group(group);
  app.add_option("--coef0", options.coef0, "of polynomial and sigmoid kernels (default: 0)")
      ->type_name("NUMBER")
      ->group(group);
  app.add_option("--scale", options.scale,
                 "standard (default), minmax (default of relevance\n"
                 "vector machines) or none")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--class-weight", options.class_weight, "balanced, or factors on C: name:w,name:w")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--tolerance", options.tolerance, "of the KKT conditions (default: 0.001)")
      ->type_name("NUMBER")
      ->group(group);
  app.add_option("--max-steps", options.max_steps, "SMO steps of one solve (default: 10^7 or 100 n)")
      ->type_name("INT")
      ->group(group);
  app.add_option("--seed", options.seed, "of all random choices (default: 0)")->type_name("INT")->group(group);
}

void add_run_options(CLI::App& app, RunOptions& options, bool with_limits) {
  const std::string group = "Run";
  app.add_option("--threads", options.threads, "default: one for each core")->type_name("INT")->group(group);
  if (with_limits) {
    app.add_option("--memory", options.memory, "for kernel matrices: 512M, 4G (default: half)")
        ->type_name("SIZE")
        ->group(group);
    app.add_option("--time-limit", options.time_limit, "stop with a partial result after so many seconds")
        ->type_name("SECONDS")
        ->group(group);
  }
  app.add_flag("--quiet", options.quiet, "errors only, and what was asked for by -o and --json")->group(group);
}

void refuse_word(const char* option, const std::string& text, const std::string& allowed) {
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: '{}' is not one of {}", option, text, allowed));
}

data::ReadOptions read_options(const DataOptions& options) {
  const auto given = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  data::ReadOptions read;
  read.format = choose<data::Format>(
      "--format", options.format,
      {{"auto", data::Format::detect}, {"csv", data::Format::csv}, {"svmlight", data::Format::svmlight}});
  read.header = choose<data::Header>(
      "--header", options.header,
      {{"auto", data::Header::detect}, {"yes", data::Header::present}, {"no", data::Header::absent}});
  read.missing = choose<data::Missing>(
      "--missing", options.missing,
      {{"error", data::Missing::error}, {"drop", data::Missing::drop}, {"impute", data::Missing::impute}});
  read.task = choose<data::Task>(
      "--task", options.task, {{"classification", data::Task::classification}, {"regression", data::Task::regression}});
  if (options.delimiter == "tab" || options.delimiter == "\\t") {
    read.delimiter = '\t';
  } else if (options.delimiter.size() == 1 && options.delimiter != "\"" && options.delimiter != "\n") {
    read.delimiter = options.delimiter.front();
  } else {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--delimiter: '{}' is not one character, or tab", options.delimiter));
  }
  read.label = given(options.label);
  read.weights = given(options.weights);
  read.hint = given(options.hint);
  read.groups = given(options.groups);
  read.folds = given(options.folds);
  read.categorical = options.categorical;
  return read;
}

data::ReadOptions read_options_for(const model::Predictor& model, const DataOptions& options) {
  data::ReadOptions read = read_options(options);
  read.schema = &model.schema;
  read.missing = model.missing;
  return read;
}

kernel::Shape kernel_of(const TrainingOptions& options) {
  kernel::Shape kernel;
  kernel.type = parse_option("--kernel", [&] { return kernel::parse_kernel_type(options.kernel); });
  kernel.coef0 = options.coef0;
  kernel.degree = options.degree;
  throw_if_any(kernel.validate());
  return kernel;
}

data::Scaling scaling_of(const TrainingOptions& options, const kernel::Shape& kernel) {
  // Standardised kernel values would no longer be a kernel.
  if (options.scale.empty())
    return kernel.type == kernel::KernelType::precomputed ? data::Scaling::none : data::Scaling::standard;
  return choose<data::Scaling>(
      "--scale", options.scale,
      {{"standard", data::Scaling::standard}, {"minmax", data::Scaling::minmax}, {"none", data::Scaling::none}});
}

svm::ClassWeights class_weights_of(const TrainingOptions& options) {
  svm::ClassWeights weights;
  std::string_view rest = options.class_weight;
  if (rest == "balanced") {
    weights.balanced = true;
    return weights;
  }
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t colon = item.rfind(':');
    double value = 0;
    bool good = colon != std::string_view::npos && colon > 0;
    if (good) {
      const std::string_view number = item.substr(colon + 1);
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      good = error == std::errc() && end == number.data() + number.size() && std::isfinite(value) && value > 0;
    }
    if (!good) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--class-weight: '{}' is neither balanced nor name:w with w > 0", item));
    }
    weights.named[std::string(item.substr(0, colon))] = value;
  }
  return weights;
}

qp::Options solver_of(const TrainingOptions& options) {
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    throw Error(ErrorCode::invalid_argument, fmt::format("--tolerance: {} is not > 0", options.tolerance));
  qp::Options solver;
  solver.tolerance = options.tolerance;
  solver.max_steps = options.max_steps;
  return solver;
}

CLI::Option* not_empty(CLI::Option* option) {
  return option->check(CLI::Validator(
      [](const std::string& text) { return text.empty() ? std::string("the empty text is no value") : std::string(); },
      ""));
}

std::size_t parse_memory(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  double factor = 0;
  for (const report::Choice<int>& choice : std::initializer_list<report::Choice<int>>{{"", 0},
                                                                                      {"B", 0},
                                                                                      {"K", 1},
                                                                                      {"KB", 1},
                                                                                      {"KiB", 1},
                                                                                      {"M", 2},
                                                                                      {"MB", 2},
                                                                                      {"MiB", 2},
                                                                                      {"G", 3},
                                                                                      {"GB", 3},
                                                                                      {"GiB", 3},
                                                                                      {"T", 4},
                                                                                      {"TB", 4},
                                                                                      {"TiB", 4}}) {
    if (unit == choice.word) factor = std::pow(1024.0, choice.value);
  }
  const double bytes = value * factor;
  if (error != std::errc() || !(bytes >= 1) || bytes > 1e18) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--memory: '{}' is not a size such as 512M, 4G or a number of bytes", text));
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace credence::cli
