// The drawing of one random model: what its parts share, and one member function for each kind of
// statement.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/random/generator.h"

namespace cml::random_models {

using Body = std::vector<Statement>;

inline Statement simple(std::string text) { return {{}, {}, std::move(text)}; }
inline Statement around(std::string head, Body block) {
  return {{std::move(head)}, {std::move(block)}, "}"};
}

/// What a model is made of; drawn once.
struct Shape {
  unsigned shared = 0, atomics = 0, locks = 0, semaphores = 0, channels = 0;
  unsigned capacity = 0;  // of c
  bool lock_array = false, shared_array = false;
  bool loops = false;
  bool disciplined = true;  // accesses to x_k are made under lock k % locks
  unsigned mishaps = 0;     // percent
  bool monitors = false;    // wait and notify
  bool tries = false;       // tryAcquire, tryDown, trySend, tryRecv
  bool choices = false;
  bool atomic_blocks = false;
};

/// How the model as a whole is drawn.
enum class Kind : std::uint8_t {
  Plain,   // scalars and small arrays, properties over one of them
  Rich,    // everything, and nothing keeps it from blocking
  Orderly  // everything, in an order in which nobody waits for ever and all keep to the discipline
};

/// What rich and orderly models have besides.
struct Extras {
  bool structs = false;         // `S`: pair is shared (under lock 0), twin atomic
  bool struct_channel = false;  // d
  bool enums = false;           // `Color`: hue is atomic
  bool array = false;           // y[3] is atomic
  bool second_channel = false;  // c2
  bool process = false;
  bool blocks = false;  // atomic blocks of all shapes
};

/// What an orderly model has promised to supply, and may still ask for: a thread waits only for
/// what threads before it do on every way.
struct Supply {
  unsigned ups = 0, sends = 0, room = 0;
  bool go = false;     // somebody sets the flag `go`, which nobody takes back
  bool ready = false;  // somebody sets `ready` under m0, and notifies
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed)
      : random_(seed),
        indices_(~seed),
        more_(~seed * 3),
        owners_(seed ^ 0x5DEECE66Dull),
        spawns_(seed * 7 + 1),
        spins_(seed * 11 + 5),
        phrases_(seed * 13 + 7),
        closings_(seed * 17 + 3),
        excludes_(seed * 19 + 11),
        reads_(seed * 29 + 17),
        meetings_(seed * 31 + 23),
        counts_(seed * 37 + 29),
        quorums_(seed * 41 + 31) {}
  ModelTree run();

 private:
  void draw_shape();
  void declare();
  void thread(unsigned number);
  Body body(unsigned statements, unsigned depth);
  void statement(Body& out, unsigned depth);
  void access(Body& out, bool write);
  void critical(Body& out, unsigned depth);
  void perhaps_locked(Body& out);
  void synchronise(Body& out, unsigned depth);
  void communicate(Body& out);
  void atomic_access(Body& out);
  void monitor(Body& out, unsigned depth);
  void window(Body& out);
  void choice(Body& out, unsigned depth);
  void control(Body& out, unsigned depth);
  void mishap(Body& out);
  void check(Body& out);
  void properties_of_locks();
  std::string question_about_locks();

  // Of any kind: spawned.cpp.
  void draw_spawned();
  void spawned(unsigned number);
  void spawn_some(Body& out, unsigned lowest, bool in_loop);
  Statement spawning_loop(unsigned k, const std::string& handle);
  std::string spawn_of(unsigned k, const std::string& argument);

  // Of any kind: spinning.cpp.
  void spin();
  void spin_for_flag();
  void spin_for_lock();
  void spin_for_each_other();
  void insert(unsigned thread, Body statements);

  // Of any kind: phrases.cpp.
  void draw_phrases();
  Body phrase();
  Statement phrase_match();
  Statement phrase_select();
  Statement phrase_act();
  std::string phrase_condition();

  // Of any kind: meeting.cpp.
  void draw_meetings();
  void host();
  Body meeting_side(bool sends);
  Body plain_meeting_side(bool sends);
  Statement meeting_select(bool sends);
  std::string hall();

  // Of any kind: counting.cpp.
  void draw_counting();
  Statement counting_act();
  Statement counting_local();
  std::string far();

  // Of any kind: quorums.cpp.
  void draw_quorums();
  Statement quorum_act();
  Statement quorum_local();
  std::string some_set();

  // Of any kind: closing.cpp.
  void draw_closing();
  Body closing();
  Body closing_receive();
  Body closing_select();
  std::string feed();

  // Of any kind: excluding.cpp.
  void draw_excluding();
  Body excluding();
  Body excluding_wait();
  std::string turn();

  // Of any kind: reading.cpp.
  void draw_reading();
  Body reading();
  std::string book();

  // Rich and orderly models: extras.cpp, blocks.cpp, properties.cpp, orderly.cpp.
  void draw_extras();
  void declare_extras();
  void declare_locals(ThreadText& thread);
  void extra(Body& out, unsigned depth);
  void process();
  void properties();
  std::string property();
  std::string sum_or_test();
  std::vector<std::string> numbers() const;
  std::vector<std::string> truths() const;
  Body finally_body();

  void block(Body& out);
  void block_first(Body& out);
  void block_rest(Body& out, unsigned items, bool may_branch);
  void block_item(Body& out, bool may_branch);

  void orderly_thread(unsigned number);
  Body orderly_body(unsigned statements, unsigned depth);
  void orderly_statement(Body& out, unsigned depth);
  void orderly_access(Body& out);
  void orderly_critical(Body& out, unsigned depth);
  void orderly_attempt(Body& out);
  void orderly_choice(Body& out, unsigned depth);
  void orderly_block(Body& out);
  void supply(Body& out);
  void demand(Body& out);
  /// Operations that block, of which one is drawn: each only if it is supplied.
  std::vector<std::string> demands() const;
  void take(const std::string& demand);

  template <class List>
  const std::string& pick(const List& list) {
    return list[more_.below(static_cast<unsigned>(list.size()))];
  }
  std::string small() { return std::to_string(more_.below(3)); }
  std::string quick_condition() {
    static const std::vector<std::string> kConditions{"t == 0", "t > 0", "u < 1",
                                                      "b",      "!b",    "t == u"};
    return pick(kConditions);
  }
  std::string lock(unsigned k) {
    if (in_process_) return "key";
    return shape_.lock_array ? "m[" + index(k) + "]" : "m" + std::to_string(k);
  }
  /// A lock that is known in advance.
  std::string exact_lock(unsigned k) {
    if (in_process_) return "key";
    return (shape_.lock_array ? "m[" + std::to_string(k) + "]" : "m" + std::to_string(k));
  }
  std::string shared(unsigned k) {
    return shape_.shared_array ? "x[" + index(k) + "]" : "x" + std::to_string(k);
  }
  /// In threads sometimes computed: of a variable, or of a constant of the instance.
  std::string index(unsigned k) {
    if (!in_thread_ || (kind_ == Kind::Orderly && shape_.locks > 1) || !indices_.chance(30))
      return std::to_string(k);
    has("computed index");
    static const char* const kIndices[] = {"t % 2", "(u + 1) % 2", "z", "1 - z"};
    return kIndices[indices_.below(4)];
  }
  std::string atomic(unsigned k) { return "a" + std::to_string(k); }
  std::string local() { return random_.chance(70) ? "t" : "u"; }
  /// A value in 0..2 that reads no shared object.
  std::string value() {
    switch (random_.below(family_ ? 5 : 4)) {
      case 0:
        return "0";
      case 1:
        return std::to_string(1 + random_.below(2));
      case 2:
        return local();
      case 3:
        return "(" + local() + " + 1) % 3";
      default:
        return "i";
    }
  }
  std::string condition() {
    static const char* const kOps[] = {"==", "!=", "<", ">="};
    return local() + " " + kOps[random_.below(4)] + " " + std::to_string(random_.below(3));
  }
  bool has(const char* feature) {
    tree_.features.insert(feature);
    return true;
  }

  Random random_;
  Random indices_;   // its own, so that models without arrays are as they were
  Random more_;      // what plain models do not have
  Random owners_;    // likewise, for models whose properties do not look at locks
  Random spawns_;    // likewise, for models that spawn no thread
  Random spins_;     // likewise, for models in which no thread spins
  Random phrases_;   // likewise, for models without what phrases.cpp draws
  Random closings_;  // likewise, for models that close no channel
  Random excludes_;  // likewise, for models without mutexes and conditions
  Random reads_;     // likewise, for models without reader-writer locks
  Random meetings_;  // likewise, for models without a rendezvous
  Random counts_;    // likewise, for models without integers modulo N
  Random quorums_;   // likewise, for models without sets
  bool halls_ = false;
  bool books_ = false;
  bool turns_ = false;
  bool locks_wait_ = false;
  std::string lock_kind_ = "lock";
  bool feeds_ = false;
  unsigned templates_ = 0;
  bool handle_object_ = false;
  Kind kind_ = Kind::Plain;
  Extras extras_;
  Supply supply_;           // by the threads before
  Supply own_;              // by the thread that is drawn
  unsigned instances_ = 1;  // of that thread
  bool demanding_ = false;  // what is drawn runs once, on every way, with no lock held
  bool in_thread_ = false;
  bool in_process_ = false;
  Shape shape_;
  ModelTree tree_;
  std::vector<unsigned> initialised_;  // shared variables that are `init by A0`
  bool has_daemon_ = false;
  std::vector<unsigned> held_;  // locks of the `with`s around the place
  bool family_ = false;
  bool in_loop_ = false;
  unsigned fresh_ = 0;
  unsigned threads_ = 0;
};

}  // namespace cml::random_models
