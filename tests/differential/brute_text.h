// Operations and objects of the brute force as the checker's traces write them.
#pragma once

#include <map>
#include <optional>
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

/// What the operation answers, as words; nothing: it does not. Parentheses within are left out.
[[nodiscard]] std::optional<std::string> answer_text(const model::Model& model,
                                                     const brute::Request& request,
                                                     const brute::Words& answer,
                                                     const std::vector<std::string>& threads);

/// The paths of at most three names that lead from variables to objects of the heap, and the
/// classes
/// of these.
[[nodiscard]] std::map<std::string, std::string> object_paths(const model::Model& model,
                                                              const brute::World& world);

/// A text in which objects of the heap are called by their classes, as in what is compared: of
/// "list.head.next" the object if `is_object`, else the field. `paths`: object_paths().
[[nodiscard]] std::string with_classes(const std::string& text,
                                       const std::map<std::string, std::string>& paths,
                                       bool is_object);

/// All declared objects by name, each with its value; not those of the heap.
[[nodiscard]] std::map<std::string, std::string> object_texts(
    const model::Model& model, const brute::World& world, const std::vector<std::string>& threads);

}  // namespace cml::differential
