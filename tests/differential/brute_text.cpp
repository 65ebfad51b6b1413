#include "tests/differential/brute_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <vector>

#include "tests/brute/kinds.h"
#include "tests/differential/heap_names.h"

namespace cml::differential {
namespace {

using brute::Leaf;
using brute::Words;
using model::TypeId;

/// The scalar types of the words of a type.
void flatten(const model::Model& model, TypeId id, std::vector<TypeId>& out) {
  const model::Type& type = model.types[id];
  if (const auto* array = std::get_if<model::ArrayType>(&type)) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      flatten(model, array->element, out);
  } else if (const auto* st = std::get_if<model::StructType>(&type)) {
    for (const auto& field : model.structs[st->decl].fields)
      flatten(model, field.type, out);
  } else if (const auto* channel = std::get_if<model::ChannelType>(&type)) {
    flatten(model, channel->element, out);
  } else {
    out.push_back(id);
  }
}

/// What traces call the threads; a handle is 1 + number.
using Names = std::vector<std::string>;

std::string word_text(const model::Model& model, TypeId id, std::int32_t word,
                      const Names& threads) {
  const model::Type& type = model.types[id];
  if (std::holds_alternative<model::BoolType>(type)) return word != 0 ? "true" : "false";
  if (const auto* e = std::get_if<model::EnumType>(&type))
    return model.enums[e->decl].enumerators[static_cast<std::size_t>(word)];
  if (std::holds_alternative<model::SetType>(type))
    return fmt::format("{{{}}}", fmt::join(brute::elements(word), ", "));
  if (const auto* cls = std::get_if<model::ClassType>(&type))
    return word == 0 ? "null" : model.classes[cls->decl].name;
  if (std::holds_alternative<model::ThreadType>(type))
    return word == 0 ? "null" : threads.at(static_cast<std::size_t>(word) - 1);
  return std::to_string(word);
}

/// The types of the words of an element, from its `word`-th on.
std::vector<TypeId> types_of(const model::Model& model, const Leaf& leaf, std::uint32_t word) {
  TypeId type = model.objects[model::ObjectId(leaf.object)].type;
  while (const auto* array = std::get_if<model::ArrayType>(&model.types[type]))
    type = array->element;
  std::vector<TypeId> all;
  flatten(model, type, all);
  const model::ObjectKind kind = model.objects[model::ObjectId(leaf.object)].kind;
  const std::size_t first = kind == model::ObjectKind::Shared ? leaf.offset % all.size() : word;
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()};
}

/// The part of a value that consists of these words: ".g", and the whole is "".
std::string part_path(const model::Model& model, TypeId id, std::size_t word, std::size_t count) {
  std::vector<TypeId> all;
  flatten(model, id, all);
  if (word == 0 && count == all.size()) return "";
  const auto inside = [&](TypeId part, const std::string& path) -> std::optional<std::string> {
    std::vector<TypeId> words;
    flatten(model, part, words);
    if (word < words.size()) return path + part_path(model, part, word, count);
    word -= words.size();
    return std::nullopt;
  };
  if (const auto* st = std::get_if<model::StructType>(&model.types[id])) {
    for (const auto& field : model.structs[st->decl].fields)
      if (const auto path = inside(field.type, "." + field.name)) return *path;
  } else if (const auto* array = std::get_if<model::ArrayType>(&model.types[id])) {
    for (std::uint32_t i = 0; i < array->size; ++i)
      if (const auto path = inside(array->element, fmt::format("[{}]", i))) return *path;
  }
  return "";
}

std::string words_text(const model::Model& model, const std::vector<TypeId>& types,
                       const Words& words, const Names& threads) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i > 0 ? ", " : "") + word_text(model, types.at(i), words[i], threads);
  return words.size() == 1 ? text : "(" + text + ")";
}

bool is_assigned(const std::string& text, const std::string& value) {
  return text == value || text.ends_with(" = " + value);
}

/// "select: c.recv()", "select: x = c.recv()", "select: default".
bool is_called_case(const brute::World& world, const brute::Request& r, const std::string& text) {
  if (!text.starts_with("select: ")) return false;
  if (text == "select: default") return r.has_default;
  return std::any_of(r.cases.begin(), r.cases.end(), [&](const brute::SelectCase& one) {
    if (one.kind == model::Select::Kind::Await) return text == "select: await";
    return text.find(without_numbers(world.name(one.leaf)) + ".") != std::string::npos;
  });
}

}  // namespace

std::optional<std::string> answer_text(const model::Model& model, const brute::Request& r,
                                       const Words& answer,
                                       const std::vector<std::string>& threads) {
  using Kind = brute::Request::Kind;
  switch (r.kind) {
    case Kind::Read:
    case Kind::Receive:
      if (answer.empty()) return std::nullopt;  // of a channel without values
      return words_text(model, types_of(model, r.leaf, r.word), answer, threads);
    case Kind::Swap:
    case Kind::Add:
      return words_text(model, types_of(model, r.leaf, 0), answer, threads);
    case Kind::Cas:
    case Kind::TryAcquire:
    case Kind::TimeOut:
    case Kind::Held:
    case Kind::TryDown:
    case Kind::TrySend:
      return answer.at(0) != 0 ? "true" : "false";
    case Kind::TryReceive:
    case Kind::ReceiveInto:
    case Kind::Closed:
      return answer.at(0) == 0 ? "false" : "true";
    case Kind::Size:
      return std::to_string(answer.at(0));
    default:
      return std::nullopt;
  }
}

bool is_called(const model::Model& model, const brute::World& world, const brute::Request& r,
               const std::vector<std::string>& threads, const std::string& text) {
  using Kind = brute::Request::Kind;
  const auto values = [&](const Words& words) {
    return words_text(model, types_of(model, r.leaf, r.word), words, threads);
  };
  const auto part = [&](std::size_t from, std::size_t to) {
    return values(Words(r.values.begin() + static_cast<std::ptrdiff_t>(from),
                        r.values.begin() + static_cast<std::ptrdiff_t>(to)));
  };
  std::string name =
      r.kind < Kind::Choose ? world.name(r.leaf) : std::string();  // the others have no object
  const bool is_variable = r.kind == Kind::Read || r.kind == Kind::Write || r.kind == Kind::Cas ||
                           r.kind == Kind::Swap || r.kind == Kind::Add;
  if (is_variable &&
      model.objects[model::ObjectId(r.leaf.object)].kind == model::ObjectKind::Atomic) {
    TypeId type = model.objects[model::ObjectId(r.leaf.object)].type;
    while (const auto* array = std::get_if<model::ArrayType>(&model.types[type]))
      type = array->element;
    const bool is_read = r.kind == Kind::Read || r.kind == Kind::Cas;
    name += part_path(model, type, r.word, is_read ? r.words : r.values.size());
  }
  switch (r.kind) {
    case Kind::Read:
      return text == name || text.ends_with(" = " + name);
    case Kind::Write:
      return text == name + " = " + values(r.values);
    case Kind::Cas:
      return text ==
             fmt::format("{}.cas({}, {})", name, part(0, r.words), part(r.words, r.values.size()));
    case Kind::Swap:
      return text == fmt::format("{}.swap({})", name, values(r.values));
    case Kind::Add:
      return text == fmt::format("{}.add({})", name, r.values.at(0));
    case Kind::Acquire:
      return text == name + ".acquire()";
    case Kind::TryAcquire:
      return text == name + ".tryAcquire()";
    case Kind::Release:
      return text == name + ".release()";
    case Kind::Wait:
      if (r.is_timed) return text == name + ".waitTimed()";
      return text == name + ".wait()" || text.starts_with(name + ".wait() until ");
    case Kind::TimeOut:
      return text == name + ".waitTimed(), notified" || text == name + ".waitTimed(), time is up";
    case Kind::Rewait:
      return text == name + (r.is_timed ? ".waitTimed(), takes the lock" : ".wait(), woken");
    case Kind::AcquireRead:
      return text == name + ".acquireRead()";
    case Kind::ReleaseRead:
      return text == name + ".releaseRead()";
    case Kind::TryRead:
      return text == name + ".tryRead()";
    case Kind::Announce:
      return text == name + ".acquireWrite(), announced";
    case Kind::AcquireWrite:
      return text == name + ".acquireWrite()";
    case Kind::ReleaseWrite:
      return text == name + ".releaseWrite()";
    case Kind::TryWrite:
      return text == name + ".tryWrite()";
    case Kind::Notify:
      return text == name + ".notify()";
    case Kind::NotifyAll:
      return text == name + ".notifyAll()";
    case Kind::Held:
      return text == name + ".held";
    case Kind::Owner:
      return false;  // no thread asks
    case Kind::Up:
      return text == name + ".up()";
    case Kind::Down:
      return text == name + ".down()";
    case Kind::TryDown:
      return text == name + ".tryDown()";
    case Kind::Send:
      return text == fmt::format("{}.send({})", name, r.values.empty() ? "" : values(r.values));
    case Kind::TrySend:
      return text == fmt::format("{}.trySend({})", name, r.values.empty() ? "" : values(r.values));
    case Kind::Receive:
      return is_assigned(text, name + ".recv()");
    case Kind::ReceiveInto:
      return text == name + ".recv()";
    case Kind::TryReceive:
      return text == name + ".tryRecv()";
    case Kind::Close:
      return text == name + ".close()";
    case Kind::Closed:
      return text == name + ".closed";
    case Kind::Size:
      return text == name + ".size";
    case Kind::Choose:
      if (!r.values.empty())
        return text == fmt::format("choose({{{}}})", fmt::join(r.values, ", "));
      return text == fmt::format("choose({}..{})", r.lo, r.hi);
    case Kind::Either:
      return text.starts_with("either: branch ") &&
             text.ends_with(fmt::format(" of {}", r.hi - r.lo + 1));
    case Kind::Invoke:
    case Kind::Method: {
      const std::string& method = model.functions[model::FunctionId(r.word)].name;
      return text.find(method.substr(method.rfind('.') + 1) + "(") != std::string::npos;
    }
    case Kind::Select:
      return is_called_case(world, r, text);
    case Kind::Spawn:
      return text.find("spawn ") != std::string::npos;
    case Kind::Begin:
      return text == "begin";
    case Kind::Finish:
      return text == "end";
    case Kind::Join:
      return text.starts_with("join ");
    case Kind::Await:
    case Kind::Atomic:
      return true;  // a line of the source: its place is looked at
  }
  return false;
}

std::map<std::string, std::string> object_paths(const model::Model& model,
                                                const brute::World& world) {
  constexpr std::size_t kShort = 3;
  struct Found {
    std::string path;
    std::int32_t object = 0;
    std::size_t names = 0;
  };
  std::map<std::string, std::string> result;
  std::vector<Found> queue{{"", 0, 0}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Found from = queue[i];
    if (from.names == kShort) continue;
    for (const auto& [leaf, words] : world.variables) {
      if (leaf.heap != from.object) continue;
      const std::vector<TypeId> types = types_of(model, leaf, 0);
      std::string name = world.name(leaf);
      if (leaf.heap != 0) name = name.substr(name.find('.'));
      for (std::size_t word = 0; word < words.size(); ++word) {
        // The object of an atomic class has arrays as a whole.
        const std::size_t in_element = word % types.size();
        const auto* cls = std::get_if<model::ClassType>(&model.types[types[in_element]]);
        if (cls == nullptr || words[word] == 0) continue;
        TypeId whole = model.objects[model::ObjectId(leaf.object)].type;
        while (const auto* array = std::get_if<model::ArrayType>(&model.types[whole]))
          whole = array->element;
        std::string path = from.path + name;
        if (words.size() > types.size()) path += fmt::format("[{}]", word / types.size());
        if (types.size() > 1) path += part_path(model, whole, in_element, 1);
        result[path] = model.classes[cls->decl].name;
        queue.push_back({path, words[word], from.names + 1});
      }
    }
  }
  return result;
}

std::string with_classes(const std::string& text, const std::map<std::string, std::string>& paths,
                         bool is_object) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' ||
           c == ']' || c == '#';
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end]))
      ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    // "[list.head]" is a list of one.
    std::size_t begin = at;
    while (begin < end && text[begin] == '[')
      out += text[begin++];
    const std::string token = text.substr(begin, end - begin);
    const std::string* longest = nullptr;
    const std::string* cls = nullptr;
    for (const auto& [path, name] : paths) {
      const bool is_whole = is_object && (token == path || token == path + "]");
      const bool is_head = token.starts_with(path + ".");
      if ((!is_whole && !is_head) || (longest != nullptr && longest->size() > path.size()))
        continue;
      longest = &path;
      cls = &name;
    }
    out += longest == nullptr ? token : *cls + token.substr(longest->size());
    at = end;
  }
  return without_numbers(out);
}

std::map<std::string, std::string> object_texts(const model::Model& model,
                                                const brute::World& world,
                                                const std::vector<std::string>& threads) {
  std::map<std::string, std::string> out;
  for (const auto& [leaf, words] : world.variables)
    if (leaf.heap == 0)
      out[world.name(leaf)] = words_text(model, types_of(model, leaf, 0), words, threads);
  for (const auto& [leaf, value] : world.semaphores)
    if (leaf.heap == 0) out[world.name(leaf)] = std::to_string(value);
  for (const auto& [leaf, lock] : world.locks) {
    if (leaf.heap != 0 || leaf.offset >= brute::kReaders) continue;
    std::string text = "free";
    if (lock.owner >= 0) text = threads.at(static_cast<std::size_t>(lock.owner));
    if (lock.depth > 1) text += fmt::format(" ({} deep)", lock.depth);
    out[world.name(leaf)] = text;
  }
  for (const auto& [leaf, channel] : world.channels) {
    if (leaf.heap != 0) continue;
    std::string text;
    for (const Words& words : channel.values)
      text +=
          (text.empty() ? "" : ", ") + words_text(model, types_of(model, leaf, 0), words, threads);
    out[world.name(leaf)] = "[" + text + (channel.is_closed ? "] closed" : "]");
  }
  return out;
}

}  // namespace cml::differential
