// What the names in a model's text mean, for editors: where each stands, which place declares it,
// and what can stand at a cursor. Semantic analysis (frontend/sema/) fills it in where it binds
// names, so that there is one set of rules for scopes.
//
// A declaration is known by the place of its name; generic code is one, however many instances it
// has. Not here: what has no name in the text, and labels, which are strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/operations.h"
#include "frontend/source.h"

namespace cml {

enum class NameKind : std::uint8_t {
  Constant,
  Enum,
  Enumerator,
  Struct,
  StructField,
  Class,
  Field,
  Method,
  TypeParameter,
  ConstantParameter,
  Object,
  Function,
  Thread,
  Process,
  Parameter,
  Variable,  // a local that can be assigned
  Let,
  Index,  // of a family, a loop or a quantifier
};

/// A name, and the kind of what it stands for.
struct Declared {
  SourceRange where;
  NameKind kind;
  std::string type = {};   // as messages call it; empty if it has none, or an unknown one
  std::string value = {};  // of a constant
};

struct Use {
  SourceRange where;
  SourceRange declared;
};

/// A built-in operation or property: `m.acquire()`, `c.size`.
struct OperationUse {
  SourceRange where;
  model::Operator op;
};

/// What can stand at the place of a name that is asked about.
struct Candidate {
  std::string name;
  NameKind kind;
  std::string type = {};
  std::optional<model::Operator> op = {};  // then it is no declared name
};

struct NameIndex {
  /// A word that stands for a cursor: what could stand there instead is an answer.
  std::string asked = {};

  std::vector<Declared> declared;  // by place, once finished
  std::vector<Use> uses;
  std::vector<OperationUse> operations;
  std::vector<Candidate> candidates;
  bool is_answered = false;
  bool asks_for_type = false;

  /// Sorts, and forgets what instances of generic code have said again.
  void finish();
  /// The declaration whose name stands at this place.
  [[nodiscard]] const Declared* declared_at(SourceRange where) const;
  /// The declaration of the name at an offset, where it is declared or used; and where that is.
  struct Found {
    SourceRange where;
    SourceRange declared;
  };
  [[nodiscard]] std::optional<Found> at(FileId file, std::uint32_t offset) const;
  [[nodiscard]] const OperationUse* operation_at(FileId file, std::uint32_t offset) const;
};

}  // namespace cml
