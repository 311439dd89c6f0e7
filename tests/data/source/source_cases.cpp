#include <cstdio>

#include "data/files.hpp"
#include "data/source/source.hpp"

namespace credence::data::test {
namespace source_cases_tests {

const std::string table = "a,b,label\n1,2,x\n3,4,y\n";
const std::vector<double> table_values{1, 2, 3, 4};

std::string whole(const std::string& path) {
  detail::TextSource source(path);
  std::string text;
  for (auto chunk = source.next(); !chunk.empty(); chunk = source.next()) text += chunk;
  return text;
}

std::string varied_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * 2654435761U) + "\n";
  return text;
}

TEST(SourceCases, GzipIsRecognisedByContentNotByName) {
  for (const std::string extension : {".csv.gz", ".csv", ".data"}) {
    const Dataset dataset = read_text(gzipped(table), {}, extension);
    EXPECT_EQ(dataset.features.dense().values, table_values) << extension;
  }
  EXPECT_EQ(read_text(table, {}, ".csv.gz").features.dense().values, table_values);
}

TEST(SourceCases, GzipUnpacksToTheSameBytes) {
  const std::string text = varied_text(3'000'000);
  const std::string one = gzipped(text);
  const std::string second = gzipped("tail\n");
  for (const std::string& packed : {one, one + second, one + std::string(700, '\0'), gzipped("") + one}) {
    const TemporaryFile file(packed, ".gz");
    const std::string tail = packed == one + second ? "tail\n" : "";
    EXPECT_EQ(whole(file.path()), text + tail);
  }
}

TEST(SourceCases, ByteOrderMarkIsLeftOut) {
  const TemporaryFile plain("\xef\xbb\xbf" + table);
  EXPECT_EQ(whole(plain.path()), table);
  const TemporaryFile packed(gzipped("\xef\xbb\xbf" + table));
  EXPECT_EQ(whole(packed.path()), table);
  const TemporaryFile only("\xef\xbb\xbf");
  EXPECT_EQ(whole(only.path()), "");
}

TEST(SourceCases, TruncatedGzip) {
  const std::string packed = gzipped(table);
  for (std::size_t size = 2; size < packed.size(); ++size) {
    const Error error = read_error(packed.substr(0, size));
    EXPECT_EQ(error.code(), ErrorCode::format) << size;
    EXPECT_TRUE(says(error, "truncated")) << size;
  }
}

TEST(SourceCases, CorruptGzip) {
  std::string packed = gzipped(varied_text(100'000));
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // in the checksum
  const Error error = read_error(packed);
  EXPECT_EQ(error.code(), ErrorCode::format);
  EXPECT_TRUE(says(error, "corrupt"));
  EXPECT_EQ(read_error(gzipped(table) + "garbage").code(), ErrorCode::format);
}

TEST(SourceCases, StandardInput) {
  for (const std::string& bytes : {table, gzipped(table), std::string("x 1:1 2:2\ny 1:3 2:4\n")}) {
    const TemporaryFile file(bytes);
    const int saved = ::dup(::fileno(stdin));
    ASSERT_NE(std::freopen(file.path().c_str(), "rb", stdin), nullptr);
    const Dataset dataset = read("-");
    ASSERT_GE(::dup2(saved, ::fileno(stdin)), 0);
    ::close(saved);
    std::clearerr(stdin);
    EXPECT_EQ(dataset.features.to_dense().values, table_values);
    EXPECT_EQ(dataset.source, "-");
    EXPECT_EQ(label_names(dataset), (std::vector<std::string>{"x", "y"}));
  }
}

TEST(SourceCases, FormatByExtensionElseByContent) {
  const std::string svmlight = "# heart\n+1 1:5\n-1 2:7 # fine\n";
  EXPECT_TRUE(read_text(svmlight, {}, ".svm").features.is_sparse());
  EXPECT_TRUE(read_text(svmlight, {}, ".txt").features.is_sparse());
  EXPECT_TRUE(read_text(svmlight, {}, "").features.is_sparse());
  EXPECT_TRUE(read_text(gzipped(svmlight), {}, ".gz").features.is_sparse());
  EXPECT_FALSE(read_text(table, {}, ".txt").features.is_sparse());
  EXPECT_FALSE(read_text("at 10:30,label\n1,x\n2,y\n", {}, "").features.is_sparse());
  EXPECT_TRUE(read_text(svmlight, {.format = Format::svmlight}, ".csv").features.is_sparse());
}

}  // namespace source_cases_tests
}  // namespace credence::data::test
