#include <algorithm>

#include "report/selection_report.hpp"
#include "reproduce/in_sample_report.hpp"

namespace credence::reproduce::in_sample {
namespace {

using report::Json;
using report::or_null;

Json in_sample_json(const InSampleFigures& figures) {
  return {{"n", figures.n},
          {"trials", figures.trials},
          {"training_loss", figures.training_loss},
          {"complexity", figures.complexity},
          {"complexity_error", figures.complexity_error},
          {"deviation", figures.deviation},
          {"bound_upper", figures.bound_upper}};
}

Json chosen_json(const Chosen& chosen) {
  Json json{{chosen.in_sample ? "rho" : "C", chosen.hyper_parameter},
            {"classifiers", chosen.classifiers},
            {"soft_error", chosen.error.soft},
            {"hard_error", chosen.error.hard},
            {"estimate", chosen.estimate},
            {"bound", or_null(chosen.bound)},
            {"seconds", chosen.seconds}};
  if (chosen.in_sample) json["in_sample"] = in_sample_json(*chosen.in_sample);
  return json;
}

Json draw_json(const Draw& draw) {
  Json methods = Json::object();
  for (const MethodResult& result : draw.methods) {
    methods[key_of(result.column)] = {{"soft", chosen_json(result.soft)},
                                      {"hard", result.hard ? chosen_json(*result.hard) : Json(nullptr)}};
  }
  return {{"seed", draw.seed}, {"methods", std::move(methods)}};
}

Json cell_json(Table table, const Line& line, Column column) {
  const Printed paper = printed(table, line.line, column);
  const auto ours = figure_of(table, line, column);
  Json json{{"ours", nullptr}, {"paper", nullptr}};
  if (ours) json["ours"] = {{"mean", ours->mean}, {"half_width", or_null(half_width_of(*ours))}};
  if (!paper.is_dash()) {
    json["paper"] = {{"mean", paper.value},
                     {"half_width", paper.half_width},
                     {"reproducible", is_reproducible(table, column)},
                     {"consistent", is_consistent(table, line.line, column)}};
  }
  return json;
}

Json tables_json(const Line& line, const std::vector<Column>& columns) {
  constexpr std::array of_mnist{Table::I, Table::III, Table::V, Table::VII, Table::XIV};
  constexpr std::array of_microarrays{Table::X, Table::XI, Table::XII, Table::XIII};
  Json json = Json::object();
  const auto add = [&](Table table) {
    for (const Column column : columns) json[number_of(table)][key_of(column)] = cell_json(table, line, column);
  };
  if (line.set->is_mnist())
    std::for_each(of_mnist.begin(), of_mnist.end(), add);
  else
    std::for_each(of_microarrays.begin(), of_microarrays.end(), add);
  return json;
}

Json line_json(const Line& line, const std::vector<Column>& columns) {
  Json draws = Json::array();
  for (const Draw& draw : line.draws) draws.push_back(draw_json(draw));
  return {{"set", line.set->key},
          {"name", line.name},
          {"training_rows", line.training_rows},
          {"reference_rows", line.reference_rows},
          {"remarks", line.mismatches},
          {"complete", line.complete},
          {"tables", tables_json(line, columns)},
          {"draws", std::move(draws)}};
}

Json target_json(const Target& target) {
  return {{"table", number_of(target.table)}, {"n", sizes[target.line]},   {"target", target.of_target_size},
          {"method", key_of(target.column)},  {"ours", target.ours},       {"paper", target.paper},
          {"difference", target.difference},  {"allowed", target.allowed}, {"met", target.met()}};
}

}  // namespace

Json report_json(const Report& report) {
  const Settings& settings = report.settings;
  Json lines = Json::array();
  for (const Line& line : report.lines) lines.push_back(line_json(line, settings.columns));
  Json targets = Json::array();
  for (const Target& target : targets_of(report.lines, settings.columns)) targets.push_back(target_json(target));
  Json missing = Json::array();
  for (const PaperSet* set : report.missing) missing.push_back(set->key);
  return report_document("in-sample", paper_title, report,
                         {{"delta", 0.05},
                          {"repeats", settings.draws},
                          {"splits", settings.splits},
                          {"seed", settings.seed},
                          {"missing", std::move(missing)},
                          {"lines", std::move(lines)},
                          {"targets", std::move(targets)}});
}

}  // namespace credence::reproduce::in_sample
