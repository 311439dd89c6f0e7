#include "comparison_conformal.hpp"

namespace credence::bench {

void to_json(nlohmann::json& json, const PlainQueryRow& row) {
  nlohmann::json peers = nlohmann::json::array();
  for (const PlainQueryRow::Peer& peer : row.peers)
    peers.push_back({{"name", peer.name}, {"seconds", peer.seconds}, {"ratio", row.all() / median(peer.seconds).wall}});
  json = {{"name", row.name},
          {"rows", row.rows},
          {"test_rows", row.test_rows},
          {"features", row.features},
          {"classes", row.classes},
          {"training_seconds", row.training},
          {"ranking_seconds", row.ranking},
          {"plain_queries", std::move(peers)},
          {"ratio_to_fastest", row.peers.empty() ? nlohmann::json() : nlohmann::json(row.all() / row.fastest())}};
}

void to_json(nlohmann::json& json, const ConformalSizeRow& row) {
  json = {{"name", row.name},
          {"rows", row.rows},
          {"test_rows", row.test_rows},
          {"features", row.features},
          {"classes", row.classes},
          {"training_seconds", row.training},
          {"ranking_seconds", row.ranking},
          {"milliseconds_per_row", row.milliseconds_per_row()},
          {"peak_megabytes", row.megabytes}};
}

void to_json(nlohmann::json& json, const ConformalPeerRow& row) {
  json = {{"name", row.name},
          {"rows", row.rows},
          {"test_rows", row.test_rows},
          {"classes", row.classes},
          {"credence_seconds", row.credence},
          {"peer_seconds", row.peer},
          {"ratio", row.ratio()},
          {"differing_p_values", row.differing}};
}

void to_json(nlohmann::json& json, const TransductiveSvmRow& row) {
  json = {{"name", row.name},
          {"rows", row.rows},
          {"test_rows", row.test_rows},
          {"libsvm_rows", row.libsvm_rows},
          {"classes", row.classes},
          {"C", row.C},
          {"gamma", row.gamma},
          {"credence_seconds", row.credence},
          {"libsvm_seconds", row.libsvm},
          {"ratio", row.libsvm.empty() ? nlohmann::json() : nlohmann::json(row.ratio())},
          {"mean_difference_of_p_values", row.mean_difference},
          {"differing_labels", row.differing_labels}};
}

void to_json(nlohmann::json& json, const ConformalResults& results) {
  const auto exponent = [&](bool of_training) {
    const std::size_t sizes = results.gaussians.size();
    return sizes < 2 ? nlohmann::json() : nlohmann::json(fitted_exponent(results.gaussians, of_training, sizes));
  };
  json = {{"plain_query", results.plain},        {"shuttle", results.shuttle},
          {"gaussians", results.gaussians},      {"exponent_training", exponent(true)},
          {"exponent_ranking", exponent(false)}, {"peers", results.peers},
          {"transductive_svm", results.svms}};
}

}  // namespace credence::bench
