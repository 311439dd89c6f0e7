#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"
#include "support/shared_data.hpp"

namespace credence {
namespace reproduce_tcm_nn_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

std::vector<std::string> reproduce(const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{"reproduce", "tcm-nn", "--data", folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Table {
  std::vector<std::vector<double>> rows;
  std::vector<int> labels;
};

constexpr int side = 16;

/// Images of blobs that overlap; three classes in turn.
Table random_images(int count, std::uint64_t seed) {
  core::RandomStream random(seed);
  Table table;
  for (int i = 0; i < count; ++i) {
    std::vector<double> image;
    for (int p = 0; p < side * side; ++p) {
      const double x = p % side - 5.0 - 3 * (i % 3);
      const double y = p / side - 8.0;
      image.push_back(std::exp(-(x * x + y * y) / 40) + 0.5 * random.normal());
    }
    table.rows.push_back(image);
    table.labels.push_back(i % 3);
  }
  return table;
}

std::string csv(const Table& table) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t f = 0; f < table.rows[0].size(); ++f) text << "x" << f << ',';
  text << "label\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const double value : table.rows[i]) text << value << ',';
    text << table.labels[i] << '\n';
  }
  return text.str();
}

void write_usps(const Command& command, const Table& training, const Table& test) {
  command.folder().write("usps.train.csv", csv(training));
  command.folder().write("usps.test.csv", csv(test));
}

void normalise(Table& table) {
  for (std::vector<double>& row : table.rows) {
    double mean = 0;
    double squares = 0;
    for (const double value : row) mean += value / static_cast<double>(row.size());
    for (const double value : row) squares += (value - mean) * (value - mean);
    for (double& value : row) value = (value - mean) / std::sqrt(squares / static_cast<double>(row.size()));
  }
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
  return std::sqrt(sum);
}

/// Of example i among all: equation (2).
double nonconformity(const std::vector<std::vector<double>>& distances, const std::vector<int>& labels, std::size_t i,
                     std::size_t k) {
  std::vector<double> own;
  std::vector<double> other;
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (j != i) (labels[j] == labels[i] ? own : other).push_back(distances[i][j]);
  double sums[2] = {0, 0};
  int s = 0;
  for (std::vector<double>* some : {&own, &other}) {
    std::sort(some->begin(), some->end());
    for (std::size_t j = 0; j < k; ++j) sums[s] += some->at(j);
    ++s;
  }
  return sums[0] / sums[1];
}

/// The label with the largest p-value, everything computed anew for each class.
int naive_tcm(const Table& training, const std::vector<double>& row, std::size_t k) {
  Table extended = training;
  extended.rows.push_back(row);
  extended.labels.push_back(0);
  const std::size_t n = extended.rows.size();
  std::vector<std::vector<double>> distances(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) distances[i][j] = distance(extended.rows[i], extended.rows[j]);
  int best = 0;
  std::size_t most = 0;
  for (int c = 0; c < 3; ++c) {
    extended.labels.back() = c;
    const double own = nonconformity(distances, extended.labels, n - 1, k);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += nonconformity(distances, extended.labels, i, k) >= own ? 1U : 0U;
    if (count > most) best = c;
    most = std::max(most, count);
  }
  return best;
}

int naive_neighbours(const Table& training, const std::vector<double>& row, std::size_t k) {
  std::vector<std::pair<double, int>> order;
  for (std::size_t i = 0; i < training.rows.size(); ++i)
    order.emplace_back(distance(training.rows[i], row), training.labels[i]);
  std::sort(order.begin(), order.end());
  std::map<int, int> votes;
  for (std::size_t j = 0; j < k; ++j) ++votes[order[j].second];
  int best = order[0].second;
  for (std::size_t j = 0; j < k; ++j) {
    const int label = order[j].second;
    if (votes[label] > votes[best]) best = label;
  }
  return best;
}

TEST(ReproduceTcmNn, Figure1VsNaive) {
  Command command;
  Table training = random_images(72, 1);
  Table test = random_images(40, 2);
  write_usps(command, training, test);
  const CommandResult result = command.run(reproduce(".", {"--sets", "usps", "--json", "-"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const json found = json::parse(result.out)["sets"][0];
  ASSERT_EQ(found["figure_1"]["tcm_errors"].size(), 20U);
  normalise(training);
  normalise(test);
  for (const std::size_t k : {1U, 2U, 3U, 8U, 20U}) {
    std::size_t tcm = 0;
    std::size_t plain = 0;
    for (std::size_t i = 0; i < test.rows.size(); ++i) {
      tcm += naive_tcm(training, test.rows[i], k) != test.labels[i] ? 1U : 0U;
      plain += naive_neighbours(training, test.rows[i], k) != test.labels[i] ? 1U : 0U;
    }
    EXPECT_EQ(found["figure_1"]["tcm_errors"][k - 1], tcm) << k;
    EXPECT_EQ(found["figure_1"]["plain_errors"][k - 1], plain) << k;
    EXPECT_GT(plain, 0U) << "a test without errors says nothing";
  }
  EXPECT_EQ(found["passes"][0]["found"]["errors"], found["figure_1"]["tcm_errors"][0]);
  EXPECT_EQ(found["passes"][0]["plain_errors"], found["figure_1"]["plain_errors"][0]);
}

int mirrored(int at) {
  if (at < 0) return -at - 1;
  return at >= side ? 2 * side - 1 - at : at;
}

/// In two dimensions at once, beyond the edge mirrored.
void smooth(Table& table, double width) {
  double sum = 0;
  const auto weight = [width](int dx, int dy) { return std::exp(-(dx * dx + dy * dy) / (2 * width * width)); };
  for (int dy = -3; dy <= 3; ++dy)
    for (int dx = -3; dx <= 3; ++dx) sum += weight(dx, dy);
  for (std::vector<double>& image : table.rows) {
    const std::vector<double> from = image;
    for (int p = 0; p < side * side; ++p) {
      double value = 0;
      for (int dy = -3; dy <= 3; ++dy) {
        for (int dx = -3; dx <= 3; ++dx) {
          const int at = mirrored(p / side + dy) * side + mirrored(p % side + dx);
          value += weight(dx, dy) / sum * from[static_cast<std::size_t>(at)];
        }
      }
      image[static_cast<std::size_t>(p)] = value;
    }
  }
}

class Smoothing : public testing::TestWithParam<double> {};

TEST_P(Smoothing, OfImagesVsSmoothingThemBefore) {
  Table training = random_images(60, 3);
  Table test = random_images(50, 4);
  const auto passes = [&](const char* set, const std::vector<std::string>& more) {
    Command command;
    write_usps(command, training, test);
    const CommandResult result = command.run(reproduce(".", test::with({"--sets", set, "--json", "-"}, more)));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out)["sets"][0]["passes"];
  };
  const json raw = passes("usps", {});
  const std::vector<std::string> width{"--smoothing", std::to_string(GetParam())};
  const json smoothed = passes("usps-smoothed", GetParam() == 0.7 ? std::vector<std::string>{} : width);
  smooth(training, GetParam());
  smooth(test, GetParam());
  EXPECT_EQ(smoothed, passes("usps", {}));
  EXPECT_NE(smoothed, raw);
}

INSTANTIATE_TEST_SUITE_P(Widths, Smoothing, testing::Values(0.7, 1.2));

/// A width that was chosen by the printed error is said to be that.
TEST(ReproduceTcmNn, SaysHowTheWidthOfTheSmoothingWasChosen) {
  Command command;
  write_usps(command, random_images(60, 3), random_images(50, 4));
  const std::string text = command.run(reproduce(".", {"--sets", "usps-smoothed", "--smoothing", "1.2"})).out;
  EXPECT_EQ(text.find("not tuned"), std::string::npos) << text;
  EXPECT_NE(text.find("Gaussian of width 1.2"), std::string::npos) << text;
  EXPECT_NE(text.find("0.7 was chosen because"), std::string::npos) << text;
}

json level_of(const json& set, std::size_t level) {
  return set["passes"][0]["found"]["levels"][level];
}

void expect_regions(const json& set, std::size_t level, std::size_t single, std::size_t multiple, std::size_t empty,
                    std::size_t single_errors) {
  const json found = level_of(set, level);
  EXPECT_EQ(found["single"], single);
  EXPECT_EQ(found["multiple"], multiple);
  EXPECT_EQ(found["empty"], empty);
  EXPECT_EQ(found["single_errors"], single_errors);
}

TEST(ReproduceTcmNn, SatelliteGivesThePrintedFigures) {
  CREDENCE_NEEDS_SHARED_DATA("satellite.train.csv.gz");
  Command command;
  const CommandResult result =
      command.run(reproduce(CREDENCE_TEST_DATA, {"--sets", "satellite", "--json", "satellite.json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("satellite.json")));
  const json& satellite = document["sets"][0];
  EXPECT_TRUE(satellite["remarks"].empty());
  EXPECT_EQ(satellite["passes"][0]["found"]["rows"], 2000);
  EXPECT_EQ(satellite["passes"][0]["found"]["errors"], 212);  // 10.60 %
  expect_regions(satellite, 0, 1288, 712, 0, 16);             // 64.40, 35.60, 0; 98.76 % of 1288 are correct
  expect_regions(satellite, 1, 1730, 270, 0, 89);             // 86.50, 13.50, 0; 94.86 % of 1730
  EXPECT_EQ(satellite["paper"]["error_percent"], 10.6);
  for (const char* part : {"Satellite", "10.60", "64.40", "35.60", "98.76", "86.50", "13.50", "94.86"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
}

std::string segment_csv(int rows) {
  core::RandomStream random(7);
  std::ostringstream text;
  text << "x,y,label\n";
  for (int i = 0; i < rows; ++i) text << random.normal() + i % 3 << ',' << random.normal() << ',' << i % 3 << '\n';
  return text.str();
}

TEST(ReproduceTcmNn, FoldsCoverEveryRowOnceAndDependOnTheSeed) {
  Command command;
  command.folder().write("segment.csv", segment_csv(90));
  const auto passes = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = reproduce(".", {"--sets", "segment", "--json", "-"});
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = command.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    const json set = json::parse(result.out)["sets"][0];
    EXPECT_EQ(set["remarks"].size(), 3U) << "rows, features and classes are not the paper's";
    for (const json& remark : set["remarks"])
      EXPECT_NE(result.err.find(remark.get<std::string>()), std::string::npos) << result.err;
    return set["passes"];
  };
  const json three = passes({"--repeats", "3", "--seed", "5"});
  ASSERT_EQ(three.size(), 3U);
  for (const json& pass : three) {
    ASSERT_EQ(pass["folds"].size(), 10U);
    int rows = 0;
    int errors = 0;
    for (const json& fold : pass["folds"]) {
      rows += fold["rows"].get<int>();
      errors += fold["errors"].get<int>();
    }
    EXPECT_EQ(rows, 90);
    EXPECT_EQ(pass["found"]["errors"], errors);
  }
  EXPECT_EQ(passes({"--repeats", "1", "--seed", "6", "--threads", "1"})[0], three[1]);
  EXPECT_NE(three[0]["folds"], three[1]["folds"]);
}

TEST(ReproduceTcmNn, BadInputIsOneSentence) {
  Command command;
  const auto fails = [&](const std::string& sets, int code, const std::string& part) {
    const CommandResult result = command.run(reproduce(".", {"--sets", sets}));
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  fails("iris", 2, "'iris' is not one of usps, usps-smoothed, satellite, shuttle, segment");
  fails("satellite", 4, "satellite.train.csv.gz (or .csv)");
  command.folder().write("satellite.train.csv", "x,label\n0,b\n1,a\n");
  fails("satellite", 4, "satellite.test.csv.gz (or .csv)");
  command.folder().write("satellite.test.csv", "x,label\n0,b\n1,c\n");
  fails("satellite", 3, "the class of data row 2 occurs in no training row");
  command.folder().write("satellite.test.csv", "x\n0\n1\n");
  fails("satellite", 3, "satellite.test.csv");
  command.folder().write("shuttle.train.csv", "x,label\n0,b\nred,a\n");
  fails("shuttle", 3, "shuttle.train.csv");
  command.folder().write("usps.train.csv", "x,label\n0,b\n1,a\n");
  fails("usps", 3, "images have 256 pixels, not 1");
}

TEST(ReproduceTcmNn, ATimeLimitLeavesAPartialResult) {
  Command command;
  command.folder().write("segment.csv", segment_csv(60));
  const CommandResult result =
      command.run(reproduce(".", {"--sets", "segment", "--time-limit", "1e-9", "--json", "r.json"}));
  EXPECT_EQ(result.code, 5) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("r.json")));
  EXPECT_EQ(document["status"], "time limit");
  EXPECT_FALSE(document["sets"][0]["complete"]);
  EXPECT_TRUE(document["sets"][0]["passes"].empty());
}

}  // namespace reproduce_tcm_nn_tests
}  // namespace credence
