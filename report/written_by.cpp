#include "report/plan.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"

namespace credence::report {
namespace {

/// Major, minor and patch as one number that grows with them.
std::optional<int> version_number(std::string_view text) {
  int number = 0;
  for (int part = 0; part < 3; ++part) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || value < 0 || value > 999) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (part < 2 && !text.starts_with('.')) return std::nullopt;
    if (part < 2) text.remove_prefix(1);
    number = 1000 * number + value;
  }
  return number;
}

}  // namespace

void refuse_newer(std::string_view version, std::string_view document, const std::string& source) {
  const auto theirs = version_number(version);
  if (!theirs || *theirs <= *version_number(credence::version())) return;
  throw Error(ErrorCode::format,
              fmt::format("Credence {} wrote this {}, and this is Credence {}: read the {} with that version or a "
                          "later one",
                          version, document, credence::version(), document),
              {source, 0, ""});
}

}  // namespace credence::report
