#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {

void fields(auto&& way, As<selection::NonconformityOptions> auto& options) {
  way("tie", options.tie, "p_value", options.p_value, "delta", options.delta, "seed", options.seed);
}

namespace {

json to_json(const std::vector<selection::MemberName>& members) {
  std::vector<double> C, nu, gamma;
  std::vector<int> k;
  for (const selection::MemberName& member : members) {
    C.push_back(member.C);
    nu.push_back(member.nu);
    gamma.push_back(member.gamma);
    k.push_back(member.k);
  }
  return {
      {"C", pack<double>(C)}, {"nu", pack<double>(nu)}, {"gamma", pack<double>(gamma)}, {"k", pack<std::int32_t>(k)}};
}

std::vector<selection::MemberName> names_from(const json& document) {
  const auto C = unpack<double, double>(document, "C");
  const auto nu = unpack<double, double>(document, "nu");
  const auto gamma = unpack<double, double>(document, "gamma");
  const auto k = unpack<std::int32_t, int>(document, "k");
  if (nu.size() != C.size() || gamma.size() != C.size() || k.size() != C.size())
    throw std::runtime_error("the lists of names differ in size");
  return core::made(C.size(), [&](std::size_t i) { return selection::MemberName{C[i], nu[i], gamma[i], k[i]}; });
}

json to_json(const selection::NonconformityRule& rule) {
  json document = object_of(rule.options());
  document.update({{"name", "nonconformity"},
                   {"margins", document_of(rule.margins())},
                   {"validation_errors", pack<std::uint64_t>(rule.validation_errors())},
                   {"classes", rule.classes()}});
  return document;
}

json to_json(const selection::FirstRule&) {
  return {{"name", "first"}};
}

json to_json(const selection::DrawRule& rule) {
  return {{"name", "draw"}, {"seed", rule.seed}};
}

json to_json(const selection::MaxMarginRule&) {
  return {{"name", "max_margin"}};
}

json to_json(const selection::VoteRule& rule) {
  return {{"name", "vote"}, {"members", pack<std::uint32_t>(rule.members)}};
}

json to_json(const selection::AverageRule& rule) {
  return {{"name", "average"}, {"members", pack<std::uint32_t>(rule.members)}};
}

selection::NonconformityRule nonconformity_from(const json& document) {
  selection::NonconformityOptions options;
  fields(DocumentReader(document), options);
  data::DenseMatrix margins;
  read_part(document.at("margins"), margins);
  return {std::move(margins), unpack<std::uint64_t, std::size_t>(document, "validation_errors"),
          number<std::size_t>(document, "classes"), options};
}

decltype(selection::Ensemble::rule) rule_from(const json& document) {
  const auto name = document.at("name").get<std::string>();
  if (name == "first") return selection::FirstRule{};
  if (name == "draw") return selection::DrawRule{number<std::uint64_t>(document, "seed")};
  if (name == "nonconformity") return nonconformity_from(document);
  if (name == "max_margin") return selection::MaxMarginRule{};
  if (name == "vote") return selection::VoteRule{unpack<std::uint32_t, std::uint32_t>(document, "members")};
  if (name == "average") return selection::AverageRule{unpack<std::uint32_t, std::uint32_t>(document, "members")};
  throw std::runtime_error("field 'name' of the rule is '" + name + "', which is not known");
}

std::string check_names(const selection::Ensemble& ensemble) {
  if (!ensemble.names.empty() && ensemble.names.size() != ensemble.members.count())
    return "the list of names has another size than the models";
  for (const selection::MemberName& one : ensemble.names) {
    const bool sound = std::isfinite(one.C) && std::isfinite(one.nu) && std::isfinite(one.gamma) && one.C >= 0 &&
                       one.nu >= 0 && one.gamma >= 0 && one.k >= 0;
    if (!sound) return "a model is named by a value that does not exist";
  }
  return {};
}

std::string check_taking_part(const selection::Ensemble& ensemble) {
  const std::vector<std::uint32_t>* const members = selection::taking_part(ensemble);
  if (members == nullptr) return {};
  if (members->empty()) return "no model takes part";
  const bool exist = std::ranges::all_of(*members, [&](auto k) { return k < ensemble.members.count(); });
  return exist ? "" : "a model takes part that does not exist";
}

std::string check_rule(const selection::Ensemble& ensemble) {
  const bool regions =
      std::ranges::any_of(ensemble.members.parts, [](const auto& part) { return part.family->region_count() > 0; });
  if (regions != std::holds_alternative<selection::FirstRule>(ensemble.rule))
    return "the rule 'first' is for models of regions, and for these alone";
  if (const auto* rule = selection::nonconformity_rule(ensemble)) {
    const bool fits = rule->models() == ensemble.members.count() && rule->classes() == ensemble.schema.classes.size();
    return fits ? "" : "the rule knows other models or classes than the ensemble";
  }
  return check_taking_part(ensemble);
}

}  // namespace

void put_ensemble(json& document, const selection::Ensemble& ensemble, WrittenRows* rows) {
  if (ensemble.members.empty()) refuse("an ensemble without its members cannot be written");
  document["members"] = members_to_json(ensemble.members, document, rows);
  document["rule"] = std::visit([](const auto& rule) { return to_json(rule); }, ensemble.rule);
  if (!ensemble.names.empty()) document["names"] = to_json(ensemble.names);
  if (ensemble.validation_rows > 0) document["validation_rows"] = ensemble.validation_rows;
}

void read_ensemble(const json& document, selection::Ensemble& ensemble, const ReadRows* rows) {
  ensemble.members = members_from(document.at("members"), ensemble, rows);
  if (document.contains("names")) ensemble.names = names_from(document.at("names"));
  ensemble.rule = rule_from(document.at("rule"));
  if (document.contains("validation_rows")) ensemble.validation_rows = number<std::size_t>(document, "validation_rows");
}

std::string check_ensemble(const selection::Ensemble& ensemble) {
  if (ensemble.members.empty()) return "it has no members";
  std::string problem = check_members(ensemble.members, ensemble);
  if (problem.empty()) problem = check_names(ensemble);
  if (problem.empty()) problem = check_rule(ensemble);
  return problem;
}

}  // namespace credence::io
