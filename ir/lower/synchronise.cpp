// Statements that synchronise: with, wait-until, await, atomic, select, either.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

void BodyLowering::lower_node(const model::Stmt& stmt, const model::With& node) {
  open_scope(stmt.range);  // the index of the lock
  ObjectPlace lock = scoped_handle(node.lock);
  if (!context_.failed()) {
    const SourceRange range = expr_of(node.lock).range;
    if (node.mode == ast::LockMode::Alone)
      code_.emit(Acquire{place(lock)}, range);
    else
      lock = acquire(lock, node.mode == ast::LockMode::Write, range);
    open_scope(expr_of(node.lock).range);
    scopes_.back().lock = std::move(lock);
    lower_block(node.body);
    close_scope();
  }
  close_scope();
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::WaitUntil& node) {
  // while !cond { m.wait(); }
  const Label head = code_.new_label();
  const Label body = code_.new_label();
  const Label done = code_.new_label();
  code_.bind(head);
  lower_condition(node.condition, done, body);
  code_.bind(body);
  if (code_.reachable()) {
    ObjectPlace target = object_place(node.target);
    if (!context_.failed()) wait(target, stmt.range);
    release(target.temporaries, stmt.range);
  }
  code_.jump(head, stmt.range);
  code_.bind(done);
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Await& node) {
  open_region(stmt.range);
  Value value = lower(node.condition);
  if (value.words.size() == 1) {
    code_.emit(Guard{value.words.front().expr}, stmt.range);
    if (value.words.front().is(0)) code_.set_unreachable();
  }
  release(value.temporaries, stmt.range);
  close_region();
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Atomic& node) {
  open_region(stmt.range);
  lower_block(node.body);
  close_region();
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Either& node) {
  std::vector<Label> branches;
  for (std::size_t k = 0; k < node.branches.size(); ++k)
    branches.push_back(code_.new_label());
  const Label done = code_.new_label();
  code_.either(branches, stmt.range);
  for (std::size_t k = 0; k < node.branches.size(); ++k) {
    code_.bind(branches[k]);
    lower_block(node.branches[k]);
    code_.jump(done, stmt.range);
  }
  code_.bind(done);
}

Destination BodyLowering::declare_received(model::LocalId binding) {
  const model::Local& local = frames_.back().body->locals[binding];
  const std::vector<WordType> words = context_.words(local.type, local.range);
  Variable declared = declare(local, words);
  if (words.size() == 1)
    declared.known = expressions_.local(declared.slot, words[0].lo, words[0].hi, true);
  declared.immutable = true;
  variable(binding) = declared;
  return destination(declared.slot, words, local.name, local.type);
}

/// Whether some case is at a rendezvous.
bool BodyLowering::may_meet(const model::Select& node) {
  return std::any_of(node.cases.begin(), node.cases.end(), [this](const model::Select::Case& c) {
    if (c.kind != model::Select::Kind::Send && c.kind != model::Select::Kind::Receive) return false;
    return is_rendezvous(c.target);
  });
}

bool BodyLowering::is_rendezvous(model::ExprId channel) {
  while (const auto* index = std::get_if<model::Index>(&expr_of(channel).node))
    channel = index->base;
  const auto& expr = expr_of(channel);
  if (const auto* object = std::get_if<model::ObjectRef>(&expr.node))
    return context_.model.objects[object->object].capacity == 0;
  if (const auto* field = std::get_if<model::FieldRef>(&expr.node))
    return context_.model.objects[field->field].capacity == 0;
  const auto* local = std::get_if<model::LocalRef>(&expr.node);
  if (local == nullptr) return false;
  const std::optional<ObjectPlace>& handle = variable(local->local).handle;
  return handle && context_.system.objects[handle->base].capacity == 0;
}

/// Who meets somebody does not look at objects in the same transition, so the guards are those of
/// locals, which do not change while the thread waits.
std::optional<ExprId> BodyLowering::guard_of_meeting(model::ExprId guard, SourceRange range,
                                                     std::vector<Slot>& used) {
  if (context_.needs_code(guard)) {
    context_.unsupported(
        "a guard that looks at objects, or calls a function, in a `select` with a rendezvous; only "
        "locals can be asked there: read it into a local before",
        expr_of(guard).range);
    return std::nullopt;
  }
  const Slot holds = allocate_temporaries({kBool}, range);
  used.push_back(holds);
  const Label yes = code_.new_label();
  const Label no = code_.new_label();
  lower_condition(guard, yes, no);
  code_.bind(yes);
  code_.emit(Set{{holds, {}, 1, {}}, expressions_.constant(1).expr, {}}, range);
  code_.bind(no);
  return expressions_.local(holds, 0, 1, true).expr;
}

void BodyLowering::lower_node(const model::Stmt& stmt, const model::Select& node) {
  const bool is_guarded = node.is_guarded();
  if (is_guarded && !may_meet(node)) return lower_guarded(stmt, node);
  using Kind = model::Select::Kind;
  // Indices and values of all cases first, left to right.
  struct Prepared {
    ObjectPlace target;
    Value sent;
  };
  std::vector<Prepared> prepared(node.cases.size());
  const auto changes_later = [&](std::size_t k) {
    bool changes = false;
    for (std::size_t later = k; later < node.cases.size(); ++later) {
      if (node.cases[later].kind == Kind::Await) continue;
      changes |= later > k && context_.modifies_locals(node.cases[later].target);
      changes |= node.cases[later].value && context_.modifies_locals(*node.cases[later].value);
    }
    return changes;
  };
  std::vector<Slot> used;
  for (std::size_t k = 0; k < node.cases.size() && !context_.failed(); ++k) {
    const model::Select::Case& c = node.cases[k];
    Prepared& p = prepared[k];
    if (c.kind == Kind::Await) continue;
    p.target = object_place(c.target);
    if (changes_later(k)) save_terms(p.target, c.range);
    if (c.value) {
      const auto* channel = std::get_if<model::ChannelType>(&context_.model.types[p.target.type]);
      if (channel == nullptr) return;
      p.sent = operand(*c.value, channel->element);
      model::Expr as_element;
      as_element.type = channel->element;
      as_element.range = c.range;
      protect(p.sent, as_element, false, k + 1 < node.cases.size() && changes_later(k + 1));
    }
    used.insert(used.end(), p.target.temporaries.begin(), p.target.temporaries.end());
    used.insert(used.end(), p.sent.temporaries.begin(), p.sent.temporaries.end());
  }
  std::vector<std::optional<ExprId>> holds;  // by case
  for (const model::Select::Case& c : node.cases)
    holds.push_back(c.guard ? guard_of_meeting(*c.guard, c.range, used) : std::nullopt);
  if (context_.failed()) return;

  Select select;
  std::vector<Scope> opened;
  for (std::size_t k = 0; k < node.cases.size(); ++k) {
    const model::Select::Case& c = node.cases[k];
    Select::Case out;
    out.kind = c.kind == Kind::Receive ? Select::Kind::Receive
               : c.kind == Kind::Send  ? Select::Kind::Send
               : c.kind == Kind::Down  ? Select::Kind::Down
               : c.kind == Kind::Await ? Select::Kind::Await
                                       : Select::Kind::Acquire;
    if (c.kind != Kind::Await) out.place = place(prepared[k].target);
    out.when = holds[k];
    out.values = expressions_of(prepared[k].sent);
    out.next = code_.new_label();
    out.range = c.range;
    open_scope(c.range);
    if (c.binding) {
      const Destination to = declare_received(*c.binding);
      for (std::size_t word = 0; word < to.words.size(); ++word)
        out.targets.push_back(word_of(to, word));
    }
    // Only one case is executed: their variables may share slots.
    opened.push_back(std::move(scopes_.back()));
    scopes_.pop_back();
    for (const Slot slot : opened.back().slots)
      code_.free(slot);
    select.cases.push_back(std::move(out));
  }
  std::vector<Label> labels;
  for (const Select::Case& c : select.cases)
    labels.push_back(c.next);
  const Label otherwise = code_.new_label();
  if (node.otherwise) select.otherwise = otherwise;
  code_.select(std::move(select), stmt.range);

  const Label done = code_.new_label();
  for (std::size_t k = 0; k < node.cases.size(); ++k) {
    code_.bind(labels[k]);
    for (const Slot slot : used)
      reset(slot, stmt.range);
    for (const Slot slot : opened[k].slots)
      code_.claim(slot);
    scopes_.push_back(std::move(opened[k]));
    lower_block(node.cases[k].body);
    close_scope();
    code_.jump(done, stmt.range);
  }
  if (node.otherwise) {
    code_.bind(otherwise);
    for (const Slot slot : used)
      reset(slot, stmt.range);
    lower_block(*node.otherwise);
    code_.jump(done, stmt.range);
  }
  // Freed only here, so that no case's variables got their slots before they were reset.
  for (const Slot slot : used)
    code_.free(slot);
  code_.bind(done);
}

}  // namespace cml::ir::lowering
