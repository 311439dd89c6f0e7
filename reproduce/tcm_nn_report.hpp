#pragma once

#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/text.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/tcm_nn.hpp"

namespace credence::reproduce::tcm_nn {

inline constexpr const char* paper_title =
    "Proedrou, Nouretdinov, Vovk, Gammerman: Transductive Confidence Machines for Pattern Recognition (2002)";

/// All that was computed.
struct Report : Course {
  std::vector<SetResult> sets;
  double smoothing = smoothing_width;
  int shuffles = 1;  ///< of the sets without a fixed split
  std::uint64_t seed = 0;
};

/// Tables 1 to 3 and Figures 1 and 2 as text.
std::string report_text(const Report& report);
/// The same with every fold, every k and every confidence level.
report::Json report_json(const Report& report);

}  // namespace credence::reproduce::tcm_nn
