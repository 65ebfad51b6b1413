// Declarations in the trees, by the places of their names.
#pragma once

#include <optional>
#include <string>

#include "lsp/analysis.h"

namespace cml::lsp {

/// What a declaration is called; none: it has no name of its own.
[[nodiscard]] const ast::Name* name_of(const ast::Decl& decl);

/// The declaration whose name stands here, in any of the files; null: a local, a parameter, a part
/// of a type, or nothing.
[[nodiscard]] const ast::Decl* declaration_at(const Analysis& analysis, SourceRange where);

/// As in the text, on one line, without a body.
[[nodiscard]] std::string head_of(const Analysis& analysis, const ast::Decl& decl);

/// The object of the checked model whose name stands here.
[[nodiscard]] const model::Object* object_at(const Analysis& analysis, SourceRange where);

/// The place of a declaration by the name that results have for the object: `meals`, `cell[0..3]`,
/// `Node[0].inbox`, `List.head`.
[[nodiscard]] std::optional<SourceRange> place_of_object(const Analysis& analysis,
                                                         std::string_view name);

}  // namespace cml::lsp
