#include "io/kinds/document_parts.hpp"

#include "io/kinds/document_values.hpp"

namespace credence::io {

void fields(auto&& way, As<data::Schema> auto& schema) {
  way("has_header", schema.has_header, "label_name", schema.label_name, "label_position", schema.label_position,
      "file_columns", schema.file_columns, "classes", schema.classes);
  way.some("hint_name", schema.hint_name, "decimal_comma", schema.decimal_comma, "latin1", schema.latin1, "task",
           schema.task);
}

void fields(auto&& way, As<model::HonestEstimate> auto& honest) {
  way("method", honest.method, "score", honest.score, "error", honest.error, "interval", honest.interval, "trials",
      honest.trials, "delta", honest.delta, "resamples", honest.resamples, "rows", honest.rows);
  way.some("lower", honest.lower, "upper", honest.upper);
}

void fields(auto&& way, As<model::TrainingRecord> auto& record) {
  way("method", record.method, "rows", record.rows, "seed", record.seed, "C", record.C, "tolerance", record.tolerance,
      "version", record.version);
  way.some("data", record.data, "row_keys", record.row_keys, "nu", record.nu, "violation", record.violation,
           "next_best", record.next_best, "weighs_classes", record.weighs_classes, "selected_error",
           record.selected_error, "resamples", record.resamples, "honest", record.honest, "least", record.least,
           "largest", record.largest);
}

void fields(auto&& way, As<model::Calibration> auto& calibration) {
  way("source", calibration.source, "p_values", calibration.p_values, "nonconformity_scores",
      calibration.nonconformity_scores, "labels", calibration.labels);
  way.some("scores", calibration.scores, "region_of", calibration.region_of, "fold_model_of",
           calibration.fold_model_of);
}

void fields(auto&& way, As<data::NormalScores> auto& known) {
  way("values", known.values, "scores", known.scores);
}

void fields(auto&& way, As<data::Preprocessing> auto& preprocessing) {
  way("scaling", preprocessing.scaling, "sparse", preprocessing.sparse, "shift", preprocessing.shift, "scale",
      preprocessing.scale, "names", preprocessing.names, "constant", preprocessing.constant);
  if (preprocessing.scaling != data::Scaling::quantile) return;
  way("standard_shift", preprocessing.standard_shift, "standard_scale", preprocessing.standard_scale, "quantiles",
      preprocessing.quantiles);
}

void fields(auto&& way, As<data::SparseMatrix> auto& matrix) {
  way("rows", matrix.rows, "columns", matrix.columns, "offsets", matrix.offsets, "indices", matrix.indices, "values",
      matrix.values);
}

void fields(auto&& way, As<data::DenseMatrix> auto& matrix) {
  way("rows", matrix.rows, "columns", matrix.columns, "values", matrix.values);
}

void fields(auto&& way, As<kernel::Kernel> auto& kernel) {
  way("gamma", kernel.gamma, "coef0", kernel.coef0, "degree", kernel.degree);
}

namespace {

json to_json(const data::Schema& schema) {
  json document = object_of(schema);
  json& names = document["columns"] = json::array();
  json& levels = document["levels"] = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < schema.columns.size(); ++j) {
    const data::Column& column = schema.columns[j];
    names.push_back(column.name);
    if (column.kind == data::ColumnKind::categorical) levels[std::to_string(j)] = column.levels;
  }
  if (schema.delimiter != ',') document["delimiter"] = static_cast<unsigned char>(schema.delimiter);
  for (const data::MissingCode& code : schema.missing_codes)
    document["missing_codes"].push_back({code.text, code.column ? json(*code.column) : json()});
  if (schema.index_base) document["counts_from_zero"] = *schema.index_base == 0;
  return document;
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
  fields(DocumentReader(document), schema);
  if (document.contains("delimiter")) {
    const auto delimiter = number<std::uint32_t>(document, "delimiter");
    if (delimiter == 0 || delimiter > 255)
      throw std::runtime_error("the delimiter of the training file is no character");
    schema.delimiter = static_cast<char>(delimiter);
  }
  if (document.contains("missing_codes"))
    for (const json& code : document.at("missing_codes"))
      schema.missing_codes.push_back(
          {code.at(0).get<std::string>(),
           code.at(1).is_null() ? std::nullopt : std::optional(code.at(1).get<std::size_t>())});
  if (document.contains("counts_from_zero")) schema.index_base = document.at("counts_from_zero").get<bool>() ? 0 : 1;
  return schema;
}

json to_json(const model::TrainingRecord& record) {
  json document = object_of(record);
  if (record.honest) document["honest"]["score_kind"] = record.honest_kind;
  if (!record.class_counts.empty()) document["class_counts"] = record.class_counts;
  return document;
}

model::TrainingRecord record_from(const json& document) {
  model::TrainingRecord record;
  fields(DocumentReader(document), record);
  if (record.honest) record.honest_kind = document.at("honest").at("score_kind").get<std::string>();
  if (document.contains("class_counts")) document.at("class_counts").get_to(record.class_counts);
  return record;
}

}  // namespace

json document_of(const data::Preprocessing& preprocessing) {
  std::vector<double> fill;
  std::vector<std::uint64_t> output;
  json document = object_of(preprocessing);
  json& levels = document["levels"] = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < preprocessing.raw.size(); ++j) {
    const auto& raw = preprocessing.raw[j];
    fill.push_back(raw.fill);
    output.push_back(raw.output);
    if (raw.kind == data::ColumnKind::categorical) levels[std::to_string(j)] = pack<std::int32_t>(raw.level_output);
  }
  document["fill"] = pack<double>(fill);
  document["output"] = pack<std::uint64_t>(output);
  return document;
}

void read_part(const json& document, data::Preprocessing& preprocessing) {
  fields(DocumentReader(document), preprocessing);
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
}

namespace {

/// A preprocessing, or a reference to an equal one that the document has already.
json known_or(json preprocessing, const json& model) {
  if (preprocessing == model.at("preprocessing")) return "that of the model";
  const json parts = model.contains("fold_models") ? model.at("fold_models").at("parts") : json::array();
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p].contains("preprocessing") && parts[p].at("preprocessing") == preprocessing) return p;
  return preprocessing;
}

/// What such a reference stands for.
std::optional<data::Preprocessing> known(const json& preprocessing, const model::Predictor& model) {
  if (preprocessing.is_string()) return model.preprocessing;
  if (!preprocessing.is_number()) {
    data::Preprocessing own;
    read_part(preprocessing, own);
    return own;
  }
  const std::optional<data::Preprocessing>& found =
      model.fold_models.parts.at(preprocessing.get<std::size_t>()).preprocessing;
  return found ? found : throw std::runtime_error("a part refers to a preprocessing that does not exist");
}

}  // namespace

json members_to_json(const model::Members& members, const json& model, WrittenRows* rows) {
  json parts = json::array();
  for (const model::Members::Part& part : members.parts) {
    json& written = parts.emplace_back(json{{"classifiers", classifiers_to_json(part.family.get(), rows)}});
    if (part.preprocessing) written["preprocessing"] = known_or(document_of(*part.preprocessing), model);
  }
  DocumentWriter way;
  way.document["parts"] = std::move(parts);
  way.some("averages", members.averages);
  return std::move(way.document);
}

model::Members members_from(const json& document, const model::Predictor& model, const ReadRows* rows) {
  model::Members members;
  for (const json& written : document.at("parts")) {
    model::Members::Part& part = members.parts.emplace_back();
    part.family = classifiers_from(written.at("classifiers"), rows);
    if (written.contains("preprocessing")) part.preprocessing = known(written.at("preprocessing"), model);
  }
  DocumentReader(document).some("averages", members.averages);
  return members;
}

void put_predictor(json& document, const model::Predictor& predictor, WrittenRows* rows) {
  document["schema"] = to_json(predictor.schema);
  document["missing"] = core::word(predictor.missing);
  document["preprocessing"] = document_of(predictor.preprocessing);
  document["record"] = to_json(predictor.record);
  if (!predictor.calibration.empty()) document["calibration"] = object_of(predictor.calibration);
  if (!predictor.fold_models.empty()) document["fold_models"] = members_to_json(predictor.fold_models, document, rows);
  if (predictor.known_rows.rows() > 0) document["known_rows"] = document_of(predictor.known_rows);
}

void read_predictor(const json& document, model::Predictor& predictor, const ReadRows* rows) {
  const DocumentReader way(document);
  predictor.schema = schema_from(document.at("schema"));
  way("missing", predictor.missing, "preprocessing", predictor.preprocessing);
  predictor.record = record_from(document.at("record"));
  way.some("calibration", predictor.calibration);
  if (document.contains("fold_models"))
    predictor.fold_models = members_from(document.at("fold_models"), predictor, rows);
  way.some("known_rows", predictor.known_rows);
}

json document_of(const kernel::Kernel& kernel) {
  json document = object_of(kernel);
  document["type"] = kernel::name(kernel.type);
  return document;
}

void read_part(const json& document, kernel::Kernel& kernel) {
  kernel.type = kernel::parse_kernel_type(document.at("type").get<std::string>());
  fields(DocumentReader(document), kernel);
}

json document_of(const data::DenseMatrix& matrix) {
  return object_of(matrix);
}

void read_part(const json& document, data::DenseMatrix& matrix) {
  fields(DocumentReader(document), matrix);
  // Divided, not multiplied: the product of two sizes from a file can overflow.
  const bool fits = matrix.rows == 0 ? matrix.values.empty()
                                     : matrix.values.size() / matrix.rows == matrix.columns &&
                                           matrix.values.size() % matrix.rows == 0;
  if (!fits) throw std::runtime_error("a table has another size than it says");
}

json document_of(const data::Features& features, WrittenRows* rows) {
  if (features.is_sparse()) return object_of(features.sparse());
  return rows != nullptr && features.columns() > 0 ? rows->places(features.dense()) : document_of(features.dense());
}

void read_part(const json& document, data::Features& features, const ReadRows* rows) {
  if (document.contains("places")) {
    if (rows == nullptr) throw std::runtime_error("the table of rows is missing");
    features = rows->at(document);
  } else if (!document.contains("offsets")) {
    data::DenseMatrix dense;
    read_part(document, dense);
    features = std::move(dense);
  } else {
    data::SparseMatrix sparse;
    fields(DocumentReader(document), sparse);
    if (sparse.offsets.empty()) throw std::runtime_error("a sparse table is damaged");
    features = std::move(sparse);
  }
}

}  // namespace credence::io
