#include "svm/judged_decisions.hpp"

#include <algorithm>
#include <limits>

#include "kernel/simd.hpp"

namespace credence::svm {
namespace {

/// Support rows that are read together: their kernel values with the judged rows stay in the second-level cache while
/// all machines of their class pass over them.
constexpr std::size_t block_rows = 64;

}  // namespace

JudgedDecisions::JudgedDecisions(std::span<const BinaryMachine> machines, std::size_t classes, std::size_t costs,
                                 std::vector<std::size_t> judged)
    : machines_(machines),
      classes_(classes),
      costs_(costs),
      judged_(std::move(judged)),
      stride_(kernel::padded(judged_.size())),
      values_(machines.size() * costs * stride_),
      bias_(machines.size() * costs),
      solutions_(machines.size()) {}

void JudgedDecisions::take(const PathPoint& point, std::size_t machine, const MachinePart& part,
                           const MachineParts& parts) {
  const std::vector<double>& beta = point.state.beta;
  if (parts.whole()) {
    double* values = of(point.index, machine);
    for (std::size_t h = 0; h < judged_.size(); ++h) {
      const std::size_t i = judged_[h];
      values[h] = point.state.gradient[i] + point.problem.linear[i] + point.bias;
    }
    return;
  }
  bias_[machine * costs_ + point.index] = point.bias;
  std::vector<double>& betas = solutions_[machine].betas;
  betas.resize(part.rows.size() * costs_);
  std::size_t first = 0;
  std::size_t second = parts.of_class(static_cast<std::size_t>(machines_[machine].positive)).size();
  for (std::size_t a = 0; a < beta.size(); ++a) {
    const std::size_t place = point.problem.linear[a] > 0 ? first++ : second++;
    betas[place * costs_ + point.index] = beta[a];
  }
}

bool JudgedDecisions::finish(kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor) {
  if (parts.whole()) {
    return true;
  }
  for (Solutions& one : solutions_) {
    const std::size_t count = one.betas.size() / costs_;
    for (std::size_t a = 0; a < count; ++a) {
      const auto betas = std::span(one.betas).subspan(a * costs_, costs_);
      if (std::any_of(betas.begin(), betas.end(), [](double beta) { return beta != 0; })) {
        one.support.push_back(static_cast<std::uint32_t>(a));
      }
    }
  }
  for (std::size_t c = 0; c < classes_; ++c) {
    if (!add_class(c, rows, parts, monitor)) {
      return false;
    }
  }
  for (std::size_t k = 0; k < bias_.size(); ++k) {
    double* values = values_.data() + k * stride_;
    for (std::size_t h = 0; h < stride_; ++h) {
      values[h] += bias_[k];
    }
  }
  solutions_.clear();
  return true;
}

/// What the rows of one class give to the decision values of the machines that it takes part in.
bool JudgedDecisions::add_class(std::size_t c, kernel::Rows& rows, const MachineParts& parts,
                                const core::Monitor& monitor) {
  struct Own {
    std::size_t machine;
    std::size_t offset;  ///< of the class in the machine's rows
    std::size_t next;    ///< in the machine's support
  };
  const std::span<const std::size_t> own_rows = parts.of_class(c);
  std::vector<Own> own;
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const bool positive = static_cast<std::size_t>(machines_[m].positive) == c;
    if (!positive && static_cast<std::size_t>(machines_[m].negative) != c) {
      continue;
    }
    const std::size_t offset = positive ? 0 : parts.of_class(static_cast<std::size_t>(machines_[m].positive)).size();
    const std::vector<std::uint32_t>& support = solutions_[m].support;
    const auto next = std::lower_bound(support.begin(), support.end(), offset) - support.begin();
    own.push_back({m, offset, static_cast<std::size_t>(next)});
  }
  core::AlignedVector<float> block(std::min(block_rows, own_rows.size()) * stride_);
  std::vector<bool> needed(block_rows);
  for (std::size_t first = 0; first < own_rows.size(); first += block_rows) {
    const std::size_t last = std::min(first + block_rows, own_rows.size());
    std::vector<std::size_t> ends;
    std::fill(needed.begin(), needed.end(), false);
    for (const Own& one : own) {
      const std::vector<std::uint32_t>& support = solutions_[one.machine].support;
      std::size_t end = one.next;
      for (; end < support.size() && support[end] < one.offset + last; ++end) {
        needed[support[end] - one.offset - first] = true;
      }
      ends.push_back(end);
    }
    for (std::size_t s = first; s < last; ++s) {
      if (!needed[s - first]) {
        continue;
      }
      if (monitor.should_stop()) {
        return false;
      }
      const float* row = rows.row(own_rows[s]);
      float* to = block.data() + (s - first) * stride_;
      for (std::size_t h = 0; h < judged_.size(); ++h) {
        to[h] = row[judged_[h]];
      }
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      const Solutions& solved = solutions_[own[k].machine];
      kernel::simd::add_terms({block.data(), stride_, own[k].offset + first, solved.betas.data(), costs_,
                               solved.support.data() + own[k].next, ends[k] - own[k].next},
                              of(0, own[k].machine));
      own[k].next = ends[k];
    }
  }
  return true;
}

std::vector<int> JudgedDecisions::labels(std::size_t cost) const {
  const std::size_t count = judged_.size();
  std::vector<int> result(count);
  if (machines_.size() == 1) {
    const double* values = of(cost, 0);
    for (std::size_t h = 0; h < count; ++h) {
      result[h] = vote({values + h, 1}, machines_, classes_);
    }
    return result;
  }
  std::vector<int> votes(classes_ * count, 0);
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const double* values = of(cost, m);
    int* positive = votes.data() + static_cast<std::size_t>(machines_[m].positive) * count;
    int* negative = votes.data() + static_cast<std::size_t>(machines_[m].negative) * count;
    for (std::size_t h = 0; h < count; ++h) {
      const int won = values[h] > 0 ? 1 : 0;
      positive[h] += won;
      negative[h] += 1 - won;
    }
  }
  std::vector<int> most(votes.begin(), votes.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t c = 1; c < classes_; ++c) {
    const int* own = votes.data() + c * count;
    for (std::size_t h = 0; h < count; ++h) {
      result[h] = own[h] > most[h] ? static_cast<int>(c) : result[h];
      most[h] = std::max(own[h], most[h]);
    }
  }
  return result;
}

double JudgedDecisions::score(std::size_t cost, std::size_t h, int label) const {
  double score = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const double value = of(cost, m)[h];
    if (machines_[m].positive == label) {
      score = std::min(score, value);
    } else if (machines_[m].negative == label) {
      score = std::min(score, -value);
    }
  }
  return score;
}

}  // namespace credence::svm
