// A value of the model: as people read it, and with its type, as JSON has it.
//
//   bool, int      true, 3
//   enumerator     "Grant"
//   object, thread "Node#3", "Worker[2]"; nobody, nothing: null
//   struct, array  {"x": 3, "ok": true}, [1, 2]
//   lock           its owner, or null; {"owner": "Main", "depth": 2} where it was taken twice
//   channel        its values, the oldest first; {"values": …, "closed": true} if it is closed
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cml::checker {

struct TypedValue {
  struct Field;
  using List = std::vector<TypedValue>;
  using Fields = std::vector<Field>;
  std::variant<std::monostate, bool, std::int32_t, std::string, List, Fields> is;
};
struct TypedValue::Field {
  std::string name;
  TypedValue value;
};

struct Value {
  std::string text;
  TypedValue typed;
};

/// An object or a local, or what stands for one, and its value.
struct NamedValue {
  std::string name;
  Value value;
};

}  // namespace cml::checker
