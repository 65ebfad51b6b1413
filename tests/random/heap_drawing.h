// The drawing of one random model with a heap (heap.h): what its parts share.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/random/drawing.h"

namespace cml::random_models {

/// How the others come by the first object.
enum class Publication : std::uint8_t { Channel, Atomic, Shared, Initial, Spawn };
/// What the fields of an object are accessed under.
enum class Guard : std::uint8_t { Monitor, Field, Owner, Global, Nothing };

class HeapGenerator {
 public:
  explicit HeapGenerator(std::uint64_t seed)
      : random_(seed * 13 + 7), owns_(seed * 17 + 3), conditions_(seed * 23 + 1) {}
  ModelTree run();

 private:
  void declare();
  void declare_class();
  void declare_methods();
  void declare_atomic_class();
  void declare_published();
  void properties();

  void thread(unsigned number);
  Body obtain();
  Body publish();
  Body work(unsigned statements);
  void statement(Body& out);
  void access(Body& out);
  void link(Body& out);
  void extra(Body& out, const std::string& object);
  void call(Body& out, const std::string& object);
  void exchange(Body& out);
  void count(Body& out);
  void odd(Body& out);
  void select(Body& out);
  void mishap(Body& out);

  /// A statement on an object, under what protects it, and perhaps only if it is there.
  Statement guarded(const std::string& object, Body block);
  Statement if_there(const std::string& object, Statement statement);
  std::string object() { return random_.chance(70) ? "p" : "o"; }
  std::string value() {
    switch (random_.below(3)) {
      case 0:
        return "0";
      case 1:
        return std::to_string(1 + random_.below(2));
      default:
        return "t % 3";
    }
  }
  std::string made() {
    const char* unshared = claims_ && random_.chance(40) && has("unshared") ? "unshared " : "";
    return "new " + std::string(unshared) + "Node(" + (has_init_ ? value() : "") + ")";
  }
  bool has(const std::string& feature) {
    tree_.features.insert("heap: " + feature);
    return true;
  }
  /// Something that only few models need.
  void declare_once(const std::string& text) {
    if (std::find(tree_.declarations.begin(), tree_.declarations.end(), text) ==
        tree_.declarations.end())
      tree_.declarations.push_back(text);
  }
  std::string fresh(const char* name) { return name + std::to_string(fresh_++); }
  template <class List>
  const auto& pick(const List& list) {
    return list[random_.below(static_cast<unsigned>(list.size()))];
  }

  Random random_;
  Random owns_;  // whether owners protect: drawn apart, so that the other models are as they were
  Random conditions_;  // likewise
  ModelTree tree_;
  Publication publication_ = Publication::Channel;
  Guard guard_ = Guard::Monitor;
  bool has_init_ = false, has_counter_ = false, claims_ = false, waits_ = false, looks_ = false;
  bool sums_ = false, bumps_ = false, has_mine_ = false;
  std::vector<std::string> extras_;  // fields
  bool in_loop_ = false;
  unsigned threads_ = 2;
  unsigned receivers_ = 1;
  unsigned fresh_ = 0;
};

}  // namespace cml::random_models
