#include <fmt/format.h>

#include <algorithm>

#include "credence/core/random.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

// Table IX as printed, test rows as Tables XI and XIII give them away.
constexpr std::array<PaperSet, 14> sets{{
    {"mnist", "MNIST 0/1", "anguita_mnist01", 13074, 784, 0, 0},
    {"brain_tumor1", "Brain tumor 1", "brain_tumor1", 90, 5920, 18, 0},
    {"brain_tumor2", "Brain tumor 2", "brain_tumor2", 50, 10367, 14, 1},
    {"colon_ancona", "Colon cancer 1", "colon_ancona", 47, 22283, 11, 2},
    {"colon", "Colon cancer 2", "colon", 62, 2000, 14, 3},
    {"dlbcl", "DLBCL", "dlbcl", 77, 5469, 21, 4},
    {"duke", "Duke breast", "duke", 44, 7129, 12, 5},
    {"golub", "Leukemia", "golub", 72, 7129, 16, 6},
    {"leukemia1", "Leukemia 1", "leukemia1", 72, 5327, 20, 7},
    {"leukemia2", "Leukemia 2", "leukemia2", 72, 11225, 20, 8},
    {"lung_cancer", "Lung cancer", "lung_cancer", 203, 12600, 47, 9},
    {"myeloma", "Myeloma", "myeloma", 105, 28032, 25, 10},
    {"prostate_tumor", "Prostate tumor", "prostate_tumor", 102, 10509, 22, 11},
    {"srbct", "SRBCT", "srbct", 83, 2308, 23, 12},
}};
constexpr double largest_pixel = 255;
constexpr std::uint64_t draw_purpose = 0x696E73616D706C;  // "insampl"

data::Dataset scaled(const data::Dataset& raw, const data::Preprocessing& preprocessing) {
  data::Dataset dataset = raw;
  dataset.features = preprocessing.apply(raw);
  return dataset;
}

/// The rows of one draw, prepared for a kernel.
struct Split {
  data::Dataset training;
  data::Dataset reference;
};

Split split_of(const data::Dataset& dataset, const std::vector<bool>& is_reference) {
  return {dataset.select_rows(data::rows_where(is_reference, false)),
          dataset.select_rows(data::rows_where(is_reference, true))};
}

/// @throws Error invalid_argument that names the option
Settings settings_of(const Request& request) {
  const auto unless_given = [&](const std::string& given, const char* of_quick) {
    return given.empty() && request.quick ? std::string(of_quick) : given;
  };
  std::vector<std::string> size_words;
  for (const std::size_t size : sizes) size_words.push_back(std::to_string(size));
  std::vector<std::string> methods;
  for (const ColumnWords& column : column_words) methods.emplace_back(column.key);
  Settings settings;
  settings.sets = chosen_sets(sets, unless_given(request.sets, "mnist,duke,srbct"));
  settings.only_existing = request.sets.empty();
  settings.lines = positions_of("--sizes", unless_given(request.sizes, "10,40,100"), size_words);
  std::ranges::sort(settings.lines);
  for (const std::size_t column : positions_of("--methods", request.methods, methods))
    settings.columns.push_back(static_cast<Column>(column));
  std::ranges::sort(settings.columns);
  if (request.quick) settings.splits = 2;
  settings.draws = request.repeats.value_or(request.quick ? 3 : settings.draws);
  settings.seed = request.seed;
  return settings;
}

bool exists(const PaperSet& set, const std::string& folder) {
  return !file_of(folder, set.file).empty();
}

/// Two classes: the first and the others. Pixels of MNIST are divided by 255.
/// @throws Error file with the file's name and where anyone gets the data; invalid_data for text columns, missing
/// values, one class
data::Dataset read_set(const PaperSet& set, const std::string& folder) {
  data::Dataset dataset =
      data::read(required_file_of(folder, set.file, std::string("the data set ") + set.name, of_many));
  data::check_trainable(dataset);
  check_numbers(dataset);
  if (dataset.class_count() != 2) join_other_classes(dataset);
  dataset.features = dataset.features.to_dense();
  if (set.is_mnist())
    for (double& pixel : dataset.features.dense().values) pixel /= largest_pixel;
  return dataset;
}

/// In what the data differ from Table IX; empty if in nothing.
std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset) {
  return differences({{"rows", dataset.rows(), set.rows}, {"features", dataset.features.columns(), set.features}});
}

/// `size` rows, half of each class, and all others. @throws Error invalid_data if there are not so many
Split draw_balanced(const data::Dataset& dataset, std::size_t size, std::uint64_t seed) {
  std::vector<bool> is_reference(dataset.rows(), true);
  for (int label = 0; label < 2; ++label) {
    std::vector<std::size_t> rows = data::rows_where(dataset.labels, label);
    if (rows.size() <= size / 2) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{} training rows need more than {} rows of each class, and class {} has {}", size,
                              size / 2, dataset.schema.classes[static_cast<std::size_t>(label)], rows.size()),
                  {dataset.source});
    }
    core::RandomStream random(seed, draw_purpose + 1000 * size + static_cast<std::uint64_t>(label));
    random.shuffle(rows);
    for (std::size_t i = 0; i < size / 2; ++i) is_reference[rows[i]] = false;
  }
  return split_of(dataset, is_reference);
}

/// Stratified; features to [0, 1] on the training rows.
Split draw_stratified(const PaperSet& set, const data::Dataset& dataset, std::uint64_t seed) {
  const double share = static_cast<double>(set.test_rows) / static_cast<double>(set.rows);
  const Split raw = split_of(dataset, data::hold_out(dataset.labels, share, seed));
  const auto preprocessing = data::Preprocessing::fit(raw.training, data::Scaling::minmax);
  return {scaled(raw.training, preprocessing), scaled(raw.reference, preprocessing)};
}

constexpr double hint_share = 0.3;
constexpr int folds = 10;
constexpr int resamples = 100;

bool is_in_sample(Column column) {
  return column < kcv;
}

selection::Method method_of(Column column) {
  switch (column) {
    case md_hint:
    case md:
      return selection::MaximalDiscrepancy{};
    case rc_hint:
    case rc:
      return selection::Rademacher{};
    case kcv:
      return selection::KFoldNested{folds};
    case loo:
      return selection::LeaveOneOut{};
    case bts:
      break;
  }
  return selection::Bootstrap{.resamples = resamples};
}

/// A linear kernel on features that are prepared already, one grid for C and rho.
selection::Options options_of(Column column, selection::Loss loss, std::uint64_t seed) {
  selection::Options options;
  options.method = method_of(column);
  if (column == md_hint || column == rc_hint) options.in_sample.hint = hint_share;
  options.kernels.types = {kernel::KernelType::linear};
  if (!is_in_sample(column)) {
    options.costs.C = selection::SvmCosts::rho_list();
    options.loss = loss;
    options.final_classifier = selection::FinalClassifier::random;
  }
  options.estimate = selection::Estimate::none;
  options.preparation.scalings = {data::Scaling::none};
  options.seed = seed;
  return options;
}

/// Hoeffding's for the soft loss, Clopper-Pearson's for the hard one.
std::optional<double> held_out_bound(const selection::ErrorEstimation& estimation, selection::Loss loss) {
  const std::string name = loss == selection::Loss::soft ? "Hoeffding" : "Clopper-Pearson";
  for (const selection::ErrorBound& bound : estimation.bounds)
    if (bound.loss == loss && bound.name == name) return bound.bound;
  return std::nullopt;
}

void add_in_sample(const selection::InSample& found, Chosen& chosen) {
  const selection::InSampleSetting& setting = found.settings[found.chosen.front()];
  chosen.bound = found.bound;
  chosen.estimate = setting.training_loss;
  chosen.in_sample = {
      found.n,           found.trials,     setting.training_loss, setting.complexity, setting.complexity_error,
      setting.deviation, found.bound_upper};
}

Chosen chosen_of(const selection::Selection& selection, selection::Loss loss) {
  Chosen chosen;
  if (selection.best) {
    const selection::Setting& setting = selection.grid[*selection.best];
    chosen.hyper_parameter = selection.in_sample() ? setting.rho : setting.C;
  }
  if (selection.in_sample()) add_in_sample(*selection.in_sample(), chosen);
  if (const selection::ErrorEstimation* estimation = selection.estimation()) {
    chosen.estimate = loss == selection::Loss::soft ? estimation->soft : estimation->hard;
    chosen.bound = held_out_bound(*estimation, loss);
  }
  return chosen;
}

/// @throws Error interrupted
Chosen choose(Column column, selection::Loss loss, const Split& split, std::uint64_t seed,
              const core::Context& context) {
  const selection::Options options = options_of(column, loss, seed);
  const double start = context.monitor.seconds();
  const selection::Selection selection = selection::Selector(options).select(split.training, context);
  check_not_stopped(selection.stopped != core::StopReason::none);
  const auto predictor = selection::fitted(split.training, selection, context);
  Chosen chosen = chosen_of(selection, loss);
  chosen.seconds = context.monitor.seconds() - start;
  const std::vector<LinearClassifier> classifiers = linear_classifiers(*predictor);
  chosen.classifiers = classifiers.size();
  chosen.error = reference_error(classifiers, split.reference, context);
  return chosen;
}

/// @throws Error interrupted
Draw run_draw(const Settings& settings, const Split& split, std::uint64_t seed, const core::Context& context) {
  Draw draw{seed, {}};
  for (const Column column : settings.columns) {
    MethodResult result{column, choose(column, selection::Loss::soft, split, seed, context), {}};
    if (!is_in_sample(column)) result.hard = choose(column, selection::Loss::hard, split, seed, context);
    draw.methods.push_back(result);
  }
  return draw;
}

std::size_t units_of_draw(std::size_t training_rows) {
  return training_rows * training_rows;
}

std::vector<std::uint64_t> with_numbers(std::vector<std::uint64_t> numbers, std::initializer_list<std::uint64_t> more) {
  numbers.insert(numbers.end(), more);
  return numbers;
}

/// Draws 0, 1, ..., each from its seed by `split_of`.
template <class SplitOf>
void run_draws(Line& line, const Settings& settings, int draws, const std::string& data, const SplitOf& split_of,
               const core::Context& context) {
  std::vector<std::uint64_t> columns(settings.columns.begin(), settings.columns.end());
  for (int d = 0; d < draws && !context.monitor.should_stop(); ++d) {
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(d);
    const Split split = split_of(seed);
    line.training_rows = split.training.rows();
    line.reference_rows = split.reference.rows();
    auto draw = recalled_or({"in-sample", data, line.name}, with_numbers(columns, {seed, line.training_rows}),
                            units_of_draw(line.training_rows), context,
                            [&](const core::Context& part) { return run_draw(settings, split, seed, part); });
    if (draw) line.draws.push_back(std::move(*draw));
  }
  line.complete = line.draws.size() == static_cast<std::size_t>(draws);
}

std::size_t units_of(const Settings& settings, const PaperSet& set) {
  if (!set.is_mnist()) return static_cast<std::size_t>(settings.splits) * units_of_draw(set.rows - set.test_rows);
  std::size_t units = 0;
  for (const std::size_t line : settings.lines) units += units_of_draw(sizes[line]);
  return static_cast<std::size_t>(settings.draws) * units;
}

std::vector<Line> run_lines(const Settings& settings, const PaperSet& set, const data::Dataset& dataset,
                            const std::string& data, const core::Context& context) {
  const std::vector<std::string> differences = mismatches(set, dataset);
  std::vector<Line> lines;
  if (!set.is_mnist()) {
    lines.push_back({&set, set.line, set.name, 0, 0, differences, {}, false});
    const auto split_of = [&](std::uint64_t seed) { return draw_stratified(set, dataset, seed); };
    run_draws(lines.back(), settings, settings.splits, data, split_of, context);
    return lines;
  }
  for (const std::size_t line : settings.lines) {
    lines.push_back({&set, line, std::to_string(sizes[line]), sizes[line], 0, differences, {}, false});
    const auto split_of = [&](std::uint64_t seed) { return draw_balanced(dataset, sizes[line], seed); };
    run_draws(lines.back(), settings, settings.draws, data, split_of, context);
  }
  return lines;
}

class InSample : public ExperimentWith<Report> {
 public:
  explicit InSample(const Request& request) { report_.settings = settings_of(request); }

  std::vector<Part> read(const std::string& folder) override {
    drop_missing(folder);
    std::vector<Part> parts;
    for (const PaperSet* set : report_.settings.sets) {
      const auto dataset = std::make_shared<const data::Dataset>(read_set(*set, folder));
      const std::string data = checksum_of(*dataset);
      parts.push_back({units_of(report_.settings, *set),
                       [this, set, dataset, data](const core::Context& context) {
                         bool complete = true;
                         for (Line& line : run_lines(report_.settings, *set, *dataset, data, context)) {
                           complete = complete && line.complete;
                           report_.lines.push_back(std::move(line));
                         }
                         return complete;
                       },
                       data});
    }
    return parts;
  }

 private:
  /// Leaves out the sets without a file where none was asked for by name.
  void drop_missing(const std::string& folder) {
    std::vector<const PaperSet*> there;
    std::vector<const PaperSet*> missing;
    for (const PaperSet* set : report_.settings.sets) (exists(*set, folder) ? there : missing).push_back(set);
    if (!report_.settings.only_existing || there.empty()) return;
    report_.settings.sets = there;
    report_.missing = missing;
  }
};

}  // namespace

}  // namespace credence::reproduce::in_sample

std::unique_ptr<credence::reproduce::Experiment> credence::reproduce::in_sample_experiment(const Request& request) {
  return std::make_unique<in_sample::InSample>(request);
}
