// Numbers that the language server protocol gives to kinds of things
// (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification): as
// much of its enumerations as is told here. As JSON they are numbers.
#pragma once

#include "frontend/diagnostic.h"

namespace cml::lsp {

enum class DiagnosticSeverity : int { Error = 1, Warning = 2 };

[[nodiscard]] constexpr DiagnosticSeverity severity_of(Severity severity) {
  return severity == Severity::Error ? DiagnosticSeverity::Error : DiagnosticSeverity::Warning;
}

enum class SymbolKind : int {
  Namespace = 3,
  Class = 5,
  Method = 6,
  Property = 7,
  Field = 8,
  Constructor = 9,
  Enum = 10,
  Function = 12,
  Variable = 13,
  Constant = 14,
  EnumMember = 22,
  Struct = 23,
  Event = 24,
};

enum class CompletionItemKind : int {
  Text = 1,
  Method = 2,
  Function = 3,
  Field = 5,
  Variable = 6,
  Class = 7,
  Module = 9,
  Property = 10,
  Enum = 13,
  Keyword = 14,
  EnumMember = 20,
  Constant = 21,
  Struct = 22,
  Event = 23,
  TypeParameter = 25,
};

enum class TextDocumentSyncKind : int { Incremental = 2 };

}  // namespace cml::lsp
