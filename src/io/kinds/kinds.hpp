#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "credence/conformal/predictor.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/family_predictor.hpp"
#include "credence/svm/model.hpp"
#include "credence/svm/partition_predictor.hpp"
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

/// @throws Error invalid_argument if it has no family, or one of a type that files do not know
void put_family(nlohmann::json& document, const selection::FamilyPredictor& predictor);
/// @throws Error also invalid_argument for a rule that contradicts itself
void read_family(const nlohmann::json& document, selection::FamilyPredictor& predictor);
std::string check_family(const selection::FamilyPredictor& predictor);

/// @throws Error invalid_argument if it has no machine, or one of a type that files do not know
void put_conformal(nlohmann::json& document, const conformal::ConformalPredictor& predictor);
/// Checks everything, because a machine cannot be made of parts that do not fit.
/// @throws Error also invalid_argument for parts that do not fit together
void read_conformal(const nlohmann::json& document, conformal::ConformalPredictor& predictor);

/// Members do not repeat the columns, the keys of the rows, nor a preprocessing that is that of the whole.
/// @throws Error invalid_argument if a member is no single SVM
void put_random(nlohmann::json& document, const selection::RandomPredictor& predictor);
void read_random(const nlohmann::json& document, selection::RandomPredictor& predictor);
std::string check_random(const selection::RandomPredictor& predictor);

/// @throws Error invalid_argument if it has no family
void put_regions(nlohmann::json& document, const svm::PartitionPredictor& predictor, WrittenRows* rows);
void read_regions(const nlohmann::json& document, svm::PartitionPredictor& predictor, const ReadRows* rows);
std::string check_regions(const svm::PartitionPredictor& predictor);

/// The machine of one region.
nlohmann::json region_machine_to_json(const svm::RegionMachine& region, WrittenRows* rows);
svm::RegionMachine region_machine_from(const nlohmann::json& document, const ReadRows* rows);
std::string check_region_machine(const svm::RegionMachine& region, std::size_t class_count, std::size_t columns);

/// The regions of the feature space as a family of classifiers (classifiers.hpp).
nlohmann::json partition_to_json(const svm::PartitionFamily& family, WrittenRows* rows);
std::shared_ptr<const svm::PartitionFamily> partition_from(const nlohmann::json& document, const ReadRows* rows);
std::string check_partition(const svm::PartitionFamily& family, std::size_t columns);
nlohmann::json region_siblings_to_json(const svm::RegionSiblings& family, WrittenRows* rows);
std::shared_ptr<const svm::RegionSiblings> region_siblings_from(const nlohmann::json& document, const ReadRows* rows);
std::string check_region_siblings(const svm::RegionSiblings& family, std::size_t columns);

}  // namespace credence::io
