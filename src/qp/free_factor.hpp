#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "credence/kernel/gram.hpp"

namespace credence::qp {

/// The Cholesky factor of K_FF for a set F of variables, and the inverse of K_FF in the space that is left after
/// variables are deleted one by one. Vectors run over the original F; deleted variables are 0 in them.
class FreeFactor {
 public:
  /// Factorises K_FF plus a ridge relative to its diagonal. The ridge grows, and stays larger, when rounding makes the
  /// factorisation fail.
  /// @return false if the largest ridge fails
  bool factorise(kernel::Rows& rows, const std::vector<std::size_t>& free);
  std::size_t size() const { return size_; }

  /// Returns K_FF^-1 times the vector, without any deletion.
  std::vector<double> solve(std::vector<double> right_hand_side) const;
  /// Forgets all deletions, and what was prepared for them.
  void restore();
  /// Finds the columns of the inverse for variables that may be deleted soon. Several together take little longer than
  /// one, because the factor comes from memory once.
  /// @param variables  positions in F, in any order; those found before cost nothing
  void prepare(std::vector<std::size_t> variables);
  bool is_prepared(std::size_t k) const { return places_[k] != nowhere; }
  /// Deletes variable k (a position in F), which need not be prepared. `project` then turns an old solution into a
  /// solution over the rest.
  /// @return false if the columns have lost their digits, so that no further variable can be deleted
  bool remove(std::size_t k);
  /// Projects a solution of the space before the last deletion onto the space after it.
  void project(std::vector<double>& vector) const { eliminate(deletions_.back(), vector); }
  /// Returns K_RR^-1 K_Rk over the rest R, where k is the variable deleted last.
  std::vector<double> response() const;
  std::size_t deletions() const { return deletions_.size(); }
  std::uint64_t factorisations() const { return factorisations_; }

 private:
  struct Deletion {
    std::size_t variable;
    std::vector<double> column;  ///< column of the inverse; 0 at the variables deleted before
  };
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::vector<double> inverse_column(std::size_t k) const;
  static void eliminate(const Deletion& deletion, std::vector<double>& vector);

  std::size_t size_ = 0;
  /// Lower triangle, column-major. The upper one is never written, so that the system gives no memory to most of it:
  /// not to pages of the usual size, of which a column has several.
  std::unique_ptr<double[]> factor_;
  std::size_t capacity_ = 0;
  double ridge_ = 1e-9;
  std::vector<Deletion> deletions_;
  std::vector<double> prepared_;     ///< columns of K_FF^-1, size_ values each
  std::vector<std::size_t> places_;  ///< of each variable's column in prepared_
  std::uint64_t factorisations_ = 0;
};

}  // namespace credence::qp
