#include <fmt/format.h>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/svm/family.hpp"
#include "neighbours/search/family.hpp"

namespace credence::conformal {
namespace {

std::string text_of_kernel(const kernel::Kernel& kernel, double gamma) {
  const std::string text = fmt::format("{} kernel", kernel::name(kernel.type));
  return kernel.uses_gamma() ? text + fmt::format(", gamma = {:.6g}", gamma) : text;
}

std::string text_of_svm(double C, const kernel::Kernel& kernel, double gamma) {
  const std::string cost = C > 0 ? fmt::format("C = {:.6g}, ", C) : "";
  return fmt::format("{}, SVM with {}{}", SvmMargin::name, cost, text_of_kernel(kernel, gamma));
}

std::string text_of_family(const svm::SvmFamily& family, double C) {
  const double gamma = family.gammas.empty() ? 0 : family.gammas.front();
  if (!family.relevance_vectors) return text_of_svm(C, family.kernel, gamma);
  return fmt::format("{}, relevance vector machine with {}", SvmMargin::name, text_of_kernel(family.kernel, gamma));
}

std::string text_of_classifier(const model::ClassifierFamily& classifier, double C) {
  if (const auto* nearest = dynamic_cast<const neighbours::NeighbourFamily*>(&classifier))
    return fmt::format("{}, k = {}, euclidean distance", NeighbourRatio::name,
                       nearest->k.empty() ? 0 : nearest->k.front());
  if (const auto* svm = dynamic_cast<const svm::SvmFamily*>(&classifier)) return text_of_family(*svm, C);
  return "scores of a classifier";
}

}  // namespace

std::string Machine::description(const model::TrainingRecord&) const {
  return "conformal predictor";
}

std::string TransductiveNeighbours::description(const model::TrainingRecord&) const {
  return fmt::format("{}, k = {}, {} distance; transductive", options().measure.name, options().k,
                     core::word(options().metric));
}

std::string TransductiveSvm::description(const model::TrainingRecord&) const {
  return text_of_svm(options().C, options().kernel, options().kernel.gamma) + "; transductive";
}

std::string Inductive::description(const model::TrainingRecord& record) const {
  std::string text = text_of_classifier(*parts_.front().classifier, record.C);
  for (const CalibratedClassifier& part : parts_) {
    if (text_of_classifier(*part.classifier, record.C) == text) continue;
    return fmt::format("{}; cross, {} folds, each with parameters of its own", SvmMargin::name, parts_.size());
  }
  return parts_.size() == 1 ? text + fmt::format("; inductive, {} rows held out", parts_.front().labels.size())
                            : text + fmt::format("; cross, {} folds", parts_.size());
}

}  // namespace credence::conformal
