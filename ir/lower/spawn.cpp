// Spawned threads: `spawn`, what such a thread begins and ends with, and `join`.
//
// Arguments are values of the life of the thread (ir/system.h) until its first step takes them. Of
// a lock, a semaphore or a channel the place is known when the thread is made; what its indices are
// is an argument.
#include <algorithm>
#include <utility>

#include "ir/lower/body.h"
#include "ir/lower/threads.h"

namespace cml::ir::lowering {

std::optional<BodyLowering::Rounds> BodyLowering::rounds(SourceRange range) {
  if (routine_) return std::nullopt;
  Rounds result;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    for (auto loop = frame->loops.rbegin(); loop != frame->loops.rend(); ++loop) {
      const std::uint64_t count = result.count * loop->rounds;
      if (!loop->index || count > kMaxThreads) return std::nullopt;
      const Scalar index = expressions_.binary(ExprOp::Subtract, *loop->index,
                                               expressions_.constant(loop->lo), range);
      if (loop->rounds > 1)
        result.index.push_back({index, static_cast<std::uint32_t>(result.count),
                                static_cast<std::uint32_t>(loop->rounds)});
      result.count = count;
    }
  return result;
}

Value BodyLowering::lower_spawn(const model::Expr& expr, const model::Spawn& node, Want want) {
  Value value;
  const model::Thread& decl = context_.model.threads[node.thread];
  if (!code_.reachable()) return value;
  // Left to right; what later arguments change is kept.
  Spawn spawn;
  std::vector<SpawnedHandle> handles;
  std::vector<WordType> types;
  std::vector<Slot> temporaries;
  const auto changes_later = [&](std::size_t k) {
    bool code = false;
    bool locals = false;
    for (++k; k < node.arguments.size(); ++k) {
      code = code || context_.needs_code(node.arguments[k]);
      locals = locals || context_.modifies_locals(node.arguments[k]);
    }
    return std::pair(code, locals);
  };
  for (std::size_t k = 0; k < node.arguments.size() && !context_.failed(); ++k) {
    const model::ExprId argument = node.arguments[k];
    const auto [code, locals] = changes_later(k);
    SpawnedHandle handle;
    Value passed;
    if (expr_of(argument).storage == model::Storage::Handle) {
      handle = object_place(argument);
      if (code || locals) save_terms(*handle, expr_of(argument).range);
      for (Term& term : handle->terms) {
        types.push_back(term.type());
        spawn.values.push_back(term.index.expr);
      }
      passed.temporaries = std::move(handle->temporaries);
      handle->temporaries.clear();
    } else {
      const model::TypeId type =
          decl.body.locals[model::LocalId(static_cast<std::uint32_t>(k))].type;
      passed = operand(argument, type);
      model::Expr as_parameter;
      as_parameter.type = type;
      as_parameter.range = expr_of(argument).range;
      protect(passed, as_parameter, code, locals);
      for (const WordType& word : context_.words(type, expr_of(argument).range))
        types.push_back(word);
      for (const Scalar& word : passed.words)
        spawn.values.push_back(word.expr);
    }
    handles.push_back(std::move(handle));
    temporaries.insert(temporaries.end(), passed.temporaries.begin(), passed.temporaries.end());
  }
  if (context_.failed()) return value;
  const std::optional<Rounds> times = rounds(expr.range);
  spawn.thread = threads_.spawn(instance_, node.thread, times ? times->count : 0, handles, types);
  if (!spawn.thread.base.valid()) {
    unsupported("no thread can be spawned where `--max-threads` is 0", expr.range);
    return value;
  }
  if (spawn.thread.count == 0) spawn.values.clear();
  const ThreadId first_thread = context_.system.objects[spawn.thread.base].thread;
  spawn.any = spawn.thread.count == 0 || context_.system.threads[first_thread].is_reused;
  if (spawn.any)
    spawn.thread.index = expressions_.constant(0).expr;
  else if (spawn.thread.count > 1)
    spawn.thread.index = linear(times->index, 1).expr;
  recycle(temporaries, expr.range, [&] {
    const auto first = static_cast<std::int32_t>(first_thread.index) + 1;
    const auto last = first + static_cast<std::int32_t>(std::max(spawn.thread.count, 1U)) - 1;
    spawned_ = {first, last};
    const WordType handle{WordType::Kind::Thread, first, last, {}};
    const std::vector<LocalPlace> targets = results({handle}, want, value, expr.range);
    if (!targets.empty()) spawn.target = targets.front();
    code_.emit(std::move(spawn), expr.range);
  });
  return value;
}

void BodyLowering::begin_spawned(const model::Body& body, SourceRange range) {
  Begin begin;
  begin.thread.base = *instance_.life;
  for (std::uint32_t k = 0; k < body.parameter_count && k < instance_.handles.size(); ++k) {
    const model::Local& parameter = body.locals[model::LocalId(k)];
    Variable& variable = frames_.back().variables[k];
    if (const SpawnedHandle& handle = instance_.handles[k]) {
      variable.handle = handle;
      for (Term& term : variable.handle->terms) {
        const WordType word = term.type();
        const Slot slot = scoped_slots({word}, range);
        term.index = expressions_.local(slot, word.lo, word.hi, true);
        begin.targets.push_back({slot, {}, 1, {}});
      }
      continue;
    }
    const std::vector<WordType> words = context_.words(parameter.type, parameter.range);
    variable = declare(parameter, words);
    const Destination to = destination(variable.slot, words, parameter.name, parameter.type);
    for (std::size_t word = 0; word < words.size(); ++word)
      begin.targets.push_back(word_of(to, word));
  }
  code_.emit(std::move(begin), range);
}

// The lives of spawned threads are consecutive, as their threads are. How many there will be is not
// known yet where nothing is known of the handle: lower.cpp sees to that.
void BodyLowering::lower_node(const model::Stmt& stmt, const model::Join& node) {
  const SourceRange range = expr_of(node.handle).range;
  Value value = lower(node.handle);
  if (value.words.size() != 1 || context_.failed() || !code_.reachable()) return;
  const WordType type{WordType::Kind::Thread, value.words.front().lo, value.words.front().hi};
  const Scalar handle = not_null(value.words.front(), type, value.temporaries, range);
  if (code_.reachable()) {
    const std::int32_t first = std::max(handle.lo, threads_.first_handle());
    Join join;
    join.thread.base = threads_.life(first);
    if (handle.lo != handle.hi) {
      join.thread.index =
          expressions_.binary(ExprOp::Subtract, handle, expressions_.constant(first), range).expr;
      join.thread.count = static_cast<std::uint32_t>(handle.hi - first + 1);
    }
    code_.emit(std::move(join), stmt.range);
  }
  release(value.temporaries, stmt.range);
}

}  // namespace cml::ir::lowering
