#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <vector>

#include "data/files.hpp"
#include "data/source/encoding.hpp"

/// Checks and conversions of letters beside those of the C library.
namespace credence::data::test {
namespace encoding_vs_iconv_tests {

/// What iconv makes of the text; nothing if some byte is wrong. @param wrong  where it stops
std::optional<std::string> converted(const std::string& text, const char* from, const char* to, std::size_t& wrong) {
  const iconv_t conversion = iconv_open(to, from);
  std::string input = text;
  std::string output(4 * text.size() + 8, '\0');
  char* in = input.data();
  char* out = output.data();
  std::size_t in_left = input.size();
  std::size_t out_left = output.size();
  const bool failed = iconv(conversion, &in, &in_left, &out, &out_left) == static_cast<std::size_t>(-1);
  iconv_close(conversion);
  wrong = text.size() - in_left;
  if (failed) return std::nullopt;
  output.resize(output.size() - out_left);
  return output;
}

TEST(EncodingVsIconv, EveryByteOfWindows1252) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "z";
    std::size_t wrong = 0;
    const std::optional<std::string> expected = converted(text, "CP1252", "UTF-8", wrong);
    if (expected)
      EXPECT_EQ(detail::utf8_of_latin1(text), *expected) << byte;
    else
      EXPECT_EQ(detail::utf8_of_latin1(text), *converted(text, "ISO-8859-1", "UTF-8", wrong)) << byte;
  }
}

/// Random bytes of those that matter, and random cuts: the character that is wrong begins where iconv stops.
TEST(EncodingVsIconv, FirstWrongByte) {
  const std::string bytes =
      "a\n\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xf0\xf1\xf3\xf4\xf5\xff";
  std::mt19937 random(1);
  for (int trial = 0; trial < 200000; ++trial) {
    std::string text;
    const std::size_t size = 1 + random() % 12;
    while (text.size() < size) text += trial % 2 == 0 ? bytes[random() % bytes.size()] : static_cast<char>(random());
    std::size_t stops = 0;
    const bool is_right = converted(text, "UTF-8", "UTF-32LE", stops).has_value();
    detail::Utf8Check check;
    std::size_t found = std::string::npos;
    std::size_t begin = 0;
    while (begin < text.size() && found == std::string::npos) {
      const std::size_t count = 1 + random() % (text.size() - begin);
      const std::size_t here = check.find_wrong(std::string_view(text).substr(begin, count));
      if (here != std::string::npos) found = begin + here;
      begin += count;
    }
    ASSERT_EQ(found == std::string::npos && !check.cut(), is_right) << trial;
    if (found == std::string::npos) continue;
    ASSERT_GE(found, stops) << trial;
    ASSERT_LE(found, stops + 3) << trial;
  }
}

const std::string latin1 = "n\xe4me,b,label\ns\xfc\xdf,1,x\nsauer,2,y\ns\xfc\xdf,3,y\n";

TEST(EncodingVsIconv, FilesAreReadAsAskedOrRefusedWithTheirPlace) {
  std::size_t wrong = 0;
  const std::string utf8 = *converted(latin1, "CP1252", "UTF-8", wrong);
  const Dataset expected = read_text(utf8);
  for (const std::string& bytes : {latin1, gzipped(latin1)}) {
    const Dataset found = read_text(bytes, {.encoding = Encoding::latin1});
    EXPECT_EQ(found.schema.columns[0].name, expected.schema.columns[0].name);
    EXPECT_EQ(found.schema.columns[0].levels, expected.schema.columns[0].levels);
    const Error error = read_error(bytes);
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    EXPECT_TRUE(says(error, "the byte E4 is no UTF-8 text; save the file as UTF-8, or give the encoding latin1"));
    EXPECT_EQ(error.location().line, 1U);
    EXPECT_EQ(error.location().column, "1");
  }
  EXPECT_TRUE(says(read_error(utf8, {.encoding = Encoding::latin1}), "the file is UTF-8 text"));
}

/// Rows for a model are read as its training file was; what is asked for wins, and so do letters that are UTF-8.
TEST(EncodingVsIconv, RowsForAModelVsTheirTrainingFile) {
  std::size_t wrong = 0;
  const std::string utf8 = *converted(latin1, "CP1252", "UTF-8", wrong);
  const Dataset trained = read_text(latin1, {.encoding = Encoding::latin1});
  EXPECT_TRUE(trained.schema.latin1);
  EXPECT_FALSE(read_text(utf8).schema.latin1);
  for (const std::string& bytes : {latin1, gzipped(latin1), utf8}) {
    const Dataset rows = read_text(bytes, {.schema = &trained.schema});
    EXPECT_EQ(rows.labels, trained.labels);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      EXPECT_TRUE(std::ranges::equal(rows.features.dense().row(i), trained.features.dense().row(i)));
  }
  const Error error = read_error(latin1, {.encoding = Encoding::utf8, .schema = &trained.schema});
  EXPECT_TRUE(says(error, "the byte E4 is no UTF-8 text"));
  EXPECT_EQ(core::parse_word<Encoding>("windows-1252"), Encoding::latin1);
  // The first letters beyond ASCII decide, also where they come late.
  const std::string plain(std::size_t{1} << 19U, '\n');
  const std::string late = "n,b,label\n" + plain + "s\xc3\xbc\xc3\x9f,1,x\n";
  EXPECT_TRUE(says(read_error(late, {.encoding = Encoding::latin1}), "the file is UTF-8 text"));
}

TEST(EncodingVsIconv, ThePlaceIsThatOfTheCell) {
  std::string text = "a,b,label\n";
  for (int i = 0; i < 200000; ++i) text += "1,2,x\n2,3,y\n";
  const Error error = read_error(text + "1,\"2\n\n\xe9\",x\n");
  EXPECT_EQ(error.location().line, 400004U);
  EXPECT_EQ(error.location().column, "b");
  const Error cut = read_error("a,b,label\n1,2,x\n1,3,y\xc3");
  EXPECT_EQ(cut.location().line, 3U);
  EXPECT_TRUE(says(cut, "the byte C3 is no UTF-8 text"));
  const Error svmlight = read_error("1 1:1\ns\xfc\xdf 1:2\n", {}, ".svm");
  EXPECT_EQ(svmlight.location().line, 2U);
  const Dataset read = read_text("1 1:1\ns\xfc\xdf 1:2\n", {.encoding = Encoding::latin1}, ".svm");
  EXPECT_EQ(read.schema.classes[1], "s\u00fc\u00df");
}

}  // namespace encoding_vs_iconv_tests
}  // namespace credence::data::test
