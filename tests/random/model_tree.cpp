#include "tests/random/model_tree.h"

#include <cstddef>
#include <functional>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {
namespace {

void print(const Body& body, int depth, std::string& out);

void line(const std::string& text, int depth, std::string& out) {
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
  out += text;
  out += '\n';
}

void print(const Statement& statement, int depth, std::string& out) {
  for (std::size_t i = 0; i < statement.heads.size(); ++i) {
    line(statement.heads[i], depth, out);
    print(statement.blocks[i], depth + 1, out);
  }
  line(statement.tail, depth, out);
}

void print(const Body& body, int depth, std::string& out) {
  for (const Statement& statement : body)
    print(statement, depth, out);
}

void print(const std::vector<ThreadText>& threads, int depth, std::string& out) {
  for (const ThreadText& thread : threads) {
    line(thread.head, depth, out);
    print(thread.body, depth + 1, out);
    line("}", depth, out);
  }
}

/// Calls `emit` with every body that is one cut smaller. Cuts: half of the statements, one
/// statement, a compound statement replaced by one of its blocks, a cut inside a block.
void smaller_bodies(const Body& body, const std::function<void(Body)>& emit) {
  const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  if (body.size() >= 4) {
    const std::size_t half = body.size() / 2;
    emit(Body(body.begin(), body.begin() + at(half)));
    emit(Body(body.begin() + at(half), body.end()));
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    Body without = body;
    without.erase(without.begin() + at(i));
    emit(std::move(without));
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (const Body& block : body[i].blocks) {
      Body unwrapped(body.begin(), body.begin() + at(i));
      unwrapped.insert(unwrapped.end(), block.begin(), block.end());
      unwrapped.insert(unwrapped.end(), body.begin() + at(i) + 1, body.end());
      emit(std::move(unwrapped));
    }
    for (std::size_t b = 0; b < body[i].blocks.size(); ++b) {
      smaller_bodies(body[i].blocks[b], [&](Body block) {
        Body copy = body;
        copy[i].blocks[b] = std::move(block);
        emit(std::move(copy));
      });
    }
  }
}

/// All lists that lack one item.
template <class Item>
void without_one(const std::vector<Item>& items,
                 const std::function<void(std::vector<Item>)>& emit) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::vector<Item> fewer = items;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    emit(std::move(fewer));
  }
}

void smaller_bodies(const std::vector<ThreadText>& threads,
                    const std::function<void(std::vector<ThreadText>)>& emit) {
  for (std::size_t i = 0; i < threads.size(); ++i)
    smaller_bodies(threads[i].body, [&](Body body) {
      std::vector<ThreadText> copy = threads;
      copy[i].body = std::move(body);
      emit(std::move(copy));
    });
}

}  // namespace

std::string ModelTree::text() const {
  std::string out;
  for (const std::string& declaration : declarations)
    line(declaration, 0, out);
  for (const ProcessText& process : processes) {
    line(process.head, 0, out);
    for (const std::string& declaration : process.declarations)
      line(declaration, 1, out);
    print(process.threads, 1, out);
    line("}", 0, out);
  }
  print(threads, 0, out);
  if (!finals.empty()) {
    line("finally {", 0, out);
    print(finals, 1, out);
    line("}", 0, out);
  }
  return out;
}

std::vector<ModelTree> smaller(const ModelTree& tree) {
  std::vector<ModelTree> out;
  const auto with_threads = [&](std::vector<ThreadText> threads) {
    out.push_back(tree);
    out.back().threads = std::move(threads);
  };
  without_one<ProcessText>(tree.processes, [&](std::vector<ProcessText> processes) {
    out.push_back(tree);
    out.back().processes = std::move(processes);
  });
  without_one<ThreadText>(tree.threads, with_threads);
  if (!tree.finals.empty()) {
    out.push_back(tree);
    out.back().finals.clear();
  }
  smaller_bodies(tree.threads, with_threads);
  if (!tree.finals.empty()) {
    smaller_bodies(tree.finals, [&](Body body) {
      if (body.empty()) return;
      out.push_back(tree);
      out.back().finals = std::move(body);
    });
  }
  for (std::size_t i = 0; i < tree.processes.size(); ++i) {
    const auto with_process_threads = [&](std::vector<ThreadText> threads) {
      out.push_back(tree);
      out.back().processes[i].threads = std::move(threads);
    };
    without_one<ThreadText>(tree.processes[i].threads, with_process_threads);
    smaller_bodies(tree.processes[i].threads, with_process_threads);
    without_one<std::string>(tree.processes[i].declarations, [&](std::vector<std::string> fewer) {
      out.push_back(tree);
      out.back().processes[i].declarations = std::move(fewer);
    });
  }
  without_one<std::string>(tree.declarations, [&](std::vector<std::string> fewer) {
    out.push_back(tree);
    out.back().declarations = std::move(fewer);
  });
  return out;
}

}  // namespace cml::random_models
