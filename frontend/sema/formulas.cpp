// Temporal properties: `property name: formula;`, `terminates;`, `fairness weak;`, and what
// formulas are made of besides conditions, `ended(T)` and `at(T, "label")` (docs/reference.md,
// "Temporal properties").
//
// The largest parts of a formula without temporal operators are conditions, checked like those of
// invariants. A member of a family of properties is checked with the index as a constant, so that
// the model has formulas without indices.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "frontend/sema/effects.h"
#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

constexpr std::size_t kMaxFormula = 2'000;  // parts

}  // namespace

/// `ended(…)` and `at(…)`, unless the model has functions of these names.
bool Sema::is_about_thread(ast::ExprId expr) const {
  const auto* call = std::get_if<ast::CallExpr>(&ast_expr(expr).node);
  if (call == nullptr) return false;
  const auto* name = std::get_if<ast::NameExpr>(&ast_expr(call->callee).node);
  return name != nullptr && (name->name.text == "ended" || name->name.text == "at") &&
         !find_symbol(env(), name->name.text).valid();
}

/// Whether it is more than a condition.
bool Sema::is_formula(ast::ExprId expr) const {
  const ast::Expr& e = ast_expr(strip(expr));
  if (std::holds_alternative<ast::TemporalExpr>(e.node)) return true;
  if (const auto* node = std::get_if<ast::UnaryExpr>(&e.node))
    return node->op == ast::UnaryOp::Not && is_formula(node->operand);
  if (const auto* node = std::get_if<ast::BinaryExpr>(&e.node))
    return (node->op == ast::BinaryOp::And || node->op == ast::BinaryOp::Or) &&
           (is_formula(node->left) || is_formula(node->right));
  if (const auto* node = std::get_if<ast::QuantifiedExpr>(&e.node))
    return node->quantifier != ast::Quantifier::Count && is_formula(node->body);
  return is_about_thread(strip(expr));
}

model::FormulaId Sema::add_part(model::Property& property, model::Formula part) {
  if (property.parts.size() == kMaxFormula)
    report(Code::TooLarge, part.range, "this formula has too many parts")
        .cure("make several properties of it, or a family");
  return property.parts.push(std::move(part));
}

model::FormulaId Sema::formula(ast::ExprId expr, model::Property& property) {
  const ast::ExprId bare = strip(expr);
  const ast::Expr& e = ast_expr(bare);
  model::Formula part;
  part.range = e.range;
  if (property.parts.size() > kMaxFormula) return add_part(property, part);
  if (!is_formula(bare)) {
    part.condition = condition(expr, "a property");
    return add_part(property, std::move(part));
  }
  if (const auto* node = std::get_if<ast::CallExpr>(&e.node)) {
    thread_part(*node, part);
    return add_part(property, std::move(part));
  }
  // Of two conditions the second is looked at only where the first holds: as with `||`.
  if (const auto* node = std::get_if<ast::TemporalExpr>(&e.node);
      node != nullptr && node->op == FormulaKind::Implies && !is_formula(*node->left) &&
      !is_formula(node->right)) {
    const model::ExprId premise = condition(*node->left, "a property");
    const model::ExprId conclusion = condition(node->right, "a property");
    const model::ExprId none = add(e.range, bool_, model::Unary{ast::UnaryOp::Not, premise});
    part.condition = add(e.range, bool_, model::Binary{model::BinaryOp::Or, none, conclusion});
    return add_part(property, std::move(part));
  }
  if (const auto* node = std::get_if<ast::QuantifiedExpr>(&e.node))
    return quantified_formula(*node, e.range, property);
  if (const auto* negation = std::get_if<ast::UnaryExpr>(&e.node)) {
    part.kind = FormulaKind::Not;
    part.right = formula(negation->operand, property);
  } else if (const auto* two = std::get_if<ast::BinaryExpr>(&e.node)) {
    part.kind = two->op == ast::BinaryOp::And ? FormulaKind::And : FormulaKind::Or;
    part.left = formula(two->left, property);
    part.right = formula(two->right, property);
  } else {
    const auto& temporal = std::get<ast::TemporalExpr>(e.node);
    part.kind = temporal.op;
    if (temporal.left) part.left = formula(*temporal.left, property);
    part.right = formula(temporal.right, property);
  }
  return add_part(property, std::move(part));
}

/// `forall i in 0..<N: eventually x[i]`: joined by `&&`, one operand for each value.
model::FormulaId Sema::quantified_formula(const ast::QuantifiedExpr& node, SourceRange range,
                                          model::Property& property) {
  const bool all = node.quantifier == ast::Quantifier::Forall;
  std::optional<model::FormulaId> whole;
  const auto join = [&] {
    const model::FormulaId next = formula(node.body, property);
    model::Formula part;
    part.range = range;
    part.kind = all ? FormulaKind::And : FormulaKind::Or;
    if (whole) {
      part.left = *whole;
      part.right = next;
    }
    whole = whole ? add_part(property, std::move(part)) : next;
    return !reporter_.has_errors();
  };
  const auto count = for_each_value(node, range, join);
  if (count && *count > 0) return *whole;
  model::Formula part;
  part.range = range;
  part.condition = count ? add(range, bool_, model::BoolLiteral{all}) : error(range);
  return add_part(property, std::move(part));
}

/// Fills in the thread that a formula speaks of, and the label.
void Sema::thread_part(const ast::CallExpr& node, model::Formula& part) {
  const bool is_at = std::get<ast::NameExpr>(ast_expr(node.callee).node).name.text == "at";
  part.kind = is_at ? FormulaKind::At : FormulaKind::Ended;
  const auto bad = [&](SourceRange where, const std::string& message) -> Diagnostic& {
    return report(Code::BadThreadOfProperty, where, message);
  };
  const std::string_view usage =
      is_at ? "write `at(T, \"label\")`, with a thread and a label in its code"
            : "write `ended(T)`, with a thread that runs from the start";
  const bool has_names = std::any_of(node.arguments.begin(), node.arguments.end(),
                                     [](const ast::Argument& a) { return a.name.has_value(); });
  if (node.arguments.size() != (is_at ? 2 : 1) || has_names) {
    bad(part.range, fmt::format("`{}` takes {}", is_at ? "at" : "ended",
                                is_at ? "a thread and the name of a label" : "a thread"))
        .cure(std::string(usage));
    return;
  }
  const SourceRange where = ast_expr(node.arguments[0].value).range;
  const auto name = thread_name(node.arguments[0].value);
  if (!name) {
    bad(where, "this names no thread").cure(std::string(usage));
    return;
  }
  declare_thread(name->symbol);
  const Symbol symbol = symbols_[name->symbol];
  if (!symbol.thread.valid()) return;
  const model::Thread& declared = model_.threads[symbol.thread];
  const SourceRange declared_at = declared.range;
  const std::optional<model::IndexRange> family = declared.index;
  if (declared.is_spawned) {
    bad(where,
        fmt::format("`{}` is spawned: which of its instances is meant is not known", symbol.name))
        .also(declared_at, "declared here")
        .cure("let it set an object when it is there, and speak of that");
    return;
  }
  const auto position = [&](std::optional<ast::ExprId> index,
                            const std::optional<model::IndexRange>& range, std::string_view what,
                            std::string_view of) -> std::optional<std::int32_t> {
    if (index.has_value() != range.has_value()) {
      bad(where, range ? fmt::format("`{}` is a family of {}: say which one", of, what)
                       : fmt::format("`{}` is a single one and takes no index", of))
          .cure(range ? fmt::format("write `{}[{}]`", of, range->lo) : "leave out the index");
      return std::nullopt;
    }
    if (!index) return 0;
    const auto value = constant_int(*index, "the index of a thread in a formula");
    if (value && (*value < range->lo || *value > range->hi)) {
      bad(where, fmt::format("there is no `{}[{}]`", of, *value));
      return std::nullopt;
    }
    return value;
  };
  if (name->process.valid()) {
    const model::ProcessId process = symbols_[name->process].model_process;
    const auto value = position(name->process_index, model_.processes[process].index, "processes",
                                model_.processes[process].name);
    if (!value) return;
    if (name->process_index) part.process_index = value;
  }
  const auto value = position(name->index, family, "threads", symbol.name);
  if (!value) return;
  if (name->index) part.index = value;
  part.thread = symbol.thread;
  if (!is_at) return;
  const ast::Expr& label = ast_expr(strip(node.arguments[1].value));
  if (const auto* text = std::get_if<ast::LabelExpr>(&label.node)) {
    part.label = text->label.value;
    part.range = label.range;
  } else {
    part.thread = {};
    bad(label.range, "the name of a label is a string").cure(std::string(usage));
  }
}

/// Of the code of a thread and what it calls.
std::set<std::string> Sema::labels_of(model::ThreadId thread) const {
  std::set<std::string> labels;
  IdVector<model::FunctionId, bool> seen(model_.functions.size(), false);
  std::vector<const model::Block*> waiting{&model_.threads[thread].body.block};
  while (!waiting.empty()) {
    const model::Block& block = *waiting.back();
    waiting.pop_back();
    scan(
        model_, block,
        [&](ExprId expr, bool) {
          for_each_called(model_, model_.exprs[expr], [&](model::FunctionId callee) {
            if (seen[callee]) return;
            seen[callee] = true;
            waiting.push_back(&model_.functions[callee].body.block);
          });
        },
        [&](const model::Stmt& stmt) {
          const auto* atomic = std::get_if<model::Atomic>(&stmt.node);
          if (atomic != nullptr && !atomic->label.empty()) labels.insert(atomic->label);
        });
  }
  return labels;
}

/// When all code is known.
void Sema::check_labels() {
  for (const model::Property& property : model_.properties) {
    for (const model::Formula& part : property.parts) {
      if (part.kind != FormulaKind::At || !part.thread.valid()) continue;
      const std::set<std::string> labels = labels_of(part.thread);
      if (labels.contains(part.label)) continue;
      Suggestion suggestion(part.label);
      for (const std::string& label : labels)
        suggestion.consider(label);
      auto& diagnostic = report(Code::UnknownLabel, part.range,
                                fmt::format("the code of `{}` has no label \"{}\"",
                                            model_.threads[part.thread].name, part.label));
      if (const auto best = suggestion.best())
        diagnostic.cure(fmt::format("did you mean \"{}\"?", *best));
      else
        diagnostic.cure(fmt::format("write `label \"{}\";` where it is to be", part.label));
    }
  }
}

std::optional<Fairness> Sema::fairness(const std::optional<ast::Name>& name) {
  if (!name || name->text.empty()) return std::nullopt;
  const std::optional<Fairness> result = fairness_of(name->text);
  if (!result)
    report(Code::BadFairness, name->range,
           fmt::format("`{}` is no fairness that threads can have", name->text))
        .cure("it is `weak`, `strong` or `none`");
  return result;
}

void Sema::declare_fairness(const ast::FairnessDecl& decl) {
  const std::optional<Fairness> kind = fairness(decl.kind);
  if (model_.fairness)
    report(Code::BadFairness, decl.kind.range,
           "the model says a second time which executions count")
        .cure("leave one out; for one property, write `under strong fairness` behind its formula");
  if (kind) model_.fairness = kind;
}

void Sema::declare_termination(const ast::TerminatesDecl& decl, SourceRange range) {
  model::Property result;
  result.name = "terminates";
  result.range = range;
  result.is_termination = true;
  result.fairness = fairness(decl.fairness);
  model_.properties.push_back(std::move(result));
}

void Sema::warn_of_no_time(const model::Property& property, SourceRange formula) {
  const auto is_temporal = [](const model::Formula& part) {
    return part.kind >= FormulaKind::Until;
  };
  if (std::any_of(property.parts.begin(), property.parts.end(), is_temporal)) return;
  report(Code::OnlyInitially, formula,
         "without a temporal operator this speaks of the initial state alone")
      .cure("write `always …`, or `eventually …`; what holds in every state is an `invariant`");
}

void Sema::declare_formulas(const ast::FormulaDecl& decl) {
  std::optional<model::IndexRange> members;
  if (decl.index) {
    members = family(*decl.index, "property");
  }
  const std::size_t mark = context_->names.size();
  const std::int64_t count = members ? std::int64_t{members->hi} - members->lo + 1 : 1;
  if (count > kMaxInstances) {
    report(Code::TooManyInstances, decl.name.range,
           fmt::format("`{}` stands for {} properties; the limit is {}", decl.name.text, count,
                       kMaxInstances));
    return;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    model::Property result;
    result.name = std::string(decl.name.text);
    result.range = decl.name.range;
    if (members) {
      LocalName entry;
      entry.name = decl.index->name.text;
      entry.where = decl.index->name.range;
      entry.type = int_;
      entry.kind = LocalName::Kind::Constant;
      const auto value = static_cast<std::int32_t>(members->lo + k);
      entry.constant = Constant{int_, model::Value{model::Value::Kind::Int, value, {}}};
      if (k == 0) check_hiding(decl.index->name);
      declare_name(entry);
      result.name += fmt::format("[{}]", value);
    }
    result.fairness = fairness(decl.fairness);
    formula(decl.formula, result);
    if (k == 0 && !reporter_.has_errors()) warn_of_no_time(result, ast_expr(decl.formula).range);
    context_->names.resize(mark);
    model_.properties.push_back(std::move(result));
    if (reporter_.has_errors()) return;  // the others would have the same
  }
}

}  // namespace cml::sema
