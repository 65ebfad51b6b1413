#include "lsp/keywords.h"

#include <algorithm>
#include <array>
#include <span>

#include "frontend/words.h"

namespace cml::lsp {
namespace {

using Keywords = std::vector<std::string_view>;

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
    std::to_array<std::string_view>({"bool", "int", "mod", "set", "thread", "lock", "mutex",
                                     "condition", "rwlock", "semaphore", "channel"});
constexpr auto kOfProperty = std::to_array<std::string_view>(
    {"always", "eventually", "until", "release", "implies", "implements", "under"});
constexpr auto kKindsOfFairness = std::to_array<std::string_view>({"weak", "strong", "none"});

// What a new name, or a text, stands behind.
constexpr auto kDeclare = std::to_array<std::string_view>(
    {"model",   "const",     "enum",   "struct",    "class",   "shared", "lock",
     "mutex",   "condition", "rwlock", "semaphore", "channel", "thread", "fun",
     "process", "property",  "let",    "var",       "for",     "label",  "cover"});

bool is_one_of(std::string_view word, const Keywords& words) {
  return std::ranges::find(words, word) != words.end();
}

Keywords all(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

/// Whether `word` begins what a first word has left open: `daemon thread`, `else if`.
bool continues(std::string_view head, std::string_view word) {
  return head == "daemon" || (head == "atomic" && word == "class") ||
         (head == "else" && word == "if");
}

/// The words between the name of an index, or of a bound variable, and its bounds.
bool wants_in(const Context& context) {
  if (context.second == "for" && context.head == "for") return true;
  if (is_one_of(context.second, {"forall", "exists", "count"})) return true;
  return context.second == "[" && is_one_of(context.head, {"thread", "process", "property"});
}

/// Within a statement or a declaration that has begun.
Keywords within(const Context& context) {
  if (context.before == "with") return {"read", "write"};
  if (context.head == "discipline") return {"races"};
  if (context.before == "fairness" && context.head == "fairness") return all(kKindsOfFairness);
  if (context.before == "under") return all(kKindsOfFairness);
  if (context.second == "under") return {"fairness"};
  if (context.head == "terminates") return {"under"};
  if (context.head == "daemon") return {"thread"};
  if (context.head == "synchronized") return {"fun"};
  if (context.before == "else") return {"if"};
  if (context.before == "atomic" && context.depth == 0) return {"class"};
  if (context.declares()) return {};
  if (wants_in(context)) return {"in"};
  if (context.head == "shared") return {"guarded by", "init by"};
  if (context.head == "channel") return {"capacity"};
  if (context.head == "semaphore") return {"max"};
  if (context.head == "condition") return {"of"};
  if (context.head == "rwlock") return {"prefers writers"};
  if (context.head == "property") return all(kOfProperty);
  if (context.head == "commutes") return {"when"};
  if (context.before == ")" && context.second == "(" && context.third == "wait") return {"until"};
  Keywords found = all(kExpressions);
  if (context.head == "case" && context.enclosing == "select")
    found.emplace_back(context.before == "case" ? "await" : "when");
  return found;
}

/// Where one begins.
Keywords at_the_beginning(const Context& context) {
  if (context.depth == 0) return all(kTopLevel);
  if (context.enclosing == "class") return all(kInClass);
  if (context.enclosing == "process") return all(kInProcess);
  if (is_one_of(context.enclosing, {"enum", "struct"})) return {};
  if (context.before == "{" && is_one_of(context.enclosing, {"select", "match"}))
    return {"case", "default"};
  Keywords found = all(kStatements);
  if (context.closed == "if") found.emplace_back("else");
  if (is_one_of(context.closed, {"either", "or"})) found.emplace_back("or");
  if (is_one_of(context.enclosing, {"select", "match"})) {
    found.emplace_back("case");
    found.emplace_back("default");
  }
  return found;
}

}  // namespace

bool Context::declares() const {
  return !head.empty() && before == head && std::ranges::find(kDeclare, head) != std::end(kDeclare);
}

Context context_at(const SourceSet& sources, FileId file, std::size_t offset) {
  Context context;
  std::vector<std::string_view> heads;
  std::string_view head;
  for (const Word& word : words_of(sources, file)) {
    const bool is_text = word.kind == WordKind::Comment || word.kind == WordKind::String;
    if (word.where.begin >= offset) break;
    const std::string_view text = sources.text(word.where);
    const bool is_line = text.starts_with("//");
    if (is_text && (offset < word.where.end || (is_line && offset == word.where.end)))
      context.is_in_text = true;
    if (word.kind == WordKind::Comment || word.where.end > offset) continue;
    context.third = context.second;
    context.second = context.before;
    context.before = text;
    context.closed = {};
    if (text == "{") {
      heads.push_back(head);
      head = {};
    } else if (text == "}") {
      if (!heads.empty()) {
        context.closed = heads.back();
        heads.pop_back();
      }
      head = {};
    } else if (text == ";" || (text == ":" && (head == "case" || head == "default"))) {
      head = {};
    } else if (head.empty() || continues(head, text)) {
      head = text;
    }
  }
  context.head = head;
  context.depth = heads.size();
  if (!heads.empty()) context.enclosing = heads.back();
  return context;
}

std::vector<std::string_view> keywords_at(const Context& context, bool asks_for_type) {
  if (asks_for_type) return all(kTypes);
  return context.head.empty() ? at_the_beginning(context) : within(context);
}

}  // namespace cml::lsp
