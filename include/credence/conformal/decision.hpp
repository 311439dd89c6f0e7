#pragma once

/// ```cpp
/// using namespace credence;
/// data::DenseMatrix p(3, 2);  // p-values of the classes "sick" and "well", for three rows
/// p.values = {0.01, 0.9, 0.5, 0.04, 0.3, 0.2};
/// const std::vector<double> limits{0.02, 0.1};
/// const std::vector<int> decided = conformal::decide(p, limits);
/// std::cout << decided[0] << ' ' << decided[1] << ' ' << decided[2] << '\n';  // prints 1 0 -1
/// ```

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"
#include "credence/model/costs.hpp"
#include "credence/model/predictor.hpp"

/// Decisions with a limit for each class. A class is ruled out where its label-conditional p-value is at most the limit
/// of the class. A row with one class left is decided; a row with none or several left goes to a person. So a row of
/// class c is decided wrongly with probability at most the limit of c, for all classes at once, wherever the p-values
/// are valid within each class. Source: Vovk, Machine Learning 92 (2013), label-conditional validity.
namespace credence::conformal {

/// The decision to ask a person.
inline constexpr int ask = -1;

struct LimitOptions {
  std::string limit{};                ///< empty: no limits
  std::optional<double> certainty{};  ///< none: limits hold on average over the rows for comparison

  static void describe(auto&& field) {
    field("limit", &LimitOptions::limit,
          {"the probability with which a class may be ruled out for a row of this class, kept about (with p-values of "
           "split at most, if rows are exchangeable). A row with one class left is decided; others go to a person. One "
           "number for all classes, or sick=0.02,well=0.1; a class not named has the smallest limit",
           "LIMITS"});
    field(
        "certainty", &LimitOptions::certainty,
        {"each limit holds for this one model with probability P (such as 0.95) over draws of the rows set aside, and "
         "not only on average over draws",
         "P"},
        core::above(0));
  }
};

/// Returns the limit of each class: one number stands for all, and a class that is not named has the smallest of the
/// limits given.  @param text  as LimitOptions::limit  @param unnamed  gets the classes that are not named
/// @throws Error invalid_argument for a number outside [0, 1), a name that is no class, and where a class is called
/// "ask"
std::vector<double> limits_of_classes(const std::string& text, const std::vector<std::string>& classes,
                                      std::vector<std::string>* unnamed = nullptr);

/// Returns the number that is given for each class, by name. @param what  "limit", for messages
/// @throws Error invalid_argument for a name that is no class, or is given twice
std::vector<std::optional<double>> numbers_of_classes(const std::vector<std::pair<std::string, double>>& numbers,
                                                      const std::vector<std::string>& classes, const char* what);

/// Returns the levels at which classes are ruled out so that each limit holds: the limits themselves; with a certainty
/// those of bounds::level_with_certainty for the rows of each class that the model compares with.
/// @param limits  one for each class
/// @throws Error invalid_argument for limits that do not fit the classes; for a model without p-values that are valid
/// for each class; with a certainty also for one outside (0, 1), and for a model that compares with rows that were not
/// set aside, are weighed, or lie in categories or regions
std::vector<double> levels_of_limits(const model::Predictor& model, std::span<const double> limits,
                                     std::optional<double> certainty);
/// The same without a model, for rows of each class that were set aside and count alike.
/// @param compared  rows of each class, as many as limits
/// @throws Error invalid_argument for a certainty outside (0, 1)
std::vector<double> levels_with_certainty(std::vector<double> limits, std::span<const std::size_t> compared,
                                          double certainty);

/// Returns the class of each row that is left alone after the others were ruled out; `ask` where none or several are.
/// @param p_values  rows x classes, label-conditional  @param levels  one for each class, in [0, 1)
/// @throws Error invalid_argument for levels that do not fit
std::vector<int> decide(const data::DenseMatrix& p_values, std::span<const double> levels);

/// Counts of decisions on rows of one class.
struct ClassDecisions {
  std::size_t rows = 0;
  std::size_t missed = 0;   ///< the true class was ruled out: decided wrongly, or asked with no class or others left
  std::size_t decided = 0;  ///< one class was left
  std::size_t wrong = 0;    ///< another class was left

  friend bool operator==(const ClassDecisions&, const ClassDecisions&) = default;
};
struct DecisionCounts {
  std::size_t rows = 0;
  std::size_t decided = 0;
  std::size_t wrong = 0;    ///< decided for a class that is not the true one
  std::size_t none = 0;     ///< asked, as no class was left
  std::size_t several = 0;  ///< asked, as several were left
  std::vector<ClassDecisions> of_class;

  friend bool operator==(const DecisionCounts&, const DecisionCounts&) = default;
};
/// @param labels  true classes; -1 stands for a class that the p-values do not know: wrong wherever it is decided
/// @throws Error invalid_argument as `decide`, and for labels that do not fit
DecisionCounts count_decisions(const data::DenseMatrix& p_values, std::span<const int> labels,
                               std::span<const double> levels);

/// Limits, and the counts of decisions at them.
struct DecisionPoint {
  std::vector<double> limits;
  DecisionCounts counts;
  std::optional<double> cost;  ///< mean cost of a row, where costs are given
};
/// For two classes: returns a point for each pair of levels, the limit of the second class varying fastest. For more
/// classes: a point for each level, the same for all classes.
/// @param shares  how much the rows of each class count together, for the cost; empty: by their number
/// @throws Error as count_decisions; invalid_argument for costs without one of asking, and for shares that do not fit.
/// Cost: O(rows) for each point.
std::vector<DecisionPoint> decision_points(const data::DenseMatrix& p_values, std::span<const int> labels,
                                           std::span<const double> levels, const model::DecisionCosts* costs,
                                           std::span<const double> shares = {});

/// Returns pairs of limits of two classes at which one class is left in every row, so that nobody is asked. In each
/// pair neither limit can fall unless the other rises; the pairs ascend by the first limit. Empty where there are none.
/// Cost: sorting the rows. @throws Error invalid_argument for other than two classes, or without rows
std::vector<std::pair<double, double>> limits_without_asking(const data::DenseMatrix& p_values);

}  // namespace credence::conformal
