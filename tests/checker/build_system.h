// Systems built by hand, for tests of the interpreter and the search that want neither front end
// nor lowering.
//
//   SystemBuilder build;
//   const ir::ObjectId m = build.lock("m");
//   build.thread("A", {ir::Acquire{{m}}, ir::Release{{m}}, ir::End{}});
//   const ir::System system = build.finish();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "ir/system.h"

namespace cml::tests {

class SystemBuilder {
 public:
  ir::ObjectId shared(const std::string& name, std::int32_t lo = 0, std::int32_t hi = 100) {
    return object(ir::ObjectKind::Shared, name, {{ir::WordType::Kind::Int, lo, hi, {}}},
                  {lo > 0 ? lo : 0});
  }
  ir::ObjectId atomic(const std::string& name) {
    return object(ir::ObjectKind::Atomic, name, {{ir::WordType::Kind::Int, 0, 100, {}}}, {0});
  }
  ir::ObjectId lock(const std::string& name) { return object(ir::ObjectKind::Lock, name, {}, {}); }
  ir::ObjectId semaphore(const std::string& name, std::int32_t value) {
    return object(ir::ObjectKind::Semaphore, name, {}, {value});
  }
  ir::ObjectId channel(const std::string& name, std::uint32_t capacity) {
    const ir::ObjectId id =
        object(ir::ObjectKind::Channel, name, {{ir::WordType::Kind::Int, 0, 100, {}}}, {});
    system.objects[id].capacity = capacity;
    return id;
  }
  ir::ThreadId thread(const std::string& name, std::vector<ir::Operation> nodes,
                      std::size_t slots = 0, bool is_daemon = false) {
    ir::Thread result;
    result.name = name;
    result.is_daemon = is_daemon;
    result.code = code(std::move(nodes), slots);
    number_locations(result.code);
    return system.threads.push(std::move(result));
  }
  void invariant(const std::string& name, std::vector<ir::Operation> nodes, std::size_t slots) {
    system.invariants.push_back({name, {}, code(std::move(nodes), slots)});
  }
  void finally(std::vector<ir::Operation> nodes, std::size_t slots) {
    system.finals.push_back({"", {}, code(std::move(nodes), slots)});
  }

  // Expressions.
  ir::ExprId constant(std::int32_t value) {
    return system.exprs.push({ir::ExprOp::Constant, value, {}, {}, {}, {}});
  }
  ir::ExprId local(std::int32_t slot) {
    return system.exprs.push({ir::ExprOp::Local, slot, {}, {}, {}, {}});
  }
  ir::ExprId binary(ir::ExprOp op, ir::ExprId a, ir::ExprId b) {
    return system.exprs.push({op, 0, a, b, {}, {}});
  }

  // Instructions.
  static ir::Place at(ir::ObjectId object) { return {object, std::nullopt, 1, 1}; }
  static ir::Operation read(ir::ObjectId object, ir::Slot slot) {
    return ir::Read{at(object), 0, {{slot, std::nullopt, 1, {}}}};
  }
  ir::Operation write(ir::ObjectId object, std::int32_t value) {
    return ir::Write{at(object), 0, {constant(value)}};
  }
  ir::Operation write(ir::ObjectId object, ir::ExprId value) {
    return ir::Write{at(object), 0, {value}};
  }
  ir::Operation assert_equal(ir::Slot slot, std::int32_t value) {
    return ir::Assert{
        binary(ir::ExprOp::Equal, local(static_cast<std::int32_t>(slot)), constant(value)), {}};
  }
  ir::Operation fail() { return ir::Assert{constant(0), {}}; }

  ir::System system;

 private:
  ir::ObjectId object(ir::ObjectKind kind, const std::string& name, std::vector<ir::WordType> words,
                      std::vector<std::int32_t> initial) {
    ir::Object result;
    result.kind = kind;
    result.name = name;
    result.words = std::move(words);
    result.initial = std::move(initial);
    result.group = system.groups.push({name, {}, system.objects.next_id(), 1, {}, {}});
    return system.objects.push(std::move(result));
  }
  static ir::Code code(std::vector<ir::Operation> nodes, std::size_t slots) {
    ir::Code result;
    for (ir::Operation& node : nodes) {
      ir::Instruction instruction;
      instruction.node = std::move(node);
      instruction.range.begin = static_cast<std::uint32_t>(result.instructions.size());
      result.instructions.push_back(std::move(instruction));
    }
    for (std::size_t i = 0; i < slots; ++i)
      result.slots.push_back({{ir::WordType::Kind::Int, 0, 100, {}}, {}});
    return result;
  }
};

inline checker::Result check(const ir::System& system, checker::Options options = {}) {
  return checker::check(system, SourceSet(), options);
}
inline checker::Options all() {
  checker::Options options;
  options.all = true;
  return options;
}
inline std::size_t count(const checker::Result& result, checker::ViolationKind kind) {
  std::size_t number = 0;
  for (const checker::Violation& violation : result.violations)
    if (violation.kind == kind) ++number;
  return number;
}

}  // namespace cml::tests
