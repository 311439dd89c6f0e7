#include "apply.hpp"

#include <fmt/format.h>

#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "output.hpp"

namespace credence::cli {

svm::SvmModel load_any_model(const std::string& path) {
  return io::is_libsvm_model(path) ? io::import_libsvm(path) : io::load_model(path);
}

data::Dataset read_for(const svm::SvmModel& model, const DataOptions& options, bool quiet) {
  data::Dataset dataset = data::read(options.path, read_options_for(model, options));
  // The last row may have been dropped too, so this is the least that is known.
  const std::size_t last = dataset.file_rows.empty() ? 0 : dataset.file_rows.back();
  if (model.missing == data::Missing::drop && last > dataset.rows() && !quiet) {
    note(fmt::format("{} with missing cells left out, as in training", count_of(last - dataset.rows(), "row")));
  }
  return dataset;
}

std::string decision_name(const svm::SvmModel& model, const svm::BinaryMachine& machine) {
  const auto& classes = model.schema.classes;
  if (classes.size() == 2) return "decision";
  return fmt::format("decision_{}_vs_{}", classes[static_cast<std::size_t>(machine.positive)],
                     classes[static_cast<std::size_t>(machine.negative)]);
}

}  // namespace credence::cli
