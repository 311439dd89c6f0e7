#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "credence/conformal/predictor.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/model.hpp"
#include "io/kinds/row_table.hpp"

/// The fields of each kind of predictor beside those of every predictor (put_predictor), one source file a kind;
/// model_document.cpp has the table. `read` comes after read_predictor and throws as the readers of document_parts.hpp.
/// `rows` is as document_parts.hpp has it. `check` says what is wrong with a predictor whose schema and preprocessing
/// are sound; empty if nothing.
namespace credence::io {

/// The hint is held with what it does not share with the model: kernel, support vectors, machines, and a record of its
/// training. @throws Error invalid_argument for a hint of a hint
void put_svm(nlohmann::json& document, const svm::SvmModel& model, WrittenRows* rows = nullptr);
void read_svm(const nlohmann::json& document, svm::SvmModel& model, const ReadRows* rows = nullptr);
std::string check_svm(const svm::SvmModel& model);
/// The check of an SVM over so many preprocessed columns.
std::string check_svm_over(const svm::SvmModel& model, std::size_t columns);

/// @throws Error invalid_argument for a machine whose fit was stopped
void put_rvm(nlohmann::json& document, const rvm::RvmModel& model);
void read_rvm(const nlohmann::json& document, rvm::RvmModel& model);
std::string check_rvm(const rvm::RvmModel& model);

/// @throws Error invalid_argument if it has no members, or some of a type that files do not know
void put_ensemble(nlohmann::json& document, const selection::Ensemble& ensemble, WrittenRows* rows);
/// @throws Error also invalid_argument for a rule that contradicts itself
void read_ensemble(const nlohmann::json& document, selection::Ensemble& ensemble, const ReadRows* rows);
std::string check_ensemble(const selection::Ensemble& ensemble);

/// @throws Error invalid_argument if it has no machine, or one of a type that files do not know
void put_conformal(nlohmann::json& document, const conformal::ConformalPredictor& predictor);
/// Checks everything, because a machine cannot be made of parts that do not fit.
/// @throws Error also invalid_argument for parts that do not fit together
void read_conformal(const nlohmann::json& document, conformal::ConformalPredictor& predictor);

}  // namespace credence::io
