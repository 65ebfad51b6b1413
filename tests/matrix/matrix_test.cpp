// Runs the matrix (matrix.h): every cell by default and in the full search, interpreted and in
// native code, and against the brute force. CML_UPDATE_GOLDEN=1 rewrites what comes out, and
// docs/matrix.md.
#include "tests/matrix/matrix.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "tests/differential/differential.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"

namespace cml::test {
namespace {

const char* const kOpcodes = CML_SOURCE_DIR "/tests/matrix/opcodes.txt";
const char* const kFaults = CML_SOURCE_DIR "/tests/matrix/faults.txt";
const char* const kPage = CML_SOURCE_DIR "/docs/matrix.md";

constexpr std::uint64_t kMaxInvisible = 5'000;  // so that this limit is reached soon
constexpr std::uint64_t kMaxStates = 500;       // for the brute force

bool is_update() {
  return std::getenv("CML_UPDATE_GOLDEN") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

std::string joined(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "+"));
}

std::string outcome_of(const checker::Result& result) {
  if (result.internal_error) return "internal error: " + *result.internal_error;
  std::set<std::string> kinds;
  for (const checker::Violation& violation : result.violations)
    kinds.emplace(name(violation.kind));
  if (!kinds.empty()) return joined(kinds);
  if (result.verdict == checker::Verdict::Verified) return "verified";
  return fmt::format("inconclusive {}", fmt::join(result.stats.limits_hit, " "));
}

bool breaks_discipline(const std::string& outcome) {
  return outcome.find("lock-discipline") != outcome.npos ||
         outcome.find("init-order") != outcome.npos || outcome.find("data-race") != outcome.npos;
}

std::vector<std::pair<const char*, checker::Options>> other_ways() {
  checker::Options full;
  full.all = true;
  full.limits.max_invisible = kMaxInvisible;
  full.jit_after = 0;
  checker::Options usual = full;
  usual.granularity = checker::Granularity::Sync;
  usual.composition = checker::Composition::Composed;
  usual.reduction.sets = checker::Sets::Stubborn;
  usual.order = checker::Order::BreadthFirst;
  checker::Options interpreted = usual;
  interpreted.engine = checker::Engine::Interpreter;
  return {{"by default", interpreted}, {"by default, native", usual}, {"in full, native", full}};
}

/// Whether the opcode stands in the part of the system that the column is about.
bool has_opcode(const ir::System& system, Column column, ir::Opcode wanted) {
  const auto has = [wanted](const ir::Code& code, bool in_region) {
    bool inside = false;
    return std::any_of(code.instructions.begin(), code.instructions.end(), [&](const auto& at) {
      inside =
          (inside || at.opcode() == ir::Opcode::Atomic) && at.opcode() != ir::Opcode::AtomicEnd;
      const bool is_anywhere = wanted == ir::Opcode::Atomic || wanted == ir::Opcode::AtomicEnd ||
                               wanted == ir::Opcode::Guard || wanted == ir::Opcode::End;
      return at.opcode() == wanted && (is_anywhere || inside == in_region);
    });
  };
  switch (column) {
    case Column::Invariant:
      return has(system.invariants.at(0).code, false);
    case Column::Finally:
      return has(system.finals.at(0).code, false);
    default:
      for (const ir::Thread& thread : system.threads)
        if ((thread.name == "T" || thread.is_spawned) &&
            has(thread.code, column == Column::Atomic || column == Column::Await))
          return true;
  }
  return false;
}

std::optional<ir::Opcode> opcode(const std::string& mnemonic) {
  constexpr auto kAll = std::to_array<ir::Opcode>({
#define CML_OPCODE(name, mnemonic, is_operation) ir::Opcode::name,
      CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
  });
  for (const ir::Opcode op : kAll)
    if (ir::mnemonic(op) == mnemonic) return op;
  return std::nullopt;
}

/// What comes out of one model. `different`: where the ways to run it do not agree.
std::string outcome(const Cell& cell, bool holds, std::string& different) {
  const std::string text = model_text(cell, holds);
  SourceSet sources;
  const FileId file = sources.add("model.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  if (diagnostics.has_errors()) {
    std::set<std::string> codes;
    for (const Diagnostic& diagnostic : diagnostics.all())
      if (info(diagnostic.code).severity == Severity::Error)
        codes.insert(code_text(diagnostic.code));
    return joined(codes);
  }
  ir::LowerOptions room;  // enough for these models
  room.max_heap = 4;
  room.max_stack = 8;
  room.stack_room = 8;
  const auto system = ir::lower(model, sources, room);
  if (!system) return "unsupported";
  checker::Options truth;
  truth.all = true;
  truth.limits.max_invisible = kMaxInvisible;
  truth.engine = checker::Engine::Interpreter;
  truth.static_analyses = false;
  const bool races = model.discipline == model::Discipline::Races;
  if (races) truth.discipline = checker::Discipline::Races;
  std::string result = outcome_of(checker::check(*system, sources, truth));
  for (auto [way, options] : other_ways()) {
    if (races) options.discipline = checker::Discipline::Races;
    // Native code is compiled once a cell, for the model that holds.
    const bool is_native = options.engine == checker::Engine::Jit;
    if (is_native && (!holds || kSanitized)) continue;
    const std::string other = outcome_of(checker::check(*system, sources, options));
    const bool agrees = breaks_discipline(result) ? breaks_discipline(other) : other == result;
    if (!agrees)
      different += fmt::format("{}: {}, and {} in the full search\n{}", way, other, result, text);
  }
  if (result.find("inconclusive") == result.npos) {
    const differential::Comparison brute = differential::compare(text, kMaxStates);
    if (brute.outcome == differential::Outcome::Differ) different += brute.report + text;
  }
  if (cell.row->opcode && !has_opcode(*system, cell.column, *cell.row->opcode))
    result += " without it";
  return result;
}

std::string cell_outcome(const Cell& cell) {
  std::string different;
  const std::string good = outcome(cell, true, different);
  const std::string bad = outcome(cell, false, different);
  CHECK_MESSAGE(different.empty(),
                cell.row->name << " in " << kColumnNames[static_cast<size_t>(cell.column)] << ":\n"
                               << different);
  if (good == usual(cell.column, true) && bad == usual(cell.column, false)) return "ok";
  return good == bad ? good : good + " / " + bad;
}

std::vector<std::string> outcomes(const Row& row, bool in_function) {
  std::vector<std::string> out;
  for (std::size_t column = 0; column < kColumns; ++column)
    out.push_back(cell_outcome({&row, static_cast<Column>(column), in_function}));
  return out;
}

/// The rows of a part; all at once where they are rewritten.
void run(const char* path, bool of_opcodes, const Part& part) {
  std::vector<Row> rows = read_rows(path);
  if (is_update() && part.number != 0) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_update() && !part.has(i)) continue;
    Row& row = rows[i];
    if (of_opcodes) row.opcode = opcode(row.subject());
    CAPTURE(row.name);
    const std::vector<std::string> itself = outcomes(row, false);
    const std::vector<std::string> function = outcomes(row, true);
    if (!is_update()) {
      CHECK(fmt::format("{}", fmt::join(row.itself, " | ")) ==
            fmt::format("{}", fmt::join(itself, " | ")));
      CHECK(fmt::format("{}", fmt::join(row.function, " | ")) ==
            fmt::format("{}", fmt::join(function, " | ")));
    }
    row.itself = itself;
    row.function = function;
  }
  if (is_update()) write_rows(path, rows);
}

CML_TEST_PARTS("matrix: every instruction in every place") { run(kOpcodes, true, part); }

CML_TEST_PARTS("matrix: every fault in every place") { run(kFaults, false, part); }

std::set<std::string> subjects(const char* path) {
  std::set<std::string> out;
  for (const Row& row : read_rows(path))
    out.insert(row.subject());
  return out;
}

TEST_CASE("matrix: every opcode and every kind of violation has a row without gaps") {
  const std::set<std::string> opcodes = subjects(kOpcodes);
#define CML_OPCODE(name, mnemonic, is_operation) \
  CHECK_MESSAGE(opcodes.contains(mnemonic), mnemonic);
  CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
  const std::set<std::string> faults = subjects(kFaults);
  for (const checker::ViolationKind kind : checker::all_violation_kinds())
    CHECK_MESSAGE(faults.contains(std::string(name(kind))), name(kind));
  CHECK(faults.contains("limit"));  // FaultKind::Limit; no model can lead to FaultKind::Internal
  for (const char* path : {kOpcodes, kFaults}) {
    for (const Row& row : read_rows(path)) {
      CAPTURE(row.name);
      for (const auto& cells : {row.itself, row.function}) {
        CHECK(cells.size() == kColumns);
        for (const std::string& cell : cells)
          CHECK_FALSE(cell.empty());
      }
    }
  }
}

std::string cell_text(const std::string& itself, const std::string& function) {
  const auto text = [](const std::string& outcome) { return outcome == "ok" ? "yes" : outcome; };
  if (itself == function) return text(itself);
  return text(itself) + "; function: " + text(function);
}

std::string table(const char* path) {
  std::string out = fmt::format("| | {} |\n|---|", fmt::join(kColumnNames, " | "));
  for (std::size_t column = 0; column < kColumns; ++column)
    out += "---|";
  out += "\n";
  for (const Row& row : read_rows(path)) {
    out += "| " + row.name + " |";
    for (std::size_t column = 0; column < kColumns; ++column)
      out += " " + cell_text(row.itself.at(column), row.function.at(column)) + " |";
    out += "\n";
  }
  return out;
}

/// The page with the tables as they must be behind its headings.
std::string with_tables(const std::string& page) {
  const auto replace = [](std::string text, const std::string& heading, const char* path) {
    const std::size_t begin = text.find("\n| |", text.find(heading));
    std::size_t end = begin;
    while (end != text.npos && text.compare(end, 2, "\n|") == 0)
      end = text.find('\n', end + 1);
    if (begin == text.npos) return text + heading + " is missing";
    return text.replace(begin + 1, end - begin, table(path));
  };
  return replace(replace(page, "## Instructions", kOpcodes), "## Violations and limits", kFaults);
}

TEST_CASE("matrix: the page shows it") {
  std::stringstream text;
  text << std::ifstream(kPage).rdbuf();
  const std::string page = text.str();
  const std::string wanted = with_tables(page);
  if (is_update()) {
    std::ofstream(kPage) << wanted;
  } else {
    CHECK(page == wanted);
  }
}

}  // namespace
}  // namespace cml::test
