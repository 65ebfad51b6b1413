// Declarations of the parse tree to those of the AST; see builder.h.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {

void Builder::file(P::FileContext* file) { items(file->item(), Scope::File, ast_.items); }

void Builder::items(const std::vector<P::ItemContext*>& list, Scope scope,
                    std::vector<ast::DeclId>& out) {
  out.reserve(list.size());
  for (P::ItemContext* entry : list) {
    if (const auto id = item(entry, scope)) out.push_back(*id);
  }
}

std::optional<ast::DeclId> Builder::item(P::ItemContext* item, Scope scope) {
  if (item->plainItem() != nullptr) return plain_item(item->plainItem(), scope);
  if (item->modelDecl() != nullptr) return model(item->modelDecl(), scope);
  if (item->disciplineDecl() != nullptr) return discipline(item->disciplineDecl(), scope);
  if (item->importDecl() != nullptr) return import(item->importDecl(), scope);
  if (item->processDecl() != nullptr) return process(item->processDecl(), scope);
  if (P::DaemonDeclContext* daemon = item->daemonDecl()) {
    if (misplaced(daemon, scope == Scope::Class, "a class has no threads of its own",
                  "declare the thread outside of the class")) {
      return std::nullopt;
    }
    return thread(daemon, daemon->threadHeader(), daemon->block(), true);
  }
  if (item->propertyDecl() != nullptr) return property(item->propertyDecl(), scope);
  if (item->formulaDecl() != nullptr) return formula(item->formulaDecl(), scope);
  if (item->terminatesDecl() != nullptr) return terminates(item->terminatesDecl(), scope);
  if (item->fairnessDecl() != nullptr) return fairness(item->fairnessDecl(), scope);
  if (item->commutesDecl() != nullptr) return commutes(item->commutesDecl(), scope);
  if (item->constructorDecl() != nullptr) return constructor(item->constructorDecl(), scope);
  if (item->SEMICOLON() != nullptr) stray_semicolon(item->start);
  return std::nullopt;
}

std::optional<ast::DeclId> Builder::plain_item(P::PlainItemContext* item, Scope scope) {
  constexpr std::string_view kTypeCure = "declare it at top level";
  if (P::ObjectDeclContext* decl = item->objectDecl()) {
    return object(decl, decl->kind, decl->objectRest(), scope);
  }
  if (item->constDecl() != nullptr) return constant(item->constDecl(), scope);
  if (item->functionDecl() != nullptr) return function(item->functionDecl(), item->start, scope);
  if (P::ThreadDeclContext* decl = item->threadDecl()) {
    if (misplaced(decl, scope == Scope::Class, "a class has no threads of its own",
                  "declare the thread outside of the class")) {
      return std::nullopt;
    }
    return thread(decl, decl->threadHeader(), decl->block(), false);
  }
  if (P::EnumDeclContext* decl = item->enumDecl()) {
    if (misplaced(decl, scope == Scope::Class, "an enum inside a class", kTypeCure)) {
      return std::nullopt;
    }
    return enumeration(decl);
  }
  if (P::StructDeclContext* decl = item->structDecl()) {
    if (misplaced(decl, scope == Scope::Class, "a struct inside a class", kTypeCure)) {
      return std::nullopt;
    }
    return structure(decl);
  }
  if (P::AtomicDeclContext* decl = item->atomicDecl()) {
    if (decl->objectRest() != nullptr) return object(decl, decl->start, decl->objectRest(), scope);
    if (decl->functionDecl() != nullptr) return function(decl->functionDecl(), decl->start, scope);
  }
  P::ClassDeclContext* class_decl =
      item->atomicDecl() != nullptr ? item->atomicDecl()->classDecl() : item->classDecl();
  if (class_decl != nullptr) {
    if (misplaced(item, scope == Scope::Class, "a class inside a class", kTypeCure)) {
      return std::nullopt;
    }
    return class_declaration(item, class_decl, item->atomicDecl() != nullptr);
  }
  if (P::InvariantDeclContext* decl = item->invariantDecl()) {
    if (misplaced(decl, scope == Scope::Class, "an invariant inside a class",
                  "invariants stand at top level or in a process")) {
      return std::nullopt;
    }
    return invariant(decl);
  }
  if (P::FinallyDeclContext* decl = item->finallyDecl()) {
    if (misplaced(decl, scope == Scope::Class, "`finally` inside a class",
                  "it stands at top level or in a process")) {
      return std::nullopt;
    }
    return final_block(decl);
  }
  return std::nullopt;
}

bool Builder::misplaced(antlr4::ParserRuleContext* decl, bool wrong, std::string_view message,
                        std::string_view cure) {
  if (wrong && !quiet(decl->start)) {
    report(Code::MisplacedDeclaration, place(decl->start), std::string(message))
        .cure(std::string(cure));
  }
  return wrong;
}

std::optional<ast::DeclId> Builder::model(P::ModelDeclContext* decl, Scope scope) {
  const bool first = scope == Scope::File && decl->start->getTokenIndex() == 0;
  if (!first) {
    report(Code::ModelNotFirst, place(decl->start), "`model` is not the first line of the file")
        .cure("give the title once, before everything else");
    return std::nullopt;
  }
  if (decl->title == nullptr) return std::nullopt;
  return add(decl, ast::ModelDecl{string(decl->title)});
}

std::optional<ast::DeclId> Builder::discipline(P::DisciplineDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "a discipline inside a declaration",
                "`discipline races;` stands at top level, and is about the whole model")) {
    return std::nullopt;
  }
  if (decl->which == nullptr) return std::nullopt;
  return add(decl, ast::DisciplineDecl{name(decl->which)});
}

std::optional<ast::DeclId> Builder::import(P::ImportDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "an import inside a declaration",
                "imports stand at top level")) {
    return std::nullopt;
  }
  if (decl->exception != nullptr) return std::nullopt;
  ast::ImportDecl result;
  for (P::AnyNameContext* part : decl->path)
    result.module.push_back(name(part));
  if (decl->module != nullptr) result.file = string(decl->module);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::constant(P::ConstDeclContext* decl, Scope scope) {
  if (decl->id == nullptr) return std::nullopt;
  ast::ConstDecl result{name(decl->id), {}, {}};
  if (decl->of != nullptr) result.type = type(decl->of);
  result.value = optional_expression(decl->value, decl);
  if (!result.value && (scope != Scope::Class || !result.type)) {
    if (scope == Scope::Class) {
      report(Code::MissingValue, result.name.range,
             fmt::format("the constant `{}` has neither a type nor a value", result.name.text))
          .cure("write `const id: int;` and assign it in `init`, or give it a value here");
    } else {
      report(Code::MissingValue, result.name.range,
             fmt::format("the constant `{}` has no value", result.name.text))
          .cure("write `const N = 3;`; `-D N=4` can still override it");
    }
    result.value = hole(result.name.range);
  }
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::enumeration(P::EnumDeclContext* decl) {
  if (decl->id == nullptr) return std::nullopt;
  ast::EnumDecl result{name(decl->id), {}};
  for (P::NameContext* value : decl->values)
    result.enumerators.push_back(name(value));
  if (result.enumerators.empty() && decl->exception == nullptr) {
    report(Code::EmptyEnum, result.name.range,
           fmt::format("the enum `{}` has no values", result.name.text))
        .cure("an enum has at least one: `enum E { a }`");
  }
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::structure(P::StructDeclContext* decl) {
  if (decl->id == nullptr) return std::nullopt;
  ast::StructDecl result{name(decl->id), {}};
  for (P::StructFieldContext* field : decl->structField()) {
    if (field->id == nullptr) continue;
    result.fields.push_back({name(field->id), dimensions(field->dimension()), type(field->of)});
  }
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::function(P::FunctionDeclContext* decl,
                                             const antlr4::Token* first, Scope scope) {
  P::FunctionHeaderContext* header = decl->functionHeader();
  if (header == nullptr || header->id == nullptr) return std::nullopt;
  ast::FunctionDecl result;
  result.is_synchronized = header->SYNCHRONIZED() != nullptr;
  result.is_atomic = first->getType() == P::ATOMIC;
  result.name = name(header->id);
  result.type_parameters = type_parameters(header->typeParameters());
  result.parameters = parameters(header->parameters());
  result.result = optional_type(header->result, header);
  if (!result.result && (header->exception != nullptr || junk_before(decl->block()))) {
    result.result = ast_.types.push({place(header), ast::ErrorType{}});
  }
  if (result.is_synchronized && scope != Scope::Class) {
    report(Code::MisplacedDeclaration, place(header->SYNCHRONIZED()->getSymbol()),
           "only a method can be `synchronized`: it holds the monitor of its object")
        .cure("write `with m { … }` inside the function");
    result.is_synchronized = false;
  }
  if (result.is_synchronized && result.is_atomic) {
    report(Code::MisplacedDeclaration, place(header->SYNCHRONIZED()->getSymbol()),
           "an atomic function cannot be `synchronized`, too")
        .cure("a call is one transition, so nobody comes between; delete `synchronized`");
    result.is_synchronized = false;
  }
  result.body = block(decl->block());
  const SourceRange whole = cover(place(first), place(decl));
  return ast_.decls.push({whole, doc_before(first), std::move(result)});
}

std::optional<ast::DeclId> Builder::constructor(P::ConstructorDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::Class, "a constructor outside of a class",
                "`init(…) { … }` is the constructor of a class; a function is `fun f(…) { … }`")) {
    return std::nullopt;
  }
  P::ConstructorHeaderContext* header = decl->constructorHeader();
  if (header == nullptr) return std::nullopt;
  ast::FunctionDecl result;
  result.is_init = true;
  result.name = {text(decl->start), place(decl->start)};
  result.parameters = parameters(header->parameters());
  result.body = block(decl->block());
  return add(decl, std::move(result));
}

std::vector<ast::Parameter> Builder::parameters(P::ParametersContext* list) {
  std::vector<ast::Parameter> result;
  if (list == nullptr) return result;
  for (P::ParameterContext* parameter : list->list) {
    if (parameter->id == nullptr) continue;
    ast::Parameter entry{name(parameter->id), optional_type(parameter->of, parameter)};
    if (!entry.type) {
      report(Code::MissingType, entry.name.range,
             fmt::format("the parameter `{}` has no type", entry.name.text))
          .cure(fmt::format("write `{}: int`", entry.name.text));
      entry.type = ast_.types.push({entry.name.range, ast::ErrorType{}});
    }
    // x[N][M]: T means x: T[N][M].
    for (P::DimensionContext* dimension : parameter->dimension()) {
      const ast::ExprId size = expression(dimension->size);
      entry.type = ast_.types.push({place(parameter), ast::ArrayType{*entry.type, size}});
    }
    result.push_back(entry);
  }
  return result;
}

std::vector<ast::TypeParameter> Builder::type_parameters(P::TypeParametersContext* list) {
  std::vector<ast::TypeParameter> result;
  if (list == nullptr) return result;
  for (P::TypeParameterContext* parameter : list->list) {
    if (parameter->id != nullptr) {
      result.push_back({parameter->CONST() != nullptr, name(parameter->id)});
    }
  }
  return result;
}

std::optional<ast::IndexDecl> Builder::index(P::IndexContext* context) {
  if (context == nullptr || context->id == nullptr) return std::nullopt;
  return ast::IndexDecl{name(context->id), range_or_hole(context->range(), context)};
}

std::optional<ast::DeclId> Builder::thread(antlr4::ParserRuleContext* decl,
                                           P::ThreadHeaderContext* header, P::BlockContext* body,
                                           bool daemon) {
  if (header == nullptr || header->id == nullptr) return std::nullopt;
  ast::ThreadDecl result;
  result.is_daemon = daemon;
  result.name = name(header->id);
  result.index = index(header->index());
  result.has_parameters = header->open != nullptr;
  result.parameters = parameters(header->parameters());
  result.body = block(body);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::process(P::ProcessDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "a process inside a declaration",
                "processes stand at top level")) {
    return std::nullopt;
  }
  P::ProcessHeaderContext* header = decl->processHeader();
  if (header == nullptr || header->id == nullptr) return std::nullopt;
  ast::ProcessDecl result{name(header->id), index(header->index()), {}};
  items(decl->item(), Scope::Process, result.members);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::class_declaration(antlr4::ParserRuleContext* decl,
                                                      P::ClassDeclContext* rest, bool is_atomic) {
  P::ClassHeaderContext* header = rest->classHeader();
  if (header == nullptr || header->id == nullptr) return std::nullopt;
  ast::ClassDecl result;
  result.is_atomic = is_atomic;
  result.name = name(header->id);
  result.type_parameters = type_parameters(header->typeParameters());
  items(rest->item(), Scope::Class, result.members);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::commutes(P::CommutesDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::Class, "`commutes` outside of a class",
                "it stands among the members of an `atomic class`")) {
    return std::nullopt;
  }
  ast::CommutesDecl result;
  for (P::CommutesMethodContext* method : decl->methods) {
    if (method->id == nullptr) continue;
    ast::CommutesDecl::Method entry{name(method->id), {}, place(method)};
    for (P::NameContext* parameter : method->names)
      entry.parameters.push_back(name(parameter));
    result.methods.push_back(std::move(entry));
  }
  if (result.methods.size() > 2) {
    report(Code::ClauseNotAllowed, result.methods[2].range, "`commutes` speaks of two methods")
        .cure("write one `commutes` line for each pair");
    result.methods.resize(2);
  }
  if (result.methods.empty()) return std::nullopt;
  if (decl->cond != nullptr) result.when = expression(decl->cond);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::invariant(P::InvariantDeclContext* decl) {
  ast::InvariantDecl result;
  if (decl->COLON() != nullptr) {  // what follows may be missing after a mistake
    result.name = label_before_colon(decl->first);
    result.condition = decl->second != nullptr ? expression(decl->second) : hole(place(decl));
  } else {
    result.condition = expression(decl->first);
  }
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::property(P::PropertyDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "a property inside a class or a process",
                "properties of classes stand at top level")) {
    return std::nullopt;
  }
  ast::PropertyDecl result;
  result.name = name(decl->id);
  result.of = type(decl->of);
  result.specification = type(decl->specification);
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::formula(P::FormulaDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "a property inside a class or a process",
                "properties of executions stand at top level")) {
    return std::nullopt;
  }
  ast::FormulaDecl result;
  result.name = name(decl->id);
  result.index = index(decl->index());
  in_formula_ = true;
  result.formula = decl->exception != nullptr ? hole(place(decl)) : expression(decl->formula);
  in_formula_ = false;
  result.fairness = fairness(decl->underFairness());
  return add(decl, std::move(result));
}

std::optional<ast::DeclId> Builder::terminates(P::TerminatesDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "`terminates` inside a class or a process",
                "it speaks of all threads, and stands at top level")) {
    return std::nullopt;
  }
  return add(decl, ast::TerminatesDecl{fairness(decl->underFairness())});
}

std::optional<ast::DeclId> Builder::fairness(P::FairnessDeclContext* decl, Scope scope) {
  if (misplaced(decl, scope != Scope::File, "`fairness` inside a class or a process",
                "it is the same for all threads, and stands at top level")) {
    return std::nullopt;
  }
  if (decl->kind == nullptr) return std::nullopt;
  return add(decl, ast::FairnessDecl{name(decl->kind)});
}

std::optional<ast::Name> Builder::fairness(P::UnderFairnessContext* under) const {
  if (under == nullptr || under->kind == nullptr) return std::nullopt;
  return name(under->kind);
}

std::optional<ast::DeclId> Builder::final_block(P::FinallyDeclContext* decl) {
  return add(decl, ast::FinallyDecl{block(decl->block())});
}

ast::DeclId Builder::add(antlr4::ParserRuleContext* context, decltype(ast::Decl::node) node) {
  return ast_.decls.push({place(context), doc_before(context->start), std::move(node)});
}

std::string Builder::doc_before(const antlr4::Token* token) const {
  const auto [first, last] =
      std::equal_range(tokens_.docs.begin(), tokens_.docs.end(),
                       DocComment{static_cast<std::uint32_t>(token->getTokenIndex()), {}},
                       [](const DocComment& a, const DocComment& b) { return a.next < b.next; });
  std::string doc;
  for (auto comment = first; comment != last; ++comment) {
    std::string_view line = comment->text.substr(3);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (comment != first) doc += '\n';
    doc += line;
  }
  return doc;
}

}  // namespace cml::syntax
