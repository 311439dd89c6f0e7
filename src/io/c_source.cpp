#include "credence/io/c_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"
#include "io/c_source_text.hpp"

namespace credence::io {
namespace {

constexpr const char* no_features =
    "a model with a precomputed kernel has no features, so that no C file predicts from them";

/// An SVM of a part.
struct Svm {
  std::size_t gamma;  ///< of the part's
  std::vector<svm::BinaryMachine> machines;
};

/// SVMs over the same vectors and the same preprocessing.
struct Part {
  const data::Preprocessing* preprocessing;
  kernel::Kernel kernel;
  data::DenseMatrix vectors;
  std::vector<double> gammas;
  std::vector<int> doublings;  ///< of each gamma, as svm::doublings_of
  std::vector<Svm> svms;       ///< by gamma
};

/// SVMs, numbered through all parts, that give one answer, and the numbers of the calibration it is compared with.
struct Judge {
  std::vector<std::uint32_t> svms;
  bool is_mean = false;  ///< of clipped scores
  std::vector<double> strange{};
};

/// What a C file holds. The first judge predicts.
struct Contents {
  std::vector<Part> parts;
  std::vector<Judge> judges;

  std::uint32_t svms() const {
    std::size_t count = 0;
    for (const Part& part : parts) count += part.svms.size();
    return static_cast<std::uint32_t>(count);
  }
};

/// The SVM that predicts; a linear kernel with fewer machines than support vectors has weights for vectors, as in
/// SvmModel::predict_preprocessed.
Part part_of(const svm::SvmModel& model) {
  Part part{&model.preprocessing, model.kernel, model.support_vectors.to_dense(), {model.kernel.gamma}, {0}, {}};
  Svm& one = part.svms.emplace_back(0, model.machines);
  if (model.kernel.type != kernel::KernelType::linear || model.machines.size() >= model.support_count()) return part;
  part.vectors = model.linear_weights();
  for (std::uint32_t m = 0; m < one.machines.size(); ++m) {
    one.machines[m].support = {m};
    one.machines[m].coefficients = {1};
  }
  return part;
}

/// The support vectors that a machine has at one of its costs, with their coefficients.
void add_support(const svm::MachineCosts& machine, std::size_t cost, svm::BinaryMachine& one) {
  for (std::size_t k = 0; k < machine.support.size(); ++k) {
    const double coefficient = machine.coefficients.row(k)[cost];
    if (coefficient == 0) continue;
    one.support.push_back(machine.support[k]);
    one.coefficients.push_back(coefficient);
  }
}

Part part_of(const svm::SvmFamily& family, const data::Preprocessing& preprocessing) {
  Part part{
      &preprocessing, family.kernel, family.support_vectors.to_dense(), family.gammas, svm::doublings_of(family), {}};
  const std::vector<svm::BinaryMachine> layout = svm::machine_layout(family.class_count);
  for (std::size_t model = 0; model < family.models(); ++model) {
    const std::size_t gamma = model / family.cost_count;
    const std::size_t cost = model % family.cost_count;
    Svm& one = part.svms.emplace_back(gamma, layout);
    for (std::size_t m = 0; m < layout.size(); ++m) {
      add_support(family.machines[gamma * layout.size() + m], cost, one.machines[m]);
      one.machines[m].bias = family.bias.row(gamma)[cost * layout.size() + m];
    }
  }
  return part;
}

/// Appends the parts of some members, and a judge for each member.
void add_members(const model::Members& members, const data::Preprocessing& of_model, Contents& contents) {
  const std::uint32_t first = contents.svms();
  for (const model::Members::Part& part : members.parts) {
    const auto* const family = dynamic_cast<const svm::SvmFamily*>(part.family.get());
    if (family != nullptr && family->is_precomputed()) refuse(no_features);
    if (family == nullptr || family->relevance_vectors || family->geometric || family->support_vectors.is_sparse())
      refuse("the model has members that are no plain SVMs, which a C file does not hold");
    contents.parts.push_back(part_of(*family, part.preprocessing ? *part.preprocessing : of_model));
  }
  for (std::uint32_t svm = first; members.averages.empty() && svm < contents.svms(); ++svm)
    contents.judges.push_back({{svm}});
  for (const std::vector<std::uint32_t>& average : members.averages) {
    Judge& judge = contents.judges.emplace_back(average, true);
    for (std::uint32_t& svm : judge.svms) svm += first;
  }
}

/// Gives each judge the rows of the calibration that it judged.
void add_nonconformity(const model::Calibration& kept, std::size_t first_fold_model, std::vector<Judge>& judges) {
  for (std::size_t i = 0; i < kept.nonconformity_scores.size(); ++i) {
    const std::size_t judge =
        kept.fold_model_of.empty() ? 0 : first_fold_model + static_cast<std::size_t>(kept.fold_model_of[i]);
    judges.at(judge).strange.push_back(kept.nonconformity_scores[i]);
  }
  for (Judge& judge : judges) std::ranges::sort(judge.strange);
}

/// Sums run part by part, and within a part in the order of the average.
void order_by_part(Contents& contents) {
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < contents.parts.size(); ++p)
    part_of.insert(part_of.end(), contents.parts[p].svms.size(), p);
  for (Judge& judge : contents.judges)
    std::ranges::stable_sort(judge.svms, {}, [&](std::uint32_t svm) { return part_of[svm]; });
}

/// Leaves out the SVMs of a grid that take no part, and the gammas and parts that nothing needs.
void drop_unused(Contents& contents) {
  std::vector<std::uint32_t> number(contents.svms(), 0);
  for (const Judge& judge : contents.judges)
    for (const std::uint32_t svm : judge.svms) number[svm] = 1;
  std::size_t at = 0;
  std::uint32_t next = 0;
  for (Part& part : contents.parts) {
    std::vector<Svm> used;
    std::vector<std::size_t> gamma_at(part.gammas.size(), 0);  // 1, then its new place
    for (Svm& one : part.svms) {
      std::uint32_t& own = number[at++];
      if (own == 0) continue;
      own = next++;
      gamma_at[one.gamma] = 1;
      used.push_back(std::move(one));
    }
    for (std::size_t g = part.gammas.size(); g-- > 1;)
      if (gamma_at[g] == 1 && part.doublings[g] > 0) gamma_at[g - 1] = 1;
    std::size_t place = 0;
    for (std::size_t g = 0; g < part.gammas.size(); ++g) {
      if (gamma_at[g] == 0) continue;
      part.gammas[place] = part.gammas[g];
      part.doublings[place] = part.doublings[g];
      gamma_at[g] = place++;
    }
    part.gammas.resize(place);
    for (Svm& one : used) one.gamma = gamma_at[one.gamma];
    part.svms = std::move(used);
  }
  std::erase_if(contents.parts, [](const Part& part) { return part.svms.empty(); });
  for (Judge& judge : contents.judges)
    for (std::uint32_t& svm : judge.svms) svm = number[svm];
}

/// The rule of an average; null for other predictors.
const selection::AverageRule* average_of(const model::Predictor& model) {
  const selection::Ensemble* const ensemble = selection::as_ensemble(model);
  return ensemble == nullptr ? nullptr : std::get_if<selection::AverageRule>(&ensemble->rule);
}

Contents contents_of(const model::Predictor& model) {
  const auto* const one = dynamic_cast<const svm::SvmModel*>(&model);
  const selection::AverageRule* const average = average_of(model);
  if (one == nullptr && average == nullptr)
    refuse("a C file holds one SVM or an average of SVMs, and this model is neither");
  if (model.preprocessing.sparse || (one != nullptr && one->support_vectors.is_sparse()))
    refuse("a C file predicts dense rows, and this model was trained on sparse ones");
  Contents contents;
  if (one != nullptr) {
    if (one->kernel.type == kernel::KernelType::precomputed) refuse(no_features);
    if (one->hint || !model.schema.hint_name.empty())
      refuse("a C file holds one SVM, and the decision values of this model are sums of its own and a hint's");
    if (one->machines.front().negative == svm::the_rest && !model.fold_models.empty())
      refuse("the model has members that are no plain SVMs, which a C file does not hold");
    contents = {{part_of(*one)}, {{{0}}}};
  } else {
    add_members(selection::as_ensemble(model)->members, model.preprocessing, contents);
    contents.judges = {{average->members, true}};
  }
  add_members(model.fold_models, model.preprocessing, contents);
  add_nonconformity(model.calibration, 1, contents.judges);
  order_by_part(contents);
  drop_unused(contents);
  return contents;
}

/// The text of a C file, piece by piece.
class Writer {
 public:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
    text += '\n';
  }

  /// An array; one without elements has a single one, which nobody reads.
  template <class T>
  void array(std::string_view type, const std::string& name, std::span<const T> values) {
    std::vector<std::string> words = core::mapped(values, [&](const T& value) { return word(value); });
    if (words.empty()) words.push_back(word(T{}));
    words_of(type, name, words);
  }

  void words_of(std::string_view type, const std::string& name, const std::vector<std::string>& words) {
    text += fmt::format("static const {} {}[{}] = {{", type, name, words.size());
    std::size_t width = 200;
    for (const std::string& one : words) {
      if (width + one.size() > 110) {
        text += "\n ";
        width = 1;
      }
      text += ' ' + one + ',';
      width += one.size() + 2;
    }
    text += "\n};\n";
  }

  static std::string word(double value) {
    if (std::isinf(value)) return value > 0 ? "HUGE_VAL" : "-HUGE_VAL";
    return fmt::format("{:a}", value);
  }
  static std::string word(int value) { return std::to_string(value); }
  static std::string word(std::uint32_t value) { return std::to_string(value); }
  /// A literal of bytes that every compiler reads alike.
  static std::string word(const std::string& value) {
    std::string literal = "\"";
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\' || c == '?')
        literal += fmt::format("\\{:03o}", byte);
      else
        literal += c;
    }
    return literal + '"';
  }

  std::string text;
};

void write_preparation(Writer& writer, std::size_t number, const data::Preprocessing& preprocessing) {
  std::vector<double> fill;
  std::vector<int> first_level{0};
  std::vector<int> level_output;
  std::vector<int> output;
  for (const data::Preprocessing::RawColumn& column : preprocessing.raw) {
    fill.push_back(column.fill);
    level_output.insert(level_output.end(), column.level_output.begin(), column.level_output.end());
    first_level.push_back(static_cast<int>(level_output.size()));
    output.push_back(column.kind == data::ColumnKind::numeric ? static_cast<int>(column.output) : -1);
  }
  std::vector<int> first_known{0};
  std::vector<double> known;
  std::vector<double> scores;
  for (std::size_t k = 0; k < preprocessing.columns(); ++k) {
    if (!preprocessing.quantiles.empty()) {
      const data::NormalScores& own = preprocessing.quantiles[k];
      known.insert(known.end(), own.values.begin(), own.values.end());
      scores.insert(scores.end(), own.scores.begin(), own.scores.end());
    }
    first_known.push_back(static_cast<int>(known.size()));
  }
  if (known.empty()) known = scores = {0, 0};  // nobody reads them, but compilers warn of a line through one point
  const std::string name = fmt::format("credence_preparation_{}", number);
  writer.array<int>("int", name + "_first_known", first_known);
  writer.array<double>("double", name + "_known", known);
  writer.array<double>("double", name + "_score", scores);
  writer.array<double>("double", name + "_fill", fill);
  writer.array<int>("int", name + "_first_level", first_level);
  writer.array<int>("int", name + "_level_output", level_output);
  writer.array<int>("int", name + "_output", output);
  writer.array<double>("double", name + "_shift", preprocessing.shift);
  writer.array<double>("double", name + "_scale", preprocessing.scale);
}

/// Writes the machines of an SVM. @return its entry in the list of the part's SVMs
std::string write_svm(Writer& writer, const std::string& name, const Svm& one) {
  std::vector<std::string> machines;
  for (std::size_t m = 0; m < one.machines.size(); ++m) {
    const svm::BinaryMachine& machine = one.machines[m];
    const std::string own = fmt::format("{}_machine_{}", name, m);
    writer.array<std::uint32_t>("int", own + "_vector", machine.support);
    writer.array<double>("double", own + "_coefficient", machine.coefficients);
    machines.push_back(fmt::format("{{{}, {}, {}, {}_vector, {}_coefficient, {}}}", machine.positive, machine.negative,
                                   machine.support.size(), own, own, Writer::word(machine.bias)));
  }
  writer.words_of("struct credence_machine", name + "_machines", machines);
  return fmt::format("{{{}, {}_machines}}", one.gamma, name);
}

/// Writes the arrays of a part. @param numbers  of a vector; behind its own there are zeros
/// @return its entry in the list of parts
std::string write_part(Writer& writer, std::size_t number, std::size_t preparation, std::size_t numbers,
                       const Part& part) {
  const std::string name = fmt::format("credence_part_{}", number);
  data::DenseMatrix vectors(part.vectors.rows, numbers);
  for (std::size_t i = 0; i < vectors.rows; ++i) std::ranges::copy(part.vectors.row(i), vectors.row(i).begin());
  writer.array<double>("double", name + "_vectors", vectors.values);
  std::vector<std::string> gammas;
  for (std::size_t g = 0; g < part.gammas.size(); ++g)
    gammas.push_back(fmt::format("{{{}, {}}}", Writer::word(part.gammas[g]), part.doublings[g]));
  writer.words_of("struct credence_gamma", name + "_gammas", gammas);
  std::vector<std::string> svms;
  for (std::size_t k = 0; k < part.svms.size(); ++k)
    svms.push_back(write_svm(writer, fmt::format("{}_svm_{}", name, k), part.svms[k]));
  writer.words_of("struct credence_svm", name + "_svms", svms);
  return fmt::format("{{{}, {}, {}, {}_vectors, {}, {}_gammas, {}, {}_svms}}", preparation,
                     static_cast<int>(part.kernel.type), vectors.rows, name, gammas.size(), name, svms.size(), name);
}

void write_judges(Writer& writer, const std::vector<Judge>& judges) {
  std::vector<std::string> entries;
  for (std::size_t k = 0; k < judges.size(); ++k) {
    const std::string name = fmt::format("credence_judge_{}", k);
    writer.array<std::uint32_t>("int", name + "_svms", judges[k].svms);
    writer.array<double>("double", name + "_strange", judges[k].strange);
    entries.push_back(fmt::format("{{{}, {}, {}_svms, {}, {}_strange}}", judges[k].is_mean ? 1 : 0,
                                  judges[k].svms.size(), name, judges[k].strange.size(), name));
  }
  writer.words_of("struct credence_judge", "credence_judges", entries);
}

/// Preprocessings are written once, whichever parts share them.
void write_parts(Writer& writer, std::size_t numbers, const std::vector<Part>& parts) {
  std::vector<const data::Preprocessing*> known;
  std::vector<std::string> preparations;
  std::vector<std::string> entries;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto equals = [&](const data::Preprocessing* other) { return *other == *parts[p].preprocessing; };
    const auto place = static_cast<std::size_t>(std::ranges::find_if(known, equals) - known.begin());
    if (place == known.size()) {
      known.push_back(parts[p].preprocessing);
      write_preparation(writer, place, *parts[p].preprocessing);
      const std::string name = fmt::format("credence_preparation_{}", place);
      preparations.push_back(
          fmt::format("{{{0}_fill, {0}_first_level, {0}_level_output, {0}_output, {0}_shift, "
                      "{0}_scale, {0}_first_known, {0}_known, {0}_score}}",
                      name));
    }
    entries.push_back(write_part(writer, p, place, numbers, parts[p]));
  }
  writer.words_of("struct credence_preparation", "credence_preparations", preparations);
  writer.words_of("struct credence_part", "credence_parts", entries);
}

/// The functions that return names, and the number of a level.
void write_names(Writer& writer, const data::Schema& schema) {
  const auto function = [&](const char* what, const std::vector<std::string>& names) {
    writer.line("\nstatic inline const char *credence_{}_name(int number) {{", what);
    writer.array<std::string>("char *const", "names", names);
    writer.line("  return names[number];\n}}");
  };
  std::vector<std::string> columns;
  std::vector<std::string> levels;
  std::vector<int> first{0};
  for (const data::Column& column : schema.columns) {
    columns.push_back(column.name);
    levels.insert(levels.end(), column.levels.begin(), column.levels.end());
    first.push_back(static_cast<int>(levels.size()));
  }
  function("column", columns);
  function("class", schema.classes);
  writer.line("\n/* The number of a level of a column; -1 for one that the training did not have. */");
  writer.line("static inline int credence_level(int column, const char *level) {{");
  writer.array<std::string>("char *const", "levels", levels);
  writer.array<int>("int", "first", first);
  writer.line("  int k;\n  for (k = first[column]; k < first[column + 1]; ++k)");
  writer.line("    if (strcmp(levels[k], level) == 0) return k - first[column];\n  return -1;\n}}");
}

std::string comment_of(const model::Predictor& model, const Contents& contents, std::string name) {
  std::ranges::replace(name, '*', '_');
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  const std::string what =
      average_of(model) == nullptr
          ? fmt::format("an SVM, {} kernel", kernel::name(contents.parts.front().kernel.type))
          : fmt::format("the average of {}", core::count_of(contents.judges.front().svms.size(), "SVM"));
  return fmt::format(
      "/* {}: {}, trained on {} rows, written by Credence {}.\n"
      "   C99 without other libraries: include this file, give credence_predict() a row, compile with -std=c99 -lm. */",
      name, what, model.record.rows, model.record.version);
}

}  // namespace

std::string c_source(const model::Predictor& model, const std::string& name) {
  const Contents contents = contents_of(model);
  std::size_t vectors = 1;
  std::size_t numbers = 1;
  for (const Part& part : contents.parts) {
    vectors = std::max(vectors, part.vectors.rows);
    numbers = std::max(numbers, part.preprocessing->columns());
  }
  const kernel::Kernel& kernel = contents.parts.front().kernel;
  Writer writer;
  writer.line("{}", comment_of(model, contents, name));
  writer.line("#ifndef CREDENCE_MODEL_H\n#define CREDENCE_MODEL_H\n");
  writer.line("#define CREDENCE_COLUMNS {}  /* numbers of a row */", model.schema.columns.size());
  writer.line("#define CREDENCE_CLASSES {}", model.schema.classes.size());
  writer.line("#define CREDENCE_MACHINES {}  /* of each SVM */", contents.parts.front().svms.front().machines.size());
  writer.line("#define CREDENCE_HAS_DECISIONS {}", contents.judges.front().is_mean ? 0 : 1);
  writer.line("#define CREDENCE_HAS_P_VALUES {}", model.calibration.empty() ? 0 : 1);
  writer.line("#define CREDENCE_IMPUTES {}  /* whether a missing cell is filled */",
              model.missing == data::Missing::impute ? 1 : 0);
  writer.line("#define CREDENCE_NUMBERS {}  /* that the kernel sees */", numbers);
  writer.line("#define CREDENCE_VECTORS {}\n#define CREDENCE_PARTS {}", vectors, contents.parts.size());
  writer.line("#define CREDENCE_SVMS {}\n#define CREDENCE_JUDGES {}", contents.svms(), contents.judges.size());
  writer.line("#define CREDENCE_MOST {}  /* of a score in an average */",
              Writer::word(model::clipped(std::numeric_limits<double>::infinity())));
  writer.line("#define CREDENCE_COEF0 {}", Writer::word(kernel.coef0));
  writer.line("#define CREDENCE_DEGREE {}", kernel.degree);
  writer.text += c_interface;
  writer.text += '\n';
  write_parts(writer, numbers, contents.parts);
  write_judges(writer, contents.judges);
  write_names(writer, model.schema);
  writer.text += c_functions;
  return writer.text;
}

}  // namespace credence::io
