// States of a watch: any bytes, and any content between a right header and checksum, for a model of two columns.
#include <zlib.h>

#include <memory>
#include <string>

#include "credence/conformal/watch.hpp"
#include "credence/core/random.hpp"
#include "fuzz.hpp"

namespace credence::fuzz {
namespace {

constexpr std::size_t columns = 2;
/// "credence watch\n", the version and the checksum of the model.
constexpr std::size_t head = 15 + 2 * sizeof(std::uint32_t);

data::DenseMatrix normal_rows(std::size_t rows) {
  core::RandomStream random(1, 1);
  data::DenseMatrix drawn(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (double& value : drawn.row(i)) value = random.normal();
  return drawn;
}

/// Keeps 40 rows, and says class 1 where the first number is above 0.
struct Above final : model::Predictor {
  Above() {
    schema.classes = {"no", "yes"};
    for (const char* name : {"a", "b"}) {
      schema.columns.push_back({name, data::ColumnKind::numeric, {}});
      preprocessing.raw.emplace_back().output = preprocessing.names.size();
      preprocessing.names.emplace_back(name);
    }
    preprocessing.scaling = data::Scaling::none;
    preprocessing.shift.assign(columns, 0.0);
    preprocessing.scale.assign(columns, 1.0);
    known_rows = data::Features(normal_rows(40));
  }
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context&) const override {
    model::Prediction prediction;
    for (std::size_t i = 0; i < rows.rows(); ++i) prediction.label.push_back(rows.dense().row(i)[0] > 0 ? 1 : 0);
    return prediction;
  }
};

std::string sealed(std::string content) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(content.data()), content.size()));
  return content.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// What every watch keeps, and that a state that was read goes on, and is written and read as it is.
void check_watch(conformal::Watch watch, const model::Predictor& model, const core::Context& context) {
  require(watch.options().alarm > 0 && watch.options().alarm < 1, "the alarm is a probability");
  require(watch.errors().size() == model.schema.classes.size() + 1, "errors are counted of all rows and each class");
  data::Dataset rows;
  rows.schema = model.schema;
  rows.features = data::Features(normal_rows(5));
  refusal([&] { watch.update(rows, {}, {}, context); });
  const std::string state = watch.state();
  require(conformal::Watch(model, state, context).state() == state, "a state that was written and read is the same");
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  static const fuzz::Above model;
  static const core::Threads threads(1);
  core::Monitor monitor({}, 2.0);
  const core::Context context{.threads = threads, .monitor = monitor, .memory_budget = std::size_t{1} << 24U};
  static const std::string begun = conformal::Watch(model, {}, true, context).state().substr(0, fuzz::head);
  fuzz::Input input(data, size, 1);
  const bool whole = input.choose(8) == 7;
  const std::string bytes = whole ? std::string(input.bytes()) : fuzz::sealed(begun + std::string(input.bytes()));
  fuzz::refusal([&] { fuzz::check_watch(conformal::Watch(model, bytes, context), model, context); });
  return 0;
}
