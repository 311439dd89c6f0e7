#include "credence/svm/family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "kernel/simd.hpp"
#include "svm/support_base.hpp"

namespace credence::svm {
namespace {

constexpr std::size_t block_rows = 256;
/// Each doubling of gamma doubles the relative error of a squared kernel value: 2^12 times 1e-16 is well below 1e-9.
constexpr int most_doublings = 12;
/// Base values of so many rows stay in the second-level cache while all gammas pass over them.
constexpr std::size_t strip_rows = 32;

/// A machine of one gamma as the SIMD product wants it: a column for each cost.
struct MachineColumns {
  const std::vector<std::uint32_t>* support = nullptr;
  bool all = false;  ///< a row for every support vector, zeros for those of others
  core::AlignedVector<double> coefficients;
  core::AlignedVector<double> bias;
  kernel::simd::Product product{};
};

struct GammaMachines {
  kernel::Kernel kernel;
  int doublings = 0;  ///< since the gamma before, whose kernel values are then squared; 0: from the base values
  std::vector<MachineColumns> machines;
};

/// How often the gamma before has to be doubled to give gamma g; 0 if it cannot, or not cheaply.
int doublings_before(const SvmFamily& family, std::size_t g) {
  const bool exponential =
      family.kernel.type == kernel::KernelType::rbf || family.kernel.type == kernel::KernelType::laplacian;
  constexpr int most = 4;
  for (int times = 1; exponential && g > 0 && times <= most; ++times) {
    if (std::ldexp(family.gammas[g - 1], times) == family.gammas[g]) {
      return times;
    }
  }
  return 0;
}

/// A machine that has half of the support vectors takes all of them: zeros cost less than gathering.
MachineColumns lay_out(const SvmFamily& family, std::size_t g, std::size_t m, std::size_t machines) {
  const MachineCosts& given = family.machines[g * machines + m];
  const std::size_t costs = family.cost_count;
  const std::size_t stride = kernel::padded(costs);
  MachineColumns columns;
  columns.support = &given.support;
  columns.all = 2 * given.support.size() >= family.support_rows.size();
  const std::size_t rows = columns.all ? family.support_rows.size() : given.support.size();
  columns.coefficients = core::AlignedVector<double>(rows * stride);
  columns.bias = core::AlignedVector<double>(stride);
  for (std::size_t s = 0; s < given.support.size(); ++s) {
    const std::size_t row = columns.all ? given.support[s] : s;
    std::copy_n(given.coefficients.row(s).begin(), costs, columns.coefficients.data() + row * stride);
  }
  for (std::size_t c = 0; c < costs; ++c) {
    columns.bias[c] = family.bias.row(g)[c * machines + m];
  }
  columns.product = {columns.coefficients.data(), columns.bias.data(), rows, costs, stride};
  return columns;
}

/// What the rows of a strip are computed in; made once a block.
struct Room {
  core::AlignedVector<double> base;
  core::AlignedVector<double> values;    ///< kernel values of the gamma at hand
  core::AlignedVector<double> chosen;    ///< of them those that support a machine, for four rows
  core::AlignedVector<double> products;  ///< of four rows with a machine: a column for each cost
  std::vector<double> decisions;         ///< of four rows: (row, cost, machine)
};

/// Scores of a family on given rows, block by block.
class Scoring {
 public:
  Scoring(const SvmFamily& family, const data::Features& rows)
      : family_(family),
        base_(family.kernel.type, family.support_vectors, family.support_rows, rows),
        machines_(family.relevance_vectors ? one_against_rest(family.class_count)
                                           : machine_layout(family.class_count)) {
    int in_a_row = 0;
    for (std::size_t g = 0; g < family.gammas.size(); ++g) {
      GammaMachines& gamma = gammas_.emplace_back();
      gamma.kernel = family.kernel;
      gamma.kernel.gamma = family.gammas[g];
      for (std::size_t m = 0; m < machines_.size(); ++m) {
        gamma.machines.push_back(lay_out(family, g, m, machines_.size()));
      }
      const int times = doublings_before(family, g);
      in_a_row = times > 0 && in_a_row + times <= most_doublings ? in_a_row + times : 0;
      gamma.doublings = in_a_row > 0 ? times : 0;
    }
  }

  model::Scores block(std::size_t first, std::size_t count) const;

 private:
  void strip(std::size_t first, std::size_t count, std::size_t at, Room& room, model::Scores& scores) const;
  void decide(const GammaMachines& gamma, const double* values, std::size_t rows, Room& room) const;
  void take(std::size_t g, std::span<double> decisions, std::size_t row, model::Scores& scores) const;

  const SvmFamily& family_;
  SupportBase base_;
  std::vector<BinaryMachine> machines_;
  std::vector<GammaMachines> gammas_;
};

model::Scores Scoring::block(std::size_t first, std::size_t count) const {
  model::Scores scores(count, family_.models(), family_.class_count);
  Room room{core::AlignedVector<double>(strip_rows * base_.width()),
            core::AlignedVector<double>(strip_rows * base_.width()), core::AlignedVector<double>(4 * base_.width()),
            core::AlignedVector<double>(4 * kernel::padded(family_.cost_count)),
            std::vector<double>(4 * family_.cost_count * machines_.size())};
  for (std::size_t at = 0; at < count; at += strip_rows) {
    strip(first + at, std::min(strip_rows, count - at), at, room, scores);
  }
  return scores;
}

/// `count` rows from `first` on, which are rows `at`, at + 1, ... of the scores.
void Scoring::strip(std::size_t first, std::size_t count, std::size_t at, Room& room, model::Scores& scores) const {
  const std::size_t width = base_.width();
  base_.compute(first, count, room.base.data());
  const std::size_t columns = family_.cost_count * machines_.size();
  for (std::size_t g = 0; g < gammas_.size(); ++g) {
    for (std::size_t r = 0; r < count; r += 4) {
      const std::size_t some = std::min<std::size_t>(4, count - r);
      double* values = room.values.data() + r * width;
      if (gammas_[g].doublings > 0) {
        kernel::simd::square_kernel(values, some * width, gammas_[g].doublings);
      } else {
        kernel::simd::apply_kernel(gammas_[g].kernel, room.base.data() + r * width, values, some * width);
      }
      decide(gammas_[g], values, some, room);
      for (std::size_t k = 0; k < some; ++k) {
        take(g, std::span(room.decisions).subspan(k * columns, columns), at + r + k, scores);
      }
    }
  }
}

/// The decision values of up to four rows, given their kernel values with all support vectors.
void Scoring::decide(const GammaMachines& gamma, const double* values, std::size_t rows, Room& room) const {
  const std::size_t width = base_.width();
  const std::size_t costs = family_.cost_count;
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const MachineColumns& machine = gamma.machines[m];
    const double* own = values;
    if (!machine.all) {
      for (std::size_t k = 0; k < rows; ++k) {
        double* out = room.chosen.data() + k * width;
        for (const std::uint32_t s : *machine.support) {
          *out++ = values[k * width + s];
        }
      }
      own = room.chosen.data();
    }
    kernel::simd::multiply_rows(machine.product, own, width, rows, room.products.data());
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t c = 0; c < costs; ++c) {
        room.decisions[(k * costs + c) * machines_.size() + m] = room.products[k * machine.product.stride + c];
      }
    }
  }
}

/// The decision values of all machines of a gamma become labels and scores.
void Scoring::take(std::size_t g, std::span<double> decisions, std::size_t row, model::Scores& scores) const {
  const std::size_t machines = machines_.size();
  const auto norm = family_.norm.row(g);
  if (std::any_of(decisions.begin(), decisions.end(), [](double value) { return std::isnan(value); })) {
    refuse_undecided();
  }
  for (std::size_t c = 0; c < family_.cost_count; ++c) {
    const std::size_t model = g * family_.cost_count + c;
    const std::span<double> own = decisions.subspan(c * machines, machines);
    scores.labels[row * scores.models + model] = vote(own, machines_, family_.class_count);
    for (std::size_t m = 0; family_.geometric && m < machines; ++m) {
      const double length = norm[c * machines + m];
      own[m] = length > 0 ? own[m] / length : 0;
    }
    class_scores(own, machines_, family_.class_count, scores.at(row, model));
  }
}

}  // namespace

void class_scores(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes,
                  double* scores) {
  std::fill(scores, scores + classes, std::numeric_limits<double>::infinity());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    double& positive = scores[machines[m].positive];
    if (machines[m].negative == the_rest) {
      positive = decisions[m];
      continue;
    }
    double& negative = scores[machines[m].negative];
    positive = std::min(positive, decisions[m]);
    negative = std::min(negative, -decisions[m]);
  }
}

void SvmFamily::score(const data::Features& rows, const core::Context& context,
                      const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  if (models() == 0 || rows.rows() == 0) {
    return;
  }
  const Scoring scoring(*this, rows);
  const std::size_t blocks = (rows.rows() + block_rows - 1) / block_rows;
  context.threads.for_each(blocks, [&](std::size_t b) {
    if (context.monitor.should_stop()) {
      throw Error(ErrorCode::interrupted, "scoring was stopped before all rows had their scores");
    }
    const std::size_t first = b * block_rows;
    visit(first, scoring.block(first, std::min(block_rows, rows.rows() - first)));
  });
}

}  // namespace credence::svm
