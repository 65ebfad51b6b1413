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
#include <vector>

#include "frontend/model.h"

namespace cml::brute {

using Words = std::vector<std::int32_t>;

/// One object: (declaration, process instance, first word of the element).
struct Leaf {
  std::uint32_t object = 0;
  std::int32_t process = 0;
  std::uint32_t offset = 0;
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
/// A thread does local work for ever.
struct Diverges {};

struct SelectCase {
  model::Select::Kind kind;
  Leaf leaf;
  Words values;
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
    Wait,
    Rewait,
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
    TryReceive,
    Size,
    Choose,
    Either,
    Select,
    Await,
    Atomic
  };
  Kind kind = Kind::Read;
  Leaf leaf;
  std::uint32_t word = 0;  // Read, Write of a part of an atomic struct
  std::uint32_t words = 1;
  Words values;                 // Write, Swap, Add, Send; Cas: expected, then new
  model::TypeId type;           // of what is stored, for range checks inside (Cas, Add)
  std::int32_t lo = 0, hi = 0;  // Choose; Either: [0, hi]
  std::vector<SelectCase> cases;
  bool has_default = false;
  bool awaits = false;  // Atomic: there is an `await` in the block
  std::uint32_t place = 0;
};

struct Lock {
  int owner = -1;
  int depth = 0;
};
struct Channel {
  std::deque<Words> values;
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
  explicit World(const model::Model& model) : model_(&model) {}

  std::map<Leaf, Words> variables;  // shared and atomic, by element
  std::map<Leaf, Lock> locks;
  std::map<Leaf, std::int32_t> semaphores;
  std::map<Leaf, Channel> channels;
  std::map<Leaf, Init> init;  // only objects with `init by`
  std::map<Leaf, int> init_thread;
  std::vector<std::optional<std::pair<Leaf, int>>>
      waiting;  // by thread: in the wait set, old depth
  std::vector<std::optional<std::pair<Leaf, int>>> notified;
  std::map<Leaf, Leaf> guards;
  /// Numbers of the thread instances: by declaration, process instance, index.
  std::map<std::tuple<const model::Thread*, std::int32_t, std::int32_t>, int> threads;

  std::vector<Access> accesses;  // since cleared
  std::vector<Stop> soft;        // violations that stop nobody

  /// Executes; throws Stop or Disabled.
  Words perform(int thread, const Request& request, Oracle& oracle);
  void access(int thread, Leaf leaf, bool write);
  /// The thread stands at this operation now: its initialisation windows may close.
  void reach(int thread, const Request& request);
  [[nodiscard]] std::set<Leaf> held(int thread) const;
  /// Whether the case of a select could go.
  [[nodiscard]] bool ready(int thread, const SelectCase& c) const;
  [[nodiscard]] std::string name(Leaf leaf) const;
  [[nodiscard]] std::string key() const;

 private:
  void store_check(model::TypeId type, std::int64_t value) const;

  const model::Model* model_;
};

}  // namespace cml::brute
