#include <credence/credence.hpp>
#include <iostream>

int main(int argc, char** argv) {
  using namespace credence;
  if (argc != 2) return 2;
  const core::Threads threads;  // one for each core
  core::Monitor monitor;        // takes a callback for progress, and a time budget
  const core::Context context{.threads = threads, .monitor = monitor};
  try {
    const data::Dataset dataset = data::read(argv[1]);
    const selection::Options options{.method = selection::CrossValidation{.folds = 5}, .seed = 1};
    const selection::Selection selection = selection::Selector(options).select(dataset, context);
    const selection::Cell& best = selection.grid[selection.best.value()];
    const svm::SvmModel model = selection::retrain(dataset, selection, context).model;
    std::cout << "C " << best.C << ", gamma " << best.gamma << ", cross-validation error " << best.error << ", "
              << model.support_count() << " support vectors\n";
    io::save_model(model, "chosen.credence");
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
