#include "io/model_document.hpp"

#include <stdexcept>
#include <string>

#include "credence/conformal/predictor.hpp"
#include "credence/core/error.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/family_predictor.hpp"
#include "credence/svm/model.hpp"
#include "io/conformal_document.hpp"
#include "io/document_parts.hpp"
#include "io/family_document.hpp"
#include "io/random_document.hpp"
#include "io/rvm_document.hpp"
#include "io/svm_document.hpp"

namespace credence::io {

using nlohmann::json;

json to_document(const model::Predictor& predictor) {
  json document = json::object();
  put_predictor(document, predictor);
  if (const auto* model = dynamic_cast<const svm::SvmModel*>(&predictor)) {
    document["kind"] = "svm";
    put_svm(document, *model);
  } else if (const auto* machines = dynamic_cast<const rvm::RvmModel*>(&predictor)) {
    document["kind"] = "rvm";
    put_rvm(document, *machines);
  } else if (const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&predictor)) {
    document["kind"] = "family";
    put_family(document, *family);
  } else if (const auto* conformal = dynamic_cast<const conformal::ConformalPredictor*>(&predictor)) {
    document["kind"] = "conformal";
    put_conformal(document, *conformal);
  } else if (const auto* random = dynamic_cast<const selection::RandomPredictor*>(&predictor)) {
    document["kind"] = "random";
    put_random(document, *random);
  } else {
    throw Error(ErrorCode::invalid_argument, "a predictor of this type cannot be written to a model file");
  }
  return document;
}

std::unique_ptr<model::Predictor> from_document(const json& document) {
  const auto kind = document.at("kind").get<std::string>();
  if (kind == "svm") {
    auto model = std::make_unique<svm::SvmModel>();
    read_predictor(document, *model);
    read_svm(document, *model);
    return model;
  }
  if (kind == "rvm") {
    auto model = std::make_unique<rvm::RvmModel>();
    read_predictor(document, *model);
    read_rvm(document, *model);
    return model;
  }
  if (kind == "family") {
    auto predictor = std::make_unique<selection::FamilyPredictor>();
    read_predictor(document, *predictor);
    read_family(document, *predictor);
    return predictor;
  }
  if (kind == "conformal") {
    auto predictor = std::make_unique<conformal::ConformalPredictor>();
    read_predictor(document, *predictor);
    read_conformal(document, *predictor);
    return predictor;
  }
  if (kind == "random") {
    auto predictor = std::make_unique<selection::RandomPredictor>();
    read_predictor(document, *predictor);
    read_random(document, *predictor);
    return predictor;
  }
  throw std::runtime_error("field 'kind' is '" + kind + "', which is not known");
}

}  // namespace credence::io
