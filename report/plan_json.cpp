#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "report/plan.hpp"

namespace credence::report {
namespace {

std::string word_at(const Json& block, const char* key) {
  if (!block.has(key)) return {};
  const std::string* word = block.at(key).text();
  if (word == nullptr) refuse(fmt::format("{}: {} is not a word", key, json_line(block.at(key))));
  return *word;
}

Plan plan_of(const Json& block) {
  Plan plan;
  if (const std::string method = word_at(block, "method"); !method.empty()) set_method(plan, method);
  if (const std::string task = word_at(block, "task"); !task.empty()) set_task(plan, task);
  if (const std::string model = word_at(block, "model"); !model.empty()) set_model(plan, model);
  const std::vector<core::Field> reading = core::fields_of(plan.reading);
  const std::vector<core::Field> fields = selection::fields_of(plan.options);
  for (const std::string& key : block.keys()) {
    if (key == "method" || key == "task" || key == "model" || key == "version") continue;
    under_name(key, [&] {
      const core::Field* of_reader = core::find_field(reading, key);
      (of_reader != nullptr ? *of_reader : selection::field_named(plan.options, fields, key))
          .set(block.at(key).option_value());
    });
  }
  plan.options.preparation.missing = plan.reading.missing;
  return plan;
}

}  // namespace

void add_fields(const std::vector<core::Field>& fields, Json& document) {
  for (const core::Field& field : fields)
    if (field.get) document[field.name] = Json(field.get());
}

Json options_json(const selection::Options& options) {
  selection::Options all = options.resolved();
  Json document = Json::object("method"_key = all.name(), "task"_key = core::word(all.task),
                               "model"_key = core::word(all.learner()));
  add_fields(selection::fields_of(all), document);
  return document;
}

Json plan_json(const Plan& plan) {
  Json document = options_json(plan.options);
  data::ReadOptions reading = plan.reading;
  data::ReadOptions usual;
  const std::vector<core::Field> defaults = core::fields_of(usual);
  for (const core::Field& field : core::fields_of(reading))
    if (field.name != "task" && !(field.get() == core::find_field(defaults, field.name)->get()))
      document[field.name] = Json(field.get());
  document["version"] = std::string(version());
  return document;
}

std::string default_text(const core::Field& field) {
  constexpr std::size_t few = 10;
  if (!field.get) return {};
  const core::Value value = field.get();
  if (value.is_none()) return {};
  const auto* list = std::get_if<core::Value::List>(&value.held);
  if (list == nullptr || list->size() <= few) return text_of(value);
  return fmt::format("{} values from {} to {}", list->size(), text_of(list->front()), text_of(list->back()));
}

Plan parse_plan(std::string_view text, const std::string& source) {
  const Json document = parse_json(text, source);
  if (!document.is_object())
    throw Error(ErrorCode::format, "this is no plan and no result: either is a JSON object", {source, 0, ""});
  const Json& block = document.at("options").is_object() ? document.at("options") : document;
  try {
    for (const Json* part : {&document, &block}) refuse_newer(word_at(*part, "version"), "plan", source);
    return plan_of(block);
  } catch (const Error& error) {
    throw Error(error.code(), error.sentence(), {source, 0, ""});
  }
}

void set_method(Plan& plan, std::string_view name) {
  if (name == plan.options.name()) return;
  plan.options.method = selection::method_named(name);
  plan.options.choose_from(std::nullopt);
}

void set_model(Plan& plan, std::string_view word) {
  const auto learner = core::parse_word<selection::Learner>(word);
  selection::Options chosen = plan.options;
  chosen.choose_from(learner);
  if (learner != plan.options.learner()) plan.options = std::move(chosen);
}

void set_task(Plan& plan, std::string_view word) {
  const auto task = core::parse_word<data::Task>(word);
  if (task != plan.options.task) plan.options.choose_from(std::nullopt);
  plan.options.task = plan.reading.task = task;
}

}  // namespace credence::report
