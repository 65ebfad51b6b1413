// Calls by a plain name: functions, methods of the own class, monitor operations on `this`, and
// structs, which are made by something that looks like a call.
#include <fmt/format.h>

#include "frontend/sema/sema.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

std::optional<model::Operator> monitor_operation(std::string_view name) {
  const auto op = model::find_operator(model::kFamiliesOfLocks, name);
  return op && !model::is_property(*op) ? op : std::nullopt;
}

}  // namespace

ExprId Sema::call(const ast::CallExpr& node, SourceRange range) {
  const ast::Expr& callee = ast_expr(node.callee);
  if (const auto* name = std::get_if<ast::NameExpr>(&callee.node)) {
    return named_call(*name, node, range);
  }
  if (const auto* member = std::get_if<ast::MemberExpr>(&callee.node)) {
    return member_call(*member, node, range);
  }
  const ExprId checked = expression(node.callee);
  if (!is_error(checked)) {
    report(Code::NotCallable, callee.range, "this is no function, method or operation")
        .cure("a call names what it calls: `f(…)` or `o.f(…)`");
  }
  check_loose_arguments(node.arguments);
  return error(range);
}

ExprId Sema::named_call(const ast::NameExpr& callee, const ast::CallExpr& node, SourceRange range) {
  const std::string_view text = callee.name.text;
  const auto fail = [&] {
    check_loose_arguments(node.arguments);
    return error(range);
  };
  if (text.empty()) return fail();
  const auto not_callable = [&](SourceRange where, std::string_view what) -> Diagnostic& {
    auto& diagnostic = report(Code::NotCallable, callee.name.range,
                              fmt::format("`{}` is {} and cannot be called", text, what));
    return diagnostic.also(where, "declared here");
  };
  if (const LocalName* local = find_local(text)) {
    saw(callee.name.range, local->where);
    not_callable(local->where, "a local");
    return fail();
  }
  if (const Binding* binding = find_binding(env(), text)) {
    not_callable(binding->where, "a parameter");
    return fail();
  }
  if (env().cls.valid()) {
    if (const Member* found = find_member(env().cls, text)) {
      const Member method = *found;
      saw(callee.name.range, method.where);
      const ExprId self = this_ref(callee.name.range);
      return call_method(env().cls, method, self, node, range);
    }
    if (const auto op = monitor_operation(text)) {
      const ExprId self = this_ref(callee.name.range);
      saw_operation(callee.name.range, *op);
      const ExprId monitor =
          add(callee.name.range, lock_, model::MonitorRef{self}, model::Storage::Handle);
      return operation(*op, monitor, node, range);
    }
  }
  const SymbolId symbol = find_symbol(env(), text);
  if (!symbol.valid()) {
    if ((text == "ended" || text == "at") && context_->kind == CodeKind::Invariant) {
      report(Code::MisplacedTemporal, range,
             fmt::format("`{}(…)` inside of a value, or of an invariant: it is a part of formulas",
                         text))
          .cure("write `property name: always (… implies ended(T));`");
      return error(range);
    }
    if (monitor_operation(text)) {
      report(Code::UnknownName, callee.name.range,
             fmt::format("`{}()` outside a class: there is no object whose monitor is meant", text))
          .cure(fmt::format("name the lock: `m.{}()`", text));
    } else {
      report_unknown(callee.name, "function");
    }
    return fail();
  }
  const Symbol found = symbols_[symbol];
  saw(callee.name.range, found.where);
  switch (found.kind) {
    case SymbolKind::Function:
      return call_function(symbol, node, range);
    case SymbolKind::Struct:
      return make_struct(symbol, node, range);
    case SymbolKind::Class:
      not_callable(found.where, "a class").cure(fmt::format("write `new {}(…)`", text));
      return fail();
    case SymbolKind::Thread:
      not_callable(found.where, "a thread").cure(fmt::format("write `spawn {}(…)`", text));
      return fail();
    case SymbolKind::Enum:
      not_callable(found.where, "an enum");
      return fail();
    case SymbolKind::Process:
      not_callable(found.where, "a process");
      return fail();
    case SymbolKind::Constant:
      not_callable(found.where, "a constant");
      return fail();
    case SymbolKind::Object:
      not_callable(found.where, "an object");
      return fail();
  }
  return fail();
}

/// `S(1, 2)` or `S(f: 1, g: 2)`: every field once.
ExprId Sema::make_struct(SymbolId symbol, const ast::CallExpr& node, SourceRange range) {
  declare_struct(symbol);
  const model::StructId decl = symbols_[symbol].structure;
  const std::vector<model::Struct::Field> fields = model_.structs[decl].fields;
  const SourceRange declared = symbols_[symbol].where;
  if (fields.empty()) {
    check_loose_arguments(node.arguments);
    return error(range);
  }
  model::StructMake make{decl, std::vector<ExprId>(fields.size()), {}};
  bool good = true;
  bool named = false;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const ast::Argument& argument = node.arguments[i];
    std::size_t position = i;
    if (argument.name) {
      named = true;
      Suggestion suggestion(argument.name->text);
      position = fields.size();
      for (std::size_t f = 0; f < fields.size(); ++f) {
        suggestion.consider(fields[f].name);
        if (fields[f].name == argument.name->text) position = f;
      }
      if (position < fields.size()) saw_field(argument.name->range, decl, argument.name->text);
      if (position == fields.size()) {
        auto& diagnostic = report(
            Code::BadArgumentName, argument.name->range,
            fmt::format("`{}` has no field `{}`", symbols_[symbol].name, argument.name->text));
        diagnostic.also(declared, "declared here");
        if (suggestion.best()) {
          diagnostic.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
        }
      } else if (make.fields[position].valid()) {
        report(Code::BadArgumentName, argument.name->range,
               fmt::format("the field `{}` is given twice", argument.name->text));
        position = fields.size();
      }
    } else if (named) {
      report(Code::BadArgumentName, ast_expr(argument.value).range,
             "an argument without a name after one with a name")
          .cure("name all fields from there on");
      position = fields.size();
    }
    if (position >= fields.size()) {
      value(argument.value);
      good = false;
      continue;
    }
    make.fields[position] = typed(argument.value, fields[position].type,
                                  fmt::format("the field `{}`", fields[position].name));
    make.evaluation_order.push_back(static_cast<std::uint32_t>(position));
  }
  if (!named && node.arguments.size() != fields.size()) {
    std::string text;
    for (const auto& field : fields) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", field.name, name_of(field.type));
    }
    report(Code::WrongArgumentCount, range,
           fmt::format("{} argument{} given, {} expected", node.arguments.size(),
                       node.arguments.size() == 1 ? "" : "s", fields.size()))
        .also(declared, fmt::format("declared with the fields `{}`", text));
    return error(range);
  }
  if (!good) return error(range);
  std::string missing;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (make.fields[f].valid()) continue;
    missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", fields[f].name);
  }
  if (!missing.empty()) {
    report(Code::WrongArgumentCount, range, fmt::format("no value for {}", missing))
        .also(declared, "every field is given once");
    return error(range);
  }
  return add(range, intern(model::StructType{decl}), std::move(make));
}

}  // namespace cml::sema
