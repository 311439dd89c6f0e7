#include <fmt/format.h>

#include <utility>

#include "report/selection/selection_report.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

Json width_json(const WidthResult& width) {
  return Json::object(
      "sigma"_key = width.sigma, "test_error"_key = width.test_error, "cv_error"_key = width.cv_error,
      "svm_cv_error"_key = width.svm_cv_error, "log_evidence"_key = width.log_evidence,
      "log_validity"_key = width.log_validity, "log_validity_uncapped"_key = width.log_validity_uncapped,
      "log_validity_literal"_key = width.log_validity_literal, "effective"_key = width.effective,
      "kernels"_key = width.kernels, "relevant"_key = width.relevant, "iterations"_key = width.iterations,
      "status"_key = rvm::name(width.status), "null_model"_key = width.null_model, "below_null"_key = width.below_null);
}

Json svm_json(const SvmChoice& choice, std::size_t cost) {
  return Json::object("C"_key = costs[cost], "sigma"_key = widths[choice.width], "test_error"_key = choice.test_error,
                      "support_vectors"_key = choice.support_vectors, "seconds"_key = choice.seconds);
}

Json split_json(const Split& split) {
  Json chosen = Json::object();
  for (std::size_t r = 0; r < rule_count; ++r) chosen[rule_words[r].key] = widths[split.chosen[r]];
  chosen["cv"] = widths[split.rvm_cv_width];
  Json by_cv = Json::array();
  Json by_index = Json::array();
  for (std::size_t c = 0; c < costs.size(); ++c) {
    by_cv.push_back(svm_json(split.svm_cv[c], c));
    by_index.push_back(svm_json(split.svm_mv[c], c));
  }
  return Json::object("seed"_key = split.seed, "training_rows"_key = split.training_rows,
                      "null_evidence"_key = split.null_evidence, "widths"_key = Json::list(split.widths, width_json),
                      "chosen"_key = std::move(chosen), "svm_cv"_key = std::move(by_cv),
                      "svm_mv"_key = std::move(by_index), "index_seconds"_key = split.fit_seconds,
                      "cv_seconds"_key = split.cv_seconds);
}

Json columns_json(const SetResult& result, const Scaled& scaled) {
  Json json = Json::object();
  for (std::size_t c = 0; c < column_count; ++c) {
    const auto column = static_cast<Column>(c);
    const Printed& printed = result.set->printed[c];
    json[column_words[c].key] =
        Json::object("ours"_key = figure_json(figure_of(scaled, column, 0)),
                     "paper"_key = Json::object("mean"_key = printed.error, "deviation"_key = printed.deviation));
  }
  json["svm_cv_100"] = Json::object("ours"_key = figure_json(figure_of(scaled, svm_cv, 1)));
  json["svm_mv_100"] = Json::object("ours"_key = figure_json(figure_of(scaled, svm_mv, 1)));
  const Best best = best_of(scaled);
  json["best"] = Json::object("ours"_key = Json::object("mean"_key = best.error, "sigma"_key = best.sigma),
                              "paper"_key = Json::object("mean"_key = result.set->printed_best));
  return json;
}

Json scaled_json(const SetResult& result, const Scaled& scaled) {
  Json json = Json::object("scaling"_key = core::word(scaled.scaling));
  if (!scaled.splits.empty()) {
    json["table_1"] = columns_json(result, scaled);
    for (std::size_t r = 0; r < rule_count; ++r)
      json["rules"][rule_words[r].key] = figure_json(figure_of(scaled, static_cast<Rule>(r)));
  }
  json["splits"] = Json::list(scaled.splits, split_json);
  return json;
}

Json set_json(const SetResult& result) {
  return Json::object("set"_key = result.set->key, "name"_key = result.set->name, "rows"_key = result.rows,
                      "remarks"_key = result.mismatches, "complete"_key = result.complete,
                      "scaled"_key = Json::list(
                          result.scaled, [&](const Scaled& of_scaling) { return scaled_json(result, of_scaling); }));
}

Json totals_json(const Totals& totals) {
  Json json = Json::object();
  for (std::size_t c = 0; c < column_count; ++c) json[column_words[c].key] = totals[c];
  return json;
}

Json rank_json(const Report& report) {
  Json json = Json::object("paper"_key = totals_json(printed_totals(report.sets)));
  for (std::size_t s = 0; s < scalings.size(); ++s) {
    for (std::size_t c = 0; c < costs.size(); ++c) {
      const std::optional<Totals> totals = our_totals(report.sets, s, c);
      json["ours"].push_back(Json::object("scaling"_key = core::word(scalings[s]), "C"_key = costs[c],
                                          "totals"_key = totals ? totals_json(*totals) : Json(nullptr)));
    }
  }
  return json;
}

Json sample_json(const sinc::Sample& sample) {
  Json fits = Json::array();
  for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
    const sinc::Fit& fit = sample.fits[w];
    fits.push_back(Json::object("sigma"_key = sinc::widths[w], "log_validity"_key = fit.log_validity,
                                "log_evidence"_key = fit.log_evidence, "rmse"_key = fit.rmse,
                                "noise_sd"_key = fit.noise_sd, "cv_error"_key = fit.cv_error,
                                "kernels"_key = fit.kernels));
  }
  Json chosen = Json::object();
  for (std::size_t r = 0; r < sinc::rule_count; ++r) chosen[sinc::rule_keys[r]] = sinc::widths[sample.chosen[r]];
  return Json::object("seed"_key = sample.seed, "chosen"_key = std::move(chosen), "fits"_key = std::move(fits));
}

Json sinc_json(const sinc::Result& figure) {
  Json json = Json::object("complete"_key = figure.complete, "seconds"_key = figure.seconds);
  if (!figure.samples.empty()) {
    for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
      json["median"].push_back(Json::object("sigma"_key = sinc::widths[w],
                                            "log_validity"_key = sinc::median_of(figure, w, &sinc::Fit::log_validity),
                                            "log_evidence"_key = sinc::median_of(figure, w, &sinc::Fit::log_evidence)));
    }
    for (std::size_t r = 0; r < sinc::rule_count; ++r)
      json["rmse"][sinc::rule_keys[r]] = figure_json(sinc::rmse_of(figure, static_cast<sinc::Rule>(r)));
  }
  json["samples"] = Json::list(figure.samples, sample_json);
  return json;
}

Json target_json(const Target& target) {
  return Json::object("name"_key = target.name, "ours"_key = target.ours,
                      "band"_key = std::vector{target.band.low, target.band.high}, "met"_key = target.met());
}

report::Chart evidence_chart(const sinc::Result& figure) {
  report::Table data{{"x|sigma", "kind|what|text", "value|value", "mark|"}};
  std::vector<double> values;
  for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
    for (const auto& [kind, member] :
         {std::pair("log validity", &sinc::Fit::log_validity), std::pair("log evidence", &sinc::Fit::log_evidence)}) {
      values.push_back(sinc::median_of(figure, w, member));
      data.add({sinc::widths[w], kind, values.back(), ""});
    }
  }
  return std::move(data).as_chart(
      "evidence#figure-2", "Figure 2: the index along the width",
      "Medians over the noise seeds. The validity index should have one peak at a medium width.",
      "Lines of the log validity and the log evidence over the width.",
      Json::object("$x"_key = "sigma", "$least"_key = report::least_shown(values)));
}

report::Reproduction beside(const Report& report) {
  report::Reproduction found;
  const auto add = [&](const std::string& table, const char* what, const std::optional<Figure>& ours,
                       const std::optional<double>& paper, const std::optional<double>& spread) {
    found.figures.push_back({table, what, ours ? std::optional(ours->mean) : std::nullopt,
                             ours ? ours->deviation : std::nullopt, paper, spread});
  };
  for (const SetResult& result : report.sets) {
    for (const Scaled& scaled : result.scaled) {
      if (scaled.splits.empty()) continue;
      const std::string table = fmt::format("{}, {}", result.set->name, core::word(scaled.scaling));
      for (std::size_t c = 0; c < column_count; ++c) {
        const Printed& printed = result.set->printed[c];
        add(table, column_words[c].key, figure_of(scaled, static_cast<Column>(c), 0), printed.error, printed.deviation);
      }
      add(table, "svm_cv_100", figure_of(scaled, svm_cv, 1), {}, {});
      add(table, "svm_mv_100", figure_of(scaled, svm_mv, 1), {}, {});
      add(table, "best", Figure{best_of(scaled).error, {}, {}}, result.set->printed_best, {});
    }
  }
  for (const Target& target : targets_of(report)) {
    found.targets.push_back(
        {target.name, target.ours, fmt::format("{:.4g} to {:.4g}", target.band.low, target.band.high), target.met()});
  }
  if (report.figure && !report.figure->samples.empty()) found.charts.push_back(evidence_chart(*report.figure));
  return found;
}

}  // namespace

Json report_json(const Report& report) {
  return report_document(
      "kernel-validity", paper_title, report,
      Json::object("splits"_key = report.settings.splits, "seed"_key = report.settings.seed,
                   "sets"_key = Json::list(report.sets, set_json), "rank_totals"_key = rank_json(report),
                   "sinc"_key = report.figure ? sinc_json(*report.figure) : Json(nullptr),
                   "targets"_key = Json::list(targets_of(report), target_json)),
      beside(report));
}

}  // namespace credence::reproduce::kernel_validity
