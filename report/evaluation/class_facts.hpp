#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/selector.hpp"
#include "report/evaluation/confusion_report.hpp"
#include "report/json.hpp"
#include "report/setting_words.hpp"

/// What an error rate is worth: figures and sentences that terminal, JSON, page and Python share.
namespace credence::report {

/// The best answer that looks at no feature, by the score of `scale`.
struct Baseline {
  std::string name{};  ///< of the class that it always names, of several the first; empty if all do as well
  double error = 0;  ///< its loss: share of the rows of other classes, or of their weights; 1 - balanced accuracy, ...
  Scale scale{.kind = selection::ScoreKind::error, .name = "error"};
  /// "always naming the commonest class, 'benign'"
  std::string rule() const;
};
/// Nothing without rows. That of a selection has the score that chose; where errors are weighted, so are its own.
/// @param of_the_choice  on the rows that chose, also where the honest estimate judges rows set aside
std::optional<Baseline> baseline_of(const selection::Selection& selection, bool of_the_choice = false);
std::optional<Baseline> baseline_of(const Confusion& confusion);

/// The share of wrong labels of that answer on the rows that chose, where a score of labels chose.
std::optional<double> baseline_error(const selection::Selection& selection);

/// How many rows of a class got its label: its recall is found / rows.
struct ClassRecall {
  std::string name;
  std::size_t rows = 0;
  std::size_t found = 0;
};
std::vector<ClassRecall> recall_of(const Confusion& confusion);
/// Of rows that were left out, by the scores that a model or a selection keeps of them; empty if the scores of all
/// classes are not there.
std::vector<ClassRecall> recall_of(const model::Calibration& calibration, const std::vector<std::string>& classes);
/// The same rows, counted; nothing as above.
std::optional<Confusion> confusion_of(const model::Calibration& calibration, const std::vector<std::string>& classes);
/// How strange each of these rows is as one of each class. Empty as above.
data::DenseMatrix nonconformity_of(const model::Calibration& calibration, std::size_t classes);
/// The label that each of these rows got: the class that fits best; of equal ones the first. Empty as above.
std::vector<int> labels_of(const model::Calibration& calibration, std::size_t classes);

/// "37.26 % (always naming the commonest class, 'benign')", or "0.5000 (balanced accuracy of naming one class always)".
/// Beside the error on rows that were evaluated.
inline constexpr const char* quotable = "the figure to quote, if these rows had no part in the training or the choice";
std::string baseline_text(const Baseline& baseline);
/// "benign 98.88 %, malignant 94.34 %"; of more than eight classes the eight that are found least.
std::string recall_text(const std::vector<ClassRecall>& recall);
/// null for nothing.
Json baseline_json(const std::optional<Baseline>& baseline);
Json recall_json(const std::vector<ClassRecall>& recall);

/// That the rows do not show, by the score that chose, that the model has learnt anything: its loss may be as large as
/// the baseline's. Empty otherwise.
/// @param upper  upper end of an interval of the loss  @param has_recall  beside it, for the reader to look at
std::string not_learnt_sentence(const Baseline& baseline, double upper, bool has_recall);
/// The same of a model whose score is not known: that its error is, or may be, as large as that of naming one class.
std::string no_smaller_sentence(const Baseline& baseline, double error, double upper);
/// Names rare classes, with fewer than half of an equal share of the rows, of which fewer than half are found, and says
/// what may help; empty if there is none.
/// @param advice  "give rare classes more weight, and choose by balanced accuracy"; empty for none
std::string rare_classes_sentence(const std::vector<ClassRecall>& recall, const std::string& advice);

}  // namespace credence::report
