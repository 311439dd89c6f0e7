#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/measure_parts.hpp"
#include "credence/neighbours/metric.hpp"

/// What measures of nearest distances have in common.
namespace credence::conformal {

/// How distances to other classes enter a strangeness. The answer says which examples a new row can affect.
enum class Others {
  ignored,  ///< they do not enter
  divide,   ///< the strangeness is the sum of own distances over that of others, as in neighbour_ratio
  enter,    ///< in any other way; a ranking then looks at every example that the new row is near to
};

/// A strangeness as a function of the k nearest distances.
struct NeighbourMeasure {
  /// @param own    ascending distances to the nearest of the own class, at most k
  /// @param other  ascending distances to the nearest of all other classes, at most k
  using Formula = double (*)(std::span<const double> own, std::span<const double> other, std::size_t k);

  const char* name;
  Formula formula;
  Others others;

  friend bool operator==(const NeighbourMeasure& a, const NeighbourMeasure& b) { return a.formula == b.formula; }
};

/// Tables are as wide as k, so it must not exceed the rows to learn from. @throws Error invalid_argument
void check_neighbour_count(int k, std::size_t rows);

struct NeighbourOptions;

std::vector<std::string> nearest_problems(const NeighbourOptions& options, bool trains, const Mode& mode,
                                          data::Scaling scaling);
void check_nearest(const NeighbourOptions& options, const data::Dataset& dataset, const Mode& mode);
std::shared_ptr<const Machine> nearest_machine(const data::Features& rows, const data::Dataset& dataset,
                                               const NeighbourOptions& options, const core::Context& context);

/// The base of a measure of nearest distances, which brings `name`, `sentence` and `strangeness`. A measure with a
/// member `training` also has the inductive and the cross mode.
template <class Measure>
struct Nearest {
  int k = 1;
  neighbours::Metric metric = neighbours::Metric::euclidean;

  static void describe(auto&& field) {
    field("k", &Nearest::k, "nearest neighbours that are looked at", core::at_least(1));
    field("metric", &Nearest::metric, "the distance between two rows");
  }

  static constexpr NeighbourMeasure measure() { return {Measure::name, &Measure::strangeness, Measure::others}; }
  operator NeighbourOptions() const;

  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const {
    return nearest_problems(*this, requires(const Measure& m, const Preparation& p) { m.training(p); }, mode, scaling);
  }
  void check(const data::Dataset& dataset, const Mode& mode) const { check_nearest(*this, dataset, mode); }
  bool looks_at_rows() const { return false; }
  /// Distances along axes need comparable units; angles and given distances are taken as they are.
  data::Scaling default_scaling() const {
    return metric == neighbours::Metric::euclidean || metric == neighbours::Metric::manhattan ? data::Scaling::standard
                                                                                              : data::Scaling::none;
  }
  std::shared_ptr<const Machine> machine(const data::Features& rows, const data::Dataset& dataset,
                                         model::TrainingRecord&, const core::Context& context) const {
    return nearest_machine(rows, dataset, *this, context);
  }
};

}  // namespace credence::conformal
