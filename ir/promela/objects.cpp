#include "ir/promela/objects.h"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "ir/describe.h"

namespace cml::ir::promela {
namespace {

WordType semaphore_type(const Object& object) {
  WordType type;
  type.lo = 0;
  type.hi = object.max.value_or(INT32_MAX);
  return type;
}

WordType type_of(const Object& object, std::uint32_t word) {
  if (object.kind == ObjectKind::Semaphore) return semaphore_type(object);
  return object.words[word];
}

std::string list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items)
    out += (out.empty() ? "" : ", ") + item;
  return out;
}

}  // namespace

std::string type_name(std::int64_t lo, std::int64_t hi) {
  if (lo >= 0 && hi <= 1) return "bool";
  if (lo >= 0 && hi <= 255) return "byte";
  if (lo >= INT16_MIN && hi <= INT16_MAX) return "short";
  return "int";
}

Objects::Objects(const System& system, Names& names)
    : system_(system), set_numbers_(system.objects.size(), 0) {
  for (const cml::ir::Group& source : system.groups) {
    Group group;
    group.is_array = !source.dimensions.empty();
    groups_.push(std::move(group));
  }
  find_arrays();
  for (const GroupId id : system.groups.ids()) {
    const cml::ir::Group& source = system.groups[id];
    Group& group = groups_[id];
    const ObjectKind kind = system.objects[source.first].kind;
    const bool is_variable = kind == ObjectKind::Shared || kind == ObjectKind::Atomic;
    for (std::uint32_t i = 0; i < source.count; ++i)
      if (is_variable)
        group.words =
            std::max(group.words, system.objects[ObjectId(source.first.index + i)].words.size());
    const std::uint32_t variables = group.is_array ? 1 : source.count;
    for (std::uint32_t i = 0; i < variables; ++i) {
      const std::string name =
          variables == 1 ? source.name : system.objects[ObjectId(source.first.index + i)].name;
      for (std::size_t word = 0; word < group.words; ++word)
        group.names.push_back(
            names.unique(group.words == 1 ? name : fmt::format("{}_{}", name, word)));
    }
    if (kind == ObjectKind::Channel) {
      group.type = names.unique("Channel_" + source.name);
      group.drop = names.unique("drop_" + source.name);
    }
  }
  for (const ObjectId id : system.objects.ids())
    if (system.objects[id].kind == ObjectKind::Lock ||
        system.objects[id].kind == ObjectKind::Condition)
      set_numbers_[id] = static_cast<std::uint32_t>(++sets_);
}

// Where an index chooses among objects, they are an array.
void Objects::find_arrays() {
  const auto look = [this](const Code& code) {
    for (const Instruction& instruction : code.instructions)
      for_each_place(instruction, [this](const Place& place, Effects) {
        if (place.index) groups_[system_.objects[place.base].group].is_array = true;
      });
  };
  for (const Thread& thread : system_.threads)
    look(thread.code);
  for (const Invariant& invariant : system_.invariants)
    look(invariant.code);
  for (const Invariant& final : system_.finals)
    look(final.code);
}

std::string Objects::reference(const Place& place, const Frame& frame, std::uint32_t word) const {
  const Group& mine = group(place.base);
  if (!mine.is_array) return mine.names[offset(place.base) * mine.words + word];
  const Value first = constant(static_cast<std::int64_t>(offset(place.base)));
  return fmt::format("{}[{}]", mine.names[word], sum(chosen(place, frame), first).text);
}

Value Objects::chosen(const Place& place, const Frame& frame) const {
  if (!place.index) return constant(0);
  Value index = value(system_, *place.index, frame);
  if (place.stride == 1) return index;
  if (index.constant()) return constant(index.lo * place.stride);
  return arithmetic(fmt::format("{} * {}", index.operand(), place.stride), index.lo * place.stride,
                    index.hi * place.stride);
}

std::optional<Seen> Objects::seen(const Instruction& instruction, const Frame& frame) const {
  const auto part = [&](const Place& place, const char* name, std::int64_t hi) {
    return Value{reference(place, frame) + name, 0, hi, Level::Atom};
  };
  using Result = std::optional<Seen>;
  return std::visit(
      Cases{
          [&](const Size& node) {
            const Object& object = system_.objects[node.channel.base];
            if (object.kind == ObjectKind::Semaphore)
              return Result({&node.target, part(node.channel, "", object.max.value_or(INT32_MAX))});
            return Result({&node.target, part(node.channel, ".size", capacity(node.channel))});
          },
          [&](const Owner& node) {  // 0, or the thread's number + 1
            const auto threads = static_cast<std::int64_t>(system_.threads.size());
            return Result({&node.target, part(node.lock, ".owner", threads)});
          },
          [](const auto&) { return Result(); }},
      instruction.node);
}

template <class Lo, class Hi>
WordType Objects::type_over(const Place& place, std::uint32_t word, Lo lo, Hi hi) const {
  WordType type = type_of(system_.objects[place.base], word);
  for_each_object(place, [&](ObjectId id) {
    const WordType other = type_of(system_.objects[id], word);
    type.lo = lo(type.lo, other.lo);
    type.hi = hi(type.hi, other.hi);
  });
  return type;
}

WordType Objects::joined_type(const Place& place, std::uint32_t word) const {
  return type_over(place, word, std::ranges::min, std::ranges::max);
}

WordType Objects::common_type(const Place& place, std::uint32_t word) const {
  return type_over(place, word, std::ranges::max, std::ranges::min);
}

Value Objects::word(const Place& place, const Frame& frame, std::uint32_t word) const {
  const WordType type = joined_type(place, word);
  Value result{reference(place, frame, word), type.lo, type.hi, Level::Atom};
  return result.constant() ? constant(type.lo) : result;
}

std::string Objects::item(const Place& place, const Frame& frame, std::uint32_t word,
                          const std::string& position) const {
  const std::size_t words = system_.objects[place.base].words.size();
  return fmt::format("{}.item{}[{}]", reference(place, frame),
                     words == 1 ? "" : std::to_string(word), position);
}

const std::string& Objects::drop(const Place& channel) const { return group(channel.base).drop; }

Value Objects::set_number(const Place& set, const Frame& frame) const {
  // Those of a group are consecutive, and nothing lies between them.
  return sum(chosen(set, frame), constant(set_numbers_[set.base]));
}

// ---- declarations ------------------------------------------------------------------------------

void Objects::declare_words(Writer& out, GroupId id) const {
  const cml::ir::Group& source = system_.groups[id];
  const Group& mine = groups_[id];
  const auto object = [&](std::uint32_t i) -> const Object& {
    return system_.objects[ObjectId(source.first.index + i)];
  };
  const auto initial = [&](std::uint32_t i, std::size_t word) {
    return word < object(i).initial.size() ? object(i).initial[word] : 0;
  };
  for (std::size_t word = 0; word < mine.words; ++word) {
    if (!mine.is_array) {
      for (std::uint32_t i = 0; i < source.count; ++i) {
        const WordType type = type_of(object(i), static_cast<std::uint32_t>(word));
        out.line(fmt::format("{} {} = {};", type_name(type.lo, type.hi),
                             mine.names[i * mine.words + word], constant(initial(i, word)).text));
      }
      continue;
    }
    std::int64_t lo = 0;
    std::int64_t hi = 2;  // SPIN makes bytes of an array of bool
    bool are_equal = true;
    std::vector<std::string> values;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < source.count; ++i) {
      const WordType type = type_of(object(i), static_cast<std::uint32_t>(word));
      lo = std::min<std::int64_t>(lo, type.lo);
      hi = std::max<std::int64_t>(hi, type.hi);
      are_equal = are_equal && initial(i, word) == initial(0, word);
      values.push_back(constant(initial(i, word)).text);
      names.push_back(object(i).name);
    }
    const bool is_plain = source.dimensions.size() == 1 && source.dimensions[0] == source.count;
    out.line(fmt::format("{} {}[{}] = {};{}", type_name(lo, hi), mine.names[word], source.count,
                         are_equal ? values[0] : "{ " + list(values) + " }",
                         is_plain ? "" : "  /* " + list(names) + " */"));
  }
}

void Objects::declare_channel(Writer& out, GroupId id) const {
  const cml::ir::Group& source = system_.groups[id];
  const Group& mine = groups_[id];
  const Object& object = system_.objects[source.first];
  const std::size_t words = object.words.size();
  const auto field = [words](std::size_t word) {
    return words == 1 ? std::string("item") : fmt::format("item{}", word);
  };
  out.line(fmt::format("typedef {} {{", mine.type));
  out.in();
  out.line(fmt::format("{} size;", type_name(0, std::max(object.capacity, 2U))));
  for (std::size_t word = 0; word < words; ++word)
    out.line(fmt::format(
        "{} {}[{}];",
        type_name(std::min(object.words[word].lo, 0), std::max(object.words[word].hi, 2)),
        field(word), object.capacity));
  out.out();
  out.line("}");
  for (const std::string& name : mine.names)
    out.line(fmt::format("{} {}{};", mine.type, name,
                         mine.is_array ? fmt::format("[{}]", source.count) : ""));
  out.line(fmt::format("inline {}(channel_) {{", mine.drop));
  out.in();
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint32_t i = 0; i + 1 < object.capacity; ++i)
      out.line(fmt::format("channel_.{0}[{1}] = channel_.{0}[{2}];", field(word), i, i + 1));
    out.line(fmt::format("channel_.{}[{}] = 0;", field(word), object.capacity - 1));
  }
  out.line("channel_.size = channel_.size - 1;");
  out.out();
  out.line("}");
}

void Objects::declare(Writer& out) const {
  for (const GroupId id : system_.groups.ids()) {
    const cml::ir::Group& source = system_.groups[id];
    switch (system_.objects[source.first].kind) {
      case ObjectKind::Lock:
        for (const std::string& name : groups_[id].names)
          out.line(fmt::format("Lock {}{};", name,
                               groups_[id].is_array ? fmt::format("[{}]", source.count) : ""));
        break;
      case ObjectKind::Channel:
        declare_channel(out, id);
        break;
      case ObjectKind::Condition:  // only a number of its own
      case ObjectKind::Life:       // refused
      case ObjectKind::Instance:
      case ObjectKind::History:
        break;
      case ObjectKind::Shared:
      case ObjectKind::Atomic:
      case ObjectKind::Semaphore:
        declare_words(out, id);
        break;
    }
  }
}

}  // namespace cml::ir::promela
