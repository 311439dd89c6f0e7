#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "io/kinds/check_parts.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {
namespace {

const svm::SvmModel* as_svm(const model::Predictor& member) {
  return dynamic_cast<const svm::SvmModel*>(&member);
}

}  // namespace

void put_random(json& document, const selection::RandomPredictor& predictor) {
  document["seed"] = predictor.seed;
  json members = json::array();
  for (const auto& member : predictor.members) {
    const svm::SvmModel* model = as_svm(*member);
    if (model == nullptr)
      throw Error(ErrorCode::invalid_argument, "a classifier to draw that is no SVM cannot be written to a model file");
    json one = json::object();
    put_predictor(one, *model);
    put_svm(one, *model);
    one.erase("schema");
    one["record"].erase("row_keys");
    if (one["preprocessing"] == document["preprocessing"]) one.erase("preprocessing");
    members.push_back(std::move(one));
  }
  document["members"] = std::move(members);
}

void read_random(const json& document, selection::RandomPredictor& predictor) {
  predictor.seed = number<std::uint64_t>(document, "seed");
  for (json one : document.at("members")) {
    one["schema"] = document.at("schema");
    if (!one.contains("preprocessing")) one["preprocessing"] = document.at("preprocessing");
    auto model = std::make_shared<svm::SvmModel>();
    read_predictor(one, *model);
    read_svm(one, *model);
    predictor.members.push_back(std::move(model));
  }
}

std::string check_random(const selection::RandomPredictor& predictor) {
  if (predictor.members.empty()) return "there is no classifier to draw";
  for (const auto& member : predictor.members) {
    std::string problem = check_predictor(*member);
    const svm::SvmModel* model = as_svm(*member);
    if (problem.empty()) problem = model == nullptr ? "a classifier to draw is no SVM" : check_svm(*model);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace credence::io
