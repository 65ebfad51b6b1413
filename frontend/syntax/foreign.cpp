// Tables and patterns of foreign syntax; see foreign.h.
#include "frontend/syntax/foreign.h"

#include "CmlParser.h"
#include <array>
#include <fmt/format.h>
#include <utility>

namespace cml::syntax {
namespace {

using P = grammar::CmlParser;

struct Word {
  std::string_view text;
  std::string_view cure;
};

/// Words that begin a statement or a declaration elsewhere.
constexpr auto kFirstWords = std::to_array<Word>({
    {"active", "threads that run from the start are `thread Main { … }`"},
    {"async", "start a thread with `let h = spawn Task();`"},
    {"auto", "declare a local with `var x = 0;`"},
    {"begin", "blocks are in braces"},
    {"bit", "declare `var x: bool;`, or `shared x: bool;` at top level"},
    {"boolean", "declare `var x: bool;`, or `shared x: bool;` at top level"},
    {"byte", "declare `var x: int(0..255);`, or `shared x: int(0..255);` at top level"},
    {"catch", "there are no exceptions: a violation stops its thread"},
    {"chan", "declare `channel c: int capacity 0;`, or with room for some values"},
    {"char", "there are no characters: use an integer or an enum"},
    {"def", "a function is `fun f(a: int): int { … }`"},
    {"defer",
     "nothing is deferred: `with m { … }` releases on every way out, anything else stands before "
     "each `return`"},
    {"do",
     "write `loop { … if done { break; } }`, or a nondeterministic choice as `either { … } or { … "
     "}`"},
    {"double", "there are no floating-point numbers: use `int`"},
    {"elif", "write `else if`"},
    {"elseif", "write `else if`"},
    {"elsif", "write `else if`"},
    {"except", "there are no exceptions: a violation stops its thread"},
    {"extern", "there is no external code"},
    {"final", "a local that does not change is `let x = 0;`, a constant is `const N = 3;`"},
    {"float", "there are no floating-point numbers: use `int`"},
    {"fn", "a function is `fun f(a: int): int { … }`"},
    {"foreach", "write `for i in 0..<n { … }`"},
    {"from", "write `import \"file.cml\";`"},
    {"func", "a function is `fun f(a: int): int { … }`"},
    {"function", "a function is `fun f(a: int): int { … }`"},
    {"go", "start a thread with `spawn Task();`"},
    {"goto", "there are no jumps: use `loop`, `break` and `continue`"},
    {"include", "write `import \"file.cml\";`"},
    {"interface", "there are no interfaces: a class stands for itself"},
    {"long", "declare `var x: int;`; an int has 32 bits"},
    {"ltl",
     "what executions do is `property name: always eventually e;`, what holds in every state an "
     "`invariant`"},
    {"module", "a module is a file; it is imported with `import \"file.cml\";`"},
    {"monitor", "write `lock m;`, which can be taken again, or `mutex m;`"},
    {"mtype", "write `enum Message { … }`"},
    {"namespace", "a file is a module; there are no namespaces"},
    {"package", "a file is a module; there are no packages"},
    {"print",
     "there is no output: the trace of a violation shows values; `cover \"label\";` marks a place"},
    {"printf",
     "there is no output: the trace of a violation shows values; `cover \"label\";` marks a place"},
    {"println",
     "there is no output: the trace of a violation shows values; `cover \"label\";` marks a place"},
    {"private", "everything in a class can be seen; delete the word"},
    {"proc", "a function is `fun f(a: int) { … }`"},
    {"procedure", "a function is `fun f(a: int) { … }`"},
    {"proctype", "a thread is `thread T { … }`, or `thread T(a: int) { … }` if it is spawned"},
    {"public", "everything in a class can be seen; delete the word"},
    {"raise", "there are no exceptions: `fail \"message\";` reports a violation"},
    {"repeat", "write `loop { … if done { break; } }`"},
    {"run", "start a thread with `spawn Task();`"},
    {"short", "declare `var x: int(-32768..32767);`"},
    {"static", "what all objects of a class share is declared at top level"},
    {"string", "there are no string values: use an enum"},
    {"switch", "write `match x { case a: … default: … }`; `select` waits for operations"},
    {"throw", "there are no exceptions: `fail \"message\";` reports a violation"},
    {"try",
     "there are no exceptions: a violation stops its thread, and `with m { … }` releases on every "
     "way out"},
    {"typedef", "name a type with `enum`, `struct` or `class`"},
    {"unless", "write `if !cond { … }`"},
    {"unsigned", "declare `var x: int(0..255);` with the range that is needed"},
    {"using", "write `import \"file.cml\";`"},
    {"val", "a local that does not change is `let x = 0;`"},
    {"void", "a function is `fun f(a: int) { … }`, without a result type if it has none"},
    {"volatile", "write `atomic x: int = 0;`"},
});

/// Words that are operators elsewhere.
constexpr auto kOperatorWords = std::to_array<Word>({
    {"and", "write `&&`"},
    {"div", "write `/`"},
    {"is", "write `==`"},
    {"mod", "write `%`"},
    {"not", "write `!`"},
    {"or", "write `||`"},
    {"xor", "write `^`, or on booleans `!=`"},
});

template <std::size_t n>
const Word* find(const std::array<Word, n>& table, std::string_view text) {
  for (const Word& word : table) {
    if (word.text == text) return &word;
  }
  return nullptr;
}

/// `c <- e`, which is also read as a comparison.
constexpr std::string_view kArrow = "to send write `c.send(e);`, to receive `c.recv()`";

/// Operators of two characters that are none here, as pairs of adjacent tokens.
struct Pair {
  std::size_t left;
  std::size_t right;
  std::string_view cure;
};
constexpr auto kPairs = std::to_array<Pair>({
    {P::PLUS, P::PLUS,
     "write `x += 1;` as a statement of its own; of an atomic, `x.add(1);` is indivisible"},
    {P::MINUS, P::MINUS,
     "write `x -= 1;` as a statement of its own; of an atomic, `x.add(-1);` is indivisible"},
    {P::ASSIGN, P::GREATER, "greater or equal is `>=`; there are no arrow functions"},
    {P::ASSIGN, P::LESS, "less or equal is `<=`"},
    {P::EQUAL, P::GREATER, "implication `a => b` is `!a || b`"},
    {P::LESS, P::GREATER, "not equal is `!=`"},
    {P::STAR, P::STAR, "there is no power operator"},
    {P::EQUAL, P::ASSIGN, "equal is `==`"},
    {P::NOT_EQUAL, P::ASSIGN, "not equal is `!=`"},
    {P::QUESTION, P::DOT, "write `.`: null is checked at run time"},
    {P::COLON, P::ASSIGN, "an assignment is `x = e;`, a declaration `var x = e;`"},
    {P::COLON, P::COLON, "write `.`"},
    {P::LESS, P::MINUS, kArrow},
    {P::RANGE, P::ASSIGN, "`a..b` contains b, `a..<b` does not"},
    {P::MINUS, P::GREATER, "a result type follows a colon, `fun f(): int`; a member follows a dot"},
});

std::optional<Habit> pair_at(const TokenView& view, std::size_t right) {
  if (right == 0 || !view.adjacent(right)) return std::nullopt;
  for (const Pair& pair : kPairs) {
    if (view.type(right - 1) == pair.left && view.type(right) == pair.right) {
      const SourceRange where = cover(view.range(right - 1), view.range(right));
      return Habit{
          Code::ForeignSyntax, where,
          fmt::format("`{}{}` is no operator of CML", view.text(right - 1), view.text(right)),
          std::string(pair.cure)};
    }
  }
  return std::nullopt;
}

/// `if :: x == 0 -> …`, `do :: …`
std::optional<Habit> guarded_command(const TokenView& view, std::size_t right) {
  if (right < 2 || view.type(right - 1) != P::COLON || view.type(right) != P::COLON ||
      !view.adjacent(right))
    return std::nullopt;
  const std::size_t before = view.type(right - 2);
  if (before != P::IF && before != P::SEMICOLON && before != P::LBRACE && before != P::RBRACE)
    return std::nullopt;
  return Habit{
      Code::ForeignSyntax, cover(view.range(right - 1), view.range(right)),
      "`::` is no operator of CML",
      "to wait for what can go, write `select { case await c: … }`; to choose, `either { … "
      "} or { … }`"};
}

/// Of `[] p`, `<> p`, `p -> q`, `p U q`: where the parser stumbles.
bool is_temporal_sign(const TokenView& view, std::size_t at) {
  for (const std::string_view sign : {"[", "]", "<", ">", "U", "W", "V"})
    if (view.text(at) == sign) return true;
  return view.text(at - 1) == "]" && view.text(at - 2) == "[";
}

/// What follows something that was complete.
std::optional<Habit> behind(const TokenView& view, const Stumble& s) {
  const auto habit = [&view](std::size_t at, std::string message, std::string cure) {
    return Habit{Code::ForeignSyntax, view.range(at), std::move(message), std::move(cure)};
  };
  if (view.type(s.first) == P::ASSERT && view.type(s.at) == P::COLON && s.at > s.first)
    return habit(s.at, "a message stands behind a comma", "write `assert c, \"message\";`");
  if (view.type(s.first) == P::THREAD && s.at == s.first + 3 &&
      view.type(s.at - 1) == P::LBRACKET && view.type(s.at) == P::INTEGER)
    return habit(s.at, "a family of threads has an index",
                 fmt::format("write `thread {}[i in 0..<{}] {{ … }}`", view.text(s.first + 1),
                             view.text(s.at)));
  // `forall (i in 0..3)`: `i in 0` is an expression.
  const bool at_range = view.type(s.at) == P::RANGE || view.type(s.at) == P::RANGE_BELOW;
  if (at_range && s.at >= 5 && view.type(s.at - 2) == P::IN && view.type(s.at - 4) == P::LPAREN &&
      (view.text(s.at - 5) == "forall" || view.text(s.at - 5) == "exists"))
    return habit(
        s.at - 4, "a quantifier has no parentheses around its variable",
        fmt::format("write `{} {} in 0..<n: e`", view.text(s.at - 5), view.text(s.at - 3)));
  if (s.at > s.first && is_name(view.type(s.at)) &&
      (view.text(s.at - 1) == "forall" || view.text(s.at - 1) == "exists"))
    return habit(s.at, "a quantifier says what its variable ranges over",
                 fmt::format("write `{} {} in 0..<n: e`", view.text(s.at - 1), view.text(s.at)));
  if (view.type(s.at) == P::LBRACE && s.in_expression && view.type(s.at - 1) == P::ASSIGN)
    return habit(s.at, "values are not in braces",
                 "write `[a, b]` for the elements of an array, `S(a, b)` for a struct");
  if (!s.among_statements && view.text(s.first) == "property" && s.at > s.first + 2 &&
      is_temporal_sign(view, s.at))
    return habit(s.at, "the operators of temporal formulas are words",
                 "write `always`, `eventually`, `until`, `release` and `implies`");
  return std::nullopt;
}

bool is_type_keyword(std::size_t type) { return type == P::INT || type == P::BOOL; }

/// `int y = 3;`, `Node n;`
std::optional<Habit> typed_declaration(const TokenView& view, const Stumble& s) {
  const bool keyword = is_type_keyword(view.type(s.first));
  if (!keyword && (!is_name(view.type(s.first)) || s.at != s.first + 1)) return std::nullopt;
  const std::size_t name = s.first + 1;
  if (!is_name(view.type(name)) || view.begins_line(name)) return std::nullopt;
  const std::size_t after = view.type(name + 1);
  if (after != P::ASSIGN && after != P::SEMICOLON && after != P::LBRACKET && after != P::COMMA &&
      after != P::LPAREN) {
    return std::nullopt;
  }
  const SourceRange where = cover(view.range(s.first), view.range(name));
  const std::string_view type = view.text(s.first);
  const std::string_view id = view.text(name);
  if (after == P::LPAREN) {
    return Habit{Code::ForeignSyntax, where, "a function does not start with its result type",
                 fmt::format("write `fun {}(…): {} {{ … }}`", id, type)};
  }
  return Habit{Code::ForeignSyntax, where, "a declaration does not start with its type",
               s.among_statements
                   ? fmt::format("write `var {}: {} = …;`", id, type)
                   : fmt::format("write `shared {0}: {1} = …;`, or `const {0} = …;`", id, type)};
}

std::optional<Habit> assignment(const TokenView& view, const Stumble& s) {
  if (view.type(s.at) != P::ASSIGN) return std::nullopt;
  const SourceRange where = view.range(s.at);
  if (s.in_condition) {
    return Habit{Code::AssignmentInExpression, where, "`=` assigns, and a condition cannot assign",
                 "to compare, write `==`"};
  }
  if (s.in_expression) {
    return Habit{Code::AssignmentInExpression, where, "an assignment is no expression",
                 "assign in a statement of its own before; to compare, write `==`"};
  }
  return Habit{Code::AssignmentInExpression, where, "assignments cannot be chained",
               "write one statement for each: `y = e; x = y;`"};
}

/// `lock (m) { … }`, `synchronized (m) { … }`, `lock m { … }`
std::optional<Habit> lock_block(const TokenView& view, const Stumble& s) {
  if (!s.among_statements) return std::nullopt;
  const std::size_t type = view.type(s.first);
  const bool block =
      type == P::SYNCHRONIZED || (type == P::LOCK && view.type(s.at) != P::SEMICOLON &&
                                  (view.type(s.at) == P::LPAREN || view.type(s.at) == P::LBRACE));
  if (!block) return std::nullopt;
  return Habit{Code::ForeignSyntax, view.range(s.first),
               fmt::format("`{}` is no statement of CML", view.text(s.first)),
               "to hold a lock, write `with m { … }`"};
}

}  // namespace

std::optional<Habit> recognise(const TokenView& view, const Stumble& s) {
  if (auto found = lock_block(view, s)) return found;
  if (auto found = behind(view, s)) return found;
  // The first word of a statement decides, unless it is used as a name.
  if (is_name(view.type(s.first)) && view.type(s.first + 1) != P::ASSIGN &&
      view.type(s.first + 1) != P::DOT) {
    if (const Word* word = find(kFirstWords, view.text(s.first))) {
      return Habit{Code::ForeignSyntax, view.range(s.first),
                   fmt::format("`{}` is no word of CML", word->text), std::string(word->cure)};
    }
  }
  if (s.in_for_header) {
    return Habit{Code::ForeignSyntax, view.range(s.at),
                 "a `for` runs over a range, without parentheses and without steps",
                 "write `for i in 0..<n { … }`; otherwise use `while cond { … }` or `loop { … }`"};
  }
  for (const std::size_t at : {s.at, s.at + 1, s.at - std::min<std::size_t>(s.at, 1)}) {
    if (at <= s.first || at >= view.size()) continue;
    if (auto found = guarded_command(view, at)) return found;
    if (auto found = pair_at(view, at)) return found;
  }
  if (auto found = typed_declaration(view, s)) return found;
  if (auto found = assignment(view, s)) return found;
  for (const std::size_t at : {s.at, s.at - std::min<std::size_t>(s.at, 1)}) {
    if (at < s.first || !is_name(view.type(at))) continue;
    if (const Word* word = find(kOperatorWords, view.text(at))) {
      return Habit{Code::ForeignSyntax, view.range(at),
                   fmt::format("`{}` is no operator of CML", word->text), std::string(word->cure)};
    }
  }
  if (s.at >= 2 && view.type(s.at) == P::INTEGER && view.type(s.at - 1) == P::DOT &&
      view.type(s.at - 2) == P::INTEGER) {
    return Habit{Code::ForeignSyntax, cover(view.range(s.at - 2), view.range(s.at)),
                 "there are no floating-point numbers", "use integers, in a smaller unit"};
  }
  if (view.type(s.at) == P::GREATER_EQUAL &&
      is_name(view.type(s.at - std::min<std::size_t>(s.at, 1)))) {
    return Habit{Code::UnexpectedToken, view.range(s.at), "`>=` does not close type arguments",
                 "write a space between `>` and `=`"};
  }
  return std::nullopt;
}

}  // namespace cml::syntax
