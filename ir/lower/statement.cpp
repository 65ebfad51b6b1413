// Statements, scopes, and the exits of scopes.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "frontend/walk.h"
#include "ir/lower/body.h"
#include "support/mutation.h"

namespace cml::ir::lowering {
namespace {

/// Whether evaluating the expression needs no operation and no call.
bool computes_locally(const model::Model& model, model::ExprId id) {
  const model::Expr& expr = model.exprs[id];
  bool result = expr.storage == model::Storage::Local || expr.storage == model::Storage::Value;
  result = result && !std::holds_alternative<model::Call>(expr.node) &&
           !std::holds_alternative<model::Operation>(expr.node) &&
           !std::holds_alternative<model::Choose>(expr.node) &&
           !std::holds_alternative<model::ChooseFrom>(expr.node);
  model::for_each_operand(
      expr, [&](model::ExprId operand) { result = result && computes_locally(model, operand); });
  return result;
}

bool is_handle(const model::Type& type) {
  return std::holds_alternative<model::LockType>(type) ||
         std::holds_alternative<model::RwLockType>(type) ||
         std::holds_alternative<model::ConditionType>(type) ||
         std::holds_alternative<model::SemaphoreType>(type) ||
         std::holds_alternative<model::ChannelType>(type);
}

}  // namespace

BodyLowering::BodyLowering(Context& context, Expressions& expressions, const ObjectTable& objects,
                           ThreadTable& threads, Instance instance)
    : context_(context),
      expressions_(expressions),
      objects_(objects),
      threads_(threads),
      instance_(std::move(instance)),
      code_(context) {}

Code BodyLowering::lower_body(const model::Body& body, SourceRange range) {
  Frame frame;
  frame.body = &body;
  frame.variables.resize(body.locals.size());
  frame.exit = code_.new_label();
  frames_.push_back(std::move(frame));
  if (instance_.life) {
    open_scope(range);
    begin_spawned(body, range);
    lower_block(body.block);
    close_scope();
    code_.bind(frames_.back().exit);
    code_.emit(Finish{{*instance_.life, {}, 1, 1}}, range);
  } else {
    lower_block(body.block);
    code_.bind(frames_.back().exit);
  }
  code_.end(range);
  lower_routines(0);
  lay_out_stacks(range);
  return code_.finish();
}

Code BodyLowering::lower_invariant(const model::Invariant& invariant) {
  static const model::Body kNoLocals;
  Frame frame;
  frame.body = &kNoLocals;
  frames_.push_back(std::move(frame));
  open_scope(invariant.range);
  check(invariant.condition, false, "", expr_of(invariant.condition).range);
  close_scope();
  code_.end(invariant.range);
  lower_routines(0);
  lay_out_stacks(invariant.range);
  return code_.finish();
}

// ---- scopes ------------------------------------------------------------------------------------

void BodyLowering::open_scope(SourceRange range) {
  Scope scope;
  scope.range = range;
  scopes_.push_back(std::move(scope));
}

void BodyLowering::close_scope() {
  Scope& scope = scopes_.back();
  release(scope.slots, scope.range);
  if (scope.lock) code_.emit(Release{place(*scope.lock)}, scope.range);
  scopes_.pop_back();
}

void BodyLowering::leave(std::size_t depth, Label target, SourceRange range) {
  for (std::size_t k = scopes_.size(); k-- > depth;) {
    Scope& scope = scopes_[k];
    for (const Slot slot : scope.slots)
      reset(slot, range);
    if (scope.lock) code_.emit(Release{place(*scope.lock)}, range);
    if (!scope.region_end) continue;
    // The region has one end; behind it, an exit code selects where to continue.
    if (!scope.exit_code)
      scope.exit_code = allocate_temporaries({{WordType::Kind::Int, 0, 15, {}}}, range);
    scope.exits.push_back({target, depth});
    const auto code = static_cast<std::int32_t>(scope.exits.size());
    if (code > 15)
      context_.unsupported("an atomic block with more than 15 ways out cannot be run", range);
    code_.emit(Set{{*scope.exit_code, {}, 1, {}}, expressions_.constant(code).expr, {}}, range);
    code_.jump(*scope.region_end, range);
    return;
  }
  code_.jump(target, range);
}

bool BodyLowering::in_region() const {
  return instance_.is_region || in_region_of_routine_ ||
         std::any_of(scopes_.begin(), scopes_.end(),
                     [](const Scope& s) { return s.region_end.has_value(); });
}

void BodyLowering::open_region(SourceRange range) {
  const bool nested = in_region();
  open_scope(range);
  if (nested) return;
  scopes_.back().region_end = code_.new_label();
  scopes_.back().first_routine = first_routine_;
  first_routine_ = routines_.size();
  code_.atomic(*scopes_.back().region_end, range);
}

void BodyLowering::close_region() {
  Scope scope = std::move(scopes_.back());
  const SourceRange range = scope.range;
  release(scope.slots, range);
  scopes_.pop_back();
  if (!scope.region_end) return;
  const bool falls_through = code_.reachable();
  if (routines_.size() > first_routine_) {  // control enters and leaves the block at its ends only
    code_.jump(*scope.region_end, range);
    in_region_of_routine_ = true;
    lower_routines(first_routine_);
    in_region_of_routine_ = false;
  }
  first_routine_ = scope.first_routine;
  code_.atomic_end(*scope.region_end, range);
  if (!scope.exit_code) return;
  const Label behind = code_.new_label();
  const Scalar code = expressions_.local(*scope.exit_code, 0, 15, true);
  for (std::size_t k = falls_through ? 0 : 1; k <= scope.exits.size(); ++k) {
    const Label here = code_.new_label();
    const Label next = code_.new_label();
    const Scalar chosen = expressions_.binary(
        ExprOp::Equal, code, expressions_.constant(static_cast<std::int32_t>(k)), range);
    if (k < scope.exits.size()) code_.branch(chosen.expr, k == 0 ? behind : here, next, range);
    code_.bind(here);
    if (k > 0) {
      reset(*scope.exit_code, range);
      leave(scope.exits[k - 1].depth, scope.exits[k - 1].target, range);
    }
    code_.bind(next);
  }
  code_.free(*scope.exit_code);
  code_.bind(behind);
}

void BodyLowering::lower_block(const model::Block& block) {
  open_scope(block.range);
  for (const model::StmtId stmt : block.statements) {
    if (!code_.reachable() || context_.failed()) break;
    lower_statement(stmt);
  }
  close_scope();
}

void BodyLowering::lower_statement(model::StmtId id) {
  const model::Stmt& stmt = context_.model.stmts[id];
  const Nesting nesting(context_, stmt.range);
  if (const auto point = context_.points.find(id); point != context_.points.end())
    code_.emit(Mark{point->second}, stmt.range);
  std::visit([&](const auto& node) { lower_node(stmt, node); }, stmt.node);
}

// ---- variables and assignments -----------------------------------------------------------------

void BodyLowering::lower_node(const model::Stmt&, const model::BlockStmt& node) {
  lower_block(node.block);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::LocalDecl& node) {
  const model::Local& local = frames_.back().body->locals[node.local];
  const model::Type& type = context_.model.types[local.type];
  if (is_handle(type)) {
    if (node.initial) variable(node.local).handle = scoped_handle(*node.initial);
    return;
  }
  std::vector<WordType> words = context_.words(local.type, local.range);
  if (node.initial && local.is_let && words.size() == 1) {
    // Never assigned again: as narrow as its value.
    const model::Expr& initial = expr_of(*node.initial);
    const bool direct =
        initial.storage != model::Storage::Value || context_.needs_code(*node.initial);
    if (const auto* number = std::get_if<model::IntType>(&context_.model.types[initial.type]);
        direct && number != nullptr && number->lo >= words[0].lo && number->hi <= words[0].hi) {
      words[0].lo = number->lo;
      words[0].hi = number->hi;
    }
    if (!direct) {
      Value value = lower(*node.initial);
      if (words[0].wraps)
        value.words.front() = expressions_.wrap(value.words.front(), words[0].hi, stmt.range);
      const Scalar& word = value.words.front();
      if (words[0].kind == WordType::Kind::Int && word.within(words[0].lo, words[0].hi)) {
        words[0].lo = word.lo;
        words[0].hi = word.hi;
      }
      Variable declared = declare(local, words);
      // What is constant in this instance of the thread is an exact index.
      declared.known = word.constant && words[0].lo == words[0].hi
                           ? word
                           : expressions_.local(declared.slot, words[0].lo, words[0].hi, true);
      variable(node.local) = declared;
      store(std::move(value), destination(declared.slot, words, local.name, local.type),
            stmt.range);
      return;
    }
  }
  Variable declared = declare(local, words);
  if (words.size() == 1)
    declared.known = expressions_.local(declared.slot, words[0].lo, words[0].hi, local.is_let);
  variable(node.local) = declared;
  const Destination whole = destination(declared.slot, words, local.name, local.type);
  if (!node.initial) {
    std::vector<std::int32_t> defaults;
    append_words(model::default_value(context_.model, local.type), defaults);
    const std::vector<std::string> names = context_.word_names(local.type, local.name);
    for (std::size_t k = 0; k < defaults.size() && k < words.size(); ++k) {
      if (defaults[k] == 0) continue;
      LocalPlace word = word_of(whole, k);
      if (k < names.size()) word.name = context_.text(names[k]);
      code_.emit(Set{word, expressions_.constant(defaults[k]).expr, {}}, stmt.range);
    }
  } else if (is_array(local.type)) {
    initialise_array(*node.initial, local.type, whole, stmt.range);
  } else {
    lower_into(*node.initial, whole, stmt.range);
    if (std::holds_alternative<model::Spawn>(expr_of(*node.initial).node) && local.is_let)
      variable(node.local).known =
          expressions_.local(declared.slot, spawned_.first, spawned_.second, true);
  }
}

void BodyLowering::initialise_array(model::ExprId initial, model::TypeId type,
                                    const Destination& to, SourceRange range) {
  const auto* array = std::get_if<model::ArrayType>(&context_.model.types[type]);
  if (context_.failed()) return;
  const auto* make = std::get_if<model::ArrayMake>(&expr_of(initial).node);
  if (array == nullptr || (make == nullptr && expr_of(initial).type == type)) {
    lower_into(initial, to, range);
    return;
  }
  // If all words are stored in one transition, traces show one change of the whole value.
  const bool at_once = computes_locally(context_.model, initial);
  const auto stride = static_cast<std::uint32_t>(context_.word_count(array->element));
  for (std::uint32_t k = 0; k < array->size && !context_.failed(); ++k) {
    const auto first = to.words.begin() + k * stride;
    Destination part = to;
    part.slot = to.slot + k * stride;
    part.words = {first, first + stride};
    if (!at_once) {
      part.label = fmt::format("{}[{}]", to.label, k);
      part.name = name_of(part.label, array->element);
    }
    initialise_array(make != nullptr && k < make->elements.size() ? make->elements[k] : initial,
                     array->element, part, range);
  }
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Assign& node) {
  if (expr_of(node.target).storage == model::Storage::Local)
    assign_frame(stmt, node);
  else
    assign_object(stmt, node);
}

void BodyLowering::assign_frame(const model::Stmt& stmt, const model::Assign& node) {
  FramePlace target = frame_place(node.target, true);
  if (context_.modifies_locals(node.value))
    save_terms(target.terms, target.temporaries, stmt.range);
  if (context_.failed()) return;
  const Destination to = destination(target, stmt.range);
  if (!node.op) {
    lower_into(node.value, to, stmt.range);
  } else {
    FramePlace read = target;
    read.temporaries.clear();
    Value old = read_frame(std::move(read), expr_of(node.target).range);
    protect(old, node.target, node.value);
    store(combine(*node.op, std::move(old), node.value, target.type, stmt.range), to, stmt.range);
  }
  release(target.temporaries, stmt.range);
}

void BodyLowering::assign_object(const model::Stmt& stmt, const model::Assign& node) {
  ObjectPlace target = object_place(node.target);
  if (context_.modifies_locals(node.value)) save_terms(target, stmt.range);
  if (context_.failed()) return;
  Value value;
  if (node.op) {
    Value old = read_object(target, {}, expr_of(node.target).range, true);
    value = combine(*node.op, std::move(old), node.value, target.type, stmt.range);
  } else {
    value = lower(node.value);
  }
  value = converted(std::move(value), target.type, stmt.range);
  write_object(target, value, stmt.range);
  release(value.temporaries, stmt.range);
  release(target.temporaries, stmt.range);
}

Value BodyLowering::combine(model::BinaryOp op, Value old, model::ExprId with, model::TypeId type,
                            SourceRange range) {
  const Value right = lower(with);
  if (old.words.size() != 1 || right.words.size() != 1) return old;
  old.words.front() = calculate(op, old.words.front(), right.words.front(), type, range);
  old.temporaries.insert(old.temporaries.end(), right.temporaries.begin(), right.temporaries.end());
  return old;
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::ExprStmt& node) {
  Value value = lower(node.expr, {nullptr, true});
  release(value.temporaries, stmt.range);
}

// ---- control flow ------------------------------------------------------------------------------

void BodyLowering::lower_node(const model::Stmt& stmt, const model::If& node) {
  const Label done = code_.new_label();
  for (const model::If::Arm& arm : node.arms) {
    const Label yes = code_.new_label();
    const Label no = code_.new_label();
    lower_condition(arm.condition, yes, no);
    code_.bind(yes);
    if (code_.reachable()) lower_block(arm.body);
    code_.jump(done, stmt.range);
    code_.bind(no);
  }
  if (node.otherwise && code_.reachable()) lower_block(*node.otherwise);
  code_.bind(done);
}

// The value is evaluated once; its temporaries end where a case begins.
void BodyLowering::lower_node(const model::Stmt& stmt, const model::Match& node) {
  Value value = lower(node.value);
  if (value.words.size() != 1) return;
  Scalar word = value.words.front();
  if (word.fails)
    word = materialise(word, value.temporaries,
                       context_.words(expr_of(node.value).type, stmt.range)[0], {}, stmt.range);
  const Label done = code_.new_label();
  const auto body = [&](const model::Block& block) {
    for (const Slot slot : value.temporaries)
      if (!CML_MUTATION("a-matched-value-stays")) reset(slot, stmt.range);
    lower_block(block);
    code_.jump(done, stmt.range);
  };
  for (std::size_t k = 0; k < node.cases.size() && code_.reachable(); ++k) {
    const model::Match::Case& c = node.cases[k];
    const Label taken = code_.new_label();
    const Label next = code_.new_label();
    const bool is_last = k + 1 == node.cases.size() && !node.otherwise;
    for (const std::int32_t wanted : c.values) {
      if (is_last) break;  // no other value is left
      const Scalar same =
          expressions_.binary(ExprOp::Equal, word, expressions_.constant(wanted), c.range);
      if (same.constant) {
        if (same.is(1)) code_.jump(taken, c.range);
        continue;
      }
      const Label other = code_.new_label();
      code_.branch(same.expr, taken, other, c.range);
      code_.bind(other);
    }
    code_.jump(is_last ? taken : next, c.range);
    code_.bind(taken);
    if (code_.reachable()) body(c.body);
    code_.bind(next);
  }
  if (node.otherwise && code_.reachable()) body(*node.otherwise);
  for (const Slot slot : value.temporaries)
    code_.free(slot);
  code_.bind(done);
}

void BodyLowering::lower_loop_body(const model::Block& body, Loop loop) {
  loop.depth = scopes_.size();
  frames_.back().loops.push_back(std::move(loop));
  lower_block(body);
  frames_.back().loops.pop_back();
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::While& node) {
  const Label head = code_.new_label();
  const Label body = code_.new_label();
  const Label done = code_.new_label();
  code_.bind(head);
  // A function that the condition calls may spawn.
  Loop loop(done, head);
  loop.depth = scopes_.size();
  frames_.back().loops.push_back(loop);
  lower_condition(node.condition, body, done);
  frames_.back().loops.pop_back();
  code_.bind(body);
  if (code_.reachable()) lower_loop_body(node.body, std::move(loop));
  code_.jump(head, stmt.range);
  code_.bind(done);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Loop& node) {
  const Label head = code_.new_label();
  const Label done = code_.new_label();
  code_.bind(head);
  lower_loop_body(node.body, Loop(done, head));
  code_.jump(head, stmt.range);
  code_.bind(done);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::For& node) {
  const model::Local& local = frames_.back().body->locals[node.index];
  open_scope(stmt.range);
  Value from = lower(node.lo);
  protect(from, expr_of(node.lo), true, context_.modifies_locals(node.hi));
  Value to = converted(lower(node.hi), expr_of(node.hi).type, expr_of(node.hi).range);
  if (context_.failed() || from.words.size() != 1 || to.words.size() != 1) {
    close_scope();
    return;
  }
  if (!to.words.front().stable)  // evaluated once, whatever the body assigns
    to.words.front() = materialise(to.words.front(), to.temporaries,
                                   {WordType::Kind::Int, INT32_MIN, INT32_MAX, {}}, {}, stmt.range);
  std::vector<Slot>& scoped = scopes_.back().slots;
  scoped.insert(scoped.end(), to.temporaries.begin(), to.temporaries.end());

  const Scalar lo = from.words.front();
  const Scalar hi = to.words.front();
  if (lo.constant && hi.constant && (node.half_open ? lo.lo >= hi.lo : lo.lo > hi.lo)) {
    close_scope();
    return;
  }
  // The last index of a non-empty loop, where known: then it stays in the range that its slot has.
  const bool known_end = hi.constant && lo.constant;
  const std::int32_t last = node.half_open && hi.hi > INT32_MIN ? hi.hi - 1 : hi.hi;
  const WordType type{WordType::Kind::Int, lo.lo, known_end ? last : std::max(lo.hi, hi.hi), {}};
  Variable declared = declare(local, {type});
  declared.immutable = true;
  declared.known = expressions_.local(declared.slot, lo.lo, std::max(lo.lo, last), true);
  variable(node.index) = declared;
  const Destination index = destination(declared.slot, {type}, local.name, local.type);
  store(std::move(from), index, stmt.range);

  const Label head = code_.new_label();
  const Label body = code_.new_label();
  const Label next = code_.new_label();
  const Label increment = code_.new_label();
  const Label done = code_.new_label();
  const Scalar any = expressions_.local(declared.slot, type.lo, type.hi, false);
  const Scalar more = expressions_.binary(ExprOp::Less, any, hi, stmt.range);
  code_.bind(head);
  if (!known_end)
    code_.branch(node.half_open ? more.expr
                                : expressions_.binary(ExprOp::LessEqual, any, hi, stmt.range).expr,
                 body, done, stmt.range);
  code_.bind(body);
  Loop loop(done, next);
  if (known_end) {
    loop.index = expressions_.local(declared.slot, lo.lo, last, true);
    loop.lo = lo.lo;
    loop.rounds = static_cast<std::uint64_t>(std::int64_t{last} - lo.lo + 1);
  }
  lower_loop_body(node.body, std::move(loop));
  code_.bind(next);
  if (known_end)
    code_.branch(
        expressions_.binary(ExprOp::Less, any, expressions_.constant(last), stmt.range).expr,
        increment, done, stmt.range);
  else if (!node.half_open)
    code_.branch(more.expr, increment, done, stmt.range);
  code_.bind(increment);
  code_.emit(Set{word_of(index, 0),
                 expressions_.binary(ExprOp::Add, any, expressions_.constant(1), stmt.range).expr,
                 {}},
             stmt.range);
  code_.jump(known_end || !node.half_open ? body : head, stmt.range);
  code_.bind(done);
  close_scope();
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Break&) {
  if (frames_.back().loops.empty()) return;
  const Loop& loop = frames_.back().loops.back();
  leave(loop.depth, loop.on_break, stmt.range);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Continue&) {
  if (frames_.back().loops.empty()) return;
  const Loop& loop = frames_.back().loops.back();
  leave(loop.depth, loop.on_continue, stmt.range);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Return& node) {
  if (node.value) {
    if (frames_.back().result) {
      const Destination result = *frames_.back().result;
      lower_into(*node.value, result, stmt.range);
    } else if (frames_.back().result_type.valid()) {
      Value dropped = operand(*node.value, frames_.back().result_type);
      release(dropped.temporaries, stmt.range);
    }
  }
  leave(frames_.back().depth, frames_.back().exit, stmt.range);
}

// ---- assertions --------------------------------------------------------------------------------

void BodyLowering::check(model::ExprId condition, bool is_assume, const std::string& message,
                         SourceRange range) {
  Value value = lower(condition);
  if (value.words.size() != 1) return;
  const Scalar word = value.words.front();
  if (!word.is(1)) {
    if (is_assume)
      code_.emit(Assume{word.expr}, range);
    else
      code_.emit(Assert{word.expr, message.empty() ? TextId() : context_.text(message)}, range);
  }
  if (word.is(0)) code_.set_unreachable();
  release(value.temporaries, range);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Assert& node) {
  check(node.condition, false, node.message, stmt.range);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Assume& node) {
  check(node.condition, true, "", stmt.range);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Fail& node) {
  code_.emit(Assert{expressions_.constant(0).expr,
                    node.message.empty() ? TextId() : context_.text(node.message)},
             stmt.range);
  code_.set_unreachable();
}

void BodyLowering::lower_node(const model::Stmt&, const model::Cover&) {}  // its point was marked

void BodyLowering::lower_node(const model::Stmt&, const model::Skip&) {}

}  // namespace cml::ir::lowering
