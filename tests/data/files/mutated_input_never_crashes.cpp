#include <algorithm>
#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace mutated_input_never_crashes_tests {

constexpr int mutations = 2000;

std::string valid_csv() {
  std::string text = "\"age, years\",height,colour,\"the \"\"word\"\"\",label\r\n";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    text += n + "," + n + ".5e-1," + (i % 2 == 0 ? "red" : "\"bl,ue\"") + ",\"a\nb\"," + (i % 3 == 0 ? "+1" : "-1") +
            "\r\n";
  }
  return text;
}

std::string valid_svmlight() {
  std::string text = "# comment\n";
  for (int i = 0; i < 12; ++i)
    text += (i % 3 == 0 ? "+1 " : "-1 ") + std::to_string(i + 1) + ":0.5 17:" + std::to_string(i) + ".25e1 # tail\n";
  return text;
}

/// Some bytes changed, taken out, put in, or the end cut off.
std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::string interesting = "\"\",\r\n\t:#+-.eE0159 ?\x1f\x8b\xef\xbf";
  for (std::size_t i = 0, n = 1 + below(6); i < n && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const char byte = below(2) == 0 ? interesting[below(interesting.size())] : static_cast<char>(below(256));
    switch (below(8)) {
      case 0:
        text.erase(at, 1 + below(5));
        break;
      case 1:
        text.insert(at, 1 + below(3), byte);
        break;
      case 2:
        if (below(8) == 0) text.resize(at);
        break;
      default:
        text[at] = byte;
    }
  }
  return text;
}

/// Counts how many of the mutated texts were refused; anything but a data set or an Error fails.
int refused(const std::string& text, const std::string& extension, const ReadOptions& options) {
  std::mt19937_64 random(99);
  int count = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string bytes = mutated(text, random);
    try {
      const Dataset dataset = read_text(bytes, options, extension);
      EXPECT_GT(dataset.rows(), 0U);
      EXPECT_EQ(dataset.schema.columns.size(), dataset.features.columns());
      EXPECT_TRUE(!dataset.is_labelled() || dataset.labels.size() == dataset.rows());
      EXPECT_EQ(dataset.file_rows.size(), dataset.rows());
    } catch (const Error& error) {
      EXPECT_FALSE(error.sentence().empty());
      ++count;
    }
  }
  return count;
}

TEST(MutatedInputNeverCrashes, Csv) {
  for (const Missing missing : {Missing::error, Missing::drop, Missing::impute}) {
    const int count = refused(valid_csv(), ".csv", {.missing = missing});
    EXPECT_GT(count, mutations / 20);  // both outcomes occur, or the test would say nothing
    EXPECT_LT(count, mutations);
  }
}

TEST(MutatedInputNeverCrashes, SemicolonsDecimalCommasAndTexts) {
  std::string text = valid_csv();
  std::ranges::replace(text, ',', ';');
  std::ranges::replace(text, '.', ',');
  const int count = refused(text, ".csv", {.all_texts = true});
  EXPECT_GT(count, mutations / 20);
  EXPECT_LT(count, mutations);
}

TEST(MutatedInputNeverCrashes, CsvWithSchema) {
  const Schema schema = read_text(valid_csv()).schema;
  const int count = refused(valid_csv(), ".csv", {.missing = Missing::drop, .schema = &schema});
  EXPECT_GT(count, mutations / 20);
  EXPECT_LT(count, mutations);
}

TEST(MutatedInputNeverCrashes, Svmlight) {
  const Schema schema = read_text(valid_svmlight(), {}, ".svm").schema;
  for (const Schema* given : {static_cast<const Schema*>(nullptr), &schema}) {
    const int count = refused(valid_svmlight(), ".svm", {.schema = given});
    EXPECT_GT(count, mutations / 20);
    EXPECT_LT(count, mutations);
  }
}

TEST(MutatedInputNeverCrashes, Gzip) {
  EXPECT_GT(refused(gzipped(valid_csv()), ".csv", {}), mutations / 2);
}

TEST(MutatedInputNeverCrashes, ContentOfAnyKind) {
  EXPECT_GT(refused(valid_svmlight(), "", {}), mutations / 20);
}

}  // namespace mutated_input_never_crashes_tests
}  // namespace credence::data::test
