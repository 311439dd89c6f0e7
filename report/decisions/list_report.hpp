#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/review.hpp"
#include "credence/core/describe.hpp"
#include "credence/model/predictor.hpp"
#include "report/rows/prediction_columns.hpp"

/// Lists of rows with a limit of the share of false ones.
namespace credence::report {

struct ListOptions {
  std::string find{};  ///< a class; empty: none
  bool unfamiliar = false;
  std::optional<double> fdr{};

  static void describe(auto&& field) {
    field("find", &ListOptions::find,
          {"mark rows of one of two classes by the p-values of the other one, in column found; needs --fdr", "CLASS"});
    field("unfamiliar", &ListOptions::unfamiliar,
          "mark rows that are unlike the training rows, in column found; needs --fdr");
    field("fdr", &ListOptions::fdr,
          {"the false discovery rate allowed: the mean share of wrong rows among those marked, such as 0.1", "Q"},
          core::above(0));
  }
};

/// A list of rows, of all rows that were predicted together.
struct RowList {
  std::vector<bool> found;  ///< for each row
  std::size_t count = 0;
  std::string sentence;  ///< what is in the list, and what its rate rests on
};
bool wants_list(const ListOptions& options);
/// @throws Error invalid_argument for options that do not fit together, and where nothing is proved of the list: of a
/// class by p-values of rows that were not set aside, or of more than two classes; of a model that knows no rows
void check_list(const model::Predictor& model, const ListOptions& options, const conformal::PValueOptions& made);
/// @param prediction  with label-conditional p-values, or with familiarity
RowList row_list(const model::Predictor& model, const ListOptions& options, const model::Prediction& prediction);
/// The column `found`: yes or no. The list must outlive the columns.
void add_found(Columns& columns, const RowList& list);

/// The column `review`: a reason for each row that is marked, else empty. The review must outlive the columns.
void add_review(Columns& columns, const conformal::Review& review);
/// How many rows of each reason are marked: "19 of 190 rows to review: 12 between classes, 7 fits no class".
std::string review_sentence(std::span<const conformal::ReviewReason> reasons);

}  // namespace credence::report
