#include "data/csv/csv_cells.hpp"

#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace csv_cells_vs_grammar_tests {

using detail::CsvCells;

/// Each cell in brackets and each end of a row as a line feed; what cannot be read is told at the end.
std::string split(const std::vector<std::string>& pieces, char delimiter) {
  CsvCells cells(delimiter);
  std::string result;
  for (const std::string& piece : pieces) {
    cells.add(piece);
    for (CsvCells::Found found = cells.next(); found != CsvCells::Found::piece_end; found = cells.next()) {
      if (found == CsvCells::Found::stray_quote) return result + "stray";
      result += found == CsvCells::Found::cell ? '[' + std::string(cells.cell()) + ']' : std::string("\n");
    }
  }
  return result + (cells.in_quotes() ? "open" : cells.at_row_start() ? "" : "unfinished");
}

/// The grammar at CsvCells, one function a rule, over the whole text. A rule that does not hold throws the reason.
class Grammar {
 public:
  Grammar(const std::string& text, char delimiter) : text_(text), delimiter_(delimiter) {}

  std::string split() {
    try {
      while (at_ < text_.size()) row();
    } catch (const std::string& reason) {
      return result_ + reason;
    }
    return result_;
  }

 private:
  bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool is_end() const { return is('\n') || is('\r'); }
  void blanks() {
    while (!is(delimiter_) && (is(' ') || is('\t'))) ++at_;
  }

  void row() {
    blanks();
    if (at_ == text_.size()) return;
    if (!is_end()) {
      cell();
      while (is(delimiter_)) {
        ++at_;
        cell();
      }
    }
    if (at_ == text_.size()) throw std::string("unfinished");
    ++at_;
    result_ += '\n';
  }

  void cell() {
    blanks();
    const std::string content = is('"') ? quoted() : text();
    blanks();
    if (at_ == text_.size()) throw std::string("unfinished");
    if (!is(delimiter_) && !is_end()) throw std::string("stray");
    result_ += '[' + content + ']';
  }

  std::string quoted() {
    std::string content;
    for (++at_; at_ < text_.size(); ++at_) {
      if (is('"')) {
        ++at_;
        if (!is('"')) return content;
      }
      content += text_[at_];
    }
    throw std::string("open");
  }

  std::string text() {
    std::string content;
    for (; at_ < text_.size() && !is(delimiter_) && !is_end() && !is('"'); ++at_) content += text_[at_];
    while (!content.empty() && (content.back() == ' ' || content.back() == '\t')) content.pop_back();
    return content;
  }

  const std::string& text_;
  char delimiter_;
  std::size_t at_ = 0;
  std::string result_;
};

/// Every text of up to seven characters, which are of six kinds, in one piece and cut anywhere.
TEST(CsvCellsVsGrammar, AllShortTexts) {
  const std::string alphabet = "\"a, \n\r";
  for (const char delimiter : {',', ' '}) {
    for (std::size_t length = 0; length <= 7; ++length) {
      std::size_t count = 1;
      for (std::size_t i = 0; i < length; ++i) count *= alphabet.size();
      for (std::size_t number = 0; number < count; ++number) {
        std::string text(length, ' ');
        std::size_t rest = number;
        for (char& c : text) {
          c = alphabet[rest % alphabet.size()];
          rest /= alphabet.size();
        }
        const std::string expected = Grammar(text, delimiter).split();
        const std::size_t cut = number % (length + 1);
        ASSERT_EQ(split({text}, delimiter), expected) << text;
        ASSERT_EQ(split({text.substr(0, cut), text.substr(cut)}, delimiter), expected) << text << ", cut at " << cut;
      }
    }
  }
}

TEST(CsvCellsVsGrammar, LongTextsCharacterByCharacter) {
  const std::vector<std::string> parts = {"\"\"", "\"a\"", "\"b,\"\"c\"", "\"d\r\ne\"", "f",  "g h", " ",
                                          "\t",   ",",     ",",           ",",          "\n", "\r\n"};
  std::mt19937_64 random(5);
  std::size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n) {
      text += parts[random() % parts.size()];
      if (random() % 4 != 0) text += random() % 5 == 0 ? '\n' : ',';
    }
    const std::string expected = Grammar(text, ',').split();
    std::vector<std::string> pieces;
    for (const char c : text) pieces.emplace_back(1, c);
    ASSERT_EQ(split(pieces, ','), expected) << text;
    if (!expected.ends_with("stray")) ++read;
  }
  EXPECT_GT(read, 300U);
}

/// Python's csv.reader(..., strict=True, skipinitialspace=True), run once on each text, finds the same cells or refuses
/// the same texts.
TEST(CsvCellsVsPython, QuotedCells) {
  const struct {
    const char* what;
    std::string text;
    std::string expected;
  } cases[] = {
      {"a delimiter", "\"a,b\",c\n", "[a,b][c]\n"},
      {"nothing", "\"\",\"\"\n", "[][]\n"},
      {"one quote", "\"\"\"\"\n", "[\"]\n"},
      {"doubled quotes", "\"say \"\"no\"\"\",\"\"\"x\"\n", "[say \"no\"][\"x]\n"},
      {"line feeds", "\"a\nb\",c\nd,\"\n\"\n", "[a\nb][c]\n[d][\n]\n"},
      {"carriage returns", "\"a\r\nb\",\"\r\"\nc\n", "[a\r\nb][\r]\n[c]\n"},
      {"blanks outside and inside", " \"a\", \" b \"\n", "[a][ b ]\n"},
      {"empty cells that end rows", "a,\n,\"\"\n,\n", "[a][]\n[][]\n[][]\n"},
      {"letters beyond ASCII", "\"1\",\"2\xc3\xbc\"\n", "[1][2\xc3\xbc]\n"},
      {"a zero byte", std::string("\"a\0b\"\n", 6), std::string("[a\0b]\n", 6)},
      {"an apostrophe", "'a,b'\n", "['a][b']\n"},
      {"text after a closing quote", "\"a\"b\n", "stray"},
      {"two quoted texts", "\"a\" \"b\"\n", "stray"},
      {"a doubled quote that does not close", "x,\"a\"\"\n", "[x]open"},
      {"no closing quote", "x,\"a\n", "[x]open"},
      {"no closing quote before line feeds", "x,\"\n\n", "[x]open"},
      {"no closing quote at the end", "\"x", "open"},
      {"a quote alone", "\"", "open"},
  };
  for (const auto& [what, text, expected] : cases) EXPECT_EQ(split({text}, ','), expected) << what;
}

}  // namespace csv_cells_vs_grammar_tests
}  // namespace credence::data::test
