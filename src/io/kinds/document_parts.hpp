#pragma once

#include <nlohmann/json.hpp>

#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"
#include "io/kinds/row_table.hpp"

/// The parts that documents of every kind are made of. Readers throw nlohmann::json::exception | std::runtime_error
/// with what is missing or of the wrong type; they check types, names, and that tables have the size they say.
namespace credence::io {

/// Schema, missing values, preprocessing, record, and the calibration if there is one.
/// @param rows  where the machines of the predictor write and read their rows; nullptr: each has its own
void put_predictor(nlohmann::json& document, const model::Predictor& predictor, WrittenRows* rows = nullptr);
void read_predictor(const nlohmann::json& document, model::Predictor& predictor, const ReadRows* rows = nullptr);

/// The members of an ensemble, or the siblings of a model.
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

}  // namespace credence::io
