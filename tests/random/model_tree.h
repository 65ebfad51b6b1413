// A random model as a tree of text: what the generator builds, the shrinker cuts, the front end
// reads.
//
// The tree knows nothing of CML but where a part can be taken out: a statement is text around
// blocks of statements, a thread is text around one, a process around declarations and threads.
// What a cut breaks, the front end refuses, and the shrinker then tries another: so neither has to
// know the rules of the language a second time.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace cml::random_models {

/// heads[0] blocks[0] heads[1] blocks[1] … tail; a simple statement is a tail alone.
struct Statement {
  std::vector<std::string> heads;
  std::vector<std::vector<Statement>> blocks;
  std::string tail;
};

struct ThreadText {
  std::string head;  // "thread A[i in 0..<2] {"
  std::vector<Statement> body;
};

struct ProcessText {  // or a class, which has no threads
  std::string head;   // "process P[p in 0..<2] {"
  std::vector<std::string> declarations;
  std::vector<ThreadText> threads;
};

struct ModelTree {
  std::vector<std::string> declarations;  // objects, functions, invariants
  std::vector<ProcessText> processes;
  std::vector<ThreadText> threads;
  std::vector<Statement> finals;   // the body of `finally`; empty: none
  std::set<std::string> features;  // what the generator put in, for the statistics of the test

  [[nodiscard]] std::string text() const;
};

/// All trees that are one cut smaller, the largest cuts first.
[[nodiscard]] std::vector<ModelTree> smaller(const ModelTree& tree);

/// The smallest tree that a greedy descent finds for which `fails` still holds; `fails` is asked at
/// most `budget` times.
template <class Predicate>
[[nodiscard]] ModelTree shrink(ModelTree tree, Predicate fails, int budget = 2000) {
  for (bool again = true; again;) {
    again = false;
    for (ModelTree& candidate : smaller(tree)) {
      if (budget-- <= 0) return tree;
      if (fails(candidate)) {
        tree = std::move(candidate);
        again = true;
        break;
      }
    }
  }
  return tree;
}

}  // namespace cml::random_models
