#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence {

/// What kind of thing went wrong; the command maps each to an exit code.
enum class ErrorCode {
  invalid_argument,  ///< an option or argument is outside its range
  invalid_data,      ///< the data say something that cannot be used
  file,              ///< a file cannot be opened, read or written
  format,            ///< a file is not what it claims to be: truncated, altered, newer
  memory,            ///< the work does not fit into the memory that was granted
  interrupted,       ///< cancelled by the caller or out of its time budget, without a usable result
};

/// Where in the input it went wrong. Empty fields are unknown or do not apply.
struct Location {
  std::string file{};
  std::size_t line = 0;  ///< 1-based; 0 is unknown
  std::string column{};  ///< a column's name or its 1-based number
};

/// The one exception of the library: a code, one sentence, a place.
/// `what()` is "file:line, column 'name': sentence" with the known parts of the place.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence, Location location = {});

  ErrorCode code() const noexcept { return code_; }
  const std::string& sentence() const noexcept { return sentence_; }
  const Location& location() const noexcept { return location_; }

 private:
  ErrorCode code_;
  std::string sentence_;
  Location location_;
};

/// Throws one invalid_argument Error that names every problem of the list; does nothing if the list is empty.
/// This is how `validate()`, which returns all problems at once, becomes an exception.
void throw_if_any(const std::vector<std::string>& problems);

}  // namespace credence
