#include "io/model_document.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace credence::io {
namespace {

using nlohmann::json;

template <class T>
void reverse_bytes_on_big_endian(T& value) {
  if constexpr (std::endian::native == std::endian::big) {
    auto bytes = std::bit_cast<std::array<unsigned char, sizeof(T)>>(value);
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    value = std::bit_cast<T>(bytes);
  }
}

/// Stored is the type in the file, of fixed width; T the type in memory.
template <class Stored, class T>
json pack(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value = static_cast<Stored>(values[i]);
    reverse_bytes_on_big_endian(value);
    std::memcpy(bytes.data() + i * sizeof(Stored), &value, sizeof(Stored));
  }
  return json::binary(std::move(bytes));
}

template <class Stored, class T>
std::vector<T> unpack(const json& object, const char* key) {
  const json& field = object.at(key);
  if (!field.is_binary()) throw std::runtime_error(std::string("field '") + key + "' is not an array of numbers");
  const auto& bytes = field.get_binary();
  if (bytes.size() % sizeof(Stored) != 0) throw std::runtime_error(std::string("field '") + key + "' is cut off");
  std::vector<T> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    reverse_bytes_on_big_endian(value);
    values[i] = static_cast<T>(value);
  }
  return values;
}

/// A number that is stored exactly. nlohmann's get<double> would also take true for 1, and get<int> any float.
template <class T>
T number(const json& object, const char* key) {
  const json& field = object.at(key);
  bool right = field.is_number();
  if constexpr (std::is_integral_v<T>) {
    right = field.is_number_integer() && (field.is_number_unsigned() ? std::in_range<T>(field.get<std::uint64_t>())
                                                                     : std::in_range<T>(field.get<std::int64_t>()));
  }
  if (!right) throw std::runtime_error(std::string("field '") + key + "' is not a number in its range");
  return field.get<T>();
}

template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Words<data::Missing, 3> missing_words{
    {{data::Missing::error, "error"}, {data::Missing::drop, "drop"}, {data::Missing::impute, "impute"}}};
constexpr Words<data::Scaling, 3> scaling_words{
    {{data::Scaling::none, "none"}, {data::Scaling::standard, "standard"}, {data::Scaling::minmax, "minmax"}}};

template <class Enum, std::size_t N>
std::string to_word(Enum value, const Words<Enum, N>& words) {
  for (const auto& [key, word] : words) {
    if (key == value) return std::string(word);
  }
  return {};
}

template <class Enum, std::size_t N>
Enum from_word(const json& object, const char* field, const Words<Enum, N>& words) {
  const auto text = object.at(field).get<std::string>();
  for (const auto& [key, word] : words) {
    if (word == text) return key;
  }
  throw std::runtime_error(std::string("field '") + field + "' is '" + text + "', which is not known");
}

json to_json(const data::Schema& schema) {
  json names = json::array();
  json levels = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < schema.columns.size(); ++j) {
    const data::Column& column = schema.columns[j];
    names.push_back(column.name);
    if (column.kind == data::ColumnKind::categorical) levels[std::to_string(j)] = column.levels;
  }
  return {{"columns", std::move(names)},
          {"levels", std::move(levels)},
          {"has_header", schema.has_header},
          {"label_name", schema.label_name},
          {"label_position", schema.label_position},
          {"file_columns", schema.file_columns},
          {"classes", schema.classes}};
}

data::Schema schema_from(const json& document) {
  data::Schema schema;
  for (const json& name : document.at("columns")) schema.columns.push_back({name.get<std::string>(), {}, {}});
  for (const auto& [position, levels] : document.at("levels").items()) {
    const std::size_t j = std::stoul(position);
    if (j >= schema.columns.size()) throw std::runtime_error("a column that does not exist has levels");
    schema.columns[j].kind = data::ColumnKind::categorical;
    schema.columns[j].levels = levels.get<std::vector<std::string>>();
  }
  schema.has_header = document.at("has_header").get<bool>();
  schema.label_name = document.at("label_name").get<std::string>();
  schema.label_position = number<std::size_t>(document, "label_position");
  schema.file_columns = number<std::size_t>(document, "file_columns");
  schema.classes = document.at("classes").get<std::vector<std::string>>();
  return schema;
}

json to_json(const data::Preprocessing& preprocessing) {
  std::vector<double> fill;
  std::vector<std::uint64_t> output;
  json levels = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < preprocessing.raw.size(); ++j) {
    const auto& raw = preprocessing.raw[j];
    fill.push_back(raw.fill);
    output.push_back(raw.output);
    if (raw.kind == data::ColumnKind::categorical) {
      levels[std::to_string(j)] = pack<std::int32_t>(raw.level_output);
    }
  }
  return {{"scaling", to_word(preprocessing.scaling, scaling_words)},
          {"sparse", preprocessing.sparse},
          {"fill", pack<double>(fill)},
          {"output", pack<std::uint64_t>(output)},
          {"levels", std::move(levels)},
          {"shift", pack<double>(preprocessing.shift)},
          {"scale", pack<double>(preprocessing.scale)},
          {"names", preprocessing.names},
          {"constant", preprocessing.constant}};
}

data::Preprocessing preprocessing_from(const json& document) {
  data::Preprocessing preprocessing;
  preprocessing.scaling = from_word(document, "scaling", scaling_words);
  preprocessing.sparse = document.at("sparse").get<bool>();
  const auto fill = unpack<double, double>(document, "fill");
  const auto output = unpack<std::uint64_t, std::size_t>(document, "output");
  if (fill.size() != output.size()) throw std::runtime_error("the parts of the preprocessing differ in size");
  preprocessing.raw.resize(fill.size());
  for (std::size_t j = 0; j < fill.size(); ++j) {
    preprocessing.raw[j].fill = fill[j];
    preprocessing.raw[j].output = output[j];
  }
  const json& levels = document.at("levels");
  for (const auto& [position, codes] : levels.items()) {
    const std::size_t j = std::stoul(position);
    if (j >= fill.size()) throw std::runtime_error("a column that does not exist has levels");
    preprocessing.raw[j].kind = data::ColumnKind::categorical;
    preprocessing.raw[j].level_output = unpack<std::int32_t, std::int32_t>(levels, position.c_str());
  }
  preprocessing.shift = unpack<double, double>(document, "shift");
  preprocessing.scale = unpack<double, double>(document, "scale");
  preprocessing.names = document.at("names").get<std::vector<std::string>>();
  preprocessing.constant = document.at("constant").get<std::vector<std::string>>();
  return preprocessing;
}

json to_json(const data::Features& features) {
  if (!features.is_sparse()) {
    const data::DenseMatrix& dense = features.dense();
    return {{"rows", dense.rows}, {"columns", dense.columns}, {"values", pack<double>(dense.values)}};
  }
  const data::SparseMatrix& sparse = features.sparse();
  return {{"rows", sparse.rows},
          {"columns", sparse.columns},
          {"offsets", pack<std::uint64_t>(sparse.offsets)},
          {"indices", pack<std::uint32_t>(sparse.indices)},
          {"values", pack<double>(sparse.values)}};
}

data::Features features_from(const json& document) {
  const auto rows = number<std::size_t>(document, "rows");
  const auto columns = number<std::size_t>(document, "columns");
  auto values = unpack<double, double>(document, "values");
  if (!document.contains("offsets")) {
    data::DenseMatrix dense;
    dense.rows = rows;
    dense.columns = columns;
    dense.values = std::move(values);
    return dense;
  }
  data::SparseMatrix sparse;
  sparse.rows = rows;
  sparse.columns = columns;
  sparse.offsets = unpack<std::uint64_t, std::size_t>(document, "offsets");
  if (sparse.offsets.empty()) throw std::runtime_error("the sparse support vectors are damaged");
  sparse.indices = unpack<std::uint32_t, std::uint32_t>(document, "indices");
  sparse.values = std::move(values);
  return sparse;
}

json to_json(const model::TrainingRecord& record) {
  json document{{"method", record.method}, {"rows", record.rows},           {"seed", record.seed},
                {"C", record.C},           {"tolerance", record.tolerance}, {"version", record.version}};
  if (record.selected_error) document["error"] = *record.selected_error;
  if (record.folds) document["folds"] = *record.folds;
  return document;
}

model::TrainingRecord record_from(const json& document) {
  model::TrainingRecord record;
  record.method = document.at("method").get<std::string>();
  record.rows = number<std::size_t>(document, "rows");
  record.seed = number<std::uint64_t>(document, "seed");
  record.C = number<double>(document, "C");
  record.tolerance = number<double>(document, "tolerance");
  record.version = document.at("version").get<std::string>();
  if (document.contains("error")) record.selected_error = number<double>(document, "error");
  if (document.contains("folds")) record.folds = number<int>(document, "folds");
  return record;
}

}  // namespace

json to_document(const svm::SvmModel& model) {
  json machines = json::array();
  for (const svm::BinaryMachine& machine : model.machines) {
    machines.push_back({{"positive", machine.positive},
                        {"negative", machine.negative},
                        {"support", pack<std::uint32_t>(machine.support)},
                        {"coefficients", pack<double>(machine.coefficients)},
                        {"bias", machine.bias}});
  }
  return {{"schema", to_json(model.schema)},
          {"missing", to_word(model.missing, missing_words)},
          {"preprocessing", to_json(model.preprocessing)},
          {"kernel",
           {{"type", kernel::name(model.kernel.type)},
            {"gamma", model.kernel.gamma},
            {"coef0", model.kernel.coef0},
            {"degree", model.kernel.degree}}},
          {"support_vectors", to_json(model.support_vectors)},
          {"support_rows", pack<std::uint64_t>(model.support_rows)},
          {"machines", std::move(machines)},
          {"record", to_json(model.record)}};
}

svm::SvmModel from_document(const json& document) {
  svm::SvmModel model;
  model.schema = schema_from(document.at("schema"));
  model.missing = from_word(document, "missing", missing_words);
  model.preprocessing = preprocessing_from(document.at("preprocessing"));
  const json& kernel = document.at("kernel");
  model.kernel.type = kernel::parse_kernel_type(kernel.at("type").get<std::string>());
  model.kernel.gamma = number<double>(kernel, "gamma");
  model.kernel.coef0 = number<double>(kernel, "coef0");
  model.kernel.degree = number<int>(kernel, "degree");
  model.support_vectors = features_from(document.at("support_vectors"));
  model.support_rows = unpack<std::uint64_t, std::size_t>(document, "support_rows");
  for (const json& item : document.at("machines")) {
    svm::BinaryMachine machine;
    machine.positive = number<int>(item, "positive");
    machine.negative = number<int>(item, "negative");
    machine.support = unpack<std::uint32_t, std::uint32_t>(item, "support");
    machine.coefficients = unpack<double, double>(item, "coefficients");
    machine.bias = number<double>(item, "bias");
    model.machines.push_back(std::move(machine));
  }
  model.record = record_from(document.at("record"));
  return model;
}

}  // namespace credence::io
