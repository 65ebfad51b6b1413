// Prints a System.
#include <fmt/format.h>
#include <iterator>

#include "ir/describe.h"
#include "ir/text/operands.h"
#include "ir/text/text.h"

namespace cml::ir {
namespace {

constexpr std::size_t kCommentColumn = 40;

class Printer {
 public:
  Printer(const System& system, const PrintOptions& options) : system_(system), options_(options) {}

  std::string system() {
    put("system {}\n", quoted(system_.title));
    for (const EnumId id : system_.enums.ids()) {
      put("enum e{} =", id.index);
      for (const std::string& name : system_.enums[id])
        put(" {}", name);
      put("\n");
    }
    for (const PointId id : system_.points.ids()) {
      const Point& point = system_.points[id];
      put("point p{}", id.index);
      if (point.label) put(" {}", quoted(*point.label));
      put("{}\n", range(point.range));
    }
    for (const ClassId id : system_.classes.ids()) {
      const Class& decl = system_.classes[id];
      put("class c{} {} {}{}{}\n", id.index, quoted(decl.name), decl.places,
          decl.is_claimed ? " claimed" : "", range(decl.range));
    }
    for (const Group& group : system_.groups)
      print_group(group);
    for (const PointId point : system_.reached)
      put("reached p{}\n", point.index);
    for (const ThreadId id : system_.threads.ids()) {
      const Thread& thread = system_.threads[id];
      put("thread t{} {}{}{}{}{}\n", id.index, quoted(thread.name),
          thread.is_daemon ? " daemon" : "", thread.is_spawned ? " spawned" : "",
          thread.is_reused ? " again" : "", range(thread.range));
      print_code(thread.code);
    }
    for (const Invariant& invariant : system_.invariants)
      print_property("invariant", invariant);
    for (const Invariant& final : system_.finals)
      print_property("finally", final);
    if (system_.fairness) put("fairness {}\n", spelling(*system_.fairness));
    for (const Property& property : system_.properties)
      print_formula(property);
    return std::move(out_);
  }

  std::string expression(ExprId id) const {
    const Expr& e = system_.exprs[id];
    if (!options_.ranges || e.range == SourceRange{}) return plain_expression(e);
    return fmt::format("{} @{}", plain_expression(e), plain(e.range));
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\')
        result += fmt::format("\\{}", c);
      else if (c == '\n')
        result += "\\n";
      else if (static_cast<unsigned char>(c) < 0x20)
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      else
        result += c;
    }
    return result + "\"";
  }

  static std::string_view word(FormulaKind kind) {
    switch (kind) {
      case FormulaKind::Not:
        return "not";
      case FormulaKind::And:
        return "and";
      case FormulaKind::Or:
        return "or";
      default:
        return spelling(kind);
    }
  }

  std::string range(const SourceRange& at) const {
    if (!options_.ranges || at == SourceRange{}) return "";
    return " from " + plain(at);
  }

  std::string plain(const SourceRange& at) const {
    if (options_.sources == nullptr || at.file.index >= options_.sources->size())
      return fmt::format("{}:{}-{}", at.file.index, at.begin, at.end);
    const SourceFile& file = options_.sources->file(at.file);
    const LineColumn begin = file.line_column(at.begin);
    const LineColumn end = file.line_column(at.end);
    return fmt::format("{}{}:{}-{}:{}", at.file.index == 0 ? "" : file.name() + ":", begin.line,
                       begin.column, end.line, end.column);
  }

  std::string text(TextId id) const { return id.valid() ? " " + quoted(system_.texts[id]) : ""; }

  std::string type(const WordType& type) const {
    switch (type.kind) {
      case WordType::Kind::Bool:
        return type.lo == 0 && type.hi == 1 ? "bool"
                                            : fmt::format("bool({}..{})", type.lo, type.hi);
      case WordType::Kind::Int:
        return type.lo == INT32_MIN && type.hi == INT32_MAX
                   ? "int"
                   : fmt::format("int({}..{})", type.lo, type.hi);
      case WordType::Kind::Set:
        return fmt::format("set({}..{})", type.lo, type.hi);
      case WordType::Kind::Thread:
        return fmt::format("thread({}..{})", type.lo, type.hi);
      case WordType::Kind::Reference:
        return fmt::format("c{}({}..{})", type.of.index, type.lo, type.hi);
      case WordType::Kind::Enum:
        break;
    }
    return fmt::format("e{}({}..{})", type.names.index, type.lo, type.hi);
  }

  template <class Items, class Show>
  static std::string joined(const Items& items, Show&& show) {
    std::string result;
    for (const auto& item : items)
      result += (result.empty() ? "" : ", ") + show(item);
    return result;
  }

  void print_group(const Group& group) {
    put("group {}", quoted(group.name));
    for (const std::uint32_t dimension : group.dimensions)
      put(" [{}]", dimension);
    if (!group.pattern.empty()) put(" of {}", quoted(group.pattern));
    put("{}\n", range(group.range));
    for (std::uint32_t k = 0; k < group.count; ++k)
      print_object(ObjectId(group.first.index + k));
  }

  void print_object(ObjectId id) {
    const Object& object = system_.objects[id];
    constexpr std::string_view kKinds[] = {"shared",    "atomic",    "lock",
                                           "condition", "semaphore", "channel",
                                           "life",      "instance",  "history"};
    put("  o{} {} {}", id.index,
        object.is_mutex ? "mutex" : kKinds[static_cast<std::size_t>(object.kind)],
        quoted(object.name));
    if (object.lock) put(" of o{}", object.lock->index);
    if (object.is_read_write) put(" read_write");
    if (object.read_of) put(" read_of o{}", object.read_of->index);
    if (!object.words.empty())
      put(": {}", joined(object.words, [&](const WordType& t) { return type(t); }));
    if (!object.initial.empty())
      put(" = {}", joined(object.initial, [](std::int32_t v) { return fmt::format("{}", v); }));
    if (object.kind == ObjectKind::Channel) put(" capacity {}", object.capacity);
    if (object.may_be_closed) put(" closes");
    if (object.max) put(" max {}", *object.max);
    if (object.guarded_by) put(" guarded_by o{}", object.guarded_by->index);
    if (object.init_by) put(" init_by t{}", object.init_by->index);
    if (object.thread.valid()) put(" of t{}", object.thread.index);
    if (object.is_constant) put(" constant");
    if (object.owner.valid()) put(" at c{} {}", object.owner.index, object.position);
    put("\n");
  }

  void print_property(std::string_view keyword, const Invariant& property) {
    put("{} {}{}\n", keyword, quoted(property.name), range(property.range));
    print_code(property.code);
  }

  void print_formula(const Property& property) {
    put("property {}{}{}{}\n", quoted(property.name), property.is_termination ? " terminates" : "",
        property.fairness ? fmt::format(" under {}", spelling(*property.fairness)) : "",
        range(property.range));
    for (std::size_t i = 0; i < property.parts.size(); ++i) {
      const Formula& part = property.parts[i];
      put("  f{}", i);
      switch (part.kind) {
        case FormulaKind::Condition:
          put(" condition {}", part.condition);
          break;
        case FormulaKind::Ended:
        case FormulaKind::At:
          put(" {}", spelling(part.kind));
          for (const ThreadId thread : part.threads)
            put(" t{}", thread.index);
          for (const Pc pc : part.pcs)
            put(" {}", pc);
          break;
        case FormulaKind::Not:
        case FormulaKind::Always:
        case FormulaKind::Eventually:
          put(" {} f{}", word(part.kind), part.right);
          break;
        default:
          put(" {} f{} f{}", word(part.kind), part.left, part.right);
          break;
      }
      put("{}\n", range(part.range));
    }
    for (const Invariant& condition : property.conditions)
      print_property("condition", condition);
  }

  void print_code(const Code& code) {
    for (std::size_t slot = 0; slot < code.slots.size(); ++slot)
      put("  s{}: {}{}\n", slot, type(code.slots[slot].type), text(code.slots[slot].name));
    for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
      const Instruction& instruction = code.instructions[pc];
      std::string line = fmt::format("  {}", pc);
      if (pc < code.pc_location.size() && code.pc_location[pc] != 0)
        line += fmt::format(" L{}", code.pc_location[pc]);
      line += fmt::format(": {}", mnemonic(instruction.opcode()));
      Form form{*this, line};
      std::visit([&form](const auto& node) { text::operands(node, form); }, instruction.node);
      if (!instruction.kind.empty()) line += fmt::format(" kind {}", quoted(instruction.kind));
      line += range(instruction.range);
      const std::string comment = this->comment(instruction);
      if (options_.comments && !comment.empty())
        line = fmt::format("{:<{}} ; {}", line, kCommentColumn, comment);
      out_ += line + "\n";
    }
  }

  // ---- expressions and places

  std::string plain_expression(const Expr& e) const {
    const auto infix = [&](std::string_view op) {
      return fmt::format("({} {} {})", expression(e.a), op, expression(e.b));
    };
    switch (e.op) {
      case ExprOp::Constant:
        return fmt::format("{}", e.value);
      case ExprOp::Local:
        return fmt::format("s{}", e.value);
      case ExprOp::LocalAt:
        return fmt::format("at(s{}, {})", e.value, expression(e.a));
      case ExprOp::Negate:
        return fmt::format("neg({})", expression(e.a));
      case ExprOp::Not:
        return fmt::format("not({})", expression(e.a));
      case ExprOp::Add:
        return infix("+");
      case ExprOp::Subtract:
        return infix("-");
      case ExprOp::Multiply:
        return infix("*");
      case ExprOp::Divide:
        return infix("/");
      case ExprOp::Remainder:
        return infix("%");
      case ExprOp::BitAnd:
        return infix("&");
      case ExprOp::BitOr:
        return infix("|");
      case ExprOp::BitXor:
        return infix("^");
      case ExprOp::ShiftLeft:
        return infix("<<");
      case ExprOp::ShiftRight:
        return infix(">>");
      case ExprOp::AddModulo:
        return fmt::format("wrap_add({}, {}, {})", expression(e.a), expression(e.b), e.value);
      case ExprOp::MultiplyModulo:
        return fmt::format("wrap_multiply({}, {}, {})", expression(e.a), expression(e.b), e.value);
      case ExprOp::Singleton:
        return fmt::format("singleton({}, {})", expression(e.a), e.value);
      case ExprOp::CountBits:
        return fmt::format("count({})", expression(e.a));
      case ExprOp::Equal:
        return infix("==");
      case ExprOp::NotEqual:
        return infix("!=");
      case ExprOp::Less:
        return infix("<");
      case ExprOp::LessEqual:
        return infix("<=");
      case ExprOp::And:
        return infix("&&");
      case ExprOp::Or:
        return infix("||");
      case ExprOp::If:
        return fmt::format("if({}, {}, {})", expression(e.a), expression(e.b), expression(e.c));
      case ExprOp::Bound:
        return fmt::format("bound({}, {})", expression(e.a), e.value);
    }
    return "";
  }

  std::string place(const Place& at, std::uint32_t word = 0) const {
    std::string result = fmt::format("o{}", at.base.index);
    if (at.index) result += fmt::format("[{}, {}, {}]", expression(*at.index), at.count, at.stride);
    if (word != 0) result += fmt::format(" word {}", word);
    return result;
  }

  std::string local(const LocalPlace& at) const {
    return at.index ? fmt::format("s{}[{}, {}]", at.slot, expression(*at.index), at.count)
                    : fmt::format("s{}", at.slot);
  }

  /// What traces call the places: all have the same name.
  std::string name(const std::vector<LocalPlace>& places) const {
    return places.empty() ? "" : text(places.front().name);
  }

  std::string locals(const std::vector<LocalPlace>& places) const {
    return joined(places, [&](const LocalPlace& at) { return local(at); });
  }

  std::string expressions(const std::vector<ExprId>& values) const {
    return joined(values, [&](ExprId value) { return expression(value); });
  }

  static std::string bounds(const Bounds& b) {
    const bool any = b.lo == INT32_MIN && b.hi == INT32_MAX;
    return any ? "" : fmt::format(" in {}..{}", b.lo, b.hi);
  }

  // ---- operands (operands.h)

  struct Form {
    const Printer& printer;
    std::string& line;

    void add(std::string_view part) {
      line += ' ';
      line += part;
    }
    void sign(std::string_view sign) { add(sign); }
    void word(std::string_view word) { add(word); }
    void local(const LocalPlace& at) { add(printer.local(at)); }
    void locals(const std::vector<LocalPlace>& all) { add(printer.locals(all)); }
    void locals_before(std::string_view before, const std::vector<LocalPlace>& all) {
      if (all.empty()) return;
      locals(all);
      sign(before);
    }
    void into(const std::vector<LocalPlace>& all) {
      if (!all.empty()) add("into " + printer.locals(all));
    }
    void into(const std::optional<LocalPlace>& at) {
      if (at) add("into " + printer.local(*at) + printer.text(at->name));
    }
    void name(const std::vector<LocalPlace>& all) { line += printer.name(all); }
    void expression(ExprId expr) { add(printer.expression(expr)); }
    void expressions(const std::vector<ExprId>& all) { add(printer.expressions(all)); }
    void expressions_after(std::string_view before, const std::vector<ExprId>& all) {
      if (all.empty()) return;
      sign(before);
      expressions(all);
    }
    void expression_after(std::string_view before, const std::optional<ExprId>& at) {
      if (!at) return;
      word(before);
      expression(*at);
    }
    void number(std::uint32_t value) { add(fmt::format("{}", value)); }
    void bounds(const Bounds& bounds) { line += Printer::bounds(bounds); }
    void text(TextId text) { line += printer.text(text); }
    void pc(Pc at) { add(fmt::format("{}", at)); }
    void pcs(const std::vector<Pc>& all) {
      add(Printer::joined(all, [](Pc at) { return fmt::format("{}", at); }));
    }
    void point(PointId point) { add(fmt::format("p{}", point.index)); }
    void place(const Place& at, std::initializer_list<ObjectKind>, std::uint32_t word = 0) {
      add(printer.place(at, word));
    }
    void place_after(std::string_view before, const std::optional<Place>& at,
                     std::initializer_list<ObjectKind> kinds) {
      if (!at) return;
      word(before);
      place(*at, kinds);
    }
    void check_words(const Place&, std::uint32_t, std::size_t) {}
    void check_room(const Place&, bool) {}
    void flag(std::string_view word, bool is_set) {
      if (is_set) add(word);
    }
    template <class Kind, std::size_t N>
    void one_of(Kind kind, const std::array<std::string_view, N>& words) {
      add(words[static_cast<std::size_t>(kind)]);
    }
    void cases(const Select& select) { add(printer.cases(select)); }
  };

  std::string cases(const Select& i) const {
    constexpr std::string_view kKinds[] = {"receive", "send", "down", "acquire", "await"};
    std::string result;
    for (const Select::Case& c : i.cases) {
      result += fmt::format("{}case {}", result.empty() ? "" : " ",
                            kKinds[static_cast<std::size_t>(c.kind)]);
      if (c.kind != Select::Kind::Await) result += " " + place(c.place);
      if (!c.values.empty()) result += " = " + expressions(c.values);
      if (!c.targets.empty()) result += " into " + locals(c.targets);
      result += fmt::format("{}{}{}", name(c.targets), c.may_be_closed ? " closes" : "",
                            c.meets ? " meets" : "");
      if (c.when) result += " when " + expression(*c.when);
      result += fmt::format("{} -> {}", range(c.range), c.next);
    }
    if (i.otherwise)
      result += fmt::format("{}default -> {}", result.empty() ? "" : " ", *i.otherwise);
    return result;
  }

  // ---- comments: what a place is called

  std::string comment(const Place& at) const {
    return at.index ? system_.groups[system_.objects[at.base].group].name + "[..]"
                    : system_.objects[at.base].name;
  }
  std::string comment(const Instruction& instruction) const {
    std::vector<std::string> places;
    for_each_place(instruction, [&](const Place& at, Effects) { places.push_back(comment(at)); });
    return joined(places, [](const std::string& one) { return one; });
  }

  const System& system_;
  const PrintOptions& options_;
  std::string out_;
};

}  // namespace

std::string print(const System& system, const PrintOptions& options) {
  return Printer(system, options).system();
}

std::string print(const System& system, ExprId expr) {
  return Printer(system, {}).expression(expr);
}

}  // namespace cml::ir
