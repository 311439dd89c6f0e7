#pragma once

#include "credence/selection/method_parts.hpp"
#include "credence/selection/race.hpp"

namespace credence::selection {

struct Forecast;

/// The bootstrap's score of a cell (Efron and Tibshirani, JASA 92, 1997).
enum class BootstrapError {
  out_of_bag,  ///< mean over rows of the mean loss in the resamples that left the row out
  e632,        ///< 0.368 training error + 0.632 out-of-bag error
  e632_plus,   ///< the same with the weight moved by the relative overfitting rate
};
constexpr auto words_of(BootstrapError) {
  return std::array{core::Word{"oob", BootstrapError::out_of_bag}, core::Word{"632", BootstrapError::e632},
                    core::Word{"632+", BootstrapError::e632_plus}};
}

/// Every cell judged on the rows that bootstrap samples leave out (Anguita et al., 2012, section III-C).
struct Bootstrap {
  static constexpr const char* name = "bootstrap";
  static constexpr const char* sentence = "the cell with the smallest error on rows that bootstrap samples leave out";
  static constexpr MethodTraits traits{.relevance = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .overlaps = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union rule race"};

  int resamples = 50;
  BootstrapError error = BootstrapError::out_of_bag;
  bool two_samples = false;  ///< a second sample in each one chooses, the rows out of bag only judge

  static void describe(auto&& field) {
    field("resamples", &Bootstrap::resamples, "bootstrap samples", core::at_least(2));
    field("bootstrap", &Bootstrap::error, "the error of a cell: out of bag, or one of the 0.632 rules");
    field("nested", &Bootstrap::two_samples,
          "a second sample in each sample chooses, and the rows out of bag only judge");
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(resamples); }
  std::string words(std::size_t n) const;
  std::string against_race() const;
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
  /// @param forecast  of the same data and options, which saves a pilot of the race; nullptr: there is none
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                   const Forecast* forecast = nullptr) const;
};

}  // namespace credence::selection
