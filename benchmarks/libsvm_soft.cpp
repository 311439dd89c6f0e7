#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "credence/svm/loss.hpp"
#include "libsvm_kernel.hpp"

namespace credence::bench {
namespace {

/// E of `libsvm_minimiser`: no |f| comes near it.
constexpr double out_of_reach = 1e6;

using GivenUp = std::vector<bool>;

/// What LIBSVM says for one cost.
struct Machine {
  std::vector<double> offsets;  ///< f - b
  double bias = 0;
  double norm = 0;
  bool any_at_cost = false;  ///< a multiplier that a larger cost would let grow
};

/// Where the norm meets rho: a secant of the logarithms, kept inside the bracket as it becomes known.
class CostSearch {
 public:
  double next(double C, double norm_over_rho) {
    const double x = std::log(C);
    const double y = std::log(norm_over_rho);
    (y < 0 ? low_ : high_) = {x, y, true};
    ++probes_;
    if (!low_.known || !high_.known) return std::exp(x + extrapolated(x, y));
    const double width = high_.x - low_.x;
    const double secant = -low_.y / (high_.y - low_.y);
    return std::exp(low_.x + width * (probes_ % 3 == 0 ? 0.5 : std::clamp(secant, 0.05, 0.95)));
  }
  bool is_exhausted() const { return probes_ >= 60 || (low_.known && high_.known && high_.x - low_.x < 1e-9); }

 private:
  struct Point {
    double x = 0;
    double y = 0;
    bool known = false;
  };

  /// The norm grows at most as the square of the cost, and mostly slower: later steps are longer.
  double extrapolated(double x, double y) {
    const double slope = probes_ > 1 && x != last_.x ? std::clamp((y - last_.y) / (x - last_.x), 0.2, 2.0) : 2.0;
    last_ = {x, y, true};
    return std::clamp(-y / slope, -7.0, 7.0);
  }

  Point low_, high_, last_;
  int probes_ = 0;
};

SoftWork* counted = nullptr;

/// LIBSVM says its steps only in what it prints: "optimization finished, #iter = 123".
void count_printed_steps(const char* text) {
  if (const char* found = std::strstr(text, "#iter = ")) counted->steps += std::stoull(found + 8);
}

class LibsvmMinimiser final : public SoftMinimiser {
 public:
  LibsvmMinimiser(const KernelNodes& nodes, std::span<const int> labels, SoftWork& work)
      : nodes_(nodes), labels_(labels.begin(), labels.end()), work_(work) {
    double trace = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      x_.push_back(nodes.row(i));
      trace += nodes.at(i, i);
    }
    C_of_unit_norm_ = 1 / std::sqrt(static_cast<double>(nodes.size()) * trace);
    largest_C_ = 1e6 * static_cast<double>(nodes.size()) / trace;
    const std::vector<double> zero(nodes.size(), 0.0);
    best_loss_ = mean_loss(zero, svm::best_bias(labels_, zero, 0));
  }

  double loss_at(double rho) override {
    std::vector<GivenUp> met;
    const GivenUp last = best_given_up_;
    descend(GivenUp(labels_.size(), false), rho, met);
    if (!last.empty()) descend(last, rho, met);
    return best_loss_;
  }

 private:
  /// Rounds of the concave-convex procedure, until the rows given up were given up before or the loss does not fall.
  void descend(GivenUp given_up, double rho, std::vector<GivenUp>& met) {
    double latest = HUGE_VAL;
    while (best_loss_ > 0 && std::find(met.begin(), met.end(), given_up) == met.end()) {
      met.push_back(given_up);
      const Machine machine = at_norm(given_up, rho);
      const double bias = svm::best_bias(labels_, machine.offsets, machine.bias);
      const double loss = mean_loss(machine.offsets, bias);
      if (loss >= latest) break;
      latest = loss;
      if (loss < best_loss_) {
        best_loss_ = loss;
        best_given_up_ = given_up;
      }
      for (std::size_t i = 0; i < labels_.size(); ++i)
        given_up[i] = labels_[i] * (machine.offsets[i] + bias) < -1 - 1e-9;
    }
  }

  /// The convex step at fixed norm.
  Machine at_norm(const GivenUp& given_up, double rho) {
    ++work_.convex_steps;
    double C = C_ > 0 ? C_ : C_of_unit_norm_ * std::sqrt(rho);
    CostSearch search;
    while (true) {
      Machine machine = train(given_up, C);
      C_ = C;
      const bool inactive = machine.norm < rho && (!machine.any_at_cost || C >= largest_C_);
      if (inactive || std::abs(machine.norm / rho - 1) <= norm_tolerance || search.is_exhausted()) return machine;
      C = std::min(search.next(C, std::max(machine.norm / rho, 1e-300)), largest_C_);
    }
  }

  Machine train(const GivenUp& given_up, double C) {
    ++work_.trainings;
    counted = &work_;
    svm_parameter parameter = kernel_parameters(C, soft_tolerance);
    std::vector<double> y(labels_.begin(), labels_.end());
    if (std::find(given_up.begin(), given_up.end(), true) != given_up.end()) {
      ++work_.regressions;
      parameter.svm_type = EPSILON_SVR;
      parameter.p = out_of_reach;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] *= 1 + (given_up[i] ? -out_of_reach : out_of_reach);
    }
    const svm_problem problem{static_cast<int>(y.size()), y.data(), x_.data()};
    svm_model* model = svm_train(&problem, &parameter);
    const bool flipped = parameter.svm_type == C_SVC && model->label[0] == -1;
    Machine machine = read(*model, flipped ? -1 : 1, C);
    svm_free_and_destroy_model(&model);
    return machine;
  }

  Machine read(const svm_model& model, double sign, double C) const {
    Machine machine;
    machine.offsets.assign(labels_.size(), 0);
    machine.bias = -sign * model.rho[0];
    for (int k = 0; k < model.l; ++k) {
      const double s = sign * model.sv_coef[0][k];
      const auto row = static_cast<std::size_t>(model.sv_indices[k] - 1);
      for (std::size_t i = 0; i < labels_.size(); ++i) machine.offsets[i] += s * nodes_.at(row, i);
      machine.any_at_cost = machine.any_at_cost || std::abs(s) >= C;
    }
    for (int k = 0; k < model.l; ++k) {
      const auto row = static_cast<std::size_t>(model.sv_indices[k] - 1);
      machine.norm += sign * model.sv_coef[0][k] * machine.offsets[row];
    }
    return machine;
  }

  double mean_loss(const std::vector<double>& offsets, double bias) const {
    double sum = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) sum += svm::soft_loss(labels_[i] * (offsets[i] + bias));
    return sum / static_cast<double>(labels_.size());
  }

  const KernelNodes& nodes_;
  std::vector<int> labels_;
  SoftWork& work_;
  std::vector<svm_node*> x_;
  double C_of_unit_norm_ = 0;  ///< certainly not too large
  double largest_C_ = 0;       ///< where the norm does not grow any more, for all that LIBSVM can tell
  double C_ = 0;               ///< of the latest training
  double best_loss_;           ///< so far: a function of a smaller norm is also one of a larger
  GivenUp best_given_up_;      ///< of the round that gave it; empty: w = 0 did
};

}  // namespace

KernelNodes::KernelNodes(const kernel::Gram& gram) {
  const std::size_t n = gram.size();
  nodes_.reserve(n * (n + 2));
  for (std::size_t i = 0; i < n; ++i) {
    nodes_.push_back({0, static_cast<double>(i + 1)});
    for (std::size_t j = 0; j < n; ++j) nodes_.push_back({static_cast<int>(j) + 1, gram.matrix().row(i)[j]});
    nodes_.push_back({-1, 0});
  }
  for (std::size_t i = 0; i < n; ++i) rows_.push_back(nodes_.data() + i * (n + 2));
}

void KernelNodesDeleter::operator()(KernelNodes* nodes) const {
  delete nodes;
}

KernelNodesPointer kernel_nodes(const kernel::Gram& gram) {
  return KernelNodesPointer(new KernelNodes(gram));
}

std::unique_ptr<SoftMinimiser> libsvm_minimiser(const KernelNodes& nodes, std::span<const int> labels, SoftWork& work) {
  svm_set_print_string_function(count_printed_steps);
  return std::make_unique<LibsvmMinimiser>(nodes, labels, work);
}

}  // namespace credence::bench
