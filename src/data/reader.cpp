#include "credence/data/reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "credence/core/error.hpp"
#include "data/cell.hpp"
#include "data/csv.hpp"
#include "data/source.hpp"
#include "data/svmlight.hpp"

namespace credence::data {

namespace {

std::string extension_of(const std::string& path) {
  std::filesystem::path name = path;
  if (detail::equal_ignoring_case(name.extension().string(), ".gz")) name = name.stem();
  return name.extension().string();
}

bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions) {
  for (const std::string_view extension : extensions)
    if (detail::equal_ignoring_case(extension_of(path), extension)) return true;
  return false;
}

/// `.txt` says nothing: LIBSVM's data sets are called so, and CSV files too.
Format detect_format(detail::TextSource& source) {
  if (has_extension(source.path(), {".csv", ".tsv"})) return Format::csv;
  if (has_extension(source.path(), {".svm", ".svmlight", ".libsvm"})) return Format::svmlight;
  return detail::looks_like_svmlight(source.peek()) ? Format::svmlight : Format::csv;
}

std::vector<std::string> problems_of(const ReadOptions& options) {
  std::vector<std::string> problems;
  constexpr std::string_view not_delimiters = "\"\r\n+-.";
  const char c = options.delimiter;
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c == '\0' || alphanumeric || not_delimiters.find(c) != std::string_view::npos)
    problems.emplace_back("the delimiter must be one character that can stand neither in a number nor in a quote");
  if (options.unlabelled && options.label)
    problems.emplace_back("a label column is given, but the data are declared unlabelled");
  return problems;
}

void refuse_columns_of_svmlight(const std::string& path, const ReadOptions& options) {
  const bool chosen = options.label || options.weights || options.hint || options.groups || options.folds;
  if (chosen || !options.categorical.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "svmlight text has its label first and numeric features after it, so no label, weights, hint, groups, "
                "folds or categorical column can be chosen",
                {.file = path});
  }
  if (options.schema != nullptr && !options.schema->hint_name.empty()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the model takes a hint from column '{}', and svmlight text has no such column; use CSV",
                            options.schema->hint_name),
                {path, 0, options.schema->hint_name});
  }
}

}  // namespace

Dataset read(const std::string& path, const ReadOptions& options) {
  throw_if_any(problems_of(options));
  detail::TextSource source(path);
  const Format format = options.format == Format::detect ? detect_format(source) : options.format;
  if (format == Format::svmlight) {
    refuse_columns_of_svmlight(path, options);
    return detail::read_svmlight(source, options);
  }
  const bool tabs = options.delimiter == ',' && has_extension(path, {".tsv"});
  return detail::build_dataset(detail::load_csv(source, tabs ? '\t' : options.delimiter, options), options);
}

}  // namespace credence::data
