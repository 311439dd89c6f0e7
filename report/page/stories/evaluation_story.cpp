#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/evaluation/class_facts.hpp"
#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t most_classes = 20;
constexpr const char* rows_of_training = "These rows trained the model, so new rows will be predicted less well.";

Chart confusion_chart(const Json& document, const std::vector<std::string>& names) {
  Table data{"",
             {{"truth", "true class", Format::text},
              {"label", "label", Format::text},
              {"count", "rows"},
              {"share", "of the true class", Format::share},
              {"right", ""}}};
  const auto rows = document.at("confusion").values();
  for (std::size_t t = 0; t < rows.size() && t < names.size(); ++t) {
    const auto counts = rows[t].values();
    double all = 0;
    for (const Json& count : counts) all += count.number().value_or(0);
    for (std::size_t p = 0; p < counts.size() && p < names.size(); ++p) {
      const double count = counts[p].number().value_or(0);
      data.add({names[t], names[p], count, all > 0 ? Json(count / all) : Json(nullptr), t == p});
    }
  }
  return make_chart("confusion",
                    {"confusion", "Which classes are taken for which?",
                     "A line for each true class, a column for each label. Rows on the diagonal got the right label. "
                     "The colour is the share of the true class.",
                     "Table in colours: how many rows of each class got each label."},
                    data);
}

Table per_class_table(const Json& document, const std::vector<std::string>& names) {
  Table table{"Each class", {"class", "rows", "found (recall)", "right when named (precision)"}};
  const auto classes = document.at("per_class").values();
  for (std::size_t c = 0; c < classes.size() && c < names.size(); ++c) {
    table.rows.push_back({names[c], cell_text(classes[c].at("n"), Format::number),
                          cell_text(classes[c].at("recall"), Format::share),
                          cell_text(classes[c].at("precision"), Format::share)});
  }
  return table;
}

Table confusions_table(const Json& document) {
  Table table{"The largest confusions", {"true class", "label", "rows", "of the true class"}};
  for (const Json& pair : document.at("largest_confusions").values()) {
    table.rows.push_back({shown_name(text_at(pair, "truth")), shown_name(text_at(pair, "predicted")),
                          cell_text(pair.at("n"), Format::number), cell_text(pair.at("share"), Format::share)});
  }
  return table;
}

void add_label_errors(Story& story, const Json& document) {
  Section& section = story.section("chosen", "How good the model is");
  const std::size_t rows = count_at(document, "n");
  const std::size_t errors = count_at(document, "errors");
  const Json& interval = document.at("interval");
  const bool trained_on = document.at("trained_on").flag().value_or(false);
  section.headline(fmt::format(
      "{} of {} {} got a wrong label: {}. {}", errors, rows, rows == 1 ? "row" : "rows",
      cell_text(document.at("error"), Format::share),
      trained_on ? std::string(rows_of_training)
                 : fmt::format("For new rows of the same kind, the error lies between {} and {} at confidence 95 %.",
                               cell_text(interval.at("lower"), Format::share),
                               cell_text(interval.at("upper"), Format::share))));
  if (!trained_on) {
    section.say(
        "This holds for rows that had no part in the training or the choice of the model. On rows of the "
        "training the numbers are too good.");
  }
  add_warnings(section, document);
  if (const Json& baseline = document.at("baseline"); baseline.is_object())
    section.fact("Baseline error",
                 baseline_text({shown_name(text_at(baseline, "class")), number_at(baseline, "error", 0)}));
  const std::vector<std::string> names = shown_names(document.at("classes"));
  if (names.size() <= most_classes)
    section.add(confusion_chart(document, names));
  else
    section.add(confusions_table(document));
  section.add(per_class_table(document, names));
  const Json& probability = document.at("probability");
  for (const std::string& name : probability.keys()) {
    section.fact(fmt::format("Probabilities ({})", shown_name(name)),
                 fmt::format("log loss {:.4g}, Brier score {:.4g}: the smaller, the better",
                             number_at(probability.at(name), "log_loss", std::nan("")),
                             number_at(probability.at(name), "brier", std::nan(""))));
  }
}

Chart predicted_chart(const Json& document) {
  const Json& predicted = document.at("predicted");
  Table data{"", {{"row", "row"}, {"prediction", "prediction"}, {"target", "target"}}};
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Json& row : predicted.at("rows").values()) {
    data.add({row.at("row"), row.at("prediction"), row.at("target")});
    for (const char* key : {"prediction", "target"}) {
      least = std::min(least, number_at(row, key, least));
      most = std::max(most, number_at(row, key, most));
    }
  }
  const std::size_t of = count_at(predicted, "of");
  const Json ends = Json::list(std::vector{least, most}, [](double at) { return Json::object("at"_key = at); });
  return make_chart(
      "predicted",
      {"predicted", "How near are predictions to the targets?",
       "Each point is one row; on the dashed line the prediction is the target." +
           (of > data.size() ? fmt::format(" Shown: {} of {} rows, evenly taken.", data.size(), of) : std::string()),
       "Points of targets against predictions, with the line on which both are equal."},
      data, {}, {{"ends", ends}});
}

void add_number_errors(Story& story, const Json& document) {
  Section& section = story.section("chosen", "How good the model is");
  const bool trained_on = document.at("trained_on").flag().value_or(false);
  section.headline(fmt::format("The predictions miss the targets by {:.6g} on average (root mean square {:.6g}).{}{}",
                               number_at(document, "mean_absolute_error", std::nan("")),
                               number_at(document, "rmse", std::nan("")), trained_on ? " " : "",
                               trained_on ? rows_of_training : ""));
  add_warnings(section, document);
  section.fact("Rows", std::to_string(count_at(document, "n")));
  if (const auto baseline = document.at("baseline_rmse").number()) {
    section.fact("Baseline",
                 fmt::format("root mean square {:.6g} by always predicting the mean of these targets", *baseline));
  }
  if (const auto r = document.at("r_squared").number())
    section.fact("R squared", fmt::format("{:.4g}: the share of the targets' variance that the model explains", *r));
  const Json& coverage = document.at("coverage");
  if (coverage.is_object()) {
    section.fact("Mean +- 1.96 standard deviations",
                 fmt::format("covers {} of the rows ({} to {} at confidence 95 %); 95 % if the model is right",
                             cell_text(coverage.at("share"), Format::share),
                             cell_text(coverage.at("interval").at("lower"), Format::share),
                             cell_text(coverage.at("interval").at("upper"), Format::share)));
  }
  const Json& intervals = document.at("intervals");
  for (const Json& level : intervals.at("levels").values())
    if (const auto width = level.at("mean_width").number())
      section.fact(fmt::format("Mean width of intervals at {}", plain_number(number_at(level, "eps", 0))),
                   fmt::format("{:.6g}", *width));
  if (document.at("predicted").at("rows").size() > 0) section.add(predicted_chart(document));
  if (intervals.at("levels").values().empty()) return;
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  if (const std::string guarantee = text_at(intervals, "guarantee"); !guarantee.empty())
    trust.say("What is promised: " + guarantee + ".");
  trust.add(coverage_chart(intervals.at("levels")));
}

void add_strangeness(Story& story, const Json& document) {
  const auto lines = document.at("as_strange").values();
  if (lines.empty()) return;
  Section& section = story.section("strangeness", "How strange the rows are");
  Table data{"",
             {{"eps_crit", "eps_crit"},
              {"counted", "rows as strange", Format::share},
              {"at_most_vc", "at most (VC)", Format::share},
              {"at_most_dkw", "at most (DKW)", Format::share}}};
  for (const Json& line : lines)
    data.add({line.at("eps_crit"), line.at("counted"), line.at("at_most_vc"), line.at("at_most_dkw")});
  section.say(
      "For each level: the share of rows whose true class is as strange, counted on these rows, and the limits "
      "that are proved for independent validation rows, for all models at once. A limit of 100 % or more is vacuous: "
      "it says nothing. None of these limits bounds the error.");
  section.add(data.captioned("Rows as strange as each level"));
}

}  // namespace

Story evaluation_story(const Json& document) {
  Story story;
  const bool numbers = document.at("rmse").number().has_value();
  story.title = "Evaluation of a model";
  const std::string model = text_at(document, "model");
  story.subtitle = model.empty() ? fmt::format("Scores of another tool on {}", shown_source(document))
                                 : fmt::format("{} on {}", shown_name(model), shown_source(document));
  if (numbers)
    add_number_errors(story, document);
  else
    add_label_errors(story, document);
  add_limits_section(story, document);
  add_parts_section(story, document);
  if (!numbers) add_trust_section(story, document);
  add_familiarity_section(story, document);
  add_strangeness(story, document);
  add_decision_section(story, document);
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
