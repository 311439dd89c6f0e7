#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "application.hpp"
#include "commands.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "output.hpp"
#include "report/text.hpp"
#include "run.hpp"
#include "system/files.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

namespace filesystem = std::filesystem;

struct DemoFlags {
  std::string folder;
  RunOptions run;
};

/// Beside the installed or built command: a folder's name in the program would make its bytes differ from build to
/// build.
std::string find_data() {
  constexpr const char* name = "breast_cancer.csv";
  std::error_code error;
  const filesystem::path bin = system::program().parent_path();
  for (const filesystem::path& folder : {bin / "../share/credence", bin / "../data", bin / "data"})
    if (filesystem::is_regular_file(folder / name, error)) return (folder / name).lexically_normal().string();
  throw Error(ErrorCode::file, fmt::format("the demo's data set {} was not found beside the command", name));
}

std::string make_folder(const std::string& asked) {
  std::error_code error;
  if (!asked.empty()) {
    filesystem::create_directories(asked, error);
    if (error || !filesystem::is_directory(asked))
      throw Error(ErrorCode::file, "cannot make the folder" + (error ? ": " + error.message() : ""), {asked, 0, {}});
    return asked;
  }
  const std::string made = system::make_folder((filesystem::temp_directory_path() / "credence-demo-").string());
  if (made.empty())
    throw Error(ErrorCode::file, fmt::format("cannot make a temporary folder: {}", std::strerror(errno)));
  return made;
}

void write_rows(const data::Dataset& dataset, const std::vector<bool>& held_out, bool wanted, const std::string& path) {
  const data::Dataset part = dataset.select_rows(data::rows_where(held_out, wanted));
  const std::vector<std::string> names = core::mapped(part.schema.columns, &data::Column::name);
  data::write_csv(path, part.features, names, part);
}

void show_command(const std::string& command) {
  print(fmt::format("\n$ credence {}\n", command));
}

void show_start_of(const std::string& path, int lines) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < lines && std::getline(file, line); ++i) print(line + "\n");
  print("...\n");
}

int run_demo(const DemoFlags& options) {
  const Run check(options.run, false);  // finds wrong options before anything is written
  const std::string source = find_data();
  const std::string folder = make_folder(options.folder);
  const auto in_folder = [&](const char* name) { return (filesystem::path(folder) / name).string(); };
  const std::string train = in_folder("train.csv");
  const std::string test = in_folder("test.csv");
  const std::string model = in_folder("model.credence");
  const std::string predictions = in_folder("predictions.csv");

  data::ReadOptions reading;
  reading.label = "diagnosis";
  const data::Dataset dataset = data::read(source, reading);
  const std::vector<bool> held_out = data::hold_out(dataset.labels, 0.3, 0);
  write_rows(dataset, held_out, false, train);
  write_rows(dataset, held_out, true, test);
  print(
      fmt::format("Breast cancer Wisconsin (diagnostic), {}: {}; 30 % are held out for the test.\n"
                  "All files are in {}\n",
                  source, report::count_of(dataset.rows(), "row"), folder));

  SelectOptions select;
  select.data.path = train;
  select.output = model;
  select.run = options.run;
  show_command(fmt::format("select {} -o {}", train, model));
  if (const int code = run_select(select); code != exit_code::success) return code;

  PredictOptions predict;
  predict.model = model;
  predict.data.path = test;
  predict.output = predictions;
  predict.run = options.run;
  show_command(fmt::format("predict {} {} -o {}", model, test, predictions));
  if (const int code = run_predict(predict); code != exit_code::success) return code;
  show_start_of(predictions, 4);

  EvaluateOptions evaluate;
  evaluate.model = model;
  evaluate.data.path = test;
  evaluate.run = options.run;
  show_command(fmt::format("evaluate {} {}", model, test));
  return run_evaluate(evaluate);
}

}  // namespace

Action add_demo(Command command) {
  const auto options = std::make_shared<DemoFlags>();
  command.group("Output").option("--output", &options->folder, "DIR",
                                 "folder for the files (default: a new temporary one)");
  add_run_options(command, options->run, true);
  command.footer("Example:\n  credence demo --output demo");
  return [options] { return run_demo(*options); };
}

}  // namespace credence::cli
