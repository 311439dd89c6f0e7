#include "svm/warm_path.hpp"

namespace credence::svm {

void c_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> ascending_C,
            const qp::Options& options, const core::Monitor& monitor,
            const std::function<void(const PathPoint&)>& visit) {
  WarmPath path(rows, unit_problem, options, monitor);
  for (std::size_t c = 0; c < ascending_C.size(); ++c)
    if (!path.go_to(ascending_C[c]) || !path.show(c, path.statistics(), visit)) return;
}

}  // namespace credence::svm
