#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "data/cell.hpp"

namespace credence::data {

namespace {

/// A text file, packed if its name ends in .gz. Lines are gathered in `text`; flush() now and then.
class Sink {
 public:
  explicit Sink(const std::string& path) : path_(path) {
    const bool packed = std::string_view(path).ends_with(".gz");
    file_ = gzopen(path.c_str(), packed ? "wb" : "wbT");
    if (file_ == nullptr) fail("opened for writing");
  }
  ~Sink() {
    if (file_ != nullptr) gzclose(file_);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  std::string text;

  void end_line() {
    text += '\n';
    constexpr std::size_t enough = std::size_t{1} << 16U;
    if (text.size() >= enough) flush();
  }
  void close() {
    flush();
    const int status = gzclose(file_);
    file_ = nullptr;
    if (status != Z_OK) fail("written");
  }

 private:
  void flush() {
    if (!text.empty() && gzwrite(file_, text.data(), static_cast<unsigned>(text.size())) <= 0) fail("written");
    text.clear();
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorCode::file, fmt::format("the file cannot be {}: {}", what, std::generic_category().message(errno)),
                {.file = path_});
  }

  std::string path_;
  gzFile file_ = nullptr;
};

void append_number(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

void append_csv_text(std::string& text, std::string_view cell) {
  const bool outer_blanks = detail::trimmed(cell).size() != cell.size();
  if (!outer_blanks && cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void require(bool condition, const std::string& sentence) {
  if (!condition) throw Error(ErrorCode::invalid_argument, sentence);
}

/// Calls visit(column, value) for the entries of a row: all of a dense one, the stored ones of a sparse one.
template <class Visit>
void for_each_entry(const Features& features, std::size_t row, Visit visit) {
  if (features.is_sparse()) {
    const auto indices = features.sparse().row_indices(row);
    const auto values = features.sparse().row_values(row);
    for (std::size_t k = 0; k < indices.size(); ++k) visit(std::size_t{indices[k]}, values[k]);
  } else {
    const auto values = features.dense().row(row);
    for (std::size_t j = 0; j < values.size(); ++j) visit(j, values[j]);
  }
}

void check_svmlight_classes(const Dataset& labels) {
  for (const std::string& name : labels.schema.classes) {
    require(!name.empty() && name.find_first_of(" \t\r\n\v\f#:") == std::string::npos,
            fmt::format("the class {} cannot be written as svmlight text, where a label has no blank, '#' or ':'",
                        detail::quoted(name)));
  }
}

std::string_view svmlight_label(const Dataset& labels, std::size_t row) {
  if (!labels.is_labelled()) return "0";
  const int label = labels.labels[row];
  return label < 0 ? std::string_view("nan") : labels.schema.classes.at(static_cast<std::size_t>(label));
}

void check_sizes(const Features& features, const Dataset& labels) {
  require(!labels.is_labelled() || labels.labels.size() == features.rows(),
          fmt::format("there are {} for {}", detail::counted(labels.labels.size(), "label"),
                      detail::counted(features.rows(), "row")));
}

void append_csv_row(std::string& text, const Features& features, std::size_t row, std::vector<double>& buffer) {
  buffer.assign(features.columns(), 0);
  for_each_entry(features, row, [&](std::size_t column, double value) { buffer[column] = value; });
  for (std::size_t j = 0; j < buffer.size(); ++j) {
    if (j > 0) text += ',';
    if (!std::isnan(buffer[j])) append_number(text, buffer[j]);
  }
}

}  // namespace

void write_svmlight(const std::string& path, const Features& features, const Dataset& labels) {
  check_sizes(features, labels);
  if (labels.is_labelled()) check_svmlight_classes(labels);
  Sink sink(path);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    sink.text += svmlight_label(labels, i);
    for_each_entry(features, i, [&](std::size_t column, double value) {
      if (value == 0) return;
      fmt::format_to(std::back_inserter(sink.text), " {}:", column + 1);
      append_number(sink.text, value);
    });
    sink.end_line();
  }
  sink.close();
}

void write_csv(const std::string& path, const Features& features, const std::vector<std::string>& names,
               const Dataset& labels) {
  check_sizes(features, labels);
  require(names.size() == features.columns(), fmt::format("there are {} for {}", detail::counted(names.size(), "name"),
                                                          detail::counted(features.columns(), "column")));
  Sink sink(path);
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j > 0) sink.text += ',';
    append_csv_text(sink.text, names[j]);
  }
  if (labels.is_labelled()) sink.text += names.empty() ? "label" : ",label";
  sink.end_line();
  std::vector<double> buffer;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    append_csv_row(sink.text, features, i, buffer);
    if (labels.is_labelled()) {
      if (!names.empty()) sink.text += ',';
      const int label = labels.labels[i];
      if (label >= 0) append_csv_text(sink.text, labels.schema.classes.at(static_cast<std::size_t>(label)));
    }
    sink.end_line();
  }
  sink.close();
}

}  // namespace credence::data
