#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/data/features.hpp"
#include "credence/selection/score.hpp"
#include "report/evaluation/confusion_report.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What a paper prints of a classifier: sensitivity, specificity, PPV, NPV, accuracy and AUC of two classes; recall and
/// precision of more.
namespace credence::report {

/// A share of rows that were counted, with Clopper and Pearson's interval.
struct CountedShare {
  std::size_t part = 0;
  std::size_t rows = 0;

  std::optional<double> value() const;
  std::optional<bounds::Interval> interval() const;  ///< none of no rows
};

/// One class against all others.
struct AgainstRest {
  std::string name;
  CountedShare found{};                         ///< of the rows of the class, those with its label: sensitivity, recall
  CountedShare rejected{};                      ///< of the other rows, those with another label: specificity
  CountedShare right{};                         ///< of the rows with its label, those of the class: PPV, precision
  CountedShare right_not{};                     ///< of the rows with another label, those of another class: NPV
  std::optional<selection::AucEstimate> auc{};  ///< none without scores of the classes
  std::vector<selection::RocPoint> curve{};
};

/// Which intervals hold of the rows that were counted.
enum class Intervals95 {
  all,     ///< independent rows that had no part in the training and the choice
  shares,  ///< rows left out of the training, pooled over models: no variance of an AUC is known for these
  none,    ///< rows that depend on each other, or trained the model
};

struct PaperNumbers {
  std::vector<AgainstRest> classes;        ///< of two classes the positive one alone
  std::optional<CountedShare> accuracy{};  ///< of a model that was not chosen by these rows
  Intervals95 intervals = Intervals95::all;
  std::string basis{};  ///< which rows were counted, and whether the numbers are corrected for the choice

  bool of_two() const { return classes.size() == 1; }
  /// The mean over the classes of a share, which counts as 0 where it is one of no rows, as in scikit-learn.
  double macro(CountedShare AgainstRest::*share) const;
  double macro_f1() const;
};

/// @param positive  of two classes
/// @param truth     of each row; -1 for an unknown class, whose rows are left out
/// @param scores    rows x classes, larger where a class fits better; empty: there is no AUC
PaperNumbers paper_numbers(const Confusion& confusion, std::size_t positive, std::span<const int> truth,
                           const data::DenseMatrix& scores);

/// A table of the numbers, of more than 20 classes for the page alone; of up to 20 also the ROC curves.
/// @param where  of the table
void add_paper_numbers(const PaperNumbers& numbers, Where where, Section& section);
Json paper_json(const PaperNumbers& numbers);

/// The index of the positive class: the one named, or the second. @throws Error invalid_argument for other names, and
/// for a name where there are not two classes
std::size_t positive_class(const std::vector<std::string>& classes, const std::string& named);

}  // namespace credence::report
