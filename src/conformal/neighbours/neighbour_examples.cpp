#include "conformal/neighbours/neighbour_examples.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/numbers.hpp"
#include "neighbours/search/order.hpp"
#include "neighbours/space/screen.hpp"

namespace credence::conformal {
namespace {

using core::float_infinity;
using core::infinity;

/// Room for the lists of one more example, or of one less.
void resize(neighbours::NearestLists& lists, std::size_t label, std::size_t size) {
  lists.own[label].resize(size * lists.k, infinity);
  lists.other[label].resize(size * lists.k, infinity);
}

}  // namespace

double nonconformity_of(const NeighbourOptions& options, std::span<const double> own, std::span<const double> other) {
  return options.measure.formula(neighbours::present(own), neighbours::present(other),
                                 static_cast<std::size_t>(options.k));
}

double neighbour_bytes(const data::Features& rows, std::size_t count, std::size_t k) {
  // A number is kept in double and in float (of sparse rows its column too); boxes take a float for each 32 numbers.
  constexpr double of_a_number = sizeof(double) + sizeof(float) + 1;
  // Two numbers and a place of each example, its limits and reach, its nonconformity score, in the table too, twice
  // sorted.
  constexpr double of_an_example =
      3 * sizeof(std::size_t) + 2 * sizeof(std::size_t) + 6 * sizeof(float) + 4 * sizeof(double) + sizeof(int);
  const double numbers =
      rows.rows() == 0 ? 0 : static_cast<double>(rows.stored().size()) / static_cast<double>(rows.rows());
  const double lists = 2 * sizeof(double) * static_cast<double>(k);
  return static_cast<double>(count) * (numbers * of_a_number + lists + of_an_example);
}

void ReachOfClass::resize(std::size_t size) {
  const std::size_t padded = neighbours::screen::padded(size);
  for (auto* const values : {&own, &other}) {
    values->resize(padded, -float_infinity);
    std::fill(values->begin() + static_cast<std::ptrdiff_t>(size), values->end(), -float_infinity);
  }
  own_sum.resize(padded, 0.0F);
  rest.resize(padded, 0.0F);
}

NeighbourExamples::NeighbourExamples(const NeighbourOptions& options, std::size_t columns, std::size_t classes)
    : options_(options),
      columns_(columns),
      lists_(classes, static_cast<std::size_t>(options.k)),
      nonconformity_(classes),
      reach_(classes),
      table_({}, {}, classes),
      ids_(classes) {}

void NeighbourExamples::put(const data::Features& rows, std::span<const int> labels, const core::Context* context) {
  space_ = neighbours::make_space(options_.metric, rows, classes());
  for (std::size_t i = 0; i < labels.size(); ++i) ids_[static_cast<std::size_t>(labels[i])].push_back(i);
  places_.resize(labels.size());
  for (std::size_t label = 0; label < classes(); ++label) {
    std::vector<std::size_t>& ids = ids_[label];
    if (options_.metric != neighbours::Metric::precomputed) neighbours::order_by_place(rows, ids, context);
    space_->reserve(label, ids.size());
    for (std::size_t slot = 0; slot < ids.size(); ++slot) places_[ids[slot]] = {label, slot};
  }
  for (std::size_t label = 0; label < classes(); ++label)
    for (const std::size_t i : ids_[label]) space_->add(rows, i, label);
}

neighbours::NearestLists NeighbourExamples::search(const core::Context& context, std::size_t* distances) const {
  return neighbours::nearest_lists(*space_, lists_.k, context, distances);
}

void NeighbourExamples::set(neighbours::NearestLists lists, std::span<const double> weights) {
  lists_ = std::move(lists);
  weights_.assign(weights.begin(), weights.end());
  for (std::size_t label = 0; label < classes(); ++label) {
    nonconformity_[label].resize(ids_[label].size());
    reach_[label].resize(ids_[label].size());
  }
  std::vector<double> values;
  std::vector<int> labels;
  for (const Place place : places_) {
    refresh(place);
    values.push_back(nonconformity_[place.label][place.slot]);
    labels.push_back(static_cast<int>(place.label));
  }
  table_ = NonconformityTable(values, labels, classes(), {weights_});
}

void NeighbourExamples::refresh(Place place) {
  constexpr double upward = 1 + 1e-5;
  constexpr double downward = 1 - 1e-5;
  constexpr float least_sum = 1e-30F;
  constexpr double largest_sum = 1e30;  // float has no difference of larger ones
  const auto [label, slot] = place;
  const auto own = std::as_const(lists_).own_of(label, slot);
  const auto other = std::as_const(lists_).other_of(label, slot);
  nonconformity_[label][slot] = nonconformity_of(options_, own, other);

  ReachOfClass& reach = reach_[label];
  reach.own[slot] = space_->limit(own.back());
  reach.other[slot] = space_->limit(other.back());
  // While a list is not full every new row changes how it is averaged: such examples are always looked at.
  const bool full = own.back() < infinity && other.back() < infinity;
  const double own_sum = std::accumulate(own.begin(), own.end(), 0.0) * space_->unit();
  const double rest = std::accumulate(other.begin(), other.end() - 1, 0.0) * space_->unit();
  const bool held = full && own_sum + rest < largest_sum;
  reach.own_sum[slot] = held ? static_cast<float>(own_sum * upward) + least_sum : float_infinity;
  reach.rest[slot] = held ? static_cast<float>(rest * downward) : 0.0F;
}

void NeighbourExamples::update(Place place) {
  const double before = nonconformity_[place.label][place.slot];
  refresh(place);
  const double after = nonconformity_[place.label][place.slot];
  if (before != after) {
    table_.erase(before, static_cast<int>(place.label));
    table_.insert(after, static_cast<int>(place.label));
  }
}

void NeighbourExamples::learn(Place place, bool same_class, double distance) {
  neighbours::Smallest list(same_class ? lists_.own_of(place.label, place.slot)
                                       : lists_.other_of(place.label, place.slot));
  if (list.insert(distance)) update(place);
}

void NeighbourExamples::add(const data::Features& rows, std::size_t row, std::size_t label) {
  if (!space_) space_ = neighbours::make_space(options_.metric, rows.select_rows(std::array{row}), classes());
  const auto point = space_->points(rows, row, 1);
  neighbours::Query query(*space_, lists_.k, 1);
  query.set(*point);
  query.find(0);
  const auto own = query.own(label);
  const auto other = query.others(label);
  for (std::size_t c = 0; c < classes(); ++c) {
    const ReachOfClass& reach = reach_[c];
    const std::size_t found =
        neighbours::screen::below(query.bounds(0, c), c == label ? reach.own.data() : reach.other.data(),
                                  -float_infinity, neighbours::screen::padded(size(c)), query.indices());
    for (std::size_t e = 0; e < found; ++e) {
      const std::size_t slot = query.indices()[e];
      learn({c, slot}, c == label, space_->distance(*point, 0, c, slot));
    }
  }
  const Place place{label, size(label)};
  space_->add(rows, row, label);
  resize(lists_, label, place.slot + 1);
  std::ranges::copy(own, lists_.own_of(label, place.slot).begin());
  std::ranges::copy(other, lists_.other_of(label, place.slot).begin());
  nonconformity_[label].push_back(0);
  reach_[label].resize(place.slot + 1);
  refresh(place);
  table_.insert(nonconformity_[label][place.slot], static_cast<int>(label));
  ids_[label].push_back(places_.size());
  places_.push_back(place);
}

/// The examples whose lists may hold this one.
std::vector<NeighbourExamples::Place> NeighbourExamples::near(const neighbours::Points& point, Place own) const {
  std::vector<Place> places;
  for (std::size_t c = 0; c < classes(); ++c) {
    for (std::size_t slot = 0; slot < size(c); ++slot) {
      const auto list = c == own.label ? lists_.own_of(c, slot) : lists_.other_of(c, slot);
      const bool itself = c == own.label && slot == own.slot;
      if (!itself && space_->distance(point, 0, c, slot) <= list.back()) places.push_back({c, slot});
    }
  }
  return places;
}

void NeighbourExamples::search_again(Place place) {
  const auto [label, slot] = place;
  const auto point = space_->own_points(label, slot, 1);
  neighbours::Query query(*space_, lists_.k, 1);
  query.set(*point);
  query.find(0, label, slot);
  const auto own = query.own(label);
  const auto other = query.others(label);
  std::ranges::copy(own, lists_.own_of(label, slot).begin());
  std::ranges::copy(other, lists_.other_of(label, slot).begin());
  update(place);
}

/// Forgets a place: the last example of the class moves there, and the last number to the number that is free.
void NeighbourExamples::drop(Place place) {
  const auto [label, slot] = place;
  const std::size_t last = size(label) - 1;
  const std::size_t id = ids_[label][slot];
  space_->remove(label, slot);
  if (slot != last) {
    std::ranges::copy(lists_.own_of(label, last), lists_.own_of(label, slot).begin());
    std::ranges::copy(lists_.other_of(label, last), lists_.other_of(label, slot).begin());
    ids_[label][slot] = ids_[label][last];
    places_[ids_[label][slot]].slot = slot;
  }
  nonconformity_[label][slot] = nonconformity_[label][last];
  nonconformity_[label].pop_back();
  ids_[label].pop_back();
  resize(lists_, label, last);
  reach_[label].resize(last);
  if (slot != last) refresh(place);
  if (id + 1 != places_.size()) {
    places_[id] = places_.back();
    ids_[places_[id].label][places_[id].slot] = id;
  }
  places_.pop_back();
}

void NeighbourExamples::remove(std::size_t i) {
  const Place place = places_[i];
  const auto point = space_->own_points(place.label, place.slot, 1);
  std::vector<Place> affected = near(*point, place);
  const std::size_t last = size(place.label) - 1;
  table_.erase(nonconformity(place.label, place.slot), static_cast<int>(place.label));
  drop(place);
  for (Place& other : affected) {
    if (other.label == place.label && other.slot == last) other.slot = place.slot;
    search_again(other);
  }
}

data::Features NeighbourExamples::rows() const {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const Place place : places_) places.emplace_back(place.label, place.slot);
  return space_->rows(places);
}

}  // namespace credence::conformal
