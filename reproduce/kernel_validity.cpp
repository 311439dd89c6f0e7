#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

// Table 1 as printed.
// clang-format off
constexpr std::array<PaperSet, table_1_sets + 1> sets{{
    {"australian", "AUSTRALIAN", "australian", "label", false, 690, 14,
     {{{15.5, 1.2}, {16.5, 1.9}, {18.6, 1.35}, {21, 3.6}}}, 13.4, {12.5, 15.5}},
    {"bupa", "BUPA", "bupa", "label", false, 345, 6,
     {{{41, 0.4}, {37.5, 2.5}, {39, 0.6}, {37.6, 3.8}}}, 31, {33, 42}},
    {"cleveland", "CLEVELAND", "cleveland", "label", true, 303, 13,
     {{{18.6, 1.8}, {21, 2.7}, {20, 2.5}, {28, 5.6}}}, 17, {17, 21}},
    {"credit", "CREDIT", "credit", "label", false, 690, 15,
     {{{17.3, 2.7}, {18, 1.6}, {16.9, 2.4}, {20, 2.9}}}, 14.5, {13, 15.5}},
    {"hepatitis", "HEPATITIS", "hepatitis", "histology", false, 155, 19,
     {{{43, 5.6}, {39.17, 3.8}, {39, 3.9}, {39.21, 4.6}}}, 36, {31, 38}},
    {"hungary", "HUNGARY", "hungary", "label", true, 294, 13,
     {{{22, 4.4}, {20, 2.3}, {24, 5.3}, {26, 4}}}, 18, {17, 20}},
    {"long_beach", "LONG BEACH", "long_beach", "label", true, 200, 13,
     {{{25.25, 0.5}, {25.18, 0.9}, {27, 1.7}, {26, 4.6}}}, 24.5, {25, 30}},
    {"pima", "PIMA", "pima", "label", false, 768, 8,
     {{{34, 2.7}, {30, 2}, {27, 2.5}, {29.6, 2.9}}}, 23, {23, 25.5}},
    {"switzerland", "SWITZERLAND", "switzerland", "label", true, 123, 13,
     {{{6.4, 1.6}, {8, 1.8}, {7, 2}, {7.6, 2.3}}}, 5.8, {5, 8}},
    {"sinc", "sinc", nullptr, nullptr, false, 0, 0, {}, 0, {}},
}};
// clang-format on
constexpr std::size_t training_part = 3;  // a third
constexpr std::size_t least_of_class = 2;
constexpr int most_draws = 1000;
constexpr std::uint64_t draw_purpose = 0x6B65726E76616C;  // "kernval"

data::Dataset read_file(const std::string& path, const std::string& label) {
  data::ReadOptions options;
  options.missing = data::Missing::impute;
  options.label = label;
  try {
    return data::read(path, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw Error(ErrorCode::invalid_data, fmt::format("the class is to be in a column '{}'", label), {path});
  }
}

/// The cells of a text column are numbers already: those of its levels.
void number_levels(data::Dataset& dataset) {
  for (data::Column& column : dataset.schema.columns) {
    column.kind = data::ColumnKind::numeric;
    column.levels.clear();
  }
}

/// Whether some class has fewer rows than it should.
bool lacks_a_class(const data::Dataset& dataset, std::span<const std::size_t> rows, std::size_t least) {
  std::array<std::size_t, 2> counts{};
  for (const std::size_t i : rows) ++counts[static_cast<std::size_t>(dataset.labels[i])];
  return std::min(counts[0], counts[1]) < least;
}

/// @throws Error invalid_argument that names the option
Settings settings_of(const Request& request) {
  Settings settings;
  const bool few = request.quick && request.sets.empty();
  for (const PaperSet* set : chosen_sets(sets, few ? "cleveland,hepatitis,switzerland,sinc" : request.sets))
    if (set->is_sinc())
      settings.sinc = true;
    else
      settings.sets.push_back(set);
  settings.splits = request.splits.value_or(request.quick ? 4 : settings.splits);
  settings.seed = request.seed;
  return settings;
}

/// Two classes; levels of text columns become numbers 0, 1, ..., as the paper's counts of features ask for; missing
/// values stay.
/// @throws Error file with the file's name and where anyone gets the data; invalid_data
data::Dataset read_set(const PaperSet& set, const std::string& folder) {
  data::Dataset dataset =
      read_file(required_file_of(folder, set.file, std::string("the data set ") + set.name, of_uci), set.label);
  data::check_trainable(dataset);
  number_levels(dataset);
  if (set.zero_or_more) join_other_classes(dataset);
  if (dataset.class_count() != 2) {
    throw Error(ErrorCode::invalid_data, fmt::format("Table 1 has two classes, not {}", dataset.class_count()),
                {dataset.source, 0, set.label});
  }
  return dataset;
}

/// In what the data differ from Table 1; empty if in nothing.
std::vector<std::string> mismatches(const PaperSet& set, const data::Dataset& dataset) {
  return differences({{"rows", dataset.rows(), set.rows}, {"features", dataset.features.columns(), set.features}});
}

struct Halves {
  data::Dataset training;
  data::Dataset test;
};
/// A third of the rows, at random, and the others. Drawn again until each class has two rows in the third.
/// @throws Error invalid_data if that does not come about
Halves draw(const data::Dataset& dataset, std::uint64_t seed) {
  core::RandomStream random(seed, draw_purpose);
  std::vector<std::size_t> rows(dataset.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t count = (rows.size() + training_part / 2) / training_part;
  for (int tries = 0; tries < most_draws; ++tries) {
    random.shuffle(rows);
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(count);
    if (lacks_a_class(dataset, std::span(rows).first(count), least_of_class)) continue;
    std::sort(rows.begin(), middle);
    std::sort(middle, rows.end());
    return {dataset.select_rows(std::span(rows).first(count)), dataset.select_rows(std::span(rows).subspan(count))};
  }
  throw Error(ErrorCode::invalid_data,
              fmt::format("no third of these {} rows has {} of each class", rows.size(), least_of_class),
              {dataset.source});
}

constexpr int folds = 5;

selection::Options cv_options(selection::Learner learner, data::Scaling scaling, std::uint64_t seed) {
  selection::Options options;
  options.method = selection::CrossValidation{folds};
  options.choose_from(learner);
  options.kernels.gamma = gammas_of(widths);
  options.estimate = selection::Estimate::none;
  options.preparation = {{scaling}, selection::ScaleScope::all, data::Missing::impute};
  options.choose_one_svm();
  options.seed = seed;
  return options;
}

double share_wrong(const std::vector<int>& found, const std::vector<int>& labels) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != labels[i] ? 1U : 0U;
  return static_cast<double>(wrong) / static_cast<double>(found.size());
}

/// One split under one scaling.
class SplitRun {
 public:
  SplitRun(const Halves& halves, data::Scaling scaling, std::uint64_t seed, const core::Context& context)
      : halves_(halves),
        scaling_(scaling),
        context_(context),
        preprocessing_(data::Preprocessing::fit(halves.training, scaling)),
        problem_(rvm::make_problem(halves.training, preprocessing_.apply(halves.training), kernel::KernelType::rbf,
                                   std::nullopt, seed)),
        test_(preprocessing_.apply(halves.test)) {
    split_.seed = seed;
    split_.training_rows = halves.training.rows();
  }

  /// @throws Error interrupted
  Split run() {
    split_.null_evidence = rvm::null_evidence(problem_, {});
    for (const double sigma : widths) fit_width(sigma);
    choose();
    cross_validate_rvm();
    for (std::size_t c = 0; c < costs.size(); ++c) {
      cross_validate_svm(c);
      split_.svm_mv[c] = svm_with(costs[c], split_.chosen[index]);
    }
    return std::move(split_);
  }

 private:
  /// The fit that all columns of the RVM share.
  void fit_width(double sigma) {
    const double start = context_.monitor.seconds();
    const rvm::KernelFit fit = fit_kernel(problem_, rbf_of(sigma), {}, {}, true, context_);
    split_.fit_seconds += context_.monitor.seconds() - start;
    fit_seconds_.push_back(context_.monitor.seconds() - start);
    check_not_stopped(fit.stopped());
    const rvm::RvmModel model = rvm::model_of(problem_, fit, halves_.training);
    WidthResult result = described(sigma, fit);
    result.test_error = share_wrong(model.predict_preprocessed(test_, context_).label, halves_.test.labels);
    split_.widths.push_back(result);
  }

  WidthResult described(double sigma, const rvm::KernelFit& fit) const {
    const rvm::Fit& machine = fit.machines.front();
    const rvm::Validity& validity = fit.validity.front();
    WidthResult result;
    result.sigma = sigma;
    result.log_evidence = fit.log_evidence;
    result.log_validity = fit.log_validity;
    result.log_validity_uncapped = validity_of(fit, {false, false}).log_validity;
    result.log_validity_literal = validity_of(fit, {true, false}).log_validity;
    result.effective = validity.effective;
    result.kernels = validity.kernels;
    result.relevant = validity.relevant;
    result.iterations = machine.iterations;
    result.status = machine.status;
    result.null_model = machine.null_model;
    result.below_null = !(fit.log_evidence > split_.null_evidence + selection::KernelValidity{}.null_margin);
    return result;
  }

  /// The same fit, the index in another form.
  rvm::Validity validity_of(const rvm::KernelFit& fit, const rvm::ValidityOptions& options) const {
    return rvm::kernel_validity(fit.kernel, problem_.rows, problem_.rows.select_rows(problem_.centre_rows), true,
                                fit.machines.front(), problem_.targets.front(), problem_.task, options, context_);
  }

  void choose() {
    const auto largest = [&](double WidthResult::*score, bool guarded) {
      std::vector<double> scores;
      std::vector<bool> allowed;
      for (const WidthResult& width : split_.widths) {
        scores.push_back(width.*score);
        allowed.push_back(!guarded || !width.below_null);
      }
      return largest_of(scores, allowed);
    };
    split_.chosen[index] = largest(&WidthResult::log_validity, true);
    split_.chosen[index_without_guard] = largest(&WidthResult::log_validity, false);
    split_.chosen[index_without_cap] = largest(&WidthResult::log_validity_uncapped, true);
    split_.chosen[index_without_both] = largest(&WidthResult::log_validity_uncapped, false);
    split_.chosen[index_literal] = largest(&WidthResult::log_validity_literal, false);
    split_.chosen[evidence] = largest(&WidthResult::log_evidence, false);
  }

  void cross_validate_rvm() {
    const double start = context_.monitor.seconds();
    const selection::Selection found = select(cv_options(selection::Learner::rvm, scaling_, split_.seed));
    split_.rvm_cv_width = found.best.value();
    for (std::size_t w = 0; w < widths.size(); ++w) split_.widths[w].cv_error = found.grid[w].error;
    split_.cv_seconds = context_.monitor.seconds() - start + fit_seconds_[split_.rvm_cv_width];
  }

  void cross_validate_svm(std::size_t c) {
    const double start = context_.monitor.seconds();
    selection::Options options = cv_options(selection::Learner::svm, scaling_, split_.seed);
    options.costs.C = {costs[c]};
    const selection::Selection found = select(options);
    for (std::size_t w = 0; w < widths.size(); ++w) split_.widths[w].svm_cv_error[c] = found.grid[w].error;
    const double seconds = context_.monitor.seconds() - start;
    split_.svm_cv[c] = svm_with(costs[c], found.best.value());
    split_.svm_cv[c].seconds += seconds;
  }

  selection::Selection select(const selection::Options& options) const {
    selection::Selection found = selection::Selector(options).select(halves_.training, context_);
    check_not_stopped(found.stopped != core::StopReason::none);
    return found;
  }

  SvmChoice svm_with(double C, std::size_t width) const {
    svm::TrainOptions options;
    options.C = C;
    options.gamma.value = rvm::gamma_of_sigma(widths[width]);
    options.scaling = scaling_;
    options.missing = data::Missing::impute;
    const double start = context_.monitor.seconds();
    const svm::SvmModel model = svm::train(halves_.training, options, context_).model;
    SvmChoice choice;
    choice.seconds = context_.monitor.seconds() - start;
    choice.width = width;
    choice.support_vectors = model.support_rows.size();
    choice.test_error = share_wrong(model.predict(halves_.test, context_).label, halves_.test.labels);
    return choice;
  }

  const Halves& halves_;
  data::Scaling scaling_;
  const core::Context& context_;
  data::Preprocessing preprocessing_;
  rvm::Problem problem_;
  data::Features test_;
  std::vector<double> fit_seconds_;
  Split split_;
};

/// Cubes of training rows.
std::size_t units_of_split(std::size_t rows) {
  const std::size_t n = rows / 3;
  return n * n * n / 1000 + 1;
}

SetResult run_set(const Settings& settings, const PaperSet& set, const data::Dataset& dataset,
                  const std::string& checksum, const core::Context& context) {
  const auto splits = static_cast<std::size_t>(settings.splits);
  const auto run_split = [&](std::size_t job, const core::Context& part) {
    const std::uint64_t seed = settings.seed + job / scalings.size();
    const std::size_t s = job % scalings.size();
    const Halves halves = draw(dataset, seed);
    Split split = SplitRun(halves, scalings[s], seed, part).run();
    split.scaling = s;
    return split;
  };
  SetResult result{&set, dataset.rows(), mismatches(set, dataset), {}, true};
  for (Split& split : run_jobs<Split>(scalings.size() * splits, units_of_split(set.rows),
                                      {"kernel-validity", checksum, set.key}, settings.seed, context, run_split))
    result.scaled[split.scaling].splits.push_back(std::move(split));
  for (std::size_t s = 0; s < scalings.size(); ++s) {
    result.scaled[s].scaling = scalings[s];
    result.complete = result.complete && result.scaled[s].splits.size() == splits;
  }
  return result;
}

class KernelValidity : public ExperimentWith<Report> {
 public:
  explicit KernelValidity(const Request& request) { report_.settings = settings_of(request); }

  std::vector<Part> read(const std::string& folder) override {
    std::vector<Part> parts;
    const Settings& settings = report_.settings;
    for (const PaperSet* set : settings.sets) {
      const auto dataset = std::make_shared<const data::Dataset>(read_set(*set, folder));
      const std::size_t splits = scalings.size() * static_cast<std::size_t>(settings.splits);
      const std::string checksum = checksum_of(*dataset);
      parts.push_back({splits * units_of_split(set->rows),
                       [this, set, dataset, checksum](const core::Context& context) {
                         report_.sets.push_back(run_set(report_.settings, *set, *dataset, checksum, context));
                         return report_.sets.back().complete;
                       },
                       checksum});
    }
    if (settings.sinc) {
      parts.push_back({sinc::units_of(settings),
                       [this](const core::Context& context) {
                         report_.figure = sinc::run(report_.settings, context);
                         return report_.figure->complete;
                       },
                       {}});
    }
    return parts;
  }
};

}  // namespace

kernel::Kernel rbf_of(double sigma) {
  kernel::Kernel kernel;
  kernel.gamma = rvm::gamma_of_sigma(sigma);
  return kernel;
}

std::vector<kernel::GammaRule> gammas_of(std::span<const double> sigmas) {
  std::vector<kernel::GammaRule> gammas;
  for (const double sigma : sigmas) gammas.push_back({kernel::GammaRule::Kind::value, rvm::gamma_of_sigma(sigma)});
  return gammas;
}

std::size_t largest_of(std::span<const double> scores, const std::vector<bool>& allowed) {
  const bool any = std::find(allowed.begin(), allowed.end(), true) != allowed.end();
  std::size_t best = scores.size();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (any && !allowed[i]) continue;
    if (best == scores.size() || scores[i] >= scores[best]) best = i;
  }
  return best;
}

}  // namespace credence::reproduce::kernel_validity

std::unique_ptr<credence::reproduce::Experiment> credence::reproduce::kernel_validity_experiment(
    const Request& request) {
  return std::make_unique<kernel_validity::KernelValidity>(request);
}
