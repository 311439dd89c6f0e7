#include "report/proof_sentence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace credence::report {
namespace {

/// With the gaps after `before`, each with `between` before the next.
std::string proof_words(const std::string& subject, const std::vector<std::string>& gaps, double delta,
                        const char* before, const char* between) {
  if (gaps.empty())
    return fmt::format("{} proved for independent rows, with probability {:.6g} %.", subject, 100 * (1 - delta));
  return fmt::format("{} not proved in this run, because{}{}.", subject, before, fmt::join(gaps, between));
}

}  // namespace

std::string proof_sentence(const std::string& subject, const std::vector<std::string>& gaps, double delta) {
  return proof_words(subject, gaps, delta, "\n- ", ";\n- ") + '\n';
}

std::string proof_line(const std::string& subject, const std::vector<std::string>& gaps, double delta) {
  return proof_words(subject, gaps, delta, " ", "; ");
}

}  // namespace credence::report
