// Operations on locks, semaphores, channels and atomics. Each is an instruction, after its
// operands.
#include <algorithm>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

Value BodyLowering::operand(model::ExprId expr, model::TypeId type) {
  return converted(lower(expr), type, expr_of(expr).range);
}

template <class Make>
Value BodyLowering::flag_operation(std::vector<Slot>& temporaries, Want want, SourceRange range,
                                   Make&& make) {
  Value value;
  recycle(temporaries, range, [&] {
    const std::vector<LocalPlace> targets = results({kBool}, want, value, range);
    std::optional<LocalPlace> target;
    if (!targets.empty()) target = targets.front();
    code_.emit(make(target), range);
  });
  return value;
}

Value BodyLowering::lower_operation(const model::Expr& expr, const model::Operation& node,
                                    Want want) {
  using model::Operator;
  switch (node.op) {
    case Operator::Cas:
    case Operator::Swap:
    case Operator::Add:
      return lower_update(expr, node, want);
    case Operator::Send:
    case Operator::TrySend:
      return lower_send(expr, node, want);
    case Operator::Receive:
    case Operator::ReceiveInto:
    case Operator::TryReceive:
      return lower_receive(expr, node, want);
    default:
      break;
  }
  ObjectPlace target = object_place(node.target);
  if (context_.failed()) return {};
  const Place at = place(target);
  Value value;
  switch (node.op) {
    case Operator::Acquire:
      code_.emit(Acquire{at}, expr.range);
      break;
    case Operator::Release:
      code_.emit(Release{at}, expr.range);
      break;
    case Operator::Notify:
      code_.emit(Notify{at, false, target.kind == ObjectKind::Condition}, expr.range);
      break;
    case Operator::NotifyAll:
      code_.emit(Notify{at, true, target.kind == ObjectKind::Condition}, expr.range);
      break;
    case Operator::Up:
      code_.emit(Up{at}, expr.range);
      break;
    case Operator::Down:
      code_.emit(Down{at, false, {}}, expr.range);
      break;
    case Operator::Wait:
      wait(target, expr.range);
      break;
    case Operator::AcquireRead:
    case Operator::AcquireWrite:
      (void)acquire(target, node.op == Operator::AcquireWrite, expr.range);
      break;
    case Operator::ReleaseRead:
      code_.emit(Release{place(readers_lock(target))}, expr.range);
      break;
    case Operator::ReleaseWrite:
      code_.emit(Release{at}, expr.range);
      break;
    case Operator::TryRead:
    case Operator::TryWrite:
      return try_acquire(std::move(target), node.op == Operator::TryWrite, want, expr.range);
    case Operator::WaitTimed: {
      if (!target.terms.empty()) want.destination = nullptr;  // it is needed until the end
      const std::vector<LocalPlace> targets = results({kBool}, want, value, expr.range);
      std::optional<LocalPlace> to;
      if (!targets.empty()) to = targets.front();
      wait(target, expr.range, std::make_optional(to));
      break;
    }
    case Operator::Close:
      code_.emit(Close{at}, expr.range);
      break;
    case Operator::Closed: {
      want.drop = false;
      return flag_operation(target.temporaries, want, expr.range, [&](const auto& to) {
        return Closed{at, *to};
      });
    }
    case Operator::TryAcquire:
      return flag_operation(target.temporaries, want, expr.range, [&](const auto& to) {
        return TryAcquire{at, to};
      });
    case Operator::Held:
      return flag_operation(target.temporaries, want, expr.range, [&](const auto& to) {
        return Held{at, to};
      });
    case Operator::Free: {
      value = read_owner(std::move(target), expr.range);
      for (Scalar& word : value.words)
        word = expressions_.binary(ExprOp::Equal, word, expressions_.constant(0), expr.range);
      return value;
    }
    case Operator::TryDown:
      return flag_operation(target.temporaries, want, expr.range, [&](const auto& to) {
        return Down{at, true, to};
      });
    case Operator::Size: {
      want.drop = false;
      const auto capacity = context_.system.objects[at.base].capacity;
      recycle(target.temporaries, expr.range, [&] {
        const WordType type{WordType::Kind::Int, 0, static_cast<std::int32_t>(capacity), {}};
        const std::vector<LocalPlace> targets = results({type}, want, value, expr.range);
        code_.emit(Size{at, targets.front()}, expr.range);
      });
      return value;
    }
    default:
      break;
  }
  release(target.temporaries, expr.range);
  return value;
}

void BodyLowering::wait(const ObjectPlace& target, SourceRange range,
                        const std::optional<std::optional<LocalPlace>>& timed) {
  const bool is_condition = target.kind == ObjectKind::Condition;
  const Place lock = place(is_condition ? lock_of(target) : target);
  std::optional<Place> condition;
  if (is_condition) condition = place(target);
  code_.emit(Wait{lock, condition}, range);
  if (timed) code_.emit(TimeOut{lock, condition, *timed}, range);
  code_.emit(Rewait{lock, condition}, range);
}

ObjectPlace BodyLowering::lock_of(const ObjectPlace& condition) const {
  const System& system = context_.system;
  ObjectPlace result;
  result.kind = ObjectKind::Lock;
  result.base = system.objects[condition.base].lock.value_or(ObjectId(0));
  const Object& lock = system.objects[result.base];
  if (!lock.owner.valid()) return result;
  // A field of the same object, which a reference chooses.
  const std::uint32_t each = system.groups[lock.group].count / system.classes[lock.owner].places;
  for (const Term& term : condition.terms)
    if (term.of.valid()) result.terms.push_back({term.index, each, term.size, term.of});
  return result;
}

Value BodyLowering::read_owner(ObjectPlace lock, SourceRange range) {
  Value value;
  const auto threads = static_cast<std::int32_t>(context_.system.threads.size());
  const Place at = place(lock);
  recycle(lock.temporaries, range, [&] {
    const std::vector<LocalPlace> targets =
        results({{WordType::Kind::Int, 0, threads, {}}}, {}, value, range);
    code_.emit(Owner{at, targets.front()}, range);
  });
  return value;
}

Scalar BodyLowering::instance_position(model::ExprId index, std::int32_t lo, std::uint32_t size,
                                       std::vector<Slot>& temporaries) {
  const SourceRange range = expr_of(index).range;
  Value value = lower(index);
  if (value.words.size() != 1) return expressions_.constant(0);
  Scalar position = value.words.front();
  if (lo != 0)
    position = expressions_.binary(ExprOp::Subtract, position, expressions_.constant(lo), range);
  const auto last = static_cast<std::int32_t>(size) - 1;
  const bool is_known = position.within(0, last) && !position.fails;
  const Scalar result =
      is_known ? position
               : materialise(expressions_.bound(position, size, range), value.temporaries,
                             {WordType::Kind::Int, 0, std::max(last, 0), {}}, {}, range);
  temporaries.insert(temporaries.end(), value.temporaries.begin(), value.temporaries.end());
  // What always fails has no value.
  const bool never = position.hi < 0 || position.lo > last;
  if (never) code_.set_unreachable();
  return never ? expressions_.constant(0) : result;
}

Value BodyLowering::lower_owned_by(const model::Expr& expr, const model::OwnedBy& node) {
  const DeclaredThread& declared = context_.threads[node.thread];
  const model::Thread& decl = context_.model.threads[node.thread];
  ObjectPlace lock = object_place(node.lock);
  if (context_.failed()) return {};
  // The instances of a process are consecutive, and in each of them those of the family.
  std::vector<Term> terms;
  std::vector<Slot> temporaries;
  if (decl.process && context_.model.processes[*decl.process].index) {
    const std::int32_t lo = context_.model.processes[*decl.process].index->lo;
    const Scalar process =
        node.process_index
            ? instance_position(*node.process_index, lo, declared.processes, temporaries)
            : expressions_.constant(instance_.process_index.value_or(lo) - lo);
    terms.push_back({process, declared.each, declared.processes});
  }
  if (node.index) {
    const std::int32_t lo = decl.index ? decl.index->lo : 0;
    terms.push_back(
        {instance_position(*node.index, lo, declared.each, temporaries), 1, declared.each});
  }
  const auto first = static_cast<std::int32_t>(declared.first.index) + 1;
  const Scalar number =
      expressions_.binary(ExprOp::Add, linear(terms, 1), expressions_.constant(first), expr.range);
  Value value = read_owner(std::move(lock), expr.range);
  if (value.words.size() != 1) return {};
  value.words.front() = expressions_.binary(ExprOp::Equal, value.words.front(), number, expr.range);
  append(value.temporaries, temporaries);
  return value;
}

Value BodyLowering::lower_update(const model::Expr& expr, const model::Operation& node, Want want) {
  ObjectPlace target = object_place(node.target);
  if (context_.failed() || node.arguments.empty()) return {};
  for (const model::ExprId argument : node.arguments)
    if (context_.modifies_locals(argument)) save_terms(target, expr.range);
  Update update;
  const std::vector<WordType> words = context_.words(target.type, expr.range);
  std::vector<Slot> used = target.temporaries;
  const Bounds own{words.front().lo, words.front().hi};
  Value expected;
  if (node.op == model::Operator::Cas) {
    update.kind = Update::Kind::Cas;
    expected = operand(node.arguments[0], expr_of(node.arguments[0]).type);
    protect(expected, node.arguments[0], node.arguments[1]);
    update.expected = expressions_of(expected);
    append(used, expected.temporaries);
  }
  const model::ExprId last = node.arguments.back();
  // A swap always stores its operand; whether the others store, or what, is known at run time.
  const bool wraps = words.front().wraps;
  const bool is_converted = node.op == model::Operator::Swap || wraps;
  Value stored = operand(last, is_converted ? target.type : expr_of(last).type);
  update.values = expressions_of(stored);
  append(used, stored.temporaries);
  if (node.op == model::Operator::Swap) {
    update.kind = Update::Kind::Swap;
  } else if (node.op == model::Operator::Add) {
    update.kind = Update::Kind::Add;
    update.bounds = own;
    update.wraps = wraps;
  } else if (stored.words.size() == 1 && !stored.words.front().within(own.lo, own.hi)) {
    update.bounds = own;
  }
  update.place = place(target);
  Value value;
  recycle(used, expr.range, [&] {
    update.targets =
        results(update.kind == Update::Kind::Cas ? std::vector<WordType>{kBool} : words, want,
                value, expr.range);
    for_each_chosen_word(target, expr.range, [&](std::uint32_t word) {
      update.word = word;
      code_.emit(update, expr.range);
    });
  });
  return value;
}

Value BodyLowering::lower_send(const model::Expr& expr, const model::Operation& node, Want want) {
  ObjectPlace target = object_place(node.target);
  const auto* channel = std::get_if<model::ChannelType>(&context_.model.types[target.type]);
  if (context_.failed() || channel == nullptr) return {};
  Value sent;
  if (!node.arguments.empty()) {
    if (context_.modifies_locals(node.arguments[0])) save_terms(target, expr.range);
    sent = operand(node.arguments[0], channel->element);
  }
  const std::vector<ExprId> values = expressions_of(sent);
  std::vector<Slot> used = target.temporaries;
  append(used, sent.temporaries);
  if (node.op == model::Operator::TrySend)
    return flag_operation(used, want, expr.range, [&](const auto& to) {
      return Send{place(target), values, true, to};
    });
  code_.emit(Send{place(target), values, false, {}}, expr.range);
  release(used, expr.range);
  return {};
}

Value BodyLowering::lower_receive(const model::Expr& expr, const model::Operation& node,
                                  Want want) {
  ObjectPlace target = object_place(node.target);
  const auto* channel = std::get_if<model::ChannelType>(&context_.model.types[target.type]);
  if (context_.failed() || channel == nullptr) return {};
  const std::vector<WordType> words = context_.words(channel->element, expr.range);
  Value value;
  // Without a flag it would not be known that nothing came.
  if (node.op == model::Operator::ReceiveInto) want.drop = false;
  if (node.op == model::Operator::Receive) {
    recycle(target.temporaries, expr.range, [&] {
      Receive receive;
      receive.channel = place(target);
      receive.targets = results(words, want, value, expr.range);
      code_.emit(std::move(receive), expr.range);
    });
    return value;
  }
  if (node.arguments.empty())  // of a channel without values
    return flag_operation(target.temporaries, want, expr.range, [&](const auto& success) {
      return Receive{place(target), {}, true, success};
    });
  if (context_.modifies_locals(node.arguments[0])) save_terms(target, expr.range);
  FramePlace variable = frame_place(node.arguments[0], true);
  if (context_.failed()) return {};
  const Destination to = destination(variable, expr.range);
  Value received;
  Receive receive;
  receive.channel = place(target);
  receive.targets = results(words, {&to, false}, received, expr.range);
  receive.try_only = node.op == model::Operator::TryReceive;
  std::vector<Slot> used = target.temporaries;
  if (received.stored) {
    append(used, variable.temporaries);
    return flag_operation(used, want, expr.range, [&](const auto& success) {
      receive.success = success;
      return receive;
    });
  }
  // The variable has a smaller range than the channel: checked if a value was received.
  value = flag_operation(used, {}, expr.range, [&](const auto& success) {
    receive.success = success;
    return receive;
  });
  const Label came = code_.new_label();
  const Label done = code_.new_label();
  code_.branch(value.words.front().expr, came, done, expr.range);
  code_.bind(came);
  store(std::move(received), to, expr.range);
  code_.bind(done);
  release(variable.temporaries, expr.range);
  return value;
}

}  // namespace cml::ir::lowering
