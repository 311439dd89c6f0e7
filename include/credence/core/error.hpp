#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence {

/// The kinds of errors. The command maps each kind to an exit code.
enum class ErrorCode {
  invalid_argument,  ///< an option or argument is outside its range
  invalid_data,      ///< the data cannot be used as they are
  file,              ///< a file cannot be opened, read or written
  format,            ///< a file is truncated, altered, or of a newer version than the library
  memory,            ///< the work does not fit into the memory that was granted
  interrupted,       ///< the caller cancelled, or the time ran out, before there was a usable result
};

/// The place of an error in the input. An empty field is unknown or does not apply.
struct Location {
  std::string file{};
  std::size_t line = 0;  ///< 1-based; 0 is unknown
  std::string column{};  ///< a column's name or its 1-based number
};

/// The one exception of the library: a code, one sentence and a place. `what()` returns "file:line, column 'name':
/// sentence" with those parts of the place that are known.
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

/// Throws an Error of invalid_argument.
[[noreturn]] void refuse(const std::string& sentence, Location location = {});
/// Throws an Error of invalid_data.
[[noreturn]] void refuse_data(const std::string& sentence, Location location = {});
/// Returns what `work` returns. If it throws an Error, the sentence gets `name` in front: "--confidence-level: ...".
auto under_name(const std::string& name, const auto& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.sentence());
  }
}
/// Throws one invalid_argument Error that names every problem of the list; an empty list throws nothing. The function
/// turns the list that a `validate()` returns into an exception.
void throw_if_any(const std::vector<std::string>& problems);

}  // namespace credence
