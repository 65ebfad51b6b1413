#include "checker/reduction/method_calls.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/live_references.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::ClassId;
using ir::ObjectId;
using ir::ThreadId;

namespace {

/// What an operation is, and where it stands in the text.
using Signature = std::vector<std::pair<ir::Opcode, SourceRange>>;

/// Of a block.
Signature signature(const ir::Code& code, ir::Pc block) {
  Signature result;
  const ir::Pc end = std::get<ir::Atomic>(code.instructions[block].node).end;
  for (ir::Pc pc = block + 1; pc < end; ++pc) {
    const ir::Instruction& instruction = code.instructions[pc];
    const ir::Opcode opcode = instruction.opcode();
    if (ir::is_operation(opcode) || opcode == ir::Opcode::Guard)
      result.emplace_back(opcode, instruction.range);
  }
  return result;
}

bool is_variable(const ir::Object& object) {
  return !object.is_constant &&
         (object.kind == ir::ObjectKind::Shared || object.kind == ir::ObjectKind::Atomic);
}

/// What constructors do.
bool is_local(const ir::Instruction& instruction) {
  return !ir::is_operation(instruction.opcode());
}

}  // namespace

/// A class of which something has been proved.
struct MethodCalls::Candidate {
  ClassId of;
  std::vector<std::vector<bool>> commute;  // by two methods
  bool counts = false;
  std::vector<bool> is_left_out;  // by method
  std::vector<Signature> signatures;
};

MethodCalls::MethodCalls(const ir::System& system, const std::vector<ProvedCommutes>* proved)
    : system_(system) {
  if (proved == nullptr || proved->empty()) return;
  for (std::size_t thread = 0; thread < system.threads.size(); ++thread)
    calls_.push({});
  for (const ir::CommutingClass& declared : system.commuting) {
    const std::size_t count = declared.methods.size();
    Candidate candidate;
    candidate.of = declared.of;
    candidate.is_left_out.assign(count, false);
    candidate.commute.assign(count, std::vector<bool>(count, false));
    for (const ProvedCommutes& pair : *proved) {
      if (pair.of != declared.of) continue;
      const auto [a, b] = pair.methods;
      candidate.commute[a][b] = candidate.commute[b][a] = candidate.counts = true;
    }
    for (const ir::CallCode& method : declared.methods) {
      Signature& operations = candidate.signatures.emplace_back();
      const std::vector<ir::Instruction>& code = method.code.instructions;
      const auto block = std::find_if(code.begin(), code.end(), [](const ir::Instruction& i) {
        return i.opcode() == ir::Opcode::Atomic;
      });
      if (block != code.end())
        operations = signature(method.code, static_cast<ir::Pc>(block - code.begin()));
    }
    if (candidate.counts) look_at(candidate);
    if (candidate.counts && methods_.size() + count <= kMost) add(candidate);
  }
  if (any()) find_futures();
}

std::vector<std::uint32_t> MethodCalls::called(const Candidate& candidate, const ir::Code& code,
                                               ir::Pc block) const {
  const Signature operations = signature(code, block);
  std::vector<std::uint32_t> result;
  for (std::uint32_t method = 0; method < candidate.signatures.size(); ++method)
    if (!operations.empty() && candidate.signatures[method] == operations) result.push_back(method);
  return result;
}

// In a call all fields are those of one object; and nobody else uses them.
void MethodCalls::look_at(Candidate& candidate) const {
  for (const ir::Thread& thread : system_.threads) {
    const std::vector<ir::Instruction>& code = thread.code.instructions;
    ir::Pc end = 0;                      // of the call
    std::vector<std::uint32_t> methods;  // of it
    std::optional<ir::Slot> self;
    for (ir::Pc pc = 0; pc < code.size(); ++pc) {
      if (pc == end) methods.clear();
      if (const auto* block = std::get_if<ir::Atomic>(&code[pc].node)) {
        methods = called(candidate, thread.code, pc);
        end = block->end;
        self.reset();
        for (ir::Pc inside = pc + 1; inside < end && !self; ++inside)
          ir::for_each_place(code[inside], [&](const ir::Place& place, ir::Effects) {
            if (system_.objects[place.base].owner == candidate.of && !is_local(code[inside]))
              self = ir::slot_of_object(system_, thread.code, place);
          });
      }
      const bool is_inside = !methods.empty();
      const auto leave_out = [&] {
        for (const std::uint32_t method : methods)
          candidate.is_left_out[method] = true;
      };
      if (is_inside && ir::chooses(code[pc])) leave_out();
      if (is_inside && self)  // assigned inside, it would refer to another object
        ir::for_each_assigned(code[pc], [&](ir::Slot slot) {
          if (slot == *self) candidate.counts = false;
        });
      ir::for_each_place(code[pc], [&](const ir::Place& place, ir::Effects effects) {
        const ir::Object& object = system_.objects[place.base];
        if (ir::uses(effects).empty() || object.is_constant || is_local(code[pc])) return;
        const bool is_field = object.owner == candidate.of && is_variable(object);
        if (is_inside && object.owner != candidate.of) leave_out();
        if (is_field && !CML_MUTATION("calls-commute-with-other-accesses") &&
            (!is_inside || !self || ir::slot_of_object(system_, thread.code, place) != self))
          candidate.counts = false;
      });
    }
  }
}

void MethodCalls::add(const Candidate& candidate) {
  const auto count = static_cast<std::uint32_t>(candidate.commute.size());
  const std::size_t first = methods_.size();
  methods_.resize(first + count, {candidate.of, {}});
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = a; b < count; ++b) {
      if (CML_MUTATION("methods-commute-though-it-is-not-declared")) continue;
      if (candidate.commute[a][b] && !candidate.is_left_out[a] && !candidate.is_left_out[b])
        continue;
      const std::uint32_t pair = pairs();
      of_pair_.push_back(candidate.of);
      methods_[first + a].uses.push_back({pair, a == b ? CallUse::kSame : CallUse::kOne});
      if (a != b) methods_[first + b].uses.push_back({pair, CallUse::kOther});
    }
  for (const ThreadId thread : system_.threads.ids()) {
    const ir::Code& code = system_.threads[thread].code;
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc) {
      if (code.instructions[pc].opcode() != ir::Opcode::Atomic) continue;
      Call call{candidate.of, {}, 0};
      for (const std::uint32_t method : called(candidate, code, pc)) {
        const std::vector<CallUse>& uses = methods_[first + method].uses;
        call.uses.insert(call.uses.end(), uses.begin(), uses.end());
        call.methods |= Bits{1} << (first + method);
      }
      if (call.methods != 0) calls_[thread].emplace(pc, std::move(call));
    }
  }
}

bool MethodCalls::replaces(const Call& call, ObjectId object) const {
  const ir::Object& used = system_.objects[object];
  return used.owner == call.of && is_variable(used);
}

void MethodCalls::find_futures() {
  // What each thread calls anywhere, then with those that it spawns.
  IdVector<ThreadId, Bits> all(system_.threads.size(), 0);
  for (const ThreadId thread : system_.threads.ids())
    for (const auto& [pc, call] : calls_[thread])
      all[thread] |= call.methods;
  const auto spawned = [&](const ir::Instruction& instruction) {
    Bits result = 0;
    const auto* spawn = std::get_if<ir::Spawn>(&instruction.node);
    if (spawn == nullptr || CML_MUTATION("spawned-threads-call-nothing")) return result;
    ir::for_each_object(spawn->thread,
                        [&](ObjectId object) { result |= all[system_.objects[object].thread]; });
    return result;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const ThreadId thread : system_.threads.ids())
      for (const ir::Instruction& instruction : system_.threads[thread].code.instructions) {
        const Bits more = all[thread] | spawned(instruction);
        changed = changed || more != all[thread];
        all[thread] = more;
      }
  }
  std::vector<ir::Pc> next;
  for (const ThreadId thread : system_.threads.ids()) {
    const ir::Code& code = system_.threads[thread].code;
    std::vector<Bits> may(code.instructions.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t at = may.size(); at-- > 0;) {
        const auto pc = static_cast<ir::Pc>(at);
        Bits here = may[at] | spawned(code.instructions[at]);
        if (const auto call = calls_[thread].find(pc); call != calls_[thread].end())
          here |= call->second.methods;
        next.clear();
        ir::successors(code, pc, next);
        for (const ir::Pc to : next)
          here |= may[to];
        changed = changed || here != may[at];
        may[at] = here;
      }
    }
    std::vector<Bits>& by_location = futures_[futures_.push({})];
    by_location.resize(std::max<std::size_t>(code.location_pc.size(), ir::kFirstLocation), 0);
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      by_location[at] = may[code.location_pc[at]];
  }
}

bool MethodCalls::future(ThreadId thread, ir::Location at, CallUse use) const {
  for (Bits left = futures_[thread][at]; left != 0; left &= left - 1) {
    const std::vector<CallUse>& uses =
        methods_[static_cast<std::size_t>(std::countr_zero(left))].uses;
    if (std::find(uses.begin(), uses.end(), use) != uses.end()) return true;
  }
  return false;
}

}  // namespace cml::checker
