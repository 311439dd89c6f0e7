#include "credence/data/fingerprint.hpp"

namespace credence::data {

void add_to(core::Fingerprint& sum, const Dataset& dataset) {
  const std::uint64_t sizes[] = {dataset.rows(), dataset.features.columns()};
  sum.add(std::span<const std::uint64_t>(sizes));
  sum.add(dataset.features.stored());
  if (dataset.features.is_sparse()) {
    sum.add(std::span<const std::size_t>(dataset.features.sparse().offsets));
    sum.add(std::span<const std::uint32_t>(dataset.features.sparse().indices));
  }
  sum.add(std::span<const int>(dataset.labels));
  sum.add(std::span<const double>(dataset.targets));
  sum.add(std::span<const double>(dataset.weights));
  sum.add(dataset.schema.hint_name);
  sum.add(std::span<const double>(dataset.hint));
  sum.add(std::span<const int>(dataset.groups));
  sum.add(std::span<const int>(dataset.folds));
  if (!dataset.copies.empty()) sum.add(std::span<const int>(dataset.copies));
  if (dataset.copies_count_once) sum.add("copies count once");
  for (const Split& split : dataset.splits) {
    sum.add(std::span<const std::size_t>(split.training));
    sum.add(std::span<const std::size_t>(split.held_out));
  }
  for (const std::string& name : dataset.schema.classes) sum.add(name);
}

void add_with_columns(core::Fingerprint& sum, const Dataset& dataset) {
  add_to(sum, dataset);
  for (const Column& column : dataset.schema.columns) {
    const std::uint64_t facts[] = {static_cast<std::uint64_t>(column.kind), column.levels.size()};
    sum.add(column.name);
    sum.add(std::span<const std::uint64_t>(facts));
    for (const std::string& level : column.levels) sum.add(level);
  }
}

}  // namespace credence::data
