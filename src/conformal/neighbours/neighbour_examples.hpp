#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "credence/conformal/neighbours.hpp"
#include "credence/core/aligned.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/space/space.hpp"

namespace credence::conformal {

/// The nonconformity score of an example with these nearest distances; infinities behind the last are no distances.
double nonconformity_of(const NeighbourOptions& options, std::span<const double> own, std::span<const double> other);

/// Memory of so many examples like these rows, in bytes, while they are searched and compared with.
double neighbour_bytes(const data::Features& rows, std::size_t count, std::size_t k);

/// Of the examples of one class, by slot: what a scan of a distance row needs, in units of the space (see
/// screen::Reach), padded to whole blocks.
struct ReachOfClass {
  core::AlignedVector<float> own;
  core::AlignedVector<float> other;
  core::AlignedVector<float> own_sum;
  core::AlignedVector<float> rest;

  void resize(std::size_t size);
};

/// The examples of TransductiveNeighbours: rows by class and slot, their nearest distances and nonconformity score.
/// Numbers are those of the public interface; they are mapped to slots here.
class NeighbourExamples {
 public:
  struct Place {
    std::size_t label;
    std::size_t slot;
  };

  NeighbourExamples(const NeighbourOptions& options, std::size_t columns, std::size_t classes);
  /// Puts the rows in, without distances. @throws Error invalid_data
  /// @param context  null: on this thread
  void put(const data::Features& rows, std::span<const int> labels, const core::Context* context = nullptr);
  /// Distances and all that follows from them, with known weights of the examples, by number; empty: each counts 1.
  /// @throws Error invalid_argument for weights of another number of examples, or that are no finite numbers above 0
  void set(neighbours::NearestLists lists, std::span<const double> weights = {});
  /// @param distances  where the number of distances goes, in float and in double; null: nowhere
  neighbours::NearestLists search(const core::Context& context, std::size_t* distances = nullptr) const;

  void add(const data::Features& rows, std::size_t row, std::size_t label);
  void remove(std::size_t i);

  const NeighbourOptions& options() const { return options_; }
  std::size_t columns() const { return columns_; }
  std::size_t classes() const { return nonconformity_.size(); }
  std::size_t size() const { return places_.size(); }
  std::size_t size(std::size_t label) const { return nonconformity_[label].size(); }
  bool has_space() const { return space_ != nullptr; }
  const neighbours::Space& space() const { return *space_; }
  const neighbours::NearestLists& lists() const { return lists_; }
  const NonconformityTable& table() const { return table_; }
  const ReachOfClass& reach(std::size_t label) const { return reach_[label]; }
  double nonconformity(std::size_t label, std::size_t slot) const { return nonconformity_[label][slot]; }
  const std::vector<double>& weights() const { return weights_; }
  double weight(std::size_t label, std::size_t slot) const {
    return weights_.empty() ? 1 : weights_[ids_[label][slot]];
  }
  Place place(std::size_t i) const { return places_[i]; }
  data::Features rows() const;

 private:
  /// Computes nonconformity score and reach of one example from its lists.
  void refresh(Place place);
  /// The same, and moves it in the table.
  void update(Place place);
  /// Takes an example that is `distance` away into the list of one, if it is near enough.
  void learn(Place place, bool same_class, double distance);
  std::vector<Place> near(const neighbours::Points& point, Place own) const;
  void drop(Place place);
  void search_again(Place place);

  NeighbourOptions options_;
  std::size_t columns_;
  std::unique_ptr<neighbours::Space> space_;  ///< none before the first row
  neighbours::NearestLists lists_;
  std::vector<std::vector<double>> nonconformity_;  ///< class: slot
  std::vector<ReachOfClass> reach_;
  NonconformityTable table_;
  std::vector<double> weights_;                ///< of each number; empty: each counts 1
  std::vector<Place> places_;                  ///< of each number
  std::vector<std::vector<std::size_t>> ids_;  ///< class, slot: the number
};

}  // namespace credence::conformal
