#include <algorithm>
#include <vector>

#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/model/predictor.hpp"

namespace credence::model {
namespace {

constexpr std::uint64_t known_rows_purpose = 0x4B4E'4F57'4E00'0001;

}  // namespace

std::vector<std::size_t> known_row_numbers(std::size_t rows, double numbers_of_a_row, std::uint64_t seed) {
  const double fit = static_cast<double>(Predictor::most_known_numbers) / std::max(1.0, numbers_of_a_row);
  const auto most = static_cast<std::size_t>(std::clamp(fit, static_cast<double>(Predictor::least_known_rows),
                                                        static_cast<double>(Predictor::most_known_rows)));
  std::vector<std::size_t> numbers = core::numbers_below(rows);
  if (rows <= most) return numbers;
  core::RandomStream(seed, known_rows_purpose).shuffle(numbers);
  numbers.resize(most);
  std::ranges::sort(numbers);
  return numbers;
}

void Predictor::keep_known_rows(const data::Dataset& dataset) {
  const auto stored = static_cast<double>(dataset.features.stored().size());
  const double numbers_of_a_row = preprocessing.sparse
                                      ? stored / static_cast<double>(std::max<std::size_t>(1, dataset.rows()))
                                      : static_cast<double>(preprocessing.columns());
  const std::vector<std::size_t> numbers = known_row_numbers(dataset.rows(), numbers_of_a_row, record.seed);
  known_rows = numbers.size() == dataset.rows() ? compared(dataset) : compared(dataset.select_rows(numbers));
  known_rows.own();
}

data::Features Predictor::compared(const data::Dataset& rows) const {
  return preprocessing.standard().apply(rows, data::UnknownLevel::ignore);
}

}  // namespace credence::model
