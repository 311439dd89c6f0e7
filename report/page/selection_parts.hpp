#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/story.hpp"

/// What several sections about a selection need.
namespace credence::report {

/// What the numbers of a selection are: shares of rows, or others.
struct Scale {
  std::string name;      ///< "error", "mean squared error", ...
  bool share = true;     ///< a share of rows, shown in per cent
  bool is_error = true;  ///< the share of wrong labels
  bool squared = false;  ///< of a regression, shown as the root

  double shown(double value) const { return squared ? std::sqrt(std::max(0.0, value)) : value; }
  Json shown(const Json& value) const { return value.number() ? Json(shown(*value.number())) : Json(nullptr); }

  Format format() const { return share ? Format::share : Format::number; }
  std::string vega() const { return share ? ".2~%" : ".4~g"; }
  std::string text(double value) const;
};

Scale scale_of(const Json& document);

/// The hyper-parameters of cells, by their keys in the document.
struct Axis {
  const char* key;
  const char* title;
};

/// The values that the cells have, ascending.
std::vector<double> values_of(const Json& document, const char* key);
/// Those that the cells differ in. Sigma stands for gamma where both are there.
std::vector<Axis> axes_of(const Json& document);
/// "C = 8, gamma = 0.25".
std::string parameters_text(const Json& cell);

/// The smallest score plus its standard error: what may be smaller by luck alone. None if cells have no such error.
std::optional<double> one_standard_error(const Json& document);
/// "chosen", "close" for a cell within that limit, or nothing.
std::string mark_of(const Json& cell, const Json& best, const std::optional<double>& limit);
/// How many cells are within that limit.
std::size_t close_cells(const Json& document);

void add_sureness_section(Story& story, const Json& document, const Scale& scale);
/// Of relevance vector machines that were chosen by evidence or validity.
void add_evidence_section(Story& story, const Json& document);

}  // namespace credence::report
