// `select` with guards: one transition that looks at all guards, channels, semaphores and locks,
// chooses among the cases that can go, and sends, receives, counts down or acquires
// (docs/reference.md, "Statements").
//
//   atomic { ready[k] = guard of k, and room in its channel or the like, for each k;
//            guard: some ready[k]            not where there is a default
//            choose one of those; its operation }
//   the body of the one chosen
//
// In an atomic block, of which it is the first operation, it is part of that transition. Cases
// share what they were prepared with: values to send and indices are evaluated before, once.
#include <algorithm>
#include <limits>
#include <utility>

#include "ir/lower/body.h"
#include "support/mutation.h"

namespace cml::ir::lowering {

struct BodyLowering::GuardedCase {
  ObjectPlace target;
  Value sent;
  std::optional<Destination> binding;
  Scalar ready;
  Label outside = 0;
};

/// Whether a channel of this type may be closed.
bool BodyLowering::closes_such(const ObjectPlace& channel) const {
  const std::vector<model::TypeId>& closed = context_.model.closed_channels;
  return std::find(closed.begin(), closed.end(), channel.type) != closed.end();
}

/// Whether the lock is free, or the thread's own, if that is no mutex.
Scalar BodyLowering::guarded_lock(const Place& lock, SourceRange range) {
  const auto threads = static_cast<std::int32_t>(kMaxThreads);  // some may be added later
  const Slot owner = scoped_slots({{WordType::Kind::Int, 0, threads, {}}}, range);
  code_.emit(Owner{lock, {owner, {}, 1, {}}}, range);
  const Scalar is_free = expressions_.binary(
      ExprOp::Equal, expressions_.local(owner, 0, threads, true), expressions_.constant(0), range);
  if (context_.system.objects[lock.base].is_mutex) return is_free;
  const Slot held = scoped_slots({kBool}, range);
  code_.emit(Held{lock, LocalPlace{held, {}, 1, {}}}, range);
  return expressions_.binary(ExprOp::Or, is_free, expressions_.local(held, 0, 1, true), range);
}

Scalar BodyLowering::guarded_permit(const Place& semaphore, SourceRange range) {
  const std::int32_t most = context_.system.objects[semaphore.base].max.value_or(
      std::numeric_limits<std::int32_t>::max());
  const Slot count = scoped_slots({{WordType::Kind::Int, 0, most, {}}}, range);
  code_.emit(Size{semaphore, {count, {}, 1, {}}}, range);
  return expressions_.binary(ExprOp::Less, expressions_.constant(0),
                             expressions_.local(count, 0, most, true), range);
}

/// Whether the case can go, in a slot of the scope.
Scalar BodyLowering::guarded_ready(const model::Select::Case& c, GuardedCase& prepared) {
  const Slot ready = scoped_slots({kBool}, c.range);
  const Scalar result = expressions_.local(ready, 0, 1, true);
  const Label no = code_.new_label();
  const Label yes = code_.new_label();
  const Label done = code_.new_label();
  if (c.guard && !CML_MUTATION("guards-of-cases-hold")) {
    lower_condition(*c.guard, yes, no);
    code_.bind(yes);
  }
  if (code_.reachable()) {
    if (c.kind == model::Select::Kind::Await) {
      code_.emit(Set{{ready, {}, 1, {}}, expressions_.constant(1).expr, {}}, c.range);
    } else if (c.kind == model::Select::Kind::Acquire) {
      const Scalar goes = guarded_lock(place(prepared.target), c.range);
      code_.emit(Set{{ready, {}, 1, {}}, goes.expr, {}}, c.range);
    } else if (c.kind == model::Select::Kind::Down) {
      const Scalar goes = guarded_permit(place(prepared.target), c.range);
      code_.emit(Set{{ready, {}, 1, {}}, goes.expr, {}}, c.range);
    } else {
      const auto capacity =
          static_cast<std::int32_t>(context_.system.objects[place(prepared.target).base].capacity);
      const Slot size = scoped_slots({{WordType::Kind::Int, 0, capacity, {}}}, c.range);
      code_.emit(Size{place(prepared.target), {size, {}, 1, {}}}, c.range);
      const Scalar count = expressions_.local(size, 0, capacity, true);
      const bool receives = c.kind == model::Select::Kind::Receive;
      const Scalar room =
          expressions_.binary(ExprOp::Less, receives ? expressions_.constant(0) : count,
                              receives ? count : expressions_.constant(capacity), c.range);
      Scalar goes = room;
      if (closes_such(prepared.target)) {
        const Slot closed = scoped_slots({kBool}, c.range);
        code_.emit(Closed{place(prepared.target), {closed, {}, 1, {}}}, c.range);
        if (!CML_MUTATION("guarded-cases-do-not-see-what-is-closed"))
          goes = expressions_.binary(ExprOp::Or, room, expressions_.local(closed, 0, 1, true),
                                     c.range);
      }
      code_.emit(Set{{ready, {}, 1, {}}, goes.expr, {}}, c.range);
    }
    code_.jump(done, c.range);
  }
  code_.bind(no);
  code_.bind(done);
  return result;
}

void BodyLowering::lower_guarded(const model::Stmt& stmt, const model::Select& node) {
  using Kind = model::Select::Kind;
  open_scope(stmt.range);
  std::vector<GuardedCase> cases(node.cases.size());
  for (std::size_t k = 0; k < cases.size() && !context_.failed(); ++k) {
    const model::Select::Case& c = node.cases[k];
    cases[k].outside = code_.new_label();
    if (c.kind == Kind::Await) continue;
    cases[k].target = scoped_handle(c.target);
    if (c.kind == Kind::Receive && c.binding) cases[k].binding = declare_received(*c.binding);
    if (!c.value) continue;
    const auto* channel =
        std::get_if<model::ChannelType>(&context_.model.types[cases[k].target.type]);
    if (channel == nullptr) continue;
    const std::vector<WordType> words = context_.words(channel->element, c.range);
    const Slot slot = scoped_slots(words, c.range);
    const Destination to = destination(slot, words);
    lower_into(*c.value, to, c.range);
    for (std::size_t word = 0; word < words.size(); ++word)
      cases[k].sent.words.push_back(
          expressions_.local(slot + static_cast<Slot>(word), words[word].lo, words[word].hi, true));
  }
  const std::size_t outside = scopes_.size();
  const Label otherwise = code_.new_label();
  const Label done = code_.new_label();
  open_region(stmt.range);
  Scalar any = expressions_.constant(0);
  Scalar count = expressions_.constant(0);
  std::vector<Scalar> before;  // how many cases before this one can go
  for (std::size_t k = 0; k < cases.size() && !context_.failed(); ++k) {
    cases[k].ready = guarded_ready(node.cases[k], cases[k]);
    before.push_back(count);
    any =
        k == 0 ? cases[k].ready : expressions_.binary(ExprOp::Or, any, cases[k].ready, stmt.range);
    count = expressions_.binary(ExprOp::Add, count, cases[k].ready, stmt.range);
  }
  if (!node.otherwise) {
    code_.emit(Guard{any.expr}, stmt.range);
  } else {
    const Label some = code_.new_label();
    const Label none = code_.new_label();
    code_.branch(any.expr, some, none, stmt.range);
    code_.bind(none);
    leave(outside, otherwise, stmt.range);
    code_.bind(some);
  }
  Scalar chosen = expressions_.constant(0);
  if (cases.size() > 1 || node.otherwise) {  // of a single one: every select is visible
    const auto last = static_cast<std::int32_t>(cases.size()) - 1;
    const Slot slot = scoped_slots({{WordType::Kind::Int, 0, last, {}}}, stmt.range);
    const Scalar greatest =
        expressions_.binary(ExprOp::Subtract, count, expressions_.constant(1), stmt.range);
    const Scalar last_ready =
        CML_MUTATED("only-the-first-guarded-case-goes", greatest, expressions_.constant(0));
    code_.emit(Choose{{slot, {}, 1, {}}, expressions_.constant(0).expr, last_ready.expr},
               stmt.range);
    chosen = expressions_.local(slot, 0, last, true);
  }
  for (std::size_t k = 0; k < cases.size() && !context_.failed(); ++k) {
    const model::Select::Case& c = node.cases[k];
    const Label taken = code_.new_label();
    const Label next = code_.new_label();
    const Scalar is_it = expressions_.binary(ExprOp::Equal, chosen, before[k], c.range);
    if (k + 1 == cases.size())
      code_.jump(taken, c.range);
    else
      code_.branch(expressions_.binary(ExprOp::And, cases[k].ready, is_it, c.range).expr, taken,
                   next, c.range);
    code_.bind(taken);
    if (c.kind == Kind::Receive) {
      Receive receive;
      receive.channel = place(cases[k].target);
      if (cases[k].binding)
        for (std::size_t word = 0; word < cases[k].binding->words.size(); ++word)
          receive.targets.push_back(word_of(*cases[k].binding, word));
      code_.emit(std::move(receive), c.range);
    } else if (c.kind == Kind::Send) {
      code_.emit(Send{place(cases[k].target), expressions_of(cases[k].sent), false, {}}, c.range);
    } else if (c.kind == Kind::Down) {
      code_.emit(Down{place(cases[k].target), false, {}}, c.range);
    } else if (c.kind == Kind::Acquire) {
      code_.emit(Acquire{place(cases[k].target)}, c.range);
    }
    leave(outside, cases[k].outside, c.range);
    code_.bind(next);
  }
  close_region();
  for (std::size_t k = 0; k < cases.size() && !context_.failed(); ++k) {
    code_.bind(cases[k].outside);
    if (code_.reachable()) lower_block(node.cases[k].body);
    code_.jump(done, stmt.range);
  }
  code_.bind(otherwise);
  if (node.otherwise && code_.reachable()) lower_block(*node.otherwise);
  code_.bind(done);
  close_scope();
}

}  // namespace cml::ir::lowering
