#include "selecting.hpp"

#include <array>
#include <cstdint>
#include <span>

#include "credence/core/fingerprint.hpp"
#include "credence/data/fingerprint.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

void add(core::Fingerprint& sum, const selection::Options& options) {
  selection::add_to(sum, options);
  const std::array<std::uint64_t, 2> facts{static_cast<std::uint64_t>(options.task),
                                           static_cast<std::uint64_t>(options.preparation.missing)};
  sum.add(std::span<const std::uint64_t>(facts));
}

}  // namespace

std::string checksum_of(const data::Dataset& dataset) {
  core::Fingerprint sum;
  data::add_with_columns(sum, dataset);
  return sum.text();
}

std::string checksum_of_files(const std::vector<std::string>& paths) {
  core::Fingerprint sum;
  for (const std::string& path : paths) {
    sum.add(path);
    sum.add(report::json_text(checksum_of(path)));
  }
  return sum.text();
}

std::string checksum_of(const selection::Options& options) {
  core::Fingerprint sum;
  add(sum, options);
  return sum.text();
}

std::string checksum_of(const std::vector<selection::Contestant>& contestants,
                        const selection::ComparisonOptions& options) {
  core::Fingerprint sum;
  for (const selection::Contestant& contestant : contestants) {
    sum.add(contestant.name);
    add(sum, contestant.options);
  }
  sum.add_described(options);
  return sum.text();
}

}  // namespace credence::cli
