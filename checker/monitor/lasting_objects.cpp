#include "checker/monitor/lasting_objects.h"

#include <algorithm>

#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

/// Which objects some thread may change. Constant fields are assigned where the object is made.
IdVector<ir::ObjectId, bool> changed_objects(const ir::System& system) {
  IdVector<ir::ObjectId, bool> result(system.objects.size(), false);
  for (const ir::Thread& thread : system.threads)
    for (const ir::Instruction& instruction : thread.code.instructions)
      ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects effects) {
        if (ir::only_look(effects)) return;
        ir::for_each_object(place, [&](ir::ObjectId id) {
          result[id] = result[id] || !system.objects[id].is_constant;
        });
      });
  return result;
}

bool is_variable(const ir::Object& object) {
  return object.kind == ir::ObjectKind::Shared || object.kind == ir::ObjectKind::Atomic;
}

/// The object of a group that belongs to a place of its class, by its position among those of one.
ir::ObjectId at_place(const ir::System& system, ir::ObjectId of_place_0, std::uint32_t place) {
  const ir::Object& object = system.objects[of_place_0];
  const ir::Group& group = system.groups[object.group];
  return ir::ObjectId(of_place_0.index +
                      place * (group.count / system.classes[object.owner].places));
}

}  // namespace

LastingObjects::LastingObjects(const ir::System& system, const ir::Layout& layout)
    : system_(system), layout_(layout) {
  if (system.classes.empty()) return;
  const IdVector<ir::ObjectId, bool> changed = changed_objects(system);
  const auto follow = [&](std::optional<std::uint32_t> referrer, ir::ObjectId reference,
                          ir::ObjectId there, const std::string& name) {
    const ir::Object& object = system.objects[there];
    if (!is_variable(object) || changed[there] || object.words.size() != 1) return;
    const ir::WordType& type = object.words[0];
    if (type.kind == ir::WordType::Kind::Reference && type.of.valid() && object.initial[0] > 0)
      add(referrer, reference, static_cast<std::uint32_t>(object.initial[0]), name);
  };
  for (const ir::ObjectId id : system.objects.ids())
    if (!system.objects[id].owner.valid()) follow({}, id, id, system.objects[id].name);
  for (std::uint32_t number = 0; number < all_.size(); ++number) {
    const ir::Class& of = system.classes[all_[number].of];
    const std::string path = all_[number].name;
    const std::uint32_t place = all_[number].place;
    for (const ir::GroupId id : of.fields) {
      const ir::Group& group = system.groups[id];
      for (std::uint32_t i = 0; i < group.count / of.places; ++i) {
        const ir::ObjectId field(group.first.index + i);
        follow(number, field, at_place(system, field, place),
               path + system.objects[field].name.substr(of.name.size() + 2));  // without "#0"
      }
    }
  }
  places_.resize(all_.size());
}

// Of several paths to one object, the first.
void LastingObjects::add(std::optional<std::uint32_t> referrer, ir::ObjectId reference,
                         std::uint32_t place, const std::string& name) {
  const ir::ClassId of = system_.objects[reference].words[0].of;
  const bool is_known = std::any_of(all_.begin(), all_.end(), [&](const Known& known) {
    return known.of == of && known.place == place;
  });
  if (!is_known && all_.size() < kMost) all_.push_back({of, place, referrer, reference, name});
}

std::uint32_t LastingObjects::load(const std::uint8_t* state, const Known& known) const {
  const ir::ObjectId reference = known.referrer
                                     ? at_place(system_, known.reference, places_[*known.referrer])
                                     : known.reference;
  return static_cast<std::uint32_t>(layout_.object(reference).fields[0].load(state));
}

std::optional<std::uint32_t> LastingObjects::number(const std::uint8_t* state, ir::ClassId of,
                                                    std::uint32_t place) const {
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    places_[i] =
        CML_MUTATED("objects-stay-at-their-first-places", load(state, all_[i]), all_[i].place);
    if (all_[i].of == of && places_[i] == place) return i;
  }
  return std::nullopt;
}

}  // namespace cml::checker
