// The matrix of what can stand where: a row for each instruction of the IR and for each kind of
// violation, a column for each kind of place. Every cell is a model with what must come out, or the
// error that the model gets.
//
//   row: size                                           the opcode or kind, and a variant
//   declare: channel c: int(0..3) capacity 2;           top-level declarations
//   do: let a = c.size; ok = a == 0;                    statements that set `ok`
//   value: c.size == 0                                  the same as an expression
//   beside: thread B { … }                              another thread (optional)
//   itself: ok | ok | ok | ok | ok | ok                 what comes out, by place
//   function: ok | ok | ok | ok | ok | ok               the same in a function called there
//
// Places: thread, atomic block, await, until, invariant, finally. Each is tried as it is, which
// should hold (`ok` is asserted, the condition is true), and with `!ok`, which should not.
// Outcomes: `ok`, if the one holds and the other does not; else "<of the one> / <of the other>", or
// one word for both; "without it" where the instruction does not come about. That is `verified`,
// the kinds of violation joined by +, `inconclusive` and the limits, the code of an error, or
// `unsupported` for what cannot run yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/system.h"

namespace cml::test {

enum class Column : std::uint8_t { Thread, Atomic, Await, Until, Invariant, Finally };
inline constexpr std::size_t kColumns = 6;
inline constexpr std::array<std::string_view, kColumns> kColumnNames = {
    "thread", "atomic", "await", "until", "invariant", "finally"};

struct Row {
  std::string name;  // "update, cas"
  std::string declare, body, value, beside;
  std::vector<std::string> itself, function;  // by column
  std::optional<ir::Opcode> opcode;           // that must be there, if it is about one

  /// The opcode or kind: "update".
  [[nodiscard]] std::string subject() const { return name.substr(0, name.find(',')); }
};

/// The rows of a file. Throws where a line is none of a row.
[[nodiscard]] std::vector<Row> read_rows(const std::string& path);
/// Rewrites what comes out.
void write_rows(const std::string& path, const std::vector<Row>& rows);

struct Cell {
  const Row* row = nullptr;
  Column column = Column::Thread;
  bool in_function = false;
};
/// The model of a cell. `holds`: as it is; else the opposite.
[[nodiscard]] std::string model_text(const Cell& cell, bool holds);
/// What comes out of it by rights if nothing is special about the row.
[[nodiscard]] std::string_view usual(Column column, bool holds);

}  // namespace cml::test
