#include "jit/meetings.h"

#include <algorithm>
#include <map>
#include <variant>

#include "ir/analysis/meeting_places.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::jit {
namespace {

bool is_static(const ir::Place& place) { return !place.index; }

/// Of those that can meet: nobody only tries, or need not.
bool waits_to_meet(const ir::Instruction& instruction) {
  const auto has_no_guard = [](const ir::Select::Case& item) {
    return item.meets && !item.may_be_closed && !item.when && is_static(item.place);
  };
  if (const auto* send = std::get_if<ir::Send>(&instruction.node))
    return !send->try_only && !send->may_be_closed && is_static(send->channel);
  if (const auto* receive = std::get_if<ir::Receive>(&instruction.node))
    return !receive->try_only && !receive->may_be_closed && is_static(receive->channel);
  const auto* select = std::get_if<ir::Select>(&instruction.node);
  return select != nullptr && !select->otherwise &&
         std::ranges::all_of(select->cases, has_no_guard);
}

}  // namespace

PlainMeetings::PlainMeetings(const ir::Analyses& analyses)
    : system_(analyses.system()), is_plain_(system_.objects.size(), true) {
  const ir::MeetingPlaces places(system_);
  for (const ir::ThreadId thread : system_.threads.ids())
    for (const ir::Instruction& instruction : system_.threads[thread].code.instructions) {
      if (!ir::meets(instruction)) continue;
      const bool is_plain = waits_to_meet(instruction) && fits(instruction, thread);
      ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
        ir::for_each_object(place, [&](ir::ObjectId id) {
          const bool is_looked_at =
              CML_MUTATED("native-meetings-where-others-look", places.is_looked_at(id), false);
          is_plain_[id] =
              is_plain_[id] && is_plain && !is_looked_at && !system_.objects[id].owner.valid();
        });
      });
    }
}

bool PlainMeetings::fits(const ir::Instruction& instruction, ir::ThreadId thread) const {
  const std::vector<ir::SlotInfo>& slots = system_.threads[thread].code.slots;
  const auto is_plain_value = [&](ir::ExprId id) {
    const ir::Expr& expr = system_.exprs[id];
    return expr.op == ir::ExprOp::Constant || expr.op == ir::ExprOp::Local;
  };
  const auto sends = [&](const std::vector<ir::ExprId>& values) {
    return std::ranges::all_of(values, is_plain_value);
  };
  const auto receives = [&](const ir::Place& channel, const std::vector<ir::LocalPlace>& targets) {
    const std::vector<ir::WordType>& words = system_.objects[channel.base].words;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].index || i >= words.size()) return false;
      const ir::WordType& slot = slots[targets[i].slot].type;
      const bool is_number = words[i].kind != ir::WordType::Kind::Thread &&
                             words[i].kind != ir::WordType::Kind::Reference;
      if (!is_number || words[i].lo < slot.lo || words[i].hi > slot.hi) return false;
    }
    return true;
  };
  if (const auto* send = std::get_if<ir::Send>(&instruction.node))
    return !send->success && sends(send->values);
  if (const auto* receive = std::get_if<ir::Receive>(&instruction.node))
    return !receive->success && receives(receive->channel, receive->targets);
  const auto* select = std::get_if<ir::Select>(&instruction.node);
  return select != nullptr && std::ranges::all_of(select->cases, [&](const auto& item) {
           return item.kind == ir::Select::Kind::Send ? sends(item.values)
                                                      : receives(item.place, item.targets);
         });
}

bool PlainMeetings::are_at(const ir::Instruction& instruction) const {
  bool any = false;
  bool all = true;
  for_each(instruction, [&](ir::ObjectId channel, bool, std::uint32_t) {
    any = true;
    all = all && is_plain_[channel];
  });
  return any && all;
}

MeetingTable::MeetingTable(const ir::System& system, const PlainMeetings& plain)
    : partners_(system.threads.size()) {
  struct Receiver {
    ir::ThreadId thread;
    ir::Location location = 0;
    std::uint32_t its = 0;
  };
  std::map<ir::ObjectId, std::vector<Receiver>> receivers;  // in the interpreter's order
  const auto each_location = [&system](auto use) {
    for (const ir::ThreadId thread : system.threads.ids()) {
      const ir::Code& code = system.threads[thread].code;
      for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
        use(thread, at, code.instructions[code.location_pc[at]]);
    }
  };
  each_location([&](ir::ThreadId thread, ir::Location at, const ir::Instruction& instruction) {
    PlainMeetings::for_each(instruction, [&](ir::ObjectId channel, bool sends, std::uint32_t its) {
      if (!sends) receivers[channel].push_back({thread, at, its});
    });
  });
  for (const ir::ThreadId thread : system.threads.ids())
    partners_[thread].resize(system.threads[thread].code.location_pc.size());
  each_location([&](ir::ThreadId thread, ir::Location at, const ir::Instruction& instruction) {
    if (!plain.are_at(instruction)) return;
    PlainMeetings::for_each(instruction, [&](ir::ObjectId channel, bool sends, std::uint32_t own) {
      if (!sends) return;
      for (const Receiver& one : receivers[channel])
        if (one.thread != thread)
          partners_[thread][at].push_back(
              {one.thread, one.location, ir::choice_of({own, one.thread, one.its})});
    });
  });
}

}  // namespace cml::jit
