// Parses a System: the items of the text, a line each. instruction_parser.cpp reads what is in
// code.
#include <fmt/format.h>
#include <utility>

#include "ir/text/instruction_parser.h"
#include "ir/text/text.h"

namespace cml::ir {
namespace {

using text::InstructionParser;
using text::numbered;
using text::Token;

class SystemParser : private InstructionParser {
 public:
  explicit SystemParser(std::vector<Token> tokens) : InstructionParser(std::move(tokens)) {}

  Expected<System, TextError> run() {
    skip_new_lines();
    expect_word("system");
    system_.title = expect_string();
    end_line();
    while (ok() && !at_end()) {
      if (take_word("enum"))
        parse_enum();
      else if (take_word("point"))
        parse_point();
      else if (take_word("group"))
        parse_group();
      else if (take_word("class"))
        parse_class();
      else if (take_word("reached"))
        parse_reached();
      else if (take_word("thread"))
        parse_thread();
      else if (take_word("invariant"))
        system_.invariants.push_back(parse_property());
      else if (take_word("finally"))
        system_.finals.push_back(parse_property());
      else if (take_word("fairness"))
        parse_default_fairness();
      else if (take_word("property"))
        parse_formula();
      else
        fail(
            "expected `enum`, `point`, `class`, `group`, `reached`, `thread`, `invariant`, "
            "`finally`, `fairness` or `property`");
    }
    if (ok()) check_references();
    if (ok()) find_fields();
    if (!ok()) return Unexpected(*error());
    return std::move(system_);
  }

 private:
  void parse_enum() {
    expect_numbered('e', system_.enums.size());
    expect_sign("=");
    std::vector<std::string> names;
    while (ok() && peek().kind == Token::Kind::Word)
      names.push_back(next().text);
    system_.enums.push(std::move(names));
    end_line();
  }

  void parse_point() {
    expect_numbered('p', system_.points.size());
    Point point;
    if (peek().kind == Token::Kind::String) point.label = next().text;
    point.range = parse_range();
    system_.points.push(std::move(point));
    end_line();
  }

  void parse_class() {
    expect_numbered('c', system_.classes.size());
    Class decl;
    decl.name = expect_string();
    decl.places = expect_count();
    if (decl.places == 0) fail("a class has a place");
    decl.is_claimed = take_word("claimed");
    decl.range = parse_range();
    end_line();
    system_.classes.push(std::move(decl));
  }

  void parse_reached() {
    const PointId point(expect_id('p'));
    if (!system_.points.contains(point)) fail("a point that does not exist");
    system_.reached.push_back(point);
    end_line();
  }

  /// The groups of each class: as many objects for each of its places, in order.
  void find_fields() {
    IdVector<ClassId, bool> has_instances(system_.classes.size(), false);
    for (const GroupId id : system_.groups.ids()) {
      const Group& group = system_.groups[id];
      const Object& first = system_.objects[group.first];
      if (!first.owner.valid()) continue;
      Class& decl = system_.classes[first.owner];
      const std::uint32_t each = group.count / decl.places;
      bool is_regular = each > 0 && each * decl.places == group.count;
      for (std::uint32_t i = 0; is_regular && i < group.count; ++i) {
        const Object& object = system_.objects[ObjectId(group.first.index + i)];
        const Object& at_first = system_.objects[ObjectId(group.first.index + i % each)];
        is_regular = object.owner == first.owner && object.position == i / each &&
                     object.kind == at_first.kind && object.is_mutex == at_first.is_mutex &&
                     object.words == at_first.words && object.capacity == at_first.capacity;
      }
      if (!is_regular) return fail(fmt::format("`{}` is no field of a class", group.name));
      if (first.kind == ObjectKind::Instance) {
        decl.first = group.first;
        has_instances[first.owner] = true;
        continue;
      }
      if (first.kind == ObjectKind::Lock && group.name == decl.name) decl.monitor = id;
      decl.fields.push_back(id);
    }
    for (const ClassId id : system_.classes.ids())
      if (!has_instances[id]) fail("a class has a group of instances");
  }

  void parse_group() {
    Group group;
    group.name = expect_string();
    while (take_sign("[")) {
      group.dimensions.push_back(expect_count());
      expect_sign("]");
    }
    if (take_word("of")) group.pattern = expect_string();
    group.range = parse_range();
    end_line();
    group.first = system_.objects.next_id();
    const GroupId id = system_.groups.next_id();
    while (ok() && numbered(peek(), 'o'))
      parse_object(id);
    group.count = system_.objects.next_id().index - group.first.index;
    if (group.count == 0) fail("a group has objects");
    system_.groups.push(std::move(group));
  }

  void parse_object(GroupId group) {
    expect_numbered('o', system_.objects.size());
    Object object;
    object.group = group;
    object.is_mutex = peek().text == "mutex";
    if (take_word("shared"))
      object.kind = ObjectKind::Shared;
    else if (take_word("atomic"))
      object.kind = ObjectKind::Atomic;
    else if (take_word("lock"))
      object.kind = ObjectKind::Lock;
    else if (take_word("mutex"))
      object.kind = ObjectKind::Lock;
    else if (take_word("condition"))
      object.kind = ObjectKind::Condition;
    else if (take_word("semaphore"))
      object.kind = ObjectKind::Semaphore;
    else if (take_word("channel"))
      object.kind = ObjectKind::Channel;
    else if (take_word("life"))
      object.kind = ObjectKind::Life;
    else if (take_word("instance"))
      object.kind = ObjectKind::Instance;
    else if (take_word("history"))
      object.kind = ObjectKind::History;
    else
      fail("expected the kind of an object");
    object.name = expect_string();
    if (object.kind == ObjectKind::Condition) {
      expect_word("of");
      object.lock = ObjectId(expect_id('o'));
    }
    object.is_read_write = object.kind == ObjectKind::Lock && take_word("read_write");
    if (take_word("read_of")) object.read_of = ObjectId(expect_id('o'));
    if (take_sign(":")) object.words = list<WordType>([&] { return parse_type(); });
    if (take_sign("=")) object.initial = list<std::int32_t>([&] { return expect_number(); });
    if (take_word("capacity")) object.capacity = expect_count();
    object.may_be_closed = object.kind == ObjectKind::Channel && take_word("closes");
    if (take_word("max")) object.max = expect_number();
    if (take_word("guarded_by")) object.guarded_by = ObjectId(expect_id('o'));
    if (take_word("init_by")) object.init_by = ThreadId(expect_id('t'));
    if (object.kind == ObjectKind::Life) {
      expect_word("of");
      object.thread = ThreadId(expect_id('t'));
    }
    object.is_constant = take_word("constant");
    if (take_word("at")) {
      object.owner = ClassId(expect_id('c'));
      object.position = expect_count();
      if (ok() && !system_.classes.contains(object.owner)) fail("a class that does not exist");
    } else if (object.kind == ObjectKind::Instance) {
      fail("an instance is of a class");
    }
    const std::size_t values =
        object.kind == ObjectKind::Semaphore || object.kind == ObjectKind::History ||
                (object.kind == ObjectKind::Instance && !object.initial.empty())
            ? 1
        : object.kind == ObjectKind::Shared || object.kind == ObjectKind::Atomic ||
                object.may_be_closed
            ? object.words.size()
            : 0;
    if (object.initial.size() != values)
      fail("an object has an initial value for each of its words");
    const bool has_words = object.kind == ObjectKind::Shared || object.kind == ObjectKind::Atomic;
    const bool may_have_words =
        object.kind == ObjectKind::Life || object.kind == ObjectKind::Channel;
    if ((!may_have_words && has_words != !object.words.empty()) ||
        (object.kind == ObjectKind::Shared && object.words.size() != 1))
      fail("variables have words, a shared variable one");
    for (std::size_t k = 0; k < object.words.size() && k < object.initial.size(); ++k)
      if (object.initial[k] < object.words[k].lo || object.words[k].hi < object.initial[k])
        fail("an initial value is outside its range");
    system_.objects.push(std::move(object));
    end_line();
  }

  void parse_thread() {
    expect_numbered('t', system_.threads.size());
    Thread thread;
    thread.name = expect_string();
    thread.is_daemon = take_word("daemon");
    thread.is_spawned = take_word("spawned");
    thread.is_reused = take_word("again");
    thread.range = parse_range();
    end_line();
    thread.code = parse_code();
    number_locations(thread.code);
    system_.threads.push(std::move(thread));
  }

  Invariant parse_property() {
    Invariant property;
    property.name = expect_string();
    property.range = parse_range();
    end_line();
    property.code = parse_code();
    return property;
  }

  void parse_default_fairness() {
    system_.fairness = parse_fairness();
    end_line();
  }

  Fairness parse_fairness() {
    for (const Fairness fairness : {Fairness::None, Fairness::Weak})
      if (take_word(spelling(fairness))) return fairness;
    expect_word(spelling(Fairness::Strong));
    return Fairness::Strong;
  }

  void parse_formula() {
    Property property;
    property.name = expect_string();
    property.is_termination = take_word("terminates");
    if (take_word("under")) property.fairness = parse_fairness();
    property.range = parse_range();
    end_line();
    while (ok() && peek().kind == Token::Kind::Word && peek().text.starts_with('f'))
      property.parts.push_back(parse_part(property.parts.size()));
    while (ok() && take_word("condition"))
      property.conditions.push_back(parse_property());
    if (property.parts.empty()) fail("a property has a formula");
    for (const Formula& part : property.parts)
      if (part.kind == FormulaKind::Condition && part.condition >= property.conditions.size())
        fail("a condition that does not exist");
    system_.properties.push_back(std::move(property));
  }

  Formula parse_part(std::size_t number) {
    expect_numbered('f', number);
    Formula part;
    const auto operand = [&] {
      const std::uint32_t id = expect_id('f');
      if (id >= number) fail("an operand that comes later");
      return id;
    };
    const auto unary = [&](FormulaKind kind) {
      part.kind = kind;
      part.right = operand();
    };
    const auto binary = [&](FormulaKind kind) {
      part.kind = kind;
      part.left = operand();
      part.right = operand();
    };
    if (take_word("condition")) {
      part.condition = expect_count();
    } else if (take_word("ended") || take_word("at")) {
      part.kind = FormulaKind::Ended;
      while (ok() && peek().kind == Token::Kind::Word && peek().text.starts_with('t')) {
        part.threads.emplace_back(expect_id('t'));
        if (!system_.threads.contains(part.threads.back())) fail("a thread that does not exist");
      }
      while (ok() && peek().kind == Token::Kind::Number) {
        part.kind = FormulaKind::At;
        part.pcs.push_back(expect_count());
      }
    } else if (take_word("not")) {
      unary(FormulaKind::Not);
    } else if (take_word("always")) {
      unary(FormulaKind::Always);
    } else if (take_word("eventually")) {
      unary(FormulaKind::Eventually);
    } else if (take_word("and")) {
      binary(FormulaKind::And);
    } else if (take_word("or")) {
      binary(FormulaKind::Or);
    } else if (take_word("implies")) {
      binary(FormulaKind::Implies);
    } else if (take_word("until")) {
      binary(FormulaKind::Until);
    } else if (take_word("release")) {
      binary(FormulaKind::Release);
    } else {
      fail("expected an operator of temporal formulas");
    }
    part.range = parse_range();
    end_line();
    return part;
  }

  void check_references() {
    for (const Object& object : system_.objects) {
      if (object.guarded_by && (!system_.objects.contains(*object.guarded_by) ||
                                system_.objects[*object.guarded_by].kind != ObjectKind::Lock))
        fail(fmt::format("`{}` is guarded by something that is no lock", object.name));
      if (object.read_of && (!system_.objects.contains(*object.read_of) ||
                             !system_.objects[*object.read_of].is_read_write))
        fail(fmt::format("`{}` is for reading something that cannot be read so", object.name));
      if (object.lock && (!system_.objects.contains(*object.lock) ||
                          system_.objects[*object.lock].kind != ObjectKind::Lock))
        fail(fmt::format("`{}` is a condition of something that is no lock", object.name));
      if (object.kind == ObjectKind::Life &&
          (!system_.threads.contains(object.thread) || !system_.threads[object.thread].is_spawned))
        fail(fmt::format("`{}` is of no thread that is spawned", object.name));
      if (object.init_by && !system_.threads.contains(*object.init_by))
        fail(fmt::format("`{}` is initialised by a thread that does not exist", object.name));
    }
  }
};

}  // namespace

Expected<System, TextError> parse_system(std::string_view text) {
  std::uint32_t line = 1;
  std::optional<std::vector<Token>> tokens = text::tokenize(text, line);
  if (!tokens) return Unexpected(TextError{line, "this is not part of the textual form"});
  return SystemParser(std::move(*tokens)).run();
}

}  // namespace cml::ir
