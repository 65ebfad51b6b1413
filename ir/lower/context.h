// What the lowering of all code shares: the model, the system under construction, and its limits.
//
// A construct that cannot be lowered is reported with `unsupported`; from then on the lowering
// emits nothing and ends soon, so that errors need not be passed on. Its result is discarded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/constant_value.h"
#include "frontend/model.h"
#include "ir/lower/lower.h"
#include "ir/system.h"

namespace cml::ir::lowering {

/// Appends the words of a constant value, in order.
void append_words(const model::Value& value, std::vector<std::int32_t>& words);

/// Instructions of all threads together.
inline constexpr std::size_t kMaxInstructions = 2'000'000;
/// Expressions of all threads together.
inline constexpr std::size_t kMaxExpressions = 20'000'000;
/// Objects, and words of their values.
inline constexpr std::size_t kMaxObjects = 1'000'000;
inline constexpr std::size_t kMaxThreads = 100'000;
/// Of these, those that are spawned: their names grow with the depth of spawning.
inline constexpr std::size_t kMaxSpawned = 1'000;
/// Words of one thread's frame.
inline constexpr std::size_t kMaxSlots = 65'536;
/// Words of all frames together.
inline constexpr std::size_t kMaxFrames = 2'000'000;
/// Expressions, statements and calls within each other.
inline constexpr std::uint32_t kMaxNesting = 1'000;

/// Where the instances of a thread lie: those of instance i of its process are `each` consecutive
/// ones from first + i * each.
struct DeclaredThread {
  ThreadId first;
  std::uint32_t each = 0;
  std::uint32_t processes = 0;
};

/// How many objects of a class the code allocates, as far as that is known.
struct Allocations {
  std::uint64_t count = 0;
  bool is_unbounded = false;  // beyond those
};
using AllocationsByClass = IdVector<model::ClassId, Allocations>;

class Context {
 public:
  Context(const model::Model& checked, const SourceSet& texts, const LowerOptions& lower_options,
          IdVector<model::ClassId, std::uint32_t> class_places, std::uint32_t threads_of_locks)
      : model(checked),
        sources(texts),
        options(lower_options),
        places(std::move(class_places)),
        lock_threads(threads_of_locks),
        allocations(checked.classes.size()) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const model::Model& model;
  const SourceSet& sources;
  const LowerOptions options;
  System system;
  std::map<model::StmtId, PointId> points;
  IdVector<model::ThreadId, DeclaredThread> threads;
  /// Of each class, place 0 included. Classes have the same ids in the model and the system.
  IdVector<model::ClassId, std::uint32_t> places;
  std::uint32_t lock_threads = 1;  // how many may take reader-writer locks
  AllocationsByClass allocations;  // emitted so far
  /// Of each class that implements a specification: the history of place 0.
  std::map<model::ClassId, ObjectId> histories;
  std::int32_t last_handle = 0;  // the greatest that a word of the type `thread` can hold
  std::size_t instructions = 0;  // emitted so far
  std::size_t slots = 0;         // of the threads so far
  std::uint32_t nesting_depth = 0;

  /// Records a construct that cannot be lowered; the first one is reported.
  void unsupported(std::string message, SourceRange range);
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] const std::optional<Unsupported>& failure() const { return failure_; }

  TextId text(std::string_view text);

  /// Number of words of a value; class references and thread handles count one.
  [[nodiscard]] std::uint64_t word_count(model::TypeId type) const;
  /// Words before field `field` of a struct.
  [[nodiscard]] std::uint64_t field_offset(model::StructId decl, std::uint32_t field) const;
  /// The words of a value, in order; reports types that have none yet.
  [[nodiscard]] std::vector<WordType> words(model::TypeId type, SourceRange range);
  /// How a value of the type is written (ir/value_text.h).
  const std::string& pattern(model::TypeId type);
  /// "x", "s.f", "a[1]": what each word of a variable is called.
  [[nodiscard]] std::vector<std::string> word_names(model::TypeId type,
                                                    const std::string& name) const;

  /// Whether evaluating the expression takes instructions: operations, calls, checked conversions.
  /// If not, it becomes one IR expression.
  [[nodiscard]] bool needs_code(model::ExprId expr);
  /// Whether it changes a local variable of the code that it stands in (`tryRecv` does).
  [[nodiscard]] bool modifies_locals(model::ExprId expr);
  /// Whether the function may call itself, directly or through others.
  [[nodiscard]] bool is_recursive(model::FunctionId function);

 private:
  void find_calls();

  struct Effects {
    bool needs_code = false;
    bool modifies_locals = false;
  };
  const Effects& effects(model::ExprId expr);
  void append_words(model::TypeId type, SourceRange range, std::vector<WordType>& words);
  void append_names(model::TypeId type, const std::string& name,
                    std::vector<std::string>& names) const;

  std::optional<Unsupported> failure_;
  std::unordered_map<std::string, TextId> texts_;
  std::unordered_map<std::uint32_t, Effects> effects_;
  std::unordered_map<std::uint32_t, std::string> patterns_;            // by type
  IdVector<model::FunctionId, std::vector<model::FunctionId>> calls_;  // of each
  IdVector<model::FunctionId, std::optional<bool>> is_recursive_;
};

/// Counts nesting during its lifetime.
class Nesting {
 public:
  Nesting(Context& context, SourceRange range) : context_(context) {
    if (++context_.nesting_depth > kMaxNesting)
      context_.unsupported("expressions, statements and calls nest too deeply here to be run",
                           range);
  }
  ~Nesting() { --context_.nesting_depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Context& context_;
};

}  // namespace cml::ir::lowering
