#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "options.hpp"
#include "output.hpp"

namespace credence::cli {

struct ReproduceOptions {
  std::string table;
  std::string folder;
  std::string sets;
  std::string sizes;  ///< in-sample only, as the next two
  std::string methods;
  bool quick = false;  ///< in-sample and kernel-validity
  std::optional<int> repeats;
  std::optional<int> splits;        ///< kernel-validity only
  std::optional<double> smoothing;  ///< tcm-nn only
  std::uint64_t seed = 0;
  RunOptions run;
  std::string json;
};

// One for each table; all return the exit code.
int reproduce_nonconformity(const ReproduceOptions& options);
int reproduce_tcm_nn(const ReproduceOptions& options);
int reproduce_in_sample(const ReproduceOptions& options);
int reproduce_kernel_validity(const ReproduceOptions& options);

/// Prints and writes a report that is complete or was stopped; returns the exit code.
int finish_report(const ReproduceOptions& options, core::StopReason stopped, const std::string& text,
                  const report::Json& document);

}  // namespace credence::cli
