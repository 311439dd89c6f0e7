#pragma once

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// const data::Dataset dataset = data::read("data/breast_cancer.csv");
/// svm::TrainOptions options;
/// options.gamma = kernel::parse_gamma("scale");
/// const svm::SvmModel model = svm::train(dataset, options, context).model;
/// io::save_model(model, "model.credence");
/// const std::unique_ptr<model::Predictor> loaded = io::load_model("model.credence");
/// const auto before = model.predict(dataset, context).decision.values;
/// const auto after = loaded->predict(dataset, context).decision.values;
/// std::cout << (before == after ? "equal to the last bit" : "different") << '\n';  // prints equal to the last bit
/// ```

#include <memory>
#include <string>
#include <string_view>

#include "credence/model/predictor.hpp"

namespace credence::io {

/// Writes a predictor (svm::SvmModel, rvm::RvmModel, selection::Ensemble over SVMs, RVMs or nearest neighbours
/// with any rule, conformal::ConformalPredictor):
/// magic, format version, length and CRC-32 of a CBOR document, then the document; see docs/model-file.md.
/// The file is written atomically (core::write_atomically): if writing fails, an older file stays whole.
/// @throws Error file | invalid_argument (a predictor of none of these types, an ensemble without its classifiers)
void save_model(const model::Predictor& predictor, const std::string& path);

/// Reads a file that save_model wrote. The loaded predictor gives the same predictions to the last bit.
/// @throws Error file (missing, unreadable) | format (not a model, truncated, altered, newer version, inconsistent),
/// one sentence each
std::unique_ptr<model::Predictor> load_model(const std::string& path);

/// The bytes of the file that save_model writes. @throws Error invalid_argument as save_model
std::string model_bytes(const model::Predictor& predictor);
/// The predictor of such bytes. @param name  stands for the file in messages  @throws Error format as load_model
std::unique_ptr<model::Predictor> model_of_bytes(std::string_view bytes, const std::string& name);

/// What is wrong with a predictor that came from a file; empty if predicting with it is safe.
/// Checks sizes, indices, layouts, kernel parameters, and that all numbers are finite (validation margins: not NaN).
/// Cost: one pass over the predictor.
std::string inconsistency(const model::Predictor& predictor);

/// Whether the file begins as a Credence model does.
bool is_model_file(const std::string& path);

}  // namespace credence::io
