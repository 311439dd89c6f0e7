#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "credence/data/preprocessing.hpp"
#include "data/files.hpp"

namespace credence::data::test {
namespace held_out_rows_never_influence_tests {

void append(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

/// All that was fitted, byte for byte.
std::string bytes_of(const Preprocessing& fitted) {
  std::string bytes;
  for (const auto& raw : fitted.raw) {
    append(bytes, raw.fill);
    append(bytes, static_cast<double>(raw.output));
    append(bytes, raw.kind == ColumnKind::numeric ? 0 : 1);
    for (const std::int32_t output : raw.level_output) append(bytes, output);
    bytes += ';';
  }
  for (const double value : fitted.shift) append(bytes, value);
  for (const double value : fitted.scale) append(bytes, value);
  for (const NormalScores& known : fitted.quantiles) {
    for (const double value : known.values) append(bytes, value);
    for (const double score : known.scores) append(bytes, score);
    bytes += ';';
  }
  for (const double value : fitted.standard_shift) append(bytes, value);
  for (const double value : fitted.standard_scale) append(bytes, value);
  for (const std::string& name : fitted.names) bytes += name + ';';
  for (const std::string& name : fitted.constant) bytes += name + ';';
  return bytes;
}

Dataset mixed_dataset() {
  std::string text = "a,b,colour,label\n";
  const char* const colours[] = {"red", "blue", "green", "?", "white"};
  for (int i = 0; i < 60; ++i) {
    text += (i % 11 == 0 ? "" : std::to_string(i * i % 17)) + "," + std::to_string(i * 0.37) + "," +
            colours[i * i % 5] + "," + (i % 2 == 0 ? "x" : "y") + "\n";
  }
  return read_text(text, {.missing = Missing::impute});
}

/// Anything that a raw cell may be: a number, a missing value, another level.
double other_cell(const Column& column, std::mt19937_64& random) {
  if (random() % 4 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (column.kind == ColumnKind::categorical) return static_cast<double>(random() % column.levels.size());
  return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
}

TEST(HeldOutRowsNeverInfluence, FittedPreprocessingIsIdenticalByteForByte) {
  const Dataset original = mixed_dataset();
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 50; ++repeat) {
    Dataset changed = original;
    std::vector<std::size_t> training;
    for (std::size_t i = 0; i < original.rows(); ++i) {
      changed.labels[i] = static_cast<int>(random() % 2);  // labels never count, held out or not
      if (random() % 3 != 0) {
        training.push_back(i);
        continue;
      }
      for (std::size_t j = 0; j < changed.features.columns(); ++j)
        changed.features.dense().row(i)[j] = other_cell(changed.schema.columns[j], random);
    }
    for (const Scaling scaling : {Scaling::standard, Scaling::minmax, Scaling::quantile, Scaling::none}) {
      const std::string expected = bytes_of(Preprocessing::fit(original, training, scaling));
      EXPECT_EQ(bytes_of(Preprocessing::fit(changed, training, scaling)), expected);
      EXPECT_EQ(bytes_of(Preprocessing::fit(original.select_rows(training), scaling)), expected);
    }
  }
}

/// The comparison above can fail: a training row does count.
TEST(HeldOutRowsNeverInfluence, ATrainingRowDoes) {
  const Dataset original = mixed_dataset();
  Dataset changed = original;
  changed.features.dense().row(3)[0] += 1;
  EXPECT_NE(bytes_of(Preprocessing::fit(original, Scaling::standard)),
            bytes_of(Preprocessing::fit(changed, Scaling::standard)));
}

TEST(HeldOutRowsNeverInfluence, SparseToo) {
  const std::string training = "x 1:1 2:5\ny 2:3 3:1\nx 1:4\n";
  const std::vector<std::size_t> rows{0, 1, 2};
  const Dataset one = read_text(training + "y 1:9 3:2\n", {}, ".svm");
  const Dataset other = read_text(training + "y 2:-1e30 3:7\n", {}, ".svm");
  for (const Scaling scaling : {Scaling::standard, Scaling::minmax})
    EXPECT_EQ(bytes_of(Preprocessing::fit(one, rows, scaling)), bytes_of(Preprocessing::fit(other, rows, scaling)));
}

}  // namespace held_out_rows_never_influence_tests
}  // namespace credence::data::test
