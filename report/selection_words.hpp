#pragma once

#include <algorithm>
#include <iterator>

#include "credence/selection/selector.hpp"

/// The words of the options of a selection whose values are words.
namespace credence::report {

/// A word, and the value that it stands for.
template <class Value>
struct Choice {
  const char* word;
  Value value;
};

/// One table for each type; the first word is the default.
template <class Value>
inline constexpr Choice<Value> words[1] = {};

template <>
inline constexpr Choice<selection::Tie> words<selection::Tie>[] = {
    {"validation_error", selection::Tie::validation_error},
    {"random", selection::Tie::random},
    {"vote", selection::Tie::vote}};
template <>
inline constexpr Choice<selection::PValue> words<selection::PValue>[] = {{"paper", selection::PValue::paper},
                                                                         {"conformal", selection::PValue::conformal}};
template <>
inline constexpr Choice<selection::Margin> words<selection::Margin>[] = {{"functional", selection::Margin::functional},
                                                                         {"geometric", selection::Margin::geometric}};
template <>
inline constexpr Choice<selection::BootstrapError> words<selection::BootstrapError>[] = {
    {"oob", selection::BootstrapError::out_of_bag},
    {"632", selection::BootstrapError::e632},
    {"632+", selection::BootstrapError::e632_plus}};
template <>
inline constexpr Choice<selection::Refit> words<selection::Refit>[] = {{"all", selection::Refit::all_rows},
                                                                       {"training", selection::Refit::training_rows}};
template <>
inline constexpr Choice<selection::Estimate> words<selection::Estimate>[] = {
    {"bbc", selection::Estimate::bbc}, {"nested", selection::Estimate::nested}, {"none", selection::Estimate::none}};
template <>
inline constexpr Choice<selection::Learner> words<selection::Learner>[] = {
    {"svm", selection::Learner::svm}, {"knn", selection::Learner::knn}, {"rvm", selection::Learner::rvm}};
template <>
inline constexpr Choice<rvm::Algorithm> words<rvm::Algorithm>[] = {{"batch", rvm::Algorithm::batch},
                                                                   {"sequential", rvm::Algorithm::sequential}};
template <>
inline constexpr Choice<selection::ScaleScope> words<selection::ScaleScope>[] = {{"fold", selection::ScaleScope::fold},
                                                                                 {"all", selection::ScaleScope::all}};
template <>
inline constexpr Choice<selection::ComplexityTerm> words<selection::ComplexityTerm>[] = {
    {"exact", selection::ComplexityTerm::exact}, {"trials", selection::ComplexityTerm::trials}};
template <>
inline constexpr Choice<selection::Loss> words<selection::Loss>[] = {{"hard", selection::Loss::hard},
                                                                     {"soft", selection::Loss::soft}};
template <>
inline constexpr Choice<selection::FinalClassifier> words<selection::FinalClassifier>[] = {
    {"retrained", selection::FinalClassifier::retrained}, {"random", selection::FinalClassifier::random}};

template <class Value>
const char* word(Value value) {
  const auto is_it = [&](const Choice<Value>& choice) { return choice.value == value; };
  return std::find_if(std::begin(words<Value>), std::end(words<Value>), is_it)->word;
}

}  // namespace credence::report
