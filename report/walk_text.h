// What can happen next in a walk, and how it stands, for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/walk.h"
#include "report/terminal_text.h"

namespace cml::report {

/// A numbered line for each: thread, line of the source, operation. `next` (from 0) is marked.
[[nodiscard]] std::string moves_text(const SourceSet& sources,
                                     const std::vector<checker::Move>& moves,
                                     std::optional<std::size_t> next, const TextStyle& style);

/// Where all threads stand, what they hold and their locals, and the objects that have changed.
[[nodiscard]] std::string standing_text(const SourceSet& sources,
                                        const std::vector<checker::ThreadStatus>& threads,
                                        const std::vector<checker::NamedValue>& changed,
                                        const TextStyle& style);

/// Why nobody can go: all have ended, or who waits for what.
[[nodiscard]] std::string end_text(const std::vector<checker::ThreadStatus>& threads,
                                   const TextStyle& style);

}  // namespace cml::report
