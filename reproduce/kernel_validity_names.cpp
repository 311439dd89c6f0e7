#include "reproduce/kernel_validity_report.hpp"

namespace credence::reproduce::kernel_validity {
namespace {

struct Words {
  const char* key;
  const char* name;
};
constexpr std::array<Words, column_count> columns{
    {{"rvm_cv", "RVM CV"}, {"svm_cv", "SVM CV"}, {"rvm_mv", "RVM MV"}, {"svm_mv", "SVM MV"}}};
constexpr std::array<Words, rule_count> rules{{{"index", "index"},
                                               {"index_without_guard", "no guard"},
                                               {"index_without_cap", "no cap"},
                                               {"index_without_both", "no guard, no cap"},
                                               {"index_literal", "literal (7)"},
                                               {"evidence", "evidence alone"}}};
constexpr std::array<const char*, sinc::rule_count> sinc_rules{"index", "cv", "evidence", "best"};

}  // namespace

const char* name_of(Column column) {
  return columns[column].name;
}

const char* key_of(Column column) {
  return columns[column].key;
}

const char* name_of(Rule rule) {
  return rules[rule].name;
}

const char* key_of(Rule rule) {
  return rules[rule].key;
}

const char* key_of(sinc::Rule rule) {
  return sinc_rules[rule];
}

}  // namespace credence::reproduce::kernel_validity
