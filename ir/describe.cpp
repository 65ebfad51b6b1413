// Questions about one instruction.
#include "ir/describe.h"

namespace cml::ir {

bool chooses(const Instruction& instruction) {
  struct Visitor : Description {
    bool result = false;
    void chooses() { result = true; }
  };
  Visitor visitor;
  describe(instruction, visitor);
  return visitor.result;
}

bool only_looks(const Instruction& instruction) {
  struct Visitor : Description {
    bool result = true;
    void uses(const Place&, Effects effects) { result = result && only_look(effects); }
    void chooses() { result = false; }
    void encloses(Pc) { result = false; }
  };
  Visitor visitor;
  describe(instruction, visitor);
  return visitor.result;
}

bool changes_objects(const Instruction& instruction) {
  bool result = false;
  for_each_place(instruction, [&result](const Place&, Effects effects) {
    ir::uses(effects).for_each([&result](Use use) { result = result || changes(use); });
  });
  return result;
}

bool may_block(const Instruction& instruction) {
  struct Visitor : Description {
    bool result = false;
    void waits_for(const Place&, std::initializer_list<Awaited>) { result = true; }
    void waits_until(ExprId) { result = true; }
    void encloses(Pc) { result = true; }
  };
  Visitor visitor;
  describe(instruction, visitor);
  return visitor.result;
}

}  // namespace cml::ir
