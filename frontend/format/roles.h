// Tells apart what looks the same: `<` of type arguments and less-than, unary and binary minus, `?`
// of a type and of a conditional, the parenthesis of a call and of a group, a clause's word and a
// name.
//
// The syntax tree knows, and its nodes carry their byte ranges: one pass over its flat vectors
// marks the items at those places. No recursion, whatever the shape of the tree.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/format/items.h"

namespace cml::formatting {

void mark_roles(const ast::Ast& tree, std::vector<Item>& items);

}  // namespace cml::formatting
