#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/text.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/nonconformity.hpp"

namespace credence::reproduce {

/// All that was computed.
struct NonconformityReport : Course {
  std::vector<SetResult> sets;
  std::optional<Figure2> figure;
  int repeats = 1;
  std::uint64_t seed = 0;
};

/// Table 3, our columns, run-times and Figure 2 as text.
std::string report_text(const NonconformityReport& report);
/// The same with every fold.
report::Json report_json(const NonconformityReport& report);

}  // namespace credence::reproduce
