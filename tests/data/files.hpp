#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"

namespace credence::data::test {

/// A file with the given bytes, gone at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes, const std::string& extension = ".csv") {
    static std::atomic<int> count{0};
    path_ = (std::filesystem::temp_directory_path() /
             ("credence_data_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + extension))
                .string();
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Dataset read_text(const std::string& text, const ReadOptions& options = {},
                         const std::string& extension = ".csv") {
  const TemporaryFile file(text, extension);
  return read(file.path(), options);
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One gzip member, packed by zlib itself.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// The error that an action throws; fails the test if it throws none.
template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorCode::interrupted, "no error was thrown");
}

inline Error read_error(const std::string& text, const ReadOptions& options = {},
                        const std::string& extension = ".csv") {
  return error_of([&] { read_text(text, options, extension); });
}

inline testing::AssertionResult says(const Error& error, const std::string& part) {
  if (error.sentence().find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected \"" << part << "\" in \"" << error.sentence() << "\"";
}

/// The labels' spellings, "?" for -1.
inline std::vector<std::string> label_names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const int label : dataset.labels)
    names.push_back(label < 0 ? "?" : dataset.schema.classes[static_cast<std::size_t>(label)]);
  return names;
}

inline std::vector<std::string> column_names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const Column& column : dataset.schema.columns) names.push_back(column.name);
  return names;
}

}  // namespace credence::data::test
