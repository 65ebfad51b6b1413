// Reader-writer locks.
//
// Of each there are, besides itself, a lock for each thread: to own that is to hold it for reading,
// and nobody else takes it. To own the lock itself is to hold it for writing. Each operation is an
// atomic region that looks at the locks of others, and then takes one's own:
//
//   acquireRead by t    guard: r is free                          acquire r (read) of t
//   acquireWrite        guard: r and r (read) of all are free     acquire r
//
// One that prefers writers has a flag besides for each thread, "r (writer waits)", which
// acquireWrite sets in a transition of its own, and at which readers look, too. Two readers look at
// r and take locks of their own, so they depend on each other in nothing.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

/// The lock or flag of a thread that belongs to a reader-writer lock.
ObjectPlace BodyLowering::part_of(const ObjectPlace& rwlock, ObjectId first, std::uint32_t thread,
                                  ObjectKind kind) const {
  const ReadWrite& parts = objects_.read_write(rwlock.base);
  ObjectPlace result;
  result.kind = kind;
  result.base =
      ObjectId(first.index + (rwlock.base.index - parts.first.index) * parts.threads + thread);
  for (Term term : rwlock.terms) {
    term.stride *= parts.threads;
    result.terms.push_back(std::move(term));
  }
  return result;
}

ObjectPlace BodyLowering::readers_lock(const ObjectPlace& rwlock) const {
  const ReadWrite& parts = objects_.read_write(rwlock.base);
  const std::uint32_t self = instance_.thread.valid() ? instance_.thread.index : 0;
  // The first time, the number of threads is not known yet (lower.cpp).
  return part_of(rwlock, parts.readers, self < parts.threads ? self : 0, ObjectKind::Lock);
}

ObjectPlace BodyLowering::writers_flag(const ObjectPlace& rwlock) const {
  const ReadWrite& parts = objects_.read_write(rwlock.base);
  const std::uint32_t self = instance_.thread.valid() ? instance_.thread.index : 0;
  return part_of(rwlock, parts.waiting, self < parts.threads ? self : 0, ObjectKind::Atomic);
}

/// Says in a slot whether the lock can be taken; `slots`: that one, and one to look into.
Scalar BodyLowering::can_take(const ObjectPlace& rwlock, bool writes, SourceRange range) {
  const ReadWrite& parts = objects_.read_write(rwlock.base);
  const auto threads = static_cast<std::int32_t>(
      std::max<std::size_t>(context_.system.threads.size(), parts.threads));
  const WordType owner{WordType::Kind::Int, 0, threads, {}};
  const Slot result = scoped_slots({kBool}, range);
  const Slot seen = scoped_slots({owner}, range);
  const Scalar so_far = expressions_.local(result, 0, 1, false);
  bool is_first = true;
  const auto also = [&](const Scalar& is_free) {
    const Scalar all =
        is_first ? is_free : expressions_.binary(ExprOp::And, so_far, is_free, range);
    is_first = false;
    code_.emit(Set{{result, {}, 1, {}}, all.expr, {}}, range);
  };
  const auto look = [&](const ObjectPlace& lock) {
    code_.emit(Owner{place(lock), {seen, {}, 1, {}}}, range);
    also(expressions_.binary(ExprOp::Equal, expressions_.local(seen, 0, threads, false),
                             expressions_.constant(0), range));
  };
  look(rwlock);
  for (std::uint32_t thread = 0; writes && thread < parts.threads; ++thread)
    look(part_of(rwlock, parts.readers, thread, ObjectKind::Lock));
  for (std::uint32_t thread = 0; !writes && parts.waiting.valid() && thread < parts.threads;
       ++thread) {
    const Slot flag = seen;
    Read read;
    read.place = place(part_of(rwlock, parts.waiting, thread, ObjectKind::Atomic));
    read.targets = {{flag, {}, 1, {}}};
    code_.emit(std::move(read), range);
    also(expressions_.binary(ExprOp::Equal, expressions_.local(flag, 0, threads, false),
                             expressions_.constant(0), range));
  }
  return so_far;
}

void BodyLowering::announce(const ObjectPlace& rwlock, bool waits, SourceRange range) {
  if (!objects_.read_write(rwlock.base).waiting.valid()) return;
  Write write;
  write.place = place(writers_flag(rwlock));
  write.values = {expressions_.constant(waits ? 1 : 0).expr};
  code_.emit(std::move(write), range);
}

ObjectPlace BodyLowering::acquire(const ObjectPlace& rwlock, bool writes, SourceRange range) {
  ObjectPlace taken = writes ? rwlock : readers_lock(rwlock);
  if (writes) announce(rwlock, true, range);
  open_region(range);
  describe_region(rwlock, writes ? ".acquireWrite()" : ".acquireRead()");
  code_.emit(Guard{can_take(rwlock, writes, range).expr}, range);
  code_.emit(Acquire{place(taken)}, range);
  if (writes) announce(rwlock, false, range);
  close_region();
  return taken;
}

Value BodyLowering::try_acquire(ObjectPlace rwlock, bool writes, Want want, SourceRange range) {
  Value value;
  if (!rwlock.terms.empty()) want.destination = nullptr;  // it is needed until the end
  const std::vector<LocalPlace> targets = results({kBool}, want, value, range);
  open_region(range);
  describe_region(rwlock, writes ? ".tryWrite()" : ".tryRead()");
  const Scalar is_free = can_take(rwlock, writes, range);
  if (!targets.empty()) code_.emit(Set{targets.front(), is_free.expr, {}}, range);
  const Label takes = code_.new_label();
  const Label done = code_.new_label();
  code_.branch(is_free.expr, takes, done, range);
  code_.bind(takes);
  code_.emit(Acquire{place(writes ? rwlock : readers_lock(rwlock))}, range);
  code_.bind(done);
  close_region();
  release(rwlock.temporaries, range);
  return value;
}

/// What traces call the region that was opened last.
void BodyLowering::describe_region(const ObjectPlace& rwlock, std::string_view operation) {
  if (!code_.reachable() || !scopes_.back().region_end) return;  // a part of a larger one
  auto* region = std::get_if<Atomic>(&code_.node(code_.last()));
  if (region == nullptr) return;
  region->of = place(rwlock);
  region->operation = context_.text(operation);
}

}  // namespace cml::ir::lowering
