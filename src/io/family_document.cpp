#include "io/family_document.hpp"

#include <stdexcept>

#include "credence/core/error.hpp"
#include "credence/neighbours/family.hpp"
#include "credence/svm/family.hpp"
#include "io/document_parts.hpp"
#include "io/document_values.hpp"

namespace credence::io {
namespace {

constexpr Words<selection::Tie, 3> tie_words{{{selection::Tie::random, "random"},
                                              {selection::Tie::validation_error, "validation_error"},
                                              {selection::Tie::vote, "vote"}}};
constexpr Words<selection::PValue, 2> p_value_words{
    {{selection::PValue::paper, "paper"}, {selection::PValue::conformal, "conformal"}}};

json to_json(const svm::SvmFamily& family) {
  json machines = json::array();
  for (const svm::MachineCosts& machine : family.machines) {
    machines.push_back(
        {{"support", pack<std::uint32_t>(machine.support)}, {"coefficients", matrix_to_json(machine.coefficients)}});
  }
  return {{"type", family.relevance_vectors ? "rvm" : "svm"},
          {"kernel", kernel_to_json(family.kernel)},
          {"gammas", pack<double>(family.gammas)},
          {"cost_count", family.cost_count},
          {"class_count", family.class_count},
          {"support_vectors", features_to_json(family.support_vectors)},
          {"support_rows", pack<std::uint64_t>(family.support_rows)},
          {"machines", std::move(machines)},
          {"bias", matrix_to_json(family.bias)},
          {"norm", matrix_to_json(family.norm)},
          {"geometric", family.geometric}};
}

std::shared_ptr<const svm::SvmFamily> svm_family_from(const json& document, bool relevance_vectors) {
  auto family = std::make_shared<svm::SvmFamily>();
  family->relevance_vectors = relevance_vectors;
  family->kernel = kernel_from(document.at("kernel"));
  family->gammas = unpack<double, double>(document, "gammas");
  family->cost_count = number<std::size_t>(document, "cost_count");
  family->class_count = number<std::size_t>(document, "class_count");
  family->support_vectors = features_from(document.at("support_vectors"));
  family->support_rows = unpack<std::uint64_t, std::size_t>(document, "support_rows");
  for (const json& one : document.at("machines")) {
    family->machines.push_back(
        {unpack<std::uint32_t, std::uint32_t>(one, "support"), matrix_from(one.at("coefficients"))});
  }
  family->bias = matrix_from(document.at("bias"));
  family->norm = matrix_from(document.at("norm"));
  family->geometric = document.at("geometric").get<bool>();
  return family;
}

json to_json(const neighbours::NeighbourFamily& family) {
  return {{"type", "neighbours"},
          {"rows", features_to_json(family.rows)},
          {"labels", pack<std::int32_t>(family.labels)},
          {"k", pack<std::int32_t>(family.k)},
          {"class_count", family.class_count}};
}

std::shared_ptr<const neighbours::NeighbourFamily> neighbour_family_from(const json& document) {
  auto family = std::make_shared<neighbours::NeighbourFamily>();
  family->rows = features_from(document.at("rows"));
  family->labels = unpack<std::int32_t, int>(document, "labels");
  family->k = unpack<std::int32_t, int>(document, "k");
  family->class_count = number<std::size_t>(document, "class_count");
  return family;
}

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
  throw std::runtime_error("field 'name' of the rule is '" + name + "', which is not known");
}

}  // namespace

json classifiers_to_json(const model::ClassifierFamily* family) {
  if (const auto* svms = dynamic_cast<const svm::SvmFamily*>(family)) return to_json(*svms);
  if (const auto* neighbours = dynamic_cast<const neighbours::NeighbourFamily*>(family)) return to_json(*neighbours);
  throw Error(ErrorCode::invalid_argument, family == nullptr
                                               ? "a family predictor without its family cannot be written"
                                               : "classifiers of this type cannot be written to a model file");
}

std::shared_ptr<const model::ClassifierFamily> classifiers_from(const json& document) {
  const auto type = document.at("type").get<std::string>();
  if (type == "svm" || type == "rvm") return svm_family_from(document, type == "rvm");
  if (type == "neighbours") return neighbour_family_from(document);
  throw std::runtime_error("field 'type' of the family is '" + type + "', which is not known");
}

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

}  // namespace credence::io
