// textDocument/completion: what can stand at the cursor.
//
// A word that is in no model is put there, and semantic analysis says what it could have been: so
// names, members and types are those of the language's own scopes, also in a line that is not
// complete. Keywords follow from the words before the cursor.
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <span>

#include "frontend/stdlib_embedded.h"
#include "lsp/requests.h"

namespace cml::lsp {
namespace {

using Keywords = std::span<const std::string_view>;

constexpr std::string_view kCursor = "cml_at_the_cursor";

// Numbers of the protocol's CompletionItemKind.
constexpr int kMethodItem = 2;
constexpr int kModuleItem = 9;
constexpr int kPropertyItem = 10;
constexpr int kKeywordItem = 14;

int item_kind(NameKind kind) {
  switch (kind) {
    case NameKind::Method:
      return kMethodItem;
    case NameKind::Function:
      return 3;
    case NameKind::Field:
    case NameKind::StructField:
      return 5;
    case NameKind::Object:
    case NameKind::Parameter:
    case NameKind::Variable:
    case NameKind::Let:
    case NameKind::Index:
      return 6;
    case NameKind::Class:
      return 7;
    case NameKind::Process:
      return kModuleItem;
    case NameKind::Enum:
      return 13;
    case NameKind::Enumerator:
      return 20;
    case NameKind::Constant:
      return 21;
    case NameKind::Struct:
      return 22;
    case NameKind::Thread:
      return 23;
    case NameKind::TypeParameter:
    case NameKind::ConstantParameter:
      return 25;
  }
  return 1;
}

// ---- keywords in context -----------------------------------------------------------------------

constexpr auto kTopLevel = std::to_array<std::string_view>(
    {"model",   "discipline", "import",  "const",    "enum",       "struct",
     "class",   "atomic",     "shared",  "lock",     "mutex",      "condition",
     "rwlock",  "semaphore",  "channel", "thread",   "daemon",     "fun",
     "process", "invariant",  "finally", "property", "terminates", "fairness"});
constexpr auto kInProcess = std::to_array<std::string_view>(
    {"const", "shared", "atomic", "lock", "mutex", "condition", "rwlock", "semaphore", "channel",
     "thread", "daemon", "fun", "invariant", "finally"});
constexpr auto kInClass = std::to_array<std::string_view>(
    {"const", "shared", "atomic", "var", "lock", "mutex", "condition", "rwlock", "semaphore",
     "channel", "fun", "synchronized", "init", "commutes"});
constexpr auto kStatements = std::to_array<std::string_view>(
    {"let",   "var",    "if",    "while",  "loop",   "for",      "with", "atomic",
     "await", "select", "match", "either", "assert", "assume",   "fail", "cover",
     "label", "join",   "spawn", "return", "break",  "continue", "skip", "yield"});
constexpr auto kExpressions = std::to_array<std::string_view>(
    {"true", "false", "null", "this", "new", "spawn", "choose", "forall", "exists", "count"});
constexpr auto kTypes =
    std::to_array<std::string_view>({"bool", "int", "mod", "thread", "lock", "mutex", "condition",
                                     "rwlock", "semaphore", "channel"});
constexpr auto kCases = std::to_array<std::string_view>({"case", "default"});
constexpr auto kOfShared = std::to_array<std::string_view>({"guarded by", "init by"});
constexpr auto kOfChannel = std::to_array<std::string_view>({"capacity"});
constexpr auto kOfSemaphore = std::to_array<std::string_view>({"max"});
constexpr auto kOfCondition = std::to_array<std::string_view>({"of"});
constexpr auto kOfRwLock = std::to_array<std::string_view>({"prefers writers"});
constexpr auto kOfProperty = std::to_array<std::string_view>(
    {"always", "eventually", "until", "release", "implies", "implements", "under"});
constexpr auto kOfWith = std::to_array<std::string_view>({"read", "write"});

/// Where a cursor stands among the words before it.
struct Context {
  std::string_view before;     // the word before the cursor
  std::string_view head;       // the first word of the unfinished statement
  std::string_view enclosing;  // the first word of what the innermost open brace belongs to
  std::size_t depth = 0;       // open braces
  bool is_in_text = false;     // of a comment or a string
};

Context context_at(const Analysis& analysis, std::size_t offset) {
  Context context;
  std::vector<std::string_view> heads;
  std::string_view head;
  for (const Word& word : analysis.words()) {
    const bool is_text = word.kind == WordKind::Comment || word.kind == WordKind::String;
    if (word.where.begin >= offset) break;
    const std::string_view text = analysis.text(word.where);
    const bool is_line = text.starts_with("//");
    if (is_text && (offset < word.where.end || (is_line && offset == word.where.end)))
      context.is_in_text = true;
    if (word.kind == WordKind::Comment || word.where.end > offset) continue;
    context.before = text;
    if (text == "{") {
      heads.push_back(head);
      head = {};
    } else if (text == "}") {
      if (!heads.empty()) heads.pop_back();
      head = {};
    } else if (text == ";" || (text == ":" && (head == "case" || head == "default"))) {
      head = {};
    } else if (head.empty() || head == "daemon" || (head == "atomic" && text == "class")) {
      head = text;
    }
  }
  context.head = head;
  context.depth = heads.size();
  if (!heads.empty()) context.enclosing = heads.back();
  return context;
}

Keywords keywords_at(const Context& context) {
  if (!context.head.empty()) {
    if (context.before == "with") return kOfWith;
    if (context.before == context.head && context.head != "assert" && context.head != "return")
      return {};  // a name is declared
    if (context.head == "shared") return kOfShared;
    if (context.head == "channel") return kOfChannel;
    if (context.head == "semaphore") return kOfSemaphore;
    if (context.head == "condition") return kOfCondition;
    if (context.head == "rwlock") return kOfRwLock;
    if (context.head == "property") return kOfProperty;
    return kExpressions;
  }
  if (context.depth == 0) return kTopLevel;
  if (context.enclosing == "class") return kInClass;
  if (context.enclosing == "process") return kInProcess;
  if (context.enclosing == "enum" || context.enclosing == "struct") return {};
  if (context.before == "{" && (context.enclosing == "select" || context.enclosing == "match"))
    return kCases;
  return kStatements;
}

// ---- items -------------------------------------------------------------------------------------

Json keyword_items(Keywords keywords) {
  Json items = Json::array();
  for (const std::string_view word : keywords)
    items.push_back(
        {{"label", word}, {"kind", kKeywordItem}, {"sortText", fmt::format("2{}", word)}});
  return items;
}

Json item_of(const Candidate& candidate) {
  Json item = {{"label", candidate.name},
               {"kind", item_kind(candidate.kind)},
               {"sortText", "1" + candidate.name}};
  if (!candidate.type.empty()) item["detail"] = candidate.type;
  if (candidate.op) {
    const bool is_property = model::is_property(*candidate.op);
    const bool takes = model::info(*candidate.op).parameters[0] != model::OperandType::Nothing;
    item["kind"] = is_property ? kPropertyItem : kMethodItem;
    // `recv` is mostly called without an argument.
    const bool asks = takes && *candidate.op != model::Operator::Receive;
    if (!is_property) item["insertText"] = candidate.name + (asks ? "(" : "()");
  } else if (candidate.kind == NameKind::Function || candidate.kind == NameKind::Method) {
    item["insertText"] = candidate.name + "(";
  }
  return item;
}

Json module_items() {
  Json items = Json::array();
  for (const EmbeddedModule& module : embedded_stdlib()) {
    std::string_view summary = module.text.substr(0, module.text.find('\n'));
    if (summary.starts_with("// ")) summary.remove_prefix(3);
    items.push_back({{"label", module.name.substr(module.name.find('.') + 1)},
                     {"kind", kModuleItem},
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
  const Context context = context_at(workspace.analysis(document), begin);
  if (context.is_in_text) return Json::array();
  if (context.head == "import") return module_items();
  bool asks_for_type = false;
  Json items = named_items(workspace, document, begin, end, asks_for_type);
  if (context.before == ".") return items;
  for (Json& item : keyword_items(asks_for_type ? Keywords(kTypes) : keywords_at(context)))
    items.push_back(std::move(item));
  return items;
}

}  // namespace cml::lsp
