#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "credence/core/monitor.hpp"
#include "report/json.hpp"

/// What a result says: facts, sentences, tables and charts, made once from the result itself. The terminal prints the
/// story, the page draws it, and the document keeps it under "report", from which a page can be made later.
///
/// All texts are plain: names of classes and files may hold anything.
namespace credence::report {

/// What is said of the work: nothing by default, all of it with --verbose.
enum class Detail { usual, verbose };

/// Who is told.
enum class Where {
  both,      ///< the terminal and the page
  verbose,   ///< the page, and the terminal with --verbose
  page,      ///< the page alone
  terminal,  ///< the terminal alone: the page draws it
};

struct Fact {
  std::string label;
  std::string value;
  std::string note{};  ///< a line below the value
  Where where = Where::both;
};

enum class Format { text, number, share, flag };

struct Column {
  std::string field;  ///< by which the specification of a chart knows the column
  std::string title;  ///< a column without a title is not shown
  Format format = Format::number;

  Column(std::string name, std::string shown, Format as = Format::number)
      : field(std::move(name)), title(std::move(shown)), format(as) {}
  /// "truth|true class|text", "rows|rows" of numbers, "|limit" of a table without a chart; "class" is a title of texts.
  Column(const char* parts);
  Column(std::string shown) : title(std::move(shown)), format(Format::text) {}
};

struct Chart;

/// Rows of values on their way into a table, or into a chart and the table behind it.
struct Table {
  std::vector<Column> columns;
  std::string caption{};
  Where where = Where::page;
  std::vector<std::vector<Json>> rows{};

  /// One value for each column.
  void add(std::vector<Json> values) { rows.push_back(std::move(values)); }
  void add_columns(const std::vector<Column>& more) { columns.insert(columns.end(), more.begin(), more.end()); }
  /// Takes out the columns with this title.
  void drop(std::string_view title);
  std::size_t size() const { return rows.size(); }
  bool empty() const { return rows.empty(); }
  /// As objects, for a specification.
  Json records() const;
  std::vector<std::string> titles() const;
  std::vector<std::vector<std::string>> texts() const;
  /// The same with a caption, for this reader.
  Table captioned(std::string text, Where reader = Where::page) const;
  /// A chart of the rows. @param kind  Chart::kind; "roc#roc-curve" with an id, which is else "heat-map" of heat_map
  /// @param below  Chart::caption
  Chart as_chart(const std::string& kind, std::string title, std::string below, std::string alternative,
                 Json words = Json::object(), Json more = Json::object()) &&;
};

/// A chart of the page: report/charts/KIND.json with its data.
struct Chart {
  std::string kind;
  std::string id;           ///< within a page: "heat-map"
  std::string title;        ///< what the chart answers
  std::string caption;      ///< how the chart is read
  std::string alternative;  ///< what the chart shows, for those who do not see it
  Table data;
  Json words = Json::object();  ///< what stands for texts of the specification: {"$x": "gamma"}
  Json more = Json::object();   ///< further data sets, by name
};

struct Paragraph {
  std::string text;
  Where where = Where::page;
};
/// A sentence that a reader must not miss.
struct Warning {
  std::string text;
};
/// A sentence in large letters: the answer.
struct Headline {
  std::string text;
};
/// Text to be copied as it is.
struct Code {
  std::string title;
  std::string text;
};

using Block = std::variant<Headline, Paragraph, Warning, std::vector<Fact>, Chart, Table, Code>;

struct Section {
  std::string id;
  std::string title;
  std::vector<Block> blocks{};

  void headline(std::string text) { add(Headline{std::move(text)}); }
  void say(std::string text, Where where = Where::page) { add(Paragraph{std::move(text), where}); }
  /// On the page and in the terminal.
  void tell(std::string text) { say(std::move(text), Where::both); }
  void warn(std::string text) { add(Warning{std::move(text)}); }
  void add(Block block) { blocks.push_back(std::move(block)); }
  /// Facts that follow each other stand in one list. Control characters of names become blanks.
  void fact(std::string_view label, std::string_view value, std::string_view note = {}, Where where = Where::both);
  void fact(std::string_view label, std::string_view value, Where where) { fact(label, value, {}, where); }
  /// A list of its own.
  void facts() { add(std::vector<Fact>()); }
};

struct Story {
  std::string title;
  std::string subtitle;
  std::deque<Section> sections{};  ///< a reference to one stays valid when others are added

  Section& section(std::string id, std::string heading);
  /// Sections without a block are left out.
  void drop_empty_sections();
};

/// The section of what a run took, which differs from run to run: a document has it apart from the others, as "took".
inline constexpr const char* cost_id = "cost";
struct Cost {
  double seconds = 0;
  int threads = 0;  ///< 0: not known
};
void add_cost(const Cost& cost, Story& story);

/// What the terminal shows: facts as "label  value", tables in columns, sentences in lines; no chart. An empty line
/// stands between blocks.
std::string terminal_text(const Story& story, Detail detail);
/// One more fact below the text of a story, in its columns.
std::string terminal_line(const Story& story, Detail detail, const Fact& fact);

/// One block, for the caller that makes it elsewhere than the story; null for what the page does not show.
Json block_json(const Block& block);
void add_block(const Json& json, Section& section);
/// For the key "report" of a document.
Json story_json(const Story& story);
/// A value of another type than the one written is left out.
Story story_from(const Json& json);

/// The warnings of a result as sentences, after that of a run that was stopped.
void add_warnings(core::StopReason stopped, const std::vector<std::string>& warnings, Section& section);

/// One value as a table shows it; a dash for none.
std::string cell_text(const Json& value, Format format);
/// "0.0078", "1e-05", "12345.6": at most four significant digits; from 10^4 on one digit after the point.
std::string plain_number(double value);
/// Names for people: without control characters, at most 60 characters long, with marks that keep the writing direction
/// of a name away from what stands around, and all different if the names are.
std::string shown_name(std::string_view name);
std::vector<std::string> shown_names(const std::vector<std::string>& names);
/// The name of a file of rows; "rows from memory" where they came from no file.
std::string shown_source(const std::string& source);
/// "m.credence on test.csv", or "Scores of another tool on test.csv".
std::string evaluated_rows(const std::string& model, const std::string& source);

/// The text of a value that holds one; otherwise empty.
std::string text_at(const Json& json, std::string_view key);
double number_at(const Json& json, std::string_view key, double otherwise);
/// A count; 0 for what is none.
std::size_t count_at(const Json& json, std::string_view key);

}  // namespace credence::report
