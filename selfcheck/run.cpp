#include "selfcheck/run.hpp"

#include <algorithm>
#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "credence/conformal/evaluation.hpp"
#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/model/predictor.hpp"

namespace credence::selfcheck {
namespace {

constexpr double failure_probability = 0.05;

/// What some trials gave: their values one after the other, and how many each trial has.
struct Values {
  std::vector<double> all;
  std::vector<std::size_t> of_trial;
  std::string error;  ///< of the trial after these
};

bounds::Interval interval_of(const Values& values, const LevelResult& result, bool independent) {
  const std::size_t n = values.all.size();
  if (independent) return bounds::clopper_pearson(result.count, n, failure_probability);
  double squares = 0;
  auto value = values.all.begin();
  for (const std::size_t m : values.of_trial) {
    const auto end = value + static_cast<std::ptrdiff_t>(m);
    const auto count = std::count_if(value, end, [&](double one) { return !model::in_set(one, result.level); });
    squares +=
        std::pow((static_cast<double>(count) - static_cast<double>(m) * result.share) / static_cast<double>(n), 2);
    value = end;
  }
  const auto trials = static_cast<double>(values.of_trial.size());
  const double variance = squares * trials / (trials - 1);
  const double worth = bounds::effective_trials(result.share, variance, values.of_trial.size(), n, failure_probability);
  return bounds::binomial_interval(result.share * worth, worth, failure_probability);
}

LevelResult level_of(const Check& check, const Setting& setting, const Values& values, double level) {
  const std::size_t n = values.all.size();
  LevelResult result;
  result.level = level;
  result.nominal = setting.nominal ? std::min(1.0, setting.nominal(level)) : level;
  const auto within = [&](double value) { return !model::in_set(value, level); };
  result.count = static_cast<std::size_t>(std::ranges::count_if(values.all, within));
  result.share = static_cast<double>(result.count) / static_cast<double>(n);
  result.interval = interval_of(values, result, check.independent);
  result.p_value = p_value_of(check.promise, result.count, n, result.nominal);
  return result;
}

Line line_of(const Check& check, const Setting& setting, const Values& values) {
  Line line{setting.problem, setting.n, values.of_trial.size(), values.all.size(), {}, {}, values.error};
  if (values.all.empty() && line.error.empty()) line.error = "no trial gave a value";
  if (!line.error.empty()) return line;
  for (const double level : check.levels) line.levels.push_back(level_of(check, setting, values, level));
  if (!check.curve || setting.nominal || check.promise == Promise::approximate) return line;
  const auto test = check.promise == Promise::exact ? conformal::test_uniform : conformal::test_dominates_uniform;
  line.curve = LevelResult{};
  line.curve->p_value = test(values.all).p_value;
  return line;
}

/// All trials of one setting, in blocks that run side by side. The last block to end makes the line, so that no more
/// values are kept than those of the settings at work.
class Work {
 public:
  Work(const Check& check, const Setting& setting, const Request& request)
      : check_(check),
        setting_(setting),
        trials_(request.quick ? check.trials.quick : check.trials.full),
        seed_(core::mixed(core::mixed(request.seed) ^ key())),
        parts_(std::min(most_blocks, trials_)),
        left_(parts_.size()) {}

  std::size_t blocks() const { return parts_.size(); }
  Line& line() { return line_; }

  void run(std::size_t block, const core::Context& context) {
    const core::Threads one(1);
    Values& values = parts_[block];
    try {
      for (std::size_t t = block * trials_ / blocks(); t < (block + 1) * trials_ / blocks(); ++t) {
        if (context.monitor.should_stop()) throw Error(ErrorCode::interrupted, "the check was stopped before its end");
        run_trial(t, one, context.memory_budget, values);
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      values.error = error.what();
    }
    if (--left_ == 0) finish();
  }

 private:
  static constexpr std::size_t most_blocks = 16;

  void run_trial(std::size_t trial, const core::Threads& one, std::size_t memory, Values& values) const {
    core::Monitor unwatched;
    const std::size_t before = values.all.size();
    setting_.trial(core::mixed(seed_ + trial), {one, unwatched, memory}, values.all);
    values.of_trial.push_back(values.all.size() - before);
  }

  std::uint64_t key() const {
    std::uint64_t hash = setting_.n;
    for (const std::string& text : {check_.name, setting_.problem})
      for (const char letter : text) hash = core::mixed(hash ^ static_cast<unsigned char>(letter));
    return hash;
  }

  void finish() {
    Values all;
    for (Values& part : parts_) {
      all.all.insert(all.all.end(), part.all.begin(), part.all.end());
      all.of_trial.insert(all.of_trial.end(), part.of_trial.begin(), part.of_trial.end());
      if (all.error.empty()) all.error = part.error;
      part = {};
    }
    line_ = line_of(check_, setting_, all);
  }

  const Check& check_;
  const Setting& setting_;
  std::size_t trials_;
  std::uint64_t seed_;
  std::vector<Values> parts_;
  std::atomic<std::size_t> left_;
  Line line_;
};

}  // namespace

double p_value_of(Promise promise, std::size_t count, std::size_t n, double nominal) {
  if (promise == Promise::approximate || nominal >= 1) return 1;
  const boost::math::binomial_distribution<double> binomial(static_cast<double>(n), nominal);
  const auto k = static_cast<double>(count);
  const double above = count == 0 ? 1 : boost::math::cdf(boost::math::complement(binomial, k - 1));
  if (promise == Promise::conservative) return above;
  return std::min(1.0, 2 * std::min(above, boost::math::cdf(binomial, k)));
}

void judge(Report& report) {
  std::vector<LevelResult*> tests;
  for (CheckResult& check : report.checks) {
    if (check.promise == Promise::approximate) continue;
    for (Line& line : check.lines) {
      for (LevelResult& result : line.levels) tests.push_back(&result);
      if (line.curve) tests.push_back(&*line.curve);
    }
  }
  report.tests = tests.size();
  std::ranges::sort(tests, {}, [](const LevelResult* test) { return test->p_value; });
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests[i]->p_value > false_alarm / static_cast<double>(tests.size() - i)) break;
    tests[i]->broken = true;
  }
}

Report run(const std::vector<Check>& checks, const Request& request, const core::Context& context) {
  std::vector<std::unique_ptr<Work>> works;
  std::vector<std::pair<Work*, std::size_t>> blocks;
  for (const Check& check : checks) {
    for (const Setting& setting : check.settings) {
      works.push_back(std::make_unique<Work>(check, setting, request));
      for (std::size_t b = 0; b < works.back()->blocks(); ++b) blocks.emplace_back(works.back().get(), b);
    }
  }
  context.monitor.expect(blocks.size());
  context.threads.for_each(blocks.size(), [&](std::size_t b) {
    blocks[b].first->run(blocks[b].second, context);
    context.monitor.advance();
  });

  Report report;
  auto work = works.begin();
  for (const Check& check : checks) {
    CheckResult result{check.name, check.what, check.source, check.promise, {}};
    for (std::size_t s = 0; s < check.settings.size(); ++s) result.lines.push_back(std::move((*work++)->line()));
    report.checks.push_back(std::move(result));
  }
  report.seed = request.seed;
  report.quick = request.quick;
  report.threads = context.threads.count();
  report.seconds = context.monitor.seconds();
  judge(report);
  return report;
}

bool Line::broken() const {
  return !error.empty() || std::ranges::any_of(levels, &LevelResult::broken) || (curve && curve->broken);
}

const LevelResult& Line::shown() const {
  const auto usual = std::ranges::find(levels, 0.1, &LevelResult::level);
  return usual == levels.end() ? levels.front() : *usual;
}

double Line::smallest_p_value() const {
  double smallest = curve ? curve->p_value : 1;
  for (const LevelResult& result : levels) smallest = std::min(smallest, result.p_value);
  return smallest;
}

std::size_t Report::lines() const {
  return std::accumulate(checks.begin(), checks.end(), std::size_t{0},
                         [](std::size_t sum, const CheckResult& check) { return sum + check.lines.size(); });
}

std::size_t Report::broken() const {
  std::size_t count = 0;
  for (const CheckResult& check : checks)
    count += static_cast<std::size_t>(std::ranges::count_if(check.lines, &Line::broken));
  return count;
}

}  // namespace credence::selfcheck
