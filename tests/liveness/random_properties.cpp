#include "tests/liveness/random_properties.h"

#include <vector>

namespace cml::liveness {
namespace {

using random_models::Random;

class Drawing {
 public:
  Drawing(const model::Model& model, Random& random) : model_(model), random_(random) {
    for (const model::Object& object : model.objects)
      if (!object.owner && !object.process) add_conditions(object);
    for (const model::Thread& thread : model.threads)
      if (!thread.process && !thread.is_spawned) add_threads(thread);
    if (atoms_.empty()) atoms_.emplace_back("true");
  }

  /// With so many temporal operators at most.
  std::string formula(unsigned most) {
    if (most == 0) return atom();
    switch (random_.below(10)) {
      case 0:
        return "always " + operand(most - 1);
      case 1:
        return "eventually " + operand(most - 1);
      case 2:
        if (most < 2) return "!" + operand(most);
        return "always eventually " + operand(most - 2);
      case 3:
        if (most < 2) return "!" + operand(most);
        return "eventually always " + operand(most - 2);
      case 4:
        return operand((most - 1) / 2) + " until " + operand((most - 1) / 2);
      case 5:
        return operand((most - 1) / 2) + " release " + operand((most - 1) / 2);
      case 6:
        if (most < 2) return "eventually " + operand(0);
        return "always (" + atom() + " implies eventually " + operand(most - 2) + ")";
      case 7:
        return operand(most / 2) + " implies " + operand(most - most / 2);
      case 8:
        return operand(most / 2) + " && " + operand(most - most / 2);
      default:
        return operand(most / 2) + " || " + operand(most - most / 2);
    }
  }

  std::string fairness() {
    constexpr const char* kWords[] = {"", " under weak fairness", " under strong fairness",
                                      " under none fairness"};
    return kWords[random_.below(4)];
  }

 private:
  std::string atom() {
    const std::string& one = atoms_[random_.below(static_cast<unsigned>(atoms_.size()))];
    return random_.chance(20) ? "!" + one : one;
  }
  std::string operand(unsigned most) { return most == 0 ? atom() : "(" + formula(most) + ")"; }

  void add_conditions(const model::Object& object) {
    const model::Type& type = model_.types[object.type];
    const bool is_variable =
        object.kind == model::ObjectKind::Shared || object.kind == model::ObjectKind::Atomic;
    if (is_variable && std::holds_alternative<model::BoolType>(type)) {
      atoms_.push_back(object.name);
    } else if (is_variable && std::holds_alternative<model::IntType>(type)) {
      atoms_.push_back("(" + object.name + " == 0)");
      atoms_.push_back("(" + object.name + " == 1)");
      atoms_.push_back("(" + object.name + " < 2)");
    } else if (object.kind == model::ObjectKind::Lock &&
               std::holds_alternative<model::LockType>(type)) {
      atoms_.push_back(object.name + ".free");
      locks_.push_back(object.name);
    } else if (std::holds_alternative<model::ChannelType>(type)) {
      atoms_.push_back("(" + object.name + ".size == 0)");
    }
  }

  void add_threads(const model::Thread& thread) {
    std::string name = thread.name;
    if (thread.index) {
      if (thread.index->hi < thread.index->lo) return;
      name += "[" + std::to_string(thread.index->lo) + "]";
    }
    atoms_.push_back("ended(" + name + ")");
    for (const std::string& lock : locks_)
      atoms_.push_back("(" + lock + ".owner == " + name + ")");
    for (const model::StmtId id : thread.body.block.statements) {
      const auto* label = std::get_if<model::Atomic>(&model_.stmts[id].node);
      if (label != nullptr && !label->label.empty())
        atoms_.push_back("at(" + name + ", \"" + label->label + "\")");
    }
  }

  const model::Model& model_;
  Random& random_;
  std::vector<std::string> atoms_;
  std::vector<std::string> locks_;
};

}  // namespace

std::string random_properties(const model::Model& model, Random& random) {
  Drawing drawing(model, random);
  std::string result;
  if (random.chance(40)) result += "terminates" + drawing.fairness() + ";\n";
  if (random.chance(20)) result += random.chance(50) ? "fairness strong;\n" : "fairness none;\n";
  for (unsigned i = 0, count = 1 + random.below(4); i < count; ++i)
    result += "property random" + std::to_string(i) + ": " + drawing.formula(1 + random.below(3)) +
              drawing.fairness() + ";\n";
  return result;
}

}  // namespace cml::liveness
