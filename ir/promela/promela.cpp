// The whole text: macros, objects, processes, and the process that watches for the end.
#include "ir/promela/promela.h"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "ir/describe.h"
#include "ir/exec/interpreter.h"
#include "ir/promela/formulas.h"
#include "ir/promela/thread.h"

namespace cml::ir {

std::string_view promela_word(FaultKind kind) {
  switch (kind) {
    case FaultKind::Assertion:
      return "assertion";
    case FaultKind::IllegalMonitor:
      return "illegal_monitor";
    case FaultKind::Range:
      return "range";
    case FaultKind::Overflow:
      return "overflow";
    case FaultKind::DivisionByZero:
      return "division_by_zero";
    case FaultKind::Index:
      return "index";
    case FaultKind::Null:
      return "null";
    case FaultKind::SemaphoreMax:
      return "semaphore_max";
    case FaultKind::ClosedChannel:
      return "closed_channel";
    case FaultKind::StackOverflow:
      return "stack_overflow";
    case FaultKind::Unshared:
      return "unshared";
    case FaultKind::Linearizability:
      return "linearizability";
    case FaultKind::Divergence:
      return "divergence";
    case FaultKind::InitOrder:
      return "init_order";
    case FaultKind::Limit:
      return "limit";
    case FaultKind::Internal:
      return "internal";
  }
  return {};
}

std::string promela_name(std::string_view kind, SourceRange range, const SourceSet& sources) {
  std::string name(kind);
  std::ranges::replace(name, '-', '_');
  if (!range.file.valid()) return name;
  const SourceFile& file = sources.file(range.file);
  const LineColumn at = file.line_column(range.begin);
  name += "_at_";
  if (range.file.index != 0) {  // not the main file
    const std::string stem = file.name().substr(file.name().rfind('/') + 1);
    name += promela::identifier(stem) + "_";
  }
  return name + fmt::format("{}_{}", at.line, at.column);
}

namespace promela {

std::string Context::violation(FaultKind kind, SourceRange range) {
  std::string name = promela_name(promela_word(kind), range, sources);
  violations.try_emplace(name, comment(range));
  return "assert(" + name + ");";
}

std::string Context::comment(SourceRange range) const {
  constexpr std::size_t kMost = 70;
  if (!range.file.valid()) return {};
  const SourceFile& file = sources.file(range.file);
  std::string text(sources.text(range));
  text = text.substr(0, std::min(text.find('\n'), kMost));
  for (char& c : text)  // one line that the preprocessor cannot misread
    if (c == '*' || c == '\\' || static_cast<unsigned char>(c) < ' ' ||
        static_cast<unsigned char>(c) > '~')
      c = c == '*' ? 'x' : ' ';
  const std::string where = range.file.index == 0 ? "" : file.name() + ":";
  return fmt::format("/* {}{}: {} */", where, file.line_column(range.begin).line, text);
}

void write_checks(Context& context, const Decision& decision, Writer& out) {
  switch (decision.kind) {
    case Decision::Kind::Fault:
      return out.line(context.violation(decision.fault, decision.range));
    case Decision::Kind::Branch:
      out.begin_if(decision.condition.text);
      write_checks(context, *decision.yes, out);
      out.next_option("else");
      write_checks(context, *decision.no, out);
      return out.fi();
    case Decision::Kind::Blocked:
    case Decision::Kind::Done:
      return out.line("skip;");
  }
}

namespace {

constexpr std::size_t kMaxThreads = 250;      // SPIN runs 255 processes at most
constexpr std::size_t kDefaultVector = 1024;  // bytes of a state, unless SPIN gets an option

class Exporter {
 public:
  Exporter(const System& system, const SourceSet& sources)
      : system_(system), layout_(system), state_(layout_.size()), context_(system, sources) {}

  Expected<Promela, Unsupported> run(std::string_view command, std::string_view file) {
    if (system_.threads.size() > kMaxThreads) {
      context_.refuse(fmt::format("SPIN runs at most {} processes", kMaxThreads),
                      system_.threads[ThreadId(kMaxThreads)].range);
      return Unexpected(*context_.refused);
    }
    refuse_objects();
    refuse_stacks();
    refuse_moduli();
    give_names();
    Writer properties;
    invariants(properties);  // refuses what cannot be exported, so before the interpreter runs
    if (context_.refused) return Unexpected(*context_.refused);
    begin();
    std::string threads;
    for (const ThreadId id : system_.threads.ids()) {
      if (context_.refused) break;
      threads += ThreadWriter(context_, {layout_, state_, record_}, id).write() + "\n";
    }
    Writer watch;
    write_watch(watch);
    write_formulas(context_, watch);
    if (context_.refused) return Unexpected(*context_.refused);
    Writer head;
    write_head(head, command, file);
    write_declarations(head);
    Promela result;
    result.states_agree = context_.states_agree;
    result.text = head.text() + properties.text() + "\n" + threads + watch.text();
    return result;
  }

 private:
  void give_names() {
    context_.running = context_.names.unique("running");
    context_.waits_for = context_.names.unique("waits_for");
    context_.depth_of = context_.names.unique("depth_of");
    for (const Thread& thread : system_.threads) {
      ProcessNames names;
      names.process = context_.names.process(thread.name);
      if (!thread.code.slots.empty()) names.forget = context_.names.unique("forget_" + thread.name);
      context_.processes.push(std::move(names));
    }
    watch_ = context_.names.process("watch");
  }

  void begin() {
    Interpreter interpreter(context_.analyses, layout_, {});
    interpreter.initial(state_.data(), record_);
    for (const Event& event : record_.events)
      if (event.kind == FaultKind::Limit || event.kind == FaultKind::Internal)
        context_.refuse("this thread has no operation within reach", event.range);
    Record record;
    for (const Invariant& invariant : system_.invariants) {
      record.clear();
      interpreter.run_free(state_.data(), invariant.code, record);
      if (!record.events.empty())
        context_.refuse(fmt::format("the invariant `{}` fails in the initial state, before SPIN "
                                    "looks at anything",
                                    invariant.name),
                        invariant.range);
    }
  }

  void refuse_stacks() {
    const auto look = [this](const Code& code) {
      for (const Instruction& instruction : code.instructions)
        if (instruction.kind == kMaxStack || instruction.kind == "stack-overflow")
          context_.refuse("a function that calls itself cannot be exported: Promela has no stack",
                          instruction.range);
    };
    for (const cml::ir::Thread& thread : system_.threads)
      look(thread.code);
    for (const Invariant& invariant : system_.invariants)
      look(invariant.code);
    for (const Invariant& final : system_.finals)
      look(final.code);
  }

  /// What value.cpp computes modulo N must fit into C's int on the way.
  void refuse_moduli() {
    constexpr std::int32_t kLastOfSums = (1 << 30) - 1;
    constexpr std::int32_t kLastOfProducts = 46'340;
    const auto refuse = [this](std::int32_t last, SourceRange range) {
      context_.refuse(fmt::format("this counts modulo {}, for which SPIN's integers of 32 bits are "
                                  "too small",
                                  std::int64_t{last} + 1),
                      range);
    };
    for (const Expr& expr : system_.exprs) {
      if (expr.op == ExprOp::AddModulo && expr.value > kLastOfSums) refuse(expr.value, expr.range);
      if (expr.op == ExprOp::MultiplyModulo && expr.value > kLastOfProducts)
        refuse(expr.value, expr.range);
    }
    for (const cml::ir::Thread& thread : system_.threads) {
      for (const Instruction& instruction : thread.code.instructions) {
        const auto* update = std::get_if<Update>(&instruction.node);
        if (update != nullptr && update->wraps && update->bounds.hi > kLastOfSums)
          refuse(update->bounds.hi, instruction.range);
      }
    }
  }

  void refuse_objects() {
    for (const Specification& specification : system_.specifications)
      context_.refuse(fmt::format("`{}` compares calls with a specification, and SPIN has no word "
                                  "for that the calls of a class are linearizable",
                                  specification.name),
                      specification.range);
    for (const Object& object : system_.objects) {
      const SourceRange range = system_.groups[object.group].range;
      if (object.init_by) context_.states_agree = false;
      if (object.kind == ObjectKind::Life)
        context_.refuse(
            "spawned threads cannot be exported: SPIN gives them numbers in the order "
            "in which they are created, and does not use a number again",
            range);
      if (object.kind == ObjectKind::Instance)
        context_.refuse(
            fmt::format("`{}` is a class, and Promela has no objects that `new` makes: SPIN would "
                        "tell states apart that differ in their places alone",
                        system_.classes[object.owner].name),
            range);
      if (object.may_be_closed)
        context_.refuse(
            fmt::format("`{}` is closed somewhere, and Promela has no channel that can be closed",
                        object.name),
            range);
      if (object.kind == ObjectKind::Channel && object.capacity == 0)
        context_.refuse(
            fmt::format(
                "`{}` is a rendezvous, at which a `select` can send and receive, and threads "
                "can try to; Promela's cannot be tried",
                object.name),
            range);
      if (object.kind == ObjectKind::Channel && object.capacity > 255)
        context_.refuse("Promela has no channel of more than 255 values", range);
    }
    for (const cml::ir::Group& group : system_.groups) {
      bool is_negative = false;
      bool differ = false;
      const Object& first = system_.objects[group.first];
      for (std::uint32_t i = 0; i < group.count; ++i) {
        const Object& object = system_.objects[ObjectId(group.first.index + i)];
        differ = differ || object.initial != first.initial;
        for (const std::int32_t value : object.initial)
          is_negative = is_negative || value < 0;
      }
      if (differ && is_negative && group.count > 1)
        context_.refuse("Promela has no array that begins with different negative values",
                        group.range);
    }
  }

  void invariants(Writer& out) {
    for (const Invariant& invariant : system_.invariants) {
      Check check;
      check.name = context_.names.unique("check_" + invariant.name);
      check.reads.assign(system_.objects.size(), false);
      for (const Instruction& instruction : invariant.code.instructions)
        for_each_place(instruction, [&](const Place& place, Effects) {
          for_each_object(place, [&](ObjectId id) { check.reads[id.index] = true; });
        });
      out.line("");
      out.line("/* invariant: called where something that it reads has changed */");
      out.line(fmt::format("inline {}() {{", check.name));
      out.in();
      property(invariant, "invariant", out);
      out.out();
      out.line("}");
      context_.checks.push_back(std::move(check));
    }
  }

  void property(const Invariant& code, const char* what, Writer& out) {
    Frame frame;
    frame.slots.resize(code.code.slots.size());
    for (Frame::Slot& slot : frame.slots)
      slot = {constant(0), {}, 0, false};
    const auto decision =
        Decisions(system_, context_.objects, code.code,
                  {Question::Kind::Property, fmt::format("this `{}`", what), code.range})
            .from(0, std::move(frame));
    if (decision) return write_checks(context_, **decision, out);
    context_.refuse(decision.error().message, decision.error().range);
  }

  // SPIN takes a state without successors for an invalid end state; where all threads have ended,
  // it is none.
  void write_watch(Writer& out) {
    out.line(
        "/* When all threads have ended: turning in place keeps SPIN from calling it an invalid "
        "end state. */");
    out.line(fmt::format("active proctype {}() {{", watch_));
    out.in();
    out.line("do");
    if (system_.finals.empty()) {
      out.line(fmt::format(":: {} == 0", context_.running));
    } else {
      out.line(fmt::format(":: d_step {{ {} == 0 ->", context_.running));
      out.in(5);
      for (const Invariant& final : system_.finals)
        property(final, "finally", out);
      out.out(2);
      out.line("}");
      out.out(3);
    }
    out.line("od");
    out.out();
    out.line("}");
    // It does not count in a state with a stopped thread, nor in one where a daemon is about to
    // stop.
    if (!context_.daemons_go_on && !system_.finals.empty())
      context_.refuse(
          "`finally` beside a daemon that may stop or diverge has no counterpart in "
          "Promela",
          system_.finals.front().range);
  }

  void write_head(Writer& out, std::string_view command, std::string_view file) {
    const std::string vector =
        2 * layout_.size() + 16 * system_.threads.size() > kDefaultVector
            ? fmt::format(" -DVECTORSZ={}", 8 * layout_.size() + 64 * system_.threads.size())
            : "";
    out.line(fmt::format("/* Made by `{}`.", command));
    out.line("");
    out.line("   Run it:");
    out.line(fmt::format("     spin -o2 -a {}", file));
    const bool has_formulas = !system_.properties.empty();
    out.line(fmt::format("     gcc -O2 -DSAFETY -DNOREDUCE{}{} -o pan pan.c",
                         has_formulas ? " -DNOCLAIM" : "", vector));
    out.line("     ./pan -c0 -m1000000      # all errors; without -c0, only the first");
    out.line(fmt::format("     spin -t -p {}   # the path to the first", file));
    if (has_formulas) {
      out.line("   The properties of executions at the end, each as it says there:");
      out.line(fmt::format("     gcc -O2 -DNOREDUCE -DNFAIR={}{} -o pan pan.c",
                           system_.threads.size() / 4 + 2, vector));
    }
    out.line("   Read it:");
    out.line(
        "     invalid end state        a deadlock: nobody can move, and somebody has not ended");
    out.line(
        "     assertion violated NAME  the violation that NAME is declared for below; its thread");
    out.line("                              has stopped, and the others go on");
    out.line("     assertion violated x < N a limit: what is found behind it is worth nothing");
    out.line(
        context_.states_agree
            ? "     states, stored           as many as the full search counts: `cml check --all"
            : "     states, stored           not those of the full search: `cml check --all");
    out.line("                              --granularity access --reduction none`");
    out.line("   Without -o2 and -DNOREDUCE it looks at fewer states and says the same.");
    out.line("");
    out.line("   Each process is a thread. Each option of its loop is one transition: `at` is the");
    out.line("   location (as in `cml ir`), the rest of the guard what the operation blocks on.");
    out.line("   The comment before it is the line of the model, and what stands there.");
    out.line("   Not in here: the lock discipline, guards and initialisation, partial deadlocks,");
    out.line("   divergence, cover labels. */");
  }

  void write_declarations(Writer& out) {
    out.line("");
    for (const EnumId id : system_.enums.ids()) {
      std::string values;
      for (std::size_t i = 0; i < system_.enums[id].size(); ++i)
        values += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, system_.enums[id][i]);
      out.line(fmt::format("/* enum: {} */", values));
    }
    out.line("#define ENDED 0     /* values of `at` where a thread never moves again */");
    out.line("#define STOPPED 1   /* by a violation */");
    out.line("#define ASSUMED 2   /* by a false `assume` */");
    out.line("#define DIVERGED 3");
    out.line("");
    out.line(
        "typedef Lock { byte owner; byte depth; }  /* owner: 0, or the thread's number + 1 */");
    out.line("#define me (_pid + 1)");
    out.line("#define free(l) (l.owner == 0)");
    out.line("#define mine(l) (l.owner == me)");
    out.line("#define available(l) (l.owner == 0 || l.owner == me)");
    out.line("inline acquire(l) {");
    out.line("   assert(l.depth < 255);");
    out.line("   l.owner = me;");
    out.line("   l.depth = l.depth + 1;");
    out.line("}");
    out.line("inline release(l) {");
    out.line("   assert(l.owner == me);");
    out.line("   l.depth = l.depth - 1;");
    out.line("   l.owner = (l.depth == 0 -> 0 : l.owner);");
    out.line("}");
    out.line("inline release_all(l) {");
    out.line("   assert(l.owner == me);");
    out.line("   l.owner = 0;");
    out.line("   l.depth = 0;");
    out.line("}");
    out.line("");
    context_.objects.declare(out);
    std::size_t running = 0;
    for (const ThreadId id : system_.threads.ids())
      if (!system_.threads[id].is_daemon && location(layout_, state_.data(), id) != kEnded)
        ++running;
    out.line(fmt::format("byte {} = {};  /* threads that have not ended, daemons aside */",
                         context_.running, running));
    const bool waits = std::ranges::any_of(
        system_.threads.ids(), [this](ThreadId id) { return layout_.thread(id).wait.has_value(); });
    if (waits) {
      const std::size_t threads = system_.threads.size();
      const bool is_small = context_.objects.set_count() < 255;
      out.line("");
      out.line(fmt::format("#define NOTIFIED {}", is_small ? 255 : 32767));
      out.line(fmt::format("{} {}[{}];  /* by thread: the wait set (from 1) in which it is */",
                           is_small ? "byte" : "short", context_.waits_for,
                           std::max<std::size_t>(threads, 2)));
      out.line(fmt::format("byte {}[{}];  /* and how deep it held it */", context_.depth_of,
                           std::max<std::size_t>(threads, 2)));
    }
    if (!context_.violations.empty()) {
      out.line("");
      out.line("/* Violations: always 0, so that asserting one tells its name. */");
    }
    for (const auto& [name, comment] : context_.violations)
      out.line(fmt::format("hidden byte {};  {}", name, comment));
    out.line("");
  }

  const System& system_;
  Layout layout_;
  std::vector<std::uint8_t> state_;
  Record record_;
  Context context_;
  std::string watch_;
};

}  // namespace
}  // namespace promela

Expected<Promela, Unsupported> to_promela(const System& system, const SourceSet& sources,
                                          std::string_view command, std::string_view file) {
  return promela::Exporter(system, sources).run(command, file);
}

}  // namespace cml::ir
