#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/story.hpp"

/// The sentence that a paper can print of a result, with its references.
namespace credence::report {

enum class Reference {
  svm,
  rvm,
  nonconformity,
  in_sample,
  kernel_validity,
  bbc,
  nested,
  clopper_pearson,
  korn_graubard,
  delong,
  conformal,
  class_conditional,
};

/// The section of the sentences, from which the command and Python take them.
inline constexpr const char* sentence_id = "sentence";
/// Sentences with citations, whose list stands below them.
class Sentences {
 public:
  Sentences& say(std::string_view text);
  /// Adds " [1]" where the sentences are now.
  Sentences& cite(Reference reference);
  /// Adds a section with the sentences, and with Credence and its version as the tool.
  void add_to(Story& story) const;

 private:
  std::string text_;
  std::vector<Reference> cited_;
};
/// The sentences and references of a story; empty if it has none.
std::string sentence_of(const Story& story);

}  // namespace credence::report
