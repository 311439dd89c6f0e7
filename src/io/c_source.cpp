#include "credence/io/c_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/svm/family.hpp"
#include "io/c_source_text.hpp"

namespace credence::io {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::invalid_argument, sentence);
}

/// A classifier of a part, and the numbers of the calibration that it is compared with.
struct Classifier {
  std::vector<svm::BinaryMachine> machines;
  std::vector<double> strange{};
};

/// Classifiers over the same kernel values and the same preprocessing.
struct Part {
  const data::Preprocessing* preprocessing;
  data::DenseMatrix vectors;
  double gamma;
  std::vector<Classifier> classifiers;
};

/// The classifier that predicts; a linear kernel with fewer machines than support vectors has weights for vectors, as
/// in SvmModel::predict_preprocessed.
Part part_of(const svm::SvmModel& model) {
  Part part{&model.preprocessing, model.support_vectors.to_dense(), model.kernel.gamma, {{model.machines}}};
  if (model.kernel.type != kernel::KernelType::linear || model.machines.size() >= model.support_count()) return part;
  part.vectors = model.linear_weights();
  for (std::uint32_t m = 0; m < model.machines.size(); ++m) {
    part.classifiers.front().machines[m].support = {m};
    part.classifiers.front().machines[m].coefficients = {1};
  }
  return part;
}

Part part_of(const svm::SvmFamily& family, const data::Preprocessing& preprocessing) {
  Part part{&preprocessing, family.support_vectors.to_dense(), family.gammas.front(), {}};
  const std::vector<svm::BinaryMachine> layout = svm::machine_layout(family.class_count);
  for (std::size_t c = 0; c < family.cost_count; ++c) {
    Classifier one{layout};
    for (std::size_t m = 0; m < layout.size(); ++m) {
      const svm::MachineCosts& machine = family.machines[m];
      one.machines[m].support = machine.support;
      for (std::size_t k = 0; k < machine.support.size(); ++k)
        one.machines[m].coefficients.push_back(machine.coefficients.row(k)[c]);
      one.machines[m].bias = family.bias.row(0)[c * layout.size() + m];
    }
    part.classifiers.push_back(std::move(one));
  }
  return part;
}

void check_convertible(const svm::SvmModel& model) {
  if (model.kernel.type == kernel::KernelType::precomputed)
    refuse("a model with a precomputed kernel has no features, so that no C file predicts from them");
  if (model.hint || !model.schema.hint_name.empty())
    refuse("a C file holds one SVM, and the decision values of this model are sums of its own and a hint's");
  if (model.preprocessing.sparse || model.support_vectors.is_sparse())
    refuse("a C file predicts dense rows, and this model was trained on sparse ones");
  const bool rest = model.machines.front().negative == svm::the_rest;
  for (const model::Members::Part& part : model.siblings.parts) {
    const auto* const family = dynamic_cast<const svm::SvmFamily*>(part.family.get());
    if (family == nullptr || family->relevance_vectors || family->geometric || family->gammas.size() != 1 ||
        rest || family->support_vectors.is_sparse())
      refuse("the model compares rows by machines that are no plain SVMs, which a C file does not hold");
  }
}

std::vector<Part> parts_of(const svm::SvmModel& model) {
  std::vector<Part> parts{part_of(model)};
  for (const model::Members::Part& part : model.siblings.parts) {
    parts.push_back(part_of(dynamic_cast<const svm::SvmFamily&>(*part.family),
                            part.preprocessing ? *part.preprocessing : model.preprocessing));
  }
  std::vector<Classifier*> judges;
  for (std::size_t p = model.siblings.empty() ? 0 : 1; p < parts.size(); ++p)
    for (Classifier& one : parts[p].classifiers) judges.push_back(&one);
  const model::Calibration& kept = model.calibration;
  for (std::size_t i = 0; i < kept.strangeness.size(); ++i) {
    const std::size_t judge = kept.sibling_of.empty() ? 0 : static_cast<std::size_t>(kept.sibling_of[i]);
    judges.at(judge)->strange.push_back(kept.strangeness[i]);
  }
  for (Classifier* one : judges) std::ranges::sort(one->strange);
  return parts;
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
    std::vector<std::string> words;
    for (const T& value : values) words.push_back(word(value));
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
  const std::string name = fmt::format("credence_preparation_{}", number);
  writer.array<double>("double", name + "_fill", fill);
  writer.array<int>("int", name + "_first_level", first_level);
  writer.array<int>("int", name + "_level_output", level_output);
  writer.array<int>("int", name + "_output", output);
  writer.array<double>("double", name + "_shift", preprocessing.shift);
  writer.array<double>("double", name + "_scale", preprocessing.scale);
}

void write_classifier(Writer& writer, const std::string& name, const Classifier& one) {
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
  writer.array<double>("double", name + "_strange", one.strange);
}

/// Writes the arrays of a part. @return its entry in the list of parts
std::string write_part(Writer& writer, std::size_t number, std::size_t preparation, const Part& part) {
  const std::string name = fmt::format("credence_part_{}", number);
  writer.array<double>("double", name + "_vectors", part.vectors.values);
  std::vector<std::string> classifiers;
  for (std::size_t c = 0; c < part.classifiers.size(); ++c) {
    const std::string own = fmt::format("{}_classifier_{}", name, c);
    write_classifier(writer, own, part.classifiers[c]);
    classifiers.push_back(fmt::format("{{{}_machines, {}, {}_strange}}", own, part.classifiers[c].strange.size(), own));
  }
  writer.words_of("struct credence_classifier", name + "_classifiers", classifiers);
  return fmt::format("{{{}, {}, {}_vectors, {}, {}, {}_classifiers}}", preparation, part.vectors.rows, name,
                     Writer::word(part.gamma), classifiers.size(), name);
}

/// Preprocessings are written once, whichever parts share them.
void write_parts(Writer& writer, const std::vector<Part>& parts) {
  std::vector<const data::Preprocessing*> known;
  std::vector<std::string> preparations;
  std::vector<std::string> entries;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto place = static_cast<std::size_t>(std::ranges::find(known, parts[p].preprocessing) - known.begin());
    if (place == known.size()) {
      known.push_back(parts[p].preprocessing);
      write_preparation(writer, place, *parts[p].preprocessing);
      const std::string name = fmt::format("credence_preparation_{}", place);
      preparations.push_back(
          fmt::format("{{{0}_fill, {0}_first_level, {0}_level_output, {0}_output, {0}_shift, "
                      "{0}_scale}}",
                      name));
    }
    entries.push_back(write_part(writer, p, place, parts[p]));
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

std::string comment_of(const svm::SvmModel& model, std::string name) {
  std::ranges::replace(name, '*', '_');
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return fmt::format(
      "/* {}: an SVM, {} kernel, trained on {} rows, written by Credence {}.\n"
      "   C99 without other libraries: include this file, give credence_predict() a row, compile with -std=c99 -lm. */",
      name, kernel::name(model.kernel.type), model.record.rows, model.record.version);
}

}  // namespace

std::string c_source(const svm::SvmModel& model, const std::string& name) {
  check_convertible(model);
  const std::vector<Part> parts = parts_of(model);
  std::size_t vectors = 1;
  for (const Part& part : parts) vectors = std::max(vectors, part.vectors.rows);
  Writer writer;
  writer.line("{}", comment_of(model, name));
  writer.line("#ifndef CREDENCE_MODEL_H\n#define CREDENCE_MODEL_H\n");
  writer.line("#define CREDENCE_COLUMNS {}  /* numbers of a row */", model.schema.columns.size());
  writer.line("#define CREDENCE_CLASSES {}", model.schema.classes.size());
  writer.line("#define CREDENCE_MACHINES {}", model.machines.size());
  writer.line("#define CREDENCE_HAS_P_VALUES {}", model.calibration.empty() ? 0 : 1);
  writer.line("#define CREDENCE_IMPUTES {}  /* whether a missing cell is filled */",
              model.missing == data::Missing::impute ? 1 : 0);
  writer.line("#define CREDENCE_NUMBERS {}  /* that the kernel sees */", model.preprocessing.columns());
  writer.line("#define CREDENCE_VECTORS {}\n#define CREDENCE_PARTS {}", vectors, parts.size());
  writer.line("#define CREDENCE_KERNEL {}  /* of the list below, from 0 */", static_cast<int>(model.kernel.type));
  writer.line("#define CREDENCE_COEF0 {}", Writer::word(model.kernel.coef0));
  writer.line("#define CREDENCE_DEGREE {}", model.kernel.degree);
  writer.text += c_interface;
  writer.text += '\n';
  write_parts(writer, parts);
  write_names(writer, model.schema);
  writer.text += c_functions;
  return writer.text;
}

}  // namespace credence::io
