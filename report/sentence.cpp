#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "credence/core/version.hpp"

namespace credence::report {
namespace {

constexpr std::array citations{
    std::pair{Reference::svm, "Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995), 273-297."},
    std::pair{Reference::rvm,
              "Tipping: Sparse Bayesian learning and the relevance vector machine. Journal of Machine "
              "Learning Research 1 (2001), 211-244."},
    std::pair{Reference::nonconformity,
              "Hardoon, Hussain, Shawe-Taylor: A nonconformity approach to model selection "
              "for SVMs. arXiv:0909.2332 (2009)."},
    std::pair{Reference::in_sample,
              "Anguita, Ghio, Oneto, Ridella: In-sample and out-of-sample model selection and "
              "error estimation for support vector machines. IEEE Transactions on Neural "
              "Networks and Learning Systems 23 (2012), 1390-1406."},
    std::pair{Reference::kernel_validity,
              "Kropotov, Ptashko, Vasiliev, Vetrov: On kernel selection in relevance "
              "vector machines using stability principle. ICPR (2006)."},
    std::pair{Reference::bbc,
              "Tsamardinos, Greasidou, Borboudakis: Bootstrapping the out-of-sample predictions for "
              "efficient and accurate cross-validation. Machine Learning 107 (2018), 1895-1922."},
    std::pair{Reference::nested,
              "Varma, Simon: Bias in error estimation when using cross-validation for model "
              "selection. BMC Bioinformatics 7:91 (2006)."},
    std::pair{Reference::clopper_pearson,
              "Clopper, Pearson: The use of confidence or fiducial limits illustrated in "
              "the case of the binomial. Biometrika 26 (1934), 404-413."},
    std::pair{Reference::korn_graubard,
              "Korn, Graubard: Confidence intervals for proportions with small expected "
              "number of positive counts estimated from survey data. Survey Methodology 24 "
              "(1998), 193-201."},
    std::pair{Reference::delong,
              "DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated "
              "receiver operating characteristic curves. Biometrics 44 (1988), 837-845."},
    std::pair{Reference::conformal,
              "Vovk, Gammerman, Shafer: Algorithmic learning in a random world. Springer, 2nd "
              "edition (2022)."},
    std::pair{Reference::class_conditional,
              "Vovk: Conditional validity of inductive conformal predictors. Machine "
              "Learning 92 (2013), 349-376."},
};

const char* citation_of(Reference reference) {
  return std::ranges::find(citations, reference, &decltype(citations)::value_type::first)->second;
}

}  // namespace

Sentences& Sentences::say(std::string_view text) {
  text_ += text;
  return *this;
}

Sentences& Sentences::cite(Reference reference) {
  auto place = std::ranges::find(cited_, reference);
  if (place == cited_.end()) place = cited_.insert(cited_.end(), reference);
  text_ += fmt::format(" [{}]", place - cited_.begin() + 1);
  return *this;
}

void Sentences::add_to(Story& story) const {
  std::string text = fmt::format("{} Credence {} made the computations.\n", text_, version());
  for (std::size_t i = 0; i < cited_.size(); ++i) text += fmt::format("\n[{}] {}", i + 1, citation_of(cited_[i]));
  story.section(sentence_id, "For a paper").add(Code{"Sentences to copy", text + '\n'});
}

std::string sentence_of(const Story& story) {
  const auto found = std::ranges::find(story.sections, sentence_id, &Section::id);
  if (found == story.sections.end()) return {};
  const auto* code = std::get_if<Code>(&found->blocks.front());
  return code == nullptr ? std::string() : code->text;
}

}  // namespace credence::report
