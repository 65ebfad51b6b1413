// Declarations of shared, atomic, lock, mutex, condition, semaphore and channel objects: which
// clauses each may have, and which it must have; see builder.h.
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {
namespace {

using P = grammar::CmlParser;
using ast::ObjectKind;

ObjectKind kind_of(std::size_t type) {
  switch (type) {
    case P::SHARED:
      return ObjectKind::Shared;
    case P::ATOMIC:
      return ObjectKind::Atomic;
    case P::LOCK:
      return ObjectKind::Lock;
    case P::MUTEX:
      return ObjectKind::Mutex;
    case P::CONDITION:
      return ObjectKind::Condition;
    case P::RWLOCK:
      return ObjectKind::RwLock;
    case P::SEMAPHORE:
      return ObjectKind::Semaphore;
    case P::CHANNEL:
      return ObjectKind::Channel;
    default:
      return ObjectKind::Var;
  }
}

bool is_lock(ObjectKind kind) {
  return kind == ObjectKind::Lock || kind == ObjectKind::Mutex || kind == ObjectKind::RwLock;
}

bool has_type(ObjectKind kind) {
  return !is_lock(kind) && kind != ObjectKind::Condition && kind != ObjectKind::Semaphore;
}

std::string_view example(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Shared:
      return "shared x: int = 0;";
    case ObjectKind::Atomic:
      return "atomic x: int = 0;";
    case ObjectKind::Lock:
      return "lock m;";
    case ObjectKind::Mutex:
      return "mutex m;";
    case ObjectKind::Condition:
      return "condition c of m;";
    case ObjectKind::RwLock:
      return "rwlock r;";
    case ObjectKind::Semaphore:
      return "semaphore s = 1 max 1;";
    case ObjectKind::Channel:
      return "channel c: int capacity 2;";
    case ObjectKind::Var:
      return "var x: int = 0;";
  }
  return {};
}

bool allows(ObjectKind kind, std::size_t clause) {
  switch (clause) {
    case P::ASSIGN:
      return !is_lock(kind) && kind != ObjectKind::Condition && kind != ObjectKind::Channel;
    case P::GUARDED:
    case P::INIT:
      return kind == ObjectKind::Shared;
    case P::CAPACITY:
      return kind == ObjectKind::Channel;
    case P::OF:
      return kind == ObjectKind::Condition;
    case P::PREFERS:
      return kind == ObjectKind::RwLock;
    default:
      return kind == ObjectKind::Semaphore;
  }
}

std::string_view clause_text(std::size_t clause) {
  switch (clause) {
    case P::ASSIGN:
      return "= …";
    case P::GUARDED:
      return "guarded by …";
    case P::INIT:
      return "init by …";
    case P::CAPACITY:
      return "capacity …";
    case P::OF:
      return "of …";
    case P::PREFERS:
      return "prefers …";
    default:
      return "max …";
  }
}

}  // namespace

std::optional<ast::DeclId> Builder::object(antlr4::ParserRuleContext* decl,
                                           const antlr4::Token* keyword, P::ObjectRestContext* rest,
                                           Scope scope) {
  if (keyword == nullptr || rest == nullptr || rest->id == nullptr) return std::nullopt;
  const ObjectKind kind = kind_of(keyword->getType());
  ast::ObjectDecl object{};
  object.kind = kind;
  object.name = name(rest->id);
  object.dimensions = dimensions(rest->dimension());
  object.type = has_type(kind) ? optional_type(rest->of, rest) : std::optional<ast::TypeId>();
  clauses(rest, object);

  const bool sound = rest->exception == nullptr;
  if (kind == ObjectKind::Var && scope != Scope::Class) {
    report(Code::MisplacedDeclaration, place(keyword), "`var` declares what one thread alone uses")
        .cure(fmt::format("out here write `shared {}` (under a lock) or `atomic {}`",
                          object.name.text, object.name.text));
    return std::nullopt;
  }
  if (sound && has_type(kind) && !object.type && kind != ObjectKind::Channel) {
    report(Code::MissingType, object.name.range, fmt::format("`{}` has no type", object.name.text))
        .cure(fmt::format("declare it as in `{}`", example(kind)));
    object.type = ast_.types.push({object.name.range, ast::ErrorType{}});
  }
  if (rest->of != nullptr && !has_type(kind)) {
    report(Code::ClauseNotAllowed, place(rest->of),
           fmt::format("a {} has no type", ast::spelling(kind)))
        .cure(fmt::format("declare it as in `{}`", example(kind)));
  }
  // One that carries nothing is a rendezvous, if nothing else is said.
  if (kind == ObjectKind::Channel && !object.capacity && object.type) {
    if (sound) {
      report(Code::MissingCapacity, object.name.range,
             fmt::format("the channel `{}` has no capacity", object.name.text))
          .cure(
              "say how many messages it holds, as in `channel c: int capacity 1;`; with `capacity "
              "0` "
              "a send waits until somebody receives");
    }
    object.capacity = hole(object.name.range);
  }
  if (kind == ObjectKind::Condition && !object.of) {
    if (sound) {
      report(Code::BadCondition, object.name.range,
             fmt::format("the condition `{}` is of no lock", object.name.text))
          .cure(fmt::format("say which lock `wait` frees: `condition {} of m;`", object.name.text));
    }
    object.of = hole(object.name.range);
  }
  return add(decl, std::move(object));
}

void Builder::prefers(P::AttributeContext* clause, ast::ObjectDecl& object) {
  if (clause->id == nullptr) return;
  const ast::Name whom = name(clause->id);
  if (object.kind != ObjectKind::RwLock) {
    report(Code::ClauseNotAllowed, place(clause),
           fmt::format("a `{}` object cannot have `prefers …`", ast::spelling(object.kind)))
        .cure(fmt::format("declare it as in `{}`", example(object.kind)));
  } else if (whom.text != "writers") {
    report(Code::ClauseNotAllowed, whom.range,
           fmt::format("`prefers {}`: a reader-writer lock prefers writers or nobody", whom.text))
        .cure("write `rwlock r prefers writers;`, or `rwlock r;`");
  } else {
    object.prefers_writers = true;
  }
}

void Builder::clauses(P::ObjectRestContext* rest, ast::ObjectDecl& object) {
  for (P::AttributeContext* clause : rest->attribute()) {
    if (clause->kind == nullptr) continue;
    const std::size_t type = clause->kind->getType();
    if (type == P::PREFERS) {
      prefers(clause, object);
      continue;
    }
    if (clause->value == nullptr && clause->exception == nullptr) continue;
    const ast::ExprId value = expression(clause->value);
    std::optional<ast::ExprId>& slot = type == P::ASSIGN     ? object.initial
                                       : type == P::GUARDED  ? object.guarded_by
                                       : type == P::INIT     ? object.init_by
                                       : type == P::CAPACITY ? object.capacity
                                       : type == P::OF       ? object.of
                                                             : object.max;
    if (!allows(object.kind, type)) {
      report(Code::ClauseNotAllowed, place(clause),
             fmt::format("a `{}` object cannot have `{}`", ast::spelling(object.kind),
                         clause_text(type)))
          .cure(fmt::format("declare it as in `{}`", example(object.kind)));
    } else if (slot) {
      report(Code::ClauseNotAllowed, place(clause),
             fmt::format("`{}` stands here twice", clause_text(type)))
          .cure("delete one of them");
    } else {
      slot = value;
    }
  }
}

}  // namespace cml::syntax
