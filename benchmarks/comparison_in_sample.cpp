#include "comparison_in_sample.hpp"

#include <algorithm>

#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t trials = 100;

selection::Options options_of(const InSampleCase& task) {
  selection::Options options;
  options.method = selection::method_named(task.method);
  options.kernels.types = {kernel::KernelType::linear};
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.in_sample.hint = task.hint;
  options.in_sample.trials = trials;
  return options;
}

}  // namespace

data::Dataset read_digits(const std::string& folder) {
  data::Dataset digits = data::read(folder + "/" + digits_file);
  data::DenseMatrix pixels = digits.features.to_dense();
  for (double& value : pixels.values) value /= 255;
  digits.features = std::move(pixels);
  return digits;
}

data::Dataset balanced_draw(const data::Dataset& digits, std::size_t rows) {
  std::vector<std::size_t> drawn;
  core::RandomStream random(0);
  for (const int label : {0, 1}) {
    std::vector<std::size_t> of_class;
    for (std::size_t i = 0; i < digits.rows(); ++i)
      if (digits.labels[i] == label) of_class.push_back(i);
    random.shuffle(of_class);
    drawn.insert(drawn.end(), of_class.begin(), of_class.begin() + static_cast<std::ptrdiff_t>(rows / 2));
  }
  std::sort(drawn.begin(), drawn.end());
  return digits.select_rows(drawn);
}

std::vector<InSampleCase> in_sample_cases() {
  return {{"maximal-discrepancy", 100, {}, {2.7, 0.1}},   {"rademacher", 100, {}, {2.7, 0.1}},
          {"maximal-discrepancy", 400, {}, {44.2, 1}},    {"rademacher", 400, {}, {44.1, 1}},
          {"maximal-discrepancy", 400, 0.3, {58.9, 1.5}}, {"rademacher", 400, 0.3, {59.4, 1.5}}};
}

InSampleRow measure_in_sample(const InSampleCase& task, const data::Dataset& digits, const Settings& settings) {
  const data::Dataset dataset = balanced_draw(digits, task.rows);
  InSampleRow row;
  row.task = task;
  const auto run = [&](int threads) {
    const SelectionRun done = credence_selection(dataset, options_of(task), threads);
    const selection::InSample& found = *done.selection.in_sample();
    row.trials = found.trials;
    row.rhos = static_cast<std::size_t>(
        std::count_if(found.settings.begin(), found.settings.end(),
                      [](const selection::InSampleSetting& setting) { return setting.complete; }));
    row.bound = found.bound;
    row.work = found.work;
    return done.seconds;
  };
  const int runs = settings.quick ? 0 : settings.runs;
  row.two_threads = repeated(runs, [&] { return run(2); });
  row.one_thread = repeated(runs, [&] { return run(1); });
  return row;
}

}  // namespace credence::bench
