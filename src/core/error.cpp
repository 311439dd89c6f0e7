#include "credence/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void throw_if_any(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw Error(ErrorCode::invalid_argument, fmt::format("{}", fmt::join(problems, "; ")));
}

}  // namespace credence
