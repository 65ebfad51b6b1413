// Constants: evaluated when first needed, with the chain of those that are being evaluated at hand,
// so that a cycle can be shown. A constant expression is checked like any other and then evaluated
// on the model; functions that it calls get their bodies checked first.
#include <fmt/format.h>
#include <set>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"
#include "frontend/walk.h"

namespace cml::sema {

const Constant& Sema::constant_of(SymbolId id) {
  if (symbols_[id].progress == Progress::Done) return symbols_[id].constant;
  if (symbols_[id].progress == Progress::Busy) {
    report_constant_cycle(symbols_[id].name, symbols_[id].where);
    symbols_[id].constant = {error_, std::nullopt};
    return symbols_[id].constant;
  }
  symbols_[id].progress = Progress::Busy;
  Enter enter(*this, Context{CodeKind::Constant, env_of(id)});
  evaluating_.push_back({std::string(symbols_[id].name), symbols_[id].where});
  const auto& decl = std::get<ast::ConstDecl>(decl_of(symbols_[id]).node);
  const auto defined = defined_.find(id);
  std::optional<Constant> declared;
  if (decl.value || defined == defined_.end()) {
    declared = evaluate_declared(decl, env());
  } else if (decl.type) {
    declared = Constant{resolve_type(*decl.type), std::nullopt};
  }
  Constant result = declared.value_or(Constant{error_, std::nullopt});
  if (defined != defined_.end() && !is_error(result.type)) {
    result.value = parse_definition(symbols_[id], result.type, defined->second);
  }
  evaluating_.pop_back();
  symbols_[id].constant = std::move(result);
  symbols_[id].progress = Progress::Done;
  return symbols_[id].constant;
}

std::optional<Constant> Sema::evaluate_declared(const ast::ConstDecl& decl, const Env&) {
  TypeId type;
  if (decl.type) type = resolve_type(*decl.type);
  if (!decl.value) return std::nullopt;  // the parser has reported it
  Constant result = constant(*decl.value, type);
  if (type.valid()) result.type = type;
  if (!result.value && !is_error(result.type) && !type.valid()) result.type = error_;
  return result;
}

std::optional<Constant> Sema::constant_of(model::ClassId cls, std::size_t position) {
  const Member& member = instance(cls).members[position];
  const Env env = env_of(cls);
  const auto* decl = std::get_if<ast::ConstDecl>(&tree(env.module).decls[member.decl].node);
  if (decl == nullptr || !decl->value) return std::nullopt;
  if (member.progress == Progress::Done) return member.constant;
  if (member.progress == Progress::Busy) {
    Enter enter(*this, Context{CodeKind::Constant, env});
    report_constant_cycle(member.name, member.where);
    return Constant{error_, std::nullopt};
  }
  instance(cls).members[position].progress = Progress::Busy;
  Enter enter(*this, Context{CodeKind::Constant, env});
  evaluating_.push_back({std::string(member.name), member.where});
  std::optional<Constant> result = evaluate_declared(*decl, env);
  evaluating_.pop_back();
  Member& done = instance(cls).members[position];
  done.constant = result;
  done.progress = Progress::Done;
  return result;
}

void Sema::report_constant_cycle(std::string_view name, SourceRange where) {
  std::size_t start = evaluating_.size();
  while (start > 0 && evaluating_[start - 1].where != where)
    --start;
  if (start > 0) --start;
  std::string chain;
  for (std::size_t i = start; i < evaluating_.size(); ++i)
    chain += evaluating_[i].name + " → ";
  const std::string circle = chain.empty() ? "" : fmt::format(": {}{}", chain, name);
  auto& diagnostic =
      report(Code::ConstantCycle, where, fmt::format("`{}` depends on itself{}", name, circle));
  for (std::size_t i = start + 1; i < evaluating_.size(); ++i) {
    diagnostic.also(evaluating_[i].where, fmt::format("by way of `{}`", evaluating_[i].name));
  }
  diagnostic.cure("a constant is computed from constants that do not need it");
}

Constant Sema::constant(ast::ExprId expr, TypeId expected) {
  // The value must be literal enough to stand in the model wherever the constant is used.
  const ExprId checked = value(expr, expected);
  if (is_error(checked)) return {error_, std::nullopt};
  if (expected.valid() && !convert(checked, expected, "the value")) return {error_, std::nullopt};
  Constant result = evaluate_checked(checked);
  if (!result.value) return {expected.valid() ? expected : result.type, std::nullopt};
  if (result.value->kind == model::Value::Kind::Null ||
      result.value->kind == model::Value::Kind::Array) {
    report(Code::NotConstant, range_of(checked),
           "a constant is a bool, an int, an enumerator or a struct of those");
    return {error_, std::nullopt};
  }
  if (expected.valid()) {
    if (!fits(range_of(checked), expected, *result.value)) return {expected, std::nullopt};
    if (const auto* mod = as<model::ModType>(expected))
      result.value->scalar = model::wrapped(result.value->scalar, mod->last);
    result.type = expected;
  } else if (as<model::IntType>(result.type) != nullptr) {
    result.type = int_;
  }
  return result;
}

bool Sema::fits(SourceRange where, TypeId type, const model::Value& value) {
  const auto* range = as<model::IntType>(type);
  if (range == nullptr || value.kind != model::Value::Kind::Int ||
      (value.scalar >= range->lo && value.scalar <= range->hi)) {
    return true;
  }
  report(Code::ConstantRange, where, fmt::format("{} is outside `{}`", value.scalar, name_of(type)))
      .cure("widen the range, or change the value");
  return false;
}

Constant Sema::evaluate_checked(ExprId expr) {
  const TypeId type = type_of(expr);
  if (const auto known = literal_of(expr)) return *known;
  if (!bodies_ready(expr)) return {error_, std::nullopt};
  const auto result = model::evaluate(model_, expr);
  if (result) return {type, *result};
  using Kind = model::EvaluationFailure::Kind;
  const model::EvaluationFailure& failure = result.error();
  const SourceRange where = range_of(expr);
  // The place that failed may lie in a called function.
  const bool inside = failure.where.file == where.file && failure.where.begin >= where.begin &&
                      failure.where.end <= where.end;
  const SourceRange place = inside ? failure.where : where;
  const auto report_failure = [&](Code code, std::string message) -> Diagnostic& {
    auto& diagnostic = report(code, place, std::move(message));
    if (!inside) diagnostic.also(failure.where, "while this is evaluated");
    return diagnostic;
  };
  switch (failure.kind) {
    case Kind::Poisoned:
      break;
    case Kind::NotConstant:
      report_failure(Code::NotConstant,
                     fmt::format("the value is not constant: {}", failure.message))
          .cure("use literals, constants and pure functions");
      break;
    case Kind::Overflow:
      report_failure(Code::ConstantOverflow,
                     fmt::format("a constant overflows: {}", failure.message));
      break;
    case Kind::DivisionByZero:
      report_failure(Code::ConstantDivision, failure.message);
      break;
    case Kind::OutOfRange:
      report_failure(Code::ConstantRange, failure.message);
      break;
    case Kind::OutOfBounds:
    case Kind::Failed:
    case Kind::TooLong:
      report_failure(Code::ConstantFailed,
                     fmt::format("a constant cannot be computed: {}", failure.message));
      break;
  }
  return {type, std::nullopt};
}

/// Has the bodies of all functions checked that evaluating `expr` may call.
bool Sema::bodies_ready(ExprId expr) {
  std::vector<ExprId> exprs{expr};
  std::vector<model::StmtId> stmts;
  std::set<model::FunctionId> seen;
  const auto add_block = [&](const model::Block& block) {
    stmts.insert(stmts.end(), block.statements.begin(), block.statements.end());
  };
  while (!exprs.empty() || !stmts.empty()) {
    if (!exprs.empty()) {
      const ExprId next = exprs.back();
      exprs.pop_back();
      model::for_each_operand(model_.exprs[next], [&](ExprId part) { exprs.push_back(part); });
      const auto* call = std::get_if<model::Call>(&model_.exprs[next].node);
      if (call == nullptr || call->receiver || !seen.insert(call->function).second) continue;
      const model::FunctionId function = call->function;
      if (function_instances_[function]->progress == Progress::Busy) {
        const auto& name = function_instances_[function]->decl->name;
        report_constant_cycle(name.text, name.range);
        return false;
      }
      check_body(function);
      add_block(model_.functions[function].body.block);
      continue;
    }
    const model::StmtId next = stmts.back();
    stmts.pop_back();
    model::for_each_part(
        model_.stmts[next], [&](ExprId part) { exprs.push_back(part); }, add_block);
  }
  return true;
}

std::optional<std::int32_t> Sema::constant_int(ast::ExprId expr, std::string_view what) {
  const ExprId checked = integer(expr, what);
  if (is_error(checked)) return std::nullopt;
  const Constant result = evaluate_checked(checked);
  if (!result.value) return std::nullopt;
  return result.value->scalar;
}

std::optional<Sema::RangeBounds> Sema::constant_range(const ast::Range& range,
                                                      std::string_view what) {
  const auto lo = constant_int(range.lo, what);
  const auto hi = constant_int(range.hi, what);
  if (!lo || !hi) return std::nullopt;
  return RangeBounds{*lo, std::int64_t{*hi} - (range.half_open ? 1 : 0)};
}

// ---- literals ----------------------------------------------------------------------------------

std::optional<Constant> Sema::literal_of(ExprId expr) const {
  const model::Expr& e = model_.exprs[expr];
  if (const auto* number = std::get_if<model::IntLiteral>(&e.node)) {
    return Constant{e.type, model::Value{model::Value::Kind::Int, number->value, {}}};
  }
  if (const auto* truth = std::get_if<model::BoolLiteral>(&e.node)) {
    return Constant{e.type, model::Value{model::Value::Kind::Bool, truth->value ? 1 : 0, {}}};
  }
  if (const auto* enumerator = std::get_if<model::EnumLiteral>(&e.node)) {
    return Constant{
        e.type,
        model::Value{model::Value::Kind::Enum, static_cast<std::int32_t>(enumerator->value), {}}};
  }
  return std::nullopt;
}

ExprId Sema::literal(SourceRange range, const Constant& constant) {
  if (!constant.value || is_error(constant.type)) return error(range);
  return literal_value(range, constant.type, *constant.value);
}

ExprId Sema::literal_value(SourceRange range, TypeId type, const model::Value& value) {
  switch (value.kind) {
    case model::Value::Kind::Int:
      return add(range, type, model::IntLiteral{value.scalar});
    case model::Value::Kind::Bool:
      return add(range, bool_, model::BoolLiteral{value.scalar != 0});
    case model::Value::Kind::Enum: {
      const auto* enumeration = as<model::EnumType>(type);
      if (enumeration == nullptr) return error(range);
      return add(range, type,
                 model::EnumLiteral{enumeration->decl, static_cast<std::uint32_t>(value.scalar)});
    }
    case model::Value::Kind::Null:
      return add(range, type, model::NullLiteral{});
    case model::Value::Kind::Struct: {
      const auto* record = as<model::StructType>(type);
      if (record == nullptr) return error(range);
      const model::StructId decl = record->decl;
      model::StructMake make{decl, {}, {}};
      for (std::uint32_t i = 0; i < value.parts.size(); ++i) {
        make.fields.push_back(
            literal_value(range, model_.structs[decl].fields[i].type, value.parts[i]));
        make.evaluation_order.push_back(i);
      }
      return add(range, type, std::move(make));
    }
    case model::Value::Kind::Array: {
      const auto* array = as<model::ArrayType>(type);
      if (array == nullptr) return error(range);
      const TypeId element = array->element;
      model::ArrayMake make;
      for (const model::Value& part : value.parts) {
        make.elements.push_back(literal_value(range, element, part));
      }
      return add(range, type, std::move(make));
    }
  }
  return error(range);
}

}  // namespace cml::sema
