// Lists of numbers, as options give them.
#include <cmath>

#include "credence/core/list.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/svm/train.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::refusal([&] { fuzz::require(std::isfinite(core::parse_number(text)), "a number is finite"); });
  fuzz::refusal([&] { kernel::parse_gamma(text); });
  fuzz::refusal([&] { svm::parse_class_weights(text); });
  std::vector<double> values;
  if (fuzz::refusal([&] { values = core::parse_list(text); })) return 0;
  fuzz::require(!values.empty() && values.size() <= 10'000, "a list has 1 to 10,000 values");
  for (const double value : values) fuzz::require(std::isfinite(value), "a value of a list is finite");
  if (text.find(':') == text.npos) return 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    fuzz::require(values[i - 1] <= values[i], "the values of a range ascend");
  return 0;
}
