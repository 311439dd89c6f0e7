#include <gtest/gtest.h>

#include "credence/selection/run.hpp"
#include "credence/svm/model.hpp"

namespace credence::selection {
namespace no_p_values_text_tests {

TEST(NoPValuesText, IsSaidOfModelsThatLackWhatTheirSelectionMade) {
  Selection selection;
  svm::SvmModel model;
  EXPECT_EQ(no_p_values_text(selection, model), "");
  selection.calibration.nonconformity_scores = {0.5};
  EXPECT_EQ(no_p_values_text(selection, model),
            "the time limit ended while the models of the folds were trained, so the model has no p-values; a larger "
            "time limit, or none, gives them");
  selection.stopped = core::StopReason::time_budget;
  EXPECT_EQ(no_p_values_text(selection, model), "");
  selection.stopped = core::StopReason::none;
  model.calibration.nonconformity_scores = {0.5};
  EXPECT_EQ(no_p_values_text(selection, model), "");
}

}  // namespace no_p_values_text_tests
}  // namespace credence::selection
