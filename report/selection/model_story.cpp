#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using model::Predictor;
constexpr const char* not_recorded = "not recorded in this file";

selection::Setting setting_of(double C, double nu, double gamma, int k) {
  selection::Setting setting;
  setting.C = C;
  setting.nu = nu;
  setting.gamma = gamma;
  setting.k = k;
  return setting;
}

/// Those of the members that take part, or that of the one model.
std::vector<selection::Setting> settings_of(const Predictor& model) {
  std::vector<selection::Setting> settings;
  if (const auto* svm = dynamic_cast<const svm::SvmModel*>(&model)) {
    const double nu = model.record.nu.value_or(0);
    settings.push_back(
        setting_of(nu > 0 ? 0 : model.record.C, nu, svm->kernel.uses_gamma() ? svm->kernel.gamma : 0, 0));
    settings.back().kernel = svm->kernel.type;
    settings.back().scale = model.preprocessing.scaling;
  }
  const selection::Ensemble* ensemble = selection::as_ensemble(model);
  if (ensemble == nullptr || ensemble->names.empty()) return settings;
  const auto* some = selection::taking_part(*ensemble);
  std::size_t k = 0;
  for (const model::Members::Part& part : ensemble->members.parts) {
    const auto* svms = dynamic_cast<const svm::SvmFamily*>(part.family.get());
    for (const std::size_t end = k + part.family->models(); k < end; ++k) {
      if (some != nullptr && std::ranges::find(*some, k) == some->end()) continue;
      const selection::MemberName& name = ensemble->names.at(k);
      settings.push_back(setting_of(name.C, name.nu, name.gamma, name.k));
      if (svms == nullptr) continue;
      settings.back().kernel = svms->kernel.type;
      settings.back().scale = part.preprocessing.value_or(model.preprocessing).scaling;
    }
  }
  return settings;
}

std::string estimate_of(const model::TrainingRecord& record) {
  if (!record.honest) return record.method == "train" ? "none: no choice was made" : not_recorded;
  const auto kind = core::parse_word<selection::ScoreKind>(record.honest_kind);
  Scale scale = report::scale_of(kind, record.honest->score);
  scale.name = scale.is_error() ? "" : " (" + scale.name + ')';
  return error_with_interval(*record.honest, scale);
}

bool has_range(const model::TrainingRecord& record, std::size_t j) {
  return j < std::min(record.least.size(), record.largest.size()) && !std::isnan(record.least[j]);
}

Table columns_table(const Predictor& model) {
  Table table{{"column", "kind", "|least", "|largest"}, "Columns of the training rows", Where::both};
  const std::vector<data::Column>& columns = model.schema.columns;
  const model::TrainingRecord& record = model.record;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool levels = columns[j].kind == data::ColumnKind::categorical;
    const bool known = has_range(record, j);
    table.add({columns[j].name.empty() ? fmt::format("column {}", j + 1) : shown_name(columns[j].name),
               levels ? count_of(columns[j].levels.size(), "level") : std::string("number"),
               known ? plain_number(record.least[j]) : "-", known ? plain_number(record.largest[j]) : "-"});
  }
  return table;
}

/// "2 classes: 'benign' (237), 'malignant' (143)", or the names alone where the file does not count them.
std::string classes_of(const Predictor& model) {
  if (model.schema.task == data::Task::regression) return "none: it predicts numbers";
  if (!model.record.class_counts.empty()) return class_summary(model.schema.classes, model.record.class_counts);
  std::string text;
  for (const std::string& name : shown_names(model.schema.classes)) text += (text.empty() ? "'" : ", '") + name + '\'';
  return text + "; their rows are " + not_recorded;
}

/// "filled; missing too: '.', '-99' in column 'Age'".
std::string missing_of(const Predictor& model) {
  // in the order of data::Missing
  constexpr std::array done{"rows with missing values are refused", "rows with missing values are left out", "filled"};
  std::string text = done[static_cast<std::size_t>(model.missing)];
  const char* before = "; missing too: ";
  for (const data::MissingCode& code : model.schema.missing_codes) {
    text += fmt::format("{}'{}'", std::exchange(before, ", "), shown_name(code.text));
    if (!code.column) continue;
    const bool is_label = *code.column >= model.schema.columns.size();
    const std::string& name = is_label ? model.schema.label_name : model.schema.columns[*code.column].name;
    text += fmt::format(" in column '{}'", name.empty() ? fmt::to_string(*code.column + 1) : shown_name(name));
  }
  return text;
}

}  // namespace

Story model_story(const Predictor& model, const std::string& source) {
  Story story{"A model", shown_source(source)};
  const model::TrainingRecord& record = model.record;
  Section& section = story.section("chosen", "What the model is");
  section.fact("model", model.description());
  section.fact("data", record.data ? shown_source(*record.data) : not_recorded);
  section.fact("trained on", record.rows > 0 ? fmt::format("{}, {}", count_of(record.rows, "row"),
                                                           count_of(model.schema.columns.size(), "column"))
                                             : not_recorded);
  const std::string label = model.schema.label_column();
  section.fact("label", label.empty() ? not_recorded : label);
  section.fact("classes", classes_of(model));
  section.fact("missing", missing_of(model));
  section.fact("method", record.method);
  std::string name = "settings";
  constexpr std::size_t most = 12;
  const std::vector<selection::Setting> settings = settings_of(model);
  for (std::size_t k = 0; k < std::min(most, settings.size()); ++k)
    section.fact(std::exchange(name, ""), parameters_text(settings[k], false));
  if (settings.size() > most) section.fact("", fmt::format("and {} more", settings.size() - most));
  section.fact("honest estimate", estimate_of(record),
               record.honest ? "the figure to quote; " + honest_basis(*record.honest, record.method == "regions") : "");
  const bool chosen = !model.calibration.empty();
  section.fact("p-values", chosen ? promise_of(model.calibration.p_values) : validity_sentence(model));
  section.fact("version", record.version.empty() ? not_recorded : "credence " + record.version);
  section.add(columns_table(model));
  if (record.least.empty()) section.tell(std::string("The ranges of the columns are ") + not_recorded + '.');
  return story;
}

Json model_json(const Predictor& model, const std::string& source) {
  const model::TrainingRecord& record = model.record;
  const bool counted = !record.class_counts.empty();
  const auto column_json = [&](std::size_t j) {
    const data::Column& column = model.schema.columns[j];
    const bool levels = column.kind == data::ColumnKind::categorical;
    const bool known = has_range(record, j);
    return Json::object("name"_key = column.name, "levels"_key = levels ? Json(column.levels) : Json(nullptr),
                        "least"_key = known ? Json(record.least[j]) : Json(nullptr),
                        "largest"_key = known ? Json(record.largest[j]) : Json(nullptr));
  };
  const model::Calibration& calibration = model.calibration;
  const auto code_json = [](const data::MissingCode& code) {
    return Json::object("text"_key = code.text, "column"_key = code.column);
  };
  return Json::object(
      "kind"_key = "model", "source"_key = source, "description"_key = model.description(),
      "task"_key = model.schema.task == data::Task::regression ? "regression" : "classification",
      "method"_key = record.method, "data"_key = record.data, "rows"_key = record.rows,
      "label"_key = model.schema.label_name, "classes"_key = model.schema.classes,
      "class_counts"_key = counted ? Json(record.class_counts) : Json(nullptr),
      "columns"_key = Json::list(model.schema.columns.size(), column_json),
      "settings"_key =
          Json::list(settings_of(model), [](const selection::Setting& one) { return parameters_json(one, false); }),
      "honest"_key =
          record.honest ? estimate_json(*record.honest, record.method == "regions", record.honest_kind) : Json(nullptr),
      "p_values"_key = calibration.empty() ? Json(nullptr) : Json(core::word(calibration.p_values)),
      "guarantee"_key = validity_sentence(model), "missing"_key = core::word(model.missing),
      "missing_codes"_key = Json::list(model.schema.missing_codes, code_json),
      "scaling"_key = core::word(model.preprocessing.scaling), "seed"_key = record.seed,
      "version"_key = record.version);
}

}  // namespace credence::report
