#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/sha256.hpp"
#include "report/page/page.hpp"
#include "report/sentence.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

/// As a shell takes it: plain words as they are, others between single quotes.
std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+%@^";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string& command_line() {
  static std::string line;
  return line;
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

namespace {

/// How many bytes the character at the start takes in UTF-8; 0 if there is none, or one that controls a terminal.
std::size_t visible_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                     (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                     (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : size;
}

}  // namespace

std::string plain_line(std::string_view sentence) {
  std::string line;
  while (!sentence.empty()) {
    const std::size_t size = visible_bytes(sentence);
    if (size > 0)
      line += sentence.substr(0, size);
    else if (sentence.front() == '\n')
      line += ' ';
    else
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(sentence.front()));
    sentence.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return line;
}

void Human::print(std::string_view text) const {
  if (quiet_) return;
  if (to_error_)
    print_error(text);
  else
    cli::print(text);
}

std::string with_options(std::string sentence) {
  constexpr std::array<core::Advice, 29> options{{
      {"raise the memory budget", "--memory"},
      {"name what means missing", "--na TEXT"},
      {"declare the column categorical", "--categorical"},
      {"drop the column", "--drop"},
      {"keep the column", "--keep"},
      {"say that it is a header", "--header yes"},
      {"say that there is no header", "--header no"},
      {"drop the rows with missing values", "--missing drop"},
      {"give the delimiter", "--delimiter"},
      {"give the decimal sign", "--decimal"},
      {"give the encoding latin1", "--encoding latin1"},
      {"give the index base 0", "--index-base 0"},
      {"take a regression", "--task regression"},
      {"choose another label", "--label"},
      {"such values can count as missing, or as no level", "--unseen missing, --unseen other"},
      {"such values can count as no level", "--unseen other"},
      {"folds or fewer", "--folds"},
      {"missing values can be imputed, or their rows dropped", "--missing impute, --missing drop"},
      {"a model that is trained to impute", "--missing impute"},
      {"a regression, with relevance vector machines", "--task regression"},
      {"preprocessed by this model", "credence convert --preprocess"},
      {"those of conformal regression", "credence conformal intervals"},
      {"give rare classes more weight", "--class-weight balanced"},
      {"choose by balanced accuracy", "--score balanced_accuracy"},
      {"scale the columns", "--scale standard"},
      {"take a smaller C", "--C"},
      {"give a larger limit", "--time-limit"},
      {"train this setting alone", "credence train"},
      {"choose in regions of the feature space", "--method regions"},
  }};
  return core::with_names(std::move(sentence), options);
}

void warn(std::string_view sentence) {
  print_error(fmt::format("credence: warning: {}\n", plain_line(with_options(std::string(sentence)))));
}

void note(std::string_view sentence) {
  print_error(fmt::format("credence: note: {}\n", plain_line(with_options(std::string(sentence)))));
}

void write_json(const report::Json& document, const std::string& path) {
  if (path.empty()) return;
  write_table(report::json_text(document), path);
}

report::Json checksum_of(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || path == "-" || !std::filesystem::is_regular_file(path, ignored)) return nullptr;
  std::ifstream file(path, std::ios::binary);
  core::Sha256 sum;
  std::uint64_t bytes = 0;
  std::vector<char> block(std::size_t{1} << 16U);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    const auto count = static_cast<std::size_t>(file.gcount());
    sum.add({block.data(), count});
    bytes += count;
  }
  if (file.bad()) return nullptr;
  return report::Json::object(report::JsonMember{"sha256", core::hexadecimal(sum.finish())},
                              report::JsonMember{"bytes", bytes});
}

void remember_command(int argc, char** argv) {
  std::string& line = command_line();
  line = "credence";
  for (int i = 1; i < argc; ++i) line += " " + shell_word(argv[i]);
}

void check_document_output(const DocumentOutput& output, std::vector<std::string> others) {
  check_output(output.json, others);
  if (output.report.empty()) return;
  report::check_pages_are_built_in();
  if (output.report == "-") refuse("--report: a page cannot be written to standard output; name a file");
  others.push_back(output.json);
  check_output(output.report, others);
}

void write_document(report::Json document, const DocumentOutput& output, const std::string& data) {
  if (!output.wanted()) return;
  if (!data.empty()) document["checksum"] = checksum_of(data);
  document["command"] = command_line();
  write_json(document, output.json);
  if (!output.report.empty())
    core::write_atomically(output.report, report::page(report::json_text(document), output.report));
}

void tell_sentence(const report::Story& story, const Human& human, const DocumentOutput& output) {
  if (!output.sentence) return;
  const std::string text = report::sentence_of(story);
  Human(false, output.json)
      .print(text.empty() ? "There are no sentences for this result.\n" : (human.quiet() ? "" : "\n") + text);
}

void tell(const report::Story& story, report::Json document, const Human& human, const DocumentOutput& output,
          const std::string& data, bool verbose) {
  human.print(report::terminal_text(story, verbose ? report::Detail::verbose : report::Detail::usual));
  tell_sentence(story, human, output);
  if (!output.wanted()) return;
  document["report"] = report::story_json(story);
  write_document(std::move(document), output, data);
}

void write_table(const std::string& text, const std::string& path) {
  if (path.empty() || path == "-")
    print(text);
  else
    core::write_atomically(path, text);
}

void TableOutput::write(std::string_view text) {
  if (to_standard_output()) return print(text);
  if (!file_) file_.emplace(path_);
  file_->write(text);
}

void TableOutput::finish() {
  if (file_) file_->commit();
}

namespace {

/// Whether two names are of one file, which need not exist.
bool is_same_file(const std::string& path, const std::string& other) {
  if (path.empty() || other.empty() || path == other) return path == other;
  std::error_code error;
  if (std::filesystem::equivalent(path, other, error)) return true;
  const auto whole = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  return path != "-" && other != "-" && whole(path) == whole(other) && !error;
}

}  // namespace

void check_own_name(const std::string& path, const std::vector<std::string>& others) {
  for (const std::string& other : others)
    if (is_same_file(path, other))
      refuse(fmt::format("the output '{}' is also another file of this command; give it a name of its own", path));
}

void check_output(const std::string& path, const std::vector<std::string>& others) {
  if (path.empty() || path == "-") return;
  check_own_name(path, others);
  core::check_writable(path);
}

void check_run_files(const std::string& log, const std::string& checkpoint, std::vector<std::string> others) {
  if (log == "-" || checkpoint == "-")
    refuse(fmt::format("{}: name a file; this one cannot be standard output", log == "-" ? "--log" : "--checkpoint"));
  if (!log.empty()) check_own_name(log, others);
  if (checkpoint.empty()) return;
  others.push_back(log);
  check_own_name(checkpoint, others);
}

void check_model_output(const std::string& path, const std::vector<std::string>& others) {
  if (path == "-") refuse("-o: a model cannot be written to standard output; name a file");
  check_output(path, others);
}

bool takes_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return system::is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

}  // namespace credence::cli
