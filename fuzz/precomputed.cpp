// Matrices of kernel values and of distances in place of features: as a table of text, through training and prediction.
#include "credence/conformal/neighbours.hpp"
#include "credence/svm/train.hpp"
#include "dataset.hpp"
#include "predictor.hpp"

namespace credence::fuzz {
namespace {

void train_on_kernel(const data::Dataset& dataset, Input& input, const core::Context& context) {
  svm::TrainOptions options;
  options.kernel.type = kernel::KernelType::precomputed;
  options.scaling = data::Scaling::none;
  options.C = std::array{1.0, 1e-6, 1e6}[input.choose(3)];
  options.solver.max_steps = 10'000;
  const svm::SvmModel model = svm::train(dataset, options, context).model;
  require(io::inconsistency(model).empty(), "a trained model does not contradict itself");
  for (const svm::BinaryMachine& machine : model.machines) {
    require(std::isfinite(machine.bias), "a bias is finite");
    for (const double value : machine.coefficients) require(std::isfinite(value), "a coefficient is finite");
  }
  const model::Prediction prediction = model.predict(dataset, context);
  require(prediction.label.size() == dataset.rows(), "a prediction: one a row");
}

void rank_by_distance(const data::Dataset& dataset, Input& input, const core::Context& context) {
  conformal::NeighbourOptions options;
  options.metric = neighbours::Metric::precomputed;
  options.k = static_cast<int>(input.choose(3)) + 1;
  const conformal::TransductiveNeighbours machine(dataset.features, dataset.labels, dataset.class_count(), options,
                                                  context);
  const conformal::Ranks ranks = machine.ranks(dataset.features, input.choose(2) == 1, context);
  require(machine.size() == dataset.rows(), "the machine holds all rows");
  static_cast<void>(ranks);
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 4);
  data::ReadOptions reading;
  reading.threads = 1;
  reading.format = std::array{data::Format::csv, data::Format::svmlight}[input.choose(2)];
  const fuzz::MemoryFile file(input.bytes());
  std::optional<data::Dataset> dataset;
  if (fuzz::refusal([&] { dataset = data::read(file.path(), reading); })) return 0;
  if (dataset->rows() > 64 || dataset->features.columns() > 64) return 0;
  const core::Threads threads(1);
  core::Monitor monitor({}, 5.0);
  const core::Context context{.threads = threads, .monitor = monitor, .memory_budget = std::size_t{1} << 24U};
  const bool kernel = input.choose(2) == 0;
  fuzz::refusal([&] {
    if (kernel)
      fuzz::train_on_kernel(*dataset, input, context);
    else
      fuzz::rank_by_distance(*dataset, input, context);
  });
  return 0;
}
