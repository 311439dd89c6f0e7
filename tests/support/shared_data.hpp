#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace credence::test {

/// Path of one of the large real data sets that do not ship with the project.
inline std::string shared_data(const std::string& name) {
  return CREDENCE_TEST_DATA "/" + name;
}

}  // namespace credence::test

/// Skips, visibly counted, where the real data sets are not at hand.
#define CREDENCE_NEEDS_SHARED_DATA(name)                                        \
  if (!std::filesystem::exists(credence::test::shared_data(name))) {            \
    GTEST_SKIP() << "needs the data set " << credence::test::shared_data(name); \
  }
