#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
#include "flags.hpp"

/// Options of the command that are made of the descriptions of the library's options.
namespace credence::cli {

/// A line, or more, of a help for each field, in two columns of 80 characters together.
std::string help_of(const std::vector<core::Field>& fields);
/// The text broken at spaces into lines of at most so many characters.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Adds an option for each field, which is set as the option is parsed. The object of the fields outlives the parsing.
/// @throws Error invalid_argument, when an option is parsed, that begins with the name of the option
void add_fields(const Group& group, const std::vector<core::Field>& fields);

/// Which options were given, and with what text.
class Described {
 public:
  /// Adds an option for each field, unless there is one of that name.
  void add(const Group& group, const std::vector<core::Field>& fields);
  /// The same of the options that a new object has, or of those with one of the names.
  template <class Options>
  void add(const Group& group, const std::vector<std::string>& names = {}) {
    Options usual;
    add(group, names.empty() ? core::fields_of(usual) : core::named_fields(core::fields_of(usual), names));
  }
  /// The same; of a flag also the opposite, for fields whose default is that of a model.
  void add_with_opposites(const Group& group, const std::vector<core::Field>& fields);

  /// Sets an option as if it had been given with this text.
  void imply(const std::string& name, const std::string& text) { given_.at(name).texts = {text}; }
  bool any() const;
  bool given(const std::string& name) const;
  /// The text of an option that takes one, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  /// As the option is typed: "--no-bias".
  const std::string& option(const std::string& name) const { return given_.at(name).option; }
  /// Sets a field to what was given for it. @throws Error that begins with the name of the option
  void set(const core::Field& field) const;
  /// Sets every field that was given. @throws Error invalid_argument that names every option that is wrong
  void set_all(const std::vector<core::Field>& fields) const;
  /// Calls `set` for each name that was given, but for those of `except`, and gathers the sentences of its Errors, each
  /// after the option's name. @throws Error invalid_argument with all of them
  void for_each(const std::vector<std::string>& except, const std::function<void(const std::string& name)>& set) const;

 private:
  struct Given {
    std::string option;              ///< as it is typed
    std::vector<std::string> texts;  ///< empty: not given
  };
  std::map<std::string, Given> given_;
};

}  // namespace credence::cli
