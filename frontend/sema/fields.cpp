// Fields by the end of `init`: a `const` field is assigned exactly once, a field of a non-null
// reference type at least once, and neither is used before (docs/reference.md, "Classes").
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/rules.h"
#include "frontend/sema/statement_flow.h"
#include "frontend/walk.h"

namespace cml::sema {
namespace {

using model::ExprId;

bool has_default(const model::Model& model, model::TypeId type) {
  const model::Type& t = model.types[type];
  if (const auto* cls = std::get_if<model::ClassType>(&t)) return cls->nullable;
  if (const auto* handle = std::get_if<model::ThreadType>(&t)) return handle->nullable;
  if (const auto* array = std::get_if<model::ArrayType>(&t)) {
    return has_default(model, array->element);
  }
  if (const auto* record = std::get_if<model::StructType>(&t)) {
    for (const auto& field : model.structs[record->decl].fields) {
      if (!has_default(model, field.type)) return false;
    }
  }
  return true;
}

bool is_error(const model::Model& model, model::TypeId type) {
  while (const auto* array = std::get_if<model::ArrayType>(&model.types[type]))
    type = array->element;
  return std::holds_alternative<model::ErrorType>(model.types[type]);
}

struct Assigned {
  bool reachable = true;
  std::vector<bool> surely;  // on every path to here
  std::vector<bool> maybe;   // on some path
  void join(const Assigned& other) {
    if (!other.reachable) return;
    if (!reachable) {
      *this = other;
      return;
    }
    for (std::size_t i = 0; i < surely.size(); ++i) {
      surely[i] = surely[i] && other.surely[i];
      maybe[i] = maybe[i] || other.maybe[i];
    }
  }
};

class Initialisation : public StatementFlow<Assigned> {
 public:
  Initialisation(const RuleContext& context, const std::vector<model::ObjectId>& fields,
                 NoteId note)
      : StatementFlow(context.model), context_(context), fields_(fields), note_(note) {}

  void check(const model::Function& init) {
    Assigned state;
    state.surely.resize(fields_.size());
    state.maybe.resize(fields_.size());
    block(state, init.body.block);
    if (state.reachable) leave(state, init.range);
  }

 protected:
  void leave(Assigned& state, SourceRange where) override {
    if (!state.reachable) return;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (state.surely[i]) continue;
      const model::Object& field = model_.objects[fields_[i]];
      context_.reporter
          .report(Code::FieldNotInitialised, field.range,
                  fmt::format("`{}` is not initialised by the end of `init`{}", field.name,
                              field.is_const ? ", and it is `const`" : ""),
                  note_)
          .also(where,
                state.maybe[i] ? "on some path to here" : "this constructor does not assign it")
          .cure("assign it on every path of `init`, or at its declaration");
    }
  }

  void assign(Assigned& state, const model::Assign& node) override {
    const auto field = own_field(node.target);
    if (!field || node.op) {
      // A part of a field is written: the field itself must be there.
      evaluate(state, node.target);
      evaluate(state, node.value);
      return;
    }
    evaluate(state, node.value);
    const model::Object& object = model_.objects[fields_[*field]];
    if (object.is_const && state.reachable && state.maybe[*field]) {
      context_.reporter
          .report(Code::FieldAssignedTwice, model_.exprs[node.target].range,
                  fmt::format("`{}` is `const` and may have been assigned before", object.name),
                  note_)
          .also(object.range, "declared here")
          .cure("assign it once; use a local for what is not final yet");
    }
    state.surely[*field] = true;
    state.maybe[*field] = true;
  }

  void before_loop(Assigned& state, const Loop& loop) override {
    scan(
        model_, loop.body,
        [&](ExprId part, bool written) {
          if (!written) return;
          if (const auto field = own_field(part)) state.maybe[*field] = true;
        },
        [](const model::Stmt&) {});
  }

  void evaluate(Assigned& state, ExprId id) override {
    const model::Expr& expr = model_.exprs[id];
    if (const auto field = own_field(id)) {
      if (!state.surely[*field] && state.reachable) {
        const model::Object& object = model_.objects[fields_[*field]];
        context_.reporter
            .report(Code::FieldReadEarly, expr.range,
                    fmt::format("`{}` is used before it is initialised", object.name), note_)
            .also(object.range, "declared here");
      }
      return;
    }
    if (const auto* two = std::get_if<model::Binary>(&expr.node)) {
      evaluate(state, two->left);
      evaluate(state, two->right);
    } else if (const auto* member = std::get_if<model::FieldRef>(&expr.node)) {
      if (!is_this(member->object)) evaluate(state, member->object);
    } else if (const auto* monitor = std::get_if<model::MonitorRef>(&expr.node)) {
      if (!is_this(monitor->object)) evaluate(state, monitor->object);
    } else if (std::holds_alternative<model::ThisRef>(expr.node)) {
      escape(state, expr.range);
    } else {
      model::for_each_operand(expr, [&](ExprId part) { evaluate(state, part); });
    }
  }

 private:
  bool is_this(ExprId id) const {
    return std::holds_alternative<model::ThisRef>(model_.exprs[id].node);
  }

  std::optional<std::size_t> own_field(ExprId id) const {
    const auto* field = std::get_if<model::FieldRef>(&model_.exprs[id].node);
    if (field == nullptr || !is_this(field->object)) return std::nullopt;
    const auto found = std::find(fields_.begin(), fields_.end(), field->field);
    if (found == fields_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - fields_.begin());
  }

  /// `this` is handed to somebody, or one of its methods runs.
  void escape(const Assigned& state, SourceRange where) {
    for (std::size_t i = 0; i < fields_.size() && state.reachable; ++i) {
      if (state.surely[i]) continue;
      const model::Object& field = model_.objects[fields_[i]];
      context_.reporter
          .report(
              Code::FieldReadEarly, where,
              fmt::format("the object is used before its field `{}` is initialised", field.name),
              note_)
          .also(field.range, "declared here")
          .cure("assign the fields first");
      return;
    }
  }

  const RuleContext& context_;
  const std::vector<model::ObjectId>& fields_;
  NoteId note_;
};

}  // namespace

void check_fields(const RuleContext& context) {
  const model::Model& model = context.model;
  for (const model::ClassId class_id : context.classes) {
    const model::Class& cls = model.classes[class_id];
    std::vector<model::ObjectId> fields;
    for (const model::ObjectId id : cls.fields) {
      const model::Object& field = model.objects[id];
      const bool variable = field.kind == model::ObjectKind::Shared ||
                            field.kind == model::ObjectKind::Atomic ||
                            field.kind == model::ObjectKind::Var;
      if (!variable || field.initial || is_error(model, field.type)) continue;
      if (!field.is_const && has_default(model, field.type)) continue;
      const bool array = std::holds_alternative<model::ArrayType>(model.types[field.type]);
      if (cls.init && !array) {
        fields.push_back(id);
        continue;
      }
      context.reporter
          .report(Code::FieldNotInitialised, field.range,
                  fmt::format("`{}` is never initialised, and {}", field.name,
                              field.is_const ? "it is `const`" : "its type has no default"))
          .cure(array ? "initialise the array at its declaration"
                      : "give it a value here, or assign it in a constructor `init(…) { … }`");
    }
    if (!cls.init || fields.empty()) continue;
    NoteId note;
    for (const CodeBody& code : context.bodies) {
      if (code.function == cls.init) note = code.note;
    }
    Initialisation(context, fields, note).check(model.functions[*cls.init]);
  }
}

}  // namespace cml::sema
