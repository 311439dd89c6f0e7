#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/version.hpp"

namespace credence::report {

Sentences& Sentences::say(std::string_view text) {
  text_ += text;
  return *this;
}

Sentences& Sentences::cite(std::string_view reference) {
  auto place = std::ranges::find(cited_, reference);
  if (place == cited_.end()) place = cited_.insert(cited_.end(), reference);
  text_ += fmt::format(" [{}]", place - cited_.begin() + 1);
  return *this;
}

void Sentences::add_to(Story& story) const {
  std::string text = fmt::format("{} Credence {} made the computations.\n", text_, version());
  for (std::size_t i = 0; i < cited_.size(); ++i) text += fmt::format("\n[{}] {}", i + 1, cited_[i]);
  story.section(sentence_id, "For a paper").add(Code{"Sentences to copy", text + '\n'});
}

std::string sentence_of(const Story& story) {
  const auto found = std::ranges::find(story.sections, sentence_id, &Section::id);
  if (found == story.sections.end()) return {};
  const auto* code = std::get_if<Code>(&found->blocks.front());
  return code == nullptr ? std::string() : code->text;
}

}  // namespace credence::report
