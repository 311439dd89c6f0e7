#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "credence/core/atomic_file.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

namespace credence::cli {

/// To standard output. A reader that has left is not an error: the rest is dropped quietly.
/// @throws Error file if it cannot be written for another reason
void print(std::string_view text);
/// To standard error, never failing.
void print_error(std::string_view text);

/// Where the human part of a result goes: standard output, or standard error if that carries JSON; or nowhere.
class Human {
 public:
  Human(bool quiet, const std::string& json) : quiet_(quiet), to_error_(json == "-") {}
  void print(std::string_view text) const;
  std::FILE* stream() const { return to_error_ ? stderr : stdout; }
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
  bool to_error_;
};

/// A sentence of the library with the option of the command added to what the library names in its own terms:
/// "raise the memory budget (--memory)".
std::string with_options(std::string sentence);
/// The sentence as one line that a terminal shows and never obeys: names of files and cells may hold anything. Control
/// characters and bytes that are not UTF-8 are written as \xNN, and a line end as a blank.
std::string plain_line(std::string_view sentence);
/// A line "credence: warning: ..." on standard error.
void warn(std::string_view sentence);
/// A line "credence: note: ..." on standard error.
void note(std::string_view sentence);

/// To standard output if the path is "-", otherwise atomically to the file. Bytes that are not UTF-8 are replaced.
void write_json(const report::Json& document, const std::string& path);

/// Where the document of a result goes: as JSON, and as a page. Empty paths: nowhere.
struct DocumentOutput {
  std::string json;
  std::string report;
  bool sentence = false;  ///< print the sentences for a paper, even with --quiet

  bool wanted() const { return !json.empty() || !report.empty(); }
};
/// Finds out before a long run that an output cannot be written; of a page also whether pages are built in.
/// @param others  files that are read or written besides
void check_document_output(const DocumentOutput& output, std::vector<std::string> others = {});
/// Writes the document to where it is wanted, with the command line and the checksum of the data.
/// @param data  the file of the data; empty: the document keeps the checksum that it has
void write_document(report::Json document, const DocumentOutput& output, const std::string& data);
/// Prints the story, and writes the document, with the story under "report", to where it is wanted.
/// @param data  as of write_document
void tell(const report::Story& story, report::Json document, const Human& human, const DocumentOutput& output,
          const std::string& data, bool verbose = false);
/// Prints the sentences of the story for a paper, where they are asked for.
void tell_sentence(const report::Story& story, const Human& human, const DocumentOutput& output);
/// The checksum of a regular file, which reading again does not change; null for any other.
report::Json checksum_of(const std::string& path);
/// Keeps the command line for documents.
void remember_command(int argc, char** argv);
/// To standard output if the path is empty or "-", otherwise atomically to the file.
void write_table(const std::string& text, const std::string& path);
/// A table that is written as it comes: to standard output if the path is empty or "-", otherwise to a file that has
/// its name only when the table is complete.
class TableOutput {
 public:
  explicit TableOutput(std::string path) : path_(std::move(path)) {}
  bool to_standard_output() const { return path_.empty() || path_ == "-"; }
  void write(std::string_view text);
  void finish();

 private:
  std::string path_;
  std::optional<core::AtomicFile> file_;  ///< from the first text on
};

/// Finds out before a long run that an output cannot be written, or is one of the files that are read or written
/// besides. Empty paths and "-" pass.
void check_output(const std::string& path, const std::vector<std::string>& others = {});
/// Refuses an output that is one of the other files of the command.
void check_own_name(const std::string& path, const std::vector<std::string>& others);
/// Refuses a log or a checkpoint on standard output, or one that is another file of the command. Empty: none.
void check_run_files(const std::string& log, const std::string& checkpoint, std::vector<std::string> others);
/// The same for a model, which cannot go to standard output.
void check_model_output(const std::string& path, const std::vector<std::string>& others = {});

/// Terminal that takes colours, and nobody asked for none (NO_COLOR, TERM=dumb).
bool takes_colour(std::FILE* stream);

}  // namespace credence::cli
