#pragma once

#include "credence/selection/as_strange.hpp"
#include "credence/selection/bound_curve.hpp"
#include "credence/selection/nonconformity.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

/// What labelled rows say of a nonconformity model. The error of rows and the limit that is proved are two tables, as
/// they are about different events (selection/nonconformity.hpp).
namespace credence::report {

/// Error of the rows decided at each eps_crit or below: at most eight lines, the last among them.
std::string error_curve_table(const std::vector<selection::BoundPoint>& curve);
Json error_curve_json(const std::vector<selection::BoundPoint>& curve);

/// Rows as strange under their true class, counted among `rows` and as proved: at most eight lines.
std::string as_strange_table(const std::vector<selection::AsStrange>& lines, std::size_t rows,
                             const selection::NonconformityRule& rule);
Json as_strange_json(const std::vector<selection::AsStrange>& lines, std::size_t rows);

}  // namespace credence::report
