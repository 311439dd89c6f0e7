#include "svm/path/judged_decisions.hpp"

#include <algorithm>
#include <limits>

#include "credence/core/list.hpp"
#include "kernel/gathered_rows.hpp"
#include "kernel/simd.hpp"
#include "svm/strips.hpp"

namespace credence::svm {
namespace {

/// Support rows that are read together: their kernel values with the judged rows stay in the second-level cache while
/// all machines of their class pass over them.
constexpr std::size_t judged_at_once = 64;

}  // namespace

JudgedDecisions::JudgedDecisions(std::span<const BinaryMachine> machines, std::size_t classes, std::size_t costs,
                                 std::vector<std::size_t> judged)
    : machines_(machines),
      classes_(classes),
      costs_(costs),
      judged_(std::move(judged)),
      stride_(kernel::padded(judged_.size())),
      of_class_(classes),
      column_(machines.size() * costs),
      solutions_(machines.size()) {
  for (std::size_t m = 0; m < machines.size(); ++m) {
    of_class_[static_cast<std::size_t>(machines[m].positive)].push_back(m);
    of_class_[static_cast<std::size_t>(machines[m].negative)].push_back(m);
  }
}

void JudgedDecisions::take(const PathPoint& point, std::size_t machine, const MachinePart& part,
                           const MachineParts& parts) {
  const std::vector<double>& beta = point.state.beta;
  std::size_t& column = column_[machine * costs_ + point.index];
  if (parts.whole()) {
    column = point.index;
    values_.resize(costs_ * stride_);
    for (std::size_t h = 0; h < judged_.size(); ++h) {
      const std::size_t i = judged_[h];
      values_[column * stride_ + h] = point.state.gradient[i] + point.problem.linear[i] + point.bias;
    }
    return;
  }
  Solutions& own = solutions_[machine];
  own.rows = part.rows.size();
  own.betas.resize(own.rows * costs_);
  const auto for_each_row = [&](const auto& look) {
    const std::size_t positive = parts.of_class(static_cast<std::size_t>(machines_[machine].positive)).size();
    double* first = own.betas.data() + own.count;
    double* second = first + positive * costs_;
    for (std::size_t a = 0, n = beta.size(); a < n; ++a) {
      double*& at = point.problem.linear[a] > 0 ? first : second;
      look(at, beta[a]);
      at += costs_;
    }
  };
  bool same = own.count > 0 && own.bias.back() == point.bias;
  if (same) for_each_row([&](const double* betas, double value) { same = same && betas[-1] == value; });
  if (!same) {
    for_each_row([](double* betas, double value) { *betas = value; });
    own.bias.push_back(point.bias);
    ++own.count;
  }
  column = own.count - 1;  // of the machine's own, until all are counted
}

/// What a class's machines read of its rows.
std::vector<JudgedDecisions::Reader> JudgedDecisions::readers_of(std::size_t c, const MachineParts& parts) const {
  return core::mapped(of_class_[c], [&](std::size_t m) {
    const auto positive = static_cast<std::size_t>(machines_[m].positive);
    const std::size_t offset = positive == c ? 0 : parts.of_class(positive).size();
    const std::vector<std::uint32_t>& support = solutions_[m].support;
    const auto next = static_cast<std::size_t>(std::ranges::lower_bound(support, offset) - support.begin());
    return Reader{m, offset, next, next};
  });
}

void JudgedDecisions::find_support() {
  std::size_t columns = 0;
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    Solutions& own = solutions_[m];
    own.first = columns;
    columns += own.count;
    for (std::size_t c = 0; c < costs_; ++c) column_[m * costs_ + c] += own.first;
    for (std::size_t a = 0; a < own.rows; ++a) {
      const double* betas = own.betas.data() + a * costs_;
      if (std::any_of(betas, betas + own.count, [](double beta) { return beta != 0; })) {
        std::copy_n(betas, own.count, own.betas.data() + own.support.size() * costs_);
        own.support.push_back(static_cast<std::uint32_t>(a));
      }
    }
  }
  values_.assign(std::max<std::size_t>(columns, 1) * stride_, 0.0);
}

bool JudgedDecisions::finish(kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor) {
  if (parts.whole()) return true;
  find_support();
  for (std::size_t c = 0; c < classes_; ++c)
    if (!add_class(c, rows, parts, monitor)) return false;
  for (const Solutions& own : solutions_) {
    for (std::size_t k = 0; k < own.count; ++k) {
      double* values = values_.data() + (own.first + k) * stride_;
      for (std::size_t h = 0; h < stride_; ++h) values[h] += own.bias[k];
    }
  }
  solutions_.clear();
  return true;
}

/// What the rows of one class give to the decision values of the machines that it takes part in.
bool JudgedDecisions::add_class(std::size_t c, kernel::Rows& rows, const MachineParts& parts,
                                const core::Monitor& monitor) {
  const std::span<const std::size_t> own_rows = parts.of_class(c);
  std::vector<Reader> readers = readers_of(c, parts);
  core::AlignedVector<float> block(std::min(judged_at_once, own_rows.size()) * stride_);
  std::vector<bool> needed(judged_at_once);
  for (std::size_t first = 0; first < own_rows.size(); first += judged_at_once) {
    const std::size_t last = std::min(first + judged_at_once, own_rows.size());
    std::fill(needed.begin(), needed.end(), false);
    for (Reader& one : readers) {
      const std::vector<std::uint32_t>& support = solutions_[one.machine].support;
      for (one.end = one.next; one.end < support.size() && support[one.end] < one.offset + last; ++one.end)
        needed[support[one.end] - one.offset - first] = true;
    }
    for (std::size_t s = first; s < last; ++s) {
      if (!needed[s - first]) continue;
      if (monitor.should_stop()) return false;
      kernel::gather(rows.row(own_rows[s]), judged_, block.data() + (s - first) * stride_);
    }
    multiply(readers, first, block.data());
  }
  return true;
}

/// @param block  kernel values of the class's rows from `first` on with the judged rows
void JudgedDecisions::multiply(std::vector<Reader>& readers, std::size_t first, const float* block) {
  for (Reader& one : readers) {
    const Solutions& own = solutions_[one.machine];
    const std::size_t count = one.end - one.next;
    kernel::simd::add_terms(
        kernel::simd::Terms<float>{block, stride_, one.offset + first, own.support.data() + one.next, count,
                                   own.betas.data() + one.next * costs_, costs_, own.count},
        values_.data() + own.first * stride_);
    multiplications_ += std::uint64_t{count} * own.count * judged_.size();
    one.next = one.end;
  }
}

void JudgedDecisions::replace(std::size_t cost, std::size_t machine, std::size_t h, double value) {
  std::size_t& column = column_[machine * costs_ + cost];
  if (values_[column * stride_ + h] == value) return;
  const auto used = std::count(column_.begin() + static_cast<std::ptrdiff_t>(machine * costs_),
                               column_.begin() + static_cast<std::ptrdiff_t>((machine + 1) * costs_), column);
  if (used > 1) {
    const std::size_t copy = values_.size() / stride_;
    values_.resize(values_.size() + stride_);
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(column * stride_), stride_,
                values_.begin() + static_cast<std::ptrdiff_t>(copy * stride_));
    column = copy;
  }
  values_[column * stride_ + h] = value;
}

bool JudgedDecisions::same_as_before(std::size_t cost) const {
  std::size_t m = 0;
  while (cost > 0 && m < machines_.size() && column_[m * costs_ + cost] == column_[m * costs_ + cost - 1]) ++m;
  return m == machines_.size();
}

std::vector<int> JudgedDecisions::labels(std::size_t cost) const {
  const std::size_t count = judged_.size();
  std::vector<int> result(count, 0);
  if (machines_.size() == 1) {
    const double* values = of(cost, 0);
    for (std::size_t h = 0; h < count; ++h) result[h] = vote({values + h, 1}, machines_, classes_);
    return result;
  }
  std::vector<int> votes(classes_ * count, 0);
  for (std::size_t m = 0; m < machines_.size(); ++m) add_votes(machines_[m], of(cost, m), count, votes.data());
  most_voted(votes.data(), classes_, count, result.data());
  return result;
}

std::vector<double> JudgedDecisions::scores(std::size_t cost) const {
  const std::size_t count = judged_.size();
  std::vector<double> scores(classes_ * count, std::numeric_limits<double>::infinity());
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const double* values = of(cost, m);
    double* positive = scores.data() + static_cast<std::size_t>(machines_[m].positive) * count;
    double* negative = scores.data() + static_cast<std::size_t>(machines_[m].negative) * count;
    for (std::size_t h = 0; h < count; ++h) {
      positive[h] = std::min(positive[h], values[h]);
      negative[h] = std::min(negative[h], -values[h]);
    }
  }
  return scores;
}

}  // namespace credence::svm
