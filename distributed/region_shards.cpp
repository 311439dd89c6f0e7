#include "distributed/region_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/bytes/sealed.hpp"
#include "credence/core/error.hpp"
#include "credence/core/fingerprint.hpp"
#include "credence/core/list.hpp"
#include "credence/data/fingerprint.hpp"
#include "credence/data/row_key.hpp"
#include "credence/data/splits.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/frame/frame.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

/// The members of what shards return, as bytes.
namespace credence::data {

void visit(auto& bytes, Preprocessing::RawColumn& column) {
  bytes(column.kind, column.fill, column.level_output, column.output);
}

void visit(auto& bytes, NormalScores& known) {
  bytes(known.values, known.scores);
}

void visit(auto& bytes, Preprocessing& preprocessing) {
  bytes(preprocessing.scaling, preprocessing.sparse, preprocessing.raw, preprocessing.shift, preprocessing.scale,
        preprocessing.quantiles, preprocessing.standard_shift, preprocessing.standard_scale);
}

}  // namespace credence::data

namespace credence::distributed {

void visit(auto& bytes, RegionRoutes& routes) {
  bytes(routes.fitted.preprocessing, routes.fitted.scaling, routes.fitted.partition.centres);
}

using namespace selection;

namespace {

/// What a shard knows of a region: preprocessed rows, and what the earlier partitions say.
struct RegionRows {
  RegionTask task;
  kernel::KernelType kernel = kernel::KernelType::rbf;  ///< of the partition
  data::Scaling scale = data::Scaling::standard;
  std::map<std::string, double> class_weights;
  std::uint64_t seed = 0;                              ///< of the partition
  std::uint32_t options = 0;                           ///< their fingerprint
  Estimate estimate = Estimate::bbc;                   ///< of the region's rows
  std::vector<std::uint8_t> set_aside;                 ///< 1 for rows that are; empty where nothing is trained on them
  std::map<std::string, double> class_weights_of_all;  ///< for the training on all rows
};

/// What a shard found in a region.
struct RegionPart {
  RegionResult judged;
  std::optional<RegionResult> retrained;  ///< on the rows that are set aside too
};

void visit(auto& bytes, RegionPart& part) {
  bytes(part.judged, part.retrained);
}

/// Factors of classes by their names.
void visit_factors(auto& bytes, std::map<std::string, double>& weights) {
  std::vector<std::string> names;
  std::vector<double> factors;
  for (const auto& [name, factor] : weights) {
    names.push_back(name);
    factors.push_back(factor);
  }
  bytes(names, factors);
  for (std::size_t c = 0; c < std::min(names.size(), factors.size()); ++c) weights[names[c]] = factors[c];
}

void visit(auto& bytes, RegionRows& region) {
  RegionTask& task = region.task;
  data::Dataset& rows = task.rows;
  bytes(rows.features, rows.schema.classes, rows.labels, rows.weights, rows.groups, rows.copies, rows.copies_count_once,
        rows.source, task.partition, task.region, task.fold_of, task.wanted, task.balance, region.kernel, region.scale,
        region.seed, region.options, region.estimate, region.set_aside);
  visit_factors(bytes, region.class_weights);
  visit_factors(bytes, region.class_weights_of_all);
}

constexpr char rows_kind = 'r';
constexpr char region_kind = 'c';
constexpr char routes_kind = 'p';

/// The number of a region among those of all partitions.
std::uint64_t number_of(std::size_t partition, std::size_t region) {
  return (std::uint64_t{partition} << 32U) + region;
}

std::uint32_t fingerprint_of(const Options& options) {
  core::Fingerprint sum;
  add_to(sum, options);
  return sum.value();
}

/// A number that differs where the data, the options or the contents of `sum` differ.
std::uint32_t fingerprint_of(const data::Dataset& dataset, const Options& options, core::Fingerprint sum = {}) {
  data::add_to(sum, dataset);
  add_to(sum, options);
  return sum.value();
}

/// Labels, weights, groups and what is said of them; features of no column.
data::Dataset without_features(const data::Dataset& dataset) {
  return dataset.with_features(data::DenseMatrix(dataset.rows(), 0));
}

/// The places of rows among those that are here.
std::vector<std::size_t> places_of(std::span<const std::size_t> rows, const std::vector<std::size_t>& here) {
  return core::mapped(rows, [&](std::size_t row) {
    const auto place = std::ranges::lower_bound(here, row);
    if (place == here.end() || *place != row) refuse(fmt::format("the features of row {} are elsewhere", row));
    return static_cast<std::size_t>(place - here.begin());
  });
}

void name_columns(data::Dataset& rows) {
  rows.schema.columns.clear();
  for (std::size_t j = 0; j < rows.features.columns(); ++j)
    rows.schema.columns.push_back({fmt::format("x{}", j + 1), data::ColumnKind::numeric, {}});
}

/// The machine that was chosen, trained on all rows of the region.
RegionResult on_all_rows(const RegionRows& region, const RegionResult& judged, const Options& options,
                         const core::Context& context) {
  RegionReport chosen;
  static_cast<selection::RegionChoice&>(chosen) = judged;
  chosen.classes = judged.machine.classes;
  chosen.kernel = region.kernel;
  chosen.scale = region.scale;
  Options own = options;
  own.costs.class_weights = {false, region.class_weights_of_all};
  return retrain_region(region.task.rows, chosen, own, context);
}

}  // namespace

RegionRoutes RegionRoutes::from_bytes(std::string_view bytes) {
  const core::ShardName name = core::name_of(bytes);
  return core::unsealed_value<RegionRoutes>({routes_kind, name.fingerprint, name.number}, bytes);
}

std::vector<std::uint32_t> RegionRoutes::regions_of(const data::Dataset& rows, const core::Context& context) const {
  return regions_of_rows(rows, fitted, context);
}

RegionShards::RegionShards(const data::Dataset& dataset, const Options& options, const core::Context& context)
    : used_(rows_in_use(dataset, Selector(options).options())),
      dataset_(used_.rows.get()),
      labels_(without_features(*dataset_)),
      options_(Selector(options).options()),
      filled_(used_.options) {
  fingerprint_ = fingerprint_of(dataset, options_);
  begin(context);
}

RegionShards::RegionShards(const data::Dataset& labels, RowsElsewhere elsewhere, const Options& options,
                           const core::Context& context)
    : used_(rows_in_use(labels, Selector(options).options())),
      labels_(without_features(labels)),
      elsewhere_(std::move(elsewhere)),
      options_(Selector(options).options()) {
  filled_ = rows_in_use(elsewhere_.rows, options_).options;
  filled_.copies = used_.options.copies;
  if (elsewhere_.numbers.size() != elsewhere_.rows.rows()) refuse("there are other rows here than the numbers say");
  elsewhere_.rows.schema = labels_.schema;
  for (const std::size_t row : elsewhere_.numbers) elsewhere_.rows.labels.push_back(labels_.labels.at(row));
  core::Fingerprint sum;
  data::add_to(sum, labels_);
  fingerprint_ = fingerprint_of(elsewhere_.rows, options_, sum);
  for (const std::size_t row : elsewhere_.numbers)
    if (!labels_.weights.empty()) elsewhere_.rows.weights.push_back(labels_.weights.at(row));
  begin(context);
}

void RegionShards::begin(const core::Context& context) {
  check_data(labels_, options_);
  Options choosing = filled_;
  choosing.estimate = options_.estimate.value_or(default_estimate(labels_, options_));
  if (choosing.estimate == Estimate::holdout) {
    training_numbers_ = data::rows_where(set_aside_rows(labels_, options_), false);
    training_ = labels_.select_rows(training_numbers_);
    choosing.estimate = Estimate::none;
  }
  weights_of_all_ = options_.costs.class_weights;
  fix_balance(labels_, weights_of_all_);
  course_.emplace(training_ ? *training_ : labels_, training_ ? source_of_training() : source_of_all(), choosing,
                  context);
  route_if_here(context);
}

RowSource RegionShards::source_of_all() const {
  RowSource source;
  if (dataset_ != nullptr) {
    source = RowSource::of(*dataset_);
    source.whole = nullptr;  // the course waits for the regions of the rows that are set aside too
    return source;
  }
  source.select = [this](std::span<const std::size_t> rows) {
    return elsewhere_.rows.select_rows(places_of(rows, elsewhere_.numbers));
  };
  source.keys = [this] { return elsewhere_.keys; };
  return source;
}

RowSource RegionShards::source_of_training() const {
  RowSource source = source_of_all();
  source.select = [this, all = source.select](std::span<const std::size_t> rows) {
    return all(core::picked(training_numbers_, rows));
  };
  source.keys = [this] {
    if (dataset_ == nullptr) return elsewhere_.training_keys;
    std::vector<std::uint64_t> keys;
    for (const std::size_t row : training_numbers_) keys.push_back(data::row_key(dataset_->features, row));
    return data::smallest_keys(std::move(keys));
  };
  if (dataset_ != nullptr && dataset_->features.is_sparse()) {
    source.stored = 0;
    for (const std::size_t row : training_numbers_)
      source.stored += dataset_->features.sparse().row_indices(row).size();
  }
  return source;
}

std::string RegionShards::routes() const {
  RegionRoutes routes{course_->fitted()};
  return core::sealed_value({routes_kind, fingerprint_, course_->fitted().number}, routes);
}

void RegionShards::route(const std::vector<std::uint32_t>& region_of) {
  if (region_of.size() != labels_.rows()) refuse("the regions of the rows are not those of this partition");
  course_->route(training_ ? core::picked(region_of, training_numbers_) : region_of);
  if (options_.p_values == model::PValues::split && training_) {  // nothing is trained on all rows
    all_rows_.assign(size(), {});
    for (std::size_t p = 0; p < size(); ++p) all_rows_[p] = core::picked(training_numbers_, course_->rows_of(p));
    return;
  }
  all_rows_ = model::rows_by_region(region_of, size());
}

void RegionShards::route_if_here(const core::Context& context) {
  if (dataset_ == nullptr) return;
  route(regions_of_rows(*dataset_, course_->fitted(), context));
}

std::string RegionShards::task_of(std::size_t shard) const {
  return bytes_of_task(shard, labels_.select_rows(all_rows_.at(shard)));
}

std::string RegionShards::rows_of(std::size_t shard) const {
  if (dataset_ == nullptr) refuse("the features of the rows are elsewhere");
  return bytes_of_task(shard, prepared_rows(*dataset_, course_->fitted(), all_rows_.at(shard)));
}

std::string RegionShards::bytes_of_task(std::size_t shard, data::Dataset rows) const {
  const Options& options = course_->options();
  const Options own = spaces_of(options)[course_->fitted().space];
  RegionRows region{course_->task_without_rows(shard),
                    own.kernels.shape().type,
                    own.preparation.scaling(),
                    options.costs.class_weights.named,
                    options.seed,
                    fingerprint_of(options_),
                    *options.estimate,
                    {},
                    {}};
  region.task.rows = std::move(rows);
  region.task.space = 0;  // of the options of one kernel and scaling
  if (training_ && options_.p_values != model::PValues::split) {
    const std::vector<std::size_t>& trained_by = course_->rows_of(shard);
    std::size_t next = 0;
    for (const std::size_t row : all_rows_[shard]) {
      const bool trains = next < trained_by.size() && training_numbers_[trained_by[next]] == row;
      region.set_aside.push_back(trains ? 0 : 1);
      if (trains) ++next;
    }
    region.class_weights_of_all = weights_of_all_.named;
  }
  return core::sealed_value({rows_kind, fingerprint_, number_of(course_->fitted().number, shard)}, region);
}

std::string RegionShards::run(std::string_view rows, const Options& options, const core::Context& context,
                              const RegionRoutes* routes, const data::Dataset* raw) {
  const core::ShardName name = core::name_of(rows);
  RegionRows region = core::unsealed_value<RegionRows>({rows_kind, name.fingerprint, name.number}, rows);
  data::Dataset& all = region.task.rows;
  if (routes != nullptr && raw != nullptr) {
    if (raw->rows() != all.rows())
      throw Error(ErrorCode::format,
                  fmt::format("a region has {} rows, but {} came: rows that are read again must be the same",
                              all.rows(), raw->rows()));
    all.features = features_in(routes->fitted, *raw);
  }
  name_columns(all);
  Options resolved = Selector(options).options();
  if (region.options != fingerprint_of(resolved))
    throw Error(ErrorCode::format, "the rows of a region were made for other options than these");
  resolved = in_space(resolved, region.scale, region.kernel).resolved_for(all);
  Options judging = resolved;
  judging.costs.class_weights = {false, region.class_weights};
  judging.estimate = region.estimate;
  judging.seed = region.seed;
  context.monitor.expect(all.rows());
  core::Monitor monitor(context.monitor, all.rows());
  RegionPart part;
  if (region.set_aside.empty()) {
    part.judged = run_region(region.task, judging, context.with(monitor));
  } else {
    RegionTask training = region.task;
    training.rows = all.select_rows(data::rows_where(region.set_aside, std::uint8_t{0}));
    part.judged = run_region(training, judging, context.with(monitor));
  }
  if (part.judged.complete && !region.set_aside.empty())
    part.retrained = on_all_rows(region, part.judged, resolved, context.with(monitor));
  if (!part.judged.complete || context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "the shard was stopped before it was complete");
  return core::sealed_value({region_kind, name.fingerprint, name.number}, part);
}

void RegionShards::add(std::size_t shard, std::string_view result) {
  if (shard >= size()) refuse(fmt::format("there is no shard {}; the first of {} is shard 0", shard, size()));
  RegionPart part =
      core::unsealed_value<RegionPart>({region_kind, fingerprint_, number_of(course_->fitted().number, shard)}, result);
  added_.push_back(std::move(part.judged));
  if (!part.retrained) return;
  const std::size_t partition = course_->fitted().number;
  retrained_.resize(partition + 1);
  retrained_[partition].resize(size());
  retrained_[partition][shard] = std::move(*part.retrained);
}

void RegionShards::take(const core::Context& context) {
  if (added_.size() != size()) refuse(fmt::format("there are {} results of {} shards", added_.size(), size()));
  course_->take(std::exchange(added_, {}), context);
  if (!course_->done()) route_if_here(context);
}

Selection RegionShards::merged(const core::Context& context) {
  Selection selection = merged_regions_of_all(context);
  used_.add_note_to(selection);
  return selection;
}

/// Of the partitions that the average has.
std::vector<std::vector<RegionResult>> RegionShards::kept_trained(const Selection& selection) {
  return core::mapped(selection.partition()->judged_as,
                      [&](std::size_t number) { return std::move(retrained_.at(number)); });
}

Selection RegionShards::merged_regions_of_all(const core::Context& context) {
  if (!training_) return std::move(*course_).merged(context);
  Options options = filled_;
  options.estimate = Estimate::holdout;
  const RowSource all = source_of_all();
  const SetAsideElsewhere elsewhere{
      all.select(data::rows_where(set_aside_rows(labels_, options), true)),
      [&](Selection& selection) { take_trained_regions(labels_.rows(), all, kept_trained(selection), selection); }};
  return select_with_rows_set_aside(
      labels_, options, context,
      [&](const data::Dataset&, const Options&) { return std::move(*course_).merged(context); }, &elsewhere);
}

}  // namespace credence::distributed
