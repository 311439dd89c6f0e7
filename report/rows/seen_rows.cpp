#include "report/rows/seen_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "credence/data/row_key.hpp"
#include "credence/rvm/model.hpp"
#include "credence/svm/model.hpp"

namespace credence::report {
namespace {

struct KeptRows {
  const data::Features* rows = nullptr;
  const char* name = "";
};

KeptRows kept_rows(const model::Predictor& model) {
  if (const auto* svm = dynamic_cast<const svm::SvmModel*>(&model)) return {&svm->support_vectors, "support vectors"};
  if (const auto* rvm = dynamic_cast<const rvm::RvmModel*>(&model)) return {&rvm->centres, "relevance vectors"};
  return {};
}

}  // namespace

std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset) {
  constexpr std::size_t fewest = 10;  // a few rows may well have equals
  const KeptRows kept = kept_rows(model);
  if (kept.rows == nullptr || kept.rows->rows() < fewest || dataset.rows() < kept.rows->rows()) return "";
  const std::vector<std::uint64_t> keys = data::row_keys(model.preprocessing.apply(dataset));
  const std::unordered_set<std::uint64_t> here(keys.begin(), keys.end());
  const std::vector<std::uint64_t> wanted = data::row_keys(*kept.rows);
  if (!std::ranges::all_of(wanted, [&](std::uint64_t key) { return here.contains(key); })) return "";
  return fmt::format(
      "these rows trained the model (they hold all of its {} {}), so that the figures are too good for new rows; the "
      "honest estimate of select, or rows that are kept apart, say what to expect",
      kept.rows->rows(), kept.name);
}

}  // namespace credence::report
