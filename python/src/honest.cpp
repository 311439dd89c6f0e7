#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/selection/honest_choice.hpp"
#include "report/description/description.hpp"
#include "report/honest/honest_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

/// The document of `honest`, as JSON, and what the command prints.
std::pair<std::string, std::string> honest_choice(const Matrix& losses, const std::vector<std::string>& names,
                                                  const std::optional<Vector<std::int32_t>>& groups,
                                                  const std::string& score, double confidence, int resamples,
                                                  std::uint64_t seed, const RunOptions& options) {
  selection::LossTable table(losses.shape(0), losses.shape(1));
  std::transform(losses.data(), losses.data() + table.values.size(), table.values.begin(),
                 [](double loss) { return static_cast<float>(loss); });
  const std::vector<int> codes = groups ? vector_of(*groups) : std::vector<int>{};
  const selection::HonestOptions wanted{confidence, resamples, seed};
  return run(options, [&](const core::Context& context) {
    const selection::HonestChoice found = selection::honest_choice(table, names, codes, score, wanted, context);
    return std::pair(report::json_text(report::honest_json(found, "")),
                     report::terminal_text(report::honest_story(found, ""), report::Detail::usual));
  });
}

/// The document of `describe`, as JSON, and what the command prints.
/// @param notes  those that were made when the rows were read
std::pair<std::string, std::string> describe(const data::Dataset& dataset, const std::string& source,
                                             const std::vector<std::string>& notes, const RunOptions& options) {
  return run(options, [&](const core::Context& context) {
    const report::Description found = report::description_of(dataset, source, notes, context);
    return std::pair(report::json_text(report::describe_json(found)),
                     report::terminal_text(report::describe_story(found), report::Detail::usual));
  });
}

}  // namespace

void bind_honest(nb::module_& module) {
  module.def("honest_choice", &honest_choice);
  module.def("describe", &describe);
}

}  // namespace credence::python
