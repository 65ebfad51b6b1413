// Objects of the world that are made while it runs, or with it.
#include "tests/brute/world.h"

namespace cml::brute {

std::int32_t World::allocate(int thread, model::ClassId cls, bool unshared) {
  const std::int32_t reference = ++allocated_;
  HeapObject& object = heap[reference];
  object.cls = cls;
  object.unshared = unshared;
  if (thread >= 0) {
    object.user = thread;
    object.window = thread;
  }
  locks[{kMonitor, 0, 0, reference}];
  for (const model::ObjectId field : model_->classes[cls].fields) {
    create(field, 0, reference);
    if (const auto& guard = model_->objects[field].guarded_by)
      for (std::uint32_t i = 0; i < kinds().size(model_->objects[field].type); ++i)
        guards[{field.index, 0, i, reference}] = guard_of(*guard, reference);
    if (const auto& of = model_->objects[field].of)
      for (std::uint32_t i = 0; i < kinds().size(model_->objects[field].type); ++i)
        condition_locks[{field.index, 0, i, reference}] = guard_of(*of, reference);
  }
  return reference;
}

/// `this`, or a lock field of the same object.
Leaf World::guard_of(model::ExprId id, std::int32_t reference) const {
  const model::Expr& expr = model_->exprs[id];
  if (std::holds_alternative<model::MonitorRef>(expr.node)) return {kMonitor, 0, 0, reference};
  if (const auto* field = std::get_if<model::FieldRef>(&expr.node))
    return {field->field.index, 0, 0, reference};
  const auto* element = std::get_if<model::Index>(&expr.node);
  const auto* index = element == nullptr
                          ? nullptr
                          : std::get_if<model::IntLiteral>(&model_->exprs[element->index].node);
  if (index == nullptr) throw Unsupported{};
  Leaf leaf = guard_of(element->base, reference);
  leaf.offset += static_cast<std::uint32_t>(index->value) * kinds().size(expr.type);
  return leaf;
}

void World::create(model::ObjectId id, std::int32_t process, std::int32_t reference) {
  const model::Object& object = model_->objects[id];
  Leaf leaf{id.index, process, 0, reference};
  if (object.kind == model::ObjectKind::Var) {  // one object, whatever its type
    variables[leaf] = default_value(*model_, object.type);
    return;
  }
  model::TypeId element = object.type;
  while (const auto* array = std::get_if<model::ArrayType>(&model_->types[element]))
    element = array->element;
  const std::uint32_t end = kinds().size(object.type);
  const bool is_parted = object.kind == model::ObjectKind::Shared;
  const Words value = default_value(*model_, object.type);
  const std::uint32_t step = is_parted ? 1 : kinds().size(element);
  for (; leaf.offset < end; leaf.offset += step) {
    switch (object.kind) {
      case model::ObjectKind::Lock:
      case model::ObjectKind::Mutex:
      case model::ObjectKind::RwLock:
        locks[leaf];
        break;
      case model::ObjectKind::Condition:
        break;
      case model::ObjectKind::Semaphore:
        semaphores[leaf] = 0;
        break;
      case model::ObjectKind::Channel:
        channels[leaf];
        break;
      default:
        variables[leaf] = Words(value.begin() + leaf.offset, value.begin() + leaf.offset + step);
        break;
    }
  }
}

void World::touch(int thread, std::int32_t reference) {
  if (reference == 0 || thread < 0) return;
  HeapObject& object = heap.at(reference);
  if (!object.unshared) return;
  if (object.user == -1) object.user = thread;
  if (object.user != thread) throw Stop{"unshared", 0, model_->classes[object.cls].name};
}

WordKind World::kind_of_word(const Leaf& leaf, std::size_t word) const {
  model::TypeId type = model_->objects[model::ObjectId(leaf.object)].type;
  if (kind(leaf) != model::ObjectKind::Channel) return kinds().of(type)[leaf.offset + word];
  while (const auto* array = std::get_if<model::ArrayType>(&model_->types[type]))
    type = array->element;
  return kinds().of(std::get<model::ChannelType>(model_->types[type]).element)[word];
}

}  // namespace cml::brute
