#include "distributed/neighbour_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "conformal/fit/fit_transductive.hpp"
#include "core/bytes/sealed.hpp"
#include "credence/core/error.hpp"
#include "credence/data/fingerprint.hpp"
#include "credence/neighbours/blocks.hpp"

namespace credence::neighbours {

template <class Bytes>
void visit(Bytes& bytes, ClassDistances& distances) {
  bytes(distances.rows, distances.classes, distances.k, distances.values);
}

}  // namespace credence::neighbours

namespace credence::distributed {

using namespace conformal;

namespace {

constexpr char block_kind = 'n';

NeighbourOptions nearest_of(const FitOptions& options) {
  return std::visit(
      [&](const auto& measure) -> NeighbourOptions {
        using Measured = std::decay_t<decltype(measure)>;
        if constexpr (std::is_convertible_v<Measured, NeighbourOptions>) {
          const NeighbourOptions nearest = measure;
          if (std::holds_alternative<mode::Transductive>(options.mode) &&
              nearest.metric != neighbours::Metric::precomputed)
            return nearest;
        }
        throw Error(ErrorCode::invalid_argument,
                    "the blocks of rows that are shards are those of nearest neighbours in the transductive mode, with "
                    "distances that are not precomputed");
      },
      options.measure);
}

std::size_t parts(std::size_t rows, std::size_t size) {
  return (rows + size - 1) / size;
}

/// Part `number` of the rows.
std::vector<std::size_t> part(std::size_t rows, std::size_t size, std::size_t number) {
  const std::size_t first = number * size;
  std::vector<std::size_t> own(std::min(size, rows - first));
  std::iota(own.begin(), own.end(), first);
  return own;
}

}  // namespace

NeighbourShards::NeighbourShards(const data::Dataset& dataset, const FitOptions& options, std::size_t block_rows,
                                 std::size_t query_rows)
    : dataset_(dataset), options_(options), block_rows_(block_rows), query_rows_(query_rows) {
  if (block_rows < 1 || query_rows < 1)
    throw Error(ErrorCode::invalid_argument, "a shard needs at least one training row and one query");
  check_fit(dataset, options);
  nearest_ = nearest_of(options);
  core::Fingerprint sum;
  data::add_to(sum, dataset);
  const std::uint64_t sizes[] = {block_rows, query_rows};
  sum.add(std::span<const std::uint64_t>(sizes));
  sum.add(nearest_.measure.name);
  sum.add(fields_of(options_));
  fingerprint_ = sum.value();
  Apart apart = set_apart(dataset, options);
  others_ = std::move(apart.others);
  rows_ = preprocessing_of(dataset, options, apart).apply(compared(), data::UnknownLevel::ignore);
}

std::size_t NeighbourShards::size() const {
  return parts(compared().rows(), query_rows_) * parts(compared().rows(), block_rows_);
}

std::string NeighbourShards::run(std::size_t shard, const core::Context& context) const {
  if (shard >= size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no shard {}; the first of {} is shard 0", shard, size()));
  }
  const std::size_t blocks = parts(compared().rows(), block_rows_);
  const std::vector<std::size_t> queries = part(compared().rows(), query_rows_, shard / blocks);
  const std::vector<std::size_t> block = part(compared().rows(), block_rows_, shard % blocks);
  std::vector<int> labels;
  for (const std::size_t row : block) labels.push_back(compared().labels[row]);
  const neighbours::BlockOptions options{
      nearest_.k, nearest_.metric,
      static_cast<std::ptrdiff_t>(block.front()) - static_cast<std::ptrdiff_t>(queries.front())};
  neighbours::ClassDistances distances = neighbours::nearest_in_block(
      rows_.select_rows(block), labels, dataset_.class_count(), rows_.select_rows(queries), options, context);
  return core::sealed_value({block_kind, fingerprint_, shard}, distances);
}

std::shared_ptr<ConformalPredictor> NeighbourShards::merged(std::span<const std::string> results,
                                                            const core::Context&) const {
  if (results.size() != size())
    throw Error(ErrorCode::invalid_argument, fmt::format("there are {} results of {} shards", results.size(), size()));
  const std::size_t rows = compared().rows();
  const std::size_t blocks = parts(rows, block_rows_);
  neighbours::ClassDistances all(rows, dataset_.class_count(), static_cast<std::size_t>(nearest_.k));
  for (std::size_t chunk = 0; chunk < parts(rows, query_rows_); ++chunk) {
    const std::size_t first = chunk * query_rows_;
    neighbours::ClassDistances known(std::min(query_rows_, rows - first), all.classes, all.k);
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t shard = chunk * blocks + block;
      const auto found =
          core::unsealed_value<neighbours::ClassDistances>({block_kind, fingerprint_, shard}, results[shard]);
      if (found.values.size() != found.rows * found.classes * found.k)
        throw Error(ErrorCode::format, "the result of a shard has another number of distances than it says");
      neighbours::merge(known, found);
    }
    std::ranges::copy(known.values, all.values.begin() + static_cast<std::ptrdiff_t>(first * all.classes * all.k));
  }
  return fit_transductive(dataset_, options_,
                          [&](const data::Features& features, const data::Dataset& rows_compared,
                              model::TrainingRecord&) -> std::shared_ptr<const Machine> {
                            TransductiveNeighbours::State state = state_of(features, rows_compared.labels, all);
                            state.weights = rows_compared.weights;
                            return std::make_shared<TransductiveNeighbours>(std::move(state), dataset_.class_count(),
                                                                            nearest_);
                          });
}

}  // namespace credence::distributed
