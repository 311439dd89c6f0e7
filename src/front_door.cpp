#include "credence/front_door.hpp"

#include "credence/core/context.hpp"
#include "credence/selection/run.hpp"

namespace credence {
namespace {

/// Owns what a context refers to.
struct Surroundings {
  core::Threads threads;
  core::Monitor monitor;
  core::Context context{.threads = threads, .monitor = monitor};
};

}  // namespace

data::Dataset read(const std::string& path, const data::ReadOptions& options) {
  return data::read(path, options);
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options) {
  const Surroundings here;
  return selection::run(dataset, options, {.training = selection::Training::none}, here.context).selection;
}

std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const selection::Selection& selection) {
  const Surroundings here;
  return selection::fitted(dataset, selection, here.context);
}

model::Prediction predict(const model::Predictor& model, const data::Dataset& rows) {
  const Surroundings here;
  return model.predict(rows, here.context);
}

}  // namespace credence
