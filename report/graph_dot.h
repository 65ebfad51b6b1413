// A graph in DOT, the language of Graphviz (https://graphviz.org/doc/info/lang.html).
#pragma once

#include <string>

#include "checker/graphs.h"

namespace cml::report {

/// `title` stands below the picture.
[[nodiscard]] std::string graph_dot(const checker::Graph& graph, const std::string& title);

}  // namespace cml::report
