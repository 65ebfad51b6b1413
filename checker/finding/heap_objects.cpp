// Fields are the objects of a place.
#include "checker/finding/heap_objects.h"

#include <algorithm>
#include <string>

#include "checker/finding/values.h"

namespace cml::checker {
namespace {

constexpr std::size_t kMostObjects = 8;

void add(HeapPlace object, std::vector<HeapPlace>& objects) {
  const bool is_known = std::find(objects.begin(), objects.end(), object) != objects.end();
  if (object.place != 0 && !is_known) objects.push_back(object);
}

}  // namespace

void add_owner(const ir::System& system, ir::ObjectId id, std::vector<HeapPlace>& objects) {
  if (!id.valid() || !system.objects[id].owner.valid()) return;
  add({system.objects[id].owner, system.objects[id].position}, objects);
}

void add_referred(const TextContext& context, const std::uint8_t* state, ir::ThreadId thread,
                  std::vector<HeapPlace>& objects) {
  const std::vector<ir::SlotInfo>& slots = context.system.threads[thread].code.slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ir::WordType& type = slots[i].type;
    if (type.kind != ir::WordType::Kind::Reference || !type.of.valid()) continue;
    const std::int32_t place = context.layout.thread(thread).slots[i].load(state);
    add({type.of, static_cast<std::uint32_t>(place)}, objects);
  }
}

std::vector<HeapObject> heap_objects(const TextContext& context, const std::uint8_t* state,
                                     std::vector<HeapPlace> concerned) {
  if (concerned.empty()) return {};
  for (std::size_t i = 0; i < concerned.size() && concerned.size() < kMostObjects; ++i)
    for (const ObjectNames::Reference& field : context.names.references(concerned[i]))
      if (concerned.size() < kMostObjects)
        add({field.to, context.names.load(state, field)}, concerned);
  if (concerned.size() > kMostObjects) concerned.resize(kMostObjects);
  const std::map<HeapPlace, std::string> paths = context.names.paths(state);
  std::vector<HeapObject> result;
  for (const HeapPlace& object : concerned) {
    HeapObject one;
    one.name = context.names.name(object);
    one.of = context.system.classes[object.of].name;
    const auto path = paths.find(object);
    if (path != paths.end() && path->second != one.name) one.path = path->second;
    for (const ir::ObjectId id : context.system.objects.ids()) {
      const ir::Object& field = context.system.objects[id];
      const bool is_of_it = field.owner == object.of && field.position == object.place;
      const bool is_value =
          field.kind != ir::ObjectKind::Instance && field.kind != ir::ObjectKind::History;
      if (!is_of_it || !is_value) continue;
      const std::string name = context.name(id);
      const bool is_monitor = name == one.name;
      one.fields.push_back({is_monitor ? "monitor" : name.substr(one.name.size() + 1),
                            object_value(context, state, id)});
    }
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace cml::checker
