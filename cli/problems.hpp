#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "options.hpp"
#include "report/selection_words.hpp"

namespace credence::cli {

/// What is wrong with several options, to be said at once.
class Problems {
 public:
  void gather(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      sentences_.push_back(error.sentence());
    }
  }
  /// Sets the target if the option was given.
  template <class Value>
  void set(Value& target, const char* option, const std::string& text) {
    if (!text.empty()) gather([&] { target = choose<Value>(option, text, report::words<Value>); });
  }
  void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  void throw_with(const std::vector<std::string>& more) {
    sentences_.insert(sentences_.end(), more.begin(), more.end());
    throw_if_any(sentences_);
  }

 private:
  std::vector<std::string> sentences_;
};

}  // namespace credence::cli
