#include <fmt/format.h>

#include "credence/core/error.hpp"
#include "report/page/html.hpp"
#include "report/plan.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// The version that wrote the document; that of the first part where the parts have it.
std::string version_of(const Json& document) {
  if (const std::string own = text_at(document, "version"); !own.empty()) return own;
  for (const Json& part : document.at("comparisons").values())
    if (const std::string own = text_at(part, "version"); !own.empty()) return own;
  return {};
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
  Table table{{"file", "bytes", "SHA-256"}, "The files"};
  for (const Json& file : document.at("comparisons").values()) {
    table.rows.push_back({shown_name(text_at(file, "source")),
                          cell_text(file.at("checksum").at("bytes"), Format::number),
                          text_at(file.at("checksum"), "sha256")});
  }
  if (!table.rows.empty()) section.add(std::move(table));
}

/// Command, plan, seed, version, checksum of the data.
void add_repeat(const Json& document, Section& section) {
  const auto text = [&](std::string_view label, std::string_view key) {
    if (const std::string own = text_at(document, key); !own.empty()) section.fact(label, shown_source(own));
  };
  const auto checksum = [&](std::string_view label, std::string_view key) {
    const Json& sum = document.at(key);
    if (sum.is_object())
      section.fact(label, fmt::format("SHA-256 {} over {} bytes; sha256sum prints the same for the same file",
                                      text_at(sum, "sha256"), count_at(sum, "bytes")));
  };
  if (const std::string command = text_at(document, "command"); !command.empty())
    section.add(Code{"The command", command});
  text("data", "source");
  checksum("checksum of the data", "checksum");
  text("compared with the rows of", "calibration_source");
  checksum("checksum of these rows", "calibration_checksum");
  text("model", "model");
  if (const auto seed = document.at("seed").number()) section.fact("seed", plain_number(*seed));
  if (const std::string written = version_of(document); !written.empty()) section.fact("Credence", written);
  add_files(section, document);
  add_plan(section, document);
  add_methods(section, document);
}

}  // namespace

Story story_of(const Json& document, const std::string& source) {
  const auto refuse = [&](const std::string& sentence) { throw Error(ErrorCode::format, sentence, {source, 0, ""}); };
  if (!document.is_object()) refuse("this is no result of Credence: a result is a JSON object");
  refuse_newer(version_of(document), "result", source);
  const std::string kind = text_at(document, "kind");
  if (kind.empty()) refuse("this is no result of Credence that a page can be made of: the key 'kind' is missing");
  const Json& stored = document.at("report");
  if (!stored.is_object())
    refuse(
        fmt::format("the result of the kind '{}' lacks the block 'report' that its page is made of", shown_name(kind)));
  Story story = story_from(stored);
  add_repeat(document, story.section("repeat", "How to repeat it"));
  story.drop_empty_sections();
  return story;
}

}  // namespace credence::report
