// Functions that call themselves: routines, with stacks in the frame.
//
// Calls are expanded elsewhere; here, code is lowered once, and what the caller has in its slots is
// saved while the routine runs:
//
//   caller:   save the live slots and the number of this call on the stacks
//             slots of the routine := arguments; all others := 0
//             depth := depth + 1; jump to the routine
//   routine:  … result := value; jump to its exit
//   exit:     depth := depth - 1; jump to the call with the number on the stack
//   caller:   restore the slots; destination := result; result := 0
//
// All of it is local computation. A stack is an array among the slots, one for each kind of word:
// what refers to objects stays apart. Words that are not in use are 0, as everywhere.
//
// In an atomic block, and in code of no thread, routines are part of that code.
#include <algorithm>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {
namespace {

bool is_same(const std::optional<ObjectPlace>& a, const std::optional<ObjectPlace>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->kind == b->kind && a->base == b->base && a->terms.size() == b->terms.size() &&
         std::equal(a->terms.begin(), a->terms.end(), b->terms.begin(),
                    [](const Term& x, const Term& y) {
                      return x.stride == y.stride && x.size == y.size && x.of == y.of;
                    });
}

}  // namespace

std::size_t BodyLowering::routine_of(model::FunctionId function, bool has_self,
                                     const std::vector<WordType>& words,
                                     const std::vector<std::optional<ObjectPlace>>& handles,
                                     SourceRange range) {
  for (std::size_t i = first_routine_; i < routines_.size(); ++i) {
    const Routine& known = routines_[i];
    if (known.function == function && known.handles.size() == handles.size() &&
        std::equal(handles.begin(), handles.end(), known.handles.begin(), is_same))
      return i;
  }
  const model::Function& decl = context_.model.functions[function];
  Routine routine;
  routine.function = function;
  routine.handles = handles;
  routine.has_self = has_self;
  routine.words = words;
  routine.first = code_.reserve(words, range);
  routine.results = context_.words(decl.result, decl.range);
  routine.result = code_.reserve(routine.results, range);
  routine.entry = code_.new_label();
  routine.exit = code_.new_label();
  routines_.push_back(std::move(routine));
  return routines_.size() - 1;
}

Value BodyLowering::call_routine(model::FunctionId id, const std::optional<model::ExprId>& receiver,
                                 const std::optional<Scalar>& self,
                                 const std::vector<model::ExprId>& arguments, SourceRange range,
                                 Want want, const std::optional<RecordedCall>& recorded) {
  Value value;
  const model::Function& function = context_.model.functions[id];
  const std::vector<WordType> results_of = context_.words(function.result, function.range);
  std::vector<LocalPlace> to;
  if (!results_of.empty() && !want.drop) to = results(results_of, want, value, range);
  value.stored = value.stored || results_of.empty() || want.drop;
  open_scope(range);

  // What is passed, in temporaries.
  std::vector<Scalar> passed;
  std::vector<WordType> words;
  std::vector<std::optional<ObjectPlace>> handles;
  if (receiver) {
    std::vector<Slot> temporaries;
    const Scalar reference = lower_reference(*receiver, temporaries);
    const WordType type = context_.words(expr_of(*receiver).type, range).front();
    words.push_back({type.kind, 0, type.hi, {}, type.of});
    const Slot slot = scoped_slots({words.back()}, range);
    if (code_.reachable()) code_.emit(Set{{slot, {}, 1, {}}, reference.expr, {}}, range);
    release(temporaries, range);
    passed.push_back(expressions_.local(slot, 0, type.hi, true));
  } else if (self) {
    const Class& decl = context_.system.classes[ClassId(function.owner->index)];
    words.push_back({WordType::Kind::Reference,
                     0,
                     static_cast<std::int32_t>(decl.places) - 1,
                     {},
                     ClassId(function.owner->index)});
    passed.push_back(*self);
  }
  for (std::uint32_t k = 0; k < function.body.parameter_count && k < arguments.size(); ++k) {
    const model::Local& parameter = function.body.locals[model::LocalId(k)];
    handles.emplace_back();
    if (expr_of(arguments[k]).storage == model::Storage::Handle) {
      handles.back() = scoped_handle(arguments[k]);
      for (const Term& term : handles.back()->terms) {
        // It may be an argument of this routine, which is overwritten before the others are read.
        const WordType type = term.type();
        words.push_back(type);
        const Slot slot = scoped_slots({type}, range);
        code_.emit(Set{{slot, {}, 1, {}}, term.index.expr, {}}, range);
        passed.push_back(expressions_.local(slot, type.lo, type.hi, true));
      }
      continue;
    }
    const std::vector<WordType> types = context_.words(parameter.type, range);
    const Slot slot = scoped_slots(types, range);
    lower_into(arguments[k], destination(slot, types, parameter.name, parameter.type),
               expr_of(arguments[k]).range);
    for (std::size_t i = 0; i < types.size(); ++i) {
      words.push_back(types[i]);
      passed.push_back(
          expressions_.local(slot + static_cast<Slot>(i), types[i].lo, types[i].hi, true));
    }
  }
  if (context_.failed() || !code_.reachable()) {
    close_scope();
    return value;
  }
  if (recorded) {
    std::vector<ExprId> values;
    for (std::size_t i = 1; i < passed.size(); ++i)
      values.push_back(passed[i].expr);
    invoke(*recorded, passed.front(), std::move(values), range);
  }
  if (!depth_)
    depth_ = code_.reserve(
        {{WordType::Kind::Int, 0, static_cast<std::int32_t>(context_.options.stack_room), {}}},
        range);
  const std::size_t number =
      routine_of(id, receiver.has_value() || self.has_value(), words, handles, range);
  const Label site = code_.new_label();
  routines_[number].sites.push_back(site);
  const Routine callee = routines_[number];

  const auto room = static_cast<std::int32_t>(context_.options.stack_room);
  const Scalar depth = expressions_.local(*depth_, 0, room, false);
  const Scalar fits = expressions_.binary(ExprOp::Less, depth, expressions_.constant(room), range);
  const bool is_limit = context_.options.stack_room < context_.options.max_stack;
  code_.emit(Assert{fits.expr, {}}, range, is_limit ? kMaxStack : "stack-overflow");

  // Its own arguments are live in a routine, too.
  std::vector<Slot> live = code_.live();
  if (routine_)
    for (std::size_t i = 0; i < routines_[*routine_].words.size(); ++i)
      live.push_back(routines_[*routine_].first + static_cast<Slot>(i));
  std::vector<std::uint32_t> used(stacks_.size(), 0);
  std::vector<std::pair<std::size_t, std::uint32_t>> at;  // where each is saved
  const std::size_t numbers = stack_of({WordType::Kind::Int, 0, 0, {}});
  const auto next_word = [&](std::size_t stack) {
    used.resize(stacks_.size(), 0);
    const std::uint32_t word = used[stack]++;
    stacks_[stack].words = std::max(stacks_[stack].words, used[stack]);
    return word;
  };
  const std::uint32_t number_word = next_word(numbers);
  const auto this_site = static_cast<std::int32_t>(callee.sites.size()) - 1;
  save(numbers, number_word, expressions_.constant(this_site), range);
  stacks_[numbers].type.hi = std::max(stacks_[numbers].type.hi, this_site);
  for (const Slot slot : live) {
    const WordType type = code_.type(slot);
    const std::size_t stack = stack_of(type);
    at.emplace_back(stack, next_word(stack));
    save(stack, at.back().second, expressions_.local(slot, type.lo, type.hi, false), range);
  }
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const Slot slot = callee.first + static_cast<Slot>(i);
    code_.widen(slot, words[i]);
    code_.emit(Set{{slot, {}, 1, {}}, passed[i].expr, {}}, range);
  }
  for (const Slot slot : live)
    if (slot < callee.first || slot >= callee.first + callee.words.size()) reset(slot, range);
  code_.emit(Set{{*depth_, {}, 1, {}},
                 expressions_.binary(ExprOp::Add, depth, expressions_.constant(1), range).expr,
                 {}},
             range);
  code_.jump(callee.entry, range);

  code_.bind_reachable(site);
  code_.emit(Set{{0, {}, 1, {}}, expressions_.constant(0).expr, {}}, range);
  saved_.push_back({numbers, number_word, code_.last(), {}});
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto& [stack, word] = at[i];
    const WordType type = code_.type(live[i]);
    const Scalar old = saved(stack, word, type, range);
    code_.emit(Set{{live[i], {}, 1, {}}, old.expr, {}}, range);
    code_.emit(Set{{0, {}, 1, {}}, expressions_.constant(0).expr, {}}, range);
    saved_.push_back({stack, word, code_.last(), {}});
  }
  if (recorded) {
    std::vector<ExprId> values;
    append_variable(callee.result, function.result, values, range);
    respond(*recorded, passed.front(), std::move(values), range);
  }
  for (std::size_t i = 0; i < results_of.size(); ++i) {
    const Slot from = callee.result + static_cast<Slot>(i);
    const Scalar word = expressions_.local(from, results_of[i].lo, results_of[i].hi, false);
    if (!to.empty()) {
      const WordType& wanted = results_of[i];
      code_.emit(Set{to[i], word.expr, Bounds{wanted.lo, wanted.hi}}, range);
      // What a routine returns may be what it was returned: `return f(n - 1);`.
      if (to[i].slot == from && !to[i].index) continue;
    }
    // `return f(…);` in f passes on the result where it is.
    const bool is_passed_on = !to.empty() && to[i].slot == from && !to[i].index;
    if (!is_passed_on) reset(from, range);
  }
  close_scope();
  return value;
}

// ---- stacks ------------------------------------------------------------------------------------

std::size_t BodyLowering::stack_of(const WordType& type) {
  const auto refers = [](const WordType& t) {
    return t.kind == WordType::Kind::Reference || t.kind == WordType::Kind::Thread;
  };
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    WordType& known = stacks_[i].type;
    if (refers(known) != refers(type)) continue;
    if (refers(type) && (known.kind != type.kind || known.of != type.of)) continue;
    known.lo = std::min(known.lo, type.lo);
    known.hi = std::max(known.hi, type.hi);
    return i;
  }
  Stack stack;
  stack.type = type;
  stack.type.lo = std::min(type.lo, 0);
  stack.type.hi = std::max(type.hi, 0);
  if (!refers(type)) stack.type = {WordType::Kind::Int, stack.type.lo, stack.type.hi, {}};
  stacks_.push_back(stack);
  return stacks_.size() - 1;
}

void BodyLowering::save(std::size_t stack, std::uint32_t word, const Scalar& value,
                        SourceRange range) {
  code_.emit(Set{{0, {}, 1, {}}, value.expr, {}}, range);
  saved_.push_back({stack, word, code_.last(), {}});
}

Scalar BodyLowering::saved(std::size_t stack, std::uint32_t word, const WordType& type,
                           SourceRange range) {
  Scalar result;
  result.expr = context_.system.exprs.push({ExprOp::LocalAt, 0, {}, {}, {}, range});
  result.lo = type.lo;
  result.hi = type.hi;
  saved_.push_back({stack, word, {}, result.expr});
  return result;
}

// The words of a stack that belong to one call lie side by side.
void BodyLowering::lay_out_stacks(SourceRange range) {
  if (saved_.empty() || context_.failed()) return;
  const std::uint32_t room = context_.options.stack_room;
  const Scalar depth = expressions_.local(*depth_, 0, static_cast<std::int32_t>(room), false);
  // A slot may have got more to hold since it was saved.
  for (Slot slot = 0; slot < code_.slots(); ++slot)
    (void)stack_of(code_.type(slot));
  std::erase_if(stacks_, [](const Stack& stack) { return stack.words == 0; });
  std::vector<Slot> first;
  std::vector<Scalar> index;
  for (const Stack& stack : stacks_) {
    const std::uint64_t words = std::uint64_t{stack.words} * room;
    if (words > kMaxSlots) {
      unsupported(
          "functions that call themselves need more room here than there is; allow fewer "
          "calls with `--max-stack`",
          range);
      return;
    }
    first.push_back(code_.reserve(std::vector<WordType>(words, stack.type), range));
    if (context_.failed()) return;
    const Scalar at =
        expressions_.binary(ExprOp::Multiply, depth,
                            expressions_.constant(static_cast<std::int32_t>(stack.words)), range);
    index.push_back(expressions_.bound(at, static_cast<std::uint32_t>(words), range));
  }
  for (const Saved& one : saved_) {
    const std::uint32_t count = (room - 1) * stacks_[one.stack].words + 1;
    const Slot slot = first[one.stack] + one.word;
    if (one.store) {
      LocalPlace& target = std::get<Set>(code_.node(*one.store)).target;
      target.slot = slot;
      target.index = index[one.stack].expr;
      target.count = count;
    } else {
      Expr& load = context_.system.exprs[one.load];
      load.value = static_cast<std::int32_t>(slot);
      load.a = index[one.stack].expr;
    }
  }
}

// ---- the code of routines ----------------------------------------------------------------------

void BodyLowering::lower_routines(std::size_t first) {
  const std::optional<std::size_t> outer = routine_;
  for (std::size_t i = first; i < routines_.size() && !context_.failed(); ++i) {
    routine_ = i;
    lower_routine(i);
  }
  routine_ = outer;
  // Only now it is known who calls them.
  for (std::size_t i = first; i < routines_.size() && !context_.failed(); ++i)
    return_from(routines_[i]);
  routines_.resize(first);
}

void BodyLowering::lower_routine(std::size_t number) {
  const Routine routine = routines_[number];
  const model::Function& function = context_.model.functions[routine.function];
  const bool made_atomic = std::exchange(makes_atomic_, false);
  std::vector<Frame> frames = std::exchange(frames_, {});
  std::vector<Scope> scopes = std::exchange(scopes_, {});
  code_.bind_reachable(routine.entry);
  Frame frame;
  frame.body = &function.body;
  frame.variables.resize(function.body.locals.size());
  frame.result_type = function.result;
  frame.exit = routine.exit;
  if (!routine.results.empty()) frame.result = destination(routine.result, routine.results);
  open_scope(function.range);
  Slot slot = routine.first;
  if (routine.has_self) {
    frame.self = expressions_.local(slot, 1, routine.words.front().hi, true);
    ++slot;
  }
  for (std::uint32_t k = 0; k < function.body.parameter_count && k < routine.handles.size(); ++k) {
    const model::Local& parameter = function.body.locals[model::LocalId(k)];
    Variable& variable = frame.variables[k];
    if (routine.handles[k]) {
      variable.handle = routine.handles[k];
      for (Term& term : variable.handle->terms) {
        const WordType word = term.type();
        term.index = expressions_.local(slot, word.lo, word.hi, true);
        ++slot;
      }
      continue;
    }
    variable.slot = slot;
    variable.immutable = parameter.is_let;
    const std::vector<std::string> names = context_.word_names(parameter.type, parameter.name);
    for (const std::string& name : names)
      code_.name(slot++, context_.text(name));
  }
  for (std::size_t i = 0; i < routine.words.size(); ++i)
    scopes_.back().slots.push_back(routine.first + static_cast<Slot>(i));
  lower_function(routine.function, std::move(frame), function.range);
  // Reserved slots stay reserved.
  const std::vector<Slot> own = std::exchange(scopes_.back().slots, {});
  for (const Slot one : own)
    reset(one, function.range);
  close_scope();
  code_.jump(routine.exit, function.range);
  frames_ = std::move(frames);
  scopes_ = std::move(scopes);
  makes_atomic_ = made_atomic;
}

void BodyLowering::return_from(const Routine& routine) {
  const SourceRange range = context_.model.functions[routine.function].range;
  const auto room = static_cast<std::int32_t>(context_.options.stack_room);
  code_.bind_reachable(routine.exit);
  const Scalar depth = expressions_.local(*depth_, 1, room, false);
  code_.emit(Set{{*depth_, {}, 1, {}},
                 expressions_.binary(ExprOp::Subtract, depth, expressions_.constant(1), range).expr,
                 {}},
             range);
  const std::size_t numbers = stack_of({WordType::Kind::Int, 0, 0, {}});
  for (std::size_t k = 0; k < routine.sites.size(); ++k) {
    if (k + 1 == routine.sites.size()) {
      code_.jump(routine.sites[k], range);
      break;
    }
    const Scalar site = saved(numbers, 0, stacks_[numbers].type, range);
    const Label next = code_.new_label();
    const Scalar is_it = expressions_.binary(
        ExprOp::Equal, site, expressions_.constant(static_cast<std::int32_t>(k)), range);
    code_.branch(is_it.expr, routine.sites[k], next, range);
    code_.bind(next);
  }
}

}  // namespace cml::ir::lowering
