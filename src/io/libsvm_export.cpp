#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "credence/io/libsvm.hpp"

namespace credence::io {
namespace {

/// "+1", "01" and "1.0" are the integer 1.
std::optional<int> integer_value(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value != std::floor(value)) return std::nullopt;
  if (std::abs(value) > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(value);
}

bool is_identity(const data::Preprocessing& preprocessing) {
  using data::ColumnKind;
  return preprocessing.quantiles.empty() &&
         std::ranges::all_of(preprocessing.raw, [](const auto& raw) { return raw.kind == ColumnKind::numeric; }) &&
         std::ranges::all_of(preprocessing.shift, [](double v) { return v == 0; }) &&
         std::ranges::all_of(preprocessing.scale, [](double v) { return v == 1; });
}

/// @throws Error invalid_argument for what no LIBSVM model says
void check_exportable(const svm::SvmModel& model) {
  if (model.hint || !model.schema.hint_name.empty())
    refuse("a LIBSVM model holds no hint: the decision values of this one are sums of its own and the hint's");
  if (std::ranges::any_of(model.machines,
                          [](const svm::BinaryMachine& machine) { return machine.negative == svm::the_rest; })) {
    refuse(
        "a LIBSVM model of more than two classes has a binary SVM for each pair of them; this one has a binary SVM "
        "for each class against the rest");
  }
}

std::string_view libsvm_name(kernel::KernelType type) {
  if (type == kernel::KernelType::laplacian) {
    refuse(
        "LIBSVM has no laplacian kernel; `select` gives a model that it has with --kernel rbf --scale standard "
        "--rule best");
  }
  return kernel::name(type);
}

/// LIBSVM's grouping: support vectors by class (its place in `order`), each with one coefficient for every other class.
using Grouped = std::vector<std::map<std::uint32_t, std::vector<double>>>;

Grouped group_by_class(const svm::SvmModel& model, const std::vector<std::size_t>& place) {
  const std::size_t classes = place.size();
  Grouped groups(classes);
  const auto coefficient = [&](std::size_t own, std::uint32_t row, std::size_t other) -> double& {
    auto& list = groups[own].try_emplace(row, std::vector<double>(classes - 1, 0.0)).first->second;
    return list[other < own ? other : other - 1];
  };
  for (const svm::BinaryMachine& machine : model.machines) {
    const std::size_t positive = place[static_cast<std::size_t>(machine.positive)];
    const std::size_t negative = place[static_cast<std::size_t>(machine.negative)];
    for (std::size_t k = 0; k < machine.support.size(); ++k) {
      const double beta = machine.coefficients[k];
      // beta = y alpha: its sign is the class of the row.
      if (beta > 0) coefficient(positive, machine.support[k], negative) = beta;
      if (beta < 0) coefficient(negative, machine.support[k], positive) = beta;
    }
  }
  return groups;
}

void append_vector(std::string& text, const svm::SvmModel& model, std::uint32_t row) {
  const auto out = std::back_inserter(text);
  if (model.kernel.type == kernel::KernelType::precomputed) {
    fmt::format_to(out, "0:{} ", model.support_rows[row] + 1);
    return;
  }
  data::for_each_entry(model.support_vectors, row, [&](std::size_t column, double value) {
    if (value != 0) fmt::format_to(out, "{}:{:.17g} ", column + 1, value);
  });
}

}  // namespace

std::vector<int> libsvm_class_numbers(const std::vector<std::string>& classes, std::vector<std::string>& notes) {
  std::vector<int> numbers;
  for (const std::string& name : classes)
    if (const auto value = integer_value(name)) numbers.push_back(*value);
  const bool distinct = std::set<int>(numbers.begin(), numbers.end()).size() == classes.size();
  if (distinct && numbers.size() == classes.size()) return numbers;
  numbers.clear();
  std::string note = "LIBSVM names classes by integers, so they are numbered:";
  for (std::size_t i = 0; i < classes.size(); ++i) {
    numbers.push_back(static_cast<int>(i));
    note += fmt::format("{} {} = '{}'", i == 0 ? "" : ",", i, classes[i]);
  }
  notes.push_back(note);
  return numbers;
}

std::vector<std::string> export_libsvm(const svm::SvmModel& model, const std::string& path) {
  using kernel::KernelType;
  check_exportable(model);
  std::vector<std::string> notes;
  const KernelType type = model.kernel.type;
  const std::size_t classes = model.schema.classes.size();

  // In LIBSVM the first class of a pair is the positive one; our two-class machine speaks for the second.
  const std::vector<std::size_t> order = core::made(classes, [&](std::size_t i) { return classes == 2 ? 1 - i : i; });
  std::vector<std::size_t> place(classes);
  for (std::size_t i = 0; i < classes; ++i) place[order[i]] = i;
  const Grouped groups = group_by_class(model, place);

  std::string text = fmt::format("svm_type c_svc\nkernel_type {}\n", libsvm_name(type));
  const auto out = std::back_inserter(text);
  if (type == KernelType::polynomial) fmt::format_to(out, "degree {}\n", model.kernel.degree);
  if (model.kernel.uses_gamma()) fmt::format_to(out, "gamma {:.17g}\n", model.kernel.gamma);
  if (type == KernelType::polynomial || type == KernelType::sigmoid)
    fmt::format_to(out, "coef0 {:.17g}\n", model.kernel.coef0);
  std::size_t total = 0;
  for (const auto& group : groups) total += group.size();
  fmt::format_to(out, "nr_class {}\ntotal_sv {}\nrho", classes, total);
  for (const svm::BinaryMachine& machine : model.machines) fmt::format_to(out, " {:.17g}", -machine.bias);
  text += "\nlabel";
  const std::vector<int> numbers = libsvm_class_numbers(model.schema.classes, notes);
  for (const std::size_t index : order) fmt::format_to(out, " {}", numbers[index]);
  text += "\nnr_sv";
  for (const auto& group : groups) fmt::format_to(out, " {}", group.size());
  text += "\nSV\n";
  for (const auto& group : groups) {
    for (const auto& [row, coefficients] : group) {
      for (const double value : coefficients) fmt::format_to(out, "{:.17g} ", value);
      append_vector(text, model, row);
      text += '\n';
    }
  }
  core::write_atomically(path, text);
  if (!is_identity(model.preprocessing)) {
    notes.emplace_back(
        "a LIBSVM model holds no preprocessing: svm-predict must be given rows that were preprocessed by this model");
  }
  return notes;
}

}  // namespace credence::io
