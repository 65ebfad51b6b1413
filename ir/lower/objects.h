// Declared objects become objects of the System: one for each element and each field of a shared
// struct, in every instance of their process (docs/reference.md, "Shared state").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/constant_value.h"
#include "ir/lower/context.h"

namespace cml::ir::lowering {

/// Where the objects of a declaration lie: instance i of its process has `units` consecutive ones
/// from first + i * units. A unit is an object; in an atomic or a channel it has several words.
struct DeclaredObject {
  ObjectKind kind = ObjectKind::Shared;
  ObjectId first;
  std::uint32_t units = 0;
  std::uint32_t instances = 1;
};

/// What belongs to the reader-writer locks of a declaration: `threads` objects for each of them.
struct ReadWrite {
  ObjectId first;    // of the locks themselves
  ObjectId readers;  // locks
  ObjectId waiting;  // flags of those who prefer writers; else invalid
  std::uint32_t threads = 1;
};

class ObjectTable {
 public:
  explicit ObjectTable(Context& context) : context_(context) {}

  /// All objects at top level and in processes, without guards and initialising threads.
  void declare_all();
  [[nodiscard]] const DeclaredObject& operator[](model::ObjectId object) const {
    return declared_[object];
  }

  /// Of the declaration that this lock is from.
  [[nodiscard]] const ReadWrite& read_write(ObjectId lock) const {
    return read_write_.at(context_.system.objects[lock].group);
  }

  /// Whether its initialiser allocates objects, so that it is executed, not evaluated.
  [[nodiscard]] bool is_allocated(model::ObjectId object) const { return is_allocated_[object]; }

  /// Number of objects that a place of this type consists of.
  [[nodiscard]] std::uint64_t units(ObjectKind kind, model::TypeId type) const;

  /// `guarded by` and `init by`, which name other objects and thread instances.
  using FindThread = std::function<std::optional<ThreadId>(
      model::ThreadId, std::optional<std::int32_t> process, std::optional<std::int32_t> index)>;
  void bind_all(const FindThread& find_thread);

 private:
  void declare(model::ObjectId id);
  void declare_class(model::ClassId id);
  void declare_field(model::ClassId of, model::ObjectId id, Class& decl);
  /// A group of objects, one for each place of the class, that no field declares.
  GroupId declare_places(ClassId of, const Class& decl, ObjectKind kind, const std::string& name);
  void set_values(Group& group, ObjectKind kind, model::TypeId type);
  void add_read_write(model::ObjectId id, Class* to);
  GroupId add_for_threads(const Object& prototype, const Group& of, const std::string& what);
  void bind_condition(model::ObjectId id);
  /// Of the objects of a field: the lock that a clause names.
  void bind_field(model::ObjectId id, model::ExprId lock, std::optional<ObjectId> Object::*to);
  void not_known(model::ObjectId id, model::ExprId lock);
  void add_leaves(const model::Object& decl, const Object& prototype, model::TypeId type,
                  const std::string& name, const model::Value* value);
  std::optional<model::Value> initial_value(model::ObjectId id, const model::Object& decl,
                                            const model::IndexEnvironment& indices);
  std::optional<ObjectId> constant_place(model::ExprId place,
                                         const model::IndexEnvironment& indices);

  Context& context_;
  IdVector<model::ObjectId, DeclaredObject> declared_;
  IdVector<model::ObjectId, bool> is_allocated_;
  std::map<GroupId, ReadWrite> read_write_;
};

/// How many instances a process has, and the index of each; one without index for the top level.
[[nodiscard]] std::vector<std::optional<std::int32_t>> process_instances(
    const model::Model& model, std::optional<model::ProcessId> process);
/// "Node[0].", "Sender.", "".
[[nodiscard]] std::string process_prefix(const model::Model& model,
                                         std::optional<model::ProcessId> process,
                                         std::optional<std::int32_t> index);

}  // namespace cml::ir::lowering
