#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/svm/ivanov.hpp"

/// Chooses the norm of an SVM, and bounds the error of this SVM, from its training rows alone. F_rho is the class of
/// functions of svm/ivanov.hpp, for each rho (and gamma) of a list. Lmin(t) is the least mean soft loss of F_rho
/// against labels t. Then
///
///     bound = training loss + mean over label vectors t of (1 - 2 Lmin(t)) + deviation
///
/// - rademacher: t are fair signs; the mean is the Rademacher complexity (2/n) E sup_f sum s_i l_S(f_i, y_i);
/// - maximal-discrepancy: t are the labels, changed in a random half (floor(n / 2) rows); the mean is that of the
///   largest difference of the mean losses of two halves.
/// Label vectors are drawn once for all settings, and no vector is drawn twice. If no more vectors exist than were
/// asked for, all are used (Rademacher complexity without a hint: up to the sign, because Lmin(t) = Lmin(-t)). With a
/// free bias, 1 - 2 Lmin(t) lies in [0, 1], so computed values are cut to [0, 1]. The setting with the smallest bound
/// is chosen; ties go to the smallest rho, then to the smallest gamma. If complexity_j >= min over i <= j of (training
/// loss_i + complexity_i), no rho after rho_j can have a smaller bound. These larger rhos are left out (not with
/// peeling, whose complexities may fall).
///
/// From the soft loss to the error rate: a binary SVM's hard loss is at most twice its soft loss, so two classes have
/// P(error) <= 2 E soft. With k > 2 classes there is a binary SVM f_c against the rest for each. If the label is not y,
/// some f_c >= f_y, and as the soft loss falls in y f and soft(f, -1) = 1 - soft(f, +1),
///
///     soft(f_y, +1) + soft(f_c, -1) >= soft(f_y, +1) + soft(f_y, -1) = 1:
///
/// the sum of the binary SVMs' soft losses on a row is at least 1 wherever the label is wrong, hence P(error) <= sum of
/// the expected soft losses <= sum of the bounds, each at delta / k. The binary SVMs share one
/// gamma: the one with the smallest sum of their smallest bounds. Each has a rho of its own.
///
/// Cost: for each rho and label vector what `svm::SoftIvanov` takes; the Gram is shared.
/// Source: Anguita, Ghio, Oneto, Ridella, IEEE TNNLS 23 (2012), sections II-B, II-C, IV; Neurocomputing 74 (2011).
namespace credence::selection {

/// Which confidence term an in-sample bound has.
enum class ComplexityTerm {
  exact,   ///< 3 sqrt(ln(2 / delta) / (2 n)), as in the paper's tables: equations 42, 46, 61
  trials,  ///< Rademacher only: also for the error of the Monte Carlo mean, equation 60
};
constexpr auto words_of(ComplexityTerm) {
  return std::array{core::Word{"exact", ComplexityTerm::exact}, core::Word{"trials", ComplexityTerm::trials}};
}

/// Options of the methods rademacher and maximal-discrepancy.
struct InSampleOptions {
  /// Share of the rows (stratified) that train the hint f0, a linear SVM, and are not used again; in (0, 1). None: f0
  /// is the data set's own hint (Dataset::hint), else 0.
  std::optional<double> hint{};
  double hint_C = 1e3;  ///< C of that SVM: practically a hard margin; > 0
  /// Label vectors: at most 100,000. Default: max(30, ceil(4000 / n)), or all where these are fewer.
  std::optional<std::size_t> trials{};
  bool all_rhos = false;  ///< go on even if no larger rho can win
  /// Minima by enumeration of the rows given up (`svm::ivanov_soft_exact`): at most svm::most_rows_enumerated rows, and
  /// not with peeling. Default: for up to `most_rows_exact` rows, where that takes seconds.
  std::optional<bool> exact{};
  bool united = false;  ///< the bounds hold for all settings at once: delta is divided by their number
  svm::IvanovOptions ivanov{};
  ComplexityTerm term = ComplexityTerm::exact;

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field("hint", &InSampleOptions::hint,
          "share of the rows for a first classifier; rho limits how far the choice is from it", core::inside(0, 1));
    field("trials", &InSampleOptions::trials, "random label vectors (by default 4000 / rows, at least 30)",
          core::from_to(2, 100'000));
    field("all_rhos", &InSampleOptions::all_rhos,
          core::ForPapers("bound also the rho that are too large to win (equations 42 and 46, Anguita et al. 2012)"));
    field("enumerate", &InSampleOptions::exact, "exact minima of the loss, for at most 14 rows (the default up to 8)");
    field("union", &InSampleOptions::united,
          core::ForPapers("all bounds hold at once: each (equations 42, 46 and 61, Anguita et al. 2012) is computed at "
                          "delta divided by the number of settings"));
    field.part(&InSampleOptions::ivanov);
    field("term", &InSampleOptions::term,
          core::ForPapers("the confidence term: equations 42 and 46 (Anguita et al. 2012), for trials equation 60"));
  }
};

/// Rows up to which minima are exact unless asked otherwise.
inline constexpr std::size_t most_rows_exact = 8;

/// max(30, ceil(4000 / n)): the standard error of the complexity is then at most about 0.8 points.
std::size_t default_trials(std::size_t n);

/// The bound of one class F_rho, of one binary SVM. Numbers are 0 where the setting is not complete.
struct InSampleSetting {
  bool complete = false;        ///< false: stopped, or left out because no larger rho can win
  double training_loss = 0;     ///< mean soft loss of the classifier found
  double complexity = 0;        ///< mean of the trials' 1 - 2 min loss: a lower estimate, as minima are approximate
  double complexity_error = 0;  ///< its Monte Carlo standard error; 0 where all label vectors were enumerated
  double complexity_upper = 0;  ///< the same with certified lower limits of the minima
  double deviation = 0;         ///< the confidence term
  double bound = 0;             ///< training_loss + complexity + deviation
  /// training_loss + complexity_upper + deviation. Proved if InSample::gaps is empty.
  double bound_upper = 0;
  std::vector<double> trials;  ///< the trials' values, in the order of the label vectors
  std::vector<double> trials_upper;
  bool vacuous() const { return !(bound < 1); }
};

/// What an in-sample method found, beside the choice.
struct InSample {
  std::string complexity;     ///< "Rademacher complexity", "maximal discrepancy"
  std::size_t n = 0;          ///< rows in the bound: those not used for the hint
  std::size_t hint_rows = 0;  ///< rows that trained f0
  bool given_hint = false;    ///< f0 came with the data
  std::size_t trials = 0;     ///< label vectors
  bool enumerated = false;    ///< the label vectors are all that exist
  bool exact = false;         ///< minima are exact, by enumeration of the rows given up
  double delta = 0.05;        ///< asked for
  double delta_each = 0.05;   ///< of each bound: divided by binary SVMs, and by the settings (gamma, rho) if `united`
  bool united = false;        ///< holds for all settings at once
  /// With a free bias, the mean of |sum of t| / n over these label vectors: every complexity over them is at least
  /// this; else 0. With drawn vectors it scatters around the floor of the expectation (bounds::rademacher_floor), and
  /// the complexity itself may lie below that floor.
  double floor = 0;
  bool fixed_in_advance = true;  ///< the class does not depend on the rows of the bound: no scaling or gamma fitted
  bool positive_semidefinite = true;  ///< the kernel has a feature space; without one nothing is proved
  /// What separates `bound_upper` and `error_bound_upper` of the choice from the theorem, one clause for each gap.
  /// Empty: both hold with probability 1 - delta over independent rows, whichever setting was chosen.
  std::vector<std::string> gaps;
  std::vector<double> rhos;
  std::vector<double> gammas;             ///< one 0 for kernels without
  std::vector<int> classes;               ///< positive class of each binary SVM; one for two classes
  std::vector<InSampleSetting> settings;  ///< (binary SVM, gamma, rho), rho fastest
  std::vector<std::size_t> chosen;        ///< setting of each binary SVM
  double bound = 0;  ///< on the expected soft loss, summed over the binary SVMs if there are several
  double bound_upper = 0;
  double error_bound = 0;  ///< on its error rate: 2 bound, or the sum of the binary SVMs' bounds
  double error_bound_upper = 0;
  svm::IvanovWork work;
};

}  // namespace credence::selection
