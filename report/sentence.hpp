#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/story.hpp"

/// The sentence that a paper can print of a result, with its references.
namespace credence::report {

/// The references that sentences cite.
namespace reference {
inline constexpr std::string_view svm = "Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995), 273-297.";
inline constexpr std::string_view rvm =
    "Tipping: Sparse Bayesian learning and the relevance vector machine. Journal of Machine "
    "Learning Research 1 (2001), 211-244.";
inline constexpr std::string_view nonconformity =
    "Hardoon, Hussain, Shawe-Taylor: A nonconformity approach to model selection "
    "for SVMs. arXiv:0909.2332 (2009).";
inline constexpr std::string_view in_sample =
    "Anguita, Ghio, Oneto, Ridella: In-sample and out-of-sample model selection and "
    "error estimation for support vector machines. IEEE Transactions on Neural "
    "Networks and Learning Systems 23 (2012), 1390-1406.";
inline constexpr std::string_view kernel_validity =
    "Kropotov, Ptashko, Vasiliev, Vetrov: On kernel selection in relevance "
    "vector machines using stability principle. ICPR (2006).";
inline constexpr std::string_view bbc =
    "Tsamardinos, Greasidou, Borboudakis: Bootstrapping the out-of-sample predictions for "
    "efficient and accurate cross-validation. Machine Learning 107 (2018), 1895-1922.";
inline constexpr std::string_view nested =
    "Varma, Simon: Bias in error estimation when using cross-validation for model "
    "selection. BMC Bioinformatics 7:91 (2006).";
inline constexpr std::string_view clopper_pearson =
    "Clopper, Pearson: The use of confidence or fiducial limits illustrated in "
    "the case of the binomial. Biometrika 26 (1934), 404-413.";
inline constexpr std::string_view korn_graubard =
    "Korn, Graubard: Confidence intervals for proportions with small expected "
    "number of positive counts estimated from survey data. Survey Methodology 24 "
    "(1998), 193-201.";
inline constexpr std::string_view delong =
    "DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated "
    "receiver operating characteristic curves. Biometrics 44 (1988), 837-845.";
inline constexpr std::string_view conformal =
    "Vovk, Gammerman, Shafer: Algorithmic learning in a random world. Springer, 2nd "
    "edition (2022).";
inline constexpr std::string_view class_conditional =
    "Vovk: Conditional validity of inductive conformal predictors. Machine "
    "Learning 92 (2013), 349-376.";
}  // namespace reference

/// The section of the sentences, from which the command and Python take them.
inline constexpr const char* sentence_id = "sentence";
/// Sentences with citations, whose list stands below them.
class Sentences {
 public:
  Sentences& say(std::string_view text);
  /// Adds " [1]" where the sentences are now.
  Sentences& cite(std::string_view reference);
  /// Adds a section with the sentences, and with Credence and its version as the tool.
  void add_to(Story& story) const;

 private:
  std::string text_;
  std::vector<std::string_view> cited_;
};
/// The sentences and references of a story; empty if it has none.
std::string sentence_of(const Story& story);

}  // namespace credence::report
