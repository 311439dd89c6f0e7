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
    selection::Options options;
    options.method = selection::CrossValidation{.folds = 5};
    options.seed = 1;
    const selection::Run found = selection::run(dataset, options, {}, context);
    const selection::Setting& best = found.selection.grid[found.selection.best.value()];
    std::cout << "C " << best.C << ", gamma " << best.gamma << ", cross-validation error " << best.error << ", "
              << found.model->description() << '\n';
    io::save_model(*found.model, "chosen.credence");
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
