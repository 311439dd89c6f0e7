#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "credence/model/sigmoid.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "support/refit_losses.hpp"

/// Scores written out from their definitions, on predictions of models trained from scratch for each split.
namespace credence::test {

/// What a model that has not seen a row says of it.
struct Foreseen {
  std::size_t row = 0;
  std::size_t split = 0;
  int truth = 0;
  int label = 0;
  double margin = 0;    ///< of the second class
  double log_loss = 0;  ///< of models with probabilities
};
using Foresight = std::vector<Foreseen>;

inline double naive_recall(const Foresight& rows, int of) {
  double right = 0;
  double all = 0;
  for (const Foreseen& one : rows) {
    all += one.truth == of ? 1 : 0;
    right += one.truth == of && one.label == of ? 1 : 0;
  }
  return right / all;
}

inline double naive_f1(const Foresight& rows, int of) {
  double true_positive = 0;
  double false_positive = 0;
  double false_negative = 0;
  for (const Foreseen& one : rows) {
    true_positive += one.truth == of && one.label == of ? 1 : 0;
    false_positive += one.truth != of && one.label == of ? 1 : 0;
    false_negative += one.truth == of && one.label != of ? 1 : 0;
  }
  const double all = 2 * true_positive + false_positive + false_negative;
  return all == 0 ? 0 : 2 * true_positive / all;
}

inline bool occurs(const Foresight& rows, int of, bool as_label) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Foreseen& one) { return one.truth == of || (as_label && one.label == of); });
}

/// Over all pairs.
inline double naive_auc(const Foresight& rows) {
  double pairs = 0;
  double ordered = 0;
  for (const Foreseen& second : rows) {
    for (const Foreseen& first : rows) {
      if (second.truth != 1 || first.truth != 0) continue;
      pairs += 1;
      ordered += second.margin > first.margin ? 1 : second.margin == first.margin ? 0.5 : 0;
    }
  }
  return pairs == 0 ? std::numeric_limits<double>::quiet_NaN() : ordered / pairs;
}

/// What a label costs in tests of Score::cost: sums of halves and quarters, which differ from pair to pair.
inline double naive_cost(int truth, int label) {
  return truth == label ? 0 : 0.25 + 3.0 * truth + 0.5 * label;
}
/// The same for the options.
inline std::string naive_costs(const std::vector<std::string>& classes) {
  std::string text;
  for (std::size_t t = 0; t < classes.size(); ++t) {
    for (std::size_t l = 0; l < classes.size(); ++l) {
      if (t == l) continue;
      text += (text.empty() ? "" : ",") + classes[t] + ":" + classes[l] + "=" +
              std::to_string(naive_cost(static_cast<int>(t), static_cast<int>(l)));
    }
  }
  return text;
}
/// The costs that the score needs.
inline std::string costs_of(selection::Score score, const data::Dataset& dataset) {
  return score == selection::Score::cost ? naive_costs(dataset.schema.classes) : std::string();
}
/// Chooses by the score, with the costs that it needs.
inline void set_score(selection::Options& options, selection::Score score, const data::Dataset& dataset) {
  options.score = score;
  options.label_costs = costs_of(score, dataset);
}

/// The score of some rows, with every repeat counted; the log loss is that of Foreseen::log_loss.
inline double naive_score(selection::Score score, const Foresight& rows, int classes) {
  using selection::Score;
  double sum = 0;
  double count = 0;
  switch (score) {
    case Score::roc_auc:
      return naive_auc(rows);
    case Score::f1:
      return naive_f1(rows, 1);
    case Score::accuracy:
      for (const Foreseen& one : rows) sum += one.truth == one.label ? 1 : 0;
      return sum / static_cast<double>(rows.size());
    case Score::log_loss:
      for (const Foreseen& one : rows) sum += one.log_loss;
      return sum / static_cast<double>(rows.size());
    case Score::cost:
      for (const Foreseen& one : rows) sum += naive_cost(one.truth, one.label);
      return sum / static_cast<double>(rows.size());
    case Score::balanced_accuracy:
    case Score::f1_macro:
      break;
  }
  const bool recall = score == Score::balanced_accuracy;
  for (int c = 0; c < classes; ++c) {
    if (!occurs(rows, c, !recall)) continue;
    sum += recall ? naive_recall(rows, c) : naive_f1(rows, c);
    count += 1;
  }
  return sum / count;
}

inline double naive_loss(selection::Score score, const Foresight& rows, int classes) {
  const double value = naive_score(score, rows, classes);
  return score == selection::Score::log_loss || score == selection::Score::cost ? value : 1 - value;
}

/// Of the predictions of all splits together; an AUC counts pairs of one split each.
inline double naive_pooled_loss(selection::Score score, const Foresight& all, int classes) {
  if (score != selection::Score::roc_auc) return naive_loss(score, all, classes);
  double ordered = 0;
  double pairs = 0;
  for (const Foreseen& second : all) {
    for (const Foreseen& first : all) {
      if (second.truth != 1 || first.truth != 0 || second.split != first.split) continue;
      pairs += 1;
      ordered += second.margin > first.margin ? 1 : second.margin == first.margin ? 0.5 : 0;
    }
  }
  return 1 - ordered / pairs;
}

inline std::vector<data::Split> splits_of_folds(const std::vector<int>& folds) {
  std::vector<data::Split> splits;
  for (int fold = 0; fold < fold_count(folds); ++fold)
    splits.push_back({fold_rows(folds, fold, false), fold_rows(folds, fold, true)});
  return splits;
}

/// Trains the setting on each split's training rows and predicts the rows held out.
inline Foresight foresee(const data::Dataset& dataset, const std::vector<data::Split>& splits,
                         const selection::Options& options, const selection::Setting& setting) {
  Surroundings surroundings;
  Foresight all;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const data::Dataset training = dataset.select_rows(splits[s].training);
    const data::Dataset held_out = dataset.select_rows(splits[s].held_out);
    model::Prediction said;
    if (options.learner() == selection::Learner::rvm) {
      rvm::TrainOptions train;
      train.kernel = options.kernels.shape();
      train.gamma = {kernel::GammaRule::Kind::value, setting.gamma};
      train.fit = options.rvms.fit;
      train.scaling = options.resolved().preparation.scaling();
      said = rvm::train(training, train, surroundings.context).model.predict(held_out, surroundings.context);
    } else {
      said = svm::train(training, train_options_of_setting(options, setting), surroundings.context)
                 .model.predict(held_out, surroundings.context);
    }
    for (std::size_t i = 0; i < held_out.rows(); ++i) {
      Foreseen& one = all.emplace_back();
      one.row = splits[s].held_out[i];
      one.split = s;
      one.truth = held_out.labels[i];
      one.label = said.label[i];
      one.margin = said.score.row(i)[1];
      if (said.probability.rows > 0)
        one.log_loss = -std::log(said.probability.row(i)[static_cast<std::size_t>(one.truth)]);
    }
  }
  return all;
}

inline Foresight of_split(const Foresight& all, std::size_t split) {
  Foresight part;
  std::copy_if(all.begin(), all.end(), std::back_inserter(part),
               [&](const Foreseen& one) { return one.split == split; });
  return part;
}

/// Log losses by the sigmoid of the other splits' margins of other rows.
inline void judge_by_other_splits(Foresight& all) {
  Foresight judged = all;
  for (Foreseen& one : judged) {
    std::vector<double> margins;
    std::vector<int> labels;
    for (const Foreseen& other : all) {
      const bool held_out_too = std::any_of(all.begin(), all.end(), [&](const Foreseen& third) {
        return third.split == one.split && third.row == other.row;
      });
      if (held_out_too) continue;
      margins.push_back(other.margin);
      labels.push_back(other.truth);
    }
    const double p = model::fit_sigmoid(margins, labels)(one.margin);
    one.log_loss = -std::log(one.truth == 1 ? p : 1 - p);
  }
  all = judged;
}

}  // namespace credence::test
