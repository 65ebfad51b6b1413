// Statements: from the AST to the model, with the rules that a statement can check by itself. What
// needs the whole function (control flow, effects) is in the rules. A statement whose parts are
// wrong stays in the model, so that those analyses see the same control flow as the writer.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {

void Sema::push_stmt(model::Block& into, SourceRange range, decltype(model::Stmt::node) node) {
  into.statements.push_back(model_.stmts.push({range, std::move(node)}));
}

model::Block Sema::block(const ast::Block& b) {
  const std::size_t mark = context_->names.size();
  model::Block result;
  result.range = b.range;
  for (ast::StmtId id : b.statements)
    statement(id, result);
  context_->names.resize(mark);
  return result;
}

void Sema::statement(ast::StmtId id, model::Block& into) {
  const ast::Stmt& stmt = tree().stmts[id];
  const SourceRange range = stmt.range;
  const auto loop_body = [&](const ast::Block& body) {
    ++context_->loops;
    model::Block result = block(body);
    --context_->loops;
    return result;
  };
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ast::BlockStmt>) {
          push_stmt(into, range, model::BlockStmt{block(node.block)});
        } else if constexpr (std::is_same_v<Node, ast::LocalDecl>) {
          local_decl(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::AssignStmt>) {
          assign(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::ExprStmt>) {
          expression_statement(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::IfStmt>) {
          model::If result;
          for (const ast::IfStmt::Arm& arm : node.arms) {
            const ExprId test = condition(arm.condition, "`if`");
            result.arms.push_back({test, block(arm.body)});
          }
          if (node.otherwise) result.otherwise = block(*node.otherwise);
          push_stmt(into, range, std::move(result));
        } else if constexpr (std::is_same_v<Node, ast::WhileStmt>) {
          const ExprId test = condition(node.condition, "`while`");
          push_stmt(into, range, model::While{test, loop_body(node.body)});
        } else if constexpr (std::is_same_v<Node, ast::LoopStmt>) {
          push_stmt(into, range, model::Loop{loop_body(node.body)});
        } else if constexpr (std::is_same_v<Node, ast::ForStmt>) {
          for_statement(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::BreakStmt> ||
                             std::is_same_v<Node, ast::ContinueStmt>) {
          constexpr bool is_break = std::is_same_v<Node, ast::BreakStmt>;
          if (context_->loops == 0) {
            report(Code::MisplacedBreak, range,
                   fmt::format("`{}` outside a loop", is_break ? "break" : "continue"))
                .cure(
                    "cases of `select` do not fall through and need no `break`; `return` leaves "
                    "the function or thread");
          } else if (is_break) {
            push_stmt(into, range, model::Break{});
          } else {
            push_stmt(into, range, model::Continue{});
          }
        } else if constexpr (std::is_same_v<Node, ast::ReturnStmt>) {
          return_statement(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::WithStmt>) {
          const ExprId lock = lock_place(node.lock, node.mode);
          push_stmt(into, range, model::With{lock, node.mode, block(node.body)});
        } else if constexpr (std::is_same_v<Node, ast::WaitUntilStmt>) {
          wait_until(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::AwaitStmt>) {
          push_stmt(into, range, model::Await{guard(node.condition, "`await`")});
        } else if constexpr (std::is_same_v<Node, ast::AtomicStmt>) {
          ++context_->atomic_blocks;
          model::Block body = block(node.body);
          --context_->atomic_blocks;
          push_stmt(into, range, model::Atomic{std::move(body), {}});
        } else if constexpr (std::is_same_v<Node, ast::LabelStmt>) {
          label(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::MatchStmt>) {
          match(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::SelectStmt>) {
          select(node, range, into);
        } else if constexpr (std::is_same_v<Node, ast::EitherStmt>) {
          model::Either result;
          for (const ast::Block& branch : node.branches)
            result.branches.push_back(block(branch));
          push_stmt(into, range, std::move(result));
        } else if constexpr (std::is_same_v<Node, ast::AssertStmt>) {
          const ExprId test = condition(node.condition, "`assert`");
          push_stmt(into, range,
                    model::Assert{test, node.message ? node.message->value : std::string()});
        } else if constexpr (std::is_same_v<Node, ast::AssumeStmt>) {
          push_stmt(into, range, model::Assume{condition(node.condition, "`assume`")});
        } else if constexpr (std::is_same_v<Node, ast::FailStmt>) {
          push_stmt(into, range, model::Fail{node.message ? node.message->value : std::string()});
        } else if constexpr (std::is_same_v<Node, ast::CoverStmt>) {
          push_stmt(into, range, model::Cover{node.label.value});
        } else if constexpr (std::is_same_v<Node, ast::JoinStmt>) {
          const ExprId handle = value(node.handle);
          if (!is_error(handle) && as<model::ThreadType>(type_of(handle)) == nullptr) {
            report(
                Code::TypeMismatch, range_of(handle),
                fmt::format("`join` on a `{}`; it waits for a `thread`", name_of(type_of(handle))))
                .cure("keep the handle that `spawn` returns: `let h = spawn …; join h;`");
          }
          push_stmt(into, range, model::Join{handle});
        } else {
          static_assert(std::is_same_v<Node, ast::SkipStmt>);
          push_stmt(into, range, model::Skip{});
        }
      },
      stmt.node);
}

/// A step of its own that does nothing, so that the thread can be seen there.
void Sema::label(const ast::LabelStmt& node, SourceRange range, model::Block& into) {
  const bool is_method = env().cls.valid() && model_.classes[env().cls].is_atomic;
  if (context_->atomic_blocks > 0 || is_method || context_->kind == CodeKind::Finally) {
    report(Code::MisplacedLabel, range,
           "a label inside of one transition: no thread is ever seen there")
        .cure("put it before or behind the atomic block");
    return;
  }
  if (node.label.value.empty()) {
    report(Code::MisplacedLabel, range, "a label without a name").cure("write `label \"cs\";`");
    return;
  }
  push_stmt(into, range, model::Atomic{{{}, range}, node.label.value});
}

// ---- locals ------------------------------------------------------------------------------------

bool Sema::check_hiding(const ast::Name& name) {
  if (name.text.empty()) return false;
  if (const LocalName* other = find_local(name.text)) {
    const bool index = other->kind == LocalName::Kind::ThreadIndex ||
                       other->kind == LocalName::Kind::ProcessIndex || other->is_for_index;
    report(Code::DuplicateName, name.range,
           fmt::format("`{}` hides {} of the same name", name.text,
                       index ? "an index" : "a local or parameter"))
        .also(other->where, "declared here")
        .cure("give one of them another name");
    return true;
  }
  SourceRange hidden;
  std::string_view what;
  if (env().cls.valid()) {
    const auto found = instance(env().cls).by_name.find(name.text);
    if (found != instance(env().cls).by_name.end()) {
      hidden = instance(env().cls).members[found->second].where;
      what = "a member of the class";
      // `init(size: int) { this.size = size; }` is what everybody writes.
      if (context_->is_init) return true;
    }
  }
  if (what.empty()) {
    const SymbolId symbol = find_symbol(env(), name.text);
    if (!symbol.valid()) return true;
    hidden = symbols_[symbol].where;
    what = "a top-level name";
    if (symbols_[symbol].process.valid()) what = "a name of the process";
  }
  report(Code::LocalHides, name.range, fmt::format("`{}` hides {}", name.text, what))
      .also(hidden, "declared here");
  return true;
}

void Sema::declare_name(LocalName name) {
  note_local(name);
  context_->names.push_back(std::move(name));
}

model::LocalId Sema::declare_local(const ast::Name& name, TypeId type, bool is_let,
                                   bool parameter) {
  check_hiding(name);
  if (!limit_value(type, name.range, parameter ? "this parameter" : "this local")) type = error_;
  model::Local local;
  local.name = std::string(name.text);
  local.type = type;
  local.range = name.range;
  local.is_let = is_let;
  local.is_parameter = parameter;
  const model::LocalId id = context_->body.locals.push(std::move(local));
  LocalName entry;
  entry.name = name.text;
  entry.where = name.range;
  entry.local = id;
  entry.type = type;
  declare_name(entry);
  return id;
}

void Sema::local_decl(const ast::LocalDecl& decl, SourceRange range, model::Block& into) {
  const std::string_view keyword = decl.is_let ? "let" : "var";
  TypeId type = error_;
  std::optional<ExprId> initial;
  if (decl.atomic) return atomic_value(decl, range, into);
  if (decl.type) {
    type = resolve_type(*decl.type);
    if (!is_error(type) && is_handle(type) && decl.is_let && decl.dimensions.empty() &&
        decl.initial) {
      handle_let(decl, typed(*decl.initial, type, "the value"), range, into);
      return;
    }
    const std::string what = fmt::format("a `{}`", keyword);
    if (!is_error(type) && !storable(type, tree().types[*decl.type].range, what)) type = error_;
    type = with_dimensions(type, decl.dimensions);
    if (decl.initial) initial = initial_value(*decl.initial, type);
  } else if (decl.initial) {
    const ast::ExprId bare = strip(*decl.initial);
    if (std::holds_alternative<ast::ArrayExpr>(ast_expr(bare).node)) {
      report(Code::CannotInfer, ast_expr(bare).range,
             fmt::format("the type of `{}` cannot be told from a list of values", decl.name.text))
          .cure(fmt::format("write `{} {}: T[n] = […]`", keyword, decl.name.text));
      initial = initial_value(bare, error_);
    } else {
      initial = right_side(*decl.initial, {});
      if (is_handle(type_of(*initial)) && decl.is_let && decl.dimensions.empty()) {
        handle_let(decl, *initial, range, into);
        return;
      }
      type = inferred_type(decl, *initial);
    }
    type = with_dimensions(type, decl.dimensions);
  }
  if (decl.is_let && initial && decl.dimensions.empty() && !is_error(type)) {
    // A `let` with a constant initialiser is a constant.
    if (auto known = literal_of(*initial)) {
      if (!fits(range_of(*initial), type, *known->value)) known->value.reset();
      if (const auto* mod = as<model::ModType>(type))
        known->value->scalar = model::wrapped(known->value->scalar, mod->last);
      known->type = type;
      check_hiding(decl.name);
      LocalName entry;
      entry.name = decl.name.text;
      entry.where = decl.name.range;
      entry.kind = LocalName::Kind::Constant;
      entry.type = type;
      entry.constant = *known;
      declare_name(entry);
      return;
    }
  }
  if (!initial && !decl.is_let && !is_error(element_of(type)) && !has_default(type)) {
    report(Code::NoDefault, decl.name.range,
           fmt::format("`{}` of type `{}` has no initial value, and its type has no default",
                       decl.name.text, name_of(type)))
        .cure("give it one, or make the type nullable with `?`");
  }
  const model::LocalId local = declare_local(decl.name, type, decl.is_let, false);
  push_stmt(into, range, model::LocalDecl{local, initial});
}

/// The type of a local that says none.
TypeId Sema::inferred_type(const ast::LocalDecl& decl, ExprId initial) {
  const std::string_view keyword = decl.is_let ? "let" : "var";
  const TypeId type = type_of(initial);
  if (as<model::NullType>(type) != nullptr) {
    report(Code::CannotInfer, range_of(initial),
           fmt::format("the type of `{}` cannot be told from `null`", decl.name.text))
        .cure(fmt::format("write `{} {}: C? = null;`", keyword, decl.name.text));
    return error_;
  }
  if (as<model::ArrayType>(type) != nullptr) {
    report(Code::ArrayValue, range_of(initial),
           fmt::format("`{}` would be a copy of a whole array: arrays are not assigned",
                       decl.name.text))
        .cure("declare an array and copy the elements in a loop");
    return error_;
  }
  if (as<model::IntType>(type) != nullptr) return int_;  // even if what is copied is ranged
  const bool good =
      is_error(type) || storable(type, range_of(initial), fmt::format("a `{}`", keyword));
  return good ? type : error_;
}

/// `let v = atomic { … yield e; };`: a local that the block assigns.
void Sema::atomic_value(const ast::LocalDecl& decl, SourceRange range, model::Block& into) {
  const std::string what = fmt::format("a `{}`", decl.is_let ? "let" : "var");
  TypeId type;
  if (decl.type) {
    type = resolve_type(*decl.type);
    if (!is_error(type) && !storable(type, tree().types[*decl.type].range, what)) type = error_;
    type = with_dimensions(type, decl.dimensions);
    if (as<model::ArrayType>(type) != nullptr) {
      report(Code::ArrayValue, decl.name.range, "an atomic block yields no whole array")
          .cure("assign the elements in the block");
      type = error_;
    }
  }
  const ast::AtomicValue& atomic = *decl.atomic;
  model::Block body;
  body.range = atomic.body.range;
  const std::size_t mark = context_->names.size();
  ++context_->atomic_blocks;
  for (const ast::StmtId id : atomic.body.statements)
    statement(id, body);
  const ExprId yielded =
      type.valid() ? typed(atomic.yielded, type, "the value") : value(atomic.yielded);
  --context_->atomic_blocks;
  context_->names.resize(mark);
  if (!type.valid()) type = inferred_type(decl, yielded);
  const model::LocalId local = declare_local(decl.name, type, decl.is_let, false);
  push_stmt(into, range, model::LocalDecl{local, {}});
  const ExprId target = add(decl.name.range, type, model::LocalRef{local}, model::Storage::Local);
  push_stmt(body, range_of(yielded), model::Assign{target, {}, yielded});
  push_stmt(into, range, model::Atomic{std::move(body), {}});
}

/// `let m = fork[i];`: a name for a lock, semaphore or channel.
void Sema::handle_let(const ast::LocalDecl& decl, ExprId initial, SourceRange range,
                      model::Block& into) {
  const model::LocalId local = declare_local(decl.name, type_of(initial), true, false);
  push_stmt(into, range, model::LocalDecl{local, initial});
}

// ---- assignment --------------------------------------------------------------------------------

void Sema::report_read_only(SourceRange where, std::string message, std::string cure,
                            std::optional<SourceRange> declared) {
  auto& diagnostic = report(Code::ReadOnly, where, std::move(message));
  if (declared) diagnostic.also(*declared, "declared here");
  diagnostic.cure(std::move(cure));
}

bool Sema::assignable(ExprId target, ast::ExprId written) {
  const model::Expr& expr = model_.exprs[target];
  const SourceRange where = expr.range;
  const auto* name = std::get_if<ast::NameExpr>(&ast_expr(strip(written)).node);
  switch (expr.storage) {
    case model::Storage::Shared:
    case model::Storage::Atomic:
    case model::Storage::Var:
      return true;
    case model::Storage::Handle:
      report_read_only(where, fmt::format("a `{}` cannot be assigned", name_of(expr.type)),
                       "such values live in their declarations, in parameters and in `let`");
      return false;
    case model::Storage::Constant: {
      const auto* field = std::get_if<model::FieldRef>(&expr.node);
      const bool own = field != nullptr && context_->is_init &&
                       std::holds_alternative<model::ThisRef>(model_.exprs[field->object].node) &&
                       model_.objects[field->field].owner == env().cls;
      if (own && !model_.objects[field->field].initial) return true;
      ExprId root = target;
      while (const auto* part = std::get_if<model::StructField>(&model_.exprs[root].node)) {
        root = part->base;
      }
      std::optional<SourceRange> declared;
      if (const auto* f = std::get_if<model::FieldRef>(&model_.exprs[root].node)) {
        declared = model_.objects[f->field].range;
      }
      report_read_only(where, "a `const` field is assigned once, at its declaration or in `init`",
                       "use `shared` for what changes", declared);
      return false;
    }
    case model::Storage::Local: {
      ExprId root = target;
      for (bool down = true; down;) {
        down = false;
        if (const auto* part = std::get_if<model::StructField>(&model_.exprs[root].node)) {
          root = part->base;
          down = true;
        } else if (const auto* element = std::get_if<model::Index>(&model_.exprs[root].node)) {
          root = element->base;
          down = true;
        }
      }
      const auto* local = std::get_if<model::LocalRef>(&model_.exprs[root].node);
      if (local == nullptr) break;
      const model::Local& declared = context_->body.locals[local->local];
      if (!declared.is_let) return true;
      bool is_index = false;
      for (const LocalName& known : context_->names) {
        is_index = is_index || (known.local == local->local && known.is_for_index);
      }
      if (is_index) {
        report_read_only(
            where, fmt::format("`{}` is the index of a `for`, which is read-only", declared.name),
            "use `while` with a `var` of your own", declared.range);
      } else {
        report_read_only(where,
                         fmt::format("`{}` is a `let` and cannot be assigned again", declared.name),
                         "declare it with `var`", declared.range);
      }
      return false;
    }
    case model::Storage::Value:
      break;
  }
  if (std::holds_alternative<model::IndexRef>(expr.node)) {
    report_read_only(where, "the index of a family cannot be assigned", "copy it into a `var`");
  } else if (name != nullptr) {
    const LocalName* local = find_local(name->name.text);
    const SymbolId symbol = find_symbol(env(), name->name.text);
    std::optional<SourceRange> declared;
    if (local != nullptr) {
      declared = local->where;
    } else if (symbol.valid()) {
      declared = symbols_[symbol].where;
    }
    report_read_only(where,
                     fmt::format("`{}` is a {} and cannot be assigned", name->name.text,
                                 local != nullptr ? "constant `let`" : "constant"),
                     local != nullptr ? "declare it with `var`" : "use `shared`, or a local `var`",
                     declared);
  } else {
    report_read_only(where, "this is a value, not something that can be assigned",
                     "assign to a variable, a field or an element");
  }
  return false;
}

void Sema::assign(const ast::AssignStmt& node, SourceRange range, model::Block& into) {
  ExprId target = value(node.target);
  const TypeId type = type_of(target);
  bool good = !is_error(target);
  if (good && as<model::ArrayType>(type) != nullptr) {
    report(Code::ArrayValue, range_of(target), "a whole array cannot be assigned")
        .cure("assign the elements one by one");
    good = false;
  }
  good = good && assignable(target, node.target);
  ExprId stored;
  if (node.op) {
    stored = good ? value(node.value, type) : value(node.value);
    if (good && !is_error(stored)) {
      if (of_two_moduli(type, type_of(stored))) {
        report_two_moduli(range, fmt::format("`{}=` of a", ast::spelling(*node.op)), type,
                          type_of(stored));
        good = false;
      } else if (as<model::SetType>(type) != nullptr) {
        good = changes_set(*node.op, target, stored, range);
      } else if (!is_number(type) || !is_number(type_of(stored))) {
        const ExprId wrong = !is_number(type) ? target : stored;
        report(Code::OperandType, range_of(wrong),
               fmt::format("an operand of `{}=` is of type `{}`; it must be an `int`",
                           ast::spelling(*node.op), name_of(type_of(wrong))));
        good = false;
      }
    }
    // In an atomic block nobody comes between.
    if (good && model_.exprs[target].storage == model::Storage::Atomic &&
        context_->atomic_blocks == 0) {
      const bool sum = is_number(type) &&
                       (*node.op == ast::BinaryOp::Add || *node.op == ast::BinaryOp::Subtract);
      report(Code::CompoundOnAtomic, range,
             fmt::format("`{}=` on an atomic is a read and then a write: another thread may come "
                         "between them",
                         ast::spelling(*node.op)))
          .cure(sum               ? fmt::format("for one indivisible step write `.add({}…)`",
                                  *node.op == ast::BinaryOp::Subtract ? "-" : "")
                : is_number(type) ? "for one indivisible step use `.cas(old, new)` in a loop"
                                  : "for one indivisible step write `atomic { … }` around it");
    }
  } else {
    const TypeId unknown = is_set_literal(node.value) ? error_ : TypeId{};
    stored = right_side(node.value, good ? type : unknown);
  }
  if (!good) {
    target = error(range_of(target));
    stored = error(range_of(stored));
  }
  push_stmt(into, range, model::Assign{target, node.op, stored});
}

// ---- the others --------------------------------------------------------------------------------

void Sema::expression_statement(const ast::ExprStmt& node, SourceRange range, model::Block& into) {
  const ast::Expr& expr = ast_expr(node.expr);
  if (std::holds_alternative<ast::ErrorExpr>(expr.node)) return;
  if (const auto* spawned = std::get_if<ast::SpawnExpr>(&expr.node)) {
    push_stmt(into, range, model::ExprStmt{spawn(*spawned, expr.range)});
    return;
  }
  const bool call = std::holds_alternative<ast::CallExpr>(expr.node) ||
                    std::holds_alternative<ast::NewExpr>(expr.node);
  if (call) {
    const ExprId checked = expression(node.expr);
    const auto& result = model_.exprs[checked].node;
    if (std::holds_alternative<model::StructMake>(result)) {
      report(Code::NotAStatement, range, "a struct is made and dropped: this has no effect");
    }
    push_stmt(into, range, model::ExprStmt{checked});
    return;
  }
  // Anything else has been reported by the parser.
}

void Sema::return_statement(const ast::ReturnStmt& node, SourceRange range, model::Block& into) {
  const bool function = context_->kind == CodeKind::Function && !context_->is_init;
  const TypeId wanted = context_->result;
  const bool nothing = !wanted.valid() || as<model::VoidType>(wanted) != nullptr;
  if (!node.value) {
    if (function && !nothing && !is_error(wanted)) {
      report(
          Code::ReturnMismatch, range,
          fmt::format("`return` without a value in a function that returns `{}`", name_of(wanted)));
    }
    push_stmt(into, range, model::Return{});
    return;
  }
  if (nothing) {
    const ExprId dropped = value(*node.value);
    std::string_view where = "a function without a result";
    if (context_->kind == CodeKind::Thread) where = "a thread";
    if (context_->kind == CodeKind::Finally) where = "`finally`";
    if (context_->is_init) where = "a constructor";
    auto& diagnostic = report(Code::ReturnMismatch, range_of(dropped),
                              fmt::format("`return` with a value in {}", where));
    if (function) diagnostic.cure("declare the type of the result: `fun f(…): T { … }`");
    push_stmt(into, range, model::Return{});
    return;
  }
  const ExprId result = typed(*node.value, wanted, "the result");
  push_stmt(into, range, model::Return{result});
}

/// What `with` takes: a lock, the monitor of an object, or with a mode a reader-writer lock.
ExprId Sema::lock_place(ast::ExprId expr, ast::LockMode mode) {
  const ExprId place = value(expr);
  if (is_error(place)) return place;
  const bool is_rwlock = as<model::RwLockType>(type_of(place)) != nullptr;
  const bool has_mode = mode != ast::LockMode::Alone;
  if (is_rwlock && has_mode) return place;
  if (has_mode) {
    report(Code::TypeMismatch, range_of(place),
           fmt::format("`with {}` on a `{}`: only a reader-writer lock has modes",
                       mode == ast::LockMode::Read ? "read" : "write", name_of(type_of(place))))
        .cure("write `with m { … }`, or declare `rwlock r;`");
    return error(range_of(place));
  }
  if (as<model::LockType>(type_of(place)) != nullptr) return place;
  if (as<model::ClassType>(type_of(place)) != nullptr) {
    return add(range_of(place), lock_, model::MonitorRef{place}, model::Storage::Handle);
  }
  auto& diagnostic = report(
      Code::TypeMismatch, range_of(place),
      fmt::format("`with` on a `{}`: it takes a lock or an object", name_of(type_of(place))));
  if (is_rwlock) {
    diagnostic.cure("say how: `with read r { … }` or `with write r { … }`");
  } else if (as<model::SemaphoreType>(type_of(place)) != nullptr) {
    diagnostic.cure("a semaphore has `down()` and `up()`");
  } else if (as<model::ArrayType>(type_of(place)) != nullptr) {
    diagnostic.cure("name one element: `…[i]`");
  }
  return error(range_of(place));
}

void Sema::wait_until(const ast::WaitUntilStmt& node, SourceRange range, model::Block& into) {
  const ExprId call = expression(node.call);
  const ExprId test = guard(node.condition, "`until`");
  if (is_error(call)) return;
  const auto* wait = std::get_if<model::Operation>(&model_.exprs[call].node);
  if (wait == nullptr || wait->op != model::Operator::Wait) {
    report(Code::UntilWithoutWait, range_of(call),
           "`until` after something else than `wait()` of a lock or a condition")
        .cure("write `m.wait() until c;`, or `await c;` to wait without a lock");
    return;
  }
  const ExprId target = wait->target;
  push_stmt(into, range, model::WaitUntil{target, test});
}

}  // namespace cml::sema
