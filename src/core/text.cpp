#include <fmt/format.h>
#include <fmt/ranges.h>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"

namespace credence::core {

std::string count_of(std::size_t count, std::string_view noun) {
  const bool es = noun.ends_with('s');
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : es ? "es" : "s");
}

std::string with_names(std::string sentence, std::span<const Advice> names) {
  for (const auto& [advice, name] : names) {
    const std::size_t at = sentence.find(advice);
    if (at != std::string::npos) sentence.insert(at + advice.size(), fmt::format(" ({})", name));
  }
  return sentence;
}

}  // namespace credence::core

namespace credence {

namespace {

std::string with_place(const std::string& sentence, const Location& location) {
  std::string place = location.file == "-" ? "standard input" : location.file;
  if (location.line != 0)
    place = place.empty() ? fmt::format("line {}", location.line) : fmt::format("{}:{}", place, location.line);
  if (!location.column.empty()) {
    const bool numbered = location.column.find_first_not_of("0123456789") == std::string::npos;
    const std::string column = numbered ? location.column : fmt::format("'{}'", location.column);
    place = fmt::format("{}{}column {}", place, place.empty() ? "" : ", ", column);
  }
  return place.empty() ? sentence : fmt::format("{}: {}", place, sentence);
}

}  // namespace

Error::Error(ErrorCode code, const std::string& sentence, Location location)
    : std::runtime_error(with_place(sentence, location)),
      code_(code),
      sentence_(sentence),
      location_(std::move(location)) {}

void refuse(const std::string& sentence, Location location) {
  throw Error(ErrorCode::invalid_argument, sentence, std::move(location));
}

void refuse_data(const std::string& sentence, Location location) {
  throw Error(ErrorCode::invalid_data, sentence, std::move(location));
}

void throw_if_any(const std::vector<std::string>& problems) {
  if (!problems.empty()) refuse(fmt::format("{}", fmt::join(problems, "; ")));
}

std::string_view version() {
  return CREDENCE_VERSION;
}

}  // namespace credence
