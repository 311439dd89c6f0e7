#pragma once

#include <gtest/gtest.h>

#include <string>

#include "credence/core/error.hpp"

namespace credence::test {

/// Expects that `call` throws the library's Error with this code and a sentence that contains `part`.
template <class Call>
void expect_error(ErrorCode code, const std::string& part, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one about '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_GE(error.sentence().size(), 10U) << "not a sentence: " << error.what();
  }
}

}  // namespace credence::test
