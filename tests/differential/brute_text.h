// Operations and objects of the brute force as the checker's traces write them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/model.h"
#include "tests/brute/world.h"

namespace cml::differential {

/// Whether a trace may call what a thread is about to do by this text. `threads`: what it calls
/// them, by number.
[[nodiscard]] bool is_called(const model::Model& model, const brute::World& world,
                             const brute::Request& request, const std::vector<std::string>& threads,
                             const std::string& text);

/// All declared objects by name, each with its value; not those of the heap.
[[nodiscard]] std::map<std::string, std::string> object_texts(
    const model::Model& model, const brute::World& world, const std::vector<std::string>& threads);

}  // namespace cml::differential
