#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/story.hpp"

/// What several sections about a selection need.
namespace credence::report {

/// The values that the cells have, ascending.
std::vector<double> values_of(const Json& document, std::string_view key);
/// Those that the cells differ in. Sigma stands for gamma where both are there.
std::vector<std::string> axes_of(const Json& document);
/// "rbf, standard, C = 8, gamma = 0.25".
std::string parameters_text(const Json& cell);
/// The kernel and the scaling of a cell, as a heading has them: "rbf kernel, standard scaling". Empty where it has
/// none.
std::string kernel_and_scaling(const Json& cell);
/// Those of all cells, each once, in the order of the grid.
std::vector<std::string> kernels_and_scalings(const Json& document);

/// The smallest score plus its standard error: what may be smaller by luck alone. None if cells have no such error.
std::optional<double> one_standard_error(const Json& document);
/// The score of what was chosen: of the average, or of the best cell.
std::optional<double> chosen_error(const Json& document);
/// How many cells the average has; 0 where one cell, or another rule, decides.
std::size_t averaged_cells(const Json& document);
/// Of each cell "chosen", "close" for a member of the average, or, where one cell decides, for a cell within that
/// limit; or nothing.
std::vector<std::string> marks_of(const Json& document);
/// How many cells are within that limit.
std::size_t close_cells(const Json& document);

/// Whether the rows were split into regions of the feature space, each with a choice of its own.
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
