#include <algorithm>
#include <cmath>
#include <string>

#include "credence/conformal/watch.hpp"
#include "credence/core/random.hpp"
#include "selfcheck/p_values.hpp"

/// Values of streams that are watched.
namespace credence::selfcheck {
namespace {

constexpr std::uint64_t watched_purpose = 1803;
constexpr std::size_t columns = 2;

/// A model that keeps rows, and predicts nothing.
struct KeptRows final : model::Predictor {
  explicit KeptRows(data::DenseMatrix rows) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string name = "x" + std::to_string(c + 1);
      schema.columns.push_back({name, data::ColumnKind::numeric, {}});
      preprocessing.raw.emplace_back().output = c;
      preprocessing.names.push_back(name);
    }
    preprocessing.scaling = data::Scaling::none;
    preprocessing.shift.assign(columns, 0.0);
    preprocessing.scale.assign(columns, 1.0);
    known_rows = data::Features(std::move(rows));
  }
  model::Prediction predict_preprocessed(const data::Features&, const core::Context&) const override { return {}; }
};

/// Normal numbers; or ones that are often equal; or ones with heavy tails.
double number_of(int kind, core::RandomStream& random) {
  const double normal = random.normal();
  if (kind == 0) return normal;
  return kind == 1 ? std::round(normal) : normal / (std::abs(random.normal()) + 0.01);
}

data::DenseMatrix rows_of(std::size_t n, int kind, core::RandomStream& random) {
  data::DenseMatrix rows(n, columns);
  for (std::size_t i = 0; i < n; ++i)
    for (double& value : rows.row(i)) value = number_of(kind, random);
  return rows;
}

}  // namespace

std::vector<Setting> of_watched_streams(std::size_t n) {
  std::vector<Setting> settings;
  int kind = 0;
  for (const char* name : {"normal", "ties", "heavy tails"}) {
    settings.push_back({name, n, [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
                          core::RandomStream random(seed, watched_purpose);
                          const KeptRows model(rows_of(100, kind, random));
                          conformal::Watch watch(model, {.alarm = 0.5, .seed = seed}, false, context);
                          data::Dataset stream;
                          stream.schema = model.schema;
                          stream.features = data::Features(rows_of(n, kind, random));
                          watch.update(stream, {}, {}, context);
                          values.push_back(std::exp(-watch.familiarity().log_largest()));
                        }});
    ++kind;
  }
  return settings;
}

}  // namespace credence::selfcheck
