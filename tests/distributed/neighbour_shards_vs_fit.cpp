#include <gtest/gtest.h>

#include "credence/io/model_file.hpp"
#include "distributed/neighbour_shards.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence {
namespace neighbour_shards_vs_fit_tests {

using conformal::FitOptions;
using distributed::NeighbourShards;
using test::Surroundings;

TEST(NeighbourShardsVsFit, AnyBlocksMakeTheSamePredictor) {
  Surroundings surroundings(2);
  for (const int classes : {2, 4}) {
    data::Dataset dataset = test::random_clouds(83, 3, classes, 0.8, 3).dataset();
    for (const int k : {1, 3}) {
      FitOptions options;
      options.measure = conformal::NeighbourRatio{{.k = k}};
      options.scaling = k == 1 ? data::Scaling::none : data::Scaling::standard;
      const std::string whole = io::model_bytes(*conformal::fit(dataset, options, surroundings.context));
      for (const std::size_t block : {10U, 40U, 83U, 100U}) {
        const NeighbourShards shards(dataset, options, block, 25);
        const std::size_t compared = k == 1 ? 83 : 75;  // but for the tenth that the scaling is fitted on
        EXPECT_EQ(shards.size(), ((compared + 24) / 25) * ((compared + block - 1) / block));
        std::vector<std::string> results(shards.size());
        for (std::size_t shard = shards.size(); shard-- > 0;) results[shard] = shards.run(shard, surroundings.context);
        EXPECT_EQ(io::model_bytes(*shards.merged(results, surroundings.context)), whole) << block;
      }
    }
  }
}

TEST(NeighbourShards, OtherMeasuresAndResultsOfOtherWorkAreRefused) {
  Surroundings surroundings;
  const data::Dataset dataset = test::random_clouds(30, 2, 2, 0.8, 4).dataset();
  FitOptions margin;
  margin.measure = conformal::SvmMargin{};
  test::expect_error(ErrorCode::invalid_argument, "nearest neighbours in the transductive mode",
                     [&] { NeighbourShards(dataset, margin); });
  const NeighbourShards shards(dataset, {}, 10, 10);
  const NeighbourShards others(dataset, {}, 15, 10);
  std::vector<std::string> results;
  for (std::size_t shard = 0; shard < shards.size(); ++shard)
    results.push_back(shards.run(shard, surroundings.context));
  results[1] = others.run(1, surroundings.context);
  test::expect_error(ErrorCode::format, "other data or with other options",
                     [&] { shards.merged(results, surroundings.context); });
  results.pop_back();
  test::expect_error(ErrorCode::invalid_argument, "8 results of 9 shards",
                     [&] { shards.merged(results, surroundings.context); });
}

}  // namespace neighbour_shards_vs_fit_tests
}  // namespace credence
