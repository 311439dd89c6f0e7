#include <fmt/format.h>

#include <utility>

#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

Json in_sample_json(const InSampleFigures& figures) {
  return Json::object("n"_key = figures.n, "trials"_key = figures.trials, "training_loss"_key = figures.training_loss,
                      "complexity"_key = figures.complexity, "complexity_error"_key = figures.complexity_error,
                      "deviation"_key = figures.deviation, "bound_upper"_key = figures.bound_upper);
}

Json chosen_json(const Chosen& chosen) {
  Json json;
  json[chosen.in_sample ? "rho" : "C"] = chosen.hyper_parameter;
  json.add("classifiers"_key = chosen.classifiers, "soft_error"_key = chosen.error.soft,
           "hard_error"_key = chosen.error.hard, "estimate"_key = chosen.estimate, "bound"_key = chosen.bound,
           "seconds"_key = chosen.seconds);
  if (chosen.in_sample) json["in_sample"] = in_sample_json(*chosen.in_sample);
  return json;
}

Json draw_json(const Draw& draw) {
  Json methods = Json::object();
  for (const MethodResult& result : draw.methods) {
    methods[column_words[result.column].key] = Json::object(
        "soft"_key = chosen_json(result.soft), "hard"_key = result.hard ? chosen_json(*result.hard) : Json(nullptr));
  }
  return Json::object("seed"_key = draw.seed, "methods"_key = std::move(methods));
}

Json cell_json(Table table, const Line& line, Column column) {
  const Printed paper = printed(table, line.line, column);
  const auto ours = figure_of(table, line, column);
  Json json = Json::object("ours"_key = nullptr, "paper"_key = nullptr);
  if (ours) json["ours"] = Json::object("mean"_key = ours->mean, "half_width"_key = half_width_of(*ours));
  if (!paper.is_dash()) {
    json["paper"] = Json::object("mean"_key = paper.value, "half_width"_key = paper.half_width,
                                 "reproducible"_key = is_reproducible(table, column),
                                 "consistent"_key = is_consistent(table, line.line, column));
  }
  return json;
}

std::vector<Table> tables_of(const Line& line) {
  if (line.set->is_mnist()) return {Table::I, Table::III, Table::V, Table::VII, Table::XIV};
  return {Table::X, Table::XI, Table::XII, Table::XIII};
}

Json tables_json(const Line& line, const std::vector<Column>& columns) {
  Json json = Json::object();
  for (const Table table : tables_of(line))
    for (const Column column : columns)
      json[number_of(table)][column_words[column].key] = cell_json(table, line, column);
  return json;
}

Json line_json(const Line& line, const std::vector<Column>& columns) {
  return Json::object("set"_key = line.set->key, "name"_key = line.name, "training_rows"_key = line.training_rows,
                      "reference_rows"_key = line.reference_rows, "remarks"_key = line.mismatches,
                      "complete"_key = line.complete, "tables"_key = tables_json(line, columns),
                      "draws"_key = Json::list(line.draws, draw_json));
}

Json target_json(const Target& target) {
  return Json::object("table"_key = number_of(target.table), "n"_key = sizes[target.line],
                      "target"_key = target.of_target_size, "method"_key = column_words[target.column].key,
                      "ours"_key = target.ours, "paper"_key = target.paper, "difference"_key = target.difference,
                      "allowed"_key = target.allowed, "met"_key = target.met());
}

report::Reproduction beside(const Report& report) {
  report::Reproduction found;
  for (const Line& line : report.lines) {
    for (const Table table : tables_of(line)) {
      for (const Column column : report.settings.columns) {
        report::PaperFigure figure{fmt::format("{}, table {}", line.name, number_of(table)), column_words[column].key};
        if (const auto ours = figure_of(table, line, column)) {
          figure.ours = ours->mean;
          figure.ours_spread = half_width_of(*ours);
        }
        if (const Printed paper = printed(table, line.line, column); !paper.is_dash()) {
          figure.paper = paper.value;
          figure.paper_spread = paper.half_width;
        }
        if (figure.ours || figure.paper) found.figures.push_back(std::move(figure));
      }
    }
  }
  for (const Target& target : targets_of(report)) {
    found.targets.push_back({fmt::format("table {}, {}, n = {}", number_of(target.table),
                                         column_words[target.column].key, sizes[target.line]),
                             target.ours, fmt::format("{:.4g} within {:.4g}", target.paper, target.allowed),
                             target.met()});
  }
  return found;
}

}  // namespace

Json report_json(const Report& report) {
  const Settings& settings = report.settings;
  return report_document(
      "in-sample", paper_title, report,
      Json::object(
          "delta"_key = 0.05, "repeats"_key = settings.draws, "splits"_key = settings.splits,
          "seed"_key = settings.seed,
          "missing"_key = Json::list(report.missing, [&](const PaperSet* set) { return set->key; }),
          "lines"_key = Json::list(report.lines, [&](const Line& line) { return line_json(line, settings.columns); }),
          "targets"_key = Json::list(targets_of(report), target_json)),
      beside(report));
}

}  // namespace credence::reproduce::in_sample
