#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/score.hpp"
#include "support/python.hpp"
#include "support/temporary_folder.hpp"

namespace scores_vs_scikit_learn_tests {

using namespace credence;
using selection::Score;

constexpr const char* program =
    "import sys\n"
    "from sklearn import metrics as m\n"
    "for line in open(sys.argv[1]):\n"
    "    rows = [float(x) for x in line.split()]\n"
    "    n = len(rows) // 4\n"
    "    t, p, f, w = rows[:n], rows[n:2*n], rows[2*n:3*n], rows[3*n:]\n"
    "    two = max(t + p) < 2\n"
    "    print(m.accuracy_score(t, p, sample_weight=w), m.balanced_accuracy_score(t, p, sample_weight=w),\n"
    "          m.roc_auc_score(t, f, sample_weight=w) if two else 0,\n"
    "          m.f1_score(t, p, sample_weight=w) if two else 0,\n"
    "          m.f1_score(t, p, sample_weight=w, average='macro'))\n";

TEST(Scores, AreThoseOfScikitLearn) {
  const std::string python = test::python_with("sklearn");
  if (python.empty()) GTEST_SKIP() << "no Python with scikit-learn";
  const test::TemporaryFolder folder;
  const std::string script = folder.path() + "/scores.py";
  const std::string input = folder.path() + "/rows.txt";
  std::ofstream(script) << program;
  core::RandomStream random(1, 1);
  std::vector<std::array<double, 5>> ours;
  {
    std::ofstream rows(input);
    for (int problem = 0; problem < 20; ++problem) {
      const std::size_t classes = problem < 10 ? 2 : 4;
      std::vector<double> truth;
      std::vector<double> label;
      std::vector<double> margin;
      std::vector<double> weight;
      std::vector<int> codes;
      selection::LabelCounts counts(classes);
      for (std::size_t i = 0; i < 30; ++i) {
        const std::size_t t = i < classes ? i : random.below(classes);
        const std::size_t p = random.uniform() < 0.5 ? t : random.below(classes);
        truth.push_back(static_cast<double>(t));
        label.push_back(static_cast<double>(p));
        codes.push_back(static_cast<int>(t));
        margin.push_back(std::round(2 * random.normal() + static_cast<double>(t)));
        weight.push_back(1 + static_cast<double>(random.below(3)));
        counts.add(t, p, weight.back());
      }
      const double auc = classes == 2 ? selection::roc_auc(margin, codes, weight) : 0;
      ours.push_back({counts.score(Score::accuracy), counts.score(Score::balanced_accuracy), auc,
                      classes == 2 ? counts.score(Score::f1) : 0, counts.score(Score::f1_macro)});
      for (const auto* list : {&truth, &label, &margin, &weight})
        for (const double value : *list) rows << value << ' ';
      rows << '\n';
    }
  }
  const std::string output = folder.path() + "/scores.txt";
  ASSERT_EQ(std::system(("'" + python + "' '" + script + "' '" + input + "' > '" + output + "'").c_str()), 0);
  std::ifstream theirs(output);
  for (const auto& scores : ours) {
    for (const double score : scores) {
      double expected = -1;
      ASSERT_TRUE(theirs >> expected);
      EXPECT_NEAR(score, expected, 1e-12);
    }
  }
}

}  // namespace scores_vs_scikit_learn_tests
