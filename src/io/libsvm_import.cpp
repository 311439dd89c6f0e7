#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "io/model_document.hpp"

namespace credence::io {
namespace {

using kernel::KernelType;

/// A line of the file would otherwise decide how many columns are allocated.
constexpr std::uint64_t largest_index = 5'000'000;
/// Columns cost memory even if they are empty: above the first number a file has so many for each of its entries.
constexpr std::size_t columns_of_any_file = std::size_t{1} << 20U;
constexpr std::size_t columns_for_an_entry = 16;
/// Support vectors with a smaller share of entries are kept sparse.
constexpr double sparse_share = 0.3;

/// For messages; a line of a damaged file can be long.
std::string word_in_quotes(std::string_view word) {
  return fmt::format("'{}'", word.substr(0, 40));
}

class Parser {
 public:
  Parser(std::string path, std::string content)
      : path_(std::move(path)), content_(std::move(content)), rest_(content_) {}

  svm::SvmModel parse() {
    read_header();
    check_header();
    read_vectors();
    return build();
  }

 private:
  struct Entry {
    std::uint32_t index;
    double value;
  };

  [[noreturn]] void refuse(const std::string& sentence) const {
    throw Error(ErrorCode::format, sentence, {path_, line_, {}});
  }

  bool next_line(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
    return true;
  }

  static std::string_view next_word(std::string_view& line) {
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(start);
    const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
    line.remove_prefix(word.size());
    return word;
  }

  template <class T>
  T number(std::string_view word) const {
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    bool good = error == std::errc() && end == digits.data() + digits.size();
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
    if (!good) refuse(fmt::format("{} is not a number that can stand here", word_in_quotes(word)));
    return value;
  }

  template <class T>
  std::vector<T> numbers(std::string_view line) const {
    std::vector<T> values;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
      values.push_back(number<T>(word));
    return values;
  }

  void read_header() {
    std::string_view line;
    while (next_line(line)) {
      const std::string_view key = next_word(line);
      if (line_ == 1 && key != "svm_type") refuse("this is not a LIBSVM model");
      if (key == "SV") return;
      if (key == "svm_type") {
        const std::string_view type = next_word(line);
        if (type != "c_svc" && type != "nu_svc")
          refuse(fmt::format("the model's type is {}; only c_svc and nu_svc can be read", word_in_quotes(type)));
      } else if (key == "kernel_type") {
        read_kernel(next_word(line));
      } else if (key == "degree") {
        kernel_.degree = number<int>(next_word(line));
      } else if (key == "gamma") {
        kernel_.gamma = number<double>(next_word(line));
      } else if (key == "coef0") {
        kernel_.coef0 = number<double>(next_word(line));
      } else if (key == "nr_class") {
        classes_ = number<std::uint32_t>(next_word(line));
      } else if (key == "total_sv") {
        total_ = number<std::uint32_t>(next_word(line));
      } else if (key == "rho") {
        rho_ = numbers<double>(line);
      } else if (key == "label") {
        labels_ = numbers<int>(line);
      } else if (key == "nr_sv") {
        counts_ = numbers<std::uint32_t>(line);
      } else if (key != "probA" && key != "probB" && key != "prob_density_marks") {
        refuse(fmt::format("{} is not a field of a LIBSVM model", word_in_quotes(key)));
      }
    }
    refuse(line_ == 0 ? "this is not a LIBSVM model" : "the model is truncated: there are no support vectors");
  }

  void read_kernel(std::string_view word) {
    constexpr std::pair<std::string_view, KernelType> known[] = {{"linear", KernelType::linear},
                                                                 {"polynomial", KernelType::polynomial},
                                                                 {"rbf", KernelType::rbf},
                                                                 {"sigmoid", KernelType::sigmoid},
                                                                 {"precomputed", KernelType::precomputed}};
    for (const auto& [text, type] : known) {
      if (text != word) continue;
      kernel_.type = type;
      has_kernel_ = true;
      return;
    }
    refuse(fmt::format("the kernel {} is not known", word_in_quotes(word)));
  }

  void check_header() const {
    const std::size_t classes = labels_.size();
    if (!has_kernel_) refuse("the model has no kernel_type");
    if (classes < 2) refuse("the model has fewer than two classes");
    if (classes_ != classes) refuse("nr_class does not fit the number of labels");
    if (rho_.size() != classes * (classes - 1) / 2) refuse("the number of values of rho does not fit nr_class");
    if (counts_.size() != classes) refuse("the number of values of nr_sv does not fit nr_class");
    std::uint64_t sum = 0;
    for (const std::uint32_t count : counts_) sum += count;
    if (sum != total_) refuse("nr_sv does not add up to total_sv");
    const std::vector<std::string> problems = kernel_.validate();
    if (!problems.empty()) refuse(problems.front());
  }

  void read_vectors() {
    std::string_view line;
    std::size_t count = 0;
    while (next_line(line)) {
      std::string_view look = line;
      if (next_word(look).empty()) continue;
      if (++count > total_) refuse("there are more support vectors than total_sv says");
      for (std::size_t k = 0; k + 1 < labels_.size(); ++k) {
        const std::string_view word = next_word(line);
        if (word.empty() || word.find(':') != std::string_view::npos) refuse("a coefficient is missing");
        coefficients_.push_back(number<double>(word));
      }
      read_entries(line);
      offsets_.push_back(entries_.size());
    }
    // LIBSVM ends every line; a last line that was cut short could otherwise pass for a whole one.
    if (!content_.ends_with('\n')) refuse("the model is truncated: its last line has no end");
    if (count < total_) refuse("the model is truncated: there are fewer support vectors than total_sv says");
    const std::size_t allowed = std::max(columns_of_any_file, columns_for_an_entry * entries_.size());
    if (columns_ > allowed) {
      refuse(fmt::format("index {} is too large for a model of {}; the largest allowed in it is {}", columns_,
                         core::count_of(entries_.size(), "value"), allowed));
    }
  }

  void read_entries(std::string_view line) {
    const bool precomputed = kernel_.type == KernelType::precomputed;
    std::size_t in_line = 0;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line), ++in_line) {
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) refuse(fmt::format("{} is not index:value", word_in_quotes(word)));
      const auto index = number<std::uint64_t>(word.substr(0, colon));
      if (precomputed) {
        const auto serial = number<std::uint64_t>(word.substr(colon + 1));
        if (index != 0 || serial == 0 || in_line > 0) refuse("a precomputed kernel's line must be 0:number");
        add_entry(serial, 1);
        continue;
      }
      if (index == 0) refuse("indices of features start with 1");
      if (in_line > 0 && index <= std::uint64_t{entries_.back().index} + 1) refuse("indices must ascend within a line");
      add_entry(index, number<double>(word.substr(colon + 1)));
    }
    if (precomputed && in_line == 0) refuse("the number of the training row, 0:number, is missing");
  }

  void add_entry(std::uint64_t one_based, double value) {
    if (one_based > largest_index)
      refuse(fmt::format("index {} is larger than the largest that can be read, {}", one_based, largest_index));
    entries_.push_back({static_cast<std::uint32_t>(one_based - 1), value});
    columns_ = std::max<std::size_t>(columns_, one_based);
  }

  data::Features vectors() const {
    const double cells = static_cast<double>(total_) * static_cast<double>(columns_);
    if (static_cast<double>(entries_.size()) >= sparse_share * cells) {
      data::DenseMatrix dense(total_, columns_);
      for (std::size_t i = 0; i < total_; ++i)
        for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) dense.row(i)[entries_[k].index] = entries_[k].value;
      return dense;
    }
    data::SparseMatrix sparse;
    sparse.rows = total_;
    sparse.columns = columns_;
    sparse.offsets = offsets_;
    for (const Entry& entry : entries_) {
      sparse.indices.push_back(entry.index);
      sparse.values.push_back(entry.value);
    }
    return sparse;
  }

  /// Rows are known by position only: x1..xd, and the label, if there is one, behind them.
  void describe_columns(svm::SvmModel& model) const {
    const std::size_t columns = std::max<std::size_t>(columns_, 1);
    model.schema.has_header = false;
    model.schema.index_base = 1;
    model.schema.label_position = columns;
    model.schema.file_columns = columns + 1;
    auto& preprocessing = model.preprocessing;
    preprocessing.scaling = data::Scaling::none;
    preprocessing.sparse = model.support_vectors.is_sparse();
    for (std::size_t j = 0; j < columns; ++j) {
      const std::string name = fmt::format("x{}", j + 1);
      model.schema.columns.push_back({name, data::ColumnKind::numeric, {}});
      data::Preprocessing::RawColumn raw;
      raw.output = j;
      preprocessing.raw.push_back(raw);
      preprocessing.names.push_back(name);
    }
    preprocessing.shift.assign(columns, 0.0);
    preprocessing.scale.assign(columns, 1.0);
  }

  /// Adds the support vectors of a class. @param place  of the machine among those of the class
  void add_support(std::uint32_t begin, std::uint32_t end, std::size_t place, svm::BinaryMachine& machine) const {
    for (std::uint32_t row = begin; row < end; ++row) {
      const double value = coefficients_[row * (labels_.size() - 1) + place];
      if (value == 0) continue;
      machine.support.push_back(row);
      machine.coefficients.push_back(value);
    }
  }

  void describe_machines(svm::SvmModel& model) const {
    const std::size_t classes = labels_.size();
    std::vector<std::uint32_t> start{0};
    for (const std::uint32_t count : counts_) start.push_back(start.back() + count);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
        svm::BinaryMachine machine;
        // Two classes stand in the model in the other order: see build().
        machine.positive = classes == 2 ? 1 : static_cast<int>(i);
        machine.negative = classes == 2 ? 0 : static_cast<int>(j);
        machine.bias = -rho_[pair];
        add_support(start[i], start[i + 1], j - 1, machine);
        add_support(start[j], start[j + 1], i, machine);
        model.machines.push_back(std::move(machine));
      }
    }
  }

  svm::SvmModel build() {
    svm::SvmModel model;
    model.missing = data::Missing::error;
    model.kernel = kernel_;
    if (columns_ == 0) columns_ = 1;
    for (const int label : labels_) model.schema.classes.push_back(std::to_string(label));
    // A decision > 0 speaks for LIBSVM's first label and for our second class. With more classes the file's order
    // is kept: it decides between classes with equally many votes.
    if (labels_.size() == 2) std::swap(model.schema.classes[0], model.schema.classes[1]);
    const bool precomputed = kernel_.type == KernelType::precomputed;
    if (!precomputed) model.support_vectors = vectors();
    for (std::size_t i = 0; i < total_; ++i) model.support_rows.push_back(precomputed ? entries_[i].index : i);
    describe_columns(model);
    describe_machines(model);
    model.record.method = "LIBSVM";
    model.record.row_keys = data::smallest_keys(data::row_keys(model.support_vectors));  // the rows that are known
    model.record.C = 0;                                                                  // not in the file
    const std::string problem = inconsistency(model);
    line_ = 0;
    if (!problem.empty()) refuse("the model contradicts itself: " + problem);
    return model;
  }

  std::string path_;
  std::string content_;
  std::string_view rest_;
  std::size_t line_ = 0;

  kernel::Kernel kernel_;
  bool has_kernel_ = false;
  std::size_t classes_ = 0;
  std::size_t total_ = 0;
  std::vector<double> rho_;
  std::vector<int> labels_;
  std::vector<std::uint32_t> counts_;
  std::vector<double> coefficients_;  // total x (classes - 1)
  std::vector<std::size_t> offsets_{0};
  std::vector<Entry> entries_;
  std::size_t columns_ = 0;
};

constexpr std::string_view libsvm_start = "svm_type ";

}  // namespace

svm::SvmModel import_libsvm(const std::string& path) {
  return Parser(path, core::read_whole_file(path)).parse();
}

std::unique_ptr<model::Predictor> load_any_model(const std::string& path) {
  if (path == "-")
    refuse("a model has no place on standard input; give its file, which may be /dev/stdin", {path, 0, {}});
  std::string bytes = core::read_whole_file(path);
  if (bytes.starts_with(libsvm_start)) return std::make_unique<svm::SvmModel>(Parser(path, std::move(bytes)).parse());
  return model_of_bytes(bytes, path);
}

bool is_libsvm_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string read(libsvm_start.size(), '\0');
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  return static_cast<std::size_t>(file.gcount()) == libsvm_start.size() && read == libsvm_start;
}

}  // namespace credence::io
