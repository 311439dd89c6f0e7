#include <bit>
#include <cstdint>
#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace writers_round_trip_tests {

using Names = std::vector<std::string>;

Dataset random_dataset() {
  std::mt19937_64 random(11);
  DenseMatrix matrix(200, 5);
  Names labels;
  for (double& value : matrix.values) {
    // Any finite double, with zeros among them.
    const double any = std::bit_cast<double>(static_cast<std::uint64_t>(random()) & ~(std::uint64_t{1} << 62U));
    value = random() % 4 == 0 ? 0 : any;
  }
  matrix.values[4] = 1;  // the last column has a value
  for (std::size_t i = 0; i < matrix.rows; ++i) labels.push_back(i % 3 == 0 ? "+1" : "-1");
  return make_dataset(std::move(matrix), labels);
}

TEST(WritersRoundTrip, EveryBitComesBack) {
  const Dataset dataset = random_dataset();
  const Names names{"a", "b, c", "d \"e\"", " f", "g"};
  for (const std::string extension : {".csv", ".csv.gz", ".svm", ".svm.gz"}) {
    const TemporaryFile file("", extension);
    if (extension.starts_with(".csv"))
      write_csv(file.path(), dataset.features, names, dataset);
    else
      write_svmlight(file.path(), dataset.features, dataset);
    EXPECT_EQ(bytes_of(file.path()).starts_with("\x1f\x8b"), extension.ends_with(".gz"));
    const Dataset again = read(file.path());
    EXPECT_EQ(again.features.to_dense().values, dataset.features.dense().values) << extension;
    EXPECT_EQ(label_names(again), label_names(dataset));
    if (extension == ".csv") EXPECT_EQ(column_names(again), (Names{"a", "b, c", "d \"e\"", "f", "g"}));
    const TemporaryFile other("", ".csv");
    write_csv(other.path(), again.features, names, again);  // from sparse features too
    EXPECT_EQ(read(other.path()).features.dense().values, dataset.features.dense().values);
  }
}

TEST(WritersRoundTrip, Spelling) {
  const Dataset dataset = read_text("a,b,label\n0.1,,x\n1e22,-3,y\n", {.missing = Missing::impute});
  const TemporaryFile csv("", ".csv");
  write_csv(csv.path(), dataset.features, {"a", "b"}, dataset);
  EXPECT_EQ(bytes_of(csv.path()), "a,b,label\n0.1,,x\n1e+22,-3,y\n");
  const TemporaryFile svm("", ".svm");
  Dataset partly = read_text("a,b,label\n0.1,0,x\n1e22,-3,y\n");
  partly.labels[1] = -1;
  write_svmlight(svm.path(), partly.features, partly);
  EXPECT_EQ(bytes_of(svm.path()), "x 1:0.1\nnan 1:1e+22 2:-3\n");
  partly.labels.clear();
  write_svmlight(svm.path(), partly.features, partly);
  EXPECT_EQ(bytes_of(svm.path()), "0 1:0.1\n0 1:1e+22 2:-3\n");
}

TEST(WritersRoundTrip, AFileThatCountsFromZeroIsWrittenSo) {
  for (const std::string text : {"1 0:5 2:4\n2 1:3\n", "1 2:4\n2 0:5 1:3\n", "1 0:0 2:4\n2 1:3\n"}) {
    const Dataset dataset = read_text(text, {}, ".svm");
    const TemporaryFile file("", ".svm");
    write_svmlight(file.path(), dataset.features, dataset);
    const Dataset again = read(file.path());
    EXPECT_EQ(again.schema.index_base, 0) << text;
    EXPECT_EQ(again.features.to_dense().values, dataset.features.to_dense().values) << text;
  }
}

TEST(WritersRoundTrip, ANameThatBeginsLikeAMarkOfTheFileComesBack) {
  const std::string mark = "\xef\xbb\xbf";
  const Dataset dataset = read_text("b,a,label\n1,3,x\n2,4,y\n");
  const TemporaryFile file("", ".csv");
  write_csv(file.path(), dataset.features, {mark + "b", "a"}, dataset);
  EXPECT_EQ(read(file.path()).schema.columns.front().name, mark + "b");
}

TEST(WritersRoundTrip, Refusals) {
  Dataset dataset = read_text("a,label\n1,two words\n2,y\n");
  const TemporaryFile file("", ".svm");
  EXPECT_TRUE(says(error_of([&] { write_svmlight(file.path(), dataset.features, dataset); }), "\"two words\""));
  EXPECT_TRUE(says(error_of([&] { write_csv(file.path(), dataset.features, {}, dataset); }), "0 names for 1 column"));
  Dataset marked = read_text("1 1:1\n2 1:2\n", {}, ".svm");
  marked.schema.classes[0] =
      "\xff\xfe"
      "1";
  EXPECT_TRUE(says(error_of([&] { write_svmlight(file.path(), marked.features, marked); }), "byte order mark"));
  dataset.labels.pop_back();
  EXPECT_TRUE(says(error_of([&] { write_csv(file.path(), dataset.features, {"a"}, dataset); }), "1 label for 2 rows"));
}

}  // namespace writers_round_trip_tests
}  // namespace credence::data::test
