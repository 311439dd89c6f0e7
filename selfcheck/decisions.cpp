#include "selfcheck/decisions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "credence/conformal/decision.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/core/random.hpp"
#include "report/decisions/parts_report.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t decisions_purpose = 1808;

/// How strange a row of a class is under each of two classes, which overlap. Rows of the rare class are more spread, so
/// that p-values of all classes together would miss them. With ties the numbers are whole.
std::array<double, 2> strange_row(int label, bool ties, core::RandomStream& random) {
  const double z = random.normal();
  const double x = label == 1 ? 3 + 2 * z : z;
  return ties ? std::array{std::floor(2 * x), std::floor(2 * (3 - x))} : std::array{x, 3 - x};
}

Setting limit_of_class(std::size_t rare, int label, bool ties, bool label_conditional) {
  const std::string name = std::string(label == 1 ? "rare class" : "common class") + (ties ? ", ties" : "");
  return {
      name, rare, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
        core::RandomStream random(seed, decisions_purpose);
        const std::size_t rows = 5 * rare;  // of which the others are common
        std::vector<double> nonconformity;
        std::vector<int> labels;
        for (std::size_t i = 0; i < rows; ++i) {
          labels.push_back(i < rare ? 1 : 0);
          nonconformity.push_back(strange_row(labels.back(), ties, random)[static_cast<std::size_t>(labels.back())]);
        }
        const conformal::ScoreCalibration calibration(nonconformity, labels, 2);
        const std::array<double, 2> fresh = strange_row(label, ties, random);
        data::DenseMatrix p(1, 2);
        for (int c = 0; c < 2; ++c) {
          p.values[static_cast<std::size_t>(c)] =
              conformal::p_value(calibration.rank(-fresh[static_cast<std::size_t>(c)], c, label_conditional));
        }
        const std::array<int, 1> truth{label};
        values.push_back(breaking_level([&](double level) {
          std::array<double, 2> limits{0.1, 0.1};
          limits[static_cast<std::size_t>(label)] = level;
          const conformal::DecisionCounts counts = conformal::count_decisions(p, truth, limits);
          return counts.of_class[static_cast<std::size_t>(label)].missed == 1;
        }));
      }};
}

/// Adds the discovery rate if a row drawn from the list is false. An empty list has no false row.
void add_drawn(const std::vector<bool>& found, const std::vector<bool>& wanted, core::RandomStream& random,
               std::vector<double>& values) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i]) list.push_back(i);
  const bool is_false = !list.empty() && !wanted[list[random.below(list.size())]];
  values.push_back(is_false ? discovery_rate : never);
}

static_assert(report::PartsReport::delta == group_delta);

std::string text_of(std::size_t number) {
  return std::to_string(number);
}

}  // namespace

std::vector<Setting> of_limits(const std::vector<std::size_t>& sizes, bool label_conditional) {
  std::vector<Setting> settings;
  for (const std::size_t rare : sizes)
    for (const bool ties : {false, true})
      for (const int label : {0, 1}) settings.push_back(limit_of_class(rare, label, ties, label_conditional));
  return settings;
}

std::vector<Setting> of_certainty(const LevelOf& level_of) {
  struct Place {
    std::size_t m;
    double limit;
    unsigned atoms;  ///< equally probable values of nonconformity score; 0: uniform numbers
  };
  std::vector<Setting> settings;
  for (const Place& place : {Place{60, 0.1, 0}, Place{60, 0.1, 20}, Place{400, 0.02, 0}, Place{2000, 0.02, 0}}) {
    const std::string name = place.atoms == 0 ? (place.limit < 0.1 ? "limit 0.02" : "limit 0.1") : "limit 0.1, ties";
    settings.push_back({name, place.m, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                          core::RandomStream random(seed, decisions_purpose);
                          std::vector<double> kept(place.m);
                          for (double& value : kept) {
                            const double u = random.uniform();
                            value = place.atoms == 0 ? u : std::floor(u * place.atoms) / place.atoms;
                          }
                          const conformal::NonconformityScores list(kept);
                          values.push_back(breaking_level([&](double delta) {
                            const double largest = list.largest_in_set(level_of(place.m, place.limit, delta));
                            if (std::isinf(largest)) return false;
                            const double missed = 1 - largest - (place.atoms == 0 ? 0 : 1.0 / place.atoms);
                            return missed > place.limit + 1e-12;
                          }));
                        }});
  }
  return settings;
}

std::vector<Setting> of_split_lists(const std::vector<std::size_t>& sizes, const Discover& discover) {
  constexpr std::size_t fresh = 30;
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    for (const bool ties : {false, true}) {
      settings.push_back({ties ? "30 rows, ties" : "30 rows", n,
                          [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
                            core::RandomStream random(seed, decisions_purpose);
                            const auto draw = [&](bool wanted) {
                              const double x = random.normal() + (wanted ? 2.5 : 0);
                              return ties ? std::floor(3 * x) : x;
                            };
                            std::vector<double> kept(n);
                            for (double& value : kept) value = draw(false);
                            const conformal::NonconformityScores list(kept);
                            std::vector<double> p;
                            std::vector<bool> wanted;
                            for (std::size_t i = 0; i < fresh; ++i) {
                              wanted.push_back(i % 5 == 0);
                              p.push_back(conformal::p_value(list.rank(draw(wanted.back()))));
                            }
                            add_drawn(discover(p, discovery_rate), wanted, random, values);
                          }});
    }
  }
  return settings;
}

std::vector<Setting> of_unfamiliar_lists(const std::vector<std::size_t>& sizes, const Discover& discover) {
  constexpr std::size_t fresh = 20;
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    settings.push_back({"20 rows, one in five far", n,
                        [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
                          core::RandomStream random(seed, decisions_purpose);
                          data::DenseMatrix known(n, 2);
                          for (double& value : known.values) value = random.normal();
                          data::DenseMatrix rows(fresh, 2);
                          std::vector<bool> wanted;
                          for (std::size_t i = 0; i < fresh; ++i) {
                            wanted.push_back(i % 5 == 0);
                            for (double& value : rows.row(i)) value = random.normal() + (wanted.back() ? 3 : 0);
                          }
                          const conformal::Familiarity familiarity(known, context);
                          add_drawn(discover(familiarity.p_values(rows, context), discovery_rate), wanted, random,
                                    values);
                        }});
  }
  return settings;
}

std::vector<Setting> of_group_intervals(const std::vector<std::size_t>& sizes) {
  static constexpr std::array<double, 3> error_of_group{0.02, 0.2, 0.5};
  static constexpr std::array<double, 3> set_misses_of_group{0.1, 0.02, 0.3};
  static constexpr std::array<double, 3> share_of_group{0.6, 0.3, 0.1};
  constexpr double significance = 0.1;
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    settings.push_back(
        {"3 groups, quartiles, crossed", n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
           core::RandomStream random(seed, decisions_purpose);
           data::Dataset rows;
           rows.features = data::Features(data::DenseMatrix(n, 1));
           rows.schema.classes = {"a", "b"};
           rows.texts = {{"group", {}}, {"number", {}}};
           model::Prediction prediction;
           prediction.p_value = data::DenseMatrix(n, 2);
           for (std::size_t i = 0; i < n; ++i) {
             const double u = random.uniform();
             const std::size_t group = u < share_of_group[0] ? 0 : u < share_of_group[0] + share_of_group[1] ? 1 : 2;
             rows.texts[0].cells.push_back(text_of(group));
             rows.texts[1].cells.push_back(text_of(random.below(1000)));
             rows.labels.push_back(static_cast<int>(random.below(2)));
             const bool wrong = random.uniform() < error_of_group[group];
             prediction.label.push_back(wrong ? 1 - rows.labels.back() : rows.labels.back());
             const bool missed = random.uniform() < set_misses_of_group[group];
             prediction.p_value.row(i)[static_cast<std::size_t>(rows.labels.back())] = missed ? significance / 2 : 1;
           }
           const auto found = report::parts_report(report::DividedBy::parse("group,number,group*number"), rows,
                                                   rows.schema.classes, prediction, significance, {});
           const auto truth = [](const std::array<double, 3>& of_group, const std::string& way,
                                 const std::string& value) {
             if (way != "number") return of_group[static_cast<std::size_t>(value.front() - '0')];
             return std::inner_product(of_group.begin(), of_group.end(), share_of_group.begin(), 0.0);
           };
           bool missed = false;
           const auto look = [&](const report::WrongRows& found_rows, double share) {
             missed = missed || found_rows.interval.lower > share || found_rows.interval.upper < share;
           };
           for (const auto& way : found.ways) {
             for (const auto& part : way.parts) {
               const double error = truth(error_of_group, way.name, part.value);
               look(part.errors, error);
               for (const report::WrongRows& of_class : part.missed) look(of_class, error);
               look(*part.sets, truth(set_misses_of_group, way.name, part.value));
             }
           }
           values.push_back(missed ? group_delta : never);
         }});
  }
  return settings;
}

}  // namespace credence::selfcheck
