#include "credence/data/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "data/cell.hpp"
#include "data/csv/csv.hpp"
#include "data/csv/csv_text.hpp"
#include "data/files/svmlight.hpp"
#include "data/source/source.hpp"

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
  if (alphanumeric || not_delimiters.find(c) != std::string_view::npos)
    problems.emplace_back("the delimiter must be one character that can stand neither in a number nor in a quote");
  if (options.schema != nullptr && options.features)
    problems.emplace_back("the model knows how many features there are, so their number cannot be given");
  if (options.unlabelled && options.label)
    problems.emplace_back("a label column is given, but the data are declared unlabelled");
  return problems;
}

void refuse_columns_of_svmlight(const std::string& path, const ReadOptions& options) {
  const bool chosen = options.label || options.weights || options.hint || options.groups || options.folds;
  if (!options.texts.empty() || options.all_texts)
    refuse("svmlight text has no columns of text that could stand beside the predictions; use CSV", {.file = path});
  if (chosen || !options.categorical.empty() || !options.drop.empty() || !options.keep.empty() || !options.na.empty()) {
    refuse(
        "svmlight text has its label first and numeric features after it, so no label, weights, hint, groups, "
        "folds, categorical, dropped or kept column can be chosen, and no text can mean a missing value",
        {.file = path});
  }
  if (options.schema != nullptr && !options.schema->hint_name.empty()) {
    refuse_data(fmt::format("the model takes a hint from column '{}', and svmlight text has no such column; use CSV",
                            options.schema->hint_name),
                {path, 0, options.schema->hint_name});
  }
}

/// The format, once the options are known to be right for it.
Format checked_format(detail::TextSource& source, const ReadOptions& options) {
  const Format format = options.format == Format::detect ? detect_format(source) : options.format;
  if (format == Format::svmlight)
    refuse_columns_of_svmlight(source.path(), options);
  else if (options.features || options.index_base != IndexBase::detect)
    refuse("index base and number of features are those of svmlight text, and this is CSV", {.file = source.path()});
  return format;
}

bool expects_latin1(const ReadOptions& options) {
  return options.schema != nullptr && options.schema->latin1;
}

/// No header of a table begins as a list or an object of JSON does.
void refuse_json(detail::TextSource& source) {
  std::string_view text = detail::trimmed(source.peek().substr(0, std::size_t{1} << 12U));
  const bool is_list = text.starts_with('[');
  if (is_list) text = detail::trimmed(text.substr(1));
  if (!text.starts_with('{') && !(is_list && text.starts_with('['))) return;
  text = detail::trimmed(text.substr(1));
  if (text.starts_with('"') || is_list)
    refuse_data("the file looks like JSON; save the table as CSV, or read it in Python with pandas.read_json",
                {.file = source.path()});
}

/// Settles delimiter and decimal sign.
detail::Dialect found_dialect(detail::TextSource& source, ReadOptions& options) {
  refuse_json(source);
  return detail::find_dialect(source, has_extension(source.path(), {".tsv"}), options);
}

const ReadOptions& checked(const ReadOptions& options) {
  throw_if_any(problems_of(options));
  return options;
}

const ReadOptions& checked_for_blocks(const ReadOptions& options) {
  if (options.schema == nullptr || options.groups || options.folds)
    refuse("rows are read block by block for a model, without groups and fixed folds");
  return checked(options);
}

}  // namespace

Dataset read(const std::string& path, const ReadOptions& options) {
  ReadOptions found = checked(options);
  detail::TextSource source(path, options.encoding, expects_latin1(options));
  if (checked_format(source, found) == Format::svmlight) return detail::read_svmlight(source, found);
  const detail::Dialect dialect = found_dialect(source, found);
  detail::CsvReader reader(source, found, dialect);
  while (reader.advance()) {
  }
  detail::leave_out_columns(reader.file(), found);
  detail::check_columns(reader.file(), found);
  detail::Built built;
  Dataset dataset = detail::build_dataset(reader.file(), reader.file().table.rows(), found, built);
  detail::refuse_no_rows(reader.file(), built);
  dataset.notes.insert(dataset.notes.begin(), dialect.notes.begin(), dialect.notes.end());
  return dataset;
}

struct RowReader::Impl {
  Impl(const std::string& path, const ReadOptions& read_options)
      : options(checked_for_blocks(read_options)), source(path, read_options.encoding, expects_latin1(read_options)) {
    if (checked_format(source, options) == Format::svmlight) {
      whole = detail::read_svmlight(source, options);
    } else {
      detail::Dialect dialect = found_dialect(source, options);
      notes = std::move(dialect.notes);
      csv.emplace(source, options, dialect);
    }
  }

  ReadOptions options;
  detail::TextSource source;
  std::optional<Dataset> whole;    ///< of svmlight text
  std::size_t given = 0;           ///< rows of it
  std::vector<std::string> notes;  ///< about the file, until they are given
  std::optional<detail::CsvReader> csv;
  detail::Built built;
  bool at_end = false;

  std::optional<Dataset> next_of_whole(std::size_t count) {
    if (given == whole->rows()) return std::nullopt;
    std::vector<std::size_t> rows = core::numbers_from(given, std::min(count, whole->rows() - given));
    given += rows.size();
    return whole->select_rows(rows);
  }

  std::optional<Dataset> next_of_csv(std::size_t count) {
    const detail::Table& table = csv->file().table;
    while (!at_end && (!csv->knows_columns() || table.rows() < count)) at_end = !csv->advance();
    if (detail::has_problem(csv->file(), options)) {
      while (!at_end) {
        csv->file().table.drop_rows();
        at_end = !csv->advance();
      }
      detail::check_columns(csv->file(), options);
    }
    if (table.rows() > 0) {
      Dataset block = detail::build_dataset(csv->file(), count, options, built);
      block.notes.insert(block.notes.begin(), notes.begin(), notes.end());
      notes.clear();
      return block;
    }
    detail::refuse_no_rows(csv->file(), built);
    return std::nullopt;
  }
};

RowReader::RowReader(const std::string& path, const ReadOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

RowReader::~RowReader() = default;

std::optional<Dataset> RowReader::next(std::size_t count) {
  return impl_->csv ? impl_->next_of_csv(count) : impl_->next_of_whole(count);
}

Written RowReader::written() const {
  if (!impl_->csv) return {};
  const ReadOptions& found = impl_->options;
  return {found.delimiter, found.decimal == Decimal::comma, impl_->source.is_marked()};
}

}  // namespace credence::data
