// CSV text, with every option of the reader that changes how text is taken apart.
#include <fmt/format.h>

#include "dataset.hpp"

namespace credence::fuzz {
namespace {

data::ReadOptions options_of(Input& input) {
  data::ReadOptions options;
  options.format = data::Format::csv;
  options.threads = 1;
  options.missing = std::array{data::Missing::error, data::Missing::drop, data::Missing::impute}[input.choose(3)];
  options.header = std::array{data::Header::detect, data::Header::present, data::Header::absent}[input.choose(3)];
  options.delimiter = std::array{data::any_delimiter, ',', ';', '\t', ' '}[input.choose(5)];
  options.decimal = std::array{data::Decimal::detect, data::Decimal::point, data::Decimal::comma}[input.choose(3)];
  const unsigned columns = input.choose(32);
  if ((columns & 1U) != 0) options.task = data::Task::regression;
  if ((columns & 2U) != 0) options.weights = "2";
  if ((columns & 4U) != 0) options.groups = "3";
  if ((columns & 8U) != 0) options.categorical = {"1"};
  if ((columns & 16U) != 0) options.all_texts = true;
  options.na = std::array<std::vector<std::string>, 4>{{{}, {"."}, {"-99,x"}, {"2=1,1=a"}}}[input.choose(4)];
  switch (input.choose(6)) {
    case 1:
      options.unlabelled = true;
      break;
    case 2:
      options.label = "1";
      break;
    case 3:
      options.hint = "4";
      break;
    case 4:
      options.numbers = true;
      break;
    case 5:
      options.folds = "2";
      break;
    default:
      break;
  }
  return options;
}

/// The data set as text whose cells hold what was read, the label first: the file then begins as no other encoding
/// does.
std::string text_of(const data::Dataset& dataset) {
  std::string text = "the label of this row";
  for (const data::Column& column : dataset.schema.columns) text += "," + data::csv_cell(column.name);
  text += '\n';
  const data::DenseMatrix& dense = dataset.features.dense();
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    text += dataset.is_regression()
                ? fmt::format("{}", dataset.targets[i])
                : data::csv_cell(dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
    for (std::size_t j = 0; j < dense.columns; ++j) {
      text += ',';
      const double value = dense.row(i)[j];
      if (std::isnan(value)) continue;
      const data::Column& column = dataset.schema.columns[j];
      text += column.kind == data::ColumnKind::numeric ? fmt::format("{}", value)
                                                       : data::csv_cell(column.levels[static_cast<std::size_t>(value)]);
    }
    text += '\n';
  }
  return text;
}

/// What was read, written and read for the schema that was found, is the same data set.
void check_round_trip(const data::Dataset& dataset) {
  data::Schema schema = dataset.schema;
  schema.has_header = true;
  schema.label_name = "the label of this row";
  schema.label_position = 0;
  schema.file_columns = schema.columns.size() + 1;
  schema.hint_name.clear();
  schema.missing_codes.clear();
  const MemoryFile file(text_of(dataset));
  data::ReadOptions options;
  options.format = data::Format::csv;
  options.threads = 1;
  options.delimiter = ',';
  options.decimal = data::Decimal::point;
  options.header = data::Header::present;
  options.missing = data::Missing::impute;
  options.schema = &schema;
  const auto refused = refusal([&] { require_same(data::read(file.path(), options), dataset, "read again"); });
  require(!refused, "what was read and written can be read: " + refused.value_or(""));
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 8);
  data::ReadOptions options = fuzz::options_of(input);
  const bool again = input.choose(2) == 0;
  const fuzz::MemoryFile file(input.bytes());
  std::optional<data::Dataset> dataset;
  if (fuzz::refusal([&] { dataset = data::read(file.path(), options); })) return 0;
  fuzz::check_dataset(*dataset, options);
  if (again && dataset->is_labelled()) fuzz::check_round_trip(*dataset);
  if (!again) {
    data::ReadOptions rows;
    rows.format = data::Format::csv;
    rows.threads = 1;
    rows.missing = options.missing;
    rows.delimiter = options.delimiter;
    rows.schema = &dataset->schema;
    fuzz::check_blocks(file.path(), rows, 3);
  }
  return 0;
}
