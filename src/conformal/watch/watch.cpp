#include "credence/conformal/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "conformal/watch/reference.hpp"
#include "core/bytes/checksum.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/core/recall.hpp"

namespace credence::conformal {
namespace {

constexpr std::string_view magic = "credence watch\n";
constexpr std::uint32_t format_version = 1;
constexpr std::uint64_t halves_purpose = 0x5741'5443'4841'4C46;
/// The streams of a watch.
constexpr std::uint64_t familiarity_stream = 0;
constexpr std::uint64_t label_stream = 1;

enum class Ids : std::uint8_t { not_yet, none, given };

/// All that a state file holds.
struct State {
  std::uint32_t model = 0;
  WatchOptions options;
  bool with_labels = false;
  Evidence familiarity;
  Evidence labels;
  std::vector<std::uint64_t> rows_of;         ///< labelled rows: all, and of each class
  std::vector<std::uint64_t> errors_of;       ///< of these with another label
  std::vector<ColumnBets::Bet> bets;          ///< of each column
  std::array<ColumnCounts::Counts, 2> moved;  ///< of each direction, since its rise began
  Ids ids = Ids::not_yet;
  std::vector<std::uint64_t> seen;  ///< ascending; the last bit of a row says whether its label is known
};

void visit(auto& bytes, State& state) {
  bytes(state.model, state.options.alarm, state.options.seed, state.with_labels, state.familiarity, state.labels,
        state.rows_of, state.errors_of, state.bets, state.moved, state.ids, state.seen);
}

/// FNV-1a, mixed, with the last bit free.
std::uint64_t hash_of(std::string_view id) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  for (const char byte : id) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x0000'0100'0000'01B3;
  return core::mixed(hash) & ~std::uint64_t{1};
}

std::uint32_t checksum_of(const model::Predictor& model) {
  core::ByteWriter writer;
  for (const std::string& name : model.preprocessing.names) writer.content() += name + '\n';
  for (const std::string& name : model.schema.classes) writer.content() += name + '\n';
  for (double value : model.known_rows.stored()) writer(value);
  return core::checksum(writer.content());
}

std::string bytes_of(State& state) {
  core::ByteWriter writer;
  std::uint32_t version = format_version;
  writer.content() += magic;
  writer(version);
  writer(state);
  std::uint32_t sum = core::checksum(writer.content());
  writer(sum);
  return std::move(writer.content());
}

State state_of(std::string_view bytes) {
  const auto refuse = [](const char* sentence) { throw Error(ErrorCode::format, sentence); };
  if (!bytes.starts_with(magic)) refuse("this is no state of a watch");
  if (bytes.size() < magic.size() + 2 * sizeof(std::uint32_t)) refuse("this state of a watch ends too early");
  core::ByteReader head(bytes.substr(magic.size()));
  std::uint32_t version = 0;
  head(version);
  if (version > format_version) refuse("a later version of Credence wrote this state of a watch");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof(std::uint32_t));
  core::ByteReader tail(bytes.substr(content.size()));
  std::uint32_t sum = 0;
  tail(sum);
  if (sum != core::checksum(content)) refuse("this state of a watch is damaged: its checksum differs");
  core::ByteReader reader(content.substr(magic.size() + sizeof(version)));
  State state;
  reader(state);
  if (!reader.at_end()) refuse("this state of a watch is longer than it should be");
  if (state.ids > Ids::given || !core::problems_of(core::fields_of(state.options)).empty() ||
      !state.familiarity.holds_together() || !state.labels.holds_together())
    refuse("this state of a watch has values that no watch writes");
  return state;
}

/// A random half of the rows, and the other half, each ascending.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> halves(std::size_t rows, std::uint64_t seed) {
  std::vector<std::size_t> order = core::numbers_below(rows);
  core::RandomStream(seed, halves_purpose).shuffle(order);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((rows + 1) / 2);
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> found{{order.begin(), middle}, {middle, order.end()}};
  std::ranges::sort(found.first);
  std::ranges::sort(found.second);
  return found;
}

void check_model(const model::Predictor& model, bool labels) {
  std::vector<std::string> problems;
  if (model.known_rows.rows() < Watch::least_known_rows) {
    problems.push_back(fmt::format("the model keeps {} rows of its training to compare new rows with; a watch needs {}",
                                   model.known_rows.rows(), Watch::least_known_rows));
  }
  if (labels && model.schema.task == data::Task::regression)
    problems.emplace_back("the model predicts numbers; labels are watched of classes alone");
  throw_if_any(problems);
}

}  // namespace

struct Watch::Impl {
  Impl(const model::Predictor& watched, std::uint64_t seed)
      : model(watched),
        halves_(halves(watched.known_rows.rows(), seed)),
        distances(watched.known_rows, halves_.first, {watched.preprocessing.scaling}),
        confident(watched, p_value_options(watched)),
        columns(watched.known_rows, watched.preprocessing.names),
        bets(watched.known_rows.select_rows(halves_.first)) {}

  const model::Predictor& model;
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> halves_;
  Distances distances;
  ConfidentPredictor confident;
  ColumnCounts columns;
  ColumnBets bets;
  State state;
  std::unordered_map<std::uint64_t, bool> seen;  ///< by hash: whether the label is known
  std::vector<RunningErrors> errors;

  void name_errors() {
    errors.assign(1, {});
    for (const std::string& name : model.schema.classes) errors.push_back({name, 0, 0});
    for (std::size_t c = 0; c < errors.size(); ++c) {
      errors[c].rows = state.rows_of[c];
      errors[c].errors = state.errors_of[c];
    }
  }
  /// How strange the class of each row is to the model.
  std::vector<double> nonconformity(const data::Dataset& rows, std::span<const int> labels, std::vector<char>& wrong,
                                    const core::Context& context) const {
    const model::Prediction prediction = confident.predict(rows, context);
    std::vector<double> strange;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const int label = labels[i];
      const bool is_wrong = label < 0 || prediction.label[i] != label;
      wrong.push_back(is_wrong ? 1 : 0);
      const bool ranked = label >= 0 && prediction.p_value.rows == rows.rows();
      strange.push_back(ranked ? 1 - prediction.p_value.row(i)[static_cast<std::size_t>(label)] : is_wrong ? 1 : 0);
    }
    return strange;
  }

  /// @param label  a class, or known_label::other
  void count(int label, bool is_wrong) {
    ++errors[0].rows;
    errors[0].errors += is_wrong ? 1U : 0U;
    if (label < 0) return;
    RunningErrors& of_class = errors[static_cast<std::size_t>(label) + 1];
    ++of_class.rows;
    of_class.errors += is_wrong ? 1U : 0U;
  }
};

Watch::Watch(const model::Predictor& model, const WatchOptions& options, bool labels, const core::Context& context) {
  WatchOptions checked = options;
  throw_if_any(core::problems_of(core::fields_of(checked)));
  check_model(model, labels);
  impl_ = std::make_unique<Impl>(model, options.seed);
  State& state = impl_->state;
  state.model = checksum_of(model);
  state.options = options;
  state.with_labels = labels;
  const double limit = (labels ? 2 : 1) / options.alarm;
  const data::Features kept = model.known_rows.select_rows(impl_->halves_.second);
  state.familiarity = Evidence(limit, impl_->distances.of(kept, context));
  state.bets = impl_->bets.begin(kept);
  state.labels = Evidence(limit);
  state.rows_of.assign(model.schema.classes.size() + 1, 0);
  state.errors_of = state.rows_of;
  state.moved.fill(impl_->columns.none());
  impl_->name_errors();
}

Watch::Watch(const model::Predictor& model, std::string_view bytes, const core::Context&) {
  State state = state_of(bytes);
  check_model(model, state.with_labels);
  impl_ = std::make_unique<Impl>(model, state.options.seed);
  const std::size_t classes = model.schema.classes.size() + 1;
  if (state.model != checksum_of(model) || state.bets.size() * ColumnCounts::bins != impl_->columns.none().size() ||
      state.rows_of.size() != classes || state.errors_of.size() != classes ||
      std::ranges::any_of(state.moved, [&](const auto& one) { return one.size() != impl_->columns.none().size(); }))
    throw Error(ErrorCode::format, "this state of a watch belongs to another model");
  for (const std::uint64_t row : state.seen) impl_->seen.emplace(row & ~std::uint64_t{1}, (row & 1U) != 0);
  state.seen.clear();
  impl_->state = std::move(state);
  impl_->name_errors();
}

Watch::~Watch() = default;
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;

/// What the rows of a call bring.
struct Watch::News {
  std::vector<std::size_t> fresh;                ///< rows that are new
  std::vector<std::size_t> told;                 ///< rows whose label becomes known
  std::unordered_map<std::uint64_t, bool> seen;  ///< by hash of the id: whether the label is known now
  std::size_t again = 0;
};

Watch::News Watch::news_of(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const {
  News news;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool known = watches_labels() && !labels.empty() && labels[i] != known_label::none;
    bool is_new = true;
    bool was_known = false;
    if (!ids.empty()) {
      const std::uint64_t hash = hash_of(ids[i]);
      const auto before = impl_->seen.find(hash);
      const auto [now, first] = news.seen.try_emplace(hash, before != impl_->seen.end() && before->second);
      is_new = first && before == impl_->seen.end();
      was_known = now->second;
      now->second = was_known || known;
    }
    const bool tells = known && !was_known;
    if (is_new) news.fresh.push_back(i);
    if (tells) news.told.push_back(i);
    if (!is_new && !tells) ++news.again;
  }
  return news;
}

void Watch::check_call(std::size_t rows, std::span<const int> labels, std::span<const std::string> ids) const {
  if ((!labels.empty() && labels.size() != rows) || (!ids.empty() && ids.size() != rows))
    refuse(fmt::format("there are {} rows, but labels of {} and ids of {}", rows, labels.size(), ids.size()));
  const Ids kind = ids.empty() ? Ids::none : Ids::given;
  if (rows == 0 || impl_->state.ids == Ids::not_yet || impl_->state.ids == kind) return;
  refuse(kind == Ids::given ? "the earlier rows had no ids, so rows seen twice could not be recognised"
                            : "the rows before had ids, and these have none");
}

Watched Watch::update(const data::Dataset& rows, std::span<const int> labels, std::span<const std::string> ids,
                      const core::Context& context) {
  check_call(rows.rows(), labels, ids);
  if (rows.rows() == 0) return {};
  Impl& own = *impl_;
  State& state = own.state;
  News news = news_of(rows.rows(), labels, ids);
  // All that may fail comes before anything changes.
  const data::Features compared = own.model.compared(rows.select_rows(news.fresh));
  const std::vector<double> far = own.distances.of(compared, context);
  const std::vector<int> classes = core::picked(labels, news.told);
  std::vector<char> wrong;
  std::vector<double> strange;
  if (!news.told.empty()) strange = own.nonconformity(rows.select_rows(news.told), classes, wrong, context);
  for (std::size_t i = 0; i < far.size(); ++i) {
    const double tau = tau_of(state.options.seed, familiarity_stream, state.familiarity.rows());
    const std::uint64_t number = state.familiarity.rows();
    Beside columns;
    if (!state.bets.empty()) columns = own.bets.add(compared, i, state.options.seed, number, state.bets);
    const std::array<bool, 2> anew = state.familiarity.add(far[i], tau, state.bets.empty() ? nullptr : &columns);
    for (const Evidence::Direction direction : {Evidence::stranger, Evidence::tamer})
      if (anew[direction])
        std::ranges::fill(state.moved[direction], std::uint64_t{0});
      else
        own.columns.add(compared, i, state.moved[direction]);
  }
  for (std::size_t i = 0; i < strange.size(); ++i) {
    state.labels.add(strange[i], tau_of(state.options.seed, label_stream, state.labels.rows()));
    own.count(classes[i], wrong[i] != 0);
  }
  for (const auto& [hash, known] : news.seen) own.seen[hash] = known;
  state.ids = ids.empty() ? Ids::none : Ids::given;
  return {news.fresh.size(), news.told.size(), news.again};
}

std::string Watch::state() const {
  State state = impl_->state;
  for (std::size_t c = 0; c < impl_->errors.size(); ++c) {
    state.rows_of[c] = impl_->errors[c].rows;
    state.errors_of[c] = impl_->errors[c].errors;
  }
  for (const auto& [hash, known] : impl_->seen) state.seen.push_back(hash | (known ? 1U : 0U));
  std::ranges::sort(state.seen);
  return bytes_of(state);
}

const WatchOptions& Watch::options() const {
  return impl_->state.options;
}

bool Watch::watches_labels() const {
  return impl_->state.with_labels;
}

bool Watch::alarm() const {
  return familiarity().alarm_row() > 0 || labels().alarm_row() > 0;
}

const Evidence& Watch::familiarity() const {
  return impl_->state.familiarity;
}

const Evidence& Watch::labels() const {
  return impl_->state.labels;
}

const std::vector<RunningErrors>& Watch::errors() const {
  return impl_->errors;
}

std::vector<MovedColumn> Watch::moved_columns() const {
  std::vector<MovedColumn> moved = impl_->columns.moved(impl_->state.moved[familiarity().direction()]);
  for (MovedColumn& one : moved) one.log_evidence = impl_->state.bets[one.column].mixture.log_capital();
  std::ranges::stable_sort(moved, std::greater{}, &MovedColumn::log_evidence);
  return moved;
}

Evidence evidence_of_order(const data::Dataset& rows, std::span<const double> order, const WatchOptions& options,
                           const core::Context& context) {
  WatchOptions checked = options;
  throw_if_any(core::problems_of(core::fields_of(checked)));
  const std::size_t n = rows.rows();
  if (order.size() != n) refuse(fmt::format("there are {} rows, but an order of {}", n, order.size()));
  if (n < Watch::least_known_rows)
    refuse_data(fmt::format("a test of the order needs {} rows; there are {}", Watch::least_known_rows, n));
  constexpr std::size_t most_apart = 1000;
  std::vector<std::size_t> numbers = core::numbers_below(n);
  core::RandomStream(options.seed, halves_purpose).shuffle(numbers);
  const std::size_t apart = std::min(n / 4, most_apart);
  const auto scaled = data::Preprocessing::fit(rows, data::Scaling::standard);
  const data::Features features = scaled.apply(rows, data::UnknownLevel::ignore);
  const Distances distances(features, std::span(numbers).first(apart));
  std::vector<std::size_t> stream(numbers.begin() + static_cast<std::ptrdiff_t>(apart), numbers.end());
  std::ranges::stable_sort(stream, {}, [&](std::size_t row) { return order[row]; });  // equal ones in a random order
  const std::vector<double> far = distances.of(features.select_rows(stream), context);
  Evidence evidence(1 / options.alarm);
  const data::Features in_order = features.select_rows(stream);
  const ColumnBets columns(features.select_rows(std::span(numbers).first(apart)));
  std::vector<ColumnBets::Bet> bets = columns.begin({});
  for (std::size_t i = 0; i < far.size(); ++i) {
    const double tau = tau_of(options.seed, familiarity_stream, i);
    if (bets.empty()) {
      evidence.add(far[i], tau);
      continue;
    }
    const Beside beside = columns.add(in_order, i, options.seed, i, bets);
    evidence.add(far[i], tau, &beside);
  }
  return evidence;
}

}  // namespace credence::conformal
