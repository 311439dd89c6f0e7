#include "credence/io/part_result.hpp"

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "credence/core/error.hpp"
#include "io/cbor.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {
namespace {

using selection::HonestEstimate;
using selection::PartResult;

json honest_to_json(const HonestEstimate& honest) {
  json document{{"method", honest.method},       {"score", honest.score},   {"error", honest.error},
                {"interval", honest.interval},   {"trials", honest.trials}, {"delta", honest.delta},
                {"resamples", honest.resamples}, {"rows", honest.rows},     {"seconds", honest.seconds}};
  if (honest.lower && honest.upper) {
    document["lower"] = *honest.lower;
    document["upper"] = *honest.upper;
  }
  return document;
}

HonestEstimate honest_from(const json& document) {
  HonestEstimate honest;
  honest.method = document.at("method").get<std::string>();
  honest.score = document.at("score").get<std::string>();
  honest.error = number<double>(document, "error");
  honest.interval = document.at("interval").get<std::string>();
  honest.trials = number<double>(document, "trials");
  honest.delta = number<double>(document, "delta");
  honest.resamples = number<std::size_t>(document, "resamples");
  honest.rows = number<std::size_t>(document, "rows");
  honest.seconds = number<double>(document, "seconds");
  if (document.contains("lower")) {
    honest.lower = number<double>(document, "lower");
    honest.upper = number<double>(document, "upper");
  }
  return honest;
}

PartResult result_from(const json& document) {
  PartResult result;
  result.part = number<std::size_t>(document, "part");
  result.complete = document.at("complete").get<bool>();
  result.rows = number<std::size_t>(document, "rows");
  result.class_counts = unpack<std::uint64_t, std::size_t>(document, "class_counts");
  result.C = number<double>(document, "C");
  result.gamma = number<double>(document, "gamma");
  result.error = number<double>(document, "error");
  result.error_se = number<double>(document, "error_se");
  result.converged = document.at("converged").get<bool>();
  if (document.contains("honest")) result.honest = honest_from(document.at("honest"));
  result.losses = unpack<float, float>(document, "losses");
  result.calibration.source = document.at("source").get<std::string>();
  result.calibration.strangeness = unpack<double, double>(document, "strangeness");
  result.calibration.labels = unpack<std::int32_t, int>(document, "labels");
  result.calibration.scores = matrix_from(document.at("scores"));
  result.cells = number<std::size_t>(document, "cells");
  result.n_sv = number<double>(document, "n_sv");
  result.steps = number<std::uint64_t>(document, "steps");
  result.factorisations = number<std::uint64_t>(document, "factorisations");
  result.unconverged = number<std::size_t>(document, "unconverged");
  if (result.complete) result.machine = part_machine_from(document.at("machine"));
  return result;
}

std::string part_inconsistency(const PartResult& result) {
  if (!result.complete) return {};
  std::size_t rows = 0;
  for (const std::size_t count : result.class_counts) rows += count;
  const std::size_t judged = result.losses.size();
  const bool sizes =
      rows == result.rows && (judged == 0 || judged == rows) && result.calibration.strangeness.size() == judged &&
      result.calibration.labels.size() == judged &&
      (result.calibration.scores.rows == 0 ||
       (result.calibration.scores.rows == judged && result.calibration.scores.columns == result.class_counts.size()));
  if (!sizes) return "its lists differ in size";
  const svm::SvmModel* machine = result.machine.machine.get();
  return check_part_machine(result.machine, result.class_counts.size(),
                            machine == nullptr ? 0 : machine->support_vectors.columns());
}

}  // namespace

std::string part_result_bytes(const PartResult& result) {
  json document{{"kind", "part"},
                {"part", result.part},
                {"complete", result.complete},
                {"rows", result.rows},
                {"class_counts", pack<std::uint64_t>(result.class_counts)},
                {"C", result.C},
                {"gamma", result.gamma},
                {"error", result.error},
                {"error_se", result.error_se},
                {"losses", pack<float>(result.losses)},
                {"source", result.calibration.source},
                {"strangeness", pack<double>(result.calibration.strangeness)},
                {"labels", pack<std::int32_t>(result.calibration.labels)},
                {"scores", matrix_to_json(result.calibration.scores)},
                {"cells", result.cells},
                {"n_sv", result.n_sv},
                {"steps", result.steps},
                {"factorisations", result.factorisations},
                {"unconverged", result.unconverged},
                {"converged", result.converged}};
  if (result.honest) document["honest"] = honest_to_json(*result.honest);
  if (result.complete) document["machine"] = part_machine_to_json(result.machine);
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

PartResult part_result_of_bytes(std::string_view bytes) {
  std::string problem;
  try {
    const json document = document_of_cbor(bytes);
    if (document.at("kind").get<std::string>() != "part") throw std::runtime_error("it is of another kind");
    PartResult result = result_from(document);
    problem = part_inconsistency(result);
    if (problem.empty()) return result;
  } catch (const json::exception& error) {
    problem = error.what();
  } catch (const std::runtime_error& error) {
    problem = error.what();
  }
  throw Error(ErrorCode::format, "these bytes are no result of a cell: " + problem);
}

}  // namespace credence::io
