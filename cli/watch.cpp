#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "credence/conformal/watch.hpp"
#include "credence/data/reader.hpp"
#include "data/cell.hpp"
#include "described.hpp"
#include "output.hpp"
#include "report/watch/watch_report.hpp"
#include "run.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t block_rows = 10'000;

struct WatchFlags : CommonFlags {
  std::string model;
  std::string state;
  std::string label;
  std::string id;
  Described asked;
};

/// The watch of the state file, or a new one where there is none yet.
/// @throws Error invalid_argument for options that differ from those that the state was begun with
conformal::Watch watch_of(const WatchFlags& flags, const model::Predictor& model, const core::Context& context) {
  conformal::WatchOptions options;
  const std::vector<core::Field> fields = core::fields_of(options);
  flags.asked.set_all(fields);
  if (!std::filesystem::exists(flags.state)) return {model, options, !flags.label.empty(), context};
  try {
    conformal::Watch watch(model, core::read_whole_file(flags.state), context);
    const conformal::WatchOptions& own = watch.options();
    if (flags.asked.given("alarm") && options.alarm != own.alarm)
      refuse(fmt::format("--alarm: the state was begun with {}", own.alarm));
    if (flags.asked.given("seed") && options.seed != own.seed)
      refuse(fmt::format("--seed: the state was begun with {}", own.seed));
    if (!flags.label.empty() && !watch.watches_labels()) refuse("--label: the state was begun without labels");
    return watch;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    throw Error(error.code(), error.sentence(), {flags.state, 0, ""});
  }
}

std::vector<int> labels_of(const data::Dataset& rows, const std::string& column, const data::Schema& schema) {
  std::vector<int> labels;
  const auto* cells = column.empty() ? nullptr : rows.texts_of(column);
  if (cells == nullptr) return labels;
  for (const std::string& cell : *cells) {
    const auto found = std::ranges::find(schema.classes, cell);
    labels.push_back(data::detail::is_missing(cell)  ? conformal::known_label::none
                     : found == schema.classes.end() ? conformal::known_label::other
                                                     : static_cast<int>(found - schema.classes.begin()));
  }
  return labels;
}

int run_watch(const WatchFlags& flags) {
  if (flags.state.empty()) refuse("--state FILE is required: it keeps what was seen, and the first call makes it");
  check_document_output(flags.document, {flags.model, flags.data.path, flags.state});
  check_own_name(flags.state, {flags.model, flags.data.path});
  core::check_writable(flags.state);
  read_options(flags.data);
  const Human human(flags.run.quiet, flags.document.json);
  Run run(flags.run, false);
  const std::unique_ptr<model::Predictor> model = load_any_model(flags.model);
  conformal::Watch watch = watch_of(flags, *model, run.context());
  data::ReadOptions reading = read_options_for(*model, flags.data);
  reading.threads = flags.run.threads;
  for (const std::string& column : {flags.label, flags.id})
    if (!column.empty()) reading.texts.push_back(column);
  data::RowReader reader(flags.data.path, reading);
  run.catch_signals();
  while (const std::optional<data::Dataset> block = reader.next(block_rows)) {
    give_notes(*block, flags.run.quiet);
    const auto* ids = flags.id.empty() ? nullptr : block->texts_of(flags.id);
    watch.update(*block, labels_of(*block, flags.label, model->schema),
                 ids == nullptr ? std::span<const std::string>{} : std::span<const std::string>(*ids), run.context());
    refuse_if_interrupted();
  }
  // Once, at the end: whoever is killed before has reported nothing, and starts again where the state is.
  core::write_atomically(flags.state, watch.state());
  human.print(report::terminal_text(report::watch_story(watch, flags.data.path), report::Detail::usual));
  write_document(report::watch_json(watch, flags.data.path, flags.model), flags.document, flags.data.path);
  return watch.alarm() ? exit_code::alarm : exit_code::success;
}

struct OrderFlags : CommonFlags {
  std::string order;
  conformal::WatchOptions options;
};

/// Numbers as such; texts in the order of their bytes, such as dates that begin with the year.
std::vector<double> values_in_order(const data::Dataset& rows, const std::string& column) {
  const auto* cells = rows.texts_of(column);
  std::vector<double> numbers;
  for (const std::string& cell : *cells) {
    double number = 0;
    if (data::detail::classify_cell(data::detail::trimmed(cell), number) != data::detail::CellKind::number) break;
    numbers.push_back(number);
  }
  if (numbers.size() == cells->size()) return numbers;
  std::vector<std::string> sorted(*cells);
  std::ranges::sort(sorted);
  numbers.clear();
  for (const std::string& cell : *cells)
    numbers.push_back(static_cast<double>(std::ranges::lower_bound(sorted, cell) - sorted.begin()));
  return numbers;
}

int run_exchangeable(const OrderFlags& flags) {
  if (flags.order.empty()) refuse("--order is required: the column of the order");
  check_document_output(flags.document, {flags.data.path});
  data::ReadOptions reading = read_options(flags.data);
  reading.unlabelled = true;
  reading.texts = {flags.order};
  reading.drop.push_back(flags.order);
  reading.threads = flags.run.threads;
  const Human human(flags.run.quiet, flags.document.json);
  Run run(flags.run, false);
  const data::Dataset rows = read_with_notes(flags.data.path, reading, flags.run.quiet);
  run.catch_signals();
  const conformal::Evidence evidence = on_data_of(flags.data.path, [&] {
    return conformal::evidence_of_order(rows, values_in_order(rows, flags.order), flags.options, run.context());
  });
  human.print(report::terminal_text(report::order_story(evidence, flags.options, flags.order, flags.data.path),
                                    report::Detail::usual));
  write_document(report::order_json(evidence, flags.options, flags.order, flags.data.path), flags.document,
                 flags.data.path);
  return evidence.alarm_row() > 0 ? exit_code::alarm : exit_code::success;
}

}  // namespace

Action add_watch(Command command) {
  const auto flags = std::make_shared<WatchFlags>();
  command.argument("MODEL", &flags->model, "a Credence model that keeps rows of its training");
  command.argument("STREAM", &flags->data.path, "new rows with the model's columns; - is standard input");
  const Group group = command.group("Watch");
  group.option("--state", &flags->state, "FILE", "what was seen so far; made by the first call (required)");
  group.option("--label", &flags->label, "COL",
               "watch the labels of this column too; a cell is empty\nwhile its label is not known");
  group.option(
      "--id", &flags->id, "COL",
      "a column of names of rows: a row that comes again is\nnot counted twice, but its label is taken; without\n"
      "it, a file that is fed twice is counted twice");
  flags->asked.add<conformal::WatchOptions>(group);
  add_document_options(command, flags->document, "write what was seen as JSON; - is standard output");
  add_model_rows_options(command, flags->data);
  add_run_options(command, flags->run, false);
  command.footer(
      "Rows are fed as they come, a file at a time; the state sums up earlier files.\n"
      "Without --id, rows that are fed twice count twice. The first line says\n"
      "quiet or ALARM. Exit code 0 is quiet, 7 is an alarm, which stays until the state\n"
      "file is removed.\n\n"
      "Examples:\n"
      "  credence watch pima.credence today.csv --state pima.watch\n"
      "  credence watch pima.credence today.csv --state pima.watch --id patient \\\n"
      "    --label diagnosis --alarm 0.001 --report pima.html");
  return [flags] { return run_watch(*flags); };
}

Action add_exchangeable(Command command) {
  const auto flags = std::make_shared<OrderFlags>();
  command.argument("DATA", &flags->data.path, "CSV, plain, gzip or zip; - is standard input");
  const Group group = command.group("Order");
  group.option("--order", &flags->order, "COL",
               "numbers, or texts whose order is that of their bytes,\nsuch as 2026-11-25 (required)");
  add_fields(group, core::fields_of(flags->options));
  flags->data.reading.add<data::ReadOptions>(command.group("Reading"), {"missing", "categorical", "drop"});
  add_reading_options(command, flags->data);
  add_document_options(command, flags->document, "write the result as JSON; - is standard output");
  add_run_options(command, flags->run, false);
  command.footer(
      "Tests whether rows, sorted by a column such as time or place, change along it.\n"
      "If they do, the error on shuffled rows is not the error on later rows.\n"
      "Exit code 0: no change is seen; 7: a change is seen.\n\n"
      "Example:\n"
      "  credence exchangeable patients.csv --order admitted");
  return [flags] { return run_exchangeable(*flags); };
}

}  // namespace credence::cli
