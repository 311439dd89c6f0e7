#include "svm/path/warm_path.hpp"

namespace credence::svm {

void c_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> ascending_C,
            const qp::Options& options, const core::Monitor& monitor,
            const std::function<bool(const PathPoint&)>& visit) {
  WarmPath path(rows, unit_problem, options, monitor);
  bool goes_on = true;
  for (std::size_t c = 0; goes_on && c < ascending_C.size(); ++c) {
    const auto look = [&](const PathPoint& point) { goes_on = visit(point); };
    if (!path.go_to(ascending_C[c]) || !path.show(c, path.statistics(), look)) return;
  }
}

}  // namespace credence::svm
