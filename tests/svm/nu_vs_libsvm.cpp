#include <gtest/gtest.h>
#include <svm.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/real_data.hpp"
#include "support/train_options.hpp"

namespace nu_vs_libsvm_tests {

using namespace credence;
using kernel::KernelType;
using test::Clouds;
using test::random_clouds;

/// LIBSVM's nu-SVC on rows sorted by class, so that its order of classes is ascending.
class LibsvmNu {
 public:
  LibsvmNu(const data::DenseMatrix& x, const std::vector<int>& classes, const kernel::Kernel& kernel, double nu,
           double eps) {
    svm_set_print_string_function([](const char*) {});
    std::vector<std::size_t> order(x.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a] < classes[b]; });
    for (const std::size_t i : order) {
      y_.push_back(classes[i]);
      nodes_.push_back(nodes(x.row(i)));
    }
    for (std::vector<svm_node>& row : nodes_) pointers_.push_back(row.data());
    problem_.l = static_cast<int>(x.rows);
    problem_.y = y_.data();
    problem_.x = pointers_.data();
    parameter_.svm_type = NU_SVC;
    parameter_.kernel_type = kernel.type == KernelType::linear ? LINEAR : RBF;
    parameter_.gamma = kernel.gamma;
    parameter_.cache_size = 100;
    parameter_.eps = eps;
    parameter_.nu = nu;
    parameter_.shrinking = 1;
  }

  bool feasible() const { return svm_check_parameter(&problem_, &parameter_) == nullptr; }

  void train() { model_.reset(svm_train(&problem_, &parameter_)); }

  /// Positive for class 1 of two, for the first of a pair if there are more.
  data::DenseMatrix decisions(const data::DenseMatrix& rows) const {
    const auto classes = static_cast<std::size_t>(model_->nr_class);
    data::DenseMatrix result(rows.rows, classes * (classes - 1) / 2);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::vector<svm_node> row = nodes(rows.row(i));
      svm_predict_values(model_.get(), row.data(), result.row(i).data());
      if (classes == 2) result.row(i)[0] = -result.row(i)[0];
    }
    return result;
  }

  std::vector<int> labels(const data::DenseMatrix& rows) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::vector<svm_node> row = nodes(rows.row(i));
      result.push_back(static_cast<int>(svm_predict(model_.get(), row.data())));
    }
    return result;
  }

 private:
  static std::vector<svm_node> nodes(std::span<const double> row) {
    std::vector<svm_node> result;
    for (std::size_t j = 0; j < row.size(); ++j) result.push_back({static_cast<int>(j + 1), row[j]});
    result.push_back({-1, 0});
    return result;
  }
  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };

  std::vector<double> y_;
  std::vector<std::vector<svm_node>> nodes_;
  std::vector<svm_node*> pointers_;
  svm_problem problem_{};
  svm_parameter parameter_{};
  std::unique_ptr<svm_model, Free> model_;
};

svm::TrainOptions nu_options(const kernel::Kernel& kernel, double nu, double tolerance) {
  svm::TrainOptions options = test::train_options(kernel, 1, tolerance);
  options.nu = nu;
  return options;
}

/// Of the rows of a machine: margin errors at most nu, support vectors at least nu (Schoelkopf et al. 2000, Prop. 5).
void expect_nu_property(const svm::SvmModel& model, const svm::BinaryMachine& machine, std::size_t m,
                        const model::Prediction& prediction, const std::vector<int>& classes, double nu,
                        const std::string& what) {
  double rows = 0;
  double errors = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != machine.positive && classes[i] != machine.negative) continue;
    const double y = classes[i] == machine.positive ? 1 : -1;
    ++rows;
    errors += y * prediction.decision.row(i)[m] < 1 - 1e-2 ? 1 : 0;
  }
  EXPECT_LE(errors / rows, nu * 1.002) << what;
  EXPECT_GE(static_cast<double>(machine.support.size()) / rows, nu * 0.998) << what;
  double mass = 0;
  for (const double beta : machine.coefficients) mass += std::abs(beta);
  if (model.machines.size() == 1)  // C of the record is this machine's
    EXPECT_NEAR(mass, nu * model.record.C * rows, 1e-3 * mass) << what;
}

void expect_agreement(const Clouds& data, const kernel::Kernel& kernel, double nu, const std::string& name) {
  const std::string what = name + ", " + std::string(kernel::name(kernel.type)) + ", gamma " +
                           std::to_string(kernel.gamma) + ", nu " + std::to_string(nu);
  const data::Dataset dataset = data.dataset();
  LibsvmNu theirs(data.x, dataset.labels, kernel, nu, 1e-6);
  ASSERT_TRUE(theirs.feasible()) << what;
  theirs.train();
  test::Surroundings surroundings;
  const svm::TrainResult ours = svm::train(dataset, nu_options(kernel, nu, 1e-5), surroundings.context);
  EXPECT_EQ(ours.statistics.status, qp::Status::converged) << what;
  EXPECT_EQ(ours.model.record.nu, nu);
  const model::Prediction prediction = ours.model.predict(dataset, surroundings.context);
  const data::DenseMatrix decisions = theirs.decisions(data.x);
  const std::vector<int> labels = theirs.labels(data.x);
  std::vector<bool> doubtful(data.x.rows, false);
  for (std::size_t m = 0; m < decisions.columns; ++m) {
    double scale = 1;
    for (std::size_t i = 0; i < data.x.rows; ++i) scale = std::max(scale, std::abs(decisions.row(i)[m]));
    for (std::size_t i = 0; i < data.x.rows; ++i) {
      ASSERT_NEAR(prediction.decision.row(i)[m], decisions.row(i)[m], 1e-2 * scale) << what << ", row " << i;
      doubtful[i] = doubtful[i] || std::abs(decisions.row(i)[m]) < 1e-2 * scale;
    }
    expect_nu_property(ours.model, ours.model.machines[m], m, prediction, dataset.labels, nu, what);
  }
  for (std::size_t i = 0; i < data.x.rows; ++i)
    if (!doubtful[i]) ASSERT_EQ(prediction.label[i], labels[i]) << what << ", row " << i;
}

TEST(NuVsLibsvm, RandomProblems) {
  // Small nu with a small gamma ask for a C so large that rounding, in either program, decides.
  for (const std::size_t n : {20U, 75U, 300U}) {
    for (const double gamma : {0.02, 0.3, 5.0}) {
      for (const double nu : {0.05, 0.3, 0.7, 0.95}) {
        if (gamma < 0.1 && nu < 0.5) continue;
        expect_agreement(random_clouds(n, 4, 2, 0.8, n), {.gamma = gamma}, nu, "n " + std::to_string(n));
      }
    }
  }
}

TEST(NuVsLibsvm, ManyClasses) {
  for (const int classes : {3, 5})
    for (const double nu : {0.1, 0.5})
      expect_agreement(random_clouds(120, 4, classes, 0.8, 4), {.gamma = 0.2}, nu, std::to_string(classes));
}

TEST(NuVsLibsvm, LinearKernel) {
  for (const double nu : {0.6, 0.8})
    expect_agreement(random_clouds(150, 4, 2, 0.8, 4), {.type = KernelType::linear}, nu, "clouds");
}

class NuRealSets : public testing::TestWithParam<std::string> {};

TEST_P(NuRealSets, AgreeWithLibsvm) {
  CREDENCE_NEEDS_SHARED_DATA(GetParam() + ".csv.gz");
  const Clouds data = test::real_data(GetParam());
  for (const double gamma : {0.1, 0.5}) {
    // In glass the smallest class against the largest allows no more than about 0.21.
    for (const double nu : GetParam() == "glass" ? std::vector<double>{0.1, 0.2} : std::vector<double>{0.2, 0.6})
      expect_agreement(data, {.gamma = gamma}, nu, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, NuRealSets, testing::Values("pima", "ionosphere", "glass"),
                         [](const auto& set) { return set.param; });

TEST(NuVsLibsvm, InfeasibleExactlyWhereLibsvmSaysSo) {
  for (const std::size_t minority : {1U, 3U, 7U, 10U}) {
    Clouds data = random_clouds(20, 3, 2, 0.8, minority);
    data.labels.clear();
    for (std::size_t i = 0; i < 20; ++i) data.labels.push_back(i < minority ? "a" : "b");
    const data::Dataset dataset = data.dataset();
    const double largest = 2 * static_cast<double>(minority) / 20;
    for (const double nu : {largest * (1 - 1e-6), largest, largest * (1 + 1e-6), 0.05, 0.25, 0.5, 0.75, 1.0}) {
      if (nu > 1) continue;
      const LibsvmNu theirs(data.x, dataset.labels, {.gamma = 0.3}, nu, 1e-3);
      test::Surroundings surroundings;
      bool trained = true;
      try {
        svm::train(dataset, nu_options({.gamma = 0.3}, nu, 1e-3), surroundings.context);
      } catch (const Error& error) {
        trained = false;
        EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(ErrorCode::invalid_data));
        const std::string sentence = error.what();
        for (const std::string part : {"nu = ", "'a'", "'b'", "largest possible value"})
          EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
      }
      EXPECT_EQ(trained, theirs.feasible()) << "nu " << nu << " of " << minority;
    }
  }
}

}  // namespace nu_vs_libsvm_tests
