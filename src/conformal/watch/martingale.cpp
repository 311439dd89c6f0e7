#include "credence/conformal/watch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

/// Sign, exponent and 8 bits of the mantissa, in the order of the numbers.
std::uint32_t key_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  constexpr unsigned dropped = 44;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // no negative zero
  return static_cast<std::uint32_t>(((bits & sign) != 0 ? ~bits : bits | sign) >> dropped);
}

double log_mean(double a, double b) {
  const double largest = std::max(a, b);
  return largest + std::log((std::exp(a - largest) + std::exp(b - largest)) / 2);
}

void check_number(double nonconformity) {
  if (std::isnan(nonconformity)) refuse("a nonconformity score of a stream is not a number, which has no rank");
}

}  // namespace

void RoundedScores::add(double nonconformity) {
  check_number(nonconformity);
  const std::uint32_t key = key_of(nonconformity);
  const auto place = std::ranges::lower_bound(keys_, key) - keys_.begin();
  if (place == static_cast<std::ptrdiff_t>(keys_.size()) || keys_[static_cast<std::size_t>(place)] != key) {
    keys_.insert(keys_.begin() + place, key);
    counts_.insert(counts_.begin() + place, 0);
  }
  ++counts_[static_cast<std::size_t>(place)];
  ++size_;
}

Rank RoundedScores::rank(double nonconformity) const {
  check_number(nonconformity);
  const std::uint32_t key = key_of(nonconformity);
  auto place = static_cast<std::size_t>(std::ranges::lower_bound(keys_, key) - keys_.begin());
  Rank rank;
  rank.of = static_cast<double>(size_);
  if (place < keys_.size() && keys_[place] == key) rank.equal = static_cast<double>(counts_[place++]);
  std::uint64_t greater = 0;
  for (; place < counts_.size(); ++place) greater += counts_[place];
  rank.greater = static_cast<double>(greater);
  return rank;
}

JumperMixture::JumperMixture() {
  for (Jumper& jumper : jumpers_) jumper.share.fill(1.0 / 3);
}

bool RoundedScores::holds_together() const {
  return keys_.size() == counts_.size() && std::ranges::is_sorted(keys_) &&
         size_ == std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void JumperMixture::bet(double p) {
  for (std::size_t j = 0; j < rates.size(); ++j) {
    Jumper& jumper = jumpers_[j];
    double sum = 0;
    for (std::size_t e = 0; e < jumper.share.size(); ++e) {
      double& share = jumper.share[e];
      share = (1 - rates[j]) * share + rates[j] / 3;
      share *= 1 + (static_cast<double>(e) - 1) * (p - 0.5);
      sum += share;
    }
    for (double& share : jumper.share) share /= sum;
    jumper.log += std::log(sum);
  }
}

double JumperMixture::log_capital() const {
  double largest = jumpers_.front().log;
  for (const Jumper& jumper : jumpers_) largest = std::max(largest, jumper.log);
  double sum = 0;
  for (const Jumper& jumper : jumpers_) sum += std::exp(jumper.log - largest);
  return largest + std::log(sum / static_cast<double>(rates.size()));
}

Evidence::Evidence(double limit, std::span<const double> kept) : limit_(limit) {
  if (!(limit > 1)) refuse("the limit of the evidence must be above 1");
  for (const double value : kept) scores_.add(value);
}

std::array<bool, 2> Evidence::add(double nonconformity, double tau, const Beside* beside) {
  const double p = smoothed_p_value(scores_.rank(nonconformity), tau);
  mixture_.bet(p);
  scores_.add(nonconformity);
  ++rows_;
  const double own = mixture_.log_capital();
  const bool other_leads = beside != nullptr && beside->log_capital > own;
  const double log = beside == nullptr ? own : log_mean(own, beside->log_capital);
  const bool was_quiet = alarm_row_ == 0;
  log_ = log;
  largest_ = std::max(largest_, log);
  if (was_quiet && log >= std::log(limit_)) alarm_row_ = rows_;
  std::array<bool, 2> anew{};
  for (const Direction direction : {stranger, tamer}) {
    double& rise = rise_[direction];
    rise += std::log1p((direction == tamer ? 1 : -1) * (p - 0.5));
    anew[direction] = was_quiet && rise <= 0;
    if (!anew[direction]) continue;
    rise = 0;
    start_[direction] = rows_;
  }
  if (was_quiet) began_ = other_leads ? beside->began : start_[direction()] + 1;
  if (rows_ % stride_ == 0) {
    if (course_.size() == most_points) {  // every other point goes
      for (std::size_t k = 0; k < most_points / 2; ++k) course_[k] = course_[2 * k + 1];
      course_.resize(most_points / 2);
      stride_ *= 2;
    }
    if (rows_ % stride_ == 0) course_.emplace_back(rows_, log);
  }
  return anew;
}

}  // namespace credence::conformal
