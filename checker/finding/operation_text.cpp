// Text of operations, with the values of their operands.
#include "checker/finding/operation_text.h"

#include <fmt/format.h>
#include <variant>

#include "checker/finding/call_history.h"
#include "checker/finding/operands.h"
#include "frontend/model.h"
#include "ir/describe.h"
#include "ir/exec/rendezvous.h"

namespace cml::checker {
namespace {

std::string case_text(const Operands& operands, const ir::Select::Case& item) {
  switch (item.kind) {
    case ir::Select::Kind::Receive:
      return operands.name(item.place) + ".recv()";
    case ir::Select::Kind::Send:
      return fmt::format("{}.send({})", operands.name(item.place),
                         operands.values(item.place, 0, item.values));
    case ir::Select::Kind::Down:
      return operands.name(item.place) + ".down()";
    case ir::Select::Kind::Acquire:
      return operands.name(item.place) + ".acquire()";
    case ir::Select::Kind::Await:
      return "await";
  }
  return {};
}

std::string chosen_text(const Operands& operands, const ir::Select::Case& chosen) {
  const std::string local = operands.local(chosen.targets);
  return fmt::format("select: {}{}", local.empty() ? "" : local + " = ",
                     case_text(operands, chosen));
}

/// Of two threads: what the active one does, and with whom.
std::string meeting_text(const TextContext& context, const std::uint8_t* state, ir::Action action) {
  const ir::Meeting meeting = ir::meeting_of(action.choice);
  const ir::Instruction& at = pending(context, state, action.thread);
  std::string text;
  bool sends = std::holds_alternative<ir::Send>(at.node);
  if (const auto* select = std::get_if<ir::Select>(&at.node)) {
    const ir::Select::Case& chosen = select->cases[meeting.own];
    sends = chosen.kind == ir::Select::Kind::Send;
    text = chosen_text(Operands(context, state, action.thread), chosen);
  } else {
    text = operation_text(context, state, action.thread);
  }
  return fmt::format("{}, {} by {}", text, sends ? "received" : "sent",
                     context.system.threads[meeting.partner].name);
}

struct Texts {
  const TextContext& context;
  const Operands& operands;
  const ir::Instruction& instruction;
  bool is_notified;

  std::string set(const auto& node) const {
    return operands.name(node.condition ? *node.condition : node.lock);
  }

  std::string operator()(const ir::Read& node) const {
    const std::string object = operands.part(node.place, node.word, node.targets.size());
    const std::string local = operands.local(node.targets);
    return local.empty() ? object : fmt::format("{} = {}", local, object);
  }
  std::string operator()(const ir::Write& node) const {
    const ir::Object& object = context.system.objects[operands.object(node.place)];
    if (object.read_of) return context.name(*object.read_of) + ".acquireWrite(), announced";
    return fmt::format("{} = {}", operands.part(node.place, node.word, node.values.size()),
                       operands.values(node.place, node.word, node.values));
  }
  std::string operator()(const ir::Update& node) const {
    const std::string object = operands.part(node.place, node.word, node.values.size());
    const std::string values = operands.values(node.place, node.word, node.values);
    switch (node.kind) {
      case ir::Update::Kind::Cas:
        return fmt::format("{}.cas({}, {})", object,
                           operands.values(node.place, node.word, node.expected), values);
      case ir::Update::Kind::Swap:
        return fmt::format("{}.swap({})", object, values);
      case ir::Update::Kind::Add:
        break;
    }
    return fmt::format("{}.add({})", object, values);
  }
  std::string operator()(const ir::Acquire& node) const {
    return operands.name(node.lock) + ".acquire()";
  }
  std::string operator()(const ir::TryAcquire& node) const {
    return operands.name(node.lock) + ".tryAcquire()";
  }
  std::string operator()(const ir::Release& node) const {
    const ir::ObjectId lock = operands.object(node.lock);
    const ir::Object& object = context.system.objects[lock];
    if (object.read_of) return context.name(*object.read_of) + ".releaseRead()";
    return context.name(lock) + (object.is_read_write ? ".releaseWrite()" : ".release()");
  }
  std::string operator()(const ir::Wait& node) const {
    // Before its Rewait, or its TimeOut.
    if ((&instruction + 1)->opcode() == ir::Opcode::TimeOut) return set(node) + ".waitTimed()";
    return set(node) + ".wait()" + until_text(context, instruction.range);
  }
  std::string operator()(const ir::TimeOut& node) const {
    return set(node) + (is_notified ? ".waitTimed(), notified" : ".waitTimed(), time is up");
  }
  std::string operator()(const ir::Rewait& node) const {
    const bool is_timed = (&instruction - 1)->opcode() == ir::Opcode::TimeOut;
    return set(node) + (is_timed ? ".waitTimed(), takes the lock" : ".wait(), woken");
  }
  std::string operator()(const ir::Notify& node) const {
    return operands.name(node.set) + (node.all ? ".notifyAll()" : ".notify()");
  }
  std::string operator()(const ir::Up& node) const {
    return operands.name(node.semaphore) + ".up()";
  }
  std::string operator()(const ir::Down& node) const {
    return operands.name(node.semaphore) + (node.try_only ? ".tryDown()" : ".down()");
  }
  std::string operator()(const ir::Send& node) const {
    return fmt::format("{}.{}({})", operands.name(node.channel), node.try_only ? "trySend" : "send",
                       operands.values(node.channel, 0, node.values));
  }
  std::string operator()(const ir::Receive& node) const {
    std::string call = operands.name(node.channel) + (node.try_only ? ".tryRecv()" : ".recv()");
    const std::string local = operands.local(node.targets);
    return local.empty() || node.try_only || node.success ? call
                                                          : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::Close& node) const {
    return operands.name(node.channel) + ".close()";
  }
  std::string operator()(const ir::Spawn& node) const {
    // The name of the declaration stands in the source.
    const std::string call = context.source(instruction.range, "spawn");
    const std::string local = node.target ? operands.local({*node.target}) : "";
    return local.empty() ? call : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::New& node) const {
    const std::string call = context.source(instruction.range, "new");
    const std::string local = operands.local({node.target});
    return local.empty() ? call : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::Enter&) const {
    // Directly before its Invoke.
    const auto* node = std::get_if<ir::Invoke>(&(&instruction + 1)->node);
    if (node == nullptr) return "call";
    std::vector<std::int32_t> words;
    for (const ir::ExprId argument : node->arguments)
      words.push_back(operands.value(argument));
    return "call " + call_text(context.system, node->specification, node->method, words.data());
  }
  std::string operator()(const ir::Begin&) const { return "begin"; }
  std::string operator()(const ir::Finish&) const { return "end"; }
  std::string operator()(const ir::Join& node) const {
    return "join " + operands.name(node.thread);
  }
  std::string operator()(const ir::Choose& node) const {
    if (node.among) return fmt::format("choose({})", model::set_text(operands.value(*node.among)));
    return fmt::format("choose({}..{})", operands.value(node.lo), operands.value(node.hi));
  }
  std::string operator()(const ir::Select& node) const {
    std::string text = "select { ";
    for (const ir::Select::Case& item : node.cases)
      text += fmt::format("case {}{}; ", case_text(operands, item),
                          item.when && operands.value(*item.when) == 0 ? " when false" : "");
    if (node.otherwise) text += "default; ";
    return text + "}";
  }
  std::string operator()(const ir::Atomic& node) const {
    if (node.of) return operands.name(*node.of) + context.system.texts[node.operation];
    return context.source(instruction.range, "atomic");
  }
  /// All else that threads do at an object, by its name in the IR.
  template <class Other>
  std::string operator()(const Other& node) const {
    std::string text(ir::mnemonic(instruction.opcode()));
    ir::for_each_place(node, [&](const ir::Place& place, ir::Effects) {
      text = fmt::format("{}.{}", operands.name(place), text);
    });
    return text;
  }
};

}  // namespace

std::string operation_text(const TextContext& context, const std::uint8_t* state,
                           ir::ThreadId thread) {
  const Operands operands(context, state, thread);
  const ir::Instruction& at = pending(context, state, thread);
  const bool is_notified = context.layout.wait_status(state, thread) == ir::WaitStatus::Notified;
  return std::visit(Texts{context, operands, at, is_notified}, at.node);
}

std::string waiting_text(const TextContext& context, const std::uint8_t* state,
                         ir::ThreadId thread) {
  const ir::Instruction& at = pending(context, state, thread);
  const ir::Place* const set = ir::wait_set(at.node);
  if (set == nullptr) return operation_text(context, state, thread);
  return Operands(context, state, thread).name(*set) + ".wait()" + until_text(context, at.range);
}

ir::ObjectId operation_object(const TextContext& context, const std::uint8_t* state,
                              ir::ThreadId thread) {
  const ir::Instruction& at = pending(context, state, thread);
  const ir::Place* place = nullptr;
  std::size_t places = 0;
  if (const auto* rewait = std::get_if<ir::Rewait>(&at.node))
    return Operands(context, state, thread).object(rewait->lock);
  ir::for_each_place(at, [&](const ir::Place& one, ir::Effects) {
    place = &one;
    ++places;
  });
  const bool is_one = places == 1 && at.opcode() != ir::Opcode::Select;
  return is_one ? Operands(context, state, thread).object(*place) : ir::ObjectId();
}

std::string action_text(const TextContext& context, const std::uint8_t* state, ir::Action action) {
  const ir::Instruction& at = pending(context, state, action.thread);
  if (ir::is_meeting(action.choice)) return meeting_text(context, state, action);
  if (const auto* select = std::get_if<ir::Select>(&at.node)) {
    if (action.choice >= select->cases.size()) return "select: default";
    return chosen_text(Operands(context, state, action.thread), select->cases[action.choice]);
  }
  if (const auto* either = std::get_if<ir::Either>(&at.node))
    return fmt::format("either: branch {} of {}", action.choice + 1, either->targets.size());
  return operation_text(context, state, action.thread);
}

std::string until_text(const TextContext& context, const SourceRange& statement) {
  constexpr std::string_view kUntil = " until ";
  if (!statement.file.valid() || statement.file.index >= context.sources.size()) return {};
  std::string text;  // with single spaces
  for (const char c : context.sources.text(statement)) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) text += c;
    if (is_space && !text.empty() && text.back() != ' ') text += ' ';
  }
  while (!text.empty() && (text.back() == ';' || text.back() == ' '))
    text.pop_back();
  const std::size_t at = text.find(kUntil);
  return at == std::string::npos ? "" : text.substr(at);
}

std::string join(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace cml::checker
