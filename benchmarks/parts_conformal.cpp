#include <fmt/format.h>

#include <filesystem>

#include "parts.hpp"

namespace credence::bench {
namespace {

/// Notes what is missing.
bool has_split(Results& results, const std::string& name) {
  for (const char* part : {".train.csv.gz", ".test.csv.gz"}) {
    if (std::filesystem::exists(results.settings.data + "/" + name + part)) continue;
    results.notes.push_back(name + part + " is not in " + results.settings.data + ": no conformal prediction on it");
    return false;
  }
  return true;
}

std::vector<std::size_t> gaussian_sizes(bool quick) {
  if (quick) return {3125, 6250, 12500};
  return {6250, 12500, 25000, 50000, 100000};
}

void measure_sizes(Results& results) {
  for (const std::size_t rows : gaussian_sizes(results.settings.quick)) {
    results.conformal.gaussians.push_back(measure_gaussians(rows, results.settings));
    const ConformalSizeRow& row = results.conformal.gaussians.back();
    say(fmt::format("conformal gaussians {}: {:.2f} s, {:.3f} ms a row", rows, median(row.training).wall,
                    row.milliseconds_per_row()));
    save(results);
  }
}

}  // namespace

void compare_conformal(Results& results) {
  const Settings& settings = results.settings;
  const bool peers = !settings.alone && !settings.python.empty();
  ConformalResults& conformal = results.conformal;
  if (settings.wants("usps") && has_split(results, "usps")) {
    conformal.plain.push_back(compare_plain_query(settings, results.machine["versions"]));
    say(fmt::format("conformal usps: {:.2f} s", conformal.plain.back().all()));
    save(results);
  }
  if (settings.wants("shuttle") && has_split(results, "shuttle")) {
    conformal.shuttle.push_back(measure_shuttle(settings));
    say(fmt::format("conformal shuttle: {:.0f} MB", conformal.shuttle.back().megabytes));
    save(results);
  }
  if (settings.wants("gaussians")) measure_sizes(results);
  if (settings.wants("small")) {
    if (peers) conformal.peers.push_back(compare_conformal_peer(settings, results.machine["versions"]));
    conformal.svms.push_back(compare_transductive_svm(settings));
    say("conformal small");
    save(results);
  }
}

}  // namespace credence::bench
