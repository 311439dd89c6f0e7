#include "report/page/stories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "credence/core/error.hpp"
#include "report/page/chart_data.hpp"
#include "report/plan.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

struct DocumentKind {
  const char* word;   ///< under the key "kind"
  const char* needs;  ///< a key that each has
  Story (*story)(const Json& document);
};

constexpr std::array kinds{
    DocumentKind{"selection", "report", nullptr},
    DocumentKind{"comparison", "methods", comparison_story},
    DocumentKind{"comparisons", "comparisons", comparisons_story},
    DocumentKind{"honest error", "candidates", honest_story},
    DocumentKind{"watch", "streams", watch_story},
    DocumentKind{"evaluation", "report", nullptr},
    DocumentKind{"limits", "report", nullptr},
    DocumentKind{"conformal fit", "report", nullptr},
    DocumentKind{"conformal online", "report", nullptr},
    DocumentKind{"conformal intervals", "report", nullptr},
    DocumentKind{"reproduction", "table", reproduction_story},
};

/// The version that wrote the document; that of the first part where the parts have it.
std::string version_of(const Json& document) {
  if (const std::string own = text_at(document, "version"); !own.empty()) return own;
  for (const Json& part : document.at("comparisons").values())
    if (const std::string own = text_at(part, "version"); !own.empty()) return own;
  return {};
}

std::string known_kinds() {
  std::string list;
  for (const DocumentKind& kind : kinds) list += fmt::format("{}{}", list.empty() ? "" : ", ", kind.word);
  return list;
}

/// The plan as a file for --plan: the block `options` alone.
void add_plan(Section& section, const Json& document) {
  const Json& plan = document.at("options");
  if (plan.at("method").text() == nullptr) return;
  const std::string status = text_at(document, "status");
  const bool whole = status.empty() || status == "complete";
  section.say(std::string("The plan holds every option of the run. Saved as plan.json, the plan repeats the run") +
              (whole ? " to the last bit on the same data" : "; a run that is stopped ends elsewhere each time") +
              ": credence select DATA --plan plan.json");
  section.add(Code{"The plan", json_text(plan)});
}

/// The options of each method that was compared.
void add_methods(Section& section, const Json& document) {
  Json methods = Json::object();
  for (const Json& method : document.at("methods").values())
    if (method.at("options").is_object()) methods[text_at(method, "name")] = method.at("options");
  if (methods.size() > 0) section.add(Code{"The options of each method", json_text(methods)});
}

void add_files(Section& section, const Json& document) {
  Table table{"The files", {"file", "bytes", "SHA-256"}};
  for (const Json& file : document.at("comparisons").values()) {
    table.rows.push_back({shown_name(text_at(file, "source")),
                          cell_text(file.at("checksum").at("bytes"), Format::number),
                          text_at(file.at("checksum"), "sha256")});
  }
  if (!table.rows.empty()) section.add(std::move(table));
}

std::string time_words(double seconds) {
  constexpr double least = 0.001;
  if (seconds < least) return "less than a thousandth of a second";
  return fmt::format("{:.3g} seconds on the clock", seconds);
}

}  // namespace

Story story_of(const Json& document, const std::string& source) {
  const auto refuse = [&](const std::string& sentence) { throw Error(ErrorCode::format, sentence, {source, 0, ""}); };
  if (!document.is_object()) refuse("this is no result of Credence: a result is a JSON object");
  refuse_newer(version_of(document), "result", source);
  const std::string kind = text_at(document, "kind");
  if (kind.empty()) refuse("this is no result of Credence that a page can be made of: the key 'kind' is missing");
  const auto found = std::ranges::find_if(kinds, [&](const DocumentKind& k) { return kind == k.word; });
  if (found == kinds.end())
    refuse(fmt::format("there is no page for a result of the kind '{}'; pages are made of: {}", shown_name(kind),
                       known_kinds()));
  if (document.at(found->needs).is_null())
    refuse(fmt::format("the result of the kind '{}' lacks '{}'", kind, found->needs));
  Story story;
  if (const Json& stored = document.at("report"); stored.is_object()) {
    story = story_from(stored);
    add_cost_section(story, document);
    add_repeat_section(story, document);
  } else {
    story = found->story(document);
  }
  story.drop_empty_sections();
  return story;
}

std::string reached_words(const Json& reached) {
  const auto number = [&](const char* key) { return count_at(reached, key); };
  const std::string rows = number("rows") < number("of_rows")
                               ? fmt::format("{} of the {}", number("rows"), core::count_of(number("of_rows"), "row"))
                               : fmt::format("all {}", core::count_of(number("rows"), "row"));
  return fmt::format("The choice rests on {}, judged on {}; the grid has {}",
                     core::count_of(number("settings"), "setting"), rows, number("of_settings"));
}

void add_warnings(Section& section, const Json& document) {
  const std::string status = text_at(document, "status");
  if (!status.empty() && status != "complete") {
    section.warn("The run was stopped before its end, so that this result is a partial one.");
    if (const Json& reached = document.at("reached"); reached.is_object()) section.warn(reached_words(reached) + ".");
  }
  for (const Json& warning : document.at("warnings").values())
    if (const std::string* text = warning.text()) section.warn(*text + (text->ends_with('.') ? "" : "."));
  for (const Json& note : document.at("notes").values())
    if (const std::string* text = note.text()) section.warn(*text + ".");
}

void add_cost_section(Story& story, const Json& document) {
  Section& section = story.section("cost", "What it cost");
  const auto seconds = document.at("seconds").number();
  if (seconds) section.fact("Time", time_words(*seconds));
  if (const auto own = document.at("honest").at("seconds").number())
    section.fact("For the honest estimate", fmt::format("{:.3g} seconds of these", *own));
  if (const auto threads = document.at("threads").number())
    section.fact("Threads", fmt::format("{:.0f}; the result does not depend on them", *threads));
}

void add_repeat_section(Story& story, const Json& document) {
  Section& section = story.section("repeat", "How to repeat it");
  if (const std::string command = text_at(document, "command"); !command.empty())
    section.add(Code{"The command", command});
  if (const std::string source = text_at(document, "source"); !source.empty())
    section.fact("Data", source == "-" ? "standard input" : shown_name(source));
  if (const std::string sum = text_at(document.at("checksum"), "sha256"); !sum.empty()) {
    section.fact("Checksum of the data",
                 fmt::format("SHA-256 {} over {:.0f} bytes; sha256sum prints the same for the same file", sum,
                             number_at(document.at("checksum"), "bytes", 0)));
  }
  if (const std::string source = text_at(document, "calibration_source"); !source.empty())
    section.fact("Compared with the rows of", source == "-" ? "standard input" : shown_name(source));
  if (const std::string sum = text_at(document.at("calibration_checksum"), "sha256"); !sum.empty())
    section.fact("Checksum of these rows", "SHA-256 " + sum);
  if (const std::string model = text_at(document, "model");
      !model.empty() && document.at("kind").text() != nullptr && text_at(document, "kind") != "selection")
    section.fact("Model", shown_name(model));
  if (const auto seed = document.at("seed").number()) section.fact("Seed", plain_number(*seed));
  if (const std::string written = version_of(document); !written.empty()) section.fact("Credence", written);
  add_files(section, document);
  add_plan(section, document);
  add_methods(section, document);
}

}  // namespace credence::report
