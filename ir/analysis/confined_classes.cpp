#include "ir/analysis/confined_classes.h"

#include <utility>
#include <variant>
#include <vector>

#include "ir/cases.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

class Escapes {
 public:
  explicit Escapes(const System& system)
      : system_(system), escapes_(system.classes.size(), false) {}

  IdVector<ClassId, bool> run() {
    for (const Object& object : system_.objects)
      for (std::size_t i = 0; i < object.initial.size() && i < object.words.size(); ++i)
        if (refers(object.words[i]) && object.initial[i] != 0 &&
            !CML_MUTATION("objects-of-the-initial-state-are-confined"))
          escapes_[object.words[i].of] = true;
    for (const Thread& thread : system_.threads)
      for (const Instruction& instruction : thread.code.instructions)
        look_at(instruction);
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : fields_) {
        if (!escapes_[from] || escapes_[to] || CML_MUTATION("fields-let-nothing-escape")) continue;
        escapes_[to] = changed = true;
      }
    }
    return std::move(escapes_);
  }

 private:
  static bool refers(const WordType& type) {
    return type.kind == WordType::Kind::Reference && type.of.valid();
  }

  /// Words of an object, the first of which has this number, become these values.
  void stores(const Place& place, std::uint32_t first, const std::vector<ExprId>& values) {
    const Object& object = system_.objects[place.base];
    for (std::size_t i = 0; i < values.size() && first + i < object.words.size(); ++i) {
      const WordType& type = object.words[first + i];
      const Expr& value = system_.exprs[values[i]];
      if (!refers(type) || (value.op == ExprOp::Constant && value.value == 0)) continue;
      if (object.owner.valid())
        fields_.emplace_back(object.owner, type.of);
      else
        escapes_[type.of] = true;
    }
  }

  void look_at(const Instruction& instruction) {
    std::visit(Cases{[&](const AnyOf<Write, WriteConstant> auto& node) {
                       stores(node.place, node.word, node.values);
                     },
                     [&](const Update& node) { stores(node.place, node.word, node.values); },
                     [&](const Send& node) {
                       if (!CML_MUTATION("messages-let-nothing-escape"))
                         stores(node.channel, 0, node.values);
                     },
                     [&](const Spawn& node) {
                       if (!CML_MUTATION("arguments-let-nothing-escape"))
                         stores(node.thread, 0, node.values);
                     },
                     [&](const Select& node) {
                       for (const Select::Case& item : node.cases)
                         if (!item.values.empty()) stores(item.place, 0, item.values);
                     },
                     // What is recorded of calls has no references.
                     [](const AnyOf<Set, Jump, Branch, Assert, Assume, Mark, New, Read,
                                    ReadConstant, Acquire, TryAcquire, Release, Wait, TimeOut,
                                    Rewait, Notify, Held, Owner, Up, Down, Receive, Size, Close,
                                    Closed, Begin, Finish, Construct, Enter, Invoke, Respond, Join,
                                    Choose, Either, Atomic, Guard, AtomicEnd, End> auto&) {}},
               instruction.node);
  }

  const System& system_;
  IdVector<ClassId, bool> escapes_;
  std::vector<std::pair<ClassId, ClassId>> fields_;  // of the first refer to objects of the second
};

/// Calls `use(ClassId, New&)` for each place where threads make objects.
template <class Use>
void for_each_new(auto& system, Use use) {
  for (auto& thread : system.threads)
    for (auto& instruction : thread.code.instructions)
      if (auto* made = std::get_if<New>(&instruction.node))
        use(system.objects[made->object.base].owner, *made);
}

}  // namespace

IdVector<ClassId, bool> confined_classes(const System& system) {
  IdVector<ClassId, bool> escapes = Escapes(system).run();
  for (const ClassId id : escapes.ids())
    escapes[id] = !escapes[id];
  return escapes;
}

void drop_proved_claims(System& system) {
  if (system.classes.empty()) return;
  IdVector<ClassId, bool> proved = confined_classes(system);
  for_each_new(system, [&proved](ClassId of, const New& made) {
    if (!made.unshared) proved[of] = false;
  });
  const auto look_at = [&](const std::vector<Invariant>& properties) {
    for (const Invariant& property : properties)
      for (const Instruction& instruction : property.code.instructions)
        for_each_place(instruction, [&](const Place& place, Effects) {
          if (const ClassId of = system.objects[place.base].owner; of.valid()) proved[of] = false;
        });
  };
  look_at(system.invariants);
  look_at(system.finals);
  for (const Property& property : system.properties)
    look_at(property.conditions);
  for (const ClassId id : system.classes.ids()) {
    Class& decl = system.classes[id];
    if (!decl.is_claimed || !proved[id]) continue;
    decl.is_claimed = false;
    for (std::uint32_t place = 0; place < decl.places; ++place)
      system.objects[ObjectId(decl.first.index + place)].initial.clear();
  }
}

IdVector<ClassId, bool> proved_claims(const System& system) {
  IdVector<ClassId, bool> proved(system.classes.size(), false);
  for_each_new(system, [&](ClassId of, const New& made) {
    if (made.unshared && !system.classes[of].is_claimed) proved[of] = true;
  });
  return proved;
}

}  // namespace cml::ir
