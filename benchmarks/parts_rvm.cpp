#include <fmt/format.h>

#include <filesystem>

#include "parts.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t selection_rows = 250;
const char* const pima_file = "pima.csv.gz";

/// The sizes of the synthetic problem, and the project's own targets: seconds on two threads.
struct Size {
  std::size_t rows;
  std::optional<double> target;
};

std::vector<Size> sizes(bool quick) {
  std::vector<Size> all{{250, 0.03}, {500, {}}, {1000, 0.6}, {2000, 4}};
  if (quick) all.resize(2);
  return all;
}

/// dlib and the package that is written in Python take long.
RvmPeers peers_of(std::size_t rows) {
  if (rows > 1000) return {};
  return rows > 500 ? RvmPeers{{"fastrvm"}, true} : RvmPeers{{"sklearn-rvm", "fastrvm"}, true};
}

void add(Results& results, const RvmTask& task, const RvmPeers& peers, std::optional<double> target) {
  RvmFitRow row = compare_rvm(task, peers, results.settings, results.machine["versions"]);
  row.target = target;
  say(fmt::format("rvm {} {}: {:.3f} s", row.name, row.rows, row.batch().two()));
  results.rvm.fits.push_back(std::move(row));
  save(results);
}

/// The evidence has many optima, and one draw says little about who finds the better one: at 500 rows there are six.
void compare_draws(Results& results) {
  constexpr std::size_t rows = 500;
  constexpr std::uint64_t draws = 6;
  for (std::uint64_t draw = 1; draw < draws; ++draw) add(results, synthetic_classes(rows, draw), {{}, true}, {});
}

void compare_classifiers(Results& results) {
  const Settings& settings = results.settings;
  if (settings.wants("synthetic"))
    for (const Size& size : sizes(settings.quick))
      add(results, synthetic_classes(size.rows), peers_of(size.rows), size.target);
  if (settings.wants("synthetic") && !settings.quick) compare_draws(results);
  if (!settings.wants("pima")) return;
  const std::string path = settings.data + "/" + pima_file;
  if (!std::filesystem::exists(path)) {
    results.notes.push_back(std::string(pima_file) + " is not in " + settings.data + ": no relevance vectors of it");
    return;
  }
  for (const double sigma : {0.3, 1.0}) add(results, task_of_file(path, "pima", sigma), peers_of(500), {});
}

void compare_regressions(Results& results) {
  const RvmPeers peers{{"ARDRegression", "sklearn-rvm", "fastrvm"}, true};
  if (results.settings.wants("sinc")) add(results, sinc(), peers, {});
  if (results.settings.wants("friedman")) add(results, friedman(), peers, {});
}

void compare_selections_of_width(Results& results) {
  const Settings& settings = results.settings;
  const bool there = std::filesystem::exists(settings.data + "/" + pima_file);
  const Recipe recipe = there ? Recipe{"pima", pima_file, {}, selection_rows}
                              : Recipe{"breast_cancer", "breast_cancer.csv", {}, selection_rows};
  if (!settings.wants("pima")) return;
  const Problem problem = prepare(recipe, there ? settings.data : CREDENCE_SOURCE_DIR "/data");
  results.rvm.selections.push_back(compare_rvm_selection(problem.raw, problem.name, settings));
  say(fmt::format("rvm selection {}: {:.1f} times", problem.name, results.rvm.selections.back().ratio()));
  save(results);
}

}  // namespace

void compare_rvms(Results& results) {
  compare_classifiers(results);
  compare_regressions(results);
  compare_selections_of_width(results);
}

}  // namespace credence::bench
