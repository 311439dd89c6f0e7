#include "credence/io/libsvm.hpp"

#include <gtest/gtest.h>
#include <svm.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "credence/data/reader.hpp"
#include "credence/io/model_file.hpp"
#include "credence/svm/train.hpp"
#include "io/model_bytes.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace libsvm_models_vs_libsvm_tests {

using kernel::KernelType;
using test::expect_error;
using test::TemporaryFolder;

kernel::Kernel some_kernel(KernelType type) {
  kernel::Kernel kernel;
  kernel.type = type;
  kernel.gamma = type == KernelType::sigmoid ? 0.02 : 0.3;
  kernel.coef0 = 0.5;
  kernel.degree = 2;
  return kernel;
}

constexpr KernelType libsvm_kernels[] = {KernelType::rbf, KernelType::linear, KernelType::polynomial,
                                         KernelType::sigmoid};

/// Kernel values of rows with the training rows.
data::DenseMatrix kernel_values(const data::DenseMatrix& rows, const data::DenseMatrix& training) {
  data::DenseMatrix values(rows.rows, training.rows);
  const kernel::Kernel rbf = some_kernel(KernelType::rbf);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < training.rows; ++j)
      values.row(i)[j] = test::reference_kernel(rbf, rows.row(i), training.row(j));
  return values;
}

svm::SvmModel train(const data::DenseMatrix& x, const std::vector<std::string>& labels, const kernel::Kernel& kernel,
                    data::Scaling scaling) {
  svm::TrainOptions options;
  options.kernel = kernel.shape();
  options.gamma = {kernel::GammaRule::Kind::value, kernel.gamma};
  options.scaling = scaling;
  options.C = 2;
  test::Surroundings surroundings;
  return svm::train(data::make_dataset(data::Features(x), labels), options, surroundings.context).model;
}

/// The rows as svm-predict reads them; `serial` puts "0:number" before the values of a precomputed kernel.
void write_rows(const std::string& path, const data::DenseMatrix& rows, bool serial) {
  std::ofstream out(path);
  out.precision(17);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    out << 0;
    if (serial) out << " 0:" << i + 1;
    for (std::size_t j = 0; j < rows.columns; ++j) out << ' ' << j + 1 << ':' << rows.row(i)[j];
    out << '\n';
  }
}

std::vector<std::string> run_svm_predict(const TemporaryFolder& folder, const std::string& model,
                                         const data::DenseMatrix& rows, bool serial = false) {
  write_rows(folder.file("rows.svm"), rows, serial);
  const std::string command =
      "svm-predict " + folder.file("rows.svm") + " " + model + " " + folder.file("out.txt") + " > /dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(folder.file("out.txt"));
  std::vector<std::string> labels;
  for (std::string line; in >> line;) labels.push_back(line);
  return labels;
}

std::vector<std::string> predict(const svm::SvmModel& model, const data::DenseMatrix& rows) {
  test::Surroundings surroundings;
  std::vector<std::string> labels;
  for (const int label : model.predict_preprocessed(data::Features(rows), surroundings.context).label)
    labels.push_back(model.schema.classes[static_cast<std::size_t>(label)]);
  return labels;
}

bool has_svm_predict() {
  return std::system("command -v svm-predict > /dev/null 2>&1") == 0;
}

class ExportVsSvmPredict : public testing::TestWithParam<std::tuple<KernelType, int>> {};

TEST_P(ExportVsSvmPredict, SamePredictions) {
  if (!has_svm_predict()) GTEST_SKIP() << "needs svm-predict of libsvm-tools";
  const auto [type, classes] = GetParam();
  const test::Clouds clouds = test::random_clouds(90, 4, classes, 0.8, 11);
  std::vector<std::string> labels;
  for (const int c : clouds.classes) labels.push_back(std::to_string(10 - 3 * c));
  const bool precomputed = type == KernelType::precomputed;
  const data::DenseMatrix x = precomputed ? kernel_values(clouds.x, clouds.x) : clouds.x;
  const svm::SvmModel model =
      train(x, labels, some_kernel(type), precomputed ? data::Scaling::none : data::Scaling::standard);

  TemporaryFolder folder;
  const std::vector<std::string> notes = io::export_libsvm(model, folder.file("m.model"));
  EXPECT_EQ(notes.empty(), precomputed) << "scaled rows need a note, kernel values do not";
  const data::DenseMatrix fresh = test::random_matrix(200, 4, 12, 1.5);
  const data::DenseMatrix rows = precomputed ? kernel_values(fresh, clouds.x) : fresh;
  EXPECT_EQ(run_svm_predict(folder, folder.file("m.model"), rows, precomputed), predict(model, rows));

  // And back: the same model, with the same decisions.
  const svm::SvmModel back = io::import_libsvm(folder.file("m.model"));
  data::DenseMatrix same = rows;
  if (precomputed && back.preprocessing.columns() < rows.columns) return;
  test::Surroundings surroundings;
  const model::Prediction a = model.predict_preprocessed(data::Features(same), surroundings.context);
  const model::Prediction b = back.predict_preprocessed(data::Features(same), surroundings.context);
  ASSERT_EQ(a.decision.values.size(), b.decision.values.size());
  if (classes > 2) return;  // classes may stand in another order
  for (std::size_t i = 0; i < a.decision.values.size(); ++i)
    EXPECT_NEAR(a.decision.values[i], b.decision.values[i], 1e-9 * (1 + std::abs(a.decision.values[i])));
}

INSTANTIATE_TEST_SUITE_P(AllKernels, ExportVsSvmPredict,
                         testing::Combine(testing::Values(KernelType::rbf, KernelType::linear, KernelType::polynomial,
                                                          KernelType::sigmoid, KernelType::precomputed),
                                          testing::Values(2, 3, 5)));

TEST(LibsvmExport, SparseModelsToo) {
  if (!has_svm_predict()) GTEST_SKIP() << "needs svm-predict of libsvm-tools";
  const test::Clouds clouds = test::random_clouds(60, 6, 3, 0.5, 21);
  data::DenseMatrix x = test::random_thin_matrix(60, 6, 22);
  std::vector<std::string> labels;
  for (const int c : clouds.classes) labels.push_back(std::to_string(c));
  svm::TrainOptions options;
  options.gamma = {kernel::GammaRule::Kind::value, 0.5};
  test::Surroundings surroundings;
  const svm::SvmModel model =
      svm::train(data::make_dataset(data::Features(test::sparse_of(x)), labels), options, surroundings.context).model;
  ASSERT_TRUE(model.support_vectors.is_sparse());
  TemporaryFolder folder;
  io::export_libsvm(model, folder.file("m"));
  const data::DenseMatrix rows = test::random_thin_matrix(100, 6, 23);
  EXPECT_EQ(run_svm_predict(folder, folder.file("m"), rows), predict(model, rows));
}

TEST(LibsvmExport, IntegersKeepTheirValueAndOtherClassesAreNumbered) {
  const test::Clouds clouds = test::random_clouds(40, 2, 2, 1.0, 3);
  const auto label_line = [&](const std::string& first, const std::string& second, std::size_t expected_notes) {
    std::vector<std::string> labels;
    for (const int c : clouds.classes) labels.push_back(c == 0 ? first : second);
    TemporaryFolder folder;
    const auto notes =
        io::export_libsvm(train(clouds.x, labels, some_kernel(KernelType::rbf), data::Scaling::none), folder.file("m"));
    EXPECT_EQ(notes.size(), expected_notes);
    const std::string text = test::read_text(folder.file("m"));
    const std::size_t start = text.find("\nlabel ") + 7;
    return text.substr(start, text.find('\n', start) - start);
  };
  EXPECT_EQ(label_line("-1", "+1", 0), "1 -1");
  EXPECT_EQ(label_line("1.0", "7", 0), "7 1");
  EXPECT_EQ(label_line("benign", "malignant", 1), "1 0");
  EXPECT_EQ(label_line("0.5", "1", 1), "1 0");
}

TEST(LibsvmExport, LaplacianIsRefused) {
  const test::Clouds clouds = test::random_clouds(40, 2, 2, 1.0, 3);
  const svm::SvmModel model = train(clouds.x, clouds.labels, some_kernel(KernelType::laplacian), data::Scaling::none);
  TemporaryFolder folder;
  expect_error(ErrorCode::invalid_argument, "laplacian", [&] { io::export_libsvm(model, folder.file("m")); });
  EXPECT_EQ(folder.file_count(), 0U);
}

/// Trained by LIBSVM and saved by it, with classes in no particular order.
struct LibsvmFile {
  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };

  LibsvmFile(const data::DenseMatrix& x, const std::vector<int>& classes, const kernel::Kernel& kernel, int svm_type,
             const std::string& path) {
    svm_set_print_string_function([](const char*) {});
    svm_parameter parameter{};
    parameter.svm_type = svm_type;
    parameter.kernel_type = kernel.type == KernelType::rbf          ? RBF
                            : kernel.type == KernelType::linear     ? LINEAR
                            : kernel.type == KernelType::polynomial ? POLY
                                                                    : SIGMOID;
    parameter.gamma = kernel.gamma;
    parameter.coef0 = kernel.coef0;
    parameter.degree = kernel.degree;
    parameter.C = 3;
    parameter.nu = 0.3;
    parameter.eps = 1e-3;
    parameter.cache_size = 50;
    parameter.shrinking = 1;
    std::vector<std::vector<svm_node>> rows;
    std::vector<svm_node*> pointers;
    std::vector<double> y;
    for (std::size_t i = 0; i < x.rows; ++i) rows.push_back(nodes(x.row(i)));
    for (auto& row : rows) pointers.push_back(row.data());
    for (const int c : classes) y.push_back(4 - 3 * c);
    svm_problem problem{static_cast<int>(x.rows), y.data(), pointers.data()};
    const std::unique_ptr<svm_model, Free> trained(svm_train(&problem, &parameter));
    EXPECT_EQ(svm_save_model(path.c_str(), trained.get()), 0);
    // What the file says, not what was trained: LIBSVM writes eight digits of the support vectors.
    model.reset(svm_load_model(path.c_str()));
  }

  static std::vector<svm_node> nodes(std::span<const double> row) {
    std::vector<svm_node> result;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) result.push_back({static_cast<int>(j + 1), row[j]});
    result.push_back({-1, 0});
    return result;
  }

  std::unique_ptr<svm_model, Free> model;
};

class ImportVsLibsvm : public testing::TestWithParam<std::tuple<KernelType, int, int, bool>> {};

TEST_P(ImportVsLibsvm, SamePredictionsAndDecisions) {
  const auto [type, classes, svm_type, thin] = GetParam();
  const test::Clouds clouds = test::random_clouds(80, 5, classes, 0.7, 31);
  const data::DenseMatrix x = thin ? test::random_thin_matrix(80, 5, 32, 0.8) : clouds.x;
  // Backwards, so that LIBSVM meets the classes in another order than ours.
  const std::vector<int> order(clouds.classes.rbegin(), clouds.classes.rend());
  TemporaryFolder folder;
  const LibsvmFile libsvm(x, order, some_kernel(type), svm_type, folder.file("m"));
  ASSERT_NE(libsvm.model, nullptr);
  EXPECT_TRUE(io::is_libsvm_model(folder.file("m")));
  const svm::SvmModel model = io::import_libsvm(folder.file("m"));

  const data::DenseMatrix rows = test::random_matrix(100, 5, 33, 1.5);
  test::Surroundings surroundings;
  const model::Prediction prediction = model.predict_preprocessed(data::Features(rows), surroundings.context);
  std::vector<double> expected(model.machines.size());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::vector<svm_node> row = LibsvmFile::nodes(rows.row(i));
    const double label = svm_predict_values(libsvm.model.get(), row.data(), expected.data());
    EXPECT_EQ(model.schema.classes[static_cast<std::size_t>(prediction.label[i])],
              std::to_string(static_cast<int>(label)));
    for (std::size_t m = 0; m < expected.size(); ++m)
      EXPECT_NEAR(prediction.decision.row(i)[m], expected[m], 1e-9 * (1 + std::abs(expected[m])));
  }
  // An imported model is a model like any other.
  io::save_model(model, folder.file("saved"));
  EXPECT_EQ(predict(test::load_svm(folder.file("saved")), rows), predict(model, rows));
}

INSTANTIATE_TEST_SUITE_P(AllKernels, ImportVsLibsvm,
                         testing::Combine(testing::ValuesIn(libsvm_kernels), testing::Values(2, 4),
                                          testing::Values(C_SVC, NU_SVC), testing::Bool()));

TEST(LibsvmImport, TiedVotesGoToTheFirstLabelOfTheFile) {
  // Without support vectors every decision is -rho: each of the three classes gets one vote.
  TemporaryFolder folder;
  const std::string path = folder.write(
      "m",
      "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 1\nrho -1 1 -1\nlabel 7 9 8\nnr_sv 1 0 0\nSV\n"
      "0 0 1:1 \n");
  const svm::SvmModel model = io::import_libsvm(path);
  const data::DenseMatrix rows(3, 1);
  EXPECT_EQ(predict(model, rows), std::vector<std::string>(3, "7"));
  if (has_svm_predict()) EXPECT_EQ(run_svm_predict(folder, path, rows), predict(model, rows));
}

TEST(LibsvmImport, RowsAreReadByPosition) {
  TemporaryFolder folder;
  const std::string path =
      folder.write("m",
                   "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n"
                   "1 1:1 3:2 \n-1 2:1 \n");
  const svm::SvmModel model = io::import_libsvm(path);
  data::ReadOptions reading;
  reading.schema = &model.schema;
  test::Surroundings surroundings;
  const auto decisions = [&](const std::string& name, const char* text) {
    const data::Dataset rows = data::read(folder.write(name, text), reading);
    return model.predict(rows, surroundings.context).decision.values;
  };
  const std::vector<double> expected{7, -5};
  EXPECT_EQ(decisions("rows.svm", "1 1:1 3:3\n-1 2:5\n"), expected);
  EXPECT_EQ(decisions("rows.csv", "1,0,3\n0,5,0\n"), expected);
  EXPECT_EQ(decisions("labelled.csv", "1,0,3,1\n0,5,0,-1\n"), expected);
}

TEST(LibsvmImport, DamagedTextIsRefusedWithItsLine) {
  TemporaryFolder folder;
  const std::string good =
      "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n"
      "0.5 1:1 2:2 \n-0.5 1:3 \n";
  ASSERT_NO_THROW(io::import_libsvm(folder.write("good", good)));
  const std::vector<std::array<std::string, 3>> damages{
      {"svm_type c_svc", "svm_kind c_svc", "m:1"},
      {"c_svc", "epsilon_svr", "m:1"},
      {"rbf", "cubic", "m:2"},
      {"gamma 0.5", "gamma wide", "m:3"},
      {"gamma 0.5", "gamma nan", "m:3"},
      {"gamma 0.5", "gamma -1", "gamma"},
      {"nr_class 2", "nr_class 3", "nr_class"},
      {"total_sv 2", "total_sv 3", "total_sv"},
      {"total_sv 2", "total_sv 99999999999", "m:5"},
      {"rho 0.25", "rho", "rho"},
      {"rho 0.25", "rho 1 2", "rho"},
      {"label 1 -1", "label 1 1", "twice"},
      {"label 1 -1", "label 1 x", "m:7"},
      {"nr_sv 1 1", "nr_sv 2 2", "total_sv"},
      {"SV\n", "", "not a field"},
      {"0.5 1:1 2:2 ", "1:1 2:2", "m:10"},
      {"1:1 2:2", "2:1 1:2", "m:10"},
      {"1:1 2:2", "0:1 2:2", "m:10"},
      {"1:1 2:2", "1:1 2", "m:10"},
      {"1:1 2:2", "1:1 2:inf", "m:10"},
      {"1:1 2:2", "1:1 4000000000:2", "m:10"},
      {"-0.5 1:3 \n", "", "truncated"},
      {"-0.5 1:3 \n", "-0.5 1:3 \n-0.5 1:3 \n", "m:12"},
  };
  for (const auto& [part, replacement, expected] : damages) {
    std::string text = good;
    text.replace(text.find(part), part.size(), replacement);
    const std::string path = folder.write("m", text);
    expect_error(ErrorCode::format, expected, [&] { io::import_libsvm(path); });
    if (HasFailure()) FAIL() << part << " -> " << replacement;
  }
  expect_error(ErrorCode::format, "not a LIBSVM model", [&] { io::import_libsvm(folder.write("empty", "")); });
  expect_error(ErrorCode::file, "No such file", [&] { io::import_libsvm(folder.file("nowhere")); });
}

TEST(LibsvmImport, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  const test::Clouds clouds = test::random_clouds(20, 2, 3, 1.0, 3);
  const LibsvmFile libsvm(clouds.x, clouds.classes, some_kernel(KernelType::rbf), C_SVC, folder.file("m"));
  const std::string whole = test::read_text(folder.file("m"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string path = folder.write("part", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::format, "part", [&] { io::import_libsvm(path); });
    if (HasFailure()) FAIL() << "at length " << length;
  }
}

}  // namespace libsvm_models_vs_libsvm_tests
}  // namespace credence
