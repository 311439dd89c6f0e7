#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "credence/model/classifier_family.hpp"
#include "io/kinds/row_table.hpp"

/// The classifiers of a family predictor or of a conformal one.
namespace credence::io {

/// @param rows  as document_parts.hpp has it
/// @throws Error invalid_argument for none, or classifiers of a type that files do not know
nlohmann::json classifiers_to_json(const model::ClassifierFamily* family, WrittenRows* rows = nullptr);
/// The inverse. @throws as the readers of document_parts.hpp
std::shared_ptr<const model::ClassifierFamily> classifiers_from(const nlohmann::json& document,
                                                                const ReadRows* rows = nullptr);
/// What is wrong with classifiers over so many preprocessed columns; empty if nothing.
std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns);

}  // namespace credence::io
