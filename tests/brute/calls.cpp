// The walk into functions, methods and constructors, and what objects begin with.
#include <algorithm>
#include <utility>

#include "tests/brute/walker_parts.h"

namespace cml::brute {

using namespace model;  // NOLINT: the walk is all about the model

Task<int> Walker::arguments(const std::vector<ExprId>& arguments, const Function& function,
                            Frame& callee) {
  callee.body = &function.body;
  for (const Local& local : function.body.locals)
    callee.locals.emplace_back(size(local.type), 0);
  if (!std::holds_alternative<VoidType>(model_->types[function.result]))
    callee.result_type = function.result;
  Mark mark(*this);
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = function.body.locals[LocalId(i)].type;
    if (is_alias(type)) {
      const Place alias = co_await place(arguments[i]);
      mark.add(alias);
      callee.aliases[i] = alias;
    } else {
      Words value = co_await eval_as(arguments[i], type);
      callee.locals[i] = std::move(value);
      mark.add(callee.locals[i], type);
    }
  }
  co_return 0;
}

void Walker::enter(Frame callee) {
  if (frames_.size() > max_stack_) throw Stop{"stack-overflow"};
  frames_.push_back(std::move(callee));
}

Task<Words> Walker::call(const Expr& e, const Call& node) {
  const Function& function = model_->functions[node.function];
  std::int32_t self = 0;
  Mark here(*this);
  if (function.owner) {
    const Words object = co_await reference(*node.receiver);
    self = object.at(0);
    here.add(WordKind::Reference, self);
  }
  Frame callee;
  co_await arguments(node.arguments, function, callee);
  callee.self = self;
  enter(std::move(callee));
  const Implementation* recorded = recorded_by(*model_, node.function);
  const bool is_own = !node.receiver || std::holds_alternative<ThisRef>(expr(*node.receiver).node);
  if (recorded != nullptr && records && !is_own) {
    Request r;
    r.kind = Request::Kind::Invoke;
    r.leaf.heap = self;
    r.word = node.function.index;
    for (std::uint32_t i = 0; i < function.body.parameter_count; ++i)
      r.values.insert(r.values.end(), frame().locals[i].begin(), frame().locals[i].end());
    if (calling_) co_await begin_call();
    calling_ = std::move(r);
    calls_at_ = e.range;
    const Words result = co_await run(node.function, e, false);
    if (calling_) {
      Mark returning(*this, -8);
      returning.add(result, function.result);
      co_await begin_call();
    }
    world_->log(self, {number, true, specified_by(*recorded, node.function), result});
    co_return result;
  }
  const bool is_operation = function.owner && model_->classes[*function.owner].is_atomic &&
                            !std::holds_alternative<ThisRef>(expr(*node.receiver).node);
  co_return co_await run(node.function, e, is_operation);
}

Task<Words> Walker::run(FunctionId id, const Expr& at, bool is_operation) {
  const Function& function = model_->functions[id];
  Mark mark(*this, static_cast<std::int64_t>(id.index));
  Request r;
  r.leaf = {kMonitor, 0, 0, frame().self};
  begun = at.range;
  if (function.is_atomic) {
    r.kind = Request::Kind::Atomic;
    r.awaits = waits_inside(function.body.block.range);
    if (r.awaits && immediate_ == 0) waits_in_ = &function;
    co_await request(r);
    if (immediate_ == 0) waits_in_ = nullptr;
    co_await atomically(function.body.block);
  } else if (is_operation) {
    r.kind = Request::Kind::Method;
    r.word = id.index;
    co_await request(r);
    co_await atomically(function.body.block);
  } else if (function.is_synchronized) {
    r.kind = Request::Kind::Acquire;
    begun = function.range;
    co_await request(r);
    Flow flow = Flow::Next;
    {
      Mark inside(*this, 1);
      flow = co_await exec(function.body.block);
    }
    Mark leaving(*this, 2);
    if (frame().result) leaving.add(*frame().result, function.result);
    if (flow != Flow::Return) begun = function.range;
    r.kind = Request::Kind::Release;
    co_await request(r);
  } else {
    co_await exec(function.body.block);
  }
  Words result = frame().result.value_or(Words{});
  frames_.pop_back();
  co_return result;
}

// ---- objects that are made ---------------------------------------------------------------------

Task<Words> Walker::make(const Expr& e, const New& node) {
  const Class& cls = model_->classes[node.decl];
  Frame callee;
  if (cls.init) {
    co_await arguments(node.arguments, model_->functions[*cls.init], callee);
    enter(std::move(callee));
  } else {
    frames_.push_back(std::move(callee));
  }
  co_await construct(node.decl, node.unshared);
  const std::int32_t self = frame().self;
  frames_.pop_back();
  begun = e.range;
  co_return one(self);
}

Task<int> Walker::construct(ClassId id, bool unshared) {
  const Class& cls = model_->classes[id];
  const std::int32_t self = world_->allocate(number, id, unshared);
  frame().self = self;
  begin_log(id, self);
  for (const ObjectId field : cls.fields) {
    Mark mark(*this, static_cast<std::int64_t>(field.index));
    if (model_->objects[field].initial) co_await initialise(field, self);
  }
  if (cls.init) {
    Mark mark(*this, -1);
    if (cls.is_atomic) {  // nobody sees the object before it is there
      ++immediate_;
      co_await exec(model_->functions[*cls.init].body.block);
      --immediate_;
    } else {
      co_await exec(model_->functions[*cls.init].body.block);
    }
  }
  co_return 0;
}

void Walker::begin_log(ClassId cls, std::int32_t self) {
  for (const Implementation& property : model_->implementations) {
    if (property.of != cls) continue;
    CallLog log;
    log.property = &property;
    const Class& specification = model_->classes[property.specification];
    if (specification.init)
      for (std::uint32_t i = 0; i < model_->functions[*specification.init].body.parameter_count;
           ++i)
        log.constructed_with.insert(log.constructed_with.end(), frame().locals[i].begin(),
                                    frame().locals[i].end());
    log.explanations = world_->explain(log);
    world_->calls[self] = std::move(log);
  }
}

// ---- the specification, by itself --------------------------------------------------------------

void Walker::enter_with(FunctionId id, std::int32_t self, const Words& arguments) {
  const Function& function = model_->functions[id];
  Frame callee;
  callee.body = &function.body;
  callee.self = self;
  auto next = arguments.begin();
  for (std::uint32_t i = 0; i < function.body.locals.size(); ++i) {
    const std::uint32_t words = size(function.body.locals[LocalId(i)].type);
    callee.locals.emplace_back(words, 0);
    if (i >= function.body.parameter_count) continue;
    std::copy_n(next, words, callee.locals.back().begin());
    next += words;
  }
  if (!std::holds_alternative<VoidType>(model_->types[function.result]))
    callee.result_type = function.result;
  enter(std::move(callee));
}

std::int32_t Walker::make_alone(ClassId id, const Words& arguments) {
  const Class& cls = model_->classes[id];
  if (cls.init) {
    enter_with(*cls.init, 0, arguments);
  } else {
    frames_.emplace_back();
  }
  ++immediate_;
  Task<int> task = construct(id, false);
  task.start();
  --immediate_;
  task.rethrow();
  return frame().self;
}

Words Walker::call_alone(FunctionId id, std::int32_t self, const Words& arguments) {
  enter_with(id, self, arguments);
  ++immediate_;
  Task<Words> task = whole_call(id);
  task.start();
  --immediate_;
  task.rethrow();
  return task.await_resume();
}

Task<Words> Walker::whole_call(FunctionId id) {
  co_await atomically(model_->functions[id].body.block);
  co_return frame().result.value_or(Words{});
}

Task<int> Walker::initialise(ObjectId id, std::int32_t object) {
  Place place;
  place.leaf = {id.index, model_->objects[id].process ? process : 0, 0, object};
  place.type = model_->objects[id].type;
  co_return co_await initialise(place, *model_->objects[id].initial);
}

Task<int> Walker::initialise(Place place, ExprId initial) {
  if (const auto* array = std::get_if<ArrayType>(&model_->types[place.type])) {
    const auto* list = std::get_if<ArrayMake>(&expr(initial).node);
    for (std::uint32_t i = 0; i < array->size; ++i) {
      Mark mark(*this, i);
      Place part = place;
      part.type = array->element;
      move(part, i * size(array->element));
      co_await initialise(part, list == nullptr ? initial : list->elements[i]);
    }
    co_return 0;
  }
  if (std::holds_alternative<SemaphoreType>(model_->types[place.type])) {
    const Words value = co_await eval(initial);
    world_->semaphores.at(place.leaf) = value.at(0);
    co_return 0;
  }
  const Words value = co_await eval_as(initial, place.type);
  if (world_->kind(place.leaf) == ObjectKind::Shared) {
    for (const std::int32_t word : value) {
      world_->variables.at(place.leaf) = one(word);
      ++place.leaf.offset;
    }
  } else {
    Words& all = world_->variables.at(place.leaf);
    std::copy(value.begin(), value.end(), all.begin() + place.offset);
  }
  co_return 0;
}

}  // namespace cml::brute
