// The objects of a brute-force run and what operations do to them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/model.h"
#include "tests/brute/call_log.h"
#include "tests/brute/kinds.h"

namespace cml::brute {

/// What stands for a declaration where the monitor of an object of the heap is meant.
constexpr std::uint32_t kMonitor = UINT32_MAX;

/// Where offsets begin that stand for reading.
constexpr std::uint32_t kReaders = 1U << 20;

/// One object: (declaration, process instance, first word of the element), and for a field, or the
/// monitor, of an object of the heap, which object that is; 0 where it is none.
struct Leaf {
  std::uint32_t object = 0;
  std::int32_t process = 0;
  std::uint32_t offset = 0;
  std::int32_t heap = 0;
  auto operator<=>(const Leaf&) const = default;
};

/// A violation: thrown by the walk, ends the thread. `kind` is empty for a false `assume`.
struct Stop {
  std::string kind;
  std::uint32_t place = 0;  // offset in the source, of assertions
  std::string object = {};
};
/// The transition cannot be executed after all.
struct Disabled {};
/// The run used something that is left out.
struct Unsupported {};
/// What makes the objects of the initial state goes wrong.
struct NoInitialState {
  Stop why;
};
/// A thread does local work for ever.
struct Diverges {};

struct SelectCase {
  model::Select::Kind kind;
  Leaf leaf;
  Words values;
  bool is_off = false;  // its guard does not hold
};

struct Request {
  enum class Kind {
    Read,
    Write,
    Cas,
    Swap,
    Add,
    Acquire,
    TryAcquire,
    Release,
    Wait,     // leaf: the wait set; lock: what is freed
    TimeOut,  // whether it was notified
    Rewait,
    AcquireRead,
    ReleaseRead,
    TryRead,
    Announce,  // that it will write: at one that prefers writers
    AcquireWrite,
    ReleaseWrite,
    TryWrite,
    Notify,
    NotifyAll,
    Held,
    Owner,  // whether thread `lo` owns the lock; -1: nobody
    Up,
    Down,
    TryDown,
    Send,
    Receive,
    TrySend,
    TryReceive,  // the answer begins with whether a value came; so does that of ReceiveInto
    ReceiveInto,
    Close,
    Closed,
    Size,
    Choose,
    Either,
    Invoke,  // a recorded call begins: of the object leaf.heap, the function `word`, with `values`
    Method,  // of an atomic class; leaf: the object's monitor, word: the function
    Select,
    Await,
    Atomic,
    Spawn,   // values: the arguments
    Begin,   // of a spawned thread
    Finish,  // likewise
    Join     // lo: whom
  };
  Kind kind = Kind::Read;
  Leaf leaf;
  Leaf lock;               // Wait, Rewait
  bool is_timed = false;   // likewise
  std::uint32_t word = 0;  // Read, Write of a part of an atomic struct
  std::uint32_t words = 1;
  Words values;                 // Write, Swap, Add, Send; Cas: expected, then new
  model::TypeId type;           // of what is stored, for range checks inside (Cas, Add)
  std::int32_t lo = 0, hi = 0;  // Choose, also among `values`; Either: [0, hi]
  std::vector<SelectCase> cases;
  bool has_default = false;
  bool awaits = false;  // Atomic: there is an `await` in the block
  std::uint32_t place = 0;
};

struct Lock {
  int owner = -1;
  int depth = 0;
  bool operator==(const Lock&) const = default;
};
struct Channel {
  std::deque<Words> values;
  bool is_closed = false;
  bool operator==(const Channel&) const = default;
};
enum class Init : std::uint8_t { Virgin, Open, Initialised };

struct Access {
  int thread = 0;
  Leaf leaf;
  bool write = false;
  bool guard = false;  // of a pending condition
  std::set<Leaf> held;
  bool counted = true;  // false: inside the initialisation window
};

/// What the lock discipline knows of an object in one execution.
struct Candidates {
  std::set<Leaf> locks;
  bool written = false;
};

/// One way in which an operation on channels can go: at a case of a select (0 of others; -1: the
/// default), by itself or together with another thread that waits, at one of its cases.
struct Way {
  int at = 0;
  int partner = -1;
  int its = 0;
};
/// What a thread is about to get, or get rid of, since another one has met it.
struct Handover {
  int to = -1;
  int at = 0;  // its case
  Words words;
};

/// An object of the heap. Its fields, and its monitor, are among the others.
struct HeapObject {
  model::ClassId cls;
  bool unshared = false;
  int user = -1;              // unshared: the thread that may touch it; -1: nobody has
  std::optional<int> window;  // whose accesses do not count yet
};

/// A number of alternatives is asked for; the script says which one.
class Oracle {
 public:
  explicit Oracle(std::vector<unsigned> script) : script_(std::move(script)) {}
  unsigned pick(unsigned alternatives);
  /// The next script in lexicographic order, or nothing.
  [[nodiscard]] std::optional<std::vector<unsigned>> next() const;
  [[nodiscard]] std::vector<unsigned> taken() const;

 private:
  std::vector<unsigned> script_;
  std::vector<std::pair<unsigned, unsigned>> log_;  // (picked, of how many)
};

class World {
 public:
  World(const model::Model& model, const Kinds& kinds) : model_(&model), kinds_(&kinds) {}

  std::map<Leaf, Words> variables;  // shared and atomic, by element
  std::map<Leaf, Lock> locks;
  std::map<Leaf, std::int32_t> semaphores;
  std::map<Leaf, Channel> channels;
  std::map<Leaf, Init> init;  // only objects with `init by`
  std::map<Leaf, int> init_thread;
  std::vector<std::optional<std::pair<Leaf, int>>> waiting;  // by thread: the wait set, old depth
  std::vector<std::optional<std::pair<Leaf, int>>> notified;
  std::map<Leaf, Leaf> guards;
  std::map<Leaf, Leaf> condition_locks;
  std::set<std::pair<Leaf, int>>
      announced;  // reader-writer locks that prefer writers, and who waits
  std::map<std::int32_t, HeapObject> heap;  // by reference; those that are out of reach, too
  /// The candidates of what lives on the heap belong to the state, and so do those of the objects
  /// in `in_state`, which some execution accesses under a lock of the heap.
  std::map<Leaf, Candidates> candidates;
  const std::set<Leaf>* in_state = nullptr;
  /// Numbers of the thread instances: by declaration, process instance, index.
  std::map<std::tuple<const model::Thread*, std::int32_t, std::int32_t>, int> threads;

  /// Makes a thread that the one with this number spawns, and says which number it has.
  std::function<int(int, const model::Spawn&, Words)> spawn;
  /// Whether the thread with this number has ended.
  std::function<bool(int)> has_ended;

  /// Who waits to receive from a channel without room, or else to send, and at which case.
  std::function<std::vector<std::pair<int, int>>(int, const Leaf&, bool)> waits_at;
  /// What the thread with this number is about to do.
  std::function<const Request&(int)> pending_of;
  std::optional<Handover> handover;
  /// How an operation can go, in the order in which an oracle counts; none: it is blocked.
  [[nodiscard]] std::vector<Way> ways(int thread, const Request& r) const;
  [[nodiscard]] bool has_no_room(const Leaf& leaf) const;

  std::map<std::int32_t, CallLog> calls;  // by reference: of objects that implement a specification
  /// All that explains the calls of one.
  std::function<std::set<std::string>(const CallLog&)> explain;

  std::vector<Access> accesses;  // since cleared
  bool takes_or_spawns = false;  // a lock was taken, or a thread spawned, since cleared
  std::vector<Stop> soft;        // violations that stop nobody

  void log(std::int32_t reference, CallEvent event);
  /// Executes; throws Stop or Disabled.
  Words perform(int thread, const Request& request, Oracle& oracle);
  void access(int thread, Leaf leaf, bool write);
  /// Makes the candidates in the state fewer.
  void count(const Access& access);
  /// Makes an object and its fields, with default values; a number below 0: in the initial state.
  std::int32_t allocate(int thread, model::ClassId cls, bool unshared);
  void create(model::ObjectId id, std::int32_t process, std::int32_t reference);
  /// Throws Stop if the object is another thread's alone.
  void touch(int thread, std::int32_t reference);
  /// The thread stands at this operation now: its initialisation windows may close.
  void reach(int thread, const Request& request);
  /// What protects what the thread reads, or writes.
  [[nodiscard]] std::set<Leaf> held(int thread, bool write = false) const;
  /// What stands for a reader-writer lock that the thread holds for reading; only while it does.
  [[nodiscard]] static Leaf read_by(Leaf rwlock, int thread) {
    rwlock.offset += kReaders * static_cast<std::uint32_t>(thread + 1);
    return rwlock;
  }
  [[nodiscard]] bool may_read(const Leaf& rwlock) const;
  [[nodiscard]] bool may_write(const Leaf& rwlock) const;
  /// Whether the case of a select could go.
  [[nodiscard]] bool ready(int thread, const SelectCase& c) const;
  [[nodiscard]] std::string name(Leaf leaf) const;
  [[nodiscard]] model::ObjectKind kind(const Leaf& leaf) const {
    return leaf.object == kMonitor ? model::ObjectKind::Lock
                                   : model_->objects[model::ObjectId(leaf.object)].kind;
  }
  [[nodiscard]] bool is_mutex(const Leaf& leaf) const {
    return kind(leaf) == model::ObjectKind::Mutex;
  }
  /// What is freed by who waits there: a lock, or that of a condition.
  [[nodiscard]] Leaf lock_at(const Leaf& set) const {
    return kind(set) == model::ObjectKind::Condition ? condition_locks.at(set) : set;
  }
  [[nodiscard]] const Kinds& kinds() const { return *kinds_; }
  /// What the words of a variable, or of a message of a channel, are.
  [[nodiscard]] WordKind kind_of_word(const Leaf& leaf, std::size_t word) const;

 private:
  /// The same, without another thread.
  Words perform_alone(int thread, const Request& request, Oracle& oracle);
  /// Throws Stop if it is closed.
  void check_open(const Leaf& channel) const;
  void send(const Leaf& channel, const Words& value);
  /// Goes one of the ways; what the thread receives.
  Words meet(const Request& r, const Way& way);
  /// The other thread's half.
  Words take_over(const Request& r);
  /// A value, or if the channel is closed and empty, what stands for one.
  Words receive(const Leaf& channel);
  [[nodiscard]] std::int32_t stored(model::TypeId type, std::int64_t value) const;
  [[nodiscard]] Leaf guard_of(model::ExprId id, std::int32_t reference) const;

  const model::Model* model_;
  const Kinds* kinds_;
  std::int32_t allocated_ = 0;
};

}  // namespace cml::brute
