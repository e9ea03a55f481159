//===- value.h - Values of templates ----------------------------*- C++ -*-===//
//
// Python's values as far as templates see them. They don't change once they
// are made, as transformers' sandbox has it, but for namespaces, which belong to
// the evaluator: so there are no cycles, and no copies.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_VALUE_H
#define ANE_RUNTIME_TEXT_TEMPLATE_VALUE_H

#include "runtime/text/template/budget.h"
#include "runtime/text/template/text.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <variant>

namespace ane::rt::text::jinja {

class Value;
struct Node;
struct Scope;

/// What a name or an element that is missing is: empty, but in error where
/// something is taken from it.
struct Undefined {
  std::string what; ///< "'x'" or "'dict' has no 'x'", for messages
};
struct None {};

struct Sequence {
  enum class Kind {
    List,
    Tuple,
    Range,
    View,     ///< of a mapping: has a length, no elements by index
    Iterator, ///< gives each element once
  } kind = Kind::List;
  std::vector<Value> items;
  size_t taken = 0; ///< of an Iterator
  int depth = 1;
};

struct Mapping {
  std::vector<std::pair<Value, Value>> entries; ///< in the order of insertion
  int depth = 1;
};

struct Namespace {
  std::vector<std::pair<std::string, Value>> entries;
};

struct Loop {
  std::vector<Value> items;
  size_t index = 0;
  int depth = 1; ///< of loops around it, and this one
};

struct Callable;
using TextPointer = std::shared_ptr<const Text>;
using SequencePointer = std::shared_ptr<Sequence>;
using MappingPointer = std::shared_ptr<const Mapping>;
using LoopPointer = std::shared_ptr<const Loop>;
using CallablePointer = std::shared_ptr<const Callable>;

class Value {
public:
  Value() : held(Undefined{}) {}
  Value(Undefined undefined) : held(std::move(undefined)) {}
  Value(None none) : held(none) {}
  Value(bool flag) : held(flag) {}
  Value(int64_t number) : held(number) {}
  Value(double number) : held(number) {}
  Value(Text text) : held(std::make_shared<const Text>(std::move(text))) {}
  Value(MappingPointer mapping) : held(std::move(mapping)) {}
  Value(SequencePointer sequence) : held(std::move(sequence)) {}
  Value(LoopPointer loop) : held(std::move(loop)) {}
  Value(CallablePointer callable) : held(std::move(callable)) {}
  Value(Namespace *space) : held(space) {}
  Value(const void *) = delete;

  /// A text of the template.
  static Value of(std::string_view text) { return Value(Text(text)); }
  /// Failures where values are nested deeper than kMaxDepth.
  static Value list(std::vector<Value> items, Sequence::Kind kind = Sequence::Kind::List);
  static Value mapping(std::vector<std::pair<Value, Value>> entries);
  /// Strings are foreign unless `isTrusted`; so is a message's role that is a
  /// plain word, since templates make special tokens of it ("<|" + role + "|>").
  static Value fromJson(const nlohmann::ordered_json &json, bool isTrusted, Budget &budget);

  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(held);
  }
  bool isText() const { return is<TextPointer>(); }
  bool isNumber() const { return is<int64_t>() || is<double>() || is<bool>(); }
  const Text *text() const { return pointee<TextPointer, const Text>(); }
  Sequence *sequence() const { return pointee<SequencePointer, Sequence>(); }
  const Mapping *mapping() const { return pointee<MappingPointer, const Mapping>(); }
  const Loop *loop() const { return pointee<LoopPointer, const Loop>(); }
  const Callable *callable() const { return pointee<CallablePointer, const Callable>(); }
  Namespace *space() const { return is<Namespace *>() ? std::get<Namespace *>(held) : nullptr; }
  const Undefined *undefined() const { return std::get_if<Undefined>(&held); }
  /// Of integers and bools.
  std::optional<int64_t> integer() const;
  std::optional<double> number() const;

  bool isTrue() const;
  /// "int", "str", "dict", ...: Python's names.
  std::string_view typeName() const;
  int depth() const;

  static constexpr int kMaxDepth = 100;

private:
  template <typename Pointer, typename T>
  T *pointee() const {
    auto *pointer = std::get_if<Pointer>(&held);
    return pointer ? pointer->get() : nullptr;
  }

  std::variant<Undefined, None, bool, int64_t, double, TextPointer, SequencePointer, MappingPointer, LoopPointer,
               CallablePointer, Namespace *>
      held;
};

/// Something that can be called: a macro, a method of a value or a function.
struct Callable {
  const Node *macro = nullptr; ///< or the body of a call block
  std::weak_ptr<Scope> scope;  ///< that the macro stands in
  Value self;                  ///< of a method
  std::string name;
};

bool areEqual(const Value &a, const Value &b, Budget &budget);
/// Python's a < b; a failure for values that have no order.
bool isLess(const Value &a, const Value &b, Budget &budget);
/// Where each key stands in their order: indices, the first key's first. Equal keys
/// stay as they are.
std::vector<size_t> sortedOrder(const std::vector<Value> &keys, bool isReversed, Budget &budget);
/// `item in container`.
bool contains(const Value &container, const Value &item, Budget &budget);
/// Null if there is none.
const Value *find(const Mapping &mapping, const Value &key, Budget &budget);
const Value *find(const Mapping &mapping, std::string_view key, Budget &budget);
/// The elements of what can be iterated over, which takes them from an iterator.
std::vector<Value> takeItems(const Value &value, Budget &budget);
/// Python's len; nothing where it is an error.
std::optional<int64_t> length(const Value &value, Budget &budget);

/// str(value), and repr of what is inside of it.
Text toText(const Value &value, Budget &budget);

struct JsonStyle {
  bool asciiOnly = false, sorted = false;
  std::optional<std::string> indent;
  std::optional<std::string> itemSeparator, keySeparator;
};
/// Python's json.dumps.
Text toJson(const Value &value, const JsonStyle &style, Budget &budget);

/// lower-case or upper-case code points (Unicode's simple mappings).
Text lowered(const Text &text);
Text uppered(const Text &text);

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_VALUE_H
