// Groups, leaf objects and their initial values.
#include "ir/lower/objects.h"

#include <fmt/format.h>
#include <utility>

#include "frontend/walk.h"

namespace cml::ir::lowering {
namespace {

ObjectKind kind_of(model::ObjectKind kind) {
  switch (kind) {
    case model::ObjectKind::Lock:
    case model::ObjectKind::Mutex:
    case model::ObjectKind::RwLock:
      return ObjectKind::Lock;
    case model::ObjectKind::Condition:
      return ObjectKind::Condition;
    case model::ObjectKind::Semaphore:
      return ObjectKind::Semaphore;
    case model::ObjectKind::Channel:
      return ObjectKind::Channel;
    case model::ObjectKind::Atomic:
      return ObjectKind::Atomic;
    case model::ObjectKind::Var:  // of an atomic class: each method is one operation
      return ObjectKind::Atomic;
    default:
      return ObjectKind::Shared;
  }
}
ObjectKind kind_of(const model::Object& object) {
  return object.is_const ? ObjectKind::Shared : kind_of(object.kind);
}

bool allocates(const model::Model& model, model::ExprId id) {
  const model::Expr& expr = model.exprs[id];
  bool result = std::holds_alternative<model::New>(expr.node);
  model::for_each_operand(
      expr, [&](model::ExprId operand) { result = result || allocates(model, operand); });
  return result;
}

/// Whether code takes the monitors of its objects.
bool has_monitor(const model::Model& model, model::ClassId id) {
  for (const model::FunctionId method : model.classes[id].methods)
    if (model.functions[method].is_synchronized) return true;
  for (const model::Expr& expr : model.exprs) {
    const auto* monitor = std::get_if<model::MonitorRef>(&expr.node);
    if (monitor == nullptr) continue;
    const auto* type = std::get_if<model::ClassType>(&model.type_of(monitor->object));
    if (type != nullptr && type->decl == id) return true;
  }
  return false;
}

void set_lock(Object& prototype, model::ObjectKind kind) {
  prototype.is_read_write = kind == model::ObjectKind::RwLock;
  prototype.is_mutex = prototype.is_read_write || kind == model::ObjectKind::Mutex;
}

/// An object in which a value of this type is one: what is below is words of it.
bool is_unit(const model::Type& type, ObjectKind kind) {
  if (std::holds_alternative<model::ArrayType>(type)) return false;
  return kind != ObjectKind::Shared || !std::holds_alternative<model::StructType>(type);
}

}  // namespace

std::vector<std::optional<std::int32_t>> process_instances(
    const model::Model& model, std::optional<model::ProcessId> process) {
  std::vector<std::optional<std::int32_t>> instances;
  if (!process || !model.processes[*process].index) {
    instances.emplace_back();
    return instances;
  }
  const model::IndexRange& range = *model.processes[*process].index;
  for (std::int64_t index = range.lo; index <= range.hi; ++index)
    instances.emplace_back(static_cast<std::int32_t>(index));
  return instances;
}

std::string process_prefix(const model::Model& model, std::optional<model::ProcessId> process,
                           std::optional<std::int32_t> index) {
  if (!process) return "";
  const std::string& name = model.processes[*process].name;
  return index ? fmt::format("{}[{}].", name, *index) : name + ".";
}

std::uint64_t ObjectTable::units(ObjectKind kind, model::TypeId type) const {
  if (kind == ObjectKind::Shared) return context_.word_count(type);
  std::uint64_t count = 1;
  const auto* array = std::get_if<model::ArrayType>(&context_.model.types[type]);
  while (array != nullptr && count <= kMaxObjects) {
    count *= array->size;
    array = std::get_if<model::ArrayType>(&context_.model.types[array->element]);
  }
  return count;
}

void ObjectTable::declare_all() {
  declared_.resize(context_.model.objects.size());
  is_allocated_.resize(context_.model.objects.size());
  for (const model::ObjectId id : context_.model.objects.ids())
    if (const auto& initial = context_.model.objects[id].initial)
      is_allocated_[id] = allocates(context_.model, *initial);
  for (const model::ObjectId id : context_.model.objects.ids())
    if (!context_.model.objects[id].owner && !context_.failed()) declare(id);
  for (const model::ClassId id : context_.model.classes.ids())
    if (!context_.failed()) declare_class(id);
  for (const model::ObjectId id : context_.model.objects.ids())
    if (context_.model.objects[id].of && !context_.failed()) bind_condition(id);
}

void ObjectTable::declare_class(model::ClassId id) {
  const model::Class& from = context_.model.classes[id];
  const ClassId of = context_.system.classes.next_id();
  Class decl;
  decl.name = from.name;
  decl.range = from.range;
  decl.places = context_.places[id];
  for (const model::Expr& expr : context_.model.exprs) {
    const auto* made = std::get_if<model::New>(&expr.node);
    decl.is_claimed = decl.is_claimed || (made != nullptr && made->decl == id && made->unshared);
  }
  const GroupId instances = declare_places(of, decl, ObjectKind::Instance, from.name);
  decl.first = context_.system.groups[instances].first;
  if (has_monitor(context_.model, id)) {
    decl.monitor = declare_places(of, decl, ObjectKind::Lock, from.name);
    decl.fields.push_back(*decl.monitor);
  }
  for (const model::ObjectId field : from.fields)
    if (!context_.failed()) declare_field(id, field, decl);
  for (const model::Implementation& property : context_.model.implementations) {
    if (property.of != id) continue;
    const GroupId histories =
        declare_places(of, decl, ObjectKind::History, from.name + "." + property.name);
    decl.fields.push_back(histories);
    context_.histories.emplace(id, context_.system.groups[histories].first);
  }
  context_.system.classes.push(std::move(decl));
}

GroupId ObjectTable::declare_places(ClassId of, const Class& decl, ObjectKind kind,
                                    const std::string& name) {
  Group group;
  group.name = name;
  group.range = decl.range;
  group.first = context_.system.objects.next_id();
  group.count = decl.places;
  group.dimensions.push_back(decl.places);
  const GroupId id = context_.system.groups.push(std::move(group));
  for (std::uint32_t place = 0; place < decl.places; ++place) {
    Object object;
    object.kind = kind;
    object.name = fmt::format("{}#{}", name, place);
    object.group = id;
    object.owner = of;
    object.position = place;
    const bool has_word =
        kind == ObjectKind::History || (kind == ObjectKind::Instance && decl.is_claimed);
    if (has_word) object.initial.push_back(0);
    context_.system.objects.push(std::move(object));
  }
  return id;
}

void ObjectTable::declare_field(model::ClassId of, model::ObjectId id, Class& to) {
  const model::Object& decl = context_.model.objects[id];
  DeclaredObject& declared = declared_[id];
  declared.kind = kind_of(decl);
  declared.first = context_.system.objects.next_id();
  declared.instances = to.places;
  const std::uint64_t units_each = units(declared.kind, decl.type);
  if (context_.system.objects.size() + units_each * to.places > kMaxObjects) {
    context_.unsupported(fmt::format("more than {} objects cannot be run", kMaxObjects),
                         decl.range);
    return;
  }
  declared.units = static_cast<std::uint32_t>(units_each);
  Group group;
  group.name = to.name + "." + decl.name;
  group.range = decl.range;
  group.first = declared.first;
  group.count = declared.units * to.places;
  group.dimensions.push_back(to.places);
  set_values(group, declared.kind, decl.type);
  Object prototype;
  prototype.kind = declared.kind;
  prototype.group = context_.system.groups.next_id();
  prototype.capacity = static_cast<std::uint32_t>(decl.capacity);
  prototype.max = decl.max;
  set_lock(prototype, decl.kind);
  prototype.is_constant = decl.is_const;
  prototype.owner = ClassId(of.index);
  to.fields.push_back(context_.system.groups.push(std::move(group)));
  const std::optional<model::Value> value = initial_value(id, decl, {});
  for (std::uint32_t place = 0; place < to.places && !context_.failed(); ++place) {
    prototype.position = place;
    add_leaves(decl, prototype, decl.type, fmt::format("{}#{}.{}", to.name, place, decl.name),
               value ? &*value : nullptr);
  }
  if (decl.kind == model::ObjectKind::RwLock && !context_.failed()) add_read_write(id, &to);
}

void ObjectTable::set_values(Group& group, ObjectKind kind, model::TypeId type) {
  while (const auto* array = std::get_if<model::ArrayType>(&context_.model.types[type])) {
    group.dimensions.push_back(array->size);
    type = array->element;
  }
  const auto* channel = std::get_if<model::ChannelType>(&context_.model.types[type]);
  if (channel != nullptr) type = channel->element;
  if (channel == nullptr && kind != ObjectKind::Atomic) return;
  const std::string& pattern = context_.pattern(type);
  if (pattern != "#") group.pattern = pattern;
}

void ObjectTable::declare(model::ObjectId id) {
  const model::Object& decl = context_.model.objects[id];
  const auto instances = process_instances(context_.model, decl.process);
  DeclaredObject& declared = declared_[id];
  declared.kind = kind_of(decl.kind);
  declared.first = context_.system.objects.next_id();
  declared.instances = static_cast<std::uint32_t>(instances.size());
  const std::uint64_t units_each = units(declared.kind, decl.type);
  if (context_.system.objects.size() + units_each * instances.size() > kMaxObjects) {
    context_.unsupported(fmt::format("more than {} objects cannot be run", kMaxObjects),
                         decl.range);
    return;
  }
  declared.units = static_cast<std::uint32_t>(units_each);
  for (const std::optional<std::int32_t>& index : instances) {
    Group group;
    group.name = process_prefix(context_.model, decl.process, index) + decl.name;
    group.range = decl.range;
    group.first = context_.system.objects.next_id();
    group.count = declared.units;
    set_values(group, declared.kind, decl.type);
    Object prototype;
    prototype.kind = declared.kind;
    prototype.group = context_.system.groups.next_id();
    prototype.capacity = static_cast<std::uint32_t>(decl.capacity);
    prototype.max = decl.max;
    set_lock(prototype, decl.kind);
    const std::string name = group.name;
    context_.system.groups.push(std::move(group));
    model::IndexEnvironment indices;
    indices.process = index;
    const std::optional<model::Value> value = initial_value(id, decl, indices);
    add_leaves(decl, prototype, decl.type, name, value ? &*value : nullptr);
    if (context_.failed()) return;
  }
  if (decl.kind == model::ObjectKind::RwLock) add_read_write(id, nullptr);
}

std::optional<model::Value> ObjectTable::initial_value(model::ObjectId id,
                                                       const model::Object& decl,
                                                       const model::IndexEnvironment& indices) {
  if (!decl.initial || is_allocated_[id]) return std::nullopt;
  auto value = model::evaluate(context_.model, *decl.initial, indices);
  if (!value) {
    context_.unsupported(fmt::format("the initial value of `{}` cannot be computed: {}", decl.name,
                                     value.error().message),
                         value.error().where);
    return std::nullopt;
  }
  return *value;
}

void ObjectTable::add_leaves(const model::Object& decl, const Object& prototype, model::TypeId type,
                             const std::string& name, const model::Value* value) {
  if (context_.failed()) return;
  const model::Type& t = context_.model.types[type];
  if (!is_unit(t, prototype.kind)) {
    // An array without an array of values gives the one value to each element.
    const auto part_of = [&](std::size_t k) -> const model::Value* {
      const bool has_parts = value != nullptr && (value->kind == model::Value::Kind::Array ||
                                                  value->kind == model::Value::Kind::Struct);
      return has_parts && k < value->parts.size() ? &value->parts[k] : nullptr;
    };
    if (const auto* array = std::get_if<model::ArrayType>(&t)) {
      const bool each = value != nullptr && value->kind == model::Value::Kind::Array;
      for (std::uint32_t k = 0; k < array->size; ++k)
        add_leaves(decl, prototype, array->element, fmt::format("{}[{}]", name, k),
                   each ? part_of(k) : value);
    } else if (const auto* record = std::get_if<model::StructType>(&t)) {
      const model::Struct& fields = context_.model.structs[record->decl];
      for (std::size_t k = 0; k < fields.fields.size(); ++k)
        add_leaves(decl, prototype, fields.fields[k].type,
                   fmt::format("{}.{}", name, fields.fields[k].name), part_of(k));
    }
    return;
  }
  Object object = prototype;
  object.name = name;
  if (object.kind == ObjectKind::Shared || object.kind == ObjectKind::Atomic)
    object.words = context_.words(type, decl.range);
  if (const auto* channel = std::get_if<model::ChannelType>(&t))
    object.words = context_.words(channel->element, decl.range);
  if (const auto* channel = std::get_if<model::ChannelType>(&t);
      channel != nullptr && !object.words.empty()) {
    append_words(model::default_value(context_.model, channel->element), object.initial);
    object.initial.resize(object.words.size());
    for (std::size_t k = 0; k < object.words.size(); ++k)  // where the type has no default
      object.initial[k] = std::clamp(object.initial[k], object.words[k].lo,
                                     std::max(object.words[k].lo, object.words[k].hi));
  }
  for (WordType& word : object.words)  // before a constructor assigns it, and where nothing is sent
    if (word.kind == WordType::Kind::Reference) word.lo = 0;
  if (object.kind == ObjectKind::Semaphore) {
    object.initial.push_back(value != nullptr ? value->scalar : 0);
  } else if (object.kind == ObjectKind::Shared || object.kind == ObjectKind::Atomic) {
    append_words(value != nullptr ? *value : model::default_value(context_.model, type),
                 object.initial);
    object.initial.resize(object.words.size());
    for (std::size_t k = 0; k < object.words.size(); ++k) {
      if (object.words[k].wraps)
        object.initial[k] = model::wrapped(object.initial[k], object.words[k].hi);
      if (object.initial[k] < object.words[k].lo || object.initial[k] > object.words[k].hi)
        context_.unsupported(
            fmt::format("the initial value {} of `{}` is outside {}..{}", object.initial[k], name,
                        object.words[k].lo, object.words[k].hi),
            decl.range);
    }
  }
  context_.system.objects.push(std::move(object));
}

std::optional<ObjectId> ObjectTable::constant_place(model::ExprId place,
                                                    const model::IndexEnvironment& indices) {
  const model::Expr& expr = context_.model.exprs[place];
  if (const auto* index = std::get_if<model::Index>(&expr.node)) {
    const std::optional<ObjectId> base = constant_place(index->base, indices);
    const auto value = model::evaluate_constant(context_.model, index->index, indices);
    const auto* type = std::get_if<model::ArrayType>(&context_.model.type_of(index->base));
    if (!base || !value || type == nullptr || value->scalar < 0 ||
        static_cast<std::uint32_t>(value->scalar) >= type->size)
      return std::nullopt;
    const auto stride = static_cast<std::uint32_t>(units(ObjectKind::Lock, type->element));
    return ObjectId(base->index + static_cast<std::uint32_t>(value->scalar) * stride);
  }
  if (const auto* field = std::get_if<model::FieldRef>(&expr.node))  // of place 0
    return declared_[field->field].first;
  if (const auto* monitor = std::get_if<model::MonitorRef>(&expr.node)) {
    const auto* type = std::get_if<model::ClassType>(&context_.model.type_of(monitor->object));
    if (type == nullptr) return std::nullopt;
    const auto& group = context_.system.classes[ClassId(type->decl.index)].monitor;
    return group ? std::optional(context_.system.groups[*group].first) : std::nullopt;
  }
  const auto* object = std::get_if<model::ObjectRef>(&expr.node);
  if (object == nullptr) return std::nullopt;
  const model::Object& decl = context_.model.objects[object->object];
  const DeclaredObject& declared = declared_[object->object];
  std::uint32_t position = 0;
  if (decl.process && context_.model.processes[*decl.process].index) {
    const std::int32_t lo = context_.model.processes[*decl.process].index->lo;
    std::optional<std::int32_t> process = indices.process;
    if (object->process_index)
      if (const auto value =
              model::evaluate_constant(context_.model, *object->process_index, indices))
        process = value->scalar;
    position = static_cast<std::uint32_t>(process.value_or(lo) - lo);
  }
  return ObjectId(declared.first.index + position * declared.units);
}

// A lock of the same object, or one that all have in common.
void ObjectTable::bind_field(model::ObjectId id, model::ExprId lock,
                             std::optional<ObjectId> Object::*to) {
  const DeclaredObject& declared = declared_[id];
  std::uint32_t each = 0;  // objects that the lock's declaration has for each place
  model::ExprId root = lock;
  while (const auto* index = std::get_if<model::Index>(&context_.model.exprs[root].node))
    root = index->base;
  if (const auto* field = std::get_if<model::FieldRef>(&context_.model.exprs[root].node))
    each = declared_[field->field].units;
  else if (std::holds_alternative<model::MonitorRef>(context_.model.exprs[root].node))
    each = 1;
  const std::optional<ObjectId> found = constant_place(lock, {});
  if (!found) return not_known(id, lock);
  for (std::uint32_t k = 0; k < declared.units * declared.instances; ++k)
    context_.system.objects[ObjectId(declared.first.index + k)].*to =
        ObjectId(found->index + k / declared.units * each);
}

void ObjectTable::not_known(model::ObjectId id, model::ExprId lock) {
  context_.unsupported(
      fmt::format("the lock of `{}` is not known in advance", context_.model.objects[id].name),
      context_.model.exprs[lock].range);
}

// Consecutive for each lock, and these in the order of the locks.
GroupId ObjectTable::add_for_threads(const Object& prototype, const Group& of,
                                     const std::string& what) {
  System& system = context_.system;
  Group group;
  group.name = of.name + what;
  group.range = of.range;
  group.first = system.objects.next_id();
  group.count = of.count * context_.lock_threads;
  group.dimensions = of.dimensions;
  group.dimensions.push_back(context_.lock_threads);
  const ObjectId first = of.first;
  const std::uint32_t count = of.count;
  const GroupId id = system.groups.push(std::move(group));
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId lock(first.index + i);
    Object object = prototype;
    object.group = id;
    object.name = system.objects[lock].name + what;
    object.owner = system.objects[lock].owner;
    object.position = system.objects[lock].position;
    object.read_of = lock;
    for (std::uint32_t thread = 0; thread < context_.lock_threads; ++thread)
      system.objects.push(Object(object));
  }
  return id;
}

void ObjectTable::add_read_write(model::ObjectId id, Class* to) {
  const DeclaredObject& declared = declared_[id];
  const model::Object& decl = context_.model.objects[id];
  const std::uint64_t more = std::uint64_t{declared.units} * declared.instances *
                             context_.lock_threads * (decl.prefers_writers ? 2 : 1);
  if (context_.system.objects.size() + more > kMaxObjects) {
    context_.unsupported(fmt::format("more than {} objects cannot be run", kMaxObjects),
                         decl.range);
    return;
  }
  Object readers;
  readers.kind = ObjectKind::Lock;
  Object waiting;
  waiting.kind = ObjectKind::Atomic;
  waiting.words.push_back({WordType::Kind::Bool, 0, 1, {}});
  waiting.initial.push_back(0);
  // One group for each instance of a process; those of a class are one.
  ObjectId lock = declared.first;
  const std::uint32_t end = declared.first.index + declared.units * declared.instances;
  while (lock.index < end && !context_.failed()) {
    const GroupId group = context_.system.objects[lock].group;
    const Group of = context_.system.groups[group];
    ReadWrite parts;
    parts.first = of.first;
    parts.threads = context_.lock_threads;
    const auto add = [&](const Object& prototype, const std::string& what) {
      const GroupId added = add_for_threads(prototype, of, what);
      if (to != nullptr) to->fields.push_back(added);
      return context_.system.groups[added].first;
    };
    parts.readers = add(readers, " (read)");
    if (decl.prefers_writers) parts.waiting = add(waiting, " (writer waits)");
    read_write_.emplace(group, parts);
    lock = ObjectId(of.first.index + of.count);
  }
}

void ObjectTable::bind_condition(model::ObjectId id) {
  const model::Object& decl = context_.model.objects[id];
  if (decl.owner) return bind_field(id, *decl.of, &Object::lock);
  const auto instances = process_instances(context_.model, decl.process);
  ObjectId object = declared_[id].first;
  for (const std::optional<std::int32_t>& instance : instances) {
    model::IndexEnvironment indices;
    indices.process = instance;
    const std::optional<ObjectId> lock = constant_place(*decl.of, indices);
    if (!lock) return not_known(id, *decl.of);
    for (std::uint32_t unit = 0; unit < declared_[id].units; ++unit, ++object.index)
      context_.system.objects[object].lock = lock;
  }
}

void ObjectTable::bind_all(const FindThread& find_thread) {
  for (const model::ObjectId id : context_.model.objects.ids()) {
    const model::Object& decl = context_.model.objects[id];
    if (context_.failed() || (!decl.guarded_by && !decl.init_by)) continue;
    if (decl.owner) {
      bind_field(id, *decl.guarded_by, &Object::guarded_by);
      continue;
    }
    const auto instances = process_instances(context_.model, decl.process);
    for (std::size_t instance = 0; instance < instances.size(); ++instance) {
      model::IndexEnvironment indices;
      indices.process = instances[instance];
      std::optional<ObjectId> guard;
      std::optional<ThreadId> thread;
      if (decl.guarded_by) {
        guard = constant_place(*decl.guarded_by, indices);
        if (!guard) not_known(id, *decl.guarded_by);
      }
      if (decl.init_by) {
        std::optional<std::int32_t> process = indices.process;
        if (decl.init_by->process_index) {
          const auto value =
              model::evaluate_constant(context_.model, *decl.init_by->process_index, indices);
          process = value ? std::optional(value->scalar) : std::nullopt;
        }
        thread = find_thread(decl.init_by->thread, process, decl.init_by->index);
        if (!thread)
          context_.unsupported(
              fmt::format("the thread that initialises `{}` does not run", decl.name), decl.range);
      }
      const DeclaredObject& declared = declared_[id];
      for (std::uint32_t unit = 0; unit < declared.units; ++unit) {
        Object& object = context_.system.objects[ObjectId(
            declared.first.index + static_cast<std::uint32_t>(instance) * declared.units + unit)];
        object.guarded_by = guard;
        object.init_by = thread;
      }
    }
  }
}

}  // namespace cml::ir::lowering
