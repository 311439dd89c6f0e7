#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "credence/conformal/measures.hpp"
#include "credence/conformal/neighbours.hpp"

namespace credence::conformal {

/// Every nonconformity measure of labelled rows. A new one is a struct in measures.hpp, and its name here. The measures
/// of regressions are in measures.hpp too.
using Measure = std::variant<NeighbourRatio, OwnClassDistance, SvmMargin, RvmMargin>;

/// Every measure with its defaults; measures of one name differ in their model.
std::vector<Measure> measures();
/// Every mode with its defaults.
std::vector<Mode> modes();
/// Without a model, the first measure of the name. @throws Error invalid_argument for names that do not fit
Measure measure_named(std::string_view name, std::string_view model = {});
Mode mode_named(std::string_view name);

std::string_view name_of(const Measure& measure);
std::string_view name_of(const Mode& mode);
/// The measure or mode in one line for people.
std::string_view sentence_of(const Measure& measure);
std::string_view sentence_of(const Mode& mode);
/// "svm" or "rvm" for margins; empty for measures that train no model.
std::string_view model_of(const Measure& measure);
/// "nn-ratio", "margin with svm models".
std::string title_of(const Measure& measure);

/// The options of the measure or mode, which must outlive the fields, and may not become another one meanwhile.
std::vector<core::Field> fields_of(Measure& measure);
std::vector<core::Field> fields_of(Mode& mode);

/// The options of a measure of nearest distances; none for others.
std::optional<NeighbourOptions> neighbour_options(const Measure& measure);
/// The measure of nearest distances with that name. @throws Error invalid_argument if there is none
NeighbourMeasure neighbour_measure(std::string_view name);

}  // namespace credence::conformal
