#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story.hpp"

/// Figures of a paper beside ours.
namespace credence::report {

/// A figure of a paper's table, and ours.
struct PaperFigure {
  std::string table;  ///< of the paper, or what the figure is of
  std::string what;   ///< within the table
  std::optional<double> ours{};
  std::optional<double> ours_spread{};
  std::optional<double> paper{};
  std::optional<double> paper_spread{};
};

/// A figure, and what was stated in advance of it.
struct PaperTarget {
  std::string what;
  double ours = 0;
  std::string wanted;
  bool met = false;
};

/// What an experiment of a paper found.
struct Reproduction {
  std::vector<PaperFigure> figures{};
  std::vector<PaperTarget> targets{};
  std::vector<Chart> charts{};  ///< further ones
  std::string paper{};          ///< its authors and title
  core::StopReason stopped = core::StopReason::none;
  double seconds = 0;
  int threads = 0;
};

/// A chart for each table of the paper, and what was to be met.
Story reproduction_story(const Reproduction& found);

}  // namespace credence::report
