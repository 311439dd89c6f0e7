#include "report/selection_report.hpp"

#include "reproduce/kernel_validity_report.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

using report::Json;

Json width_json(const WidthResult& width) {
  return {{"sigma", width.sigma},
          {"test_error", width.test_error},
          {"cv_error", width.cv_error},
          {"svm_cv_error", width.svm_cv_error},
          {"log_evidence", width.log_evidence},
          {"log_validity", width.log_validity},
          {"log_validity_uncapped", width.log_validity_uncapped},
          {"log_validity_literal", width.log_validity_literal},
          {"effective", width.effective},
          {"kernels", width.kernels},
          {"relevant", width.relevant},
          {"iterations", width.iterations},
          {"status", rvm::name(width.status)},
          {"null_model", width.null_model},
          {"below_null", width.below_null}};
}

Json svm_json(const SvmChoice& choice, std::size_t cost) {
  return {{"C", costs[cost]},
          {"sigma", widths[choice.width]},
          {"test_error", choice.test_error},
          {"support_vectors", choice.support_vectors},
          {"seconds", choice.seconds}};
}

Json split_json(const Split& split) {
  Json found = Json::array();
  for (const WidthResult& width : split.widths) found.push_back(width_json(width));
  Json chosen = Json::object();
  for (std::size_t r = 0; r < rule_count; ++r) chosen[key_of(static_cast<Rule>(r))] = widths[split.chosen[r]];
  chosen["cv"] = widths[split.rvm_cv_width];
  Json by_cv = Json::array();
  Json by_index = Json::array();
  for (std::size_t c = 0; c < costs.size(); ++c) {
    by_cv.push_back(svm_json(split.svm_cv[c], c));
    by_index.push_back(svm_json(split.svm_mv[c], c));
  }
  return {{"seed", split.seed},
          {"training_rows", split.training_rows},
          {"null_evidence", split.null_evidence},
          {"widths", std::move(found)},
          {"chosen", std::move(chosen)},
          {"svm_cv", std::move(by_cv)},
          {"svm_mv", std::move(by_index)},
          {"index_seconds", split.fit_seconds},
          {"cv_seconds", split.cv_seconds}};
}

Json columns_json(const SetResult& result, const Scaled& scaled) {
  Json json = Json::object();
  for (std::size_t c = 0; c < column_count; ++c) {
    const auto column = static_cast<Column>(c);
    const Printed& printed = result.set->printed[c];
    json[key_of(column)] = {{"ours", figure_json(figure_of(scaled, column, 0))},
                            {"paper", {{"mean", printed.error}, {"deviation", printed.deviation}}}};
  }
  json["svm_cv_100"] = {{"ours", figure_json(figure_of(scaled, svm_cv, 1))}};
  json["svm_mv_100"] = {{"ours", figure_json(figure_of(scaled, svm_mv, 1))}};
  const Best best = best_of(scaled);
  json["best"] = {{"ours", {{"mean", best.error}, {"sigma", best.sigma}}},
                  {"paper", {{"mean", result.set->printed_best}}}};
  return json;
}

Json scaled_json(const SetResult& result, const Scaled& scaled) {
  Json splits = Json::array();
  for (const Split& split : scaled.splits) splits.push_back(split_json(split));
  Json json{{"scaling", core::word(scaled.scaling)}};
  if (!scaled.splits.empty()) {
    json["table_1"] = columns_json(result, scaled);
    for (std::size_t r = 0; r < rule_count; ++r) {
      const auto rule = static_cast<Rule>(r);
      json["rules"][key_of(rule)] = figure_json(figure_of(scaled, rule));
    }
  }
  json["splits"] = std::move(splits);
  return json;
}

Json set_json(const SetResult& result) {
  Json scaled = Json::array();
  for (const Scaled& of_scaling : result.scaled) scaled.push_back(scaled_json(result, of_scaling));
  return {{"set", result.set->key},       {"name", result.set->name},    {"rows", result.rows},
          {"remarks", result.mismatches}, {"complete", result.complete}, {"scaled", std::move(scaled)}};
}

Json totals_json(const Totals& totals) {
  Json json = Json::object();
  for (std::size_t c = 0; c < column_count; ++c) json[key_of(static_cast<Column>(c))] = totals[c];
  return json;
}

Json rank_json(const Report& report) {
  Json json{{"paper", totals_json(printed_totals(report.sets))}};
  for (std::size_t s = 0; s < scalings.size(); ++s) {
    for (std::size_t c = 0; c < costs.size(); ++c) {
      const std::optional<Totals> totals = our_totals(report.sets, s, c);
      json["ours"].push_back({{"scaling", core::word(scalings[s])},
                              {"C", costs[c]},
                              {"totals", totals ? totals_json(*totals) : Json(nullptr)}});
    }
  }
  return json;
}

Json sample_json(const sinc::Sample& sample) {
  Json fits = Json::array();
  for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
    const sinc::Fit& fit = sample.fits[w];
    fits.push_back({{"sigma", sinc::widths[w]},
                    {"log_validity", fit.log_validity},
                    {"log_evidence", fit.log_evidence},
                    {"rmse", fit.rmse},
                    {"noise_sd", fit.noise_sd},
                    {"cv_error", fit.cv_error},
                    {"kernels", fit.kernels}});
  }
  Json chosen = Json::object();
  for (std::size_t r = 0; r < sinc::rule_count; ++r)
    chosen[key_of(static_cast<sinc::Rule>(r))] = sinc::widths[sample.chosen[r]];
  return {{"seed", sample.seed}, {"chosen", std::move(chosen)}, {"fits", std::move(fits)}};
}

Json sinc_json(const sinc::Result& figure) {
  Json samples = Json::array();
  for (const sinc::Sample& sample : figure.samples) samples.push_back(sample_json(sample));
  Json json{{"complete", figure.complete}, {"seconds", figure.seconds}};
  if (!figure.samples.empty()) {
    for (std::size_t w = 0; w < sinc::widths.size(); ++w) {
      json["median"].push_back({{"sigma", sinc::widths[w]},
                                {"log_validity", sinc::median_of(figure, w, &sinc::Fit::log_validity)},
                                {"log_evidence", sinc::median_of(figure, w, &sinc::Fit::log_evidence)}});
    }
    for (std::size_t r = 0; r < sinc::rule_count; ++r) {
      const auto rule = static_cast<sinc::Rule>(r);
      json["rmse"][key_of(rule)] = figure_json(sinc::rmse_of(figure, rule));
    }
  }
  json["samples"] = std::move(samples);
  return json;
}

Json target_json(const Target& target) {
  return {{"name", target.name},
          {"ours", target.ours},
          {"band", {target.band.low, target.band.high}},
          {"met", target.met()}};
}

}  // namespace

Json report_json(const Report& report) {
  Json sets = Json::array();
  for (const SetResult& result : report.sets) sets.push_back(set_json(result));
  Json targets = Json::array();
  for (const Target& target : targets_of(report.sets, report.figure_or_null())) targets.push_back(target_json(target));
  return report_document("kernel-validity", paper_title, report,
                         {{"splits", report.settings.splits},
                          {"seed", report.settings.seed},
                          {"sets", std::move(sets)},
                          {"rank_totals", rank_json(report)},
                          {"sinc", report.figure ? sinc_json(*report.figure) : Json(nullptr)},
                          {"targets", std::move(targets)}});
}

}  // namespace credence::reproduce::kernel_validity
