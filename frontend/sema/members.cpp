// What follows a `.`: fields, methods, built-in operations and properties, enumerators, objects of
// processes (docs/reference.md, "Shared state").
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "frontend/sema/sema.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

using model::Family;
using model::OperandType;
using model::Operator;

using Families = std::span<const Family>;

/// Of the operations of a type that is no class.
Families families_of(const model::Type& type) {
  static constexpr std::array kReadWrite = {Family::ReadWrite};
  static constexpr std::array kSemaphore = {Family::Semaphore};
  static constexpr std::array kChannel = {Family::Channel};
  const Families of_locks = model::kFamiliesOfLocks;
  if (const auto* lock = std::get_if<model::LockType>(&type))
    return lock->is_mutex ? of_locks.first(1) : of_locks;
  if (std::holds_alternative<model::ConditionType>(type)) return of_locks.last(1);
  if (std::holds_alternative<model::RwLockType>(type)) return kReadWrite;
  if (std::holds_alternative<model::SemaphoreType>(type)) return kSemaphore;
  if (std::holds_alternative<model::ChannelType>(type)) return kChannel;
  return {};
}

/// What can be asked of such objects.
std::optional<Operator> find_property(Families families, std::string_view name) {
  const auto op = model::find_operator(families, name);
  return op && model::is_property(*op) ? op : std::nullopt;
}

/// What other languages call these operations.
constexpr auto kForeign = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"lock", "acquire"},
    {"enter", "acquire"},
    {"unlock", "release"},
    {"exit", "release"},
    {"leave", "release"},
    {"tryLock", "tryAcquire"},
    {"try_lock", "tryAcquire"},
    {"signal", "notify"},
    {"signalAll", "notifyAll"},
    {"broadcast", "notifyAll"},
    {"notify_one", "notify"},
    {"notify_all", "notifyAll"},
    {"await", "wait"},
    {"Lock", "acquire"},
    {"Unlock", "release"},
    {"TryLock", "tryAcquire"},
    {"RLock", "acquireRead"},
    {"RUnlock", "releaseRead"},
    {"TryRLock", "tryRead"},
    {"Lock", "acquireWrite"},
    {"Unlock", "releaseWrite"},
    {"TryLock", "tryWrite"},
    {"readLock", "acquireRead"},
    {"writeLock", "acquireWrite"},
    {"lock_shared", "acquireRead"},
    {"unlock_shared", "releaseRead"},
    {"try_lock_shared", "tryRead"},
    {"lock", "acquireWrite"},
    {"unlock", "releaseWrite"},
    {"acquire", "acquireWrite"},
    {"release", "releaseWrite"},
    {"Wait", "wait"},
    {"Signal", "notify"},
    {"Broadcast", "notifyAll"},
    {"wait_for", "waitTimed"},
    {"waitFor", "waitTimed"},
    {"awaitNanos", "waitTimed"},
    {"timedWait", "waitTimed"},
    {"timedwait", "waitTimed"},
    {"P", "down"},
    {"acquire", "down"},
    {"wait", "down"},
    {"tryAcquire", "tryDown"},
    {"try_acquire", "tryDown"},
    {"V", "up"},
    {"release", "up"},
    {"signal", "up"},
    {"post", "up"},
    {"put", "send"},
    {"get", "recv"},
    {"receive", "recv"},
    {"shutdown", "close"},
    {"isClosed", "closed"},
    {"take", "recv"},
    {"length", "size"},
    {"compareAndSet", "cas"},
    {"compare_exchange", "cas"},
    {"exchange", "swap"},
    {"getAndAdd", "add"},
    {"getAndIncrement", "add"},
    {"fetch_add", "add"},
    {"fetchAdd", "add"},
});

/// What is no operation here: reading and writing an atomic.
constexpr auto kOfAtomics = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"load", "the name alone reads it: `let y = x;`"},
    {"get", "the name alone reads it: `let y = x;`"},
    {"store", "write `x = e;`"},
    {"set", "write `x = e;`"},
    {"incrementAndGet", "write `x.add(1) + 1`; `add` returns what was there"},
    {"addAndGet", "write `x.add(d) + d`; `add` returns what was there"},
    {"decrementAndGet", "write `x.add(-1) - 1`; `add` returns what was there"},
});

}  // namespace

// ---- E.a, P[i].x -------------------------------------------------------------------------------

std::optional<SymbolId> Sema::named_symbol(ast::ExprId base, SymbolKind kind) {
  const auto* node = std::get_if<ast::NameExpr>(&ast_expr(strip(base)).node);
  if (node == nullptr || find_local(node->name.text) != nullptr ||
      find_binding(env(), node->name.text) != nullptr) {
    return std::nullopt;
  }
  if (env().cls.valid() && find_member(env().cls, node->name.text) != nullptr) return std::nullopt;
  const SymbolId symbol = find_symbol(env(), node->name.text);
  if (!symbol.valid() || symbols_[symbol].kind != kind) return std::nullopt;
  saw(node->name.range, symbols_[symbol].where);
  return symbol;
}

ExprId Sema::process_member(const ast::MemberExpr& node, SymbolId process,
                            std::optional<ast::ExprId> index, SourceRange range) {
  const auto& decl = std::get<ast::ProcessDecl>(decl_of(symbols_[process]).node);
  std::optional<ExprId> position;
  if (index) {
    const ExprId checked = integer(*index, "the index of a process");
    if (is_error(checked)) return error(range);
    position = checked;
  }
  if (decl.index.has_value() != index.has_value()) {
    report(Code::NotIndexable, range,
           decl.index ? fmt::format("`{}` is a family of processes: say which one", decl.name.text)
                      : fmt::format("`{}` is a single process and takes no index", decl.name.text))
        .also(decl.name.range, "declared here");
    return error(range);
  }
  if (node.member.text.empty()) return error(range);
  const Scope& scope = process_scopes_.at(process);
  const auto found = scope.find(node.member.text);
  if (is_asked(node.member.text)) answer_process(process);
  if (found != scope.end()) saw(node.member.range, symbols_[found->second].where);
  if (found == scope.end()) {
    Suggestion suggestion(node.member.text);
    for (const auto& [name, symbol] : scope)
      suggestion.consider(name);
    auto& diagnostic =
        report(Code::UnknownMember, node.member.range,
               fmt::format("the process `{}` declares no `{}`", decl.name.text, node.member.text));
    diagnostic.also(decl.name.range, "declared here");
    if (suggestion.best()) diagnostic.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
    return error(range);
  }
  if (symbols_[found->second].kind == SymbolKind::Constant) {
    return literal(range, constant_of(found->second));
  }
  if (symbols_[found->second].kind != SymbolKind::Object) {
    report(Code::WrongKindOfName, node.member.range,
           fmt::format("`{}.{}` is no object", decl.name.text, node.member.text))
        .also(symbols_[found->second].where, "declared here")
        .cure("only the objects of a process can be named from outside");
    return error(range);
  }
  // In code of a single process its own name adds nothing.
  if (!position && env().process == process) return object_ref(found->second, range);
  return object_ref(found->second, range, position);
}

// ---- fields and properties ---------------------------------------------------------------------

ExprId Sema::member(const ast::MemberExpr& node, SourceRange range) {
  const std::string_view text = node.member.text;
  if (const auto symbol = named_symbol(node.base, SymbolKind::Enum)) {
    declare_enum(*symbol);
    const model::EnumId decl = symbols_[*symbol].enumeration;
    const auto& all = model_.enums[decl].enumerators;
    Suggestion suggestion(text);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == text) {
        saw_enumerator(node.member.range, *symbol, i);
        return add(range, intern(model::EnumType{decl}),
                   model::EnumLiteral{decl, static_cast<std::uint32_t>(i)});
      }
      suggestion.consider(all[i]);
    }
    if (text.empty()) return error(range);
    if (is_asked(text)) answer_enumerators(*symbol);
    auto& diagnostic =
        report(Code::UnknownMember, node.member.range,
               fmt::format("the enum `{}` has no value `{}`", symbols_[*symbol].name, text));
    diagnostic.also(symbols_[*symbol].where, "declared here");
    if (suggestion.best()) diagnostic.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
    return error(range);
  }
  if (const auto process = named_symbol(node.base, SymbolKind::Process)) {
    return process_member(node, *process, std::nullopt, range);
  }
  if (const auto* indexed = std::get_if<ast::IndexExpr>(&ast_expr(strip(node.base)).node)) {
    if (const auto process = named_symbol(indexed->base, SymbolKind::Process)) {
      return process_member(node, *process, indexed->index, range);
    }
  }
  const ExprId base = value(node.base);
  if (is_error(base) || text.empty()) return error(range);
  const TypeId type = type_of(base);
  if (is_set(base)) return set_member(base, node.member, range);
  if (const auto* record = as<model::StructType>(type)) {
    const auto& fields = model_.structs[record->decl].fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name != text) continue;
      saw_field(node.member.range, record->decl, text);
      if (is_error(element_of(fields[i].type))) return error(range);
      return add(range, fields[i].type, model::StructField{base, static_cast<std::uint32_t>(i)},
                 model_.exprs[base].storage);
    }
  } else if (const auto* cls = as<model::ClassType>(type)) {
    const model::ClassId id = cls->decl;
    if (const Member* found = find_member(id, text)) {
      saw(node.member.range, found->where);
      if (!may_access(id, *found, base, node.member.range)) return error(range);
      return member_value(id, *found, base,
                          std::holds_alternative<model::ThisRef>(model_.exprs[base].node), range);
    }
    if (const auto op = find_property(model::kFamiliesOfLocks, text)) {
      saw_operation(node.member.range, *op);
      const ExprId monitor = add(range, lock_, model::MonitorRef{base}, model::Storage::Handle);
      return property(*op, monitor, range);
    }
  } else if (const auto op = find_property(families_of(model_.types[type]), text)) {
    saw_operation(node.member.range, *op);
    return property(*op, base, range);
  }
  return no_member(base, node.member, false);
}

/// `c.size`, `m.held`, `m.free`, or `m.owner`, which is one side of a comparison (lock_owner.cpp).
ExprId Sema::property(Operator op, ExprId object, SourceRange range) {
  return add(range, operand_type(model::info(op).result, object), model::Operation{op, object, {}});
}

/// For an operation on `target`.
TypeId Sema::operand_type(OperandType type, ExprId target) {
  switch (type) {
    case OperandType::Nothing:
      return void_;
    case OperandType::Bool:
      return bool_;
    case OperandType::Int:
      return int_;
    case OperandType::Thread:
      return intern(model::ThreadType{true});
    case OperandType::Amount:
      return amount_type(target);
    case OperandType::Value:
      return type_of(target);
    case OperandType::Element:
    case OperandType::Local:
      break;
  }
  const auto* channel = as<model::ChannelType>(type_of(target));
  return channel != nullptr ? channel->element : error_;
}

std::vector<TypeId> Sema::parameter_types(Operator op, ExprId target) {
  std::vector<TypeId> types;
  for (const OperandType type : model::info(op).parameters)
    // A channel may carry no values.
    if (type != OperandType::Nothing && operand_type(type, target) != void_)
      types.push_back(operand_type(type, target));
  return types;
}

/// `int(0..k)` where the channel is known, else what is known of any.
TypeId Sema::amount_type(ExprId channel) {
  while (const auto* index = std::get_if<model::Index>(&model_.exprs[channel].node)) {
    channel = index->base;
  }
  const auto& node = model_.exprs[channel].node;
  std::int32_t capacity = 0;
  if (const auto* object = std::get_if<model::ObjectRef>(&node)) {
    capacity = model_.objects[object->object].capacity;
  } else if (const auto* field = std::get_if<model::FieldRef>(&node)) {
    capacity = model_.objects[field->field].capacity;
  }
  return capacity > 0 ? intern(model::IntType{0, capacity}) : int_;
}

/// The fields of an atomic class are private.
bool Sema::may_access(model::ClassId cls, const Member& member, ExprId object, SourceRange where) {
  if (!member.object.valid()) return true;
  const model::Object& field = model_.objects[member.object];
  if (field.kind != model::ObjectKind::Var || field.is_const) return true;
  if (env().cls == cls && std::holds_alternative<model::ThisRef>(model_.exprs[object].node)) {
    return true;
  }
  report(Code::PrivateMember, where,
         fmt::format("`{}` is private: the fields of an atomic class are used by its own methods, "
                     "on their own object only",
                     member.name))
      .also(member.where, "declared here")
      .cure("add a method that returns it");
  return false;
}

ExprId Sema::no_member(ExprId base, const ast::Name& member, bool is_call) {
  const TypeId type = type_of(base);
  const SourceRange range = range_of(base);
  Suggestion suggestion(member.text);
  Families families;
  const bool is_atomic =
      model_.exprs[base].storage == model::Storage::Atomic && as<model::ArrayType>(type) == nullptr;
  SourceRange declared;
  if (const auto* record = as<model::StructType>(type)) {
    for (const auto& field : model_.structs[record->decl].fields)
      suggestion.consider(field.name);
  } else if (const auto* cls = as<model::ClassType>(type)) {
    for (const Member& known : instance(cls->decl).members)
      suggestion.consider(known.name);
    declared = model_.classes[cls->decl].range;
    families = model::kFamiliesOfLocks;
  } else {
    families = families_of(model_.types[type]);
  }
  if (is_asked(member.text)) answer_members(base, families);
  for (const Operator op : model::all_operators()) {
    const Family of = model::info(op).family;
    if (std::ranges::find(families, of) != families.end() || (is_atomic && of == Family::Atomic))
      suggestion.consider(model::spelling(op));
  }
  // The operation of that name that it has.
  const auto find = [&](std::string_view name) {
    const auto op = model::find_operator(families, name);
    return !op && is_atomic ? model::find_operator(Family::Atomic, name) : op;
  };
  const std::optional<Operator> exact = find(member.text);
  const bool is_property = exact && model::is_property(*exact);
  auto& diagnostic = report(Code::UnknownMember, member.range,
                            exact ? fmt::format("`{}` of `{}` is {}", member.text, name_of(type),
                                                is_property ? "no operation but a property"
                                                            : "an operation that must be called")
                                  : fmt::format("`{}` has no {} `{}`", name_of(type),
                                                is_call ? "operation" : "member", member.text));
  if (declared.end > 0) diagnostic.also(declared, "declared here");
  const auto foreign = std::ranges::find_if(kForeign, [&](const auto& entry) {
    return entry.first == member.text && find(entry.second);
  });
  const auto of_atomics = std::ranges::find(kOfAtomics, member.text,
                                            &std::pair<std::string_view, std::string_view>::first);
  const auto* lock = as<model::LockType>(type);
  const auto elsewhere = model::find_operator(model::kFamiliesOfLocks, member.text);
  if (lock != nullptr && lock->is_mutex && elsewhere && !exact) {
    diagnostic.cure(
        fmt::format("a mutex has no wait set of its own: declare `condition c of m;` "
                    "and write `c.{}()`",
                    member.text));
  } else if (as<model::ConditionType>(type) != nullptr && elsewhere && !exact) {
    diagnostic.cure("a condition is what threads wait for: its lock has this operation");
  } else if (exact) {
    diagnostic.cure(fmt::format("write `.{}{}`", member.text, is_property ? "" : "(…)"));
  } else if (foreign != kForeign.end()) {
    diagnostic.cure(fmt::format("did you mean `{}`?", foreign->second));
  } else if (is_atomic && of_atomics != kOfAtomics.end()) {
    diagnostic.cure(std::string(of_atomics->second));
  } else if (suggestion.best()) {
    diagnostic.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
  } else if (as<model::ArrayType>(type) != nullptr) {
    diagnostic.cure("name one element: `…[i]`");
  } else if (model::find_operator(Family::Atomic, member.text)) {
    diagnostic.cure("only objects declared as `atomic` have this operation");
  }
  return error(range);
}

// ---- calls -------------------------------------------------------------------------------------

ExprId Sema::member_call(const ast::MemberExpr& callee, const ast::CallExpr& call,
                         SourceRange range) {
  const std::string_view text = callee.member.text;
  const auto fail = [&] {
    check_loose_arguments(call.arguments);
    return error(range);
  };
  if (named_symbol(callee.base, SymbolKind::Enum)) {
    const ExprId found = member(callee, range);
    if (!is_error(found)) {
      report(Code::NotCallable, range, "a value of an enum cannot be called");
    }
    return fail();
  }
  ExprId base = value(callee.base);
  if (is_error(base) || text.empty()) return fail();
  const TypeId type = type_of(base);
  if (model_.exprs[base].storage == model::Storage::Atomic &&
      as<model::ArrayType>(type) == nullptr) {
    if (const auto result = atomic_call(base, text, call, range)) {
      if (const auto op = model::find_operator(Family::Atomic, text))
        saw_operation(callee.member.range, *op);
      return *result;
    }
  }
  Families families;
  if (const auto* cls = as<model::ClassType>(type)) {
    const model::ClassId id = cls->decl;
    if (const Member* found = find_member(id, text)) {
      const Member method = *found;
      saw(callee.member.range, method.where);
      return call_method(id, method, base, call, range);
    }
    if (model::find_operator(model::kFamiliesOfLocks, text)) {
      base = add(range_of(base), lock_, model::MonitorRef{base}, model::Storage::Handle);
      families = model::kFamiliesOfLocks;
    }
  } else {
    families = families_of(model_.types[type]);
  }
  auto op = model::find_operator(families, text);
  if (!op || model::is_property(*op)) {
    no_member(base, callee.member, true);
    return fail();
  }
  if (op == Operator::Receive && call.arguments.size() == 1) op = Operator::ReceiveInto;
  saw_operation(callee.member.range, *op);
  return operation(*op, base, call, range);
}

ExprId Sema::operation(Operator op, ExprId target, const ast::CallExpr& call, SourceRange range) {
  const model::OperatorInfo& known = model::info(op);
  const bool is_of_values =
      known.family != Family::Channel || operand_type(OperandType::Element, target) != void_;
  if (!is_of_values && !call.arguments.empty()) {
    report(Code::WrongArgumentCount, range,
           fmt::format("`{}` with a value: this channel carries none", model::spelling(op)))
        .cure(op == Operator::ReceiveInto
                  ? "look at `.closed`, or write `recv()`"
                  : "declare what it carries, as in `channel c: int capacity 1;`");
    check_loose_arguments(call.arguments);
    return error(range);
  }
  if (known.parameters[0] == OperandType::Local && is_of_values)
    return receive_into(op, target, operand_type(OperandType::Element, target), call, range);
  return finish_operation(op, target, parameter_types(op, target), call, range);
}

ExprId Sema::finish_operation(Operator op, ExprId target, const std::vector<TypeId>& types,
                              const ast::CallExpr& call, SourceRange range) {
  const model::OperatorInfo& known = model::info(op);
  const TypeId result = operand_type(known.result, target);
  std::vector<ExprId> arguments =
      check_arguments(call.arguments, types, range, SourceRange{}, known.signature);
  if (arguments.size() != types.size()) return error(range);
  return add(range, result, model::Operation{op, target, std::move(arguments)});
}

std::optional<ExprId> Sema::atomic_call(ExprId base, std::string_view name,
                                        const ast::CallExpr& call, SourceRange range) {
  const auto op = model::find_operator(Family::Atomic, name);
  if (!op) return std::nullopt;
  const TypeId type = type_of(base);
  std::vector<TypeId> types = parameter_types(*op, base);
  if (*op == Operator::Cas && !comparable(type)) {
    report(Code::NotComparable, range,
           fmt::format("`cas` on `{}`: its values are not comparable", name_of(type)));
    check_loose_arguments(call.arguments);
    return error(range);
  }
  if (*op == Operator::Add) {
    // A class may have a method of its own that is called `add`.
    if (as<model::ClassType>(type) != nullptr) return std::nullopt;
    if (as<model::ModType>(type) != nullptr) types[0] = type;
    if (!is_number(type)) {
      report(Code::OperandType, range,
             fmt::format("`add` on an atomic `{}`: only integers are added to", name_of(type)));
      check_loose_arguments(call.arguments);
      return error(range);
    }
  }
  // What is expected need not be in the range.
  if (*op == Operator::Cas && is_number(type)) types[0] = int_;
  return finish_operation(*op, base, types, call, range);
}

ExprId Sema::receive_into(Operator op, ExprId channel, TypeId element, const ast::CallExpr& call,
                          SourceRange range) {
  const std::string_view name = model::spelling(op);
  if (call.arguments.size() != 1) {
    report(Code::WrongArgumentCount, range,
           fmt::format("{} arguments given, 1 expected", call.arguments.size()))
        .cure(fmt::format("write `c.{}(x)`, where x is a local `var`", name));
    check_loose_arguments(call.arguments);
    return error(range);
  }
  const ExprId target = value(call.arguments[0].value);
  if (is_error(target)) return error(range);
  ExprId root = target;
  for (bool down = true; down;) {
    down = false;
    if (const auto* field = std::get_if<model::StructField>(&model_.exprs[root].node)) {
      root = field->base;
      down = true;
    } else if (const auto* position = std::get_if<model::Index>(&model_.exprs[root].node)) {
      root = position->base;
      down = true;
    }
  }
  const auto* local = std::get_if<model::LocalRef>(&model_.exprs[root].node);
  if (local == nullptr || model_.exprs[target].storage != model::Storage::Local ||
      context_->body.locals[local->local].is_let) {
    report(Code::TryReceiveTarget, range_of(target),
           fmt::format("`{}` stores into a local `var`, and this is none", name))
        .cure("declare `var x: T;` before, and pass x");
    return error(range);
  }
  // The value travels from the channel to the local: element to local type.
  const ExprId probe = add(range_of(target), element, model::NullLiteral{});
  if (!convert(probe, type_of(target), "the received value")) return error(range);
  return add(range, bool_, model::Operation{op, channel, {target}});
}

}  // namespace cml::sema
