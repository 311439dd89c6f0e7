#include "credence/rvm/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/model/probability.hpp"
#include "kernel/simd.hpp"
#include "rvm/likelihood.hpp"
#include "rvm/machine_parts.hpp"
#include "svm/support_base.hpp"

namespace credence::rvm {
namespace {

constexpr std::size_t block_rows = 256;

/// y = bias + sum_i w_i K(x, z_i).
double decision(const Machine& machine, std::span<const double> kernel_row) {
  double sum = machine.bias;
  for (std::size_t k = 0; k < machine.centres.size(); ++k) sum += machine.weights[k] * kernel_row[machine.centres[k]];
  return sum;
}

/// Returns (phi' C phi)^1/2, the standard deviation of y. All values are first divided by the largest one, whose square
/// may overflow.
double spread(const Machine& machine, std::span<const double> kernel_row, std::vector<double>& phi) {
  phi.clear();
  if (machine.has_bias) phi.push_back(1);
  for (const std::uint32_t centre : machine.centres) phi.push_back(kernel_row[centre]);
  double largest = 0;
  for (const double value : phi) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  double variance = 0;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    const auto row = machine.covariance.row(i);
    const double own = phi[i] / largest;
    double sum = 0.5 * row[i] * own;
    for (std::size_t j = 0; j < i; ++j) sum += row[j] * (phi[j] / largest);
    variance += 2 * own * sum;
  }
  return largest * std::sqrt(std::max(variance, 0.0));  // rounding may leave it below 0
}

/// sqrt(a^2 + b^2) of numbers that are not negative, without overflow. (std::hypot would ask for a C library of 2022.)
double length_of(double a, double b) {
  const double larger = std::max(a, b);
  if (!(larger > 0) || std::isinf(larger)) return larger;
  const double ratio = std::min(a, b) / larger;
  return larger * std::sqrt(1 + ratio * ratio);
}

/// y / sqrt(1 + pi v / 8).
double moderate(double y, double sd) {
  static const double factor = std::sqrt(std::numbers::pi / 8);
  return y / length_of(1.0, factor * sd);
}

/// Two classes: expit(-y), expit(y). More classes: expit(y_c) over their sum, by logarithms, because all may underflow.
void set_probabilities(std::span<const double> y, std::span<double> probability) {
  if (y.size() == 1) {
    probability[0] = expit(-y[0]);
    probability[1] = expit(y[0]);
    return;
  }
  for (std::size_t c = 0; c < y.size(); ++c) probability[c] = logistic(y[c], 1).value;
  const double largest = *std::ranges::max_element(probability);
  double sum = 0;
  for (double& p : probability) sum += p = std::exp(p - largest);
  for (double& p : probability) p /= sum;
}

/// The most frequent class of training.
int majority(std::span<const std::size_t> counts) {
  return static_cast<int>(std::ranges::max_element(counts) - counts.begin());
}

void set_scores(std::span<const double> y, std::span<double> score) {
  if (y.size() == 1) {
    score[0] = -y[0];
    score[1] = y[0];
  } else {
    std::ranges::copy(y, score.begin());
  }
}

model::Prediction room_for(const RvmModel& model, std::size_t rows) {
  model::Prediction prediction;
  if (model.schema.task == data::Task::regression) {
    prediction.mean.resize(rows);
    prediction.sd.resize(rows);
    return prediction;
  }
  const std::size_t classes = model.class_counts.size();
  prediction.label.resize(rows);
  prediction.decision = data::DenseMatrix(rows, model.machines.size());
  prediction.score = data::DenseMatrix(rows, classes);
  prediction.probability = prediction.score;
  prediction.moderated = prediction.score;
  return prediction;
}

/// The answers of all machines for one row.
struct Opinion {
  std::vector<double> y;
  std::vector<double> sd;
  std::vector<double> moderated;
  std::vector<double> phi;  ///< room for basis values
};

void ask(const RvmModel& model, std::span<const double> kernel_row, Opinion& opinion) {
  opinion.y.clear();
  opinion.sd.clear();
  opinion.moderated.clear();
  for (const Machine& machine : model.machines) {
    opinion.y.push_back(decision(machine, kernel_row));
    if (!std::isfinite(opinion.y.back())) svm::refuse_undecided();
    opinion.sd.push_back(spread(machine, kernel_row, opinion.phi));
    opinion.moderated.push_back(moderate(opinion.y.back(), opinion.sd.back()));
  }
}

void conclude_row(const RvmModel& model, const Opinion& opinion, std::size_t row, model::Prediction& prediction) {
  if (model.schema.task == data::Task::regression) {
    prediction.mean[row] = opinion.y.front();
    prediction.sd[row] = length_of(std::sqrt(model.machines.front().noise_variance), opinion.sd.front());
    return;
  }
  prediction.label[row] = label_of(opinion.y, model.class_counts);
  std::ranges::copy(opinion.y, prediction.decision.row(row).begin());
  set_scores(opinion.y, prediction.score.row(row));
  set_probabilities(opinion.y, prediction.probability.row(row));
  set_probabilities(opinion.moderated, prediction.moderated.row(row));
}

}  // namespace

double log_probability(std::span<const double> y, int label) {
  if (y.size() == 1) return logistic(y[0], label).value;
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : y) largest = std::max(largest, logistic(value, 1).value);
  double sum = 0;
  for (const double value : y) sum += std::exp(logistic(value, 1).value - largest);
  return logistic(y[static_cast<std::size_t>(label)], 1).value - largest - std::log(sum);
}

double log_loss_of_scores(std::span<const double> scores, int label) {
  return std::min(-log_probability(scores.size() == 2 ? scores.subspan(1) : scores, label), model::log_loss(0));
}

int label_of(std::span<const double> y, std::span<const std::size_t> class_counts) {
  if (y.size() == 1) return y[0] > 0 ? 1 : y[0] < 0 ? 0 : majority(class_counts);
  std::size_t best = 0;
  for (std::size_t c = 1; c < y.size(); ++c)
    if (y[c] > y[best] || (y[c] == y[best] && class_counts[c] > class_counts[best])) best = c;
  return static_cast<int>(best);
}

model::Prediction RvmModel::predict_preprocessed(const data::Features& rows, const core::Context& context) const {
  const svm::SupportBase base(kernel.type, centres, centre_rows, rows);
  const std::size_t n = rows.rows();
  model::Prediction prediction = room_for(*this, n);
  context.threads.for_each((n + block_rows - 1) / block_rows, [&](std::size_t b) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "prediction was stopped before all rows had a prediction");
    const std::size_t first = b * block_rows;
    const std::size_t count = std::min(block_rows, n - first);
    core::AlignedVector<double> values(count * base.width());
    base.compute(first, count, values.data());
    kernel::simd::apply_kernel(kernel, values.data(), values.data(), values.size());
    Opinion opinion;
    for (std::size_t i = 0; i < count; ++i) {
      ask(*this, {values.data() + i * base.width(), base.width()}, opinion);
      conclude_row(*this, opinion, first + i, prediction);
    }
  });
  return prediction;
}

std::shared_ptr<const model::ClassifierFamily> RvmModel::classifiers() const {
  return family_of(*this);
}

model::Capabilities RvmModel::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.numbers = true;
  able.probabilities = true;
  able.precomputed = kernel.type == kernel::KernelType::precomputed;
  return able;
}

std::string RvmModel::description() const {
  std::string text;
  if (machines.size() > 1) text = fmt::format("{} RVMs, each a class against the rest, ", machines.size());
  return text + core::count_of(centre_count(), "relevance vector") + ", " + Predictor::description();
}

std::vector<std::string> RvmModel::decision_names() const {
  if (schema.classes.size() <= 2) return std::vector<std::string>(machines.size(), "decision_value");
  return core::mapped(machines, [&](const Machine& machine) {
    return fmt::format("decision_value_{}_vs_rest", schema.classes[static_cast<std::size_t>(machine.positive)]);
  });
}

}  // namespace credence::rvm
