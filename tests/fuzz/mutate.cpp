// Cutting a model into pieces, and what can be done to them.
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <span>
#include <vector>

namespace cml::fuzz {
namespace {

using Words = std::span<const std::string_view>;

// Words that may stand for each other: the result is mostly a model.
constexpr auto kOperators = std::to_array<std::string_view>(
    {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"});
constexpr auto kObjects = std::to_array<std::string_view>({"shared", "atomic"});
constexpr auto kSignals = std::to_array<std::string_view>({"lock", "mutex", "semaphore"});
constexpr auto kAssignments = std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "%="});
constexpr auto kOfLocks = std::to_array<std::string_view>(
    {"acquire", "release", "wait", "waitTimed", "notify", "notifyAll", "tryAcquire"});
constexpr auto kOfSemaphores = std::to_array<std::string_view>({"up", "down", "tryDown"});
constexpr auto kOfChannels = std::to_array<std::string_view>({"recv", "tryRecv", "size"});
constexpr auto kTruths = std::to_array<std::string_view>({"true", "false"});
constexpr auto kJumps = std::to_array<std::string_view>({"break", "continue", "skip", "return"});
constexpr auto kClaims = std::to_array<std::string_view>({"assert", "assume", "await", "return"});
constexpr auto kBlocks = std::to_array<std::string_view>({"if", "while", "with"});
constexpr auto kRanges = std::to_array<std::string_view>({"..", "..<"});
constexpr auto kVariables = std::to_array<std::string_view>({"var", "let"});
constexpr auto kClasses = std::to_array<Words>({
    kOperators,
    kObjects,
    kSignals,
    kAssignments,
    kOfLocks,
    kOfSemaphores,
    kOfChannels,
    kTruths,
    kJumps,
    kClaims,
    kBlocks,
    kRanges,
    kVariables,
});

constexpr auto kNumbers = std::to_array<std::string_view>(
    {"0", "1", "2", "3", "4", "7", "16", "64", "255", "256", "1000", "65535", "65537", "2147483647",
     "4294967296", "(-1)", "(-2147483647 - 1)"});

// $p: a statement of the model, $e: a condition, $v: a variable, $n: a number, $l, $r, $w, $s, $c
// and $f: a lock, reader-writer lock, condition, semaphore, channel and function, $q: a new name.
constexpr auto kStatements = std::to_array<std::string_view>({
    "skip;",
    "loop { skip; }",
    "loop { $p }",
    "while $e { $p }",
    "while $e { skip; }",
    "for $q in 0..$n { $p }",
    "if $e { $p }",
    "if $e { $p } else { $p }",
    "if $e { return; }",
    "if $e { break; }",
    "either { $p } or { $p }",
    "atomic { $p }",
    "atomic { $p $p }",
    "with $l { $p }",
    "select { case $c.send($n): $p case let $q = $c.recv(): $p }",
    "select { case $l.acquire(): $p case $s.down(): default: $p }",
    "$v = $n;",
    "$v = $v;",
    "$v = $v + 1;",
    "$v += $n;",
    "$v = choose(0..$n);",
    "var $q: set(0..<4) = {$v}; $q += $n; $v = $q.size; $v = choose($q);",
    "for $q in {0, $v} { $p }",
    "var $q: mod($n) = $v; $q += $v; $v = $q * $q - 1;",
    "let $q = choose(0..1);",
    "var $q: int(0..3) = $v;",
    "var $q[3]: bool; $q[$n] = $e;",
    "assert $e;",
    "assume $e;",
    "await $e;",
    "fail \"m\";",
    "cover \"c\";",
    "return;",
    "$l.acquire();",
    "$l.release();",
    "$l.wait();",
    "$l.wait() until $e;",
    "$l.notify();",
    "$l.notifyAll();",
    "$w.wait();",
    "with read $r { $p }",
    "with write $r { $p }",
    "$r.acquireWrite();",
    "$r.releaseRead();",
    "if $r.tryRead() { $p }",
    "$w.wait() until $e;",
    "$w.notify();",
    "with $l { if !$w.waitTimed() { $p } }",
    "$s.up();",
    "$s.down();",
    "$c.send($n);",
    "$c.send($v);",
    "$v = $c.recv();",
});

constexpr auto kItems = std::to_array<std::string_view>({
    "finally { $p }",
    "finally { assert $e; }",
    "finally { while $e { skip; } }",
    "invariant $e;",
    "invariant $q: $e;",
    "invariant $q: $f(1);",
    "const $q = $n;",
    "atomic $q: int(0..3) = 0;",
    "atomic $q[3]: bool;",
    "atomic $q: mod($n) = $n;",
    "atomic $q: set(0..<4) = {$n, 2};",
    "shared $q: set(0..$n);",
    "channel $q: set(0..<3) capacity 1;",
    "fun $q(s: set(0..<3)): set(0..<3) { return s & {0, 1} | {2}; }",
    "shared $q: mod(3);",
    "channel $q: mod(4) capacity 1;",
    "fun $q(a: mod(3)): mod(3) { return a - 1; }",
    "shared $q: bool;",
    "shared $q: int = $n;",
    "lock $q;",
    "lock $q[2];",
    "mutex $q;",
    "rwlock $q;",
    "rwlock $q prefers writers;",
    "thread $q { with read $r { $p } with write $r { $p } }",
    "condition $q of $l;",
    "condition $q[2] of $l;",
    "fun $q(m: mutex, c: condition) { with m { c.wait() until $e; } }",
    "semaphore $q = 1;",
    "semaphore $q = $n;",
    "channel $q: int(0..3) capacity 2;",
    "channel $q: bool;",
    "channel $q: int(0..3) capacity 0;",
    "channel $q;",
    "thread $q { $p }",
    "thread $q { $p $p }",
    "thread $q[k in 0..1] { $p }",
    "daemon thread $q { $p }",
    "fun $q(a: int): bool { $p return a == 0; }",
    "fun $q(a: int): bool { while $e { $p } return $e; }",
    "fun $q(a: int): bool { return $q(a + 1); }",
    "fun $q() { $p }",
});

constexpr auto kConditions = std::to_array<std::string_view>({
    "true",
    "false",
    "$v",
    "!$v",
    "$v == $n",
    "$v != $n",
    "$v < $n",
    "$v == $v",
    "$v >= 0",
    "$v == 0 || $v == 1",
    "choose(0..1) == 0",
    "choose({$n, 1}) == 0",
    "(exists k in {0, $n}: k == $v)",
    "$c.size == $n",
    "$c.size > 0",
    "$l.held",
    "$l.free",
    "$l.tryAcquire()",
    "$s.tryDown()",
    "$f(0)",
    "$n / $v == 1",
});

struct Token {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// An item or a statement, by its tokens.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t body = 0;  // the `{` of its last block; 0: it has none
  bool is_item = false;
};

struct Name {
  std::string use;  // "x", or "x[0]" of an array
  std::string_view kind;
};

constexpr std::size_t kNoMatch = static_cast<std::size_t>(-1);

class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {
    cut();
    match();
    if (is_balanced_) find_pieces(0, tokens_.size(), true);
    find_names();
  }

  [[nodiscard]] std::string_view word(std::size_t token) const {
    return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
  }
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const Token& token(std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Name>& names() const { return names_; }
  [[nodiscard]] std::string new_name() const {
    for (std::size_t i = 0;; ++i) {
      std::string name = "q" + std::to_string(i);
      if (text_.find(name) == std::string_view::npos) return name;
    }
  }
  [[nodiscard]] std::size_t begin(const Piece& piece) const { return tokens_[piece.begin].begin; }
  [[nodiscard]] std::size_t end(const Piece& piece) const { return tokens_[piece.end - 1].end; }
  [[nodiscard]] std::string_view text(const Piece& piece) const {
    return text_.substr(begin(piece), end(piece) - begin(piece));
  }
  /// What stands inside the piece's last block.
  [[nodiscard]] std::string_view inside(const Piece& piece) const {
    const std::size_t from = tokens_[piece.body].end;
    return text_.substr(from, tokens_[match_[piece.body]].begin - from);
  }

 private:
  static bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  [[nodiscard]] std::size_t behind_space(std::size_t at) const {
    while (at < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at])) != 0) {
        ++at;
      } else if (text_.substr(at, 2) == "//") {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (text_.substr(at, 2) == "/*") {
        const std::size_t end = text_.find("*/", at + 2);
        at = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        break;
      }
    }
    return at;
  }

  void cut() {
    static constexpr auto kLong = std::to_array<std::string_view>(
        {"..<", "..", "+=", "-=", "*=", "/=", "%=", "||", "&&", "==", "!=", "<=", ">="});
    for (std::size_t at = behind_space(0); at < text_.size(); at = behind_space(at)) {
      std::size_t end = at + 1;
      if (is_letter(text_[at])) {
        while (end < text_.size() && is_letter(text_[end]))
          ++end;
      } else if (text_[at] == '"') {
        end = std::min(text_.find_first_of("\"\n", at + 1), text_.size() - 1) + 1;
      } else {
        for (const std::string_view word : kLong)
          if (text_.substr(at, word.size()) == word) end = std::max(end, at + word.size());
      }
      tokens_.push_back({at, end});
      at = end;
    }
  }

  void match() {
    match_.assign(tokens_.size(), kNoMatch);
    constexpr std::size_t kDeepest = 100;  // find_pieces() goes as deep
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const char c = text_[tokens_[i].begin];
      if (c == '{' || c == '(' || c == '[') open.push_back(i);
      if (c != '}' && c != ')' && c != ']') continue;
      if (open.empty() || open.size() > kDeepest) return;
      match_[open.back()] = i;
      open.pop_back();
    }
    is_balanced_ = open.empty();
  }

  [[nodiscard]] bool is(std::size_t token, std::string_view a, std::string_view b) const {
    return token < tokens_.size() && (word(token) == a || word(token) == b);
  }

  void find_pieces(std::size_t i, std::size_t end, bool are_items) {
    while (i < end) {
      Piece piece{i, i, 0, are_items};
      const bool is_case = is(i, "case", "default");
      const bool has_items = is(i, "process", "class") || is(i + 1, "class", "class");
      const bool has_none = is(i, "struct", "enum");
      for (bool ends = false; i < end && !ends; ++i) {
        const std::string_view now = word(i);
        if (now == "{") {
          piece.body = i;
          if (!has_none) find_pieces(i + 1, match_[i], has_items);
        }
        if (match_[i] != kNoMatch) i = match_[i];
        ends = now == ";" || (now == ":" && is_case) || (now == "{" && !is(i + 1, "else", "or"));
      }
      piece.end = i;
      pieces_.push_back(piece);
    }
  }

  /// Top-level names several times: those of a thread are mostly unknown elsewhere.
  void find_names() {
    static constexpr auto kDeclare =
        std::to_array<std::string_view>({"shared", "atomic", "lock", "mutex", "rwlock", "condition",
                                         "semaphore", "channel", "const", "fun", "var", "let"});
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      const auto* const kind = std::ranges::find(kDeclare, word(i));
      if (kind == kDeclare.end() || !is_letter(text_[tokens_[i + 1].begin])) continue;
      const bool is_array = word(i + 2) == "[";
      const bool is_local = *kind == "var" || *kind == "let";
      for (int times = is_local ? 1 : 4; times > 0; --times)
        names_.push_back({std::string(word(i + 1)) + (is_array ? "[0]" : ""), *kind});
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> match_;
  bool is_balanced_ = false;
  std::vector<Piece> pieces_;
  std::vector<Name> names_;
};

class Mutation {
 public:
  Mutation(const std::string& text, const Text& other, std::mt19937_64& random)
      : whole_(text), text_(whole_), other_(other), random_(random) {}

  std::string run() {
    std::string result;
    for (int tries = 0; tries < 8; ++tries) {
      lacks_a_name_ = false;
      result = once();
      if (!lacks_a_name_ && result != whole_) break;
    }
    return result;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  std::string once() {
    // Without pieces only words are left to change.
    switch (text_.pieces().empty() ? below(3) : below(15)) {
      case 0:
        return other_word();
      case 1:
        return other_name();
      case 2:
        return other_number();
      case 3:
        return without(any());
      case 4:
        return twice(any());
      case 5:
        return swapped();
      case 6:
      case 7:
        return around(statement());
      case 8:
        return unwrapped();
      case 9:
      case 10:
      case 11:
        return behind_statement(filled(kStatements[below(kStatements.size())]));
      case 12:
        return behind_item(filled(kItems[below(kItems.size())]));
      case 13:
        return from_other();
      default:
        return other_condition();
    }
  }

  template <class Wanted>
  Piece one(const Wanted& wanted) {
    std::vector<const Piece*> found;
    for (const Piece& piece : text_.pieces())
      if (wanted(piece)) found.push_back(&piece);
    return found.empty() ? text_.pieces().front() : *found[below(found.size())];
  }
  Piece any() {  // but the title, which stays where it is
    return one([this](const Piece& piece) { return text_.word(piece.begin) != "model"; });
  }
  Piece statement() {
    return one([this](const Piece& piece) {
      const std::string_view first = text_.word(piece.begin);
      return !piece.is_item && first != "case" && first != "default";
    });
  }
  Piece item() {
    return one([](const Piece& piece) { return piece.is_item; });
  }

  [[nodiscard]] std::string replaced(std::size_t begin, std::size_t end,
                                     std::string_view text) const {
    return whole_.substr(0, begin) + std::string(text) + whole_.substr(end);
  }
  [[nodiscard]] std::string with(std::size_t at, const std::string& text) const {
    return replaced(at, at, "\n" + text);
  }
  // What is drawn for the text is drawn before the place, with every compiler.
  std::string behind_statement(const std::string& text) {
    return with(text_.end(statement()), text);
  }
  std::string behind_item(const std::string& text) { return with(text_.end(item()), text); }
  [[nodiscard]] std::string without(const Piece& piece) const {
    return replaced(text_.begin(piece), text_.end(piece), "");
  }
  [[nodiscard]] std::string replaced(const Token& token, std::string_view text) const {
    return replaced(token.begin, token.end, text);
  }

  /// An item needs a name of its own.
  std::string twice(const Piece& piece) {
    const std::string_view text = text_.text(piece);
    const std::string_view first = text_.word(piece.begin);
    if (first == "var" || first == "let")
      return with(text_.end(piece), "{ " + std::string(text) + " }");
    if (!piece.is_item || piece.end - piece.begin < 3)
      return with(text_.end(piece), std::string(text));
    const std::size_t name = piece.begin + (first == "daemon" ? 2 : 1);
    const Token& token = text_.token(name);
    const std::size_t at = token.begin - text_.begin(piece);
    return with(text_.end(piece), std::string(text.substr(0, at)) + text_.new_name() +
                                      std::string(text.substr(at + token.end - token.begin)));
  }

  std::string swapped() {
    const Piece first = any();
    const Piece second =
        one([&first](const Piece& piece) { return piece.is_item == first.is_item; });
    const auto& [a, b] =
        first.begin < second.begin ? std::pair(first, second) : std::pair(second, first);
    if (a.end > b.begin) return whole_;  // one is inside the other
    return whole_.substr(0, text_.begin(a)) + std::string(text_.text(b)) +
           whole_.substr(text_.end(a), text_.begin(b) - text_.end(a)) + std::string(text_.text(a)) +
           whole_.substr(text_.end(b));
  }

  std::string around(const Piece& piece) {
    static constexpr auto kAround = std::to_array<std::string_view>(
        {"loop { $p }", "while $e { $p }", "if $e { $p }", "atomic { $p }",
         "either { $p } or { skip; }", "with $l { $p }", "for $q in 0..2 { $p }"});
    return replaced(text_.begin(piece), text_.end(piece),
                    filled(kAround[below(kAround.size())], text_.text(piece)));
  }

  std::string unwrapped() {
    const Piece block = one([](const Piece& piece) { return !piece.is_item && piece.body != 0; });
    if (block.body == 0) return whole_;
    return replaced(text_.begin(block), text_.end(block), text_.inside(block));
  }

  std::string from_other() {
    if (other_.pieces().empty()) return twice(any());
    const Piece& piece = other_.pieces()[below(other_.pieces().size())];
    return with(text_.end(piece.is_item ? item() : statement()), std::string(other_.text(piece)));
  }

  /// The first token from a random one on that has such a word; the text's size if there is none.
  template <class Wanted>
  std::size_t token_with(const Wanted& wanted) {
    const std::size_t first = below(text_.size());
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const std::size_t at = (first + i) % text_.size();
      if (wanted(text_.word(at))) return at;
    }
    return text_.size();
  }

  std::string other_word() {
    const auto class_of = [](std::string_view word) {
      return std::ranges::find_if(
          kClasses, [word](Words words) { return std::ranges::find(words, word) != words.end(); });
    };
    const std::size_t at =
        token_with([&](std::string_view word) { return class_of(word) != kClasses.end(); });
    if (at == text_.size()) return whole_;
    const Words words = *class_of(text_.word(at));
    return replaced(text_.token(at), words[below(words.size())]);
  }

  std::string other_name() {
    const auto& names = text_.names();
    const std::size_t at = token_with([&names](std::string_view word) {
      return std::ranges::find(names, word, &Name::use) != names.end();
    });
    if (at == text_.size()) return whole_;
    return replaced(text_.token(at), names[below(names.size())].use);
  }

  std::string other_number() {
    const std::size_t at = token_with(
        [](std::string_view word) { return std::isdigit(static_cast<unsigned char>(word[0])); });
    if (at == text_.size()) return whole_;
    return replaced(text_.token(at), number());
  }

  std::string other_condition() {
    const std::size_t at = token_with([](std::string_view word) {
      return word == "if" || word == "while" || word == "assert" || word == "await" ||
             word == "until" || word == "assume" || word == "invariant";
    });
    if (at == text_.size()) return whole_;
    std::size_t end = at + 1;
    while (end < text_.size() && text_.word(end) != "{" && text_.word(end) != ";")
      ++end;
    if (end == text_.size()) return whole_;
    return replaced(text_.token(at).end, text_.token(end).begin, " " + condition() + " ");
  }

  // Mostly small ones: a range of two thousand millions ends the search at once.
  std::string_view number() { return kNumbers[below(below(4) == 0 ? kNumbers.size() : 5)]; }

  std::string name(std::string_view kind) {
    std::vector<std::string_view> found;
    for (const Name& one : text_.names()) {
      const std::string_view is = one.kind == "mutex" ? "lock" : std::string_view(one.kind);
      const bool is_variable = is != "lock" && is != "condition" && is != "rwlock" &&
                               is != "semaphore" && is != "channel" && is != "fun";
      if (kind.empty() ? is_variable : is == kind) found.push_back(one.use);
    }
    lacks_a_name_ = lacks_a_name_ || found.empty();
    return found.empty() ? "nobody" : std::string(found[below(found.size())]);
  }

  std::string condition() {
    std::string text = filled(kConditions[below(kConditions.size())]);
    return below(6) == 0 ? "!(" + text + ")" : text;
  }

  std::string filled(std::string_view pattern, std::string_view statement_text = {}) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        out += pattern[i];
        continue;
      }
      switch (pattern[++i]) {
        case 'p':
          out += statement_text.empty() ? text_.text(statement()) : statement_text;
          break;
        case 'e':
          out += condition();
          break;
        case 'n':
          out += number();
          break;
        case 'l':
          out += name("lock");
          break;
        case 'r':
          out += name("rwlock");
          break;
        case 'w':
          out += name("condition");
          break;
        case 's':
          out += name("semaphore");
          break;
        case 'c':
          out += name("channel");
          break;
        case 'f':
          out += name("fun");
          break;
        case 'q':
          out += text_.new_name();
          break;
        default:
          out += name("");
      }
    }
    return out;
  }

  const std::string& whole_;
  Text text_;
  const Text& other_;
  std::mt19937_64& random_;
  bool lacks_a_name_ = false;  // what was made refers to what there is not
};

}  // namespace

std::string mutant(const std::string& text, std::string_view other, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Text second(other);
  std::string result = text;
  for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
    std::string next = Mutation(result, second, random).run();
    result = std::move(next);
  }
  return result;
}

}  // namespace cml::fuzz
