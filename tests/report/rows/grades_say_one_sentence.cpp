#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/options.hpp"
#include "report/rows/p_value_words.hpp"
#include "support/temporary_folder.hpp"

/// The sentence of each grade of trust, against every place that shows it.
namespace credence {
namespace grades_say_one_sentence_tests {

using model::Trust;

TEST(GradesOfTrust, HaveOneSentenceInTerminalOptionsAndDocs) {
  for (const Trust grade : {Trust::measured, Trust::proved, Trust::split}) {
    const std::string sentence = model::sentence_of(grade);
    std::istringstream words(sentence);
    EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 25) << sentence;
    EXPECT_EQ(report::trust_promise(grade), std::string(core::word(grade)) + ": " + sentence);
    selection::Options options;
    const std::vector<core::Field> fields = core::fields_of(options);
    EXPECT_NE(core::find_field(fields, "trust")->sentence.find(sentence), std::string::npos);
    for (const char* page : {"/docs/selection.md", "/docs/confidence.md", "/docs/options.md"})
      EXPECT_NE(test::read_text(CREDENCE_SOURCE_DIR + std::string(page)).find(sentence), std::string::npos) << page;
  }
}

}  // namespace grades_say_one_sentence_tests
}  // namespace credence
