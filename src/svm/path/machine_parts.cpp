#include "svm/path/machine_parts.hpp"

#include <algorithm>

#include "credence/core/list.hpp"
#include "svm/path/warm_path.hpp"

namespace credence::svm {
namespace {

/// A matrix of up to 512 KB stays in the second-level cache. Its rows are copied one after the other, before the solver
/// asks for them in an order of its own and waits for each.
constexpr std::size_t floats_in_cache = std::size_t{1} << 17;

/// Whether no part has more than half of the training rows. Then the parts of all machines read every row of the kernel
/// matrix often enough that a copy, in which the columns of a class stand together, pays; and a part is so small beside
/// the copy that memory holds both.
bool many_small_parts(const std::vector<std::vector<std::size_t>>& of_class) {
  std::size_t largest = 0;
  std::size_t second = 0;
  std::size_t all = 0;
  for (const std::vector<std::size_t>& rows : of_class) {
    all += rows.size();
    second = std::max(second, std::min(largest, rows.size()));
    largest = std::max(largest, rows.size());
  }
  return 2 * (largest + second) <= all && all > 0;
}

}  // namespace

MachineParts::MachineParts(kernel::Rows& rows, std::span<const int> labels, std::span<const double> factors,
                           std::span<const BinaryMachine> machines, std::size_t classes)
    : rows_(rows), labels_(labels), factors_(factors), machines_(machines), of_class_(classes), start_(classes) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (factors[i] > 0) {
      of_class_[static_cast<std::size_t>(labels[i])].push_back(i);
      ++count;
    }
  }
  whole_ = classes == 2 && !worth_a_copy(count, labels.size());
  if (many_small_parts(of_class_)) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < classes; ++c) {
      start_[c] = order.size();
      order.insert(order.end(), of_class_[c].begin(), of_class_[c].end());
    }
    by_class_ = rows.subset(order);
  }
}

MachinePart MachineParts::part(std::size_t m) const {
  const BinaryMachine& machine = machines_[m];
  MachinePart part;
  if (whole_) {
    part.rows = core::numbers_below(labels_.size());
    part.unit = machine_problem(labels_, machine, factors_);
    part.kernel = &rows_;
    return part;
  }
  const auto one = static_cast<std::size_t>(machine.positive);
  const auto other = static_cast<std::size_t>(machine.negative);
  const std::vector<std::size_t>& a = of_class_[one];
  const std::vector<std::size_t>& b = of_class_[other];
  std::vector<std::size_t> keep;
  std::vector<int> labels;
  std::vector<double> factors;
  for (std::vector<std::size_t>* list : {&keep, &part.rows}) list->reserve(a.size() + b.size());
  labels.reserve(a.size() + b.size());
  factors.reserve(a.size() + b.size());
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool first = j == b.size() || (i < a.size() && (by_class_ || a[i] < b[j]));
    keep.push_back(first ? start_[one] + i : start_[other] + j);
    part.rows.push_back(first ? a[i++] : b[j++]);
    labels.push_back(first ? machine.positive : machine.negative);
    factors.push_back(factors_[part.rows.back()]);
  }
  part.unit = machine_problem(labels, machine, factors);
  part.copied = by_class_ ? by_class_->subset(keep) : rows_.subset(part.rows);
  part.kernel = part.copied.get();
  const bool small = keep.size() * keep.size() <= floats_in_cache;
  for (std::size_t k = 0; by_class_ && small && k < keep.size(); ++k) part.kernel->row(k);
  return part;
}

}  // namespace credence::svm
