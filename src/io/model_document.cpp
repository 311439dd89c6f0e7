#include "io/model_document.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <stdexcept>

#include "credence/core/error.hpp"
#include "credence/io/model_file.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {
namespace {

using model::Predictor;
using nlohmann::json;

/// A kind of predictor: its word in the document, and how its own fields are written, read and checked.
struct Kind {
  std::string_view word;
  bool (*holds)(const Predictor& predictor);
  void (*write)(json& document, const Predictor& predictor, WrittenRows* rows);
  std::unique_ptr<Predictor> (*read)(const json& document, const ReadRows* rows);
  std::string (*check)(const Predictor& predictor);
};

template <class Model>
using Check = std::string (*)(const Model& model);

/// Of kinds whose fields cannot contradict each other.
template <class Model>
std::string always_sound(const Model&) {
  return {};
}

/// Kinds whose machines share no rows take no table of rows.
template <class Model, auto write, auto read, Check<Model> check = always_sound<Model>>
constexpr Kind kind(std::string_view word) {
  return {word, [](const Predictor& predictor) { return dynamic_cast<const Model*>(&predictor) != nullptr; },
          [](json& document, const Predictor& predictor, WrittenRows* rows) {
            const auto& model = static_cast<const Model&>(predictor);
            if constexpr (std::invocable<decltype(write), json&, const Model&, WrittenRows*>)
              write(document, model, rows);
            else
              write(document, model);
          },
          [](const json& document, const ReadRows* rows) -> std::unique_ptr<Predictor> {
            auto model = std::make_unique<Model>();
            read_predictor(document, *model, rows);
            if constexpr (std::invocable<decltype(read), const json&, Model&, const ReadRows*>)
              read(document, *model, rows);
            else
              read(document, *model);
            return model;
          },
          [](const Predictor& predictor) { return check(static_cast<const Model&>(predictor)); }};
}

constexpr std::array kinds{
    kind<svm::SvmModel, put_svm, read_svm, check_svm>("svm"),
    kind<rvm::RvmModel, put_rvm, read_rvm, check_rvm>("rvm"),
    kind<selection::Ensemble, put_ensemble, read_ensemble, check_ensemble>("ensemble"),
    kind<conformal::ConformalPredictor, put_conformal, read_conformal>("conformal"),
};

const Kind& kind_of(const Predictor& predictor) {
  const auto* const found = std::ranges::find_if(kinds, [&](const Kind& one) { return one.holds(predictor); });
  if (found != kinds.end()) return *found;
  refuse("a predictor of this type cannot be written to a model file");
}

}  // namespace

json to_document(const Predictor& predictor) {
  const Kind& kind = kind_of(predictor);
  json document = json::object();
  WrittenRows table;
  // The members of an average, the SVMs of regions, and those of their folds are trained on the same rows.
  const auto* const ensemble = selection::as_ensemble(predictor);
  const bool shares = ensemble != nullptr && (std::holds_alternative<selection::FirstRule>(ensemble->rule) ||
                                              std::holds_alternative<selection::AverageRule>(ensemble->rule));
  WrittenRows* const rows = shares ? &table : nullptr;
  put_predictor(document, predictor, rows);
  document["kind"] = kind.word;
  kind.write(document, predictor, rows);
  if (rows != nullptr) document["row_table"] = table.table();
  return document;
}

std::unique_ptr<Predictor> from_document(const json& document) {
  const auto word = document.at("kind").get<std::string>();
  const auto* const found = std::ranges::find(kinds, word, &Kind::word);
  if (found == kinds.end()) throw std::runtime_error("field 'kind' is '" + word + "', which is not known");
  std::optional<ReadRows> rows;
  if (document.contains("row_table")) rows.emplace(document.at("row_table"));
  return found->read(document, rows ? &*rows : nullptr);
}

std::string inconsistency(const Predictor& predictor) {
  const std::string problem = check_predictor(predictor);
  return problem.empty() ? kind_of(predictor).check(predictor) : problem;
}

}  // namespace credence::io
