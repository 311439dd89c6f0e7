#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/kinds/classifiers.hpp"
#include "io/kinds/document_parts.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/kinds.hpp"

namespace credence::io {
namespace {

constexpr Words<selection::Tie, 3> tie_words{{{selection::Tie::random, "random"},
                                              {selection::Tie::validation_error, "validation_error"},
                                              {selection::Tie::vote, "vote"}}};
constexpr Words<selection::PValue, 2> p_value_words{
    {{selection::PValue::paper, "paper"}, {selection::PValue::conformal, "conformal"}}};

json to_json(const std::vector<selection::FamilyMember>& members) {
  std::vector<double> C, nu, gamma;
  std::vector<int> k;
  for (const selection::FamilyMember& member : members) {
    C.push_back(member.C);
    nu.push_back(member.nu);
    gamma.push_back(member.gamma);
    k.push_back(member.k);
  }
  return {
      {"C", pack<double>(C)}, {"nu", pack<double>(nu)}, {"gamma", pack<double>(gamma)}, {"k", pack<std::int32_t>(k)}};
}

std::vector<selection::FamilyMember> members_from(const json& document) {
  const auto C = unpack<double, double>(document, "C");
  const auto nu = unpack<double, double>(document, "nu");
  const auto gamma = unpack<double, double>(document, "gamma");
  const auto k = unpack<std::int32_t, int>(document, "k");
  if (nu.size() != C.size() || gamma.size() != C.size() || k.size() != C.size())
    throw std::runtime_error("the lists of the members differ in size");
  std::vector<selection::FamilyMember> members(C.size());
  for (std::size_t i = 0; i < C.size(); ++i) members[i] = {C[i], nu[i], gamma[i], k[i]};
  return members;
}

json to_json(const selection::NonconformityRule& rule) {
  const selection::NonconformityOptions& options = rule.options();
  return {{"name", "nonconformity"},
          {"margins", matrix_to_json(rule.margins())},
          {"validation_errors", pack<std::uint64_t>(rule.validation_errors())},
          {"classes", rule.classes()},
          {"tie", to_word(options.tie, tie_words)},
          {"p_value", to_word(options.p_value, p_value_words)},
          {"delta", options.delta},
          {"seed", options.seed}};
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
  options.tie = from_word(document, "tie", tie_words);
  options.p_value = from_word(document, "p_value", p_value_words);
  options.delta = number<double>(document, "delta");
  options.seed = number<std::uint64_t>(document, "seed");
  return {matrix_from(document.at("margins")), unpack<std::uint64_t, std::size_t>(document, "validation_errors"),
          number<std::size_t>(document, "classes"), options};
}

decltype(selection::FamilyPredictor::rule) rule_from(const json& document) {
  const auto name = document.at("name").get<std::string>();
  if (name == "nonconformity") return nonconformity_from(document);
  if (name == "max_margin") return selection::MaxMarginRule{};
  if (name == "vote") return selection::VoteRule{unpack<std::uint32_t, std::uint32_t>(document, "members")};
  if (name == "average") return selection::AverageRule{unpack<std::uint32_t, std::uint32_t>(document, "members")};
  throw std::runtime_error("field 'name' of the rule is '" + name + "', which is not known");
}

std::string check_members(const selection::FamilyPredictor& predictor) {
  if (predictor.members.size() != predictor.family->models())
    return "the list of models has another size than the family";
  for (const selection::FamilyMember& member : predictor.members) {
    const bool sound = std::isfinite(member.C) && std::isfinite(member.nu) && std::isfinite(member.gamma) &&
                       member.C >= 0 && member.nu >= 0 && member.gamma >= 0 && member.k >= 0;
    if (!sound) return "a model is named by a value that does not exist";
  }
  return {};
}

std::string check(const selection::NonconformityRule& rule, const model::ClassifierFamily& family) {
  const bool fits = rule.models() == family.models() && rule.classes() == family.classes();
  return fits ? "" : "the rule knows other models or classes than the family";
}

std::string check(const selection::MaxMarginRule&, const model::ClassifierFamily&) {
  return {};
}

std::string check_taking_part(const std::vector<std::uint32_t>& members, const model::ClassifierFamily& family) {
  if (members.empty()) return "no model takes part";
  const bool exist = std::ranges::all_of(members, [&](auto k) { return k < family.models(); });
  return exist ? "" : "a model takes part that does not exist";
}

std::string check(const selection::VoteRule& rule, const model::ClassifierFamily& family) {
  return check_taking_part(rule.members, family);
}

std::string check(const selection::AverageRule& rule, const model::ClassifierFamily& family) {
  return check_taking_part(rule.members, family);
}

}  // namespace

void put_family(json& document, const selection::FamilyPredictor& predictor) {
  document["family"] = classifiers_to_json(predictor.family.get());
  document["members"] = to_json(predictor.members);
  document["rule"] = std::visit([](const auto& rule) { return to_json(rule); }, predictor.rule);
  document["validation_rows"] = predictor.validation_rows;
}

void read_family(const json& document, selection::FamilyPredictor& predictor) {
  predictor.family = classifiers_from(document.at("family"));
  predictor.members = members_from(document.at("members"));
  predictor.rule = rule_from(document.at("rule"));
  predictor.validation_rows = number<std::size_t>(document, "validation_rows");
}

std::string check_family(const selection::FamilyPredictor& predictor) {
  const model::ClassifierFamily& family = *predictor.family;
  std::string problem = check_classifiers(family, predictor.schema.classes.size(), predictor.preprocessing.columns());
  if (problem.empty()) problem = check_members(predictor);
  if (problem.empty()) problem = std::visit([&](const auto& rule) { return check(rule, family); }, predictor.rule);
  return problem;
}

}  // namespace credence::io
