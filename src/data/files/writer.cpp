#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <optional>
#include <string_view>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/row_key.hpp"
#include "data/cell.hpp"
#include "data/source/source.hpp"

namespace credence::data {

namespace {

/// The bytes as a gzip file.
std::string packed(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string bytes;
  std::string chunk(std::size_t{1} << 18U, '\0');
  std::size_t taken = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      const std::size_t more = std::min(text.size() - taken, std::size_t{1} << 30U);
      // zlib reads through a pointer to non-const, but does not write.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + taken));
      stream.avail_in = static_cast<uInt>(more);
      taken += more;
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = deflate(&stream, taken == text.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.append(chunk, 0, chunk.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return bytes;
}

/// Packed if the name ends in .gz.
void write_text(const std::string& path, const std::string& text) {
  core::write_atomically(path, path.ends_with(".gz") ? packed(text) : text);
}

void append_number(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

void require(bool condition, const std::string& sentence) {
  if (!condition) refuse(sentence);
}

void check_svmlight_classes(const Dataset& labels) {
  for (const std::string& name : labels.schema.classes) {
    require(!name.empty() && name.find_first_of(" \t\r\n\v\f#:") == std::string::npos,
            fmt::format("the class {} cannot be written as svmlight text, where a label has no blank, '#' or ':'",
                        detail::in_quotes(name)));
    require(!detail::starts_with_mark(name),
            fmt::format("the class {} cannot be written as svmlight text, where a label begins with no byte order mark",
                        detail::in_quotes(name)));
  }
}

/// The class or target of a row as text; nothing if it is unknown.
std::optional<std::string> label_text(const Dataset& labels, std::size_t row) {
  if (labels.is_regression()) {
    const double target = labels.targets[row];
    return std::isnan(target) ? std::nullopt : std::optional(fmt::format("{}", target));
  }
  const int label = labels.labels[row];
  if (label < 0) return std::nullopt;
  return labels.schema.classes.at(static_cast<std::size_t>(label));
}

void check_sizes(const Features& features, const Dataset& labels) {
  const std::size_t count = labels.is_regression() ? labels.targets.size() : labels.labels.size();
  require(!labels.is_labelled() || count == features.rows(),
          fmt::format("there are {} for {}", detail::count_of(count, labels.is_regression() ? "target" : "label"),
                      detail::count_of(features.rows(), "row")));
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

std::string csv_cell(std::string_view text, char delimiter) {
  const bool outer_blanks = detail::trimmed(text).size() != text.size();
  const bool parted = text.find(delimiter) != std::string_view::npos;
  if (!parted && !outer_blanks && !detail::starts_with_mark(text) &&
      text.find_first_of("\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

void write_svmlight(const std::string& path, const Features& features, const Dataset& labels) {
  check_sizes(features, labels);
  if (labels.is_labelled()) check_svmlight_classes(labels);
  const int base = labels.schema.index_base.value_or(1);
  bool says_base = base == 1;  // a file that counts from 0 is known by an index 0
  std::string text;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    text += labels.is_labelled() ? label_text(labels, i).value_or("nan") : "0";
    for_each_entry(features, i, [&](std::size_t column, double value) {
      if (!says_base && column > 0) text += " 0:0";
      says_base = says_base || column > 0 || value != 0;
      if (value == 0) return;
      fmt::format_to(std::back_inserter(text), " {}:", column + static_cast<std::size_t>(base));
      append_number(text, value);
    });
    text += '\n';
  }
  write_text(path, text);
}

void write_csv(const std::string& path, const Features& features, const std::vector<std::string>& names,
               const Dataset& labels) {
  check_sizes(features, labels);
  require(names.size() == features.columns(), fmt::format("there are {} for {}", detail::count_of(names.size(), "name"),
                                                          detail::count_of(features.columns(), "column")));
  std::string text;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j > 0) text += ',';
    text += csv_cell(names[j]);
  }
  if (labels.is_labelled()) {
    if (!names.empty()) text += ',';
    text += labels.is_regression() ? "target" : "label";
  }
  text += '\n';
  std::vector<double> buffer;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    append_csv_row(text, features, i, buffer);
    if (labels.is_labelled()) {
      if (!names.empty()) text += ',';
      text += csv_cell(label_text(labels, i).value_or(""));
    }
    text += '\n';
  }
  write_text(path, text);
}

}  // namespace credence::data
