#include <fmt/format.h>

#include "apply.hpp"
#include "credence/core/list.hpp"
#include "output.hpp"
#include "report/course/training_text.hpp"
#include "report/text.hpp"

namespace credence::cli {
void add_columns_options(Command command, ColumnsAsked& asked) {
  const Group group = command.group("Columns");
  group.flag("--importance", &asked.importance,
             "rise of the error (or 1 - score) when a column is\n"
             "shuffled among rows that the models had not seen");
  group.option("--importance-groups", &asked.correlated, "NUMBER",
               "the same, but columns whose correlation is at\n"
               "least this (such as 0.8) are shuffled together");
  group
      .option("--dependence", &asked.dependence, "COLUMNS",
              "partial dependence: the mean prediction if all rows\n"
              "had one value of a column, for each value: age,sex")
      .not_empty();
}

void ColumnsAsked::check(const data::Schema& schema) const {
  if (correlated)
    under_name("--importance-groups", [&] {
      if (!(*correlated > 0 && *correlated <= 1))
        refuse(fmt::format("a correlation lies above 0 and at most at 1, not at {}", *correlated));
    });
  for (const std::string_view name :
       dependence.empty() ? std::vector<std::string_view>() : core::split(dependence, ','))
    under_name("--dependence", [&] { selection::column_named(schema, name); });
}

report::ColumnEffects effects_of(const ColumnsAsked& asked, const model::Predictor& model, const data::Dataset& rows,
                                 const selection::Selection* chosen, std::uint64_t seed, Run& run) {
  constexpr std::size_t most_rows = 1000;  // whose mean answer is taken
  constexpr double told_from_seconds = 5;
  report::ColumnEffects effects;
  if (!asked.any()) return effects;
  run.catch_signals();
  ProgressBar bar(!run.quiet());
  core::Monitor monitor(
      [&](const core::Monitor::Progress& progress) {
        bar.update(progress);
        return !run.context().monitor.should_stop();
      },
      run.seconds_left());
  const core::Context context = run.context().with(monitor);
  selection::ImportanceOptions options{
      .correlated = asked.correlated.value_or(0), .seed = seed, .score = selection::score_of_choice(model)};
  options.begins = [&](double seconds) {
    if (seconds >= told_from_seconds && !run.quiet())
      note(fmt::format("shuffling the columns takes about {}", report::rough_duration_text(seconds)));
  };
  const auto made = [&](const char* name, const auto& work) {
    try {
      under_name(name, work);
    } catch (const Error& error) {
      if (chosen == nullptr) throw;
      warn(error.what());  // the selection stands
    }
  };
  if (asked.importance || asked.correlated)
    made("--importance", [&] {
      effects.importance = chosen != nullptr ? selection::importance_left_out(model, rows, *chosen, options, context)
                                             : selection::permutation_importance(model, rows, options, context);
    });
  if (asked.dependence.empty()) return effects;
  const data::Dataset some = rows.select_rows(report::evenly(rows.rows(), most_rows));
  for (const std::string_view name : core::split(asked.dependence, ','))
    made("--dependence", [&] {
      const std::size_t column = selection::column_named(model.schema, name);
      effects.dependence.push_back(selection::partial_dependence(model, some, column, context));
    });
  return effects;
}

}  // namespace credence::cli
