#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
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

/// Names x1, x2, ... where there are none. A column with levels is categorical.
Dataset with_columns(data::Features features, std::size_t count, const std::optional<std::vector<std::string>>& names,
                     const std::vector<std::optional<std::vector<std::string>>>& levels) {
  Dataset dataset;
  dataset.features = std::move(features);
  dataset.schema.has_header = names.has_value();
  for (std::size_t j = 0; j < count; ++j) {
    data::Column column{names ? names->at(j) : fmt::format("x{}", j + 1), data::ColumnKind::numeric, {}};
    if (j < levels.size() && levels[j]) {
      column.kind = data::ColumnKind::categorical;
      column.levels = *levels[j];
    }
    dataset.schema.columns.push_back(std::move(column));
  }
  dataset.schema.label_position = count;
  dataset.schema.file_columns = count + 1;
  dataset.file_rows = core::numbers_from(1, dataset.rows());
  return dataset;
}

Dataset dense(const Matrix& values, const std::optional<std::vector<std::string>>& names,
              const std::vector<std::optional<std::vector<std::string>>>& levels) {
  return with_columns(matrix_of(values), values.shape(1), names, levels);
}

/// @param offsets, indices  of compressed sparse rows, columns ascending within a row
Dataset sparse(const Vector<std::int64_t>& offsets, const Vector<std::int64_t>& indices, const Vector<double>& values,
               std::size_t columns) {
  data::SparseMatrix matrix;
  matrix.rows = std::max<std::size_t>(offsets.size(), 1) - 1;
  matrix.columns = columns;
  matrix.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  // What no column has, such as -1, is still none when it is stored in fewer bits.
  for (const std::int64_t index : span_of(indices))
    matrix.indices.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(index, -1, 0xFFFFFFFF)));
  matrix.values.assign(values.data(), values.data() + values.size());
  if (const std::string problem = matrix.problem(); !problem.empty()) refuse_data(problem);
  return with_columns(std::move(matrix), columns, {}, {});
}

/// Rows whose features are elsewhere.
Dataset elsewhere(std::size_t rows, std::size_t columns, const std::optional<std::vector<std::string>>& names,
                  const std::vector<std::optional<std::vector<std::string>>>& levels) {
  return with_columns(data::DenseMatrix(rows, 0), columns, names, levels);
}

void check_size(const Dataset& dataset, std::size_t size, const char* noun) {
  if (size == dataset.rows()) return;
  refuse_data(fmt::format("there are {} {} for {} rows; each row needs one", size, noun, dataset.rows()));
}

/// @param names  the labels are texts, which are no numbers to predict
void check_classes(const std::vector<std::string>& classes, std::size_t rows, bool names) {
  data::check_classes(classes, rows, {}, names ? data::LabelsAre::names : data::LabelsAre::as_written);
}

/// @param names     how sentences name the columns, which have numbers if there are none
std::vector<std::string> column_notes(const Dataset& dataset, const std::vector<std::string>& names,
                                      const std::optional<std::vector<bool>>& declared) {
  const data::Phrase column = [&](std::size_t j) {
    return fmt::format("column {}", names.empty() ? fmt::format("{}", j) : names[j]);
  };
  const data::Phrase row = [](std::size_t i) { return fmt::format("row {}, counted from 0", i); };
  return data::column_notes(dataset, column, row, declared);
}

/// The labels have been through check_classes.
void set_labels(Dataset& dataset, const Vector<std::int32_t>& codes, std::vector<std::string> classes,
                const std::string& name) {
  check_size(dataset, codes.size(), "labels");
  dataset.labels = vector_of(codes);
  dataset.schema.classes = std::move(classes);
  dataset.schema.label_name = name;
}

/// @param unseen, missing  words of the library
Dataset rows_for(const Dataset& rows, const data::Schema& schema, const std::string& unseen,
                 const std::string& missing) {
  const auto of_levels = under_name("unseen", [&] { return core::parse_word<data::Unseen>(unseen); });
  return data::rows_for(rows, schema, of_levels, core::parse_word<data::Missing>(missing));
}

void set_splits(Dataset& dataset, const nb::list& pairs) {
  for (const nb::handle pair : pairs) {
    const auto training = nb::cast<Vector<std::int64_t>>(pair[0]);
    const auto held_out = nb::cast<Vector<std::int64_t>>(pair[1]);
    dataset.splits.push_back(
        {{training.data(), training.data() + training.size()}, {held_out.data(), held_out.data() + held_out.size()}});
  }
}

void set_targets(Dataset& dataset, const Vector<double>& targets, const std::string& name) {
  check_size(dataset, targets.size(), "targets");
  dataset.targets = vector_of(targets);
  dataset.schema.task = data::Task::regression;
  dataset.schema.label_name = name;
}

/// Sets a number for each row.
template <class T>
auto setter(const char* name, std::vector<T> Dataset::*numbers) {
  return [name, numbers](Dataset& dataset, const Vector<T>& given) {
    check_size(dataset, given.size(), name);
    dataset.*numbers = vector_of(given);
  };
}

void bind_schema(nb::module_& module) {
  nb::class_<data::Schema>(module, "Schema")
      .def_prop_ro("classes", [](const data::Schema& schema) { return schema.classes; })
      .def_prop_ro("names",
                   [](const data::Schema& schema) -> std::optional<std::vector<std::string>> {
                     if (!schema.has_header) return std::nullopt;
                     return core::mapped(schema.columns, &data::Column::name);
                   })
      .def_prop_ro("categorical",
                   [](const data::Schema& schema) {
                     return core::mapped(schema.columns, [&](const data::Column& column) {
                       return column.kind == data::ColumnKind::categorical;
                     });
                   })
      .def_prop_ro("columns", [](const data::Schema& schema) { return schema.columns.size(); })
      .def_prop_ro("regression", [](const data::Schema& schema) { return schema.task == data::Task::regression; });
}

}  // namespace

void bind_dataset(nb::module_& module) {
  bind_schema(module);
  nb::class_<Dataset>(module, "Dataset")
      .def_static("dense", &dense, nb::arg("values"), nb::arg("names") = nb::none(),
                  nb::arg("levels") = std::vector<std::optional<std::vector<std::string>>>{})
      .def_static("elsewhere", &elsewhere)
      .def_static("sparse", &sparse)
      .def("set_labels", &set_labels, nb::arg("codes"), nb::arg("classes"), nb::arg("name") = "")
      .def("set_targets", &set_targets)
      .def("set_weights", setter("weights", &Dataset::weights))
      .def("set_groups", setter("groups", &Dataset::groups))
      .def("set_splits", &set_splits)
      .def("select_rows",
           [](const Dataset& dataset, const Vector<std::int64_t>& rows) {
             return dataset.select_rows(std::vector<std::size_t>(rows.data(), rows.data() + rows.size()));
           })
      .def("rows_for", &rows_for)
      .def_prop_ro("rows", &Dataset::rows)
      .def_prop_ro("columns", [](const Dataset& dataset) { return dataset.features.columns(); })
      .def_prop_ro("schema", [](const Dataset& dataset) { return dataset.schema; })
      .def_prop_ro("labels", [](const Dataset& dataset) { return array_of(dataset.labels); });
  module.def("check_classes", &check_classes);
  module.def("column_notes", &column_notes);
  module.def("names_index", &data::names_index);
  module.def("likeness_of_row_numbers", &data::likeness_of_row_numbers);
  module.def("reason_to_leave_out", [](const std::vector<std::string>& texts, std::size_t rows) {
    return data::reason_to_leave_out(texts, rows);
  });
  module.def("notes_on_spellings", &data::notes_on_spellings);
  module.def("read_texts", &data::read_texts);
  module.def("sorted_spellings", [](std::vector<std::string> spellings) {
    data::sort_classes(spellings);
    return spellings;
  });
}

}  // namespace credence::python
