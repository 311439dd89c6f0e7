#include "reproduce/nonconformity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"

namespace credence::reproduce {
namespace {

constexpr int outer_folds = 10;

// Tables 1 and 3 as printed.
// clang-format off
constexpr std::array<PaperSet, 9> sets{{
    {"votes", "Votes", "hardoon_votes", 52, 16, 18, 34,
     {{{0.0700, 0.1201, 0.72}, {0.0833, 0.2115, 5.74}, {0.0933, 0.0991, 0.43}}}, nullptr},
    {"votes52", "Votes (52)", "hardoon_votes52_surrogate", 52, 16, 18, 34,
     {{{0.0700, 0.1201, 0.72}, {0.0833, 0.2115, 5.74}, {0.0933, 0.0991, 0.43}}},
     "a surrogate of the printed size and class counts, not the paper's rows"},
    {"glass", "Glass", "hardoon_glass", 163, 9, 87, 76,
     {{{0.2167, 0.0932, 5.25}, {0.2085, 0.1291, 32.58}, {0.2328, 0.1263, 3.08}}}, nullptr},
    {"haberman", "Haberman", "hardoon_haberman", 294, 3, 219, 75,
     {{{0.3133, 0.0680, 58.23}, {0.2518, 0.0397, 455.77}, {0.3300, 0.0524, 49.23}}}, nullptr},
    {"bupa", "Bupa", "hardoon_bupa", 345, 6, 145, 200,
     {{{0.2753, 0.0620, 44.85}, {0.2840, 0.0604, 329.96}, {0.3192, 0.1085, 38.81}}}, nullptr},
    {"credit", "Credit", "hardoon_credit", 653, 15, 296, 357,
     {{{0.2990, 0.0468, 86.85}, {0.2745, 0.1111, 592.42}, {0.2914, 0.0850, 72.31}}}, nullptr},
    {"pima", "Pima", "hardoon_pima", 768, 8, 269, 499,
     {{{0.2562, 0.0554, 169.05}, {0.2473, 0.0361, 1305.29}, {0.3019, 0.0516, 155.65}}}, nullptr},
    {"breastw", "BreastW", "hardoon_breastw", 683, 9, 239, 444,
     {{{0.0378, 0.0350, 24.80}, {0.0335, 0.0282, 150.36}, {0.0408, 0.0367, 18.29}}}, nullptr},
    {"ionosphere", "Ionosphere", "hardoon_ionosphere", 351, 34, 225, 126,
     {{{0.0562, 0.0493, 17.63}, {0.0479, 0.0440, 103.45}, {0.1158, 0.0565, 11.85}}}, nullptr},
}};
// clang-format on

/// The paper holds out 50 rows, whatever the size of the set; of small sets the default holds out fewer.
std::optional<std::size_t> validation_of(std::size_t rows) {
  constexpr std::size_t few = 500;
  return rows > few ? std::optional<std::size_t>(50) : std::nullopt;
}

/// The paper's grid (which is the default one) on features as they are.
selection::Options options_of(const selection::Method& method, std::uint64_t seed) {
  selection::Options options;
  options.method = method;
  options.choose_from(selection::Learner::svm);
  options.preparation.scalings = {data::Scaling::none};
  options.choose_one_svm();
  options.estimate = selection::Estimate::none;
  options.seed = seed;
  return options;
}

selection::Options held_out_options(const selection::Method& method, std::size_t rows, std::uint64_t seed) {
  selection::Options options = options_of(method, seed);
  options.validation_rows = validation_of(rows);
  return options;
}

selection::Options nonconformity_options(std::size_t rows, std::uint64_t seed, selection::Tie tie) {
  return held_out_options(selection::Nonconformity{.tie = tie, .p_value = selection::PValue::paper}, rows, seed);
}

/// Leaves out the rows that nonconformity selection with the same seed keeps for validation.
std::function<data::Dataset(const data::Dataset&)> without_validation_rows(std::size_t rows, std::uint64_t seed) {
  return [options = nonconformity_options(rows, seed, selection::Tie::random)](const data::Dataset& training) {
    const std::vector<bool> held_out = selection::validation_split(training, options);
    return training.select_rows(data::rows_where(held_out, false));
  };
}

data::Dataset rows_of_fold(const data::Dataset& dataset, const std::vector<int>& folds, bool held_out) {
  return dataset.select_rows(data::rows_where(folds, [&](int fold) { return (fold == 0) == held_out; }));
}

data::Dataset read_set(const PaperSet& set, const std::string& folder) {
  return data::read(required_file_of(folder, set.file, std::string("the data set ") + set.name, of_uci));
}

/// In what the data differ from Table 1, counted from them; empty if in nothing.
std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset) {
  const auto count_class = [&](const char* name) {
    return static_cast<std::size_t>(std::count_if(dataset.labels.begin(), dataset.labels.end(), [&](int label) {
      return dataset.schema.classes[static_cast<std::size_t>(label)] == name;
    }));
  };
  return differences({{"rows", dataset.rows(), set.rows},
                      {"features", dataset.features.columns(), set.features},
                      {"positive", count_class("+1"), set.positive},
                      {"negative", count_class("-1"), set.negative}});
}

/// In the order of `columns`. All train on the same rows: those of the other outer folds without the validation rows,
/// which are drawn once. Features are not scaled.
std::vector<selection::Contestant> contestants(std::size_t rows, std::uint64_t seed) {
  const auto narrow = without_validation_rows(rows, seed);
  selection::Options hold_out = held_out_options(selection::HoldOut{}, rows, seed);
  hold_out.refit = selection::Refit::training_rows;
  return {
      {columns[0], nonconformity_options(rows, seed, selection::Tie::random), {}},
      {columns[1], options_of(selection::CrossValidation{}, seed), narrow},
      {columns[2], held_out_options(selection::MaxMargin{}, rows, seed), {}},
      {columns[3], nonconformity_options(rows, seed, selection::Tie::validation_error), {}},
      {columns[4], hold_out, {}},
      {columns[5], held_out_options(selection::HoldOutVote{}, rows, seed), {}},
  };
}

SetResult run_set(const PaperSet& set, const data::Dataset& dataset, int repeats, std::uint64_t seed,
                  const core::Context& context) {
  SetResult result{&set, dataset.rows(), mismatches(set, dataset), {}};
  for (int r = 0; r < repeats && !context.monitor.should_stop(); ++r) {
    const std::uint64_t shuffle = seed + static_cast<std::uint64_t>(r);
    result.shuffles.push_back(
        selection::compare(dataset, contestants(dataset.rows(), shuffle), {outer_folds, shuffle}, context));
  }
  return result;
}

Figure2 figure_2(const data::Dataset& dataset, std::uint64_t seed, const core::Context& context) {
  const std::vector<int> folds = data::stratified_k_fold(dataset.labels, outer_folds, seed);
  const data::Dataset training = rows_of_fold(dataset, folds, false);
  const data::Dataset test = rows_of_fold(dataset, folds, true);
  const selection::Options options = nonconformity_options(dataset.rows(), seed, selection::Tie::random);
  const selection::Selection selection = selection::Selector(options).select(training, context);
  const auto predictor = selection::fitted(training, selection, context);
  Figure2 figure;
  figure.validation_rows = selection.validation_rows;
  figure.models = selection.grid.size();
  figure.delta = options.delta;
  figure.points = selection::bound_curve(predictor->predict(test, context), test.labels);
  return figure;
}

class NonconformityExperiment : public ExperimentWith<NonconformityReport> {
 public:
  explicit NonconformityExperiment(const Request& request) : sets_(chosen_sets(sets, request.sets)) {
    report_.repeats = request.repeats.value_or(1);
    report_.seed = request.seed;
  }

  std::vector<Part> read(const std::string& folder) override {
    std::vector<Part> parts;
    for (const PaperSet* set : sets_) {
      const data::Dataset dataset = read_set(*set, folder);
      const std::size_t units = dataset.rows() * dataset.rows();  // roughly the work
      parts.push_back({units,
                       [this, set, dataset, units](const core::Context& context) {
                         core::Monitor monitor(context.monitor, units);
                         return run_region(*set, dataset, context.with(monitor));
                       },
                       checksum_of(dataset)});
    }
    return parts;
  }

 private:
  bool run_region(const PaperSet& set, const data::Dataset& dataset, const core::Context& context) {
    report_.sets.push_back(run_set(set, dataset, report_.repeats, report_.seed, context));
    const bool complete = report_.sets.back().complete(report_.repeats);
    if (std::string(set.key) != "bupa") return complete;
    report_.figure =
        unless_stopped(0, context, [&](const core::Context& part) { return figure_2(dataset, report_.seed, part); });
    return complete && report_.figure;
  }

  std::vector<const PaperSet*> sets_;
};

}  // namespace

std::optional<ColumnResult> column_result(const SetResult& result, std::size_t column) {
  std::vector<double> errors;
  ColumnResult sum;
  for (const selection::Comparison& shuffle : result.shuffles) {
    if (shuffle.stopped != core::StopReason::none) continue;
    const selection::MethodResult& method = shuffle.methods[column];
    errors.push_back(method.mean_error);
    sum.deviation += method.error_std;
    sum.seconds += method.seconds;
  }
  if (errors.empty()) return std::nullopt;
  const auto count = static_cast<double>(errors.size());
  const Figure error = figure_of(errors);
  sum.error = error.mean;
  sum.standard_error = error.standard_error;
  sum.deviation /= count;
  sum.seconds /= count;
  return sum;
}

std::unique_ptr<Experiment> nonconformity_experiment(const Request& request) {
  return std::make_unique<NonconformityExperiment>(request);
}

}  // namespace credence::reproduce
