#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "credence/core/error.hpp"

/// Options that describe themselves. A struct of options lists its fields once:
///
///     struct Resampling {
///       int folds = 10;
///       Loss loss = Loss::hard;
///       static void describe(auto&& field) {
///         field("folds", &Resampling::folds, "folds of the rows", core::at_least(2));
///         field("loss", &Resampling::loss, "the loss by which a setting is chosen");
///       }
///     };
///
/// The flags of the command, their help, the checks, JSON and the tables of the docs are made of this description.
/// An enumeration lists its words beside its declaration:
///
///     constexpr auto words_of(Loss) {
///       return std::array{core::Word{"hard", Loss::hard}, core::Word{"soft", Loss::soft}};
///     }
namespace credence::core {

/// A value on its way between a field and a text, a document or another language. `monostate` is "none".
struct Value {
  using List = std::vector<Value>;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List> held;

  bool is_none() const { return std::holds_alternative<std::monostate>(held); }
  friend bool operator==(const Value&, const Value&) = default;
};
/// The value as people and error messages write it: `10`, `0.05`, `true`, `hard`, `1,10,100`, `none`.
std::string text_of(const Value& value);

/// What a field holds.
enum class Kind { flag, integer, number, word, text, numbers, texts, words };
/// Returns the value that a text means in a field of that kind: "2^-3:2^3:x2" for numbers, "rbf,linear" for words,
/// "true" for a flag.
/// @throws Error invalid_argument for a text that is no such value
Value value_in(Kind kind, std::string_view text);

/// The numbers that a field allows. Bounds that are absent do not bind.
struct Limits {
  std::optional<double> least{};
  std::optional<double> above{};
  std::optional<double> most{};
  std::optional<double> below{};

  /// @throws Error invalid_argument: "0 is not at least 1"
  void check(double value) const;
  /// "at least 1", "above 0 and below 1"; empty without limits.
  std::string text() const;
};
constexpr Limits at_least(double least) {
  return {.least = least};
}
constexpr Limits above(double bound) {
  return {.above = bound};
}
constexpr Limits from_to(double least, double most) {
  return {.least = least, .most = most};
}
constexpr Limits inside(double above, double below) {
  return {.above = above, .below = below};
}
constexpr Limits above_to(double above, double most) {
  return {.above = above, .most = most};
}

/// A word of an enumeration.
template <class Enum>
struct Word {
  const char* word;
  Enum value;
};
template <class Enum>
Word(const char*, Enum) -> Word<Enum>;

template <class Enum>
concept Worded = std::is_enum_v<Enum> && requires(Enum value) { words_of(value); };

template <Worded Enum>
const char* word(Enum value) {
  for (const auto& choice : words_of(value))
    if (choice.value == value) return choice.word;
  return "";
}
[[noreturn]] void refuse_word(std::string_view text, const std::vector<std::string>& allowed);
template <Worded Enum>
std::vector<std::string> word_list() {
  std::vector<std::string> list;
  for (const auto& choice : words_of(Enum{})) list.emplace_back(choice.word);
  return list;
}
/// @throws Error invalid_argument: "'x' is not one of hard, soft"
template <Worded Enum>
Enum parse_word(std::string_view text) {
  for (const auto& choice : words_of(Enum{}))
    if (text == choice.word) return choice.value;
  refuse_word(text, word_list<Enum>());
}

/// The sentence that describes a field. `stands` names its value in a help text, if the kind alone says too little.
struct Sentence {
  const char* text;
  const char* stands = "";
  bool for_papers = false;
  constexpr Sentence(const char* text_, const char* stands_ = "") : text(text_), stands(stands_) {}
};
/// The sentence of an option that repeats what a paper did, with the paper's equation.
struct ForPapers : Sentence {
  constexpr ForPapers(const char* text_) : Sentence(text_) { for_papers = true; }
};

/// One field of an object. The object must outlive the Field.
struct Field {
  std::string name;      ///< as in C++, JSON and Python: "all_rhos"
  std::string sentence;  ///< what the field is; the first clause of a flag that is true by default can be negated
  Kind kind = Kind::text;
  std::vector<std::string> words{};  ///< of Kind::word and Kind::words
  Limits limits{};
  bool optional = false;         ///< may be none: a default that depends on the rest
  std::string stands{};          ///< the word for the value in a help text, such as SECONDS; empty: that of the kind
  std::string spelling_of{};     ///< not empty: only a second spelling of that field; documents do not have it
  Value implied{};               ///< the value if the option stands alone (`--race`); none: a value is needed
  bool for_papers = false;       ///< it repeats what a paper did; help texts have a group of such options
  std::function<Value()> get{};  ///< empty for a spelling
  std::function<void(const Value&)> set{};  ///< @throws Error invalid_argument that does not name the field

  /// @throws Error invalid_argument for a text that is no such value
  void set_text(std::string_view text) const;
};

/// How a type is kept in a Value. Types outside the standard library specialise the template.
template <class T>
struct Conversion;

[[noreturn]] void refuse_kind(const Value& value, std::string_view wanted);
std::int64_t integer_of(const Value& value, std::int64_t least, std::int64_t most);
std::uint64_t unsigned_of(const Value& value, std::uint64_t most);
double number_of(const Value& value);
const std::string& string_of(const Value& value);

template <>
struct Conversion<bool> {
  static constexpr Kind kind = Kind::flag;
  static Value to(bool value);
  static bool from(const Value& value);
};
template <std::integral T>
  requires(!std::is_same_v<T, char>)
struct Conversion<T> {
  static constexpr Kind kind = Kind::integer;
  static Value to(T value) {
    if constexpr (std::is_signed_v<T>)
      return {std::int64_t{value}};
    else
      return {std::uint64_t{value}};
  }
  static T from(const Value& value) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(integer_of(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    else
      return static_cast<T>(unsigned_of(value, std::numeric_limits<T>::max()));
  }
};
template <>
struct Conversion<double> {
  static constexpr Kind kind = Kind::number;
  static Value to(double value);
  static double from(const Value& value);
};
template <>
struct Conversion<std::string> {
  static constexpr Kind kind = Kind::text;
  static Value to(const std::string& value);
  static std::string from(const Value& value);
};
template <Worded Enum>
struct Conversion<Enum> {
  static constexpr Kind kind = Kind::word;
  static Value to(Enum value) { return {std::string(word(value))}; }
  static Enum from(const Value& value) { return parse_word<Enum>(string_of(value)); }
};
template <class T>
struct Conversion<std::optional<T>> {
  static constexpr Kind kind = Conversion<T>::kind;
  static Value to(const std::optional<T>& value) { return value ? Conversion<T>::to(*value) : Value{}; }
  static std::optional<T> from(const Value& value) {
    if (value.is_none()) return std::nullopt;
    return Conversion<T>::from(value);
  }
};
template <class T>
struct Conversion<std::vector<T>> {
  static constexpr Kind kind = Conversion<T>::kind == Kind::text   ? Kind::texts
                               : Conversion<T>::kind == Kind::word ? Kind::words
                                                                   : Kind::numbers;
  static Value to(const std::vector<T>& values) {
    Value::List list;
    for (const T& value : values) list.push_back(Conversion<T>::to(value));
    return {std::move(list)};
  }
  static std::vector<T> from(const Value& value) {
    if constexpr (kind == Kind::words) {
      if (value.is_none()) return {};
      if (const auto* word = std::get_if<std::string>(&value.held)) return from(value_in(kind, *word));
    }
    const auto* list = std::get_if<Value::List>(&value.held);
    if (list == nullptr) refuse_kind(value, "a list");
    std::vector<T> values;
    for (const Value& one : *list) values.push_back(Conversion<T>::from(one));
    return values;
  }
};

/// The value of an option that is given without one: `--race` alone is `--race yes`.
template <class T>
Value implied(const T& value) {
  return Conversion<T>::to(value);
}

/// Checks that every number of the value lies within the limits.  @throws Error invalid_argument
void check_limits(const Value& value, const Limits& limits);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Collects the fields of an object from the description of its type.
template <class T>
class Binder {
 public:
  Binder(T& object, std::vector<Field>& fields) : object_(&object), fields_(&fields) {}

  /// Adds the field of a member of the type or of its base.
  /// @param implied  see Field::implied
  template <class M, class Owner>
    requires std::derived_from<T, Owner>
  void operator()(const char* name, M Owner::*member, const Sentence& sentence, const Limits& limits = {},
                  const Value& implied = {}) const {
    M* target = &(object_->*member);
    Field field{name, sentence.text, Conversion<M>::kind, words_in<M>(), limits, is_optional<M>, sentence.stands};
    field.implied = implied;
    field.for_papers = sentence.for_papers;
    field.get = [target] { return Conversion<M>::to(*target); };
    field.set = [target, limits](const Value& value) {
      M converted = Conversion<M>::from(value);
      check_limits(value, limits);
      *target = std::move(converted);
    };
    fields_->push_back(std::move(field));
  }
  /// Adds a second way to give the field `of`: `set` converts a value and stores it in the object.
  void spelling(const char* name, const char* of, Kind kind, const char* sentence,
                const std::function<void(T&, const Value&)>& set) const {
    Field field{name, sentence, kind, {}, {}, true, {}, of};
    field.set = [object = object_, set](const Value& value) { set(*object, value); };
    fields_->push_back(std::move(field));
  }
  /// Adds the fields of a member that describes itself.
  template <class P>
  void part(P T::*member) const {
    P::describe(Binder<P>(object_->*member, *fields_));
  }

 private:
  template <class M>
  static std::vector<std::string> words_in() {
    if constexpr (Worded<M>)
      return word_list<M>();
    else if constexpr (is_optional<M> || Conversion<M>::kind == Kind::words)
      return words_in<typename M::value_type>();
    else
      return {};
  }

  T* object_;
  std::vector<Field>* fields_;
};

/// The fields of an object, which must outlive them.
template <class T>
std::vector<Field> fields_of(T& object) {
  std::vector<Field> fields;
  T::describe(Binder<T>(object, fields));
  return fields;
}

/// Returns a sentence, with the field's name, for each field whose value is outside its limits.
std::vector<std::string> problems_of(const std::vector<Field>& fields);

/// The field of that name, or nullptr.
const Field* find_field(const std::vector<Field>& fields, std::string_view name);
/// The fields that have one of the names.
std::vector<Field> named_fields(std::vector<Field> fields, const std::vector<std::string>& names);

}  // namespace credence::core
