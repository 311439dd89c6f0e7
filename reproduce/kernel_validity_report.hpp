#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/text.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {

inline constexpr const char* paper_title =
    "Kropotov, Ptashko, Vasiliev, Vetrov: On Kernel Selection in Relevance Vector Machines Using Stability Principle";

/// All that was computed.
struct Report : Course {
  Settings settings;
  std::vector<SetResult> sets;
  std::optional<sinc::Result> figure;

  const sinc::Result* figure_or_null() const { return figure ? &*figure : nullptr; }
};

/// Tables and figure as text.
std::string report_text(const Report& report);
/// The same with every split.
report::Json report_json(const Report& report);

/// "RVM CV", ...: as printed.
const char* name_of(Column column);
/// "index", "index, no guard", ...
const char* name_of(Rule rule);
/// For JSON: "rvm_cv", "index_without_guard".
const char* key_of(Column column);
const char* key_of(Rule rule);
const char* key_of(sinc::Rule rule);

}  // namespace credence::reproduce::kernel_validity
