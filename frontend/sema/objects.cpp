// Declared objects: shared, atomic, lock, mutex, condition, semaphore, channel, var, at top level,
// in processes and as fields (docs/reference.md, "Shared state"). Types and capacities are needed
// by whoever names an object; initial values and clauses may name anything, and are checked when
// everything is declared.
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"
#include "frontend/walk.h"

namespace cml::sema {

void Sema::declare_object(SymbolId id) {
  if (symbols_[id].progress != Progress::Fresh) return;
  symbols_[id].progress = Progress::Busy;
  if (symbols_[id].process.valid()) declare_process(symbols_[id].process);
  const ast::Decl& decl = decl_of(symbols_[id]);
  const auto& object = std::get<ast::ObjectDecl>(decl.node);
  const Env env = env_of(id);
  model::Object made = make_object(object, env, decl.doc);
  if (env.process.valid()) made.process = symbols_[env.process].model_process;
  symbols_[id].object = model_.objects.push(std::move(made));
  symbols_[id].progress = Progress::Done;
}

model::Object Sema::make_object(const ast::ObjectDecl& decl, const Env& env,
                                const std::string& doc) {
  Enter enter(*this, Context{CodeKind::Clause, env});
  model::Object object;
  object.kind = decl.kind;
  object.name = std::string(decl.name.text);
  object.range = decl.name.range;
  object.doc = doc;
  TypeId type = error_;
  if (decl.kind == ast::ObjectKind::Lock) {
    type = lock_;
  } else if (decl.kind == ast::ObjectKind::Mutex) {
    type = mutex_;
  } else if (decl.kind == ast::ObjectKind::Condition) {
    type = condition_;
  } else if (decl.kind == ast::ObjectKind::RwLock) {
    type = rwlock_;
    object.prefers_writers = decl.prefers_writers;
  } else if (decl.kind == ast::ObjectKind::Semaphore) {
    type = semaphore_;
  } else if (decl.kind == ast::ObjectKind::Channel && !decl.type) {
    type = intern(model::ChannelType{void_});
  } else if (decl.type) {
    type = resolve_type(*decl.type);
    const std::string what = fmt::format("`{}`", ast::spelling(decl.kind));
    if (!is_error(type) && !storable(type, tree().types[*decl.type].range, what)) type = error_;
    if (decl.kind == ast::ObjectKind::Channel && as<model::ArrayType>(type) != nullptr) {
      report(Code::BadElementType, tree().types[*decl.type].range,
             "a channel carries no arrays: whole arrays are not assigned")
          .cure(
              "put the array into a struct; for an array of channels write the size after the "
              "name");
      type = error_;
    }
    const bool is_one_value =
        decl.kind == ast::ObjectKind::Channel || decl.kind == ast::ObjectKind::Atomic;
    if (is_one_value &&
        !limit_value(element_of(type), decl.name.range,
                     decl.kind == ast::ObjectKind::Channel ? "a message of this channel"
                                                           : "a value of this atomic")) {
      type = error_;
    }
    if (decl.kind == ast::ObjectKind::Channel && !is_error(type)) {
      type = intern(model::ChannelType{type});
    }
  }
  object.type = with_dimensions(type, decl.dimensions);
  if (decl.capacity) {
    const auto capacity = constant_int(*decl.capacity, "the capacity of a channel");
    const SourceRange where = ast_expr(*decl.capacity).range;
    if (capacity && *capacity < 0) {
      report(Code::BadCapacity, where, fmt::format("a capacity of {}", *capacity))
          .cure("0 is a rendezvous: a send waits until somebody receives");
    } else if (capacity) {
      object.capacity = *capacity;
      if (const auto* channel = as<model::ChannelType>(element_of(object.type))) {
        const std::uint64_t size = model::scalar_count(model_, channel->element);
        if (!limit_elements(object.type, size * static_cast<std::uint64_t>(*capacity), where,
                            "this channel")) {
          object.capacity = 1;
        }
      }
    }
  }
  if (decl.max) {
    const auto max = constant_int(*decl.max, "the maximum of a semaphore");
    if (max && *max < 1) {
      report(Code::BadCapacity, ast_expr(*decl.max).range,
             fmt::format("a maximum of {}: nobody could ever do `up`", *max))
          .cure("the maximum is at least 1");
    } else if (max) {
      object.max = *max;
    }
  }
  return object;
}

void Sema::finish_object(model::ObjectId id, const ast::ObjectDecl& decl, const Env& env) {
  using Kind = ast::ObjectKind;
  const TypeId type = model_.objects[id].type;
  const bool is_variable =
      decl.kind == Kind::Shared || decl.kind == Kind::Atomic || decl.kind == Kind::Var;
  if (decl.initial && (is_variable || decl.kind == Kind::Semaphore)) {
    TypeId wanted = type;
    if (decl.kind == Kind::Semaphore) {
      Enter enter(*this, Context{CodeKind::Clause, env});
      wanted = with_dimensions(int_, decl.dimensions);
    }
    const auto initial = check_initial(*decl.initial, wanted, env);
    model_.objects[id].initial = initial;
    if (decl.kind == Kind::Semaphore) {
      Enter enter(*this, Context{CodeKind::Clause, env});
      check_semaphore(id, decl);
    }
  } else if (is_variable && !env.cls.valid() && !is_error(element_of(type)) && !has_default(type)) {
    Enter enter(*this, Context{CodeKind::Clause, env});
    report(Code::NoDefault, decl.name.range,
           fmt::format("`{}` of type `{}` has no initial value, and its type has no default",
                       decl.name.text, name_of(type)))
        .cure("give it one (`= new …`), or make the type nullable with `?`");
  }
  if (decl.guarded_by && decl.kind == Kind::Shared) check_guard(id, *decl.guarded_by, env);
  if (decl.of && decl.kind == Kind::Condition) check_condition(id, *decl.of, env);
  if (decl.init_by && decl.kind == Kind::Shared && !env.cls.valid()) {
    check_init_by(id, *decl.init_by, env);
  }
}

void Sema::check_semaphore(model::ObjectId id, const ast::ObjectDecl& decl) {
  const model::Object& object = model_.objects[id];
  if (!object.initial) return;
  std::vector<ExprId> pending{*object.initial};
  while (!pending.empty()) {
    const ExprId next = pending.back();
    pending.pop_back();
    const model::Expr& expr = model_.exprs[next];
    if (const auto* list = std::get_if<model::ArrayMake>(&expr.node)) {
      pending.insert(pending.end(), list->elements.begin(), list->elements.end());
    }
    const auto* number = std::get_if<model::IntLiteral>(&expr.node);
    if (number == nullptr) continue;
    if (number->value < 0) {
      report(Code::BadCapacity, expr.range,
             fmt::format("the semaphore `{}` starts at {}: its value is never negative",
                         decl.name.text, number->value));
      return;
    }
    if (object.max && number->value > *object.max) {
      report(Code::BadCapacity, expr.range,
             fmt::format("the semaphore `{}` starts at {}, above its maximum of {}", decl.name.text,
                         number->value, *object.max));
      return;
    }
  }
}

// ---- initial values ----------------------------------------------------------------------------

std::optional<ExprId> Sema::check_initial(ast::ExprId expr, TypeId type, const Env& env) {
  Enter enter(*this, Context{CodeKind::Initialiser, env});
  add_index_names();
  const ExprId initial = initial_value(expr, type);
  if (!check_static(initial, type)) return std::nullopt;
  return initial;
}

/// An initialiser of a variable of this type: one value for each element, or `[e, …]`.
ExprId Sema::initial_value(ast::ExprId expr, TypeId type) {
  const ast::ExprId bare = strip(expr);
  const auto* list = std::get_if<ast::ArrayExpr>(&ast_expr(bare).node);
  const SourceRange range = ast_expr(bare).range;
  const auto* array = as<model::ArrayType>(type);
  if (list == nullptr) {
    return right_side(expr, array != nullptr ? element_of(type) : type);
  }
  if (is_error(type)) {
    for (ast::ExprId element : list->elements)
      initial_value(element, error_);
    return error(range);
  }
  if (array == nullptr) {
    report(Code::BadArrayLiteral, range,
           fmt::format("a list of values for a `{}`: only arrays are initialised by `[…]`",
                       name_of(type)));
    return error(range);
  }
  const model::ArrayType shape = *array;
  if (list->elements.size() != shape.size) {
    report(Code::BadArrayLiteral, range,
           fmt::format("{} value{} for an array of {}: `[…]` gives exactly one to each element",
                       list->elements.size(), list->elements.size() == 1 ? "" : "s", shape.size));
    for (ast::ExprId element : list->elements)
      initial_value(element, shape.element);
    return error(range);
  }
  model::ArrayMake make;
  for (ast::ExprId element : list->elements) {
    make.elements.push_back(initial_value(element, shape.element));
  }
  return add(range, type, std::move(make));
}

/// Initial values are part of the initial state: constants, `new`, and combinations of those.
bool Sema::check_static(ExprId id, TypeId type) {
  const model::Expr expr = model_.exprs[id];
  if (is_error(id)) return false;
  if (const auto* list = std::get_if<model::ArrayMake>(&expr.node)) {
    bool good = true;
    const auto* array = as<model::ArrayType>(type);
    const TypeId element_type = array != nullptr ? array->element : type;
    for (ExprId element : list->elements)
      good = check_static(element, element_type) && good;
    return good;
  }
  if (const auto* object = std::get_if<model::New>(&expr.node)) {
    bool good = true;
    const auto init = model_.classes[object->decl].init;
    for (std::size_t i = 0; init && i < object->arguments.size(); ++i) {
      const ExprId argument = object->arguments[i];
      if (model_.exprs[argument].storage == model::Storage::Handle) continue;
      const TypeId wanted = model_.functions[*init].body.locals[model::LocalId::of(i)].type;
      good = check_static(argument, wanted) && good;
    }
    return good;
  }
  if (const auto* make = std::get_if<model::StructMake>(&expr.node)) {
    bool good = true;
    for (std::size_t i = 0; i < make->fields.size(); ++i) {
      good = check_static(make->fields[i], model_.structs[make->decl].fields[i].type) && good;
    }
    return good;
  }
  if (std::holds_alternative<model::NullLiteral>(expr.node)) return true;
  if (!bodies_ready(id)) return false;
  // The index of a process may stand in the expression: every value of it must do.
  std::vector<std::optional<std::int32_t>> indices{std::nullopt};
  if (env().process.valid()) {
    const model::ProcessId process = symbols_[env().process].model_process;
    if (process.valid() && model_.processes[process].index) {
      indices.clear();
      const model::IndexRange& range = *model_.processes[process].index;
      for (std::int64_t i = range.lo; i <= range.hi; ++i) {
        indices.emplace_back(static_cast<std::int32_t>(i));
      }
    }
  }
  bool depends = false;
  std::vector<ExprId> pending{id};
  while (!pending.empty()) {
    const ExprId next = pending.back();
    pending.pop_back();
    depends = depends || std::holds_alternative<model::IndexRef>(model_.exprs[next].node);
    model::for_each_operand(model_.exprs[next], [&](ExprId part) { pending.push_back(part); });
  }
  if (!depends) {
    const Constant result = evaluate_checked(id);
    if (!result.value || !fits(expr.range, element_of(type), *result.value)) return false;
    if (result.value->kind != model::Value::Kind::Struct &&
        result.value->kind != model::Value::Kind::Array &&
        result.value->kind != model::Value::Kind::Null) {
      const ExprId folded = literal_value(expr.range, expr.type, *result.value);
      model_.exprs[id] = model::Expr(model_.exprs[folded]);
    }
    return true;
  }
  for (const auto& index : indices) {
    const auto result = model::evaluate(model_, id, {std::nullopt, index});
    if (result) {
      if (!fits(expr.range, element_of(type), *result)) return false;
      continue;
    }
    report(Code::NotConstant, result.error().where,
           fmt::format("the initial value is not constant: {}", result.error().message));
    return false;
  }
  return true;
}

void Sema::count_elements() {
  std::uint64_t total = 0;
  for (model::ObjectId id : model_.objects.ids()) {
    const model::Object& object = model_.objects[id];
    if (object.owner || is_error(element_of(object.type))) continue;
    std::uint64_t copies = 1;
    if (object.process && model_.processes[*object.process].index) {
      const model::IndexRange& range = *model_.processes[*object.process].index;
      copies = static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, std::int64_t{range.hi} - range.lo + 1));
    }
    std::uint64_t size = model::scalar_count(model_, object.type);
    if (const auto* channel = as<model::ChannelType>(element_of(object.type))) {
      size *= model::scalar_count(model_, channel->element) *
              static_cast<std::uint64_t>(std::max(object.capacity, 1));
    }
    total += size * copies;
    if (total <= kMaxElements) continue;
    report(Code::TooLarge, object.range,
           fmt::format("with `{}` the model has {} elements in total; the limit is {}", object.name,
                       total, kMaxElements))
        .cure(
            "models are explored state by state; a handful of elements usually shows the problem");
    return;
  }
}

// ---- guarded by, init by -----------------------------------------------------------------------

void Sema::check_guard(model::ObjectId id, ast::ExprId expr, const Env& env) {
  if (const auto guard = fixed_lock(expr, env, Code::BadGuard, "guarded by"))
    model_.objects[id].guarded_by = guard;
}

void Sema::check_condition(model::ObjectId id, ast::ExprId expr, const Env& env) {
  if (const auto lock = fixed_lock(expr, env, Code::BadCondition, "of"))
    model_.objects[id].of = lock;
}

std::optional<ExprId> Sema::fixed_lock(ast::ExprId expr, const Env& env, Code code,
                                       std::string_view clause) {
  Enter enter(*this, Context{CodeKind::Clause, env});
  add_index_names();
  const SourceRange where = ast_expr(expr).range;
  const auto bad = [&](const std::string& message) {
    report(code, where, message)
        .cure(env.cls.valid() ? "name a lock or mutex of this class, or `this`"
                              : "name a lock or mutex that is declared in the same scope");
    return std::nullopt;
  };
  ExprId lock = value(expr);
  if (is_error(lock)) return std::nullopt;
  if (std::holds_alternative<model::ThisRef>(model_.exprs[lock].node))
    return add(where, lock_, model::MonitorRef{lock}, model::Storage::Handle);
  const bool is_guard = code == Code::BadGuard && as<model::RwLockType>(type_of(lock)) != nullptr;
  if (!is_guard && as<model::LockType>(type_of(lock)) == nullptr) {
    return bad(fmt::format("`{}` names a `{}`; it must be a lock or a mutex", clause,
                           name_of(type_of(lock))));
  }
  // The lock must be known without running anything.
  ExprId place = lock;
  while (const auto* index = std::get_if<model::Index>(&model_.exprs[place].node)) {
    const auto& position = model_.exprs[index->index].node;
    const auto* literal = std::get_if<model::IntLiteral>(&position);
    const auto* array = as<model::ArrayType>(type_of(index->base));
    if (literal != nullptr && array != nullptr &&
        (literal->value < 0 || static_cast<std::uint32_t>(literal->value) >= array->size)) {
      return bad(fmt::format("there is no lock {}: its array has the indices 0..<{}",
                             literal->value, array->size));
    }
    if (!std::holds_alternative<model::IntLiteral>(position) &&
        !std::holds_alternative<model::IndexRef>(position)) {
      return bad(fmt::format("the index of the lock in `{} …` must be constant", clause));
    }
    place = index->base;
  }
  const auto& node = model_.exprs[place].node;
  const auto* field = std::get_if<model::FieldRef>(&node);
  const bool own_field =
      field != nullptr && std::holds_alternative<model::ThisRef>(model_.exprs[field->object].node);
  const auto* object = std::get_if<model::ObjectRef>(&node);
  if (!own_field && (object == nullptr || object->process_index))
    return bad(fmt::format("`{}` must name a lock itself, not one found at run time", clause));
  return lock;
}

void Sema::check_init_by(model::ObjectId id, ast::ExprId expr, const Env& env) {
  Enter enter(*this, Context{CodeKind::Clause, env});
  ast::ExprId bare = strip(expr);
  const SourceRange where = ast_expr(bare).range;
  const auto bad = [&](const std::string& message) -> Diagnostic& {
    return report(Code::BadInitBy, where, message);
  };
  std::optional<std::int32_t> position;
  bool indexed = false;
  if (const auto* index = std::get_if<ast::IndexExpr>(&ast_expr(bare).node)) {
    indexed = true;
    position = constant_int(index->index, "the index of a thread");
    if (!position) return;
    bare = strip(index->base);
  }
  const auto* name = std::get_if<ast::NameExpr>(&ast_expr(bare).node);
  if (name == nullptr) {
    bad("`init by` names one thread instance of the same process")
        .cure("write `init by Main`, or `init by Worker[2]`");
    return;
  }
  const SymbolId symbol = find_symbol(env, name->name.text);
  if (!symbol.valid()) {
    report_unknown(name->name, "thread");
    return;
  }
  saw(name->name.range, symbols_[symbol].where);
  if (symbols_[symbol].kind != SymbolKind::Thread) {
    bad(fmt::format("`{}` is no thread: `init by` names the thread that initialises the object",
                    name->name.text))
        .also(symbols_[symbol].where, "declared here");
    return;
  }
  const model::ThreadId thread = symbols_[symbol].thread;
  if (!thread.valid()) return;
  const model::Thread& declared = model_.threads[thread];
  if (symbols_[symbol].process != env.process) {
    bad(fmt::format("`{}` belongs to another process and cannot access the object",
                    name->name.text))
        .also(declared.range, "declared here");
    return;
  }
  if (declared.is_spawned) {
    bad(fmt::format("`{}` is spawned: which of its instances initialises is not known in advance",
                    name->name.text))
        .also(declared.range, "declared here")
        .cure("`init by` names a thread that runs from the start");
    return;
  }
  if (declared.index && !indexed) {
    bad(fmt::format("`{}` is a family of threads: `init by` names one instance", name->name.text))
        .also(declared.range, "declared here")
        .cure(fmt::format("write `init by {}[{}]`", name->name.text, declared.index->lo));
    return;
  }
  if (!declared.index && indexed) {
    bad(fmt::format("`{}` is a single thread and takes no index", name->name.text))
        .also(declared.range, "declared here");
    return;
  }
  if (indexed && (*position < declared.index->lo || *position > declared.index->hi)) {
    bad(fmt::format("there is no `{}[{}]`: its index runs over {}..{}", name->name.text, *position,
                    declared.index->lo, declared.index->hi))
        .also(declared.range, "declared here");
    return;
  }
  model_.objects[id].init_by = model::InitBy{thread, std::nullopt, position};
}

}  // namespace cml::sema
