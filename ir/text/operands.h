// The text of the operands of each instruction, once for both directions: `form` prints, or parses.
//
//   operands(node, form);
//
// A form handles the parts: places, locals, expressions, and what is between them; a printer puts a
// space before each. `check_words` is for parsers.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

#include "ir/cases.h"
#include "ir/system.h"

namespace cml::ir::text {

inline constexpr std::initializer_list<ObjectKind> kVariables = {ObjectKind::Shared,
                                                                 ObjectKind::Atomic};
inline constexpr std::array<std::string_view, 3> kUpdates = {"cas", "swap", "add"};

// ---- local -------------------------------------------------------------------------------------

void operands(AnyOf<Set> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.expression(node.value);
  form.bounds(node.bounds);
  form.text(node.target.name);
}
void operands(AnyOf<Jump> auto& node, auto& form) { form.pc(node.target); }
void operands(AnyOf<Branch> auto& node, auto& form) {
  form.expression(node.condition);
  form.sign("?");
  form.pc(node.if_true);
  form.sign(":");
  form.pc(node.if_false);
}
void operands(AnyOf<Assert> auto& node, auto& form) {
  form.expression(node.condition);
  form.text(node.message);
}
void operands(AnyOf<Assume, Guard> auto& node, auto& form) { form.expression(node.condition); }
void operands(AnyOf<Mark> auto& node, auto& form) { form.point(node.point); }
void operands(AnyOf<AtomicEnd, End> auto&, auto&) {}

// ---- variables ---------------------------------------------------------------------------------

void operands(AnyOf<Read, ReadConstant> auto& node, auto& form) {
  form.locals(node.targets);
  form.sign("=");
  form.place(node.place, kVariables, node.word);
  form.check_words(node.place, node.word, node.targets.size());
  form.name(node.targets);
}
void operands(AnyOf<Write, WriteConstant> auto& node, auto& form) {
  form.place(node.place, kVariables, node.word);
  form.sign("=");
  form.expressions(node.values);
  form.check_words(node.place, node.word, node.values.size());
}
void operands(AnyOf<Update> auto& node, auto& form) {
  form.one_of(node.kind, kUpdates);
  form.place(node.place, {ObjectKind::Atomic}, node.word);
  if (node.kind == Update::Kind::Cas) {
    form.word("expects");
    form.expressions(node.expected);
  }
  form.word("stores");
  form.expressions(node.values);
  form.into(node.targets);
  form.name(node.targets);
  form.bounds(node.bounds);
  form.flag("wraps", node.wraps);
}

void operands(AnyOf<New> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.place(node.object, {ObjectKind::Instance});
  form.flag("unshared", node.unshared);
  form.text(node.target.name);
}

// ---- locks -------------------------------------------------------------------------------------

void operands(AnyOf<Acquire> auto& node, auto& form) {
  form.place(node.lock, {ObjectKind::Lock});
  form.flag("call", node.begins_call);
}
void operands(AnyOf<Release> auto& node, auto& form) { form.place(node.lock, {ObjectKind::Lock}); }
void operands(AnyOf<Wait, Rewait> auto& node, auto& form) {
  form.place(node.lock, {ObjectKind::Lock});
  form.place_after("at", node.condition, {ObjectKind::Condition});
}
void operands(AnyOf<TimeOut> auto& node, auto& form) {
  form.place(node.lock, {ObjectKind::Lock});
  form.place_after("at", node.condition, {ObjectKind::Condition});
  form.into(node.target);
}
void operands(AnyOf<TryAcquire, Held> auto& node, auto& form) {
  form.place(node.lock, {ObjectKind::Lock});
  form.into(node.target);
}
void operands(AnyOf<Notify> auto& node, auto& form) {
  form.flag("condition", node.of_condition);
  form.place(node.set, {node.of_condition ? ObjectKind::Condition : ObjectKind::Lock});
  form.flag("all", node.all);
}
void operands(AnyOf<Owner> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.place(node.lock, {ObjectKind::Lock});
}

// ---- semaphores and channels -------------------------------------------------------------------

void operands(AnyOf<Up> auto& node, auto& form) {
  form.place(node.semaphore, {ObjectKind::Semaphore});
}
void operands(AnyOf<Down> auto& node, auto& form) {
  form.place(node.semaphore, {ObjectKind::Semaphore});
  form.flag("try", node.try_only);
  form.into(node.success);
}
void operands(AnyOf<Send> auto& node, auto& form) {
  form.place(node.channel, {ObjectKind::Channel});
  form.expressions_after("=", node.values);
  form.check_words(node.channel, 0, node.values.size());
  form.flag("try", node.try_only);
  form.flag("closes", node.may_be_closed);
  form.flag("meets", node.meets);
  form.check_room(node.channel, node.meets);
  form.into(node.success);
}
void operands(AnyOf<Receive> auto& node, auto& form) {
  form.locals_before("=", node.targets);
  form.place(node.channel, {ObjectKind::Channel});
  form.check_words(node.channel, 0, node.targets.size());
  form.name(node.targets);
  form.flag("try", node.try_only);
  form.flag("closes", node.may_be_closed);
  form.flag("meets", node.meets);
  form.check_room(node.channel, node.meets);
  form.into(node.success);
}
void operands(AnyOf<Close> auto& node, auto& form) {
  form.place(node.channel, {ObjectKind::Channel});
}
void operands(AnyOf<Closed> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.place(node.channel, {ObjectKind::Channel});
  form.text(node.target.name);
}
void operands(AnyOf<Size> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.place(node.channel, {ObjectKind::Channel, ObjectKind::Semaphore});
  form.text(node.target.name);
}

// ---- threads -----------------------------------------------------------------------------------

void operands(AnyOf<Spawn> auto& node, auto& form) {
  form.place(node.thread, {ObjectKind::Life});
  form.expressions_after("=", node.values);
  form.check_words(node.thread, 0, node.values.size());
  form.flag("any", node.any);
  form.into(node.target);
}
void operands(AnyOf<Begin> auto& node, auto& form) {
  form.locals_before("=", node.targets);
  form.place(node.thread, {ObjectKind::Life});
  form.check_words(node.thread, 0, node.targets.size());
  form.name(node.targets);
}
void operands(AnyOf<Finish, Join> auto& node, auto& form) {
  form.place(node.thread, {ObjectKind::Life});
}

// ---- histories ---------------------------------------------------------------------------------

void operands(AnyOf<Construct> auto& node, auto& form) {
  form.place(node.history, {ObjectKind::History});
  form.number(node.specification);
  form.expressions_after("=", node.arguments);
}
void operands(AnyOf<Enter> auto&, auto&) {}
void operands(AnyOf<Invoke> auto& node, auto& form) {
  form.place(node.history, {ObjectKind::History});
  form.number(node.specification);
  form.number(node.method);
  form.expressions_after("=", node.arguments);
}
void operands(AnyOf<Respond> auto& node, auto& form) {
  form.place(node.history, {ObjectKind::History});
  form.number(node.specification);
  form.number(node.method);
  form.expressions_after("=", node.results);
}

// ---- choices and blocks ------------------------------------------------------------------------

void operands(AnyOf<Choose> auto& node, auto& form) {
  form.local(node.target);
  form.sign("=");
  form.expression(node.lo);
  form.sign("..");
  form.expression(node.hi);
  form.expression_after("among", node.among);
  form.text(node.target.name);
}
void operands(AnyOf<Either> auto& node, auto& form) { form.pcs(node.targets); }
void operands(AnyOf<Select> auto& node, auto& form) { form.cases(node); }
void operands(AnyOf<Atomic> auto& node, auto& form) {
  form.pc(node.end);
  form.place_after("of", node.of, {ObjectKind::Lock});
  form.text(node.operation);
}

}  // namespace cml::ir::text
