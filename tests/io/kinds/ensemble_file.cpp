#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/family.hpp"
#include "io/model_bytes.hpp"
#include "io/model_document.hpp"
#include "neighbours/search/family.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace ensemble_file_tests {

using nlohmann::json;
using selection::Ensemble;
using selection::PValue;
using selection::Tie;
using test::classifiers;
using test::expect_error;
using test::file_around;
using test::file_of;
using test::packed;
using test::read_text;
using test::TemporaryFolder;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t columns = 3;

enum class Kind { svm, svm_sparse, svm_linear, svm_precomputed, neighbours };

/// Two gammas (one for kernels without) and two costs over four support vectors, all numbers random.
std::shared_ptr<svm::SvmFamily> svm_family(Kind kind, std::size_t classes) {
  auto family = std::make_shared<svm::SvmFamily>();
  const std::size_t machines = classes * (classes - 1) / 2;
  family->kernel.type = kind == Kind::svm_linear        ? kernel::KernelType::linear
                        : kind == Kind::svm_precomputed ? kernel::KernelType::precomputed
                                                        : kernel::KernelType::rbf;
  family->gammas = family->kernel.uses_gamma() ? std::vector<double>{0.1, 1.0 / 3} : std::vector<double>{0.0};
  family->cost_count = 2;
  family->class_count = classes;
  family->support_rows =
      kind == Kind::svm_precomputed ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{1, 2, 5, 11};
  const data::DenseMatrix vectors = test::random_thin_matrix(4, columns, 8);
  if (kind == Kind::svm_sparse)
    family->support_vectors = test::sparse_of(vectors);
  else if (kind != Kind::svm_precomputed)
    family->support_vectors = vectors;
  for (std::size_t g = 0; g < family->gammas.size(); ++g) {
    for (std::size_t m = 0; m < machines; ++m) {
      std::vector<std::uint32_t> support{0, 1};
      if (m == 0 && kind != Kind::svm_precomputed) support = {0, 1, 2, 3};
      family->machines.push_back({support, test::random_matrix(support.size(), 2, 20 + g + 10 * m)});
    }
  }
  family->bias = test::random_matrix(family->gammas.size(), 2 * machines, 30, 0.1);
  family->norm = test::random_matrix(family->gammas.size(), 2 * machines, 31);
  for (double& norm : family->norm.values) norm = std::abs(norm);
  family->geometric = classes == 3;
  return family;
}

std::shared_ptr<neighbours::NeighbourFamily> neighbour_family(std::size_t classes) {
  auto family = std::make_shared<neighbours::NeighbourFamily>();
  family->rows = test::random_matrix(9, columns, 40);
  for (std::size_t i = 0; i < 9; ++i) family->labels.push_back(static_cast<int>(i % classes));
  family->k = {1, 2, 4};
  family->class_count = classes;
  return family;
}

/// A family predictor that takes the largest margin; other rules are set by the tests.
Ensemble ensemble_of(Kind kind, std::size_t classes) {
  const test::Clouds clouds = test::random_clouds(20, columns, static_cast<int>(classes), 1, 6);
  const data::Dataset dataset = clouds.dataset();
  Ensemble predictor;
  predictor.schema = dataset.schema;
  predictor.preprocessing =
      data::Preprocessing::fit(dataset, kind == Kind::svm_precomputed ? data::Scaling::none : data::Scaling::standard);
  predictor.preprocessing.sparse = kind == Kind::svm_sparse;
  predictor.record.method = "nonconformity";
  predictor.record.selected_error = 0.125;
  predictor.record.seed = std::numeric_limits<std::uint64_t>::max();
  if (kind == Kind::neighbours)
    predictor.set_family(neighbour_family(classes));
  else
    predictor.set_family(svm_family(kind, classes));
  predictor.rule = selection::MaxMarginRule{};
  for (std::size_t k = 0; k < predictor.members.count(); ++k)
    predictor.names.push_back({0.1 * static_cast<double>(k), 0.3, 1.0 / 3, static_cast<int>(k)});
  predictor.validation_rows = 12;
  return predictor;
}

selection::NonconformityRule nonconformity_rule(const model::ClassifierFamily& family,
                                                const selection::NonconformityOptions& options) {
  test::Surroundings surroundings;
  model::Scores validation = family.score_all(test::random_matrix(12, columns, 50), surroundings.context);
  std::vector<int> labels;
  for (std::size_t j = 0; j < 12; ++j) labels.push_back(static_cast<int>(j % family.classes()));
  std::fill_n(validation.at(0, 0), family.models() * family.classes(), infinity);  // margins need not be finite
  std::fill_n(validation.at(1, 0), family.models() * family.classes(), -infinity);
  return {validation, labels, options};
}

/// Every rule, with every word of its options.
std::vector<decltype(Ensemble::rule)> all_rules(const model::ClassifierFamily& family) {
  std::vector<decltype(Ensemble::rule)> rules{selection::MaxMarginRule{}, selection::VoteRule{{1, 0}}};
  for (const Tie tie : {Tie::random, Tie::validation_error, Tie::vote})
    for (const PValue p_value : {PValue::paper, PValue::conformal})
      rules.emplace_back(nonconformity_rule(family, {tie, p_value, 0.1, 1ULL << 63}));
  return rules;
}

void expect_same(const model::Prediction& a, const model::Prediction& b) {
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.chosen, b.chosen);
  EXPECT_EQ(a.p_value.values, b.p_value.values);
  EXPECT_EQ(a.eps_crit, b.eps_crit);
  EXPECT_EQ(a.bound_vc, b.bound_vc);
  EXPECT_EQ(a.bound_dkw, b.bound_dkw);
}

data::Dataset raw_rows() {
  return test::random_clouds(40, columns, 2, 1, 7).dataset();
}

/// @return whether rows got different labels, without which equal predictions say little
bool round_trip(const Ensemble& predictor) {
  TemporaryFolder folder;
  const std::string path = folder.file("model.credence");
  io::save_model(predictor, path);
  const std::unique_ptr<model::Predictor> loaded = io::load_model(path);
  EXPECT_NE(dynamic_cast<const Ensemble*>(loaded.get()), nullptr);
  // Doubles are stored bit by bit, so equal documents are equal predictors.
  EXPECT_EQ(io::to_document(predictor), io::to_document(*loaded));
  EXPECT_EQ(loaded->record.seed, predictor.record.seed);
  EXPECT_EQ(loaded->record.selected_error, predictor.record.selected_error);
  test::Surroundings surroundings;
  const model::Prediction prediction = predictor.predict(raw_rows(), surroundings.context);
  expect_same(prediction, loaded->predict(raw_rows(), surroundings.context));
  const auto first = std::count(prediction.label.begin(), prediction.label.end(), prediction.label.front());
  return static_cast<std::size_t>(first) < prediction.label.size();
}

TEST(EnsembleFile, ReturnsEveryKindAndRuleToTheLastBit) {
  int telling = 0;
  for (const Kind kind : {Kind::svm, Kind::svm_sparse, Kind::svm_linear, Kind::svm_precomputed, Kind::neighbours}) {
    for (const std::size_t classes : {2U, 3U}) {
      Ensemble predictor = ensemble_of(kind, classes);
      for (auto& rule : all_rules(predictor.family())) {
        SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << classes << " classes, rule "
                                        << rule.index());
        predictor.rule = std::move(rule);
        telling += round_trip(predictor) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(telling, 60) << "of 80";
}

TEST(EnsembleFile, KeepsTheNamesOfTheModels) {
  TemporaryFolder folder;
  const Ensemble predictor = ensemble_of(Kind::svm, 2);
  io::save_model(predictor, folder.file("m"));
  const std::unique_ptr<model::Predictor> loaded = io::load_model(folder.file("m"));
  const auto& names = dynamic_cast<const Ensemble&>(*loaded).names;
  ASSERT_EQ(names.size(), 4U);
  EXPECT_EQ(names[3].C, predictor.names[3].C);
  EXPECT_EQ(names[3].nu, 0.3);
  EXPECT_EQ(names[3].gamma, 1.0 / 3);
  EXPECT_EQ(names[3].k, 3);
  EXPECT_EQ(dynamic_cast<const Ensemble&>(*loaded).validation_rows, 12U);
}

Ensemble with_nonconformity(Kind kind, std::size_t classes) {
  Ensemble predictor = ensemble_of(kind, classes);
  predictor.rule = nonconformity_rule(predictor.family(), {});
  return predictor;
}

/// A predictor, and classifiers, that files do not know.
struct Unknown final : model::Predictor {
  model::Prediction predict_preprocessed(const data::Features&, const core::Context&) const override { return {}; }
};

class UnknownFamily final : public model::ClassifierFamily {
 public:
  std::size_t models() const override { return 1; }
  std::size_t classes() const override { return 2; }
  void score(const data::Features&, const core::Context&,
             const std::function<void(std::size_t, const model::Scores&)>&) const override {}
};

TEST(EnsembleFile, UnknownKindsAreNotWritten) {
  TemporaryFolder folder;
  expect_error(ErrorCode::invalid_argument, "of this type", [&] { io::save_model(Unknown(), folder.file("m")); });
  Ensemble predictor = ensemble_of(Kind::svm, 2);
  predictor.members.parts.clear();
  expect_error(ErrorCode::invalid_argument, "without its members",
               [&] { io::save_model(predictor, folder.file("m")); });
  predictor.set_family(std::make_shared<UnknownFamily>());
  expect_error(ErrorCode::invalid_argument, "of this type", [&] { io::save_model(predictor, folder.file("m")); });
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(EnsembleFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  for (const Kind kind : {Kind::svm, Kind::neighbours}) {
    const std::string path = folder.file("model.credence");
    io::save_model(with_nonconformity(kind, 2), path);
    const std::string whole = read_text(path);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string part = folder.write("part", std::string_view(whole).substr(0, length));
      expect_error(ErrorCode::format, length == 0 ? "not a Credence model" : "truncated",
                   [&] { io::load_model(part); });
      if (HasFailure()) FAIL() << "at length " << length;
    }
  }
}

TEST(EnsembleFile, EveryChangedByteIsRefused) {
  TemporaryFolder folder;
  for (const Kind kind : {Kind::svm, Kind::neighbours}) {
    io::save_model(with_nonconformity(kind, 2), folder.file("model.credence"));
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
}

/// Whatever the contents, with a right checksum: refused, or a predictor that predicts without harm.
void expect_no_harm(const Ensemble& predictor, const data::Dataset& rows) {
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

TEST(EnsembleFile, ChangedContentsUnderARightChecksumDoNoHarm) {
  const data::Dataset rows = test::random_clouds(3, columns, 2, 1, 7).dataset();
  expect_no_harm(with_nonconformity(Kind::svm, 3), rows);
  expect_no_harm(with_nonconformity(Kind::svm_sparse, 2), rows);
  expect_no_harm(with_nonconformity(Kind::svm_precomputed, 2), rows);
  expect_no_harm(with_nonconformity(Kind::neighbours, 3), rows);
  Ensemble votes = ensemble_of(Kind::neighbours, 2);
  votes.rule = selection::VoteRule{{2, 0}};
  expect_no_harm(votes, rows);
}

using Damages = std::vector<std::function<void(json&)>>;

void expect_refused(const Ensemble& predictor, const Damages& damages) {
  TemporaryFolder folder;
  const json good = io::to_document(predictor);
  ASSERT_NO_THROW(io::load_model(folder.write("good", file_of(good))));
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json document = good;
    damages[i](document);
    expect_error(ErrorCode::format, "", [&] { io::load_model(folder.write("damaged", file_of(document))); });
    if (testing::Test::HasFailure()) FAIL() << "damage " << i;
  }
}

TEST(EnsembleFile, ContradictionsOfSvmFamiliesAreRefused) {
  const auto numbers = [](const char* table, std::vector<double> values) {
    return [=](json& d) { classifiers(d)[table]["values"] = packed(values); };
  };
  expect_refused(
      with_nonconformity(Kind::svm, 2),
      {
          [](json& d) { d["kind"] = "svm"; },
          [](json& d) { d.erase("members"); },
          [](json& d) { classifiers(d)["type"] = "forest"; },
          [](json& d) { classifiers(d)["type"] = "neighbours"; },
          [](json& d) { classifiers(d)["gammas"] = packed(std::vector<double>{}); },
          [](json& d) { classifiers(d)["gammas"] = packed(std::vector<double>{1.0}); },
          [](json& d) { classifiers(d)["gammas"] = packed(std::vector<double>{1.0, 0.0}); },
          [](json& d) { classifiers(d)["gammas"] = packed(std::vector<double>{1.0, not_a_number}); },
          [](json& d) { classifiers(d)["kernel"]["type"] = "linear"; },
          [](json& d) { classifiers(d)["kernel"]["coef0"] = infinity; },
          [](json& d) { classifiers(d)["cost_count"] = 0; },
          [](json& d) { classifiers(d)["cost_count"] = 1; },
          [](json& d) { classifiers(d)["cost_count"] = std::uint64_t{1} << 63; },
          [](json& d) { classifiers(d)["cost_count"] = -2; },
          [](json& d) { classifiers(d)["class_count"] = 3; },
          [](json& d) { classifiers(d)["support_rows"] = packed(std::vector<std::uint64_t>{1, 2, 5}); },
          [](json& d) { classifiers(d)["support_rows"] = packed(std::vector<std::uint64_t>{1, 2, 2, 5}); },
          [](json& d) { classifiers(d)["support_vectors"]["columns"] = 4; },
          [](json& d) { classifiers(d)["support_vectors"]["rows"] = std::uint64_t{1} << 62; },
          [](json& d) { classifiers(d)["machines"].erase(0); },
          [](json& d) { classifiers(d)["machines"][1]["coefficients"]["rows"] = 8; },
          [](json& d) {
            classifiers(d)["machines"][1]["coefficients"] = {
                {"rows", 0}, {"columns", 2}, {"values", packed(std::vector<double>{})}};
          },
          [](json& d) {
            classifiers(d)["machines"][1]["coefficients"]["values"] = packed(std::vector<double>(8, infinity));
          },
          [](json& d) { classifiers(d)["machines"][1]["support"] = packed(std::vector<std::uint32_t>{0, 1, 2, 4}); },
          [](json& d) { classifiers(d)["machines"][1]["support"] = packed(std::vector<std::uint32_t>{0, 1, 1, 3}); },
          numbers("bias", {1, 2, 3}),
          numbers("bias", {1, 2, 3, not_a_number}),
          numbers("norm", {1, 2, 3, infinity}),
          numbers("norm", {1, 2, 3, -1}),
          [](json& d) {
            classifiers(d)["norm"] = {{"rows", 1}, {"columns", 1}, {"values", packed(std::vector<double>{1})}};
          },
          [](json& d) { classifiers(d)["geometric"] = 2; },
          [](json& d) { d["schema"]["classes"] = {"a", "b", "c"}; },
      });
}

/// Where nothing beside the family could notice.
TEST(EnsembleFile, MachinesFitGammasCostsAndClasses) {
  const auto keep_members = [](json& d, std::size_t count) {
    for (const char* name : {"C", "nu", "gamma"}) d["names"][name] = packed(std::vector<double>(count, 1));
    d["names"]["k"] = packed(std::vector<std::int32_t>(count, 1));
  };
  const auto one_class = [](json& d) {
    d["schema"]["classes"] = {"a"};
    classifiers(d)["class_count"] = 1;
  };
  const auto table = [](std::size_t width) {
    return json{{"rows", 1}, {"columns", width}, {"values", packed(std::vector<double>(width, 1.0))}};
  };
  expect_refused(ensemble_of(Kind::svm, 2), {
                                                one_class,
                                                [&](json& d) {
                                                  classifiers(d)["cost_count"] = 1;
                                                  keep_members(d, 2);
                                                },
                                                [&](json& d) {
                                                  classifiers(d)["bias"] = table(2);
                                                  classifiers(d)["norm"] = table(2);
                                                },
                                            });
  expect_refused(ensemble_of(Kind::neighbours, 2), {one_class});
}

TEST(EnsembleFile, PrecomputedKernelsReferToColumnsThatExist) {
  expect_refused(ensemble_of(Kind::svm_precomputed, 2),
                 {[](json& d) { classifiers(d)["support_rows"] = packed(std::vector<std::uint64_t>{0, columns}); }});
}

TEST(EnsembleFile, ContradictionsOfNeighboursAreRefused) {
  const auto labels = [](std::vector<std::int32_t> values) {
    return [=](json& d) { classifiers(d)["labels"] = packed(values); };
  };
  const auto k = [](std::vector<std::int32_t> values) {
    return [=](json& d) { classifiers(d)["k"] = packed(values); };
  };
  expect_refused(with_nonconformity(Kind::neighbours, 2),
                 {
                     labels({0, 1, 0, 1, 0, 1, 0, 1}),
                     labels({0, 1, 0, 1, 0, 1, 0, 1, 2}),
                     labels({0, 1, 0, 1, 0, 1, 0, 1, -1}),
                     k({}),
                     k({1, 2}),
                     k({0, 1, 2}),
                     k({-1, 1, 2}),
                     k({1, 2, 2}),
                     k({2, 1, 4}),
                     [](json& d) { classifiers(d)["class_count"] = 3; },
                     [](json& d) { classifiers(d)["rows"]["columns"] = 9; },
                     [](json& d) { classifiers(d)["rows"]["values"] = packed(std::vector<double>(27, infinity)); },
                     [](json& d) {
                       classifiers(d)["rows"] = {
                           {"rows", 0}, {"columns", columns}, {"values", packed(std::vector<double>{})}};
                       classifiers(d)["labels"] = packed(std::vector<std::int32_t>{});
                     },
                 });
}

TEST(EnsembleFile, ContradictionsOfMembersAndRulesAreRefused) {
  const auto margins = [](double first, double last) {
    return [=](json& d) {
      std::vector<double> values(36, 0.0);
      values.front() = first;
      values.back() = last;
      d["rule"]["margins"]["values"] = packed(values);
    };
  };
  TemporaryFolder folder;
  json allowed = io::to_document(with_nonconformity(Kind::neighbours, 2));
  margins(-infinity, infinity)(allowed);
  ASSERT_NO_THROW(io::load_model(folder.write("allowed", file_of(allowed))));
  expect_refused(
      with_nonconformity(Kind::neighbours, 2),
      {
          margins(1, 0),
          margins(0, -1),
          margins(not_a_number, 0),
          margins(0, not_a_number),
          [](json& d) { d["names"]["C"] = packed(std::vector<double>{1, 2}); },
          [](json& d) { d["names"]["gamma"] = packed(std::vector<double>{1, 2, not_a_number}); },
          [](json& d) { d["names"]["k"] = packed(std::vector<std::int32_t>{1, 2, -4}); },
          [](json& d) { d["names"].erase("nu"); },
          [](json& d) {
            for (const char* name : {"C", "nu", "gamma"}) d["names"][name] = packed(std::vector<double>{1, 1});
            d["names"]["k"] = packed(std::vector<std::int32_t>{1, 2});
          },
          [](json& d) { d["rule"]["name"] = "coin"; },
          [](json& d) { d["rule"]["tie"] = "coin"; },
          [](json& d) { d["rule"]["p_value"] = "coin"; },
          [](json& d) { d["rule"]["delta"] = 0.0; },
          [](json& d) { d["rule"]["delta"] = 1.5; },
          [](json& d) { d["rule"]["seed"] = -1; },
          [](json& d) { d["rule"]["classes"] = 3; },
          [](json& d) { d["rule"]["classes"] = 1; },
          [](json& d) { d["rule"]["margins"]["rows"] = 2; },
          [](json& d) {
            d["rule"]["margins"] = {{"rows", 3}, {"columns", 0}, {"values", packed(std::vector<double>{})}};
          },
          [](json& d) {
            d["rule"]["margins"] = {{"rows", 4}, {"columns", 9}, {"values", packed(std::vector<double>(36, 0.0))}};
            d["rule"]["validation_errors"] = packed(std::vector<std::uint64_t>{0, 0, 0, 0});
          },
          [](json& d) { d["rule"]["validation_errors"] = packed(std::vector<std::uint64_t>{0, 0}); },
          [](json& d) { d["rule"]["validation_errors"] = packed(std::vector<std::uint64_t>{0, 0, 13}); },
          [](json& d) { d["rule"] = {{"name", "vote"}, {"members", packed(std::vector<std::uint32_t>{})}}; },
          [](json& d) { d["rule"] = {{"name", "vote"}, {"members", packed(std::vector<std::uint32_t>{0, 3})}}; },
          [](json& d) { d["validation_rows"] = -1; },
      });
}

}  // namespace ensemble_file_tests
}  // namespace credence
