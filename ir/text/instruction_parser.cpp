#include "ir/text/instruction_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace cml::ir::text {
namespace {

constexpr std::uint32_t kMaxNesting = 2'000;

/// The kinds of violation that an Assert may stand for; static, because instructions refer to them.
constexpr std::array<std::string_view, 6> kKinds = {
    "range", "index", "overflow", "division-by-zero", "null", "assertion"};

struct Infix {
  std::string_view sign;
  ExprOp op;
};
constexpr Infix kInfix[] = {
    {"+", ExprOp::Add},       {"-", ExprOp::Subtract},  {"*", ExprOp::Multiply},
    {"/", ExprOp::Divide},    {"%", ExprOp::Remainder}, {"==", ExprOp::Equal},
    {"!=", ExprOp::NotEqual}, {"<", ExprOp::Less},      {"<=", ExprOp::LessEqual},
    {"&&", ExprOp::And},      {"||", ExprOp::Or},
};

std::optional<Opcode> opcode_named(std::string_view name) {
  for (std::size_t k = 0; k < std::variant_size_v<Operation>; ++k)
    if (mnemonic(static_cast<Opcode>(k)) == name) return static_cast<Opcode>(k);
  return std::nullopt;
}

}  // namespace

// ---- small parts -------------------------------------------------------------------------------

SourceRange InstructionParser::parse_range() {
  return take_word("from") ? plain_range() : SourceRange{};
}

SourceRange InstructionParser::plain_range() {
  SourceRange range;
  if (peek().kind == Token::Kind::Number)
    range.file = FileId(static_cast<std::uint32_t>(next().number));
  expect_sign(":");
  range.begin = expect_count();
  range.end = static_cast<std::uint32_t>(-std::min(expect_number(), 0));  // `10-20`: 10, then -20
  return range;
}

WordType InstructionParser::parse_type() {
  WordType type;
  if (take_word("bool")) {
    type = {WordType::Kind::Bool, 0, 1, {}};
  } else if (take_word("int")) {
    type = {WordType::Kind::Int, INT32_MIN, INT32_MAX, {}};
  } else {
    type = {WordType::Kind::Enum, 0, 0, EnumId(expect_id('e'))};
    if (!system_.enums.contains(type.names))
      fail("an enum that does not exist");
    else
      type.hi = static_cast<std::int32_t>(system_.enums[type.names].size()) - 1;
  }
  if (take_sign("(")) {
    type.lo = expect_number();
    expect_sign("..");
    type.hi = expect_number();
    expect_sign(")");
    if (type.lo > type.hi) fail("a range is upside down");
  }
  return type;
}

TextId InstructionParser::parse_text() {
  if (peek().kind != Token::Kind::String) return {};
  const auto [entry, is_new] = texts_.try_emplace(next().text, TextId());
  if (is_new) entry->second = system_.texts.push(entry->first);
  return entry->second;
}

Bounds InstructionParser::parse_bounds() {
  Bounds bounds;
  if (take_word("in")) {
    bounds.lo = expect_number();
    expect_sign("..");
    bounds.hi = expect_number();
  }
  return bounds;
}

Place InstructionParser::parse_place(std::initializer_list<ObjectKind> kinds, std::uint32_t* word) {
  Place place;
  place.base = ObjectId(expect_id('o'));
  if (take_sign("[")) {
    place.index = parse_expression();
    expect_sign(",");
    place.count = expect_count();
    expect_sign(",");
    place.stride = expect_count();
    expect_sign("]");
  }
  if (word != nullptr && take_word("word")) *word = expect_count();
  const std::uint64_t last =
      place.base.index + std::uint64_t{place.stride} * (std::max(place.count, 1U) - 1);
  if (!ok()) return place;
  if (place.count == 0 || last >= system_.objects.size())
    fail("a place beyond the objects");
  else if (std::find(kinds.begin(), kinds.end(), system_.objects[place.base].kind) == kinds.end())
    fail(fmt::format("`o{}` is no object for this instruction", place.base.index));
  return place;
}

void InstructionParser::check_words(const Place& place, std::uint32_t word, std::size_t count) {
  if (ok() && word + count > system_.objects[place.base].words.size())
    fail(fmt::format("`o{}` does not have so many words", place.base.index));
}

LocalPlace InstructionParser::parse_local() {
  LocalPlace place;
  place.slot = expect_id('s');
  if (take_sign("[")) {
    place.index = parse_expression();
    expect_sign(",");
    place.count = expect_count();
    expect_sign("]");
  }
  if (ok() && (place.count == 0 || std::uint64_t{place.slot} + place.count > slots_))
    fail("a place beyond the slots");
  return place;
}

std::optional<LocalPlace> InstructionParser::parse_into() {
  if (!take_word("into")) return std::nullopt;
  LocalPlace place = parse_local();
  place.name = parse_text();
  return place;
}

void InstructionParser::parse_name(std::vector<LocalPlace>& places) {
  const TextId name = parse_text();
  for (LocalPlace& place : places)
    place.name = name;
}

std::vector<LocalPlace> InstructionParser::parse_locals() {
  return list<LocalPlace>([&] { return parse_local(); });
}

std::vector<ExprId> InstructionParser::parse_expressions() {
  return list<ExprId>([&] { return parse_expression(); });
}

// ---- expressions -------------------------------------------------------------------------------

ExprId InstructionParser::parse_expression() {
  if (++nesting_ > kMaxNesting) fail("an expression nests too deeply");
  Expr expr = ok() ? plain_expression() : Expr{};
  --nesting_;
  if (take_sign("@")) expr.range = plain_range();
  return system_.exprs.push(expr);
}

Expr InstructionParser::plain_expression() {
  Expr expr;
  const auto operands = [&](ExprOp op, std::size_t count) {
    expr.op = op;
    expect_sign("(");
    expr.a = parse_expression();
    if (count > 1) {
      expect_sign(",");
      expr.b = parse_expression();
    }
    if (count > 2) {
      expect_sign(",");
      expr.c = parse_expression();
    }
  };
  if (peek().kind == Token::Kind::Number) {
    expr.value = expect_number();
    return expr;
  }
  if (const std::optional<std::uint32_t> slot = numbered(peek(), 's')) {
    next();
    expr.op = ExprOp::Local;
    expr.value = static_cast<std::int32_t>(*slot);
    if (*slot >= slots_) fail("a slot that does not exist");
    return expr;
  }
  if (take_sign("(")) {
    expr.a = parse_expression();
    expr.op = expect_operator();
    expr.b = parse_expression();
  } else if (take_word("neg")) {
    operands(ExprOp::Negate, 1);
  } else if (take_word("not")) {
    operands(ExprOp::Not, 1);
  } else if (take_word("if")) {
    operands(ExprOp::If, 3);
  } else if (take_word("bound")) {
    operands(ExprOp::Bound, 1);
    expect_sign(",");
    expr.value = static_cast<std::int32_t>(expect_count());
  } else if (take_word("at")) {
    expr.op = ExprOp::LocalAt;
    expect_sign("(");
    expr.value = static_cast<std::int32_t>(expect_id('s'));
    expect_sign(",");
    expr.a = parse_expression();
    if (ok()) {
      const Expr& index = system_.exprs[expr.a];
      if (index.op != ExprOp::Bound ||
          static_cast<std::size_t>(expr.value) + static_cast<std::size_t>(index.value) > slots_)
        fail("the index of a slot is a bound that the frame has room for");
    }
  } else {
    fail(fmt::format("expected an expression, found `{}`", peek().text));
    return expr;
  }
  expect_sign(")");
  return expr;
}

ExprOp InstructionParser::expect_operator() {
  for (const Infix& infix : kInfix)
    if (take_sign(infix.sign)) return infix.op;
  fail(fmt::format("expected an operator, found `{}`", peek().text));
  return ExprOp::Add;
}

// ---- instructions ------------------------------------------------------------------------------

Code InstructionParser::parse_code() {
  Code code;
  slots_ = 0;
  while (ok() && peek().kind == Token::Kind::Word && numbered(peek(), 's')) {
    expect_numbered('s', code.slots.size());
    SlotInfo info;
    expect_sign(":");
    info.type = parse_type();
    info.name = parse_text();
    end_line();
    code.slots.push_back(info);
    ++slots_;
  }
  while (ok() && peek().kind == Token::Kind::Number)
    parse_instruction(code);
  if (ok()) check_targets(code);
  return code;
}

void InstructionParser::parse_instruction(Code& code) {
  if (expect_count() != code.instructions.size())
    fail(fmt::format("expected instruction {}: numbers go up by one", code.instructions.size()));
  if (numbered(peek(), 'L')) next();  // locations are numbered anew
  expect_sign(":");
  const std::optional<Opcode> op = opcode_named(peek().text);
  if (!op) {
    fail(fmt::format("there is no instruction `{}`", peek().text));
    return;
  }
  next();
  Instruction instruction{parse_operation(*op), {}, {}};
  if (take_word("kind")) {
    const std::string kind = expect_string();
    const auto* known = std::find(kKinds.begin(), kKinds.end(), kind);
    if (known == kKinds.end())
      fail(fmt::format("there is no kind of violation `{}` for an instruction", kind));
    else
      instruction.kind = *known;
  }
  instruction.range = parse_range();
  end_line();
  code.instructions.push_back(std::move(instruction));
}

void InstructionParser::check_targets(Code& code) {
  const auto exists = [&](Pc pc) { return pc < code.instructions.size(); };
  bool all = !code.instructions.empty();
  bool regions = true;
  for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
    const Operation& node = code.instructions[pc].node;
    if (const auto* jump = std::get_if<Jump>(&node)) {
      all = all && exists(jump->target);
    } else if (const auto* branch = std::get_if<Branch>(&node)) {
      all = all && exists(branch->if_true) && exists(branch->if_false);
    } else if (const auto* either = std::get_if<Either>(&node)) {
      all = all && std::all_of(either->targets.begin(), either->targets.end(), exists);
    } else if (const auto* select = std::get_if<Select>(&node)) {
      for (const Select::Case& c : select->cases)
        all = all && exists(c.next);
      all = all && (!select->otherwise || exists(*select->otherwise));
    } else if (const auto* atomic = std::get_if<Atomic>(&node)) {
      regions = regions && atomic->end > pc && exists(atomic->end) &&
                code.instructions[atomic->end].opcode() == Opcode::AtomicEnd;
    }
  }
  if (!all) fail("a jump to an instruction that does not exist");
  if (!regions) fail("`atomic` names the `atomic_end` behind it");
  if (ok()) {
    const Opcode last = code.instructions.back().opcode();
    if (last != Opcode::End && last != Opcode::Jump && last != Opcode::Branch)
      fail("code ends with `end` or goes back");
  }
}

Operation InstructionParser::parse_operation(Opcode op) {
  static constexpr std::initializer_list<ObjectKind> kVariable = {ObjectKind::Shared,
                                                                  ObjectKind::Atomic};
  switch (op) {
    case Opcode::Set: {
      Set i;
      i.target = parse_local();
      expect_sign("=");
      i.value = parse_expression();
      i.bounds = parse_bounds();
      i.target.name = parse_text();
      return i;
    }
    case Opcode::Jump:
      return Jump{expect_pc()};
    case Opcode::Branch: {
      Branch i;
      i.condition = parse_expression();
      expect_sign("?");
      i.if_true = expect_pc();
      expect_sign(":");
      i.if_false = expect_pc();
      return i;
    }
    case Opcode::Assert: {
      const ExprId condition = parse_expression();
      return Assert{condition, parse_text()};
    }
    case Opcode::Assume:
      return Assume{parse_expression()};
    case Opcode::Mark: {
      const PointId point(expect_id('p'));
      if (ok() && !system_.points.contains(point)) fail("a point that does not exist");
      return Mark{point};
    }
    case Opcode::Read: {
      Read i;
      i.targets = parse_locals();
      expect_sign("=");
      i.place = parse_place(kVariable, &i.word);
      check_words(i.place, i.word, i.targets.size());
      parse_name(i.targets);
      return i;
    }
    case Opcode::Write: {
      Write i;
      i.place = parse_place(kVariable, &i.word);
      expect_sign("=");
      i.values = parse_expressions();
      check_words(i.place, i.word, i.values.size());
      return i;
    }
    case Opcode::Update:
      return parse_update();
    case Opcode::Acquire:
      return Acquire{parse_lock()};
    case Opcode::TryAcquire: {
      const Place lock = parse_lock();
      return TryAcquire{lock, parse_into()};
    }
    case Opcode::Release:
      return Release{parse_lock()};
    case Opcode::Wait:
      return Wait{parse_lock()};
    case Opcode::Rewait:
      return Rewait{parse_lock()};
    case Opcode::Notify: {
      const Place lock = parse_lock();
      return Notify{lock, take_word("all")};
    }
    case Opcode::Held: {
      const Place lock = parse_lock();
      return Held{lock, parse_into()};
    }
    case Opcode::Owner: {
      const LocalPlace target = parse_local();
      expect_sign("=");
      return Owner{parse_lock(), target};
    }
    case Opcode::Up:
      return Up{parse_place({ObjectKind::Semaphore})};
    case Opcode::Down: {
      Down i;
      i.semaphore = parse_place({ObjectKind::Semaphore});
      i.try_only = take_word("try");
      i.success = parse_into();
      return i;
    }
    case Opcode::Send: {
      Send i;
      i.channel = parse_place({ObjectKind::Channel});
      expect_sign("=");
      i.values = parse_expressions();
      check_words(i.channel, 0, i.values.size());
      i.try_only = take_word("try");
      i.success = parse_into();
      return i;
    }
    case Opcode::Receive: {
      Receive i;
      if (numbered(peek(), 's')) {
        i.targets = parse_locals();
        expect_sign("=");
      }
      i.channel = parse_place({ObjectKind::Channel});
      check_words(i.channel, 0, i.targets.size());
      parse_name(i.targets);
      i.try_only = take_word("try");
      i.success = parse_into();
      return i;
    }
    case Opcode::Size: {
      Size i;
      i.target = parse_local();
      expect_sign("=");
      i.channel = parse_place({ObjectKind::Channel});
      i.target.name = parse_text();
      return i;
    }
    case Opcode::Choose: {
      Choose i;
      i.target = parse_local();
      expect_sign("=");
      i.lo = parse_expression();
      expect_sign("..");
      i.hi = parse_expression();
      i.target.name = parse_text();
      return i;
    }
    case Opcode::Either:
      return Either{list<Pc>([&] { return expect_pc(); })};
    case Opcode::Select:
      return parse_select();
    case Opcode::Atomic:
      return Atomic{expect_pc()};
    case Opcode::Guard:
      return Guard{parse_expression()};
    case Opcode::AtomicEnd:
      return AtomicEnd{};
    case Opcode::End:
      break;
  }
  return End{};
}

Update InstructionParser::parse_update() {
  Update i;
  if (take_word("cas"))
    i.kind = Update::Kind::Cas;
  else if (take_word("swap"))
    i.kind = Update::Kind::Swap;
  else if (take_word("add"))
    i.kind = Update::Kind::Add;
  else
    fail("expected `cas`, `swap` or `add`");
  i.place = parse_place({ObjectKind::Atomic}, &i.word);
  if (i.kind == Update::Kind::Cas) {
    expect_word("expects");
    i.expected = parse_expressions();
  }
  expect_word("stores");
  i.values = parse_expressions();
  if (take_word("into")) i.targets = parse_locals();
  parse_name(i.targets);
  i.bounds = parse_bounds();
  return i;
}

Select InstructionParser::parse_select() {
  Select i;
  while (take_word("case")) {
    Select::Case c;
    ObjectKind kind = ObjectKind::Channel;
    if (take_word("receive")) {
      c.kind = Select::Kind::Receive;
    } else if (take_word("send")) {
      c.kind = Select::Kind::Send;
    } else if (take_word("down")) {
      c.kind = Select::Kind::Down;
      kind = ObjectKind::Semaphore;
    } else if (take_word("acquire")) {
      c.kind = Select::Kind::Acquire;
      kind = ObjectKind::Lock;
    } else {
      fail("expected `receive`, `send`, `down` or `acquire`");
    }
    c.place = parse_place({kind});
    if (take_sign("=")) c.values = parse_expressions();
    if (take_word("into")) c.targets = parse_locals();
    parse_name(c.targets);
    c.range = parse_range();
    expect_sign("->");
    c.next = expect_pc();
    i.cases.push_back(std::move(c));
  }
  if (take_word("default")) {
    expect_sign("->");
    i.otherwise = expect_pc();
  }
  if (i.cases.empty() && !i.otherwise) fail("a select has cases");
  return i;
}

}  // namespace cml::ir::text
