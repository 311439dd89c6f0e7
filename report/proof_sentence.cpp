#include "report/proof_sentence.hpp"

#include <fmt/format.h>

namespace credence::report {

std::string proof_sentence(const std::string& subject, const std::vector<std::string>& gaps, double delta) {
  if (gaps.empty())
    return fmt::format("{} proved for independent rows, with probability {:.6g} %.\n", subject, 100 * (1 - delta));
  std::string text = subject + " not proved in this run, because\n";
  for (const std::string& gap : gaps) text += "- " + gap + (&gap == &gaps.back() ? ".\n" : ";\n");
  return text;
}

}  // namespace credence::report
