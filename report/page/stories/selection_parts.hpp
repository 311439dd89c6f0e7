#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  bool turned = false;   ///< the document has 1 - the score, and the score is shown, as on the terminal
  bool plain = false;    ///< another score than the share of errors, with four decimals

  double shown(double value) const { return squared ? std::sqrt(std::max(0.0, value)) : turned ? 1 - value : value; }
  Json shown(const Json& value) const { return value.number() ? Json(shown(*value.number())) : Json(nullptr); }

  Format format() const { return share ? Format::share : Format::number; }
  std::string vega() const { return share ? ".2~%" : plain ? ".4~f" : ".6~r"; }
  std::string text(double value) const;
  /// The ends as they are shown, the smaller one first.
  std::pair<Json, Json> ends(const Json& lower, const Json& upper) const {
    return turned ? std::pair(shown(upper), shown(lower)) : std::pair(shown(lower), shown(upper));
  }
  const char* better() const { return turned ? "higher" : "lower"; }
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

/// Whether the rows were parted into cells of the feature space, each with a choice of its own.
bool has_regions(const Json& document);
/// "110 settings in each of 37 regions".
std::string settings_of_regions(const Json& document);
/// How many regions there are, of how many rows, and what they chose.
void add_region_facts(Section& section, const Json& document);
/// Where the errors are: the regions with the most.
void add_regions_section(Story& story, const Json& document, const Scale& scale);

void add_sureness_section(Story& story, const Json& document, const Scale& scale);
/// Of relevance vector machines that were chosen by evidence or validity.
void add_evidence_section(Story& story, const Json& document);

}  // namespace credence::report
