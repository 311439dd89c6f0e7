#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "credence/io/model_file.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/family.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace rvm_file_tests {

using kernel::KernelType;
using nlohmann::json;
using test::classifiers;
using test::expect_error;
using test::file_around;
using test::file_of;
using test::packed;
using test::random_rvm;
using test::read_text;
using test::TemporaryFolder;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

data::Dataset raw_rows(const rvm::RvmModel& model, std::size_t rows) {
  data::Dataset dataset;
  dataset.schema = model.schema;
  dataset.features = test::rvm_rows(model.kernel.type, rows);
  return dataset;
}

void expect_same(const model::Prediction& a, const model::Prediction& b) {
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.decision.values, b.decision.values);
  EXPECT_EQ(a.score.values, b.score.values);
  EXPECT_EQ(a.probability.values, b.probability.values);
  EXPECT_EQ(a.moderated.values, b.moderated.values);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.sd, b.sd);
}

TEST(RvmFile, PredictsTheSameToTheLastBit) {
  test::Surroundings surroundings;
  for (const KernelType type :
       {KernelType::rbf, KernelType::laplacian, KernelType::polynomial, KernelType::precomputed}) {
    for (const std::size_t classes : {0U, 2U, 3U, 5U}) {
      for (const bool sparse : {false, true}) {
        SCOPED_TRACE(testing::Message() << kernel::name(type) << ", " << classes << " classes, sparse " << sparse);
        TemporaryFolder folder;
        rvm::RvmModel model = random_rvm(type, classes, sparse);
        model.record.selected_error = 0.125;
        model.record.seed = std::numeric_limits<std::uint64_t>::max();
        io::save_model(model, folder.file("m"));
        const auto loaded = io::load_model(folder.file("m"));
        ASSERT_NE(dynamic_cast<const rvm::RvmModel*>(loaded.get()), nullptr);
        // Doubles are stored bit by bit, so equal documents are equal predictors.
        EXPECT_EQ(io::to_document(model), io::to_document(*loaded));
        EXPECT_EQ(loaded->schema.task, model.schema.task);
        EXPECT_EQ(loaded->record.seed, model.record.seed);
        const data::Dataset rows = raw_rows(model, 40);
        expect_same(model.predict(rows, surroundings.context), loaded->predict(rows, surroundings.context));
      }
    }
  }
}

TEST(RvmFile, KeepsHowTheFitsEnded) {
  TemporaryFolder folder;
  rvm::RvmModel model = random_rvm(KernelType::rbf, 3);
  model.machines[0].status = rvm::Status::converged;
  model.machines[1].status = rvm::Status::iteration_limit;
  model.machines[2].null_model = true;  // it has no centres
  ASSERT_TRUE(model.machines[2].centres.empty());
  io::save_model(model, folder.file("m"));
  const auto loaded = io::load_model(folder.file("m"));
  const auto& machines = dynamic_cast<const rvm::RvmModel&>(*loaded).machines;
  ASSERT_EQ(machines.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(machines[m].status, model.machines[m].status);
    EXPECT_EQ(machines[m].null_model, m == 2);
    EXPECT_EQ(machines[m].iterations, 17);
    EXPECT_EQ(machines[m].log_evidence, -12.5);
  }
}

TEST(RvmFile, AStoppedFitIsNotWritten) {
  TemporaryFolder folder;
  rvm::RvmModel model = random_rvm(KernelType::rbf, 2);
  model.machines[0].status = rvm::Status::stopped;
  expect_error(ErrorCode::invalid_argument, "stopped", [&] { io::save_model(model, folder.file("m")); });
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(RvmFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  for (const std::size_t classes : {0U, 3U}) {
    io::save_model(random_rvm(KernelType::rbf, classes), folder.file("m"));
    const std::string whole = read_text(folder.file("m"));
    for (std::size_t length = 0; length < whole.size(); length += length < 100 ? 1 : 7) {
      const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
      expect_error(ErrorCode::format, "", [&] { io::load_model(part); });
      if (HasFailure()) FAIL() << "at length " << length;
    }
  }
}

TEST(RvmFile, EveryChangedByteIsRefused) {
  TemporaryFolder folder;
  io::save_model(random_rvm(KernelType::rbf, 3), folder.file("model.credence"));
  std::string bytes = read_text(folder.file("model.credence"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char original = bytes[i];
    bytes[i] = static_cast<char>(original ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x80' : '\xff'));
    folder.write("changed", bytes);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.file("changed")); });
    bytes[i] = original;
    if (HasFailure()) FAIL() << "at byte " << i;
  }
}

/// Whatever the contents, with a right checksum: refused, or a predictor that predicts without harm.
void expect_no_harm(const model::Predictor& predictor, const data::Dataset& rows) {
  TemporaryFolder folder;
  const std::vector<std::uint8_t> payload = json::to_cbor(io::to_document(predictor));
  test::Surroundings surroundings;
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    std::string changed(payload.begin(), payload.end());
    changed[i] = static_cast<char>(changed[i] ^ (i % 3 == 0 ? '\x01' : i % 3 == 1 ? '\x20' : '\xff'));
    try {
      const std::unique_ptr<model::Predictor> model = io::load_model(folder.write("changed", file_around(changed)));
      ++loaded;
      model->predict(rows, surroundings.context);
    } catch (const Error&) {
    }
  }
  EXPECT_GT(loaded, 100U) << "most changes of numbers cannot be seen";
}

TEST(RvmFile, ChangedContentsUnderARightChecksumDoNoHarm) {
  for (const auto& model : {random_rvm(KernelType::rbf, 3), random_rvm(KernelType::linear, 2, true),
                            random_rvm(KernelType::precomputed, 2), random_rvm(KernelType::polynomial, 0)}) {
    expect_no_harm(model, raw_rows(model, 3));
  }
}

using Damages = std::vector<std::pair<std::string, std::function<void(json&)>>>;

void expect_refused(const model::Predictor& predictor, const Damages& damages) {
  TemporaryFolder folder;
  const json sound = io::to_document(predictor);
  ASSERT_NE(io::load_model(folder.write("sound", file_of(sound))), nullptr);
  for (const auto& [sentence, damage] : damages) {
    json document = sound;
    damage(document);
    expect_error(ErrorCode::format, sentence, [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (testing::Test::HasFailure()) FAIL() << "expected: " << sentence;
  }
}

/// A damage that sets a field of the first machine.
std::function<void(json&)> machine_with(const std::string& field, const json& value) {
  return [=](json& d) { d["machines"][0][field] = value; };
}

json square(std::size_t rows, std::size_t columns, double value) {
  return {{"rows", rows}, {"columns", columns}, {"values", packed(std::vector<double>(rows * columns, value))}};
}

TEST(RvmFile, SoundFilesThatContradictThemselvesAreRefused) {
  const auto rows = [](std::vector<std::uint64_t> values) {
    return [=](json& d) { d["centre_rows"] = packed(values); };
  };
  const auto counts = [](std::vector<std::uint64_t> values) {
    return [=](json& d) { d["class_counts"] = packed(values); };
  };
  expect_refused(random_rvm(KernelType::rbf, 3),
                 {{"kind", [](json& d) { d["kind"] = "forest"; }},
                  {"support_vectors", [](json& d) { d["kind"] = "svm"; }},
                  {"machines", [](json& d) { d.erase("machines"); }},
                  {"gamma", [](json& d) { d["kernel"]["gamma"] = -1; }},
                  {"kernel", [](json& d) { d["kernel"]["type"] = "cosine"; }},
                  {"do not fit the preprocessing", rows({0, 2, 3})},
                  {"out of order", rows({0, 2, 3, 3, 8, 13, 19})},
                  {"cut off", [](json& d) { d["centre_rows"] = packed<std::uint32_t>({1, 2, 3}); }},
                  {"do not fit the preprocessing", [](json& d) { d["centres"] = square(7, 2, 1); }},
                  {"not finite", [](json& d) { d["centres"] = square(7, 3, infinity); }},
                  {"other classes", counts({5, 5})},
                  {"no class had a row", counts({0, 0, 0})},
                  {"other classes", [](json& d) { d["schema"]["classes"].push_back("z"); }},
                  {"do not fit what", [](json& d) { d["machines"].erase(1); }},
                  {"do not fit what", [](json& d) { d["machines"].push_back(d["machines"][0]); }},
                  {"do not fit what", machine_with("positive", 2)},
                  {"positive", machine_with("positive", 0.5)},
                  {"damaged list of weights", machine_with("weights", packed<double>({1, 2, 3}))},
                  {"to one twice", machine_with("centres", packed<std::uint32_t>({0, 1, 2, 7}))},
                  {"to one twice", machine_with("centres", packed<std::uint32_t>({0, 2, 2, 6}))},
                  {"to one twice", machine_with("centres", packed<std::uint32_t>({0, 2, 1, 6}))},
                  {"not finite", machine_with("weights", packed<double>({1, 2, 3, not_a_number}))},
                  {"not finite", machine_with("bias", infinity)},
                  {"bias", machine_with("bias", "one")},
                  {"a bias that it says it has not", [](json& d) { d["machines"][1]["bias"] = 2.0; }},
                  {"type must be boolean", machine_with("has_bias", 1)},
                  {"covariance of another size", [](json& d) { d["machines"][1]["has_bias"] = true; }},
                  {"covariance of another size", machine_with("covariance", square(4, 4, 1))},
                  {"covariance of another size", machine_with("covariance", square(5, 4, 1))},
                  {"another size than it says", machine_with("covariance", json{{"rows", 5},
                                                                                {"columns", std::uint64_t{1} << 62},
                                                                                {"values", packed<double>({1, 2})}})},
                  {"covariance that is not finite", machine_with("covariance", square(5, 5, not_a_number))},
                  {"variance below 0", machine_with("covariance", square(5, 5, -1))},
                  {"noise variance", machine_with("noise_variance", 0)},
                  {"noise variance", machine_with("noise_variance", infinity)},
                  {"not finite", machine_with("log_evidence", -infinity)},
                  {"status", machine_with("status", "stopped")},
                  {"status", machine_with("status", "")},
                  {"a null model, but has centres", machine_with("null_model", true)},
                  {"iterations", machine_with("iterations", -1)},
                  {"iterations", machine_with("iterations", std::uint64_t{1} << 40)},
                  {"no hint", [](json& d) { d["schema"]["hint_name"] = "f0"; }}});
}

TEST(RvmFile, RegressionsThatContradictThemselvesAreRefused) {
  const rvm::RvmModel regression = random_rvm(KernelType::rbf, 0);
  expect_refused(regression, {{"fewer than two classes", [](json& d) { d["schema"].erase("task"); }},
                              {"task", [](json& d) { d["schema"]["task"] = "ranking"; }},
                              {"has classes", [](json& d) { d["schema"]["classes"] = {"a", "b"}; }},
                              {"other classes", [](json& d) { d["class_counts"] = packed<std::uint64_t>({3, 4}); }},
                              {"do not fit what", machine_with("positive", 1)},
                              {"do not fit what", [](json& d) { d["machines"] = json::array(); }},
                              {"noise variance", machine_with("noise_variance", -0.1)}});
  json document = io::to_document(random_rvm(KernelType::rbf, 2));
  document["schema"]["task"] = "regression";
  TemporaryFolder folder;
  expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("m", file_of(document))); });
}

TEST(RvmFile, PrecomputedCentresAreColumns) {
  expect_refused(
      random_rvm(KernelType::precomputed, 2),
      {{"does not exist", [](json& d) { d["centre_rows"] = packed<std::uint64_t>({0, 2, 3, 5, 8, 13, 20}); }}});
}

/// A family of relevance vector machines of two gammas.
selection::Ensemble ensemble_of(std::size_t classes) {
  const rvm::RvmModel model = random_rvm(KernelType::rbf, classes);
  auto family = std::make_shared<svm::SvmFamily>();
  family->relevance_vectors = true;
  family->kernel = model.kernel;
  family->gammas = {0.1, 0.5};
  family->cost_count = 1;
  family->class_count = classes;
  family->support_vectors = model.centres;
  family->support_rows = model.centre_rows;
  family->bias = test::random_matrix(2, model.machines.size(), 3);
  family->norm = data::DenseMatrix(2, model.machines.size());
  for (int gamma = 0; gamma < 2; ++gamma) {
    for (const rvm::Machine& machine : model.machines) {
      data::DenseMatrix weights(machine.weights.size(), 1);
      weights.values = machine.weights;
      family->machines.push_back({machine.centres, weights});
    }
  }
  selection::Ensemble predictor;
  static_cast<model::Predictor&>(predictor) = model;
  predictor.set_family(family);
  predictor.rule = selection::MaxMarginRule{};
  predictor.names = {{0, 0, 0.1, 0}, {0, 0, 0.5, 0}};
  return predictor;
}

TEST(RvmFamilyFile, ReturnsFamiliesToTheLastBit) {
  test::Surroundings surroundings;
  for (const std::size_t classes : {2U, 3U, 4U}) {
    TemporaryFolder folder;
    const selection::Ensemble predictor = ensemble_of(classes);
    io::save_model(predictor, folder.file("m"));
    const auto loaded = io::load_model(folder.file("m"));
    EXPECT_EQ(io::to_document(predictor), io::to_document(*loaded));
    const auto& back = dynamic_cast<const selection::Ensemble&>(*loaded);
    EXPECT_TRUE(dynamic_cast<const svm::SvmFamily&>(back.family()).relevance_vectors);
    const data::Features rows = test::rvm_rows(KernelType::rbf, 30);
    const model::Scores a = predictor.family().score_all(rows, surroundings.context);
    const model::Scores b = back.family().score_all(rows, surroundings.context);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.labels, b.labels);
  }
}

TEST(RvmFamilyFile, ContradictionsAreRefused) {
  const auto norms = [](double value) { return [=](json& d) { classifiers(d)["norm"] = square(2, 4, value); }; };
  expect_refused(ensemble_of(4), {{"number of models", [](json& d) { classifiers(d)["type"] = "svm"; }},
                                  {"number of models", [](json& d) { classifiers(d)["machines"].erase(0); }},
                                  {"number of models", [](json& d) { classifiers(d)["cost_count"] = 2; }},
                                  {"no norm", norms(1)},
                                  {"no norm", [](json& d) { classifiers(d)["geometric"] = true; }}});
}

TEST(RvmFamilyFile, ChangedContentsUnderARightChecksumDoNoHarm) {
  expect_no_harm(ensemble_of(3), raw_rows(random_rvm(KernelType::rbf, 3), 3));
}

}  // namespace rvm_file_tests
}  // namespace credence
