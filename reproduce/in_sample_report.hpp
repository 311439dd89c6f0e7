#pragma once

#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/text.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {

inline constexpr const char* paper_title =
    "Anguita, Ghio, Oneto, Ridella: In-Sample and Out-of-Sample Model Selection and Error Estimation for Support "
    "Vector "
    "Machines (2012)";

/// All that was computed.
struct Report : Course {
  Settings settings;
  std::vector<const PaperSet*> missing;  ///< without a file
  std::vector<Line> lines;
};

/// All tables as text.
std::string report_text(const Report& report);
/// The same with every draw.
report::Json report_json(const Report& report);

/// 1.96 standard deviations of the mean over draws; none for one draw.
std::optional<double> half_width_of(const Figure& figure);

/// "V".
const char* number_of(Table table);

}  // namespace credence::reproduce::in_sample
