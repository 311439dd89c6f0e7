#include "io/kinds/document_parts.hpp"

#include "io/kinds/document_values.hpp"

namespace credence::io {
namespace {

constexpr Words<data::Missing, 3> missing_words{
    {{data::Missing::error, "error"}, {data::Missing::drop, "drop"}, {data::Missing::impute, "impute"}}};
constexpr Words<data::Task, 2> task_words{
    {{data::Task::classification, "classification"}, {data::Task::regression, "regression"}}};
constexpr Words<data::Scaling, 4> scaling_words{{{data::Scaling::none, "none"},
                                                 {data::Scaling::standard, "standard"},
                                                 {data::Scaling::minmax, "minmax"},
                                                 {data::Scaling::quantile, "quantile"}}};

json to_json(const data::Schema& schema) {
  json names = json::array();
  json levels = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < schema.columns.size(); ++j) {
    const data::Column& column = schema.columns[j];
    names.push_back(column.name);
    if (column.kind == data::ColumnKind::categorical) levels[std::to_string(j)] = column.levels;
  }
  json document{{"columns", std::move(names)},
                {"levels", std::move(levels)},
                {"has_header", schema.has_header},
                {"label_name", schema.label_name},
                {"label_position", schema.label_position},
                {"file_columns", schema.file_columns},
                {"classes", schema.classes}};
  if (!schema.hint_name.empty()) document["hint_name"] = schema.hint_name;
  if (schema.delimiter != ',') document["delimiter"] = static_cast<unsigned char>(schema.delimiter);
  if (schema.decimal_comma) document["decimal_comma"] = true;
  if (schema.latin1) document["latin1"] = true;
  for (const data::MissingCode& code : schema.missing_codes)
    document["missing_codes"].push_back({code.text, code.column ? json(*code.column) : json()});
  if (schema.index_base) document["counts_from_zero"] = *schema.index_base == 0;
  if (schema.task != data::Task::classification) document["task"] = to_word(schema.task, task_words);
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
  schema.has_header = document.at("has_header").get<bool>();
  schema.label_name = document.at("label_name").get<std::string>();
  schema.label_position = number<std::size_t>(document, "label_position");
  schema.file_columns = number<std::size_t>(document, "file_columns");
  schema.classes = document.at("classes").get<std::vector<std::string>>();
  if (document.contains("hint_name")) schema.hint_name = document.at("hint_name").get<std::string>();
  if (document.contains("delimiter")) {
    const auto delimiter = number<std::uint32_t>(document, "delimiter");
    if (delimiter == 0 || delimiter > 255)
      throw std::runtime_error("the delimiter of the training file is no character");
    schema.delimiter = static_cast<char>(delimiter);
  }
  if (document.contains("decimal_comma")) schema.decimal_comma = document.at("decimal_comma").get<bool>();
  if (document.contains("latin1")) schema.latin1 = document.at("latin1").get<bool>();
  if (document.contains("missing_codes"))
    for (const json& code : document.at("missing_codes"))
      schema.missing_codes.push_back(
          {code.at(0).get<std::string>(),
           code.at(1).is_null() ? std::nullopt : std::optional(code.at(1).get<std::size_t>())});
  if (document.contains("counts_from_zero")) schema.index_base = document.at("counts_from_zero").get<bool>() ? 0 : 1;
  if (document.contains("task")) schema.task = from_word(document, "task", task_words);
  return schema;
}

json to_json(const model::HonestEstimate& honest, const std::string& score_kind) {
  json document{{"method", honest.method}, {"score", honest.score},         {"score_kind", score_kind},
                {"error", honest.error},   {"interval", honest.interval},   {"trials", honest.trials},
                {"delta", honest.delta},   {"resamples", honest.resamples}, {"rows", honest.rows}};
  if (honest.lower) document["lower"] = *honest.lower;
  if (honest.upper) document["upper"] = *honest.upper;
  return document;
}

model::HonestEstimate honest_from(const json& document) {
  model::HonestEstimate honest;
  honest.method = document.at("method").get<std::string>();
  honest.score = document.at("score").get<std::string>();
  honest.error = number<double>(document, "error");
  honest.interval = document.at("interval").get<std::string>();
  honest.trials = number<double>(document, "trials");
  honest.delta = number<double>(document, "delta");
  honest.resamples = number<std::size_t>(document, "resamples");
  honest.rows = number<std::size_t>(document, "rows");
  if (document.contains("lower")) honest.lower = number<double>(document, "lower");
  if (document.contains("upper")) honest.upper = number<double>(document, "upper");
  return honest;
}

json to_json(const model::TrainingRecord& record) {
  json document{{"method", record.method}, {"rows", record.rows},           {"seed", record.seed},
                {"C", record.C},           {"tolerance", record.tolerance}, {"version", record.version}};
  if (record.data) document["data"] = *record.data;
  if (!record.row_keys.empty()) document["row_keys"] = pack<std::uint64_t>(record.row_keys);
  if (record.nu) document["nu"] = *record.nu;
  if (record.violation) document["violation"] = *record.violation;
  if (!record.next_best.empty()) document["next_best"] = record.next_best;
  if (record.weighs_classes) document["weighs_classes"] = true;
  if (record.selected_error) document["selected_error"] = *record.selected_error;
  if (record.resamples) document["resamples"] = *record.resamples;
  if (record.honest) document["honest"] = to_json(*record.honest, record.honest_kind);
  if (!record.class_counts.empty()) document["class_counts"] = record.class_counts;
  if (!record.least.empty()) document["least"] = pack<double>(record.least);
  if (!record.largest.empty()) document["largest"] = pack<double>(record.largest);
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
  if (document.contains("data")) record.data = document.at("data").get<std::string>();
  if (document.contains("row_keys")) record.row_keys = unpack<std::uint64_t, std::uint64_t>(document, "row_keys");
  if (document.contains("nu")) record.nu = number<double>(document, "nu");
  if (document.contains("violation")) record.violation = number<double>(document, "violation");
  if (document.contains("next_best")) record.next_best = document.at("next_best").get<std::string>();
  record.weighs_classes = document.value("weighs_classes", false);
  if (document.contains("selected_error")) record.selected_error = number<double>(document, "selected_error");
  if (document.contains("resamples")) record.resamples = number<int>(document, "resamples");
  if (document.contains("honest")) {
    record.honest = honest_from(document.at("honest"));
    record.honest_kind = document.at("honest").at("score_kind").get<std::string>();
  }
  if (document.contains("class_counts"))
    record.class_counts = document.at("class_counts").get<std::vector<std::size_t>>();
  if (document.contains("least")) record.least = unpack<double, double>(document, "least");
  if (document.contains("largest")) record.largest = unpack<double, double>(document, "largest");
  return record;
}

json to_json(const model::Calibration& calibration) {
  json document{{"source", calibration.source},
                {"p_values", core::word(calibration.p_values)},
                {"nonconformity_scores", pack<double>(calibration.nonconformity_scores)},
                {"labels", pack<std::int32_t>(calibration.labels)}};
  if (calibration.scores.rows > 0) document["scores"] = matrix_to_json(calibration.scores);
  if (!calibration.region_of.empty()) document["region_of"] = pack<std::int32_t>(calibration.region_of);
  if (!calibration.fold_model_of.empty()) document["fold_model_of"] = pack<std::int32_t>(calibration.fold_model_of);
  return document;
}

model::Calibration calibration_from(const json& document) {
  model::Calibration calibration;
  calibration.source = document.at("source").get<std::string>();
  calibration.p_values = core::parse_word<model::PValues>(document.at("p_values").get<std::string>());
  calibration.nonconformity_scores = unpack<double, double>(document, "nonconformity_scores");
  calibration.labels = unpack<std::int32_t, int>(document, "labels");
  if (document.contains("scores")) calibration.scores = matrix_from(document.at("scores"));
  if (document.contains("region_of")) calibration.region_of = unpack<std::int32_t, int>(document, "region_of");
  if (document.contains("fold_model_of"))
    calibration.fold_model_of = unpack<std::int32_t, int>(document, "fold_model_of");
  return calibration;
}

}  // namespace

json preprocessing_to_json(const data::Preprocessing& preprocessing) {
  std::vector<double> fill;
  std::vector<std::uint64_t> output;
  json levels = json::object();  // of categorical columns, by position
  for (std::size_t j = 0; j < preprocessing.raw.size(); ++j) {
    const auto& raw = preprocessing.raw[j];
    fill.push_back(raw.fill);
    output.push_back(raw.output);
    if (raw.kind == data::ColumnKind::categorical) levels[std::to_string(j)] = pack<std::int32_t>(raw.level_output);
  }
  json document{{"scaling", to_word(preprocessing.scaling, scaling_words)},
                {"sparse", preprocessing.sparse},
                {"fill", pack<double>(fill)},
                {"output", pack<std::uint64_t>(output)},
                {"levels", std::move(levels)},
                {"shift", pack<double>(preprocessing.shift)},
                {"scale", pack<double>(preprocessing.scale)},
                {"names", preprocessing.names},
                {"constant", preprocessing.constant}};
  if (preprocessing.scaling != data::Scaling::quantile) return document;
  document["standard_shift"] = pack<double>(preprocessing.standard_shift);
  document["standard_scale"] = pack<double>(preprocessing.standard_scale);
  for (const data::NormalScores& known : preprocessing.quantiles)
    document["quantiles"].push_back({{"values", pack<double>(known.values)}, {"scores", pack<double>(known.scores)}});
  return document;
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
  if (preprocessing.scaling != data::Scaling::quantile) return preprocessing;
  preprocessing.standard_shift = unpack<double, double>(document, "standard_shift");
  preprocessing.standard_scale = unpack<double, double>(document, "standard_scale");
  for (const json& known : document.at("quantiles"))
    preprocessing.quantiles.push_back(
        {unpack<double, double>(known, "values"), unpack<double, double>(known, "scores")});
  return preprocessing;
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
  if (!preprocessing.is_number()) return preprocessing_from(preprocessing);
  const std::optional<data::Preprocessing>& found =
      model.fold_models.parts.at(preprocessing.get<std::size_t>()).preprocessing;
  return found ? found : throw std::runtime_error("a part refers to a preprocessing that does not exist");
}

}  // namespace

json members_to_json(const model::Members& members, const json& model, WrittenRows* rows) {
  json parts = json::array();
  for (const model::Members::Part& part : members.parts) {
    json& written = parts.emplace_back(json{{"classifiers", classifiers_to_json(part.family.get(), rows)}});
    if (part.preprocessing) written["preprocessing"] = known_or(preprocessing_to_json(*part.preprocessing), model);
  }
  json document{{"parts", std::move(parts)}};
  for (const auto& models : members.averages) document["averages"].push_back(pack<std::uint32_t>(models));
  return document;
}

model::Members members_from(const json& document, const model::Predictor& model, const ReadRows* rows) {
  model::Members members;
  for (const json& written : document.at("parts")) {
    model::Members::Part& part = members.parts.emplace_back();
    part.family = classifiers_from(written.at("classifiers"), rows);
    if (written.contains("preprocessing")) part.preprocessing = known(written.at("preprocessing"), model);
  }
  for (std::size_t k = 0; document.contains("averages") && k < document.at("averages").size(); ++k)
    members.averages.push_back(
        unpack<std::uint32_t, std::uint32_t>(json{{"models", document.at("averages")[k]}}, "models"));
  return members;
}

void put_predictor(json& document, const model::Predictor& predictor, WrittenRows* rows) {
  document["schema"] = to_json(predictor.schema);
  document["missing"] = to_word(predictor.missing, missing_words);
  document["preprocessing"] = preprocessing_to_json(predictor.preprocessing);
  document["record"] = to_json(predictor.record);
  if (!predictor.calibration.empty()) document["calibration"] = to_json(predictor.calibration);
  if (!predictor.fold_models.empty()) document["fold_models"] = members_to_json(predictor.fold_models, document, rows);
  if (predictor.known_rows.rows() > 0) document["known_rows"] = features_to_json(predictor.known_rows);
}

void read_predictor(const json& document, model::Predictor& predictor, const ReadRows* rows) {
  predictor.schema = schema_from(document.at("schema"));
  predictor.missing = from_word(document, "missing", missing_words);
  predictor.preprocessing = preprocessing_from(document.at("preprocessing"));
  predictor.record = record_from(document.at("record"));
  if (document.contains("calibration")) predictor.calibration = calibration_from(document.at("calibration"));
  if (document.contains("fold_models"))
    predictor.fold_models = members_from(document.at("fold_models"), predictor, rows);
  if (document.contains("known_rows")) predictor.known_rows = features_from(document.at("known_rows"));
}

json kernel_to_json(const kernel::Kernel& kernel) {
  return {
      {"type", kernel::name(kernel.type)}, {"gamma", kernel.gamma}, {"coef0", kernel.coef0}, {"degree", kernel.degree}};
}

kernel::Kernel kernel_from(const json& document) {
  kernel::Kernel kernel;
  kernel.type = kernel::parse_kernel_type(document.at("type").get<std::string>());
  kernel.gamma = number<double>(document, "gamma");
  kernel.coef0 = number<double>(document, "coef0");
  kernel.degree = number<int>(document, "degree");
  return kernel;
}

json matrix_to_json(const data::DenseMatrix& matrix) {
  return {{"rows", matrix.rows}, {"columns", matrix.columns}, {"values", pack<double>(matrix.values)}};
}

data::DenseMatrix matrix_from(const json& document) {
  data::DenseMatrix matrix;
  matrix.rows = number<std::size_t>(document, "rows");
  matrix.columns = number<std::size_t>(document, "columns");
  matrix.values = unpack<double, double>(document, "values");
  // Divided, not multiplied: the product of two sizes from a file can overflow.
  const bool fits = matrix.rows == 0 ? matrix.values.empty()
                                     : matrix.values.size() / matrix.rows == matrix.columns &&
                                           matrix.values.size() % matrix.rows == 0;
  if (!fits) throw std::runtime_error("a table has another size than it says");
  return matrix;
}

json features_to_json(const data::Features& features, WrittenRows* rows) {
  if (!features.is_sparse())
    return rows != nullptr && features.columns() > 0 ? rows->places(features.dense())
                                                     : matrix_to_json(features.dense());
  const data::SparseMatrix& sparse = features.sparse();
  return {{"rows", sparse.rows},
          {"columns", sparse.columns},
          {"offsets", pack<std::uint64_t>(sparse.offsets)},
          {"indices", pack<std::uint32_t>(sparse.indices)},
          {"values", pack<double>(sparse.values)}};
}

data::Features features_from(const json& document, const ReadRows* rows) {
  if (document.contains("places")) {
    if (rows == nullptr) throw std::runtime_error("the table of rows is missing");
    return rows->at(document);
  }
  if (!document.contains("offsets")) return matrix_from(document);
  data::SparseMatrix sparse;
  sparse.rows = number<std::size_t>(document, "rows");
  sparse.columns = number<std::size_t>(document, "columns");
  sparse.offsets = unpack<std::uint64_t, std::size_t>(document, "offsets");
  if (sparse.offsets.empty()) throw std::runtime_error("a sparse table is damaged");
  sparse.indices = unpack<std::uint32_t, std::uint32_t>(document, "indices");
  sparse.values = unpack<double, double>(document, "values");
  return sparse;
}

}  // namespace credence::io
