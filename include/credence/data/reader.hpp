#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"

namespace credence::data {

enum class Format { detect, csv, svmlight };
enum class Header { detect, present, absent };
/// Plain options with defaults; columns are given by name or by 1-based position.
struct ReadOptions {
  Format format = Format::detect;  ///< detect: by extension (.csv .tsv .svm .svmlight .libsvm .txt, with or without .gz), else by content
  char delimiter = ',';            ///< CSV only
  Header header = Header::detect;
  Missing missing = Missing::error;
  std::optional<std::string> label;      ///< default: `label`, `target`, `class` or `y` if present, else the last column
  bool unlabelled = false;               ///< there is no label column at all
  std::optional<std::string> weights;    ///< column of sample weights
  std::optional<std::string> groups;     ///< column of group names
  std::optional<std::string> folds;      ///< column of fold names or numbers
  std::vector<std::string> categorical;  ///< columns to treat as text although (some) cells are numbers
  const Schema* schema = nullptr;        ///< read rows for a model with this schema; see `read`
};

/// Reads a CSV (RFC 4180; quotes, CRLF, BOM) or svmlight/LIBSVM text file, plain or gzip (by content, not by name).
///
/// A column whose cells are all numbers is numeric; one without any number is categorical; a mixture is refused with
/// the first offending cell's place, unless the column is listed in `categorical`.
/// With `schema`, columns are matched by name (by position where the model's file had no header), extra columns are
/// ignored, the label column may be absent, labels not among the schema's classes become -1, and a missing column,
/// an unknown level or text in a numeric column is an error with the column's name.
///
/// @param path  a path, or "-" for standard input
/// @throws Error file | invalid_data with file, line and column
/// Cost: one pass; at least ten million cells a second.
Dataset read(const std::string& path, const ReadOptions& options = {});

/// Writes numbers as svmlight text: label, then index:value (1-based, zeros left out), shortest exact decimals.
void write_svmlight(const std::string& path, const Features& features, const Dataset& labels);
/// Writes numbers as CSV with the given header; last column `label` if the data set is labelled.
void write_csv(const std::string& path, const Features& features, const std::vector<std::string>& names, const Dataset& labels);

}  // namespace credence::data
