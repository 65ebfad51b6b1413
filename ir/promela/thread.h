// One thread as one process of Promela.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/promela/context.h"
#include "ir/promela/loops.h"

namespace cml::ir::promela {

/// The initial state, in which the local beginnings of all threads have been executed, and their
/// record.
struct Beginning {
  const Layout& layout;
  const std::vector<std::uint8_t>& state;
  const Record& record;
};

class ThreadWriter {
 public:
  ThreadWriter(Context& context, const Beginning& beginning, ThreadId thread);

  [[nodiscard]] std::string write();

 private:
  // A transition: the code behind its guard, and where several of its paths meet.
  struct Body {
    std::vector<unsigned> entries;  // by Pc: how many edges lead here
    std::vector<bool> written;
    std::vector<const Check*> checks;  // to make at the end of the atomic block
  };

  [[nodiscard]] std::uint32_t cuts_begin() const {
    return static_cast<std::uint32_t>(code_.location_pc.size());
  }
  void name_slots();
  void declare_slots(Writer& out) const;
  [[nodiscard]] std::string number(Pc pc);  // the value of `at`

  void transition(Pc pc);
  void comment(const Instruction& instruction);
  void open(const char* kind, Pc pc, const Value& guard);
  void close();
  void cut(Pc pc);
  /// One transition, with this guard.
  void operation(Pc pc, const Value& guard);
  void select(Pc pc, const Select& node);
  bool choose_among(const Choose& node);
  [[nodiscard]] bool select_case(const Select::Case& item);
  void region(Pc pc, const Atomic& node);
  void refuse_region(Pc pc, const Atomic& node);

  // Paths (thread_paths.cpp).
  void body(const std::vector<Pc>& roots);
  void count_entries(Pc begin);
  [[nodiscard]] bool is_terminal(Pc pc) const;
  [[nodiscard]] Pc skip_without_effect(Pc pc) const;
  void path(Pc pc, bool is_root = false);
  /// Writes one instruction; returns where the path continues, if it does.
  [[nodiscard]] std::optional<Pc> step(Pc pc);
  [[nodiscard]] std::optional<Pc> step_branch(const Instruction& instruction, const Branch& node);
  [[nodiscard]] std::optional<Pc> step_either(const Either& node);
  /// False: the thread has certainly stopped.
  [[nodiscard]] bool check(const std::vector<Fault>& found, SourceRange range);
  [[nodiscard]] bool check(const Value& when, FaultKind kind, SourceRange range);
  [[nodiscard]] std::vector<Fault> faults_of(ExprId expr) const;
  void stop(FaultKind kind, SourceRange range);
  void leave(std::string_view where);
  void make_checks(const std::vector<const Check*>& checks);
  void select_inside(const Select& node);
  void close_opened(unsigned before);

  // Operations (thread_operations.cpp): the effect of an enabled one. False: it certainly stops the
  // thread.
  [[nodiscard]] bool effect(const Instruction& instruction);
  template <class Node>
  [[nodiscard]] bool effect(const Instruction& instruction, const Node& node);
  [[nodiscard]] bool must_own(const Instruction& instruction, const Place& lock);
  [[nodiscard]] bool fits(const Place& place, std::uint32_t word, const std::vector<ExprId>& values,
                          const Value& when, SourceRange range);
  void or_fails(const std::optional<LocalPlace>& success);
  void send(const Place& channel, const std::vector<ExprId>& values);
  void receive(const Place& channel, const std::vector<LocalPlace>& targets);
  [[nodiscard]] std::vector<ThreadId> possible_waiters(const Place& lock) const;
  [[nodiscard]] bool is_choice(const Instruction& instruction) const;
  /// The invariants that read what the instruction, or something at the place, may change.
  [[nodiscard]] std::vector<const Check*> checks_of(const Instruction& instruction) const;
  [[nodiscard]] std::vector<const Check*> checks_of(const Place& place) const;

  [[nodiscard]] Value value(ExprId expr) const;
  [[nodiscard]] std::string target(const LocalPlace& place, const Frame& frame) const;
  void assign(const LocalPlace& place, const Value& stored);
  void assign(const LocalPlace& place, const Value& stored, const Frame& frame);
  /// Saves the values of those targets that the expressions still read; returns a frame in which
  /// these are named.
  [[nodiscard]] Frame keep(const std::vector<LocalPlace>& targets,
                           const std::vector<ExprId>& needed);
  void drop_kept();

  Context& context_;
  const System& system_;
  const Objects& objects_;
  const Beginning& beginning_;
  ThreadId id_;
  const Thread& thread_;
  const Code& code_;
  Loops loops_;
  Names names_;
  std::string forget_;  // the inline that resets the slots; empty: there are none
  Frame frame_;
  std::vector<std::uint32_t> cuts_;  // by Pc: the value of `at`; 0: none
  std::uint32_t next_cut_;
  std::vector<Pc> pending_;       // transitions still to write
  std::vector<bool> is_pending_;  // or written
  Body body_;
  unsigned opened_ = 0;  // branches of the present path
  std::vector<std::string> kept_names_;
  std::size_t kept_ = 0;  // in use
  unsigned transitions_ = 0;
  bool may_stop_ = false;
  bool may_assume_ = false;
  Writer out_;
};

}  // namespace cml::ir::promela
