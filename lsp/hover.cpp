// textDocument/hover: what a name stands for, its type, what protects it, whether its accesses are
// visible to other threads, and its documentation.
#include <algorithm>
#include <fmt/format.h>

#include "lsp/declarations.h"
#include "lsp/requests.h"

namespace cml::lsp {
namespace {

std::string_view kind_text(NameKind kind) {
  switch (kind) {
    case NameKind::Constant:
      return "const";
    case NameKind::Enum:
      return "enum";
    case NameKind::Enumerator:
      return "value of an enum";
    case NameKind::Struct:
      return "struct";
    case NameKind::StructField:
    case NameKind::Field:
      return "field";
    case NameKind::Class:
      return "class";
    case NameKind::Method:
      return "method";
    case NameKind::TypeParameter:
      return "type parameter";
    case NameKind::ConstantParameter:
      return "constant parameter";
    case NameKind::Object:
      return "object";
    case NameKind::Function:
      return "function";
    case NameKind::Thread:
      return "thread";
    case NameKind::Process:
      return "process";
    case NameKind::Parameter:
      return "parameter";
    case NameKind::Variable:
      return "var";
    case NameKind::Let:
      return "let";
    case NameKind::Index:
      return "index";
  }
  return "";
}

bool is_local(NameKind kind) {
  return kind == NameKind::Parameter || kind == NameKind::Variable || kind == NameKind::Let ||
         kind == NameKind::Index;
}

/// As in the text, or of what has no declaration of its own, as one would write it.
std::string code_of(const Analysis& analysis, SourceRange where, const Declared& name) {
  if (const ast::Decl* const decl = declaration_at(analysis, where)) {
    std::string head = head_of(analysis, *decl);
    const bool has_type = head.find(':') != head.npos || name.type.empty();
    if (!has_type) head += fmt::format("  // {}", name.type);
    return head;
  }
  std::string code = fmt::format("{} {}", kind_text(name.kind), analysis.text(where));
  if (!name.type.empty()) code += ": " + name.type;
  if (!name.value.empty()) code += " = " + name.value;
  return code;
}

/// `discipline races;`
bool is_about_races(const Analysis& analysis) {
  return analysis.model().model.discipline == model::Discipline::Races;
}

/// Who sees accesses, at the default granularity.
std::string visibility(const Analysis& analysis, const model::Object& object) {
  switch (object.kind) {
    case ast::ObjectKind::Shared:
      if (is_about_races(analysis))
        return "shared memory: accesses are invisible to other threads as long as no two of them "
               "race, so threads are not interleaved there";
      return "shared memory: accesses are invisible to other threads as long as the lock "
             "discipline holds, so threads are not interleaved there";
    case ast::ObjectKind::Var:
      return object.is_const ? "constant once the object is made"
                             : "private to the object: methods are indivisible";
    case ast::ObjectKind::Atomic:
      return "communication: each access is visible, and other threads may come between any two";
    default:
      return "synchronisation: each operation is visible, and other threads may come before it";
  }
}

/// What protects an object: as declared, or as the last check has found.
std::string protection_text(const Analysis& analysis, const Document& document,
                            const model::Object& object) {
  if (object.kind != ast::ObjectKind::Shared) return {};
  if (std::string found = protection(analysis, document, object.range); !found.empty())
    return fmt::format("the last check says: {}", found);
  if (object.guarded_by) return "declared as guarded by a lock";
  if (is_about_races(analysis)) return "what orders its accesses, a check tells";
  return "what protects it, a check tells";
}

std::string operation_text(model::Operator op) {
  const model::OperatorInfo& info = model::info(op);
  std::string_view manner;
  switch (info.manner) {
    case model::Manner::Waits:
      manner = "a thread can be blocked in it";
      break;
    case model::Manner::Acts:
      manner = "never blocks";
      break;
    case model::Manner::Reads:
      manner = "changes nothing: conditions may ask it";
      break;
    case model::Manner::Asks:
      manner = "changes nothing, and is about the thread that asks";
      break;
    case model::Manner::Looks:
      manner = "changes nothing: for invariants and `finally`, from outside of all threads";
      break;
  }
  return fmt::format("```cml\n{}\n```\nbuilt in; {}", info.signature, manner);
}

}  // namespace

Json hover(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const Analysis& analysis = workspace.analysis(document);
  const std::uint32_t offset = analysis.offset(params.at("position"));
  const auto answer = [&](const std::string& text, SourceRange where) -> Json {
    return {{"contents", {{"kind", "markdown"}, {"value", text}}},
            {"range", analysis.range(where)}};
  };
  const auto found = analysis.name_at(offset);
  if (!found) {
    const OperationUse* const use = analysis.names().operation_at(analysis.main(), offset);
    return use == nullptr ? Json(nullptr) : answer(operation_text(use->op), use->where);
  }
  const Declared* const name = analysis.names().declared_at(found->declared);
  if (name == nullptr) return nullptr;
  std::string text = fmt::format("```cml\n{}\n```\n", code_of(analysis, found->declared, *name));
  if (const ast::Decl* const decl = declaration_at(analysis, found->declared);
      decl != nullptr && !decl->doc.empty())
    text += "\n" + decl->doc + "\n";
  if (const model::Object* const object = object_at(analysis, found->declared)) {
    text += "\n" + visibility(analysis, *object) + "\n";
    if (const std::string guard = protection_text(analysis, document, *object); !guard.empty())
      text += "\n" + guard + "\n";
  } else if (is_local(name->kind)) {
    text += "\nlocal: invisible to other threads\n";
  }
  return answer(text, found->where);
}

}  // namespace cml::lsp
