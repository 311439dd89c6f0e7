#include "options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/reader.hpp"

namespace credence::python {
namespace {

using data::Dataset;

Dataset read(const std::string& path, const nb::dict& given) {
  data::ReadOptions options;
  const std::vector<core::Field> fields = fields_for_python(options);
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const core::Field* field = core::find_field(fields, name);
    if (field == nullptr) refuse("reading does not look at " + name);
    under_name(name, [&, &given_value = value] { field->set(from_python(*field, given_value)); });
  }
  const nb::gil_scoped_release released;
  return data::read(path, options);
}

/// Offsets, indices and values of compressed sparse rows.
nb::tuple sparse_parts(const Dataset& dataset) {
  const data::SparseMatrix& matrix = dataset.features.sparse();
  return nb::make_tuple(numbers_of(matrix.offsets), numbers_of(matrix.indices),
                        array_of(std::vector<double>(matrix.values.begin(), matrix.values.end())));
}

std::vector<std::optional<std::vector<std::string>>> levels(const Dataset& dataset) {
  return core::mapped(dataset.schema.columns, [](const data::Column& column) {
    return column.kind == data::ColumnKind::categorical ? std::optional(column.levels) : std::nullopt;
  });
}

}  // namespace

std::vector<core::Field> fields_for_python(data::ReadOptions& options) {
  std::vector<core::Field> fields = core::fields_of(options);
  std::erase_if(fields, [](const core::Field& field) {
    return field.name == "weights" || field.name == "groups" || field.name == "fold_column" ||
           field.name == "hint_column" || field.name == "unseen";
  });
  return fields;
}

void bind_reading(nb::module_& module) {
  module.def("read", &read);
  module.def("dense_values", [](const Dataset& dataset) { return array_of(dataset.features.dense()); });
  module.def("sparse_parts", &sparse_parts);
  module.def("is_sparse", [](const Dataset& dataset) { return dataset.features.is_sparse(); });
  module.def("levels", &levels);
  module.def("targets", [](const Dataset& dataset) { return array_of(dataset.targets); });
  module.def("notes", [](const Dataset& dataset) { return dataset.notes; });
  module.def("label_name", [](const Dataset& dataset) { return dataset.schema.label_name; });
}

}  // namespace credence::python
