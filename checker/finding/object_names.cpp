// Paths of at most three names.
#include "checker/finding/object_names.h"

#include <algorithm>
#include <fmt/format.h>

#include "ir/value_text.h"

namespace cml::checker {
namespace {

constexpr std::size_t kShort = 3;        // names in a path
constexpr std::size_t kMostPaths = 500;  // that are followed along a trace

}  // namespace

ObjectNames::ObjectNames(const ir::System& system, const ir::Layout& layout)
    : system_(system), layout_(layout) {
  if (is_empty()) return;
  for (const ir::ObjectId id : system.objects.ids())
    add_reference(id);
}

void ObjectNames::add_reference(ir::ObjectId id) {
  const ir::Object& object = system_.objects[id];
  const bool is_variable =
      object.kind == ir::ObjectKind::Shared || object.kind == ir::ObjectKind::Atomic;
  if (!is_variable || (object.owner.valid() && object.position == 0)) return;
  std::string name = object.name;
  if (object.owner.valid()) {
    const std::string prefix =
        fmt::format("{}#{}", system_.classes[object.owner].name, object.position);
    name = name.substr(std::min(prefix.size(), name.size()));
  }
  for (std::size_t word = 0; word < object.words.size(); ++word) {
    const ir::WordType& type = object.words[word];
    if (type.kind != ir::WordType::Kind::Reference || !type.of.valid()) continue;
    Reference reference{id, word, type.of, name};
    reference.text += ir::part_of_pattern(pattern_of(system_, object), word, 1).path;
    if (object.owner.valid())
      fields_[{object.owner, object.position}].push_back(std::move(reference));
    else
      roots_.push_back(std::move(reference));
  }
}

const std::vector<ObjectNames::Reference>& ObjectNames::references(HeapPlace object) const {
  static const std::vector<Reference> kNone;
  const auto found = fields_.find(object);
  return found == fields_.end() ? kNone : found->second;
}

std::uint32_t ObjectNames::load(const std::uint8_t* state, const Reference& from) const {
  return static_cast<std::uint32_t>(layout_.object(from.object).fields[from.word].load(state));
}

std::vector<ObjectNames::Path> ObjectNames::all_paths(const std::uint8_t* state) const {
  std::vector<Path> result;
  const auto add = [&](const Path* before, const Reference& hop) {
    const std::uint32_t place = load(state, hop);
    if (place == 0 || result.size() == kMostPaths) return;
    Path path;
    if (before != nullptr) path = *before;
    path.text += hop.text;
    path.hops.emplace_back(&hop, HeapPlace{hop.to, place});
    result.push_back(std::move(path));
  };
  for (const Reference& root : roots_)
    add(nullptr, root);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].hops.size() == kShort) continue;
    for (const Reference& field : references(result[i].hops.back().second)) {
      const Path before = result[i];
      add(&before, field);
    }
  }
  return result;
}

std::map<HeapPlace, std::string> ObjectNames::paths(const std::uint8_t* state) const {
  std::map<HeapPlace, std::string> result;
  for (const Path& path : all_paths(state))
    result.emplace(path.hops.back().second, path.text);
  return result;
}

void ObjectNames::survey(const std::uint8_t* state, const ir::Record* record) {
  if (record == nullptr) {
    candidates_ = all_paths(state);
    return;
  }
  std::set<HeapPlace> made;
  for (const ir::Touch& touch : record->touches) {
    const ir::Object& object = system_.objects[touch.object];
    if (touch.effect == ir::Effect::New) made.insert({object.owner, object.position});
  }
  for (Path& path : candidates_)
    for (const auto& [hop, to] : path.hops)
      path.stays = path.stays && load(state, *hop) == to.place && !made.contains(to);
}

std::set<HeapPlace> ObjectNames::reached(const std::uint8_t* state) const {
  std::set<HeapPlace> result;
  std::vector<HeapPlace> queue;
  const auto add = [&](const Reference& hop) {
    const HeapPlace to{hop.to, load(state, hop)};
    if (to.place != 0 && result.insert(to).second) queue.push_back(to);
  };
  for (const Reference& root : roots_)
    add(root);
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const Reference& field : references(queue[i]))
      add(field);
  return result;
}

void ObjectNames::begin(const std::uint8_t* state) {
  names_.clear();
  numbers_.clear();
  std::set<std::string> taken;
  for (const Path& path : candidates_)
    if (path.stays && taken.insert(path.text).second)
      names_.emplace(path.hops.back().second, path.text);
  for (const HeapPlace& object : reached(state))  // the others, in the order of their places
    if (!names_.contains(object))
      names_[object] = fmt::format("{}#{}", system_.classes[object.of].name, ++numbers_[object.of]);
}

void ObjectNames::step(const ir::Record& record) {
  for (const ir::Touch& touch : record.touches) {
    if (touch.effect != ir::Effect::New) continue;
    const ir::Object& object = system_.objects[touch.object];
    names_[{object.owner, object.position}] =
        fmt::format("{}#{}", system_.classes[object.owner].name, ++numbers_[object.owner]);
  }
}

std::string ObjectNames::name(HeapPlace object) const {
  const auto found = names_.find(object);
  if (found != names_.end()) return found->second;
  return fmt::format("{}#{}", system_.classes[object.of].name, object.place);
}

std::string ObjectNames::name(ir::ObjectId id) const {
  const ir::Object& object = system_.objects[id];
  if (!object.owner.valid() || object.position == 0) return object.name;
  const std::string prefix =
      fmt::format("{}#{}", system_.classes[object.owner].name, object.position);
  if (!object.name.starts_with(prefix)) return object.name;
  return name(HeapPlace{object.owner, object.position}) + object.name.substr(prefix.size());
}

}  // namespace cml::checker
