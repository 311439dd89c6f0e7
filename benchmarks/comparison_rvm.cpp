#include "comparison_rvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "credence/rvm/train.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

/// Seconds that a peer may take for its fits of one task.
constexpr int time_limit = 60;

std::string text_of(data::Task task) {
  return task == data::Task::regression ? "regression" : "classification";
}

std::vector<double> with_targets(const data::DenseMatrix& rows, const std::vector<double>& targets) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    numbers.insert(numbers.end(), rows.row(i).begin(), rows.row(i).end());
    numbers.push_back(targets[i]);
  }
  return numbers;
}

void split_targets(const std::vector<double>& numbers, std::size_t columns, data::DenseMatrix& rows,
                   std::vector<double>& targets) {
  rows = data::DenseMatrix(numbers.size() / columns, columns - 1);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double* row = numbers.data() + i * columns;
    std::copy_n(row, columns - 1, rows.row(i).begin());
    targets.push_back(row[columns - 1]);
  }
}

/// The task as files, while this lives.
class TaskFiles {
 public:
  TaskFiles(const RvmTask& task, const std::string& folder)
      : training_(folder + "/rvm.train.numbers"), test_(folder + "/rvm.test.numbers") {
    write_numbers(training_, with_targets(task.training, task.targets));
    write_numbers(test_, with_targets(task.test, task.test_targets));
    arguments_ = {training_, test_, fmt::format("{}", task.training.columns + 1), fmt::format("{}", task.sigma),
                  text_of(task.task)};
  }
  ~TaskFiles() {
    std::filesystem::remove(training_);
    std::filesystem::remove(test_);
  }
  TaskFiles(const TaskFiles&) = delete;
  TaskFiles& operator=(const TaskFiles&) = delete;

  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  std::string training_;
  std::string test_;
  std::vector<std::string> arguments_;
};

/// Rows for which the side itself says something else than what follows from the weights that it told.
std::size_t differing(const RvmTask& task, const std::vector<double>& decisions, const std::vector<double>& told) {
  std::size_t count = 0;
  for (std::size_t n = 0; n < told.size(); ++n) {
    const bool same = task.regression() ? std::abs(decisions[n] - told[n]) < 1e-6 * (1 + std::abs(told[n]))
                                        : (decisions[n] > 0) == (told[n] > 0);
    count += same ? 0U : 1U;
  }
  return count;
}

void judge(const RvmMachine& machine, const RvmTask& task, RvmSideRow& side) {
  const RvmWorth worth = worth_of(machine, task);
  side.kernels = machine.centres.size();
  side.log_evidence = worth.log_evidence;
  side.own_alpha = worth.own_alpha;
  side.test_error = worth.test_error;
}

RvmSideRow side_of(const nlohmann::json& answer, const RvmTask& task) {
  RvmSideRow side;
  side.name = answer.at("name");
  if (answer.contains("failure")) {
    side.failure = answer.at("failure");
    return side;
  }
  side.seconds = answer.at("seconds").get<std::vector<Seconds>>();
  const auto machine = answer.at("machine").get<RvmMachine>();
  judge(machine, task, side);
  side.differing =
      differing(task, worth_of(machine, task).decision, answer.at("predictions").get<std::vector<double>>());
  return side;
}

RvmSideRow dlib_side(const RvmTask& task, const TaskFiles& files) {
  std::vector<std::string> command{"timeout", fmt::format("{}", time_limit), own_path(), "rvm-dlib-alone"};
  command.insert(command.end(), files.arguments().begin(), files.arguments().end());
  try {
    return side_of(run_for_json(command), task);
  } catch (const std::runtime_error&) {
    RvmSideRow side;
    side.name = "dlib";
    side.failure = fmt::format("not within {} s", time_limit);
    return side;
  }
}

void add_python_sides(const RvmTask& task, const TaskFiles& files, const std::vector<std::string>& names,
                      const Settings& settings, RvmFitRow& row, nlohmann::json& versions) {
  std::vector<std::string> command{settings.python, script("rvm_peer.py")};
  command.insert(command.end(), files.arguments().begin(), files.arguments().end());
  command.push_back(fmt::format("{}", time_limit));
  command.insert(command.end(), names.begin(), names.end());
  for (const nlohmann::json& answer : run_for_json(command)) {
    row.sides.push_back(side_of(answer, task));
    if (answer.contains("version")) versions[row.sides.back().name] = answer.at("version");
  }
}

/// How often a fit of so many rows is repeated.
int runs_of(std::size_t rows, rvm::Algorithm algorithm, const Settings& settings) {
  if (settings.quick || rows > 1000) return 1;
  if (rows <= 500) return settings.runs;
  return algorithm == rvm::Algorithm::batch ? 3 : 1;
}

void add_own_runs(const RvmTask& task, rvm::Algorithm algorithm, const Settings& settings, RvmSideRow& side) {
  for (int run = 0; run < runs_of(task.training.rows, algorithm, settings); ++run) {
    side.two_threads.push_back(credence_rvm(task, algorithm, 2).seconds);
    RvmRun one = credence_rvm(task, algorithm, 1);
    side.seconds.push_back(one.seconds);
    if (side.fit) continue;
    judge(one.machine, task, side);
    side.fit = std::move(one.fit);
  }
}

double least(const std::vector<Seconds>& runs, double Seconds::*which) {
  double found = runs.empty() ? 0 : runs.front().*which;
  for (const Seconds& run : runs) found = std::min(found, run.*which);
  return found;
}

}  // namespace

double RvmSideRow::one() const {
  return least(seconds, &Seconds::cpu);
}

double RvmSideRow::two() const {
  return least(two_threads, &Seconds::wall);
}

nlohmann::json dlib_alone(const std::string& training, const std::string& test, std::size_t columns, double sigma,
                          const std::string& task) {
  const core::Threads one_thread(1);  // of OpenBLAS too, which dlib calls
  RvmTask problem;
  problem.task = task == "regression" ? data::Task::regression : data::Task::classification;
  problem.sigma = sigma;
  split_targets(read_numbers(training), columns, problem.training, problem.targets);
  split_targets(read_numbers(test), columns, problem.test, problem.test_targets);
  const DlibRun run = dlib_rvm(problem);
  return {{"name", "dlib"}, {"seconds", run.seconds}, {"machine", run.machine}, {"predictions", run.predictions}};
}

RvmFitRow compare_rvm(const RvmTask& task, const RvmPeers& peers, const Settings& settings, nlohmann::json& versions) {
  RvmFitRow row;
  row.name = task.name;
  row.task = text_of(task.task);
  row.rows = task.training.rows;
  row.test_rows = task.test.rows;
  row.features = task.training.columns;
  row.sigma = task.sigma;
  row.sides.resize(2);
  row.sides[0].name = "Credence, batch";
  row.sides[1].name = "Credence, sequential";
  // Ours before and after theirs, so that whatever else the machine does disturbs both sides.
  const auto ours = [&] {
    add_own_runs(task, rvm::Algorithm::batch, settings, row.sides[0]);
    add_own_runs(task, rvm::Algorithm::sequential, settings, row.sides[1]);
  };
  ours();
  if (settings.alone || (!peers.dlib && peers.python.empty())) return row;
  const TaskFiles files(task, settings.work);
  if (peers.dlib) row.sides.push_back(dlib_side(task, files));
  if (!settings.python.empty() && !peers.python.empty())
    add_python_sides(task, files, peers.python, settings, row, versions);
  ours();
  return row;
}

}  // namespace credence::bench
