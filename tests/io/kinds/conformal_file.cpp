#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/io/model_file.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace conformal_file_tests {

using conformal::ConformalPredictor;
using conformal::FitOptions;
using conformal::Mode;
using conformal::NeighbourRatio;
using conformal::OwnClassDistance;
using conformal::mode::Cross;
using conformal::mode::Inductive;
using conformal::mode::Transductive;
using nlohmann::json;
using test::expect_error;
using test::file_around;
using test::file_of;
using test::packed;
using test::read_text;
using test::TemporaryFolder;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t columns = 3;

/// One way to fit, over so many classes.
struct Kind {
  const char* name;
  FitOptions options;
  int classes = 2;
  bool sparse = false;
  std::size_t rows = 24;
};

FitOptions fit_options(const conformal::Measure& measure, const Mode& mode) {
  FitOptions options;
  options.measure = measure;
  options.mode = mode;
  options.p_values.seed = std::numeric_limits<std::uint64_t>::max();
  return options;
}

FitOptions ratio(int k, neighbours::Metric metric = neighbours::Metric::euclidean) {
  return fit_options(NeighbourRatio{{k, metric}}, Transductive{});
}

FitOptions own(int k, neighbours::Metric metric) {
  return fit_options(OwnClassDistance{{k, metric}}, Transductive{});
}

FitOptions margin(const Mode& mode, kernel::KernelType type) {
  conformal::SvmMargin measure;
  measure.kernel.shape.type = type;
  measure.C = 1.0 / 3;
  return fit_options(measure, mode);
}

std::vector<Kind> kinds() {
  using kernel::KernelType;
  using neighbours::Metric;
  return {
      {"ratio", ratio(1), 2, false},
      {"ratio, few rows", ratio(20), 3, false},
      {"ratio, sparse", ratio(2), 3, true},
      {"own, manhattan", own(3, Metric::manhattan), 2, false},
      {"own, cosine", own(1, Metric::cosine), 2, true},
      {"precomputed", ratio(2, Metric::precomputed), 2, false},
      {"svm", margin(Transductive{}, KernelType::rbf), 2, false},
      {"svm of three", margin(Transductive{}, KernelType::polynomial), 3, false},
      {"svm, linear, sparse", margin(Transductive{}, KernelType::linear), 2, true},
      {"inductive svm", margin(Inductive{}, KernelType::rbf), 3, false},
      {"cross svm", margin(Cross{}, KernelType::linear), 2, true},
      {"inductive neighbours", fit_options(NeighbourRatio{}, Inductive{}), 2, false},
      {"cross neighbours", fit_options(NeighbourRatio{}, Cross{}), 3, false},
      {"by category", fit_options(NeighbourRatio{}, Inductive{.by = "x1"}), 2, false, 60},
      {"cross by category", fit_options(NeighbourRatio{}, Cross{.by = "x1"}), 2, false, 60},
      {"new groups", fit_options(NeighbourRatio{}, Inductive{}), 2, false, 60},
      {"known weights", fit_options(NeighbourRatio{}, Inductive{.weight_column = "w"}), 2, false, 60},
  };
}

/// Distances from some points to the first `known` of all.
data::DenseMatrix distances(const data::DenseMatrix& from, const data::DenseMatrix& to) {
  data::DenseMatrix result(from.rows, to.rows);
  for (std::size_t i = 0; i < from.rows; ++i) {
    for (std::size_t j = 0; j < to.rows; ++j) {
      for (std::size_t f = 0; f < from.columns; ++f) {
        const double difference = from.row(i)[f] - to.row(j)[f];
        result.row(i)[j] += difference * difference;
      }
    }
  }
  return result;
}

/// Rows to learn from (seed 1) or to predict.
data::Dataset rows_of(const Kind& kind, std::size_t count, std::uint64_t seed) {
  test::Clouds clouds = test::random_clouds(count, columns, kind.classes, 1, seed);
  if (std::string_view(kind.name) == "precomputed")
    clouds.x = distances(clouds.x, test::random_clouds(kind.rows, columns, kind.classes, 1, 1).x);
  data::Dataset dataset = clouds.dataset();
  const std::string_view name = kind.name;
  for (std::size_t i = 0; i < count; ++i) {
    if (name.ends_with("category")) dataset.features.dense().row(i)[0] = static_cast<double>(i / 2 % 2);
    if (name == "new groups") dataset.groups.push_back(static_cast<int>(i / 4));
    if (name == "known weights") dataset.weights.push_back(1 + static_cast<double>(i % 3));
  }
  if (kind.sparse) dataset.features = test::sparse_of(dataset.features.dense());
  return dataset;
}

std::shared_ptr<ConformalPredictor> fitted(const Kind& kind) {
  test::Surroundings surroundings;
  return conformal::fit(rows_of(kind, kind.rows, 1), kind.options, surroundings.context);
}

Kind kind_named(const std::string& name) {
  for (const Kind& kind : kinds())
    if (kind.name == name) return kind;
  throw std::logic_error(name);
}

TEST(ConformalFile, ReturnsEveryKindToTheLastBit) {
  for (const Kind& kind : kinds()) {
    for (const bool smoothed : {false, true}) {
      SCOPED_TRACE(testing::Message() << kind.name << (smoothed ? ", smoothed" : ""));
      TemporaryFolder folder;
      test::Surroundings surroundings;
      const std::shared_ptr<ConformalPredictor> predictor = fitted(kind);
      predictor->options.smoothed = smoothed;
      predictor->options.label_conditional = smoothed;
      io::save_model(*predictor, folder.file("m"));
      const std::unique_ptr<model::Predictor> loaded = io::load_model(folder.file("m"));
      // Doubles are stored bit by bit, so equal documents are equal predictors.
      EXPECT_EQ(io::to_document(*predictor), io::to_document(*loaded));
      const auto& same = dynamic_cast<const ConformalPredictor&>(*loaded);
      EXPECT_EQ(same.options.smoothed, smoothed);
      EXPECT_EQ(same.options.label_conditional, smoothed);
      EXPECT_EQ(same.options.seed, std::numeric_limits<std::uint64_t>::max());
      EXPECT_EQ(same.record.method, "conformal");
      EXPECT_EQ(same.description(), predictor->description());

      const data::Dataset fresh = rows_of(kind, 40, 9);
      const model::Prediction before = predictor->predict(fresh, surroundings.context);
      const model::Prediction after = loaded->predict(fresh, surroundings.context);
      EXPECT_EQ(before.p_value.values, after.p_value.values);
      EXPECT_EQ(before.label, after.label);
      EXPECT_EQ(before.confidence, after.confidence);
      EXPECT_EQ(before.credibility, after.credibility);
      const std::set<double> values(before.p_value.values.begin(), before.p_value.values.end());
      EXPECT_GT(values.size(), 3U) << "equal predictions say little if they are all the same";
    }
  }
}

TEST(ConformalFile, UnknownMachinesAreNotWritten) {
  TemporaryFolder folder;
  const std::shared_ptr<ConformalPredictor> predictor = fitted(kind_named("ratio"));
  predictor->machine = nullptr;
  expect_error(ErrorCode::invalid_argument, "without its machine",
               [&] { io::save_model(*predictor, folder.file("m")); });
  EXPECT_EQ(folder.file_count(), 0U);
}

/// The kinds of state.
const std::vector<std::string> states{"ratio", "svm", "inductive svm"};

TEST(ConformalFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  for (const std::string& state : states) {
    io::save_model(*fitted(kind_named(state)), folder.file("m"));
    const std::string whole = read_text(folder.file("m"));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
      expect_error(ErrorCode::format, length == 0 ? "not a Credence model" : "truncated",
                   [&] { io::load_model(part); });
      if (HasFailure()) FAIL() << "at length " << length;
    }
  }
}

TEST(ConformalFile, EveryChangedByteIsRefused) {
  TemporaryFolder folder;
  for (const std::string& state : states) {
    io::save_model(*fitted(kind_named(state)), folder.file("m"));
    std::string bytes = read_text(folder.file("m"));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char original = bytes[i];
      bytes[i] = static_cast<char>(original ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x80' : '\xff'));
      folder.write("changed", bytes);
      expect_error(ErrorCode::format, "", [&] { io::load_model(folder.file("changed")); });
      bytes[i] = original;
      if (HasFailure()) FAIL() << "at byte " << i;
    }
  }
}

/// Whatever the contents, with a right checksum: refused, or a predictor that predicts without harm.
TEST(ConformalFile, ChangedContentsUnderARightChecksumDoNoHarm) {
  TemporaryFolder folder;
  test::Surroundings surroundings;
  for (const char* name : {"ratio", "ratio, sparse", "precomputed", "svm", "inductive svm", "cross neighbours"}) {
    const Kind kind = kind_named(name);
    const data::Dataset fresh = rows_of(kind, 2, 9);
    const std::vector<std::uint8_t> payload = json::to_cbor(io::to_document(*fitted(kind)));
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      std::string changed(payload.begin(), payload.end());
      changed[i] = static_cast<char>(changed[i] ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x20' : '\xff'));
      try {
        const std::unique_ptr<model::Predictor> model = io::load_model(folder.write("changed", file_around(changed)));
        ++loaded;
        model->predict(fresh, surroundings.context);
      } catch (const Error&) {
      }
    }
    EXPECT_GT(loaded, 100U) << name << ": most changes of numbers cannot be seen";
  }
}

using Damages = std::vector<std::function<void(json&)>>;

void expect_refused(const std::string& name, const Damages& damages) {
  TemporaryFolder folder;
  const json good = io::to_document(*fitted(kind_named(name)));
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(good))));
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json document = good;
    damages[i](document);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (testing::Test::HasFailure()) FAIL() << name << ", damage " << i;
  }
}

/// Sets a field of the machine.
template <class Value>
std::function<void(json&)> machine(const char* field, Value value) {
  return [=](json& document) { document["machine"][field] = value; };
}

std::function<void(json&)> without(const char* field) {
  return [=](json& document) { document["machine"].erase(field); };
}

/// Sets one number of a packed array.
template <class T>
void put_number(json& field, std::size_t index, T value) {
  std::vector<std::uint8_t> bytes = field.get_binary();
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
  field = json::binary(bytes);
}

TEST(ConformalFile, ContradictionsOfEveryPredictorAreRefused) {
  expect_refused("ratio", {
                              [](json& d) { d.erase("machine"); },
                              [](json& d) { d["kind"] = "family"; },
                              [](json& d) { d["smoothed"] = 1; },
                              [](json& d) { d.erase("label_conditional"); },
                              [](json& d) { d["seed"] = -1; },
                              [](json& d) { d["schema"]["classes"] = {"a"}; },
                              [](json& d) {
                                d["schema"]["classes"] = {"a", "b", "c"};
                                d["machine"]["labels"] = packed(std::vector<std::int32_t>(24, 3));
                              },
                              machine("type", "forest"),
                              machine("type", "svm"),
                              machine("type", "inductive"),
                          });
}

TEST(ConformalFile, ContradictionsOfNeighboursAreRefused) {
  const auto number = [](const char* table, std::size_t index, double value) {
    return [=](json& d) { put_number(d["machine"][table]["values"], index, value); };
  };
  const auto label = [](std::int32_t value) { return [=](json& d) { put_number(d["machine"]["labels"], 3, value); }; };
  expect_refused("ratio", {
                              without("own"),
                              without("rows"),
                              machine("measure", "margin"),
                              machine("metric", "chebyshev"),
                              machine("k", 0),
                              machine("k", 2),
                              machine("k", 1.0),
                              machine("k", std::int64_t{1} << 40),
                              machine("labels", packed(std::vector<std::int32_t>{})),
                              machine("labels", packed(std::vector<std::int32_t>(23, 0))),
                              label(-1),
                              label(2),
                              number("rows", 5, not_a_number),
                              number("rows", 5, infinity),
                              number("own", 5, not_a_number),
                              number("own", 5, -0.5),
                              number("other", 5, -infinity),
                              [](json& d) { d["machine"]["rows"]["columns"] = 2; },
                              [](json& d) {
                                d["machine"]["own"]["rows"] = 12;
                                d["machine"]["own"]["columns"] = 2;
                              },
                          });
  expect_refused("ratio", {[](json& d) {
                   d["machine"]["rows"]["columns"] = 2;
                   d["machine"]["rows"]["values"] = packed(std::vector<double>(48, 0.5));
                 }});
  expect_refused("svm, linear, sparse",
                 {
                     [](json& d) { put_number(d["machine"]["rows"]["indices"], 0, std::uint32_t{99}); },
                     [](json& d) { put_number(d["machine"]["rows"]["offsets"], 1, std::uint64_t{1} << 60); },
                 });
  expect_refused("own, manhattan", {number("own", 4, 1e9)});  // the second of three: they do not ascend
}

TEST(ConformalFile, ContradictionsOfTheTransductiveSvmAreRefused) {
  const auto beta = [](std::size_t index, double value) {
    return [=](json& d) { put_number(d["machine"]["beta"][0], index, value); };
  };
  expect_refused("svm", {
                            without("beta"),
                            machine("C", 0.0),
                            machine("C", -1.0),
                            machine("C", not_a_number),
                            machine("C", 1e-9),
                            machine("tolerance", 0.0),
                            machine("max_steps", -1),
                            machine("shrinking", "yes"),
                            [](json& d) { d["machine"]["kernel"]["type"] = "precomputed"; },
                            [](json& d) { d["machine"]["kernel"]["gamma"] = -1.0; },
                            [](json& d) { d["machine"]["beta"].push_back(d["machine"]["beta"][0]); },
                            [](json& d) { d["machine"]["beta"] = json::array(); },
                            [](json& d) { d["machine"]["beta"][0] = packed(std::vector<double>(23, 0.0)); },
                            beta(0, not_a_number),
                            beta(0, 0.3),  // class 0 has coefficients <= 0
                            beta(1, infinity),
                            [](json& d) {
                              d["machine"]["rows"]["columns"] = 2;
                              d["machine"]["rows"]["values"] = packed(std::vector<double>(48, 0.5));
                            },
                        });
}

TEST(ConformalFile, ContradictionsOfInductivePredictorsAreRefused) {
  const auto part = [](const char* field, json value) {
    return [=](json& d) { d["machine"]["parts"][0][field] = value; };
  };
  expect_refused(
      "inductive svm",
      {
          without("parts"),
          machine("parts", json::array()),
          [](json& d) { d["machine"]["parts"][0].erase("classifier"); },
          part("labels", packed(std::vector<std::int32_t>{})),
          part("labels", packed(std::vector<std::int32_t>(7, 3))),
          part("labels", packed(std::vector<std::int32_t>(7, -1))),
          part("nonconformity_scores", packed(std::vector<double>(6, 0.0))),
          part("nonconformity_scores", packed(std::vector<double>(7, not_a_number))),
          [](json& d) { d["machine"]["parts"][0]["classifier"]["class_count"] = 2; },
          [](json& d) { d["machine"]["parts"][0]["classifier"]["cost_count"] = 2; },
          [](json& d) { d["machine"]["parts"][0]["classifier"]["kernel"]["coef0"] = infinity; },
          [](json& d) { d["machine"]["parts"][0]["classifier"]["gammas"] = packed(std::vector<double>{0.0}); },
      });
  for (const std::vector<std::int32_t>& k : {std::vector<std::int32_t>{1, 2}, {18}, {0}, {}})  // of 17 rows
    expect_refused("inductive neighbours", {[k](json& d) { d["machine"]["parts"][0]["classifier"]["k"] = packed(k); }});
}

TEST(ConformalFile, NonconformityMayBeInfinite) {
  TemporaryFolder folder;
  test::Surroundings surroundings;
  const Kind kind = kind_named("inductive neighbours");
  json document = io::to_document(*fitted(kind));
  std::vector<double> nonconformity(7, infinity);
  nonconformity[0] = -infinity;
  document["machine"]["parts"][0]["nonconformity_scores"] = packed(nonconformity);
  const auto loaded = io::load_model(folder.write("m", file_of(document)));
  for (const double p : loaded->predict(rows_of(kind, 5, 9), surroundings.context).p_value.values)
    EXPECT_EQ(p, 7.0 / 8) << "six are stranger";
}

}  // namespace conformal_file_tests
}  // namespace credence
