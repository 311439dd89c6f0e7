/// By how much the peak of resident memory rises when 200,000 x 50 rows in a read-only memory map are used, beside the
/// size of the rows themselves. A copy would add that size once more.
///
///     borrowed_memory [ROWS [COLUMNS]]

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/svm/train.hpp"

namespace {

using namespace credence;

constexpr std::size_t training_rows = 500;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Normal numbers in memory that cannot be written.
data::DenseMatrix mapped_rows(std::size_t rows, std::size_t columns) {
  const std::size_t bytes = rows * columns * sizeof(double);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  auto* const numbers = static_cast<double*>(memory);
  core::RandomStream random(1);
  for (std::size_t i = 0; i < rows * columns; ++i) numbers[i] = random.normal();
  mprotect(memory, bytes, PROT_READ);
  return data::DenseMatrix::borrowed(numbers, rows, columns, nullptr);
}

svm::SvmModel trained(const data::DenseMatrix& rows, data::Scaling scaling, const core::Context& context) {
  const data::DenseMatrix first = data::DenseMatrix::borrowed(rows.values.data(), training_rows, rows.columns, nullptr);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < training_rows; ++i) labels.emplace_back(first.row(i)[0] > 0 ? "a" : "b");
  svm::TrainOptions options;
  options.scaling = scaling;
  options.kernel.type = kernel::KernelType::linear;
  return svm::train(data::make_dataset(first, labels), options, context).model;
}

void report(const char* what, double size, const std::function<void()>& work) {
  const double before = peak_megabytes();
  work();
  const double rise = peak_megabytes() - before;
  fmt::print("{:<44}{:>8.1f} MB {:>7.2f}\n", what, rise, rise / size);
}

}  // namespace

int main(int count, char** words) {
  const std::size_t rows = count > 1 ? std::stoul(words[1]) : 200'000;
  const std::size_t columns = count > 2 ? std::stoul(words[2]) : 50;
  core::Threads threads(1);
  core::Monitor monitor;
  const core::Context context{threads, monitor};
  const data::DenseMatrix matrix = mapped_rows(rows, columns);
  const double size = static_cast<double>(rows * columns * sizeof(double)) / (1024 * 1024);
  fmt::print("{} x {} rows, {:.1f} MB; the peak rises by  in sizes of the rows\n", rows, columns, size);
  const svm::SvmModel plain = trained(matrix, data::Scaling::none, context);
  const svm::SvmModel scaled = trained(matrix, data::Scaling::standard, context);
  data::Dataset dataset;
  report("data set", size, [&] { dataset = data::make_dataset(matrix, {}); });
  report("keys of all rows", size, [&] { data::row_keys(dataset.features); });
  report("calibration of scores", size, [&] {
    const std::vector<int> labels(rows, 0);
    const conformal::ScoreCalibration calibration(matrix, labels);
  });
  report("prediction without scaling", size, [&] { plain.predict(dataset, context); });
  report("prediction with scaling (a scaled copy)", size, [&] { scaled.predict(dataset, context); });
  return 0;
}
