#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"
#include "io/kinds/row_table.hpp"

/// The parts that documents of every kind are made of. Readers throw nlohmann::json::exception | std::runtime_error
/// with what is missing or of the wrong type; they check types, names, and that tables have the size they say.
/// Checks of the parts of a predictor that came from a file: what is wrong, or nothing.
/// The classifiers of a family predictor or of a conformal one.
namespace credence::io {

/// Schema, missing values, preprocessing, record, and the calibration if there is one.
/// @param rows  where the machines of the predictor write and read their rows; nullptr: each has its own
void put_predictor(nlohmann::json& document, const model::Predictor& predictor, WrittenRows* rows = nullptr);
void read_predictor(const nlohmann::json& document, model::Predictor& predictor, const ReadRows* rows = nullptr);

/// The members of an ensemble, or the fold models of a model.
/// @param model  the document of the predictor so far: a part whose preprocessing is that of the model refers to it
nlohmann::json members_to_json(const model::Members& members, const nlohmann::json& model, WrittenRows* rows);
model::Members members_from(const nlohmann::json& document, const model::Predictor& model, const ReadRows* rows);

nlohmann::json preprocessing_to_json(const data::Preprocessing& preprocessing);
data::Preprocessing preprocessing_from(const nlohmann::json& document);

nlohmann::json kernel_to_json(const kernel::Kernel& kernel);
kernel::Kernel kernel_from(const nlohmann::json& document);

/// @param rows  takes the rows of dense features, whose document then has their places; nullptr: the document has all
nlohmann::json features_to_json(const data::Features& features, WrittenRows* rows = nullptr);
data::Features features_from(const nlohmann::json& document, const ReadRows* rows = nullptr);

nlohmann::json matrix_to_json(const data::DenseMatrix& matrix);
data::DenseMatrix matrix_from(const nlohmann::json& document);

bool all_finite(std::span<const double> values);

/// A preprocessing of the columns of a predictor.
std::string check_preprocessing(const data::Preprocessing& preprocessing, const std::vector<data::Column>& columns);
/// Members of an ensemble, or fold models of a model.
std::string check_members(const model::Members& members, const model::Predictor& predictor);
/// Schema, preprocessing, fold models and calibration.
std::string check_predictor(const model::Predictor& predictor);

/// The region of the feature space of each of so many rows. @param parts  of the model: 0 if its machine is one for all
std::string check_region_numbers(std::span<const int> region, std::size_t rows, std::size_t regions);

std::string check_kernel(const kernel::Kernel& kernel);

/// Preprocessed rows: so many, each of so many columns, with sound indices and finite values.
std::string check_features(const data::Features& features, std::size_t rows, std::size_t columns);

/// Support vectors, which are columns of the preprocessed rows if the kernel is precomputed.
std::string check_support_vectors(const kernel::Kernel& kernel, const data::Features& vectors,
                                  const std::vector<std::size_t>& support_rows, std::size_t columns);

/// Calls `use` with the object as the one of these types that it has.
/// @return false if it has none of them
template <class... Types, class Base, class Use>
bool visit_as(const Base& object, Use use) {
  const auto attempt = [&](const auto* typed) {
    if (typed != nullptr) use(*typed);
    return typed != nullptr;
  };
  return (attempt(dynamic_cast<const Types*>(&object)) || ...);
}

/// @param rows  as document_parts.hpp has it
/// @throws Error invalid_argument for none, or classifiers of a type that files do not know
nlohmann::json classifiers_to_json(const model::ClassifierFamily* family, WrittenRows* rows = nullptr);
/// The inverse. @throws as the readers of document_parts.hpp
std::shared_ptr<const model::ClassifierFamily> classifiers_from(const nlohmann::json& document,
                                                                const ReadRows* rows = nullptr);
/// What is wrong with classifiers over so many preprocessed columns; empty if nothing.
std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns);

}  // namespace credence::io
