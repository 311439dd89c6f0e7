#pragma once

/// Everything that a user of the library needs.
#include "credence/bounds/binomial.hpp"
#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/qp/solver.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "credence/svm/train.hpp"
