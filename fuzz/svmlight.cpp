// svmlight text.
#include <fmt/format.h>

#include "dataset.hpp"

namespace credence::fuzz {
namespace {

std::string text_of(const data::Dataset& dataset, std::size_t base) {
  std::string text = "\n";  // the first label may look like a mark of UTF-16
  const data::SparseMatrix& sparse = dataset.features.sparse();
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    if (dataset.is_regression())
      fmt::format_to(std::back_inserter(text), "{}", dataset.targets[i]);
    else
      text += dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])];
    for (std::size_t k = sparse.offsets[i]; k < sparse.offsets[i + 1]; ++k)
      fmt::format_to(std::back_inserter(text), " {}:{}", sparse.indices[k] + base, sparse.values[k]);
    text += '\n';
  }
  return text;
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 3);
  data::ReadOptions options;
  options.format = data::Format::svmlight;
  options.missing = std::array{data::Missing::error, data::Missing::drop, data::Missing::impute}[input.choose(3)];
  options.task = std::array{data::Task::classification, data::Task::regression}[input.choose(2)];
  options.unlabelled = input.choose(4) == 1;
  const fuzz::MemoryFile file(input.bytes());
  std::optional<data::Dataset> dataset;
  if (fuzz::refusal([&] { dataset = data::read(file.path(), options); })) return 0;
  fuzz::check_dataset(*dataset, options);
  // A table of names for each column, of 16 million at most, is slow to make again and again.
  if (dataset->features.columns() > 100'000) return 0;
  data::ReadOptions rows;
  rows.format = data::Format::svmlight;
  rows.missing = options.missing;
  rows.schema = &dataset->schema;
  fuzz::check_blocks(file.path(), rows, 3);
  if (!dataset->is_labelled()) return 0;
  const std::size_t base = dataset->schema.columns.front().name == "column 0" ? 0 : 1;
  const fuzz::MemoryFile written(fuzz::text_of(*dataset, base));
  rows.missing = data::Missing::impute;
  const auto refused =
      fuzz::refusal([&] { fuzz::require_same(data::read(written.path(), rows), *dataset, "read again"); });
  fuzz::require(!refused, "what was read and written can be read: " + refused.value_or(""));
  return 0;
}
