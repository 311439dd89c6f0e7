#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/list.hpp"
#include "credence/io/c_source.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "output.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

struct ConvertFlags {
  DataOptions data;  ///< its path is IN
  std::string output;
  std::string preprocess;
  bool unlabelled = false;
  bool quiet = false;
};

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

enum class DataFormat { csv, svmlight };

DataFormat output_format(const std::string& path) {
  const std::string plain = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  if (plain.ends_with(".csv")) return DataFormat::csv;
  if (ends_with_any(plain, {".svm", ".svmlight", ".libsvm", ".txt"})) return DataFormat::svmlight;
  refuse(
      fmt::format("'{}': the ending of the output decides its format; for data it must be .csv, .svm, "
                  ".svmlight, .libsvm or .txt, each with or without .gz",
                  path));
}

/// Raw columns can be written only where they are numbers already.
void check_plain_numbers(const data::Dataset& dataset, const std::string& source) {
  for (std::size_t j = 0; j < dataset.schema.columns.size(); ++j) {
    if (dataset.schema.columns[j].kind == data::ColumnKind::numeric) continue;
    refuse_data("text cannot be converted to numbers without a model's preprocessing (--preprocess MODEL)",
                {source, 0, dataset.schema.has_header ? dataset.schema.columns[j].name : std::to_string(j + 1)});
  }
}

/// svmlight labels are numbers; classes are numbered by the same rule as in an exported model.
data::Dataset with_numbered_classes(data::Dataset dataset, bool quiet) {
  if (dataset.is_regression() || !dataset.is_labelled()) return dataset;
  std::vector<std::string> notes;
  const std::vector<int> numbers = io::libsvm_class_numbers(dataset.schema.classes, notes);
  if (notes.empty()) return dataset;
  for (std::size_t i = 0; i < numbers.size(); ++i) dataset.schema.classes[i] = std::to_string(numbers[i]);
  if (!quiet) note(notes.front());
  return dataset;
}

void write_data(const ConvertFlags& options, DataFormat format, const data::Features& features,
                const std::vector<std::string>& names, const data::Dataset& dataset) {
  if (format == DataFormat::csv)
    data::write_csv(options.output, features, names, dataset);
  else
    data::write_svmlight(options.output, features, with_numbered_classes(dataset, options.quiet));
}

int convert_data(const ConvertFlags& options) {
  const DataFormat format = output_format(options.output);
  if (!options.preprocess.empty()) {
    const std::unique_ptr<model::Predictor> model = load_any_model(options.preprocess);
    if (model->capabilities().precomputed)
      refuse("--preprocess: a model with a precomputed kernel has no preprocessing");
    data::Dataset dataset = read_for(*model, options.data, options.quiet);
    dataset.schema.index_base.reset();  // as LIBSVM counts the columns of an exported model
    const data::Features features = model->preprocessing.apply(dataset, data::UnknownLevel::ignore);
    write_data(options, format, features, model->preprocessing.names, dataset);
    return exit_code::success;
  }
  data::ReadOptions reading = read_options(options.data);
  reading.unlabelled = options.unlabelled;
  const data::Dataset dataset = read_with_notes(options.data.path, reading, options.quiet);
  check_plain_numbers(dataset, options.data.path);
  const std::vector<std::string> names = core::mapped(dataset.schema.columns, &data::Column::name);
  write_data(options, format, dataset.features, names, dataset);
  return exit_code::success;
}

int run_convert(const ConvertFlags& options) {
  const data::ReadOptions reading = read_options(options.data);
  if (options.preprocess.empty() && reading.unseen != data::Unseen::error)
    refuse("--unseen: it is about the levels that a model knows, and there is no --preprocess MODEL");
  if (reading.missing == data::Missing::impute)
    refuse("--missing: convert takes error or drop; a model imputes (--preprocess)");
  check_output(options.output, {options.data.path, options.preprocess});
  const std::string& input = options.data.path;
  if (input != "-") core::check_readable(input);  // before the endings of names are looked at
  const bool is_model = input != "-" && io::is_model_file(input);
  const bool is_libsvm = input != "-" && !is_model && io::is_libsvm_model(input);
  if (is_model || is_libsvm) {
    if (!options.preprocess.empty()) refuse("--preprocess is for data, but the input is a model");
    const bool in_c = is_model && ends_with_any(options.output, {".c", ".h"});
    if (is_model ? !in_c && !ends_with_any(options.output, {".model", ".libsvm", ".txt"})
                 : !ends_with_any(options.output, {".credence"})) {
      refuse(fmt::format("'{}': the ending of the output decides its format; for a {}", options.output,
                         is_model ? "Credence model it must be .c or .h (a C file that predicts), or .model, .libsvm "
                                    "or .txt (LIBSVM's text)"
                                  : "LIBSVM model it must be .credence"));
    }
    if (is_libsvm) {
      io::save_model(io::import_libsvm(input), options.output);
      return exit_code::success;
    }
    const std::unique_ptr<model::Predictor> model = io::load_model(input);
    if (in_c) {
      core::write_atomically(options.output, io::c_source(*model, input));
      return exit_code::success;
    }
    const auto* const one = dynamic_cast<const svm::SvmModel*>(model.get());
    if (one == nullptr) {
      refuse(
          "LIBSVM's text holds a single SVM, and this model is none; `select` gives one with --kernel rbf --scale "
          "standard --rule best",
          {input, 0, {}});
    }
    for (const std::string& text : io::export_libsvm(*one, options.output))
      if (!options.quiet) note(text);
    return exit_code::success;
  }
  if (ends_with_any(input, {".credence"})) io::load_model(input);  // says what is wrong with it
  return convert_data(options);
}

}  // namespace

Action add_convert(Command command) {
  const auto options = std::make_shared<ConvertFlags>();
  command.argument("IN", &options->data.path, "a Credence or LIBSVM model, or CSV or svmlight data");
  command.argument("OUT", &options->output,
                   "its ending decides the format. Of a model: .c or\n"
                   ".h, a C file that predicts; .model, .libsvm or\n"
                   ".txt, LIBSVM's; .credence. Of data: .csv, .svm,\n"
                   ".svmlight, .libsvm or .txt");
  const Group group = command.group("Reading");
  group.option("--preprocess", &options->preprocess, "MODEL", "apply the preprocessing of this model to the data");
  options->data.reading.add<data::ReadOptions>(group, {"task", "label", "missing", "drop", "features"});
  group.flag("--unlabelled", &options->unlabelled, "the data have no column of classes or numbers");
  add_model_rows_options(command, options->data);
  command.group("Options").flag("--quiet", &options->quiet, "print only errors");
  command.footer(
      "Examples:\n"
      "  credence convert pima.credence pima.model\n"
      "  credence convert pima.credence pima.h\n"
      "  credence convert test.csv test.svm --preprocess pima.credence\n"
      "  svm-predict test.svm pima.model predictions.txt");
  return [options] { return run_convert(*options); };
}

}  // namespace credence::cli
