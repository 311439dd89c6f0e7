#include "selection/option_parts.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "credence/core/error.hpp"
#include "selection/asked.hpp"

namespace credence::selection {

KernelGrid* kernels_in(Candidates& candidates) {
  return std::visit(
      [](auto& one) -> KernelGrid* {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, NeighbourCandidates>)
          return nullptr;
        else if constexpr (std::is_same_v<T, SvmOfRvmKernel>)
          return &one.machines.kernels;
        else
          return &one.kernels;
      },
      candidates);
}

SvmCosts* costs_in(Candidates& candidates) {
  if (auto* svm = std::get_if<SvmCandidates>(&candidates)) return &svm->costs;
  if (auto* both = std::get_if<SvmOfRvmKernel>(&candidates)) return &both->costs;
  return nullptr;
}

RvmCandidates* machines_in(Candidates& candidates) {
  if (auto* machines = std::get_if<RvmCandidates>(&candidates)) return machines;
  if (auto* both = std::get_if<SvmOfRvmKernel>(&candidates)) return &both->machines;
  return nullptr;
}

NormCandidates* norms_in(Candidates& candidates) {
  return std::get_if<NormCandidates>(&candidates);
}

namespace {

/// A part of the candidates, which are made where they are not there yet.
template <class Part>
Part& part_of(Options& options, Part* (*in)(Candidates&), const char* what) {
  if (!options.candidates) options.candidates = candidates_of(options.method, options.task);
  if (Part* part = in(*options.candidates)) return *part;
  throw Error(ErrorCode::invalid_argument, fmt::format("what {} chooses from has no {}", options.name(), what));
}

template <class Part>
const Part* find_part(const Options& options, Part* (*in)(Candidates&)) {
  return options.candidates ? in(const_cast<Candidates&>(*options.candidates)) : nullptr;
}

template <class Part>
const Part& part_of(const Options& options, Part* (*in)(Candidates&), const char* what) {
  if (const Part* part = find_part(options, in)) return *part;
  throw Error(ErrorCode::invalid_argument, fmt::format("what {} chooses from has no {}", options.name(), what));
}

}  // namespace

KernelGrid& Options::kernels() {
  return part_of(*this, kernels_in, "kernels");
}
const KernelGrid& Options::kernels() const {
  return part_of(*this, kernels_in, "kernels");
}
SvmCosts& Options::costs() {
  return part_of(*this, costs_in, "costs");
}
const SvmCosts& Options::costs() const {
  return part_of(*this, costs_in, "costs");
}
RvmCandidates& Options::machines() {
  return part_of(*this, machines_in, "relevance vector machines");
}
const RvmCandidates& Options::machines() const {
  return part_of(*this, machines_in, "relevance vector machines");
}
NormCandidates& Options::norms() {
  return part_of(*this, norms_in, "norms");
}
const NormCandidates& Options::norms() const {
  return part_of(*this, norms_in, "norms");
}

const qp::Options& Options::solver() const {
  static const qp::Options defaults;
  if (const NormCandidates* norms = find_part(*this, norms_in)) return norms->solver;
  const SvmCosts* costs = find_part(*this, costs_in);
  return costs != nullptr ? costs->solver : defaults;
}

bool Options::has_kernels() const {
  return find_part(*this, kernels_in) != nullptr;
}

bool Options::has_costs() const {
  return find_part(*this, costs_in) != nullptr;
}

bool Options::has_machines() const {
  return find_part(*this, machines_in) != nullptr;
}

bool Options::is_free_of_gamma() const {
  return has_machines() && kernels().shape.type == kernel::KernelType::polynomial && kernels().shape.coef0 == 0;
}

const Estimation* Options::estimation() const {
  return asked<const Estimation*>(
      method, nullptr,
      [](const auto& own)
        requires requires { own.estimation; }
      { return &own.estimation; });
}

Loss Options::loss() const {
  const Loss of_estimation = estimation() != nullptr ? estimation()->loss : Loss::hard;
  return asked(
      method, of_estimation,
      [](const auto& own)
        requires requires { own.loss; }
      { return own.loss; });
}

Score Options::score() const {
  return asked(
      method, Score::accuracy,
      [](const auto& own)
        requires requires { own.scoring; }
      { return own.scoring.score; });
}

std::string Options::label_costs() const {
  return asked(
      method, std::string(),
      [](const auto& own)
        requires requires { own.scoring; }
      { return own.scoring.cost; });
}

Rule Options::rule() const {
  return asked(
      method, Rule::best,
      [](const auto& own)
        requires requires { own.rule; }
      { return own.rule; });
}

Race Options::race() const {
  return asked(
      method, Race::no,
      [](const auto& own)
        requires requires { own.racing; }
      { return own.racing.race; });
}

Refit Options::refit() const {
  return asked(
      method, Refit::all_rows,
      [](const auto& own)
        requires requires { own.refit; }
      { return own.refit; });
}

std::size_t Options::region_rows() const {
  return asked(
      method, std::size_t{0},
      [](const auto& own)
        requires requires { own.region_rows; }
      { return own.region_rows.value_or(own.usual_rows); });
}

const InSampleOptions* Options::in_sample() const {
  return asked<const InSampleOptions*>(
      method, nullptr,
      [](const auto& own)
        requires requires { own.in_sample; }
      { return &own.in_sample; });
}

std::size_t Options::resample_count(std::size_t n) const {
  return asked(
      method, std::size_t{traits().holds_out ? 1U : 0U},
      [n](const auto& own)
        requires requires { own.resample_count(n); }
      { return own.resample_count(n); });
}

std::string Options::words(std::size_t n) const {
  return asked(
      method, std::string(),
      [n](const auto& own)
        requires requires { own.words(n); }
      { return own.words(n); });
}

Options Options::on_all_rows() const {
  Options whole = *this;
  whole.method = asked(
      method, method,
      [](const auto& own)
        requires requires { own.on_all_rows(); }
      { return own.on_all_rows(); });
  return whole;
}

}  // namespace credence::selection
