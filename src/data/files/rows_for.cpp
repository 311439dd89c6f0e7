#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/reader.hpp"
#include "data/cell.hpp"
#include "data/csv/csv.hpp"
#include "data/labels.hpp"

namespace credence::data {
namespace {

[[noreturn]] void refuse_column(const std::string& sentence, const std::string& column = "") {
  refuse_data(sentence, {"", 0, column});
}

/// For each spelling its place in the other list, -1 if there is none.
std::vector<int> places(const std::vector<std::string>& spellings, const std::vector<std::string>& among) {
  return core::mapped(spellings, [&](const std::string& spelling) {
    const auto found = std::ranges::find(among, spelling);
    return found == among.end() ? -1 : static_cast<int>(found - among.begin());
  });
}

/// Gives the level codes of one column the numbers that the schema has, and others what `unseen` says.
void renumber_levels(Features& features, std::size_t column, const Column& own, const Column& wanted, Unseen unseen,
                     Missing missing) {
  if (own.levels == wanted.levels) return;
  const std::vector<int> place = places(own.levels, wanted.levels);
  DenseMatrix& matrix = features.dense();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    double& cell = matrix.row(i)[column];
    if (std::isnan(cell)) continue;
    const auto code = static_cast<std::size_t>(cell);
    if (place[code] < 0 && unseen == Unseen::error) {
      refuse_column(fmt::format("row {}, counted from 0, holds {}, which is {}; such values can count as {}no level", i,
                                detail::in_quotes(own.levels[code]), detail::none_of_levels(wanted.levels),
                                missing == Missing::impute ? "missing, or as " : ""),
                    wanted.name);
    }
    if (place[code] < 0)
      cell = unseen == Unseen::missing ? std::numeric_limits<double>::quiet_NaN()
                                       : static_cast<double>(wanted.levels.size());
    else
      cell = place[code];
  }
}

/// Values that meant a missing one in the training file do so here.
void take_codes(Dataset& rows, const Schema& schema, std::size_t column, Missing missing) {
  const Column& own = rows.schema.columns[column];
  const bool is_text = own.kind == ColumnKind::categorical;
  detail::MissingCodes codes;
  for (const MissingCode& code : schema.missing_codes)
    if (code.column.value_or(column) == column) codes.add(code.text);
  for (std::size_t i = 0; i < rows.features.rows(); ++i) {
    double& cell = rows.features.dense().row(i)[column];
    if (std::isnan(cell)) continue;
    const std::string text = is_text ? own.levels[static_cast<std::size_t>(cell)] : fmt::to_string(cell);
    if (!codes.has(text, is_text && schema.decimal_comma)) continue;
    if (missing != Missing::impute)
      refuse_column(fmt::format("row {}, counted from 0, holds {}, which means a missing value; this model fills no "
                                "missing values; a model that is trained to impute does",
                                i, text),
                    own.name);
    cell = std::numeric_limits<double>::quiet_NaN();
  }
}

const char* noun(ColumnKind kind) {
  return kind == ColumnKind::numeric ? "numbers" : "texts";
}

}  // namespace

Dataset rows_for(Dataset rows, const Schema& schema, Unseen unseen, Missing missing) {
  if (unseen == Unseen::missing && missing != Missing::impute)
    refuse("unknown levels cannot count as missing, because this model fills no missing values");
  if (rows.schema.columns.size() != schema.columns.size()) {
    refuse_column(fmt::format("the rows have {}, but the model has {}",
                              detail::count_of(rows.schema.columns.size(), "column"), schema.columns.size()));
  }
  for (std::size_t j = 0; j < schema.columns.size(); ++j) {
    const Column& own = rows.schema.columns[j];
    const Column& wanted = schema.columns[j];
    if (own.kind != wanted.kind)
      refuse_column(fmt::format("the column holds {}, but the model has {} there", noun(own.kind), noun(wanted.kind)),
                    wanted.name);
    if (!schema.missing_codes.empty() && !rows.features.is_sparse()) take_codes(rows, schema, j, missing);
    if (wanted.kind == ColumnKind::categorical) renumber_levels(rows.features, j, own, wanted, unseen, missing);
  }
  if (!rows.labels.empty() && rows.schema.classes != schema.classes) {
    const std::vector<int> place = detail::match_classes(rows.schema.classes, schema.classes);
    for (int& label : rows.labels)
      if (label >= 0) label = place[static_cast<std::size_t>(label)];
  }
  rows.schema = schema;
  return rows;
}

}  // namespace credence::data
