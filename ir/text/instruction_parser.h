// Parses code: slots, instructions, places and expressions. The base of the parser of whole
// systems.
//
// The first error is kept; from then on no token is consumed, and every loop ends.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/system.h"
#include "ir/text/cursor.h"

namespace cml::ir::text {

class InstructionParser : protected Cursor {
 protected:
  explicit InstructionParser(std::vector<Token> tokens) : Cursor(std::move(tokens)) {}

  // ---- parts of code
  SourceRange parse_range();
  WordType parse_type();
  Code parse_code();

  System system_;

 private:
  void parse_instruction(Code& code);
  struct Form;  // of operands.h: reads
  Operation parse_operation(Opcode op);
  void parse_cases(Select& select);
  void check_targets(Code& code);

  ExprId parse_expression();
  Expr plain_expression();
  ExprOp expect_operator();
  SourceRange plain_range();
  Place parse_place(std::initializer_list<ObjectKind> kinds, std::uint32_t* word = nullptr);
  LocalPlace parse_local();
  std::optional<LocalPlace> parse_into();
  std::vector<LocalPlace> parse_locals();
  /// What traces call the places.
  void parse_name(std::vector<LocalPlace>& places);
  std::vector<ExprId> parse_expressions();
  void check_words(const Place& place, std::uint32_t word, std::size_t count);
  /// Threads meet at a channel if it has no room, and only then.
  void check_room(const Place& channel, bool meets);
  Bounds parse_bounds();
  TextId parse_text();
  Pc expect_pc() { return expect_count(); }

  std::map<std::string, TextId> texts_;
  std::size_t slots_ = 0;  // of the code being read
  std::uint32_t nesting_ = 0;
};

}  // namespace cml::ir::text
