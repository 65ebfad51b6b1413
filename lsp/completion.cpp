// textDocument/completion: what can stand at the cursor.
//
// A word that is in no model is put there, and semantic analysis says what it could have been: so
// names, members and types are those of the language's own scopes, also in a line that is not
// complete. Keywords follow from the words before the cursor (lsp/keywords.h).
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "frontend/stdlib_embedded.h"
#include "lsp/keywords.h"
#include "lsp/protocol.h"
#include "lsp/requests.h"

namespace cml::lsp {
namespace {

constexpr std::string_view kCursor = "cml_at_the_cursor";

CompletionItemKind item_kind(NameKind kind) {
  switch (kind) {
    case NameKind::Method:
      return CompletionItemKind::Method;
    case NameKind::Function:
      return CompletionItemKind::Function;
    case NameKind::Field:
    case NameKind::StructField:
      return CompletionItemKind::Field;
    case NameKind::Object:
    case NameKind::Parameter:
    case NameKind::Variable:
    case NameKind::Let:
    case NameKind::Index:
      return CompletionItemKind::Variable;
    case NameKind::Class:
      return CompletionItemKind::Class;
    case NameKind::Process:
      return CompletionItemKind::Module;
    case NameKind::Enum:
      return CompletionItemKind::Enum;
    case NameKind::Enumerator:
      return CompletionItemKind::EnumMember;
    case NameKind::Constant:
      return CompletionItemKind::Constant;
    case NameKind::Struct:
      return CompletionItemKind::Struct;
    case NameKind::Thread:
      return CompletionItemKind::Event;
    case NameKind::TypeParameter:
    case NameKind::ConstantParameter:
      return CompletionItemKind::TypeParameter;
  }
  return CompletionItemKind::Text;
}

Json keyword_item(std::string_view word) {
  return {{"label", word},
          {"kind", CompletionItemKind::Keyword},
          {"sortText", fmt::format("2{}", word)}};
}

Json item_of(const Candidate& candidate) {
  Json item = {{"label", candidate.name},
               {"kind", item_kind(candidate.kind)},
               {"sortText", "1" + candidate.name}};
  if (!candidate.type.empty()) item["detail"] = candidate.type;
  if (candidate.op) {
    const bool is_property = model::is_property(*candidate.op);
    const bool takes = model::info(*candidate.op).parameters[0] != model::OperandType::Nothing;
    item["kind"] = is_property ? CompletionItemKind::Property : CompletionItemKind::Method;
    // `recv` is mostly called without an argument.
    const bool asks = takes && *candidate.op != model::Operator::Receive;
    if (!is_property) item["insertText"] = candidate.name + (asks ? "(" : "()");
  } else if (candidate.kind == NameKind::Function || candidate.kind == NameKind::Method) {
    item["insertText"] = candidate.name + "(";
  }
  return item;
}

/// Behind `import`, with the folder of the library; behind its dot, without.
Json module_items(bool with_folder) {
  Json items = Json::array();
  for (const EmbeddedModule& module : embedded_stdlib()) {
    std::string_view summary = module.text.substr(0, module.text.find('\n'));
    if (summary.starts_with("// ")) summary.remove_prefix(3);
    items.push_back(
        {{"label", with_folder ? module.name : module.name.substr(module.name.find('.') + 1)},
         {"kind", CompletionItemKind::Module},
         {"detail", summary}});
  }
  return items;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What semantic analysis says of a word at the cursor: with an end that makes it the base of a
/// call, which may stand wherever a value or a statement does, or with the line as it is.
Json named_items(Workspace& workspace, const Document& document, std::size_t begin, std::size_t end,
                 bool& asks_for_type) {
  const std::string& text = document.text.text();
  const std::size_t line_end = std::min(text.find('\n', end), text.size());
  const std::string_view rest = std::string_view(text).substr(end, line_end - end);
  const bool is_at_end = rest.find_first_not_of(" \t\r})") == rest.npos;
  const auto tails = is_at_end ? std::array<std::string_view, 3>{"._();", "", ";"}
                               : std::array<std::string_view, 3>{"", ";", "._();"};
  Json items = Json::array();
  for (const std::string_view tail : tails) {
    std::string asked = text.substr(0, begin);
    asked += kCursor;
    asked += tail;
    asked += std::string_view(text).substr(end);
    const Analysis answered = workspace.what_if(document, asked, std::string(kCursor));
    if (!answered.names().is_answered) continue;
    asks_for_type = answered.names().asks_for_type;
    std::set<std::string> seen;
    for (const Candidate& candidate : answered.names().candidates)
      if (seen.insert(candidate.name).second) items.push_back(item_of(candidate));
    break;
  }
  return items;
}

}  // namespace

Json completion(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document(params);
  const std::string& text = document.text.text();
  const std::size_t cursor = document.text.offset(position_of(params.at("position")));
  std::size_t begin = cursor;
  while (begin > 0 && is_letter(text[begin - 1]))
    --begin;
  std::size_t end = cursor;
  while (end < text.size() && is_letter(text[end]))
    ++end;
  SourceSet sources;
  const Context context = context_at(sources, sources.add(document.path, text), begin);
  if (context.is_in_text || context.declares()) return Json::array();
  if (context.head == "import") return module_items(context.before == "import");
  bool asks_for_type = false;
  Json items = named_items(workspace, document, begin, end, asks_for_type);
  if (context.before == ".") return items;
  for (const std::string_view word : keywords_at(context, asks_for_type))
    items.push_back(keyword_item(word));
  return items;
}

}  // namespace cml::lsp
