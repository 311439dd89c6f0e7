#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence::test {

using nlohmann::json;

/// Three classes in data.csv and test.csv, and calls of the commands of conformal prediction.
class ConformalCommand : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("data.csv", clouds_csv(150, 3, 1));
    command_.folder().write("test.csv", clouds_csv(200, 3, 2));
  }
  CommandResult fit(const std::vector<std::string>& options) const {
    return command_.run(with({"conformal", "fit", "data.csv", "-o", "m"}, options));
  }
  json fitted(const std::vector<std::string>& options) const {
    const CommandResult result = fit(with({"--json", "-", "--quiet"}, options));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Table predictions(const std::vector<std::string>& options) const {
    const CommandResult result = command_.run(with({"predict", "m", "test.csv", "--quiet"}, options));
    EXPECT_EQ(result.code, 0) << result.err;
    return Table(result.out);
  }
  json evaluation(const std::vector<std::string>& options) const {
    const CommandResult result = command_.run(with({"evaluate", "m", "test.csv", "--json", "-", "--quiet"}, options));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

}  // namespace credence::test
