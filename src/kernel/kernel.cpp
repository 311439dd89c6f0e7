#include "credence/kernel/kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "data/preprocess/column_statistics.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

std::span<const double> stored_values(const data::Features& features, std::size_t row) {
  return features.is_sparse() ? features.sparse().row_values(row) : features.dense().row(row);
}

/// Variance over all n d entries, zeros of sparse rows included. A row of weight w is w rows.
double variance_of_entries(const data::Features& features, std::span<const double> weights) {
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double rows = 0;
  double stored = 0;
  double sum = 0;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const auto values = stored_values(features, i);
    rows += weight(i);
    stored += weight(i) * static_cast<double>(values.size());
    for (const double value : values) sum += weight(i) * value;
  }
  const double count = rows * static_cast<double>(features.columns());
  const double mean = sum / count;
  double squares = (count - stored) * mean * mean;
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (const double value : stored_values(features, i)) squares += weight(i) * ((value - mean) * (value - mean));
  return squares / count;
}

/// Rows among which pairs are counted, and how often each of them is there.
struct CountedRows {
  std::vector<std::size_t> rows;
  std::vector<double> weights;  ///< empty if all are 1
};

CountedRows rows_for_median(std::size_t n, std::span<const double> weights) {
  constexpr std::size_t most_rows = 1000;
  CountedRows counted;
  if (weights.empty()) {
    const std::size_t m = std::min(n, most_rows);
    for (std::size_t k = 0; k < m; ++k) counted.rows.push_back(k * n / m);
    return counted;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0;
  std::size_t point = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double times = weights[i];
    if (n > most_rows || total > most_rows) {
      times = 0;
      for (; point < most_rows && static_cast<double>(point) * total / most_rows < before + weights[i]; ++point)
        ++times;
    }
    before += weights[i];
    if (times == 0) continue;
    counted.rows.push_back(i);
    counted.weights.push_back(times);
  }
  return counted;
}

double middle_of(std::vector<double>& distances) {
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return distances.size() % 2 != 0 ? *middle : (*middle + *std::max_element(distances.begin(), middle)) / 2;
}

/// Median over the pairs of at most 1,000 evenly spaced rows; the mean of the two middle ones for an even number.
double median_distance(KernelType type, const data::Features& features, std::span<const double> weights) {
  const CountedRows chosen = rows_for_median(features.rows(), weights);
  const std::size_t m = chosen.rows.size();
  const PairRows pairs(type == KernelType::laplacian ? type : KernelType::rbf, features.select_rows(chosen.rows));
  data::detail::Sample distances;
  PairRows::Scratch scratch;
  core::AlignedVector<float> row(padded(m));
  for (std::size_t i = 0; i + 1 < m; ++i) {
    pairs.rows(i, 1, 0, row.data(), row.size(), scratch);
    for (std::size_t j = i + 1; j < m; ++j) {
      distances.values.push_back(type == KernelType::laplacian ? double{row[j]} : std::sqrt(double{row[j]}));
      if (!chosen.weights.empty()) distances.weights.push_back(chosen.weights[i] * chosen.weights[j]);
    }
  }
  for (const double weight : chosen.weights)
    if (weight > 1) distances.append(0, 1, weight * (weight - 1) / 2);
  return chosen.weights.empty() ? middle_of(distances.values) : data::detail::median(distances);
}

}  // namespace

Kernel Shape::with(double gamma) const {
  return {type, gamma, coef0, degree};
}

std::vector<std::string> Shape::validate() const {
  std::vector<std::string> problems;
  if (!std::isfinite(coef0)) problems.push_back(fmt::format("coef0 must be finite, not {}", coef0));
  if (type == KernelType::polynomial && (degree < 1 || degree > 1000))
    problems.push_back(fmt::format("the degree must lie between 1 and 1000, not {}", degree));
  return problems;
}

std::vector<std::string> Kernel::validate() const {
  std::vector<std::string> problems = shape().validate();
  if (uses_gamma() && !(gamma >= 1e-37 && gamma <= 1e37))
    problems.insert(problems.begin(), fmt::format("gamma must lie between 1e-37 and 1e37, not at {}", gamma));
  return problems;
}

std::string_view name(KernelType type) {
  return core::word(type);
}

KernelType parse_kernel_type(std::string_view text) {
  if (text == "poly") return KernelType::polynomial;
  for (const auto& choice : words_of(KernelType{}))
    if (text == choice.word) return choice.value;
  refuse(fmt::format("unknown kernel '{}'; allowed are {}", text, fmt::join(core::word_list<KernelType>(), ", ")));
}

GammaRule parse_gamma(std::string_view text) {
  if (text == "scale") return {GammaRule::Kind::scale, 0};
  if (text == "auto") return {GammaRule::Kind::automatic, 0};
  if (text == "median") return {GammaRule::Kind::median, 1};
  if (text.starts_with("median*")) {
    const double factor = core::parse_number(text.substr(7));
    core::above(0).check(factor);
    return {GammaRule::Kind::median, factor};
  }
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    refuse(fmt::format("gamma must be a number above 0, scale, auto, median or median*number, not '{}'", text));
  return {GammaRule::Kind::value, value};
}

std::vector<GammaRule> parse_gammas(std::string_view text) {
  return core::Conversion<std::vector<GammaRule>>::from(core::value_in(core::Kind::numbers, text));
}

double resolve_gamma(const GammaRule& rule, KernelType type, const data::Features& features,
                     std::span<const double> weights) {
  return resolve_gammas(std::span(&rule, 1), type, features, weights).front();
}

std::vector<double> resolve_gammas(std::span<const GammaRule> rules, KernelType type, const data::Features& features,
                                   std::span<const double> weights) {
  std::optional<double> variance;
  std::optional<double> median;
  std::vector<double> gammas;
  for (const GammaRule& rule : rules) {
    double gamma = rule.value;
    const char* what = "";
    switch (rule.kind) {
      case GammaRule::Kind::value:
        break;
      case GammaRule::Kind::scale:
        if (!variance) variance = variance_of_entries(features, weights);
        gamma = 1 / (static_cast<double>(features.columns()) *
                     (type == KernelType::laplacian ? std::sqrt(*variance) : *variance));
        what = "scale: the features have no variance";
        break;
      case GammaRule::Kind::automatic:
        gamma = 1 / static_cast<double>(features.columns());
        what = "auto: there are no features";
        break;
      case GammaRule::Kind::median:
        if (!median) median = median_distance(type, features, weights);
        gamma = rule.value / (type == KernelType::laplacian ? *median : *median * *median);
        what = "median: more than half of all pairs of rows are identical";
        break;
    }
    if (rule.kind != GammaRule::Kind::value && !(gamma > 0 && std::isfinite(gamma)))
      refuse_data(fmt::format("gamma cannot be chosen by {}", what));
    gammas.push_back(gamma);
  }
  return gammas;
}

std::string simd_target() {
  return simd::target();
}

}  // namespace credence::kernel

credence::core::Value credence::core::Conversion<credence::kernel::KernelType>::to(kernel::KernelType type) {
  return {std::string(kernel::name(type))};
}

credence::kernel::KernelType credence::core::Conversion<credence::kernel::KernelType>::from(const Value& value) {
  return kernel::parse_kernel_type(string_of(value));
}

credence::core::Value credence::core::Conversion<credence::kernel::GammaRule>::to(const kernel::GammaRule& rule) {
  switch (rule.kind) {
    case kernel::GammaRule::Kind::value:
      return {rule.value};
    case kernel::GammaRule::Kind::scale:
      return {std::string("scale")};
    case kernel::GammaRule::Kind::automatic:
      return {std::string("auto")};
    case kernel::GammaRule::Kind::median:
      return {rule.value == 1 ? "median" : fmt::format("median*{}", rule.value)};
  }
  return {};
}

credence::kernel::GammaRule credence::core::Conversion<credence::kernel::GammaRule>::from(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.held)) return kernel::parse_gamma(*text);
  if (const auto* list = std::get_if<Value::List>(&value.held); list != nullptr && list->size() == 1)
    return from(list->front());
  const double number = number_of(value);
  above(0).check(number);
  return {kernel::GammaRule::Kind::value, number};
}
