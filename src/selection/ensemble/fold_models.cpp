#include "selection/ensemble/fold_models.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "selection/ensemble/member_training.hpp"
#include "selection/fit/fit_grid.hpp"
#include "selection/judge/judged_grid.hpp"
#include "svm/assembly.hpp"

namespace credence::selection {
namespace {

constexpr std::size_t usual_siblings = 10;

/// The machines of the member cells for each sibling: (gamma, machine, member of the gamma, sibling), sibling fastest.
class SiblingTable {
 public:
  SiblingTable(MemberCells cells, std::size_t machines, std::size_t siblings)
      : cells_(std::move(cells)), layout_(machines), siblings_(siblings) {
    for (std::size_t g = 0; g < gammas(); ++g) {
      std::size_t members = 0;
      for (std::size_t cost = 0; cost < cells_.costs(); ++cost)
        column_of_.push_back(takes_part(g, cost) ? members++ : none);
      columns_ = std::max(columns_, members);
    }
    table_.resize(gammas() * layout_ * columns_ * siblings_);
    solved_.assign(table_.size(), 0);
  }

  std::size_t gammas() const { return cells_.members.size() / cells_.costs(); }
  bool takes_part(std::size_t gamma, std::size_t cost) const { return cells_.members[gamma * cells_.costs() + cost]; }
  /// Takes the machines of a cell. @param solved  all of them
  void put(std::size_t gamma, std::size_t cost, std::size_t sibling, bool solved,
           std::vector<svm::SparseMachine> machines) {
    if (!takes_part(gamma, cost) || !solved) return;
    for (std::size_t m = 0; m < machines.size(); ++m) {
      const std::size_t at = place(gamma, cost, m, sibling);
      table_[at] = std::move(machines[m]);
      solved_[at] = 1;
    }
  }
  /// Whether the sibling has every machine: some nu cannot be had on some rows.
  bool whole(std::size_t sibling) const {
    for (std::size_t g = 0; g < gammas(); ++g)
      for (std::size_t cost = 0; cost < cells_.costs(); ++cost)
        for (std::size_t m = 0; takes_part(g, cost) && m < layout_; ++m)
          if (solved_[place(g, cost, m, sibling)] == 0) return false;
    return true;
  }
  const MemberCells& cells() const { return cells_; }
  std::shared_ptr<svm::SvmFamily> family() && {
    return svm::family_of(std::move(table_), layout_, columns_ * siblings_);
  }
  std::shared_ptr<svm::SvmFamily> family_of(std::size_t sibling) const {
    std::vector<svm::SparseMachine> own;
    for (std::size_t at = sibling; at < table_.size(); at += siblings_) own.push_back(table_[at]);
    return svm::family_of(std::move(own), layout_, columns_);
  }
  /// Appends the models of a family of so many siblings whose mean each of them is. @param first  number of its models
  void add_averages(std::size_t siblings, std::size_t first, std::vector<std::vector<std::uint32_t>>& averages) const {
    averages.resize(siblings);
    for (std::size_t k = 0; k < siblings; ++k) {
      for (std::size_t g = 0; g < gammas(); ++g) {
        for (std::size_t cost = 0; cost < cells_.costs(); ++cost) {
          const std::size_t model = (g * columns_ + column_of(g, cost)) * siblings + k;
          if (takes_part(g, cost)) averages[k].push_back(static_cast<std::uint32_t>(first + model));
        }
      }
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t column_of(std::size_t gamma, std::size_t cost) const { return column_of_[gamma * cells_.costs() + cost]; }
  std::size_t place(std::size_t gamma, std::size_t cost, std::size_t machine, std::size_t sibling) const {
    return ((gamma * layout_ + machine) * columns_ + column_of(gamma, cost)) * siblings_ + sibling;
  }

  MemberCells cells_;
  std::size_t layout_;
  std::size_t siblings_;
  std::vector<std::size_t> column_of_;  ///< of each member of a gamma: the first has 0
  std::size_t columns_ = 0;
  std::vector<svm::SparseMachine> table_;
  std::vector<std::uint8_t> solved_;  ///< bytes, as machines are put by several threads
};

void fit_siblings(const data::Dataset& dataset, const MemberCells& cells, const std::vector<Resample>& resamples,
                  const core::Context& context, SiblingTable& table) {
  GridRun run(dataset, cells.options, resamples, context);
  const auto begin = [&](std::size_t gamma, std::size_t) {
    TaskWants wants{.machines = std::vector<bool>(cells.costs(), false)};
    for (std::size_t cost = 0; cost < cells.costs(); ++cost) {
      wants.machines[cost] = table.takes_part(gamma, cost);
      if (wants.machines[cost]) wants.costs = cost + 1;
    }
    return wants;
  };
  const auto end = [&](std::size_t gamma, std::size_t sibling, FittedTask found) {
    for (std::size_t cost = 0; cost < found.machines.size(); ++cost)
      table.put(gamma, cost, sibling, found.costs[cost].usable(), std::move(found.machines[cost]));
  };
  fit_grid(dataset, cells.options, resamples, run, {.begin = begin, .end = end}, context);
}

/// Puts the machines that judged the member cells into the table.
void take_judged(const MemberCells& cells, std::size_t siblings, JudgedMachines judged, SiblingTable& table) {
  for (std::size_t cell = 0; cell < cells.cells.size(); ++cell) {
    for (std::size_t sibling = 0; cells.members[cell] && sibling < siblings; ++sibling) {
      std::vector<svm::SparseMachine>& machines = judged[cells.of_grid[cell] * siblings + sibling];
      table.put(cell / cells.costs(), cell % cells.costs(), sibling, true, std::move(machines));
    }
  }
}

/// The options under which siblings are trained: scalings and widths of the model, no other search.
std::vector<MemberCells> sibling_cells(const Selection& selection) {
  std::vector<MemberCells> parts = member_cells(selection);
  for (MemberCells& cells : parts) cells.options.preparation.scope = ScaleScope::all;
  return parts;
}

/// Of each class, or the number that a regression predicts.
std::size_t scores_of_a_row(const data::Dataset& dataset) {
  return dataset.is_regression() ? 1 : dataset.class_count();
}

}  // namespace

model::Calibration judged_by_siblings(const data::Dataset& dataset,
                                      const std::function<model::Members(std::size_t)>& sibling,
                                      const data::Preprocessing& preprocessing, const std::vector<int>& sibling_of,
                                      const core::Context& context) {
  data::DenseMatrix scores(dataset.rows(), scores_of_a_row(dataset));
  const int last = *std::ranges::max_element(sibling_of);
  for (int k = 0; k <= last; ++k) {
    const std::vector<std::size_t> own = data::rows_where(sibling_of, k);
    if (own.empty()) continue;
    const model::Members alone = sibling(static_cast<std::size_t>(k));
    alone.score(dataset.select_rows(own), preprocessing, context,
                [&](std::size_t first, std::size_t, const model::Scores& block) {
                  for (std::size_t row = 0; row < block.rows; ++row)
                    std::copy_n(block.at(row, 0), block.classes, scores.row(own[first + row]).begin());
                });
  }
  model::Calibration kept;
  kept.source = "out-of-fold";
  const std::vector<std::size_t> rows = data::rows_where(sibling_of, [](int number) { return number >= 0; });
  if (dataset.class_count() > 2) kept.scores = data::DenseMatrix(rows.size(), dataset.class_count());
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const auto own = scores.row(rows[a]);
    kept.sibling_of.push_back(sibling_of[rows[a]]);
    if (dataset.is_regression()) {
      kept.strangeness.push_back(std::abs(dataset.targets[rows[a]] - own[0]));
      continue;
    }
    const int label = dataset.labels[rows[a]];
    kept.labels.push_back(label);
    kept.strangeness.push_back(-own[static_cast<std::size_t>(label)]);
    if (kept.scores.rows > 0) std::ranges::copy(own, kept.scores.row(a).begin());
  }
  return kept;
}

namespace {

/// Splits that the data bring, which may overlap: the first one that holds a row out judges the row.
SiblingRows rows_of_splits(const data::Dataset& dataset) {
  SiblingRows rows;
  rows.sibling_of.assign(dataset.rows(), -1);
  for (const Resample& split : resamples_of_splits(dataset)) {
    const auto sibling = static_cast<int>(rows.resamples.size());
    bool judges = false;
    for (const std::size_t row : split.held_out()) {
      if (rows.sibling_of[row] >= 0) continue;
      rows.sibling_of[row] = sibling;
      judges = true;
    }
    if (judges) rows.resamples.push_back(split);
  }
  return rows;
}

}  // namespace

SiblingRows sibling_rows(const data::Dataset& dataset, const Options& options) {
  if (options.traits().splits && !dataset.splits.empty()) return rows_of_splits(dataset);
  SiblingRows rows;
  const std::size_t wanted = options.traits().folds ? options.resample_count(dataset.rows()) : usual_siblings;
  const auto folds = static_cast<int>(std::min(wanted, dataset.units()));
  if (folds < 2) return rows;
  rows.sibling_of = data::folds_of(dataset, folds, options.seed, 2, options.name());
  rows.resamples = resamples_of_folds(rows.sibling_of);
  return rows;
}

namespace {

/// The machines of all siblings, of one kernel function and scaling.
/// @param grid  cells of the grid  @param rows, judged  as of sibling_family
SiblingTable sibling_table(const data::Dataset& dataset, const MemberCells& cells, std::size_t grid,
                           const core::Context& context, SiblingRows& rows, JudgedMachines judged) {
  const bool relevance = cells.options.learner() == Learner::rvm;
  const std::size_t classes = scores_of_a_row(dataset);
  const std::size_t layout = (relevance ? svm::one_against_rest(classes) : svm::machine_layout(classes)).size();
  SiblingTable table(cells, layout, rows.resamples.size());
  if (judged.size() == grid * rows.resamples.size())
    take_judged(cells, rows.resamples.size(), std::move(judged), table);
  else
    fit_siblings(dataset, cells, rows.resamples, context, table);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the machines that compare rows was stopped");
  for (std::size_t k = 0; k < rows.resamples.size(); ++k)
    if (!table.whole(k)) std::ranges::replace(rows.sibling_of, static_cast<int>(k), -1);
  return table;
}

/// The family with all that it needs beside its machines.
std::shared_ptr<svm::SvmFamily> finished(std::shared_ptr<svm::SvmFamily> family, const MemberCells& cells,
                                         const data::Dataset& dataset, const data::Preprocessing& preprocessing) {
  if (!is_precomputed(cells.options)) {
    family->support_vectors =
        preprocessing.apply(dataset.select_rows(family->support_rows), data::UnknownLevel::ignore);
  }
  family->kernel = cells.options.kernels.shape().with();
  for (std::size_t first = 0; first < cells.cells.size(); first += cells.costs())
    family->gammas.push_back(cells.cells[first].gamma);
  family->class_count = scores_of_a_row(dataset);
  family->relevance_vectors = cells.options.learner() == Learner::rvm;
  return family;
}

}  // namespace

std::shared_ptr<svm::SvmFamily> sibling_family(const data::Dataset& dataset, const Selection& selection,
                                               const data::Preprocessing& preprocessing, const core::Context& context,
                                               SiblingRows& rows, JudgedMachines judged) {
  const MemberCells cells = std::move(sibling_cells(selection).front());
  SiblingTable table = sibling_table(dataset, cells, selection.grid.size(), context, rows, std::move(judged));
  return finished(std::move(table).family(), table.cells(), dataset, preprocessing);
}

void train_siblings(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                    model::Predictor& model) {
  SiblingRows rows = sibling_rows(dataset, selection.options);
  if (rows.resamples.empty()) return;
  std::vector<SiblingTable> tables;
  for (const MemberCells& cells : sibling_cells(selection))
    tables.push_back(sibling_table(dataset, cells, selection.grid.size(), context, rows, {}));
  std::vector<std::optional<data::Preprocessing>> preprocessing;
  for (const SiblingTable& table : tables) {
    const Options& own = table.cells().options;
    const bool of_model = is_precomputed(own) || own.preparation.scaling() == model.preprocessing.scaling;
    preprocessing.push_back(of_model ? std::nullopt : std::optional(fit_preprocessing(dataset, own)));
  }
  const auto add = [&](std::size_t t, std::shared_ptr<svm::SvmFamily> family, std::size_t siblings,
                       model::Members& members) {
    if (selection.average) tables[t].add_averages(siblings, members.models(), members.averages);
    members.parts.push_back({preprocessing[t], finished(std::move(family), tables[t].cells(), dataset,
                                                        preprocessing[t].value_or(model.preprocessing))});
  };
  const auto sibling = [&](std::size_t k) {
    model::Members alone;
    for (std::size_t t = 0; t < tables.size(); ++t) add(t, tables[t].family_of(k), 1, alone);
    return alone;
  };
  model.calibration = judged_by_siblings(dataset, sibling, model.preprocessing, rows.sibling_of, context);
  model.siblings = {};
  for (std::size_t t = 0; t < tables.size(); ++t)
    add(t, std::move(tables[t]).family(), rows.resamples.size(), model.siblings);
}

}  // namespace credence::selection
