#pragma once

/// ```cpp
/// const auto dataset = credence::read("data/breast_cancer.csv");
/// const auto chosen = credence::select(dataset);
/// std::cout << (chosen.honest->error < 0.05 ? "few errors" : "many errors") << '\n';  // prints few errors
/// const auto model = credence::fitted(dataset, chosen);
/// std::cout << credence::predict(*model, dataset).label.size() << '\n';  // prints 569
/// ```

#include <memory>
#include <string>

#include "credence/data/reader.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/selector.hpp"

/// The main path of the library in a few calls, with a thread for each core, the default memory, and no progress shown.
/// `selection::run` and `selection::fitted` take a core::Context for everything else.
namespace credence {

/// The data set of a file.  @throws Error as data::read
data::Dataset read(const std::string& path, const data::ReadOptions& options = {});

/// Returns what the method chooses, with the honest estimate of its error.
/// @throws Error as selection::Selector
selection::Selection select(const data::Dataset& dataset, const selection::Options& options = {});

/// Returns the predictor of the selection, trained on all rows.  @throws Error as selection::fitted
std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const selection::Selection& selection);

/// Returns the predictions for new rows, read for the model (ReadOptions::schema).  @throws Error as Predictor::predict
model::Prediction predict(const model::Predictor& model, const data::Dataset& rows);

}  // namespace credence
