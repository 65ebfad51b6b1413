#include "ir/text/instruction_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "ir/describe.h"
#include "ir/text/operands.h"

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
    {"+", ExprOp::Add},         {"-", ExprOp::Subtract},  {"*", ExprOp::Multiply},
    {"/", ExprOp::Divide},      {"%", ExprOp::Remainder}, {"==", ExprOp::Equal},
    {"!=", ExprOp::NotEqual},   {"<", ExprOp::Less},      {"<=", ExprOp::LessEqual},
    {"&&", ExprOp::And},        {"||", ExprOp::Or},       {"&", ExprOp::BitAnd},
    {"|", ExprOp::BitOr},       {"^", ExprOp::BitXor},    {"<<", ExprOp::ShiftLeft},
    {">>", ExprOp::ShiftRight},
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
  } else if (take_word("set")) {
    type = {WordType::Kind::Set, 0, INT32_MAX, {}};
  } else if (take_word("thread")) {
    type = {WordType::Kind::Thread, 0, 0, {}};
  } else if (numbered(peek(), 'c')) {
    type = {WordType::Kind::Reference, 0, 0, {}, ClassId(expect_id('c'))};
    if (!system_.classes.contains(type.of)) fail("a class that does not exist");
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
  // A spawn may have nobody to choose from.
  const bool may_be_empty = std::find(kinds.begin(), kinds.end(), ObjectKind::Life) != kinds.end();
  if ((place.count == 0 && !may_be_empty) || last >= system_.objects.size())
    fail("a place beyond the objects");
  else if (std::find(kinds.begin(), kinds.end(), system_.objects[place.base].kind) == kinds.end())
    fail(fmt::format("`o{}` is no object for this instruction", place.base.index));
  return place;
}

void InstructionParser::check_words(const Place& place, std::uint32_t word, std::size_t count) {
  if (ok() && word + count > system_.objects[place.base].words.size())
    fail(fmt::format("`o{}` does not have so many words", place.base.index));
}

void InstructionParser::check_room(const Place& channel, bool meets) {
  if (ok() && (system_.objects[channel.base].capacity == 0) != meets)
    fail(fmt::format("`o{}` has {}", channel.base.index, meets ? "room" : "no room"));
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
  } else if (peek().text == "wrap_add" || peek().text == "wrap_multiply") {
    operands(next().text == "wrap_add" ? ExprOp::AddModulo : ExprOp::MultiplyModulo, 2);
    expect_sign(",");
    expr.value = expect_number();
    if (expr.value < 0) fail("the largest result is not negative");
  } else if (take_word("singleton")) {
    operands(ExprOp::Singleton, 1);
    expect_sign(",");
    expr.value = expect_number();
    if (expr.value < 1 || expr.value > 31) fail("a set of 1 to 31 elements");
  } else if (take_word("count")) {
    operands(ExprOp::CountBits, 1);
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
  struct Targets : Description {
    const std::vector<Instruction>& instructions;
    Pc pc = 0;
    bool all;
    bool regions = true;
    explicit Targets(const std::vector<Instruction>& i) : instructions(i), all(!i.empty()) {}
    [[nodiscard]] bool exists(Pc at) const { return at < instructions.size(); }
    void goes_to(Pc target) { all = all && exists(target); }
    void encloses(Pc end) {
      regions =
          regions && end > pc && exists(end) && instructions[end].opcode() == Opcode::AtomicEnd;
    }
  };
  Targets targets(code.instructions);
  for (; targets.pc < code.instructions.size(); ++targets.pc)
    describe(code.instructions[targets.pc], targets);
  if (!targets.all) fail("a jump to an instruction that does not exist");
  if (!targets.regions) fail("`atomic` names the `atomic_end` behind it");
  if (ok()) {
    const Opcode last = code.instructions.back().opcode();
    if (last != Opcode::End && last != Opcode::Jump && last != Opcode::Branch)
      fail("code ends with `end` or goes back");
  }
}

struct InstructionParser::Form {
  InstructionParser& parser;

  void sign(std::string_view sign) const { parser.expect_sign(sign); }
  void word(std::string_view word) const { parser.expect_word(word); }
  void local(LocalPlace& at) const { at = parser.parse_local(); }
  void locals(std::vector<LocalPlace>& all) const { all = parser.parse_locals(); }
  void locals_before(std::string_view before, std::vector<LocalPlace>& all) const {
    if (!numbered(parser.peek(), 's')) return;
    locals(all);
    sign(before);
  }
  void into(std::vector<LocalPlace>& all) const {
    if (parser.take_word("into")) locals(all);
  }
  void into(std::optional<LocalPlace>& at) const { at = parser.parse_into(); }
  void name(std::vector<LocalPlace>& all) const { parser.parse_name(all); }
  void expression(ExprId& expr) const { expr = parser.parse_expression(); }
  void expressions(std::vector<ExprId>& all) const { all = parser.parse_expressions(); }
  void expressions_after(std::string_view before, std::vector<ExprId>& all) const {
    if (parser.take_sign(before)) expressions(all);
  }
  void expression_after(std::string_view before, std::optional<ExprId>& at) const {
    if (parser.take_word(before)) at = parser.parse_expression();
  }
  void number(std::uint32_t& value) const { value = parser.expect_count(); }
  void bounds(Bounds& bounds) const { bounds = parser.parse_bounds(); }
  void text(TextId& text) const { text = parser.parse_text(); }
  void pc(Pc& at) const { at = parser.expect_pc(); }
  void pcs(std::vector<Pc>& all) const {
    all = parser.list<Pc>([&] { return parser.expect_pc(); });
  }
  void point(PointId& point) const {
    point = PointId(parser.expect_id('p'));
    if (parser.ok() && !parser.system_.points.contains(point))
      parser.fail("a point that does not exist");
  }
  void place(Place& at, std::initializer_list<ObjectKind> kinds) const {
    at = parser.parse_place(kinds);
  }
  void place(Place& at, std::initializer_list<ObjectKind> kinds, std::uint32_t& word) const {
    at = parser.parse_place(kinds, &word);
  }
  void place_after(std::string_view before, std::optional<Place>& at,
                   std::initializer_list<ObjectKind> kinds) const {
    if (parser.take_word(before)) at = parser.parse_place(kinds);
  }
  void check_words(const Place& at, std::uint32_t word, std::size_t count) const {
    parser.check_words(at, word, count);
  }
  void check_room(const Place& at, bool meets) const { parser.check_room(at, meets); }
  void flag(std::string_view word, bool& is_set) const { is_set = parser.take_word(word); }
  template <class Kind, std::size_t N>
  void one_of(Kind& kind, const std::array<std::string_view, N>& words) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (!parser.take_word(words[i])) continue;
      kind = static_cast<Kind>(i);
      return;
    }
    parser.fail(fmt::format("expected one of `{}`", fmt::join(words, "`, `")));
  }
  void cases(Select& select) const { parser.parse_cases(select); }
};

Operation InstructionParser::parse_operation(Opcode op) {
  Form form{*this};
  switch (op) {
#define CML_OPCODE(name, mnemonic, is_operation) \
  case Opcode::name: {                           \
    name node;                                   \
    operands(node, form);                        \
    return node;                                 \
  }
    CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
  }
  return End{};
}

void InstructionParser::parse_cases(Select& i) {
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
    } else if (take_word("await")) {
      c.kind = Select::Kind::Await;
    } else {
      fail("expected `receive`, `send`, `down`, `acquire` or `await`");
    }
    if (c.kind != Select::Kind::Await) c.place = parse_place({kind});
    if (take_sign("=")) c.values = parse_expressions();
    if (take_word("into")) c.targets = parse_locals();
    parse_name(c.targets);
    c.may_be_closed = take_word("closes");
    c.meets = take_word("meets");
    if (kind == ObjectKind::Channel && c.kind != Select::Kind::Await) check_room(c.place, c.meets);
    if (take_word("when")) c.when = parse_expression();
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
}

}  // namespace cml::ir::text
