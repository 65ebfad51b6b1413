// What the executions of a model have in common though its text allows more: conditions that are
// always true, statements that nobody reaches, waits that nobody enters, locks that nobody finds
// taken, channels that are never full. A property of code that never runs holds for a poor reason,
// and a lock that is never contended may stand for a model that does too little.
//
// Whether a thread finds a lock taken is a matter of two threads, which reductions do not
// preserve: so this explores all interleavings, at granularity access, in the reference
// interpreter, up to the limits of states, memory and time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/options.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::checker {

/// Something that can happen, of all threads and instances together.
struct CoverageItem {
  enum class Kind : std::uint8_t { Statement, Condition, Wait, Lock, Channel };
  Kind kind = Kind::Statement;
  SourceRange location;  // of the statement, the condition, or the name in the declaration
  std::string object;    // Lock, Channel
  std::string never;     // "is never true"; empty: all of it has happened
};

struct Coverage {
  std::vector<CoverageItem> items;  // in the order of the text
  std::uint64_t states = 0;
  bool is_whole = true;  // all states were looked at
};

/// "statement", "condition", "wait", "lock", "channel".
[[nodiscard]] const char* name(CoverageItem::Kind kind);

/// `stop`: ends it with what is known.
[[nodiscard]] Coverage coverage(const ir::System& system, const SourceSet& sources,
                                const Options& options, const std::atomic<bool>& stop);

}  // namespace cml::checker
