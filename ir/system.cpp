// Facts about opcodes, and the numbering of locations.
#include "ir/system.h"

#include <array>
#include <cstddef>

namespace cml::ir {
namespace {

struct OpcodeInfo {
  std::string_view mnemonic;
  bool is_operation;
};

constexpr std::array kOpcodes = {
#define CML_OPCODE(name, mnemonic, is_operation) OpcodeInfo{mnemonic, is_operation},
    CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
};
static_assert(kOpcodes.size() == std::variant_size_v<Operation>);

const OpcodeInfo& info(Opcode op) { return kOpcodes[static_cast<std::size_t>(op)]; }

}  // namespace

bool is_operation(Opcode op) { return info(op).is_operation; }

std::string_view mnemonic(Opcode op) { return info(op).mnemonic; }

void number_locations(Code& code) {
  code.location_pc.assign(kFirstLocation, 0);
  code.pc_location.assign(code.instructions.size(), 0);
  Pc inside_until = 0;  // the AtomicEnd of the region that pc lies in
  for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
    const Instruction& instruction = code.instructions[pc];
    if (pc < inside_until || !is_operation(instruction.opcode())) continue;
    code.pc_location[pc] = static_cast<Location>(code.location_pc.size());
    code.location_pc.push_back(pc);
    if (const auto* atomic = std::get_if<Atomic>(&instruction.node)) inside_until = atomic->end;
  }
}

ObjectId representative(const System& system, ObjectId id) {
  if (!id.valid() || !system.objects[id].owner.valid()) return id;
  const Object& object = system.objects[id];
  const Group& group = system.groups[object.group];
  const std::uint32_t each = group.count / system.classes[object.owner].places;
  return ObjectId(id.index - object.position * each);
}

}  // namespace cml::ir
