// Text of operations, with the values of their operands.
#include "checker/finding/operation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <variant>

#include "checker/finding/call_history.h"
#include "checker/finding/local_text.h"
#include "ir/describe.h"
#include "ir/value_text.h"

namespace cml::checker {
namespace {

/// A thread's frame in a state, and texts of what is evaluated in it.
class Frame {
 public:
  Frame(const TextContext& context, const std::uint8_t* state, ir::ThreadId thread)
      : context_(context) {
    for (const ir::Field& slot : context.layout.thread(thread).slots)
      slots_.push_back(slot.load(state));
  }

  [[nodiscard]] std::int32_t value(ir::ExprId expr) const {
    ir::EvaluationFault fault;
    return ir::evaluate(context_.system, expr, slots_.data(), fault).value_or(0);
  }
  [[nodiscard]] ir::ObjectId object(const ir::Place& place) const {
    if (!place.index) return place.base;
    return ir::ObjectId(place.base.index +
                        place.stride * static_cast<std::uint32_t>(value(*place.index)));
  }
  [[nodiscard]] const std::string& name(const ir::Place& place) const {
    return context_.system.objects[object(place)].name;
  }
  /// Some words of an object: "best", "best.at", "best.at.x".
  [[nodiscard]] std::string part(const ir::Place& place, std::uint32_t word,
                                 std::size_t count) const {
    const ir::Object& whole = context_.system.objects[object(place)];
    return whole.name + ir::part_of_pattern(pattern_of(context_.system, whole), word, count).path;
  }
  /// Values for the words of an object, from `word` on: "3" or "(1, red)".
  [[nodiscard]] std::string values(const ir::Place& place, std::uint32_t word,
                                   const std::vector<ir::ExprId>& exprs) const {
    const ir::Object& whole = context_.system.objects[object(place)];
    std::vector<std::string> words;
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      const ir::WordType type =
          word + i < whole.words.size() ? whole.words[word + i] : ir::WordType{};
      words.push_back(ir::word_text(context_.system, type, value(exprs[i])));
    }
    const std::string pattern = pattern_of(context_.system, whole);
    const ir::ValuePart part = ir::part_of_pattern(pattern, word, words.size());
    if (!part.pattern.empty()) return ir::fill_pattern(part.pattern, words);
    return words.size() == 1 ? words.front() : fmt::format("({})", fmt::join(words, ", "));
  }
  /// The local that an operation stores into; empty if it is a temporary.
  [[nodiscard]] std::string local(const std::vector<ir::LocalPlace>& targets) const {
    if (targets.empty() || !targets.front().name.valid()) return {};
    const auto& index = targets.front().index;
    return local_label(context_.system, targets.front().name,
                       index ? static_cast<std::uint32_t>(value(*index)) : 0);
  }

 private:
  const TextContext& context_;
  std::vector<std::int32_t> slots_;
};

const ir::Instruction& instruction(const TextContext& context, const std::uint8_t* state,
                                   ir::ThreadId thread) {
  const ir::Code& code = context.system.threads[thread].code;
  return code.instructions[code.location_pc[location(context.layout, state, thread)]];
}

std::string case_text(const Frame& frame, const ir::Select::Case& item) {
  switch (item.kind) {
    case ir::Select::Kind::Receive:
      return frame.name(item.place) + ".recv()";
    case ir::Select::Kind::Send:
      return fmt::format("{}.send({})", frame.name(item.place),
                         frame.values(item.place, 0, item.values));
    case ir::Select::Kind::Down:
      return frame.name(item.place) + ".down()";
    case ir::Select::Kind::Acquire:
      return frame.name(item.place) + ".acquire()";
  }
  return {};
}

/// The first line of the source of a block, or what it is.
std::string source_text(const TextContext& context, const SourceRange& range, const char* what) {
  if (!range.file.valid() || range.file.index >= context.sources.size()) return what;
  std::string_view text = context.sources.text(range);
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == ';' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return text.empty() ? what : std::string(text);
}

struct Texts {
  const TextContext& context;
  const Frame& frame;
  const ir::Instruction& instruction;

  std::string operator()(const ir::Read& node) const {
    const std::string object = frame.part(node.place, node.word, node.targets.size());
    const std::string local = frame.local(node.targets);
    return local.empty() ? "read " + object : fmt::format("{} = {}", local, object);
  }
  std::string operator()(const ir::Write& node) const {
    return fmt::format("{} = {}", frame.part(node.place, node.word, node.values.size()),
                       frame.values(node.place, node.word, node.values));
  }
  std::string operator()(const ir::Update& node) const {
    const std::string object = frame.part(node.place, node.word, node.values.size());
    const std::string values = frame.values(node.place, node.word, node.values);
    switch (node.kind) {
      case ir::Update::Kind::Cas:
        return fmt::format("{}.cas({}, {})", object,
                           frame.values(node.place, node.word, node.expected), values);
      case ir::Update::Kind::Swap:
        return fmt::format("{}.swap({})", object, values);
      case ir::Update::Kind::Add:
        break;
    }
    return fmt::format("{}.add({})", object, values);
  }
  std::string operator()(const ir::Acquire& node) const {
    return frame.name(node.lock) + ".acquire()";
  }
  std::string operator()(const ir::TryAcquire& node) const {
    return frame.name(node.lock) + ".tryAcquire()";
  }
  std::string operator()(const ir::Release& node) const {
    return frame.name(node.lock) + ".release()";
  }
  std::string operator()(const ir::Wait& node) const { return frame.name(node.lock) + ".wait()"; }
  std::string operator()(const ir::Rewait& node) const {
    return frame.name(node.lock) + ".wait(), woken";
  }
  std::string operator()(const ir::Notify& node) const {
    return frame.name(node.lock) + (node.all ? ".notifyAll()" : ".notify()");
  }
  std::string operator()(const ir::Up& node) const { return frame.name(node.semaphore) + ".up()"; }
  std::string operator()(const ir::Down& node) const {
    return frame.name(node.semaphore) + (node.try_only ? ".tryDown()" : ".down()");
  }
  std::string operator()(const ir::Send& node) const {
    return fmt::format("{}.{}({})", frame.name(node.channel), node.try_only ? "trySend" : "send",
                       frame.values(node.channel, 0, node.values));
  }
  std::string operator()(const ir::Receive& node) const {
    std::string call = frame.name(node.channel) + (node.try_only ? ".tryRecv()" : ".recv()");
    const std::string local = frame.local(node.targets);
    return local.empty() || node.try_only ? call : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::Spawn& node) const {
    // The name of the declaration stands in the source.
    const std::string call = source_text(context, instruction.range, "spawn");
    const std::string local = node.target ? frame.local({*node.target}) : "";
    return local.empty() ? call : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::New& node) const {
    const std::string call = source_text(context, instruction.range, "new");
    const std::string local = frame.local({node.target});
    return local.empty() ? call : fmt::format("{} = {}", local, call);
  }
  std::string operator()(const ir::Enter&) const {
    // Directly before its Invoke.
    const auto* node = std::get_if<ir::Invoke>(&(&instruction + 1)->node);
    if (node == nullptr) return "call";
    std::vector<std::int32_t> words;
    for (const ir::ExprId argument : node->arguments)
      words.push_back(frame.value(argument));
    return "call " + call_text(context.system, node->specification, node->method, words.data());
  }
  std::string operator()(const ir::Begin&) const { return "begin"; }
  std::string operator()(const ir::Finish&) const { return "end"; }
  std::string operator()(const ir::Join& node) const { return "join " + frame.name(node.thread); }
  std::string operator()(const ir::Choose& node) const {
    return fmt::format("choose({}..{})", frame.value(node.lo), frame.value(node.hi));
  }
  std::string operator()(const ir::Select& node) const {
    std::string text = "select { ";
    for (const ir::Select::Case& item : node.cases)
      text += fmt::format("case {}; ", case_text(frame, item));
    if (node.otherwise) text += "default; ";
    return text + "}";
  }
  std::string operator()(const ir::Atomic&) const {
    return source_text(context, instruction.range, "atomic");
  }
  /// All else that threads do at an object, by its name in the IR.
  template <class Other>
  std::string operator()(const Other& node) const {
    std::string text(ir::mnemonic(instruction.opcode()));
    ir::for_each_place(node, [&](const ir::Place& place, ir::Effects) {
      text = fmt::format("{}.{}", frame.name(place), text);
    });
    return text;
  }
};

}  // namespace

std::string operation_text(const TextContext& context, const std::uint8_t* state,
                           ir::ThreadId thread) {
  const Frame frame(context, state, thread);
  const ir::Instruction& at = instruction(context, state, thread);
  return std::visit(Texts{context, frame, at}, at.node);
}

ir::ObjectId operation_object(const TextContext& context, const std::uint8_t* state,
                              ir::ThreadId thread) {
  const ir::Instruction& at = instruction(context, state, thread);
  const ir::Place* place = nullptr;
  std::size_t places = 0;
  ir::for_each_place(at, [&](const ir::Place& one, ir::Effects) {
    place = &one;
    ++places;
  });
  const bool is_one = places == 1 && at.opcode() != ir::Opcode::Select;
  return is_one ? Frame(context, state, thread).object(*place) : ir::ObjectId();
}

std::string choice_text(const TextContext& context, const std::uint8_t* state, ir::Action action) {
  const Frame frame(context, state, action.thread);
  const ir::Instruction& at = instruction(context, state, action.thread);
  return std::visit(
      ir::Cases{[&](const ir::Choose& node) {
                  return fmt::format("chooses {}",
                                     std::int64_t{frame.value(node.lo)} + action.choice);
                },
                [&](const ir::Either&) { return fmt::format("alternative {}", action.choice + 1); },
                [&](const ir::Notify&) {
                  return "wakes " + context.system.threads[ir::ThreadId(action.choice)].name;
                },
                [&](const ir::Atomic&) { return fmt::format("way {}", action.choice + 1); },
                [&](const ir::Select& node) {
                  if (action.choice >= node.cases.size()) return std::string("default");
                  return "case " + case_text(frame, node.cases[action.choice]);
                },
                [](const auto&) { return std::string(); }},  // nothing to choose
      at.node);
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
