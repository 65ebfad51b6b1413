// Makes brackets match (see tokens.h): a bracket without a partner is reported once, and repaired
// by an invented closer where one is probably missing, or by dropping the one that closes nothing.
//
// Where a `}` is missing cannot be known for sure. If a file has too few of them, indentation
// decides: a declaration that begins a line no deeper than the line that holds an open `{` was
// meant to stand behind its `}`. If it has too many, a `}` that is deeper than the line it would
// close is the odd one.
#include "CmlLexer.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/tokens.h"

namespace cml::syntax {
namespace {

using antlr4::Token;
using grammar::CmlLexer;

bool opens(std::size_t type) {
  return type == CmlLexer::LBRACE || type == CmlLexer::LPAREN || type == CmlLexer::LBRACKET;
}
bool closes(std::size_t type) {
  return type == CmlLexer::RBRACE || type == CmlLexer::RPAREN || type == CmlLexer::RBRACKET;
}
std::size_t closer_of(std::size_t type) {
  switch (type) {
    case CmlLexer::LBRACE:
      return CmlLexer::RBRACE;
    case CmlLexer::LPAREN:
      return CmlLexer::RPAREN;
    default:
      return CmlLexer::RBRACKET;
  }
}
char character_of(std::size_t type) {
  switch (type) {
    case CmlLexer::LBRACE:
      return '{';
    case CmlLexer::RBRACE:
      return '}';
    case CmlLexer::LPAREN:
      return '(';
    case CmlLexer::RPAREN:
      return ')';
    case CmlLexer::LBRACKET:
      return '[';
    default:
      return ']';
  }
}

bool begins_declaration(const std::vector<TokenPtr>& list, std::size_t at) {
  const auto type = [&](std::size_t i) {
    return i < list.size() ? list[i]->getType() : Token::EOF;
  };
  switch (type(at)) {
    case CmlLexer::THREAD:
    case CmlLexer::FUN:
    case CmlLexer::CLASS:
    case CmlLexer::STRUCT:
    case CmlLexer::ENUM:
    case CmlLexer::INVARIANT:
    case CmlLexer::FINALLY:
    case CmlLexer::CONST:
    case CmlLexer::SHARED:
    case CmlLexer::LOCK:
    case CmlLexer::MUTEX:
    case CmlLexer::CONDITION:
    case CmlLexer::RWLOCK:
    case CmlLexer::SEMAPHORE:
    case CmlLexer::CHANNEL:
    case CmlLexer::IMPORT:
    case CmlLexer::SYNCHRONIZED:
      return true;
    case CmlLexer::ATOMIC:
      return type(at + 1) != CmlLexer::LBRACE;
    case CmlLexer::DAEMON:
      return type(at + 1) == CmlLexer::THREAD;
    case CmlLexer::DISCIPLINE:
    case CmlLexer::PROCESS:
    case CmlLexer::PROPERTY:
      return is_name(type(at + 1));
    default:
      return false;
  }
}

bool balanced(const Tokens& tokens) {
  std::vector<std::size_t> open;
  for (const TokenPtr& token : tokens.list) {
    const std::size_t type = token->getType();
    if (opens(type)) {
      open.push_back(closer_of(type));
    } else if (closes(type)) {
      if (open.empty() || open.back() != type) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

class Repair {
 public:
  Repair(Tokens& tokens, Reporter& reporter) : in_(tokens), reporter_(reporter) {}

  void run() {
    count_braces();
    std::size_t column_of_line = 0;
    for (std::size_t i = 0; i < in_.list.size(); ++i) {
      const Token& token = *in_.list[i];
      const std::size_t type = token.getType();
      if (in_.notes[i].first_on_line) column_of_line = in_.notes[i].column;
      if (missing_ > 0 && in_.notes[i].first_on_line && begins_declaration(in_.list, i)) {
        close_bodies_before(i);
      }
      if (type == Token::EOF) {
        close_all_before_end(i);
      } else if (opens(type)) {
        if (type == CmlLexer::LBRACE) close_inner_before(i);
        open_.push_back({list_.size(), type, column_of_line});
      } else if (type == CmlLexer::SEMICOLON && in_inner() && !closed_soon(i)) {
        close_inner_before(i);
      } else if (closes(type) && !close(i)) {
        drop(i);
        continue;
      }
      keep(i);
    }
    in_.list = std::move(list_);
    in_.notes = std::move(notes_);
    for (DocComment& doc : in_.docs)
      doc.next = moved_[doc.next];
  }

 private:
  struct Open {
    std::size_t at;  // in list_
    std::size_t type;
    std::size_t column_of_line;  // where the line starts that holds it
  };

  void count_braces() {
    std::ptrdiff_t sum = 0;
    for (const TokenPtr& token : in_.list) {
      if (token->getType() == CmlLexer::LBRACE) ++sum;
      if (token->getType() == CmlLexer::RBRACE) --sum;
    }
    missing_ = std::max<std::ptrdiff_t>(sum, 0);
    surplus_ = std::max<std::ptrdiff_t>(-sum, 0);
  }

  [[nodiscard]] bool in_inner() const {
    return !open_.empty() && open_.back().type != CmlLexer::LBRACE;
  }

  /// Is the innermost bracket closed before the next brace? (`for (;;)` is another error.)
  [[nodiscard]] bool closed_soon(std::size_t from) const {
    std::size_t depth = 0;
    for (std::size_t i = from; i < in_.list.size(); ++i) {
      const std::size_t type = in_.list[i]->getType();
      if (type == CmlLexer::LBRACE || type == CmlLexer::RBRACE) return false;
      if (in_.notes[i].first_on_line && i != from) return false;
      if (opens(type)) ++depth;
      if (closes(type) && depth-- == 0) return type == closer_of(open_.back().type);
    }
    return false;
  }

  void keep(std::size_t i) {
    while (moved_.size() <= i)
      moved_.push_back(static_cast<std::uint32_t>(list_.size()));
    list_.push_back(std::move(in_.list[i]));
    notes_.push_back(in_.notes[i]);
  }

  void report_unclosed(const Open& open) {
    const Token& token = *list_[open.at];
    reporter_
        .report(Code::UnclosedBracket, range_of(token, reporter_.file()),
                fmt::format("this `{}` is not closed", character_of(open.type)))
        .cure(fmt::format("add the missing `{}`", character_of(closer_of(open.type))));
  }

  void insert_closer(const Open& open) {
    const Token& last = *list_.back();
    const std::size_t end = last.getStopIndex() + 1;
    auto token = std::make_unique<antlr4::CommonToken>(closer_of(open.type));
    token->setStartIndex(end);
    token->setStopIndex(end - 1);
    notes_.back().quiet = true;
    list_.push_back(std::move(token));
    notes_.push_back({0, 0, 0, false, true});
    quiet_next_ = true;
  }

  void close_top() {
    report_unclosed(open_.back());
    insert_closer(open_.back());
    open_.pop_back();
  }

  void close_inner_before(std::size_t i) {
    while (in_inner())
      close_top();
    in_.notes[i].quiet = in_.notes[i].quiet || std::exchange(quiet_next_, false);
  }

  void close_bodies_before(std::size_t i) {
    const std::size_t column = in_.notes[i].column;
    while (missing_ > 0 && !open_.empty() && open_.back().column_of_line >= column) {
      if (!in_inner()) --missing_;
      close_top();
    }
    quiet_next_ = false;
  }

  /// What is still open at the end is one error, at the innermost.
  void close_all_before_end(std::size_t i) {
    if (open_.empty()) return;
    const Open innermost = open_.back();
    const Token& token = *list_[innermost.at];
    Diagnostic& diagnostic = reporter_.report(
        Code::UnclosedBracket, range_of(token, reporter_.file()),
        fmt::format("the file ends before this `{}` is closed", character_of(innermost.type)));
    diagnostic.cure(
        open_.size() == 1
            ? fmt::format("add the missing `{}`", character_of(closer_of(innermost.type)))
            : fmt::format("{} brackets are open at the end", open_.size()));
    reporter_.silence(static_cast<std::uint32_t>(token.getStartIndex()));
    while (!open_.empty()) {
      insert_closer(open_.back());
      open_.pop_back();
    }
    in_.notes[i].quiet = true;
  }

  /// True if token `i` closes something.
  bool close(std::size_t i) {
    const std::size_t type = in_.list[i]->getType();
    if (type == CmlLexer::RBRACE) {
      close_inner_before(i);
      if (open_.empty()) return false;
      // One that is less deep than the line it would close is meant for an outer one.
      while (missing_ > 0 && open_.size() > 1 && in_.notes[i].first_on_line &&
             in_.notes[i].column < open_.back().column_of_line) {
        --missing_;
        close_top();
        quiet_next_ = false;
      }
      const bool deeper =
          in_.notes[i].first_on_line && in_.notes[i].column > open_.back().column_of_line;
      if (surplus_ > 0 && deeper) return false;
      open_.pop_back();
      return true;
    }
    if (!in_inner()) return false;
    if (closer_of(open_.back().type) != type) {
      const bool below = open_.size() > 1 && closer_of(open_[open_.size() - 2].type) == type;
      if (!below) return false;
      close_top();
      quiet_next_ = false;
    }
    open_.pop_back();
    return true;
  }

  void drop(std::size_t i) {
    const Token& token = *in_.list[i];
    if (token.getType() == CmlLexer::RBRACE && surplus_ > 0) --surplus_;
    reporter_
        .report(Code::UnmatchedBracket, range_of(token, reporter_.file()),
                fmt::format("this `{}` closes nothing", character_of(token.getType())))
        .cure("delete it, or add the bracket that it should close");
    if (!notes_.empty()) notes_.back().quiet = true;
    if (i + 1 < in_.notes.size()) {
      in_.notes[i + 1].quiet = true;
      in_.notes[i + 1].first_on_line = in_.notes[i + 1].first_on_line || in_.notes[i].first_on_line;
    }
    while (moved_.size() <= i)
      moved_.push_back(static_cast<std::uint32_t>(list_.size()));
  }

  Tokens& in_;
  Reporter& reporter_;
  std::vector<TokenPtr> list_;
  std::vector<TokenNotes> notes_;
  std::vector<std::uint32_t> moved_;  // old index to new
  std::vector<Open> open_;
  std::ptrdiff_t missing_ = 0;  // closing braces, in the rest of the file
  std::ptrdiff_t surplus_ = 0;
  bool quiet_next_ = false;
};

}  // namespace

void balance(Tokens& tokens, Reporter& reporter) {
  if (!balanced(tokens)) Repair(tokens, reporter).run();
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < tokens.list.size(); ++i) {
    const std::size_t type = tokens.list[i]->getType();
    if (closes(type) && !open.empty()) {
      tokens.notes[i].partner = open.back();
      tokens.notes[open.back()].partner = i;
      open.pop_back();
    }
    tokens.notes[i].depth = static_cast<std::uint32_t>(open.size());
    if (opens(type)) open.push_back(i);
  }
}

}  // namespace cml::syntax
