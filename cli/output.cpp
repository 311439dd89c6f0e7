#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"

namespace credence::cli {
namespace {

std::optional<int> exponent_of_two(double value) {
  int exponent = 0;
  if (!(value > 0) || std::frexp(value, &exponent) != 0.5) return std::nullopt;
  return exponent - 1;
}

}  // namespace

void print(std::string_view text) {
  static bool reader_left = false;
  if (reader_left) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno != EPIPE)
    throw Error(ErrorCode::file, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  reader_left = true;
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Human::print(std::string_view text) const {
  if (quiet_) return;
  if (to_error_)
    print_error(text);
  else
    cli::print(text);
}

void warn(std::string_view sentence) {
  print_error(fmt::format("credence: warning: {}\n", sentence));
}

void note(std::string_view sentence) {
  print_error(fmt::format("credence: note: {}\n", sentence));
}

void write_json(const Json& document, const std::string& path) {
  if (path.empty()) return;
  const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path == "-")
    print(text);
  else
    core::write_atomically(path, text);
}

void check_output(const std::string& path, const std::vector<std::string>& others) {
  if (path.empty() || path == "-") return;
  for (const std::string& other : others) {
    std::error_code ignored;
    if (other == path || std::filesystem::equivalent(path, other, ignored)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("the output '{}' is also another file of this command; give it a name of its own", path));
    }
  }
  core::check_writable(path);
}

void check_model_output(const std::string& path, const std::vector<std::string>& others) {
  if (path == "-")
    throw Error(ErrorCode::invalid_argument, "-o: a model cannot be written to standard output; name a file");
  check_output(path, others);
}

std::string count_of(std::size_t count, std::string_view noun) {
  const bool es = noun.ends_with('s');
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : es ? "es" : "s");
}

std::string readable(double value) {
  const auto exponent = exponent_of_two(value);
  return exponent && *exponent != 0 ? fmt::format("{:.6g} (2^{})", value, *exponent) : fmt::format("{:.6g}", value);
}

std::string short_number(double value) {
  const auto exponent = exponent_of_two(value);
  return exponent && *exponent != 0 ? fmt::format("2^{}", *exponent) : fmt::format("{:.4g}", value);
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

bool is_terminal(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1;
}

bool takes_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace credence::cli
