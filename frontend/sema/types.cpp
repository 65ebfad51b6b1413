// Types: from the AST to interned types of the model, and what may be done with values of them
// (docs/reference.md, "Types and values").
#include <fmt/format.h>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"
#include "support/overloaded.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

/// Two words that tell apart all types of one kind.
std::pair<std::uint64_t, std::uint64_t> words(const model::Type& type) {
  using Words = std::pair<std::uint64_t, std::uint64_t>;
  return std::visit(
      Overloaded{
          [](const model::IntType& t) -> Words {
            return {static_cast<std::uint32_t>(t.lo), static_cast<std::uint32_t>(t.hi)};
          },
          [](const model::ModType& t) -> Words {
            return {static_cast<std::uint32_t>(t.last), 0};
          },
          [](const model::SetType& t) -> Words {
            return {static_cast<std::uint32_t>(t.size), 0};
          },
          [](const model::EnumType& t) -> Words {
            return {t.decl.index, 0};
          },
          [](const model::StructType& t) -> Words {
            return {t.decl.index, 0};
          },
          [](const model::ClassType& t) -> Words {
            return {t.decl.index, t.nullable ? 1U : 0U};
          },
          [](const model::ThreadType& t) -> Words {
            return {t.nullable ? 1U : 0U, 0};
          },
          [](const model::LockType& t) -> Words {
            return {t.is_mutex ? 1U : 0U, 0};
          },
          [](const model::ChannelType& t) -> Words {
            return {t.element.index, 0};
          },
          [](const model::ArrayType& t) -> Words {
            return {t.element.index, t.size};
          },
          [](const auto&) -> Words {
            return {0, 0};
          },
      },
      type);
}

}  // namespace

TypeId Sema::intern(const model::Type& type) {
  const auto [first, second] = words(type);
  const auto [place, fresh] =
      interned_.try_emplace({type.index(), first, second}, model_.types.next_id());
  if (fresh) model_.types.push(type);
  return place->second;
}

TypeId Sema::resolve_type(ast::TypeId id) {
  const ast::Type& type = tree().types[id];
  return std::visit(
      Overloaded{
          [&](const ast::ErrorType&) { return error_; },
          [&](const ast::BoolType&) { return bool_; },
          [&](const ast::IntType& t) {
            if (!t.bounds) return int_;
            const auto range = constant_range(*t.bounds, "a bound of a range");
            if (!range) return error_;
            if (range->hi < range->lo) {
              report(Code::EmptyRange, t.bounds->range,
                     fmt::format("the range {}..{} is empty: its low end is above its high end",
                                 range->lo, range->hi))
                  .cure("write the smaller bound first");
              return error_;
            }
            return intern(model::IntType{static_cast<std::int32_t>(range->lo),
                                         static_cast<std::int32_t>(range->hi)});
          },
          [&](const ast::ModType& t) { return resolve_mod(t); },
          [&](const ast::SetType& t) { return resolve_set(t); },
          [&](const ast::ThreadType&) { return thread_; },
          [&](const ast::LockType&) { return lock_; },
          [&](const ast::SemaphoreType&) { return semaphore_; },
          [&](const ast::ChannelType& t) {
            if (!t.element.valid()) return intern(model::ChannelType{void_});
            const TypeId element = resolve_type(t.element);
            if (is_error(element)) return error_;
            if (!storable(element, tree().types[t.element].range, "a channel")) return error_;
            return intern(model::ChannelType{element});
          },
          [&](const ast::NamedType& t) { return resolve_named(t, type.range); },
          [&](const ast::NullableType& t) {
            const TypeId inner = resolve_type(t.inner);
            if (const auto* cls = as<model::ClassType>(inner)) {
              return intern(model::ClassType{cls->decl, true});
            }
            if (as<model::ThreadType>(inner) != nullptr) return intern(model::ThreadType{true});
            if (!is_error(inner)) {
              report(Code::NotNullable, type.range,
                     fmt::format("`{}` cannot be null: only classes and `thread` take `?`",
                                 name_of(inner)))
                  .cure("use a value of the type that stands for nothing, or a `bool` beside it");
            }
            return error_;
          },
          [&](const ast::ArrayType&) {
            // T[N][M] is an array of N arrays of M, but nests the other way round in the tree.
            std::vector<ast::ExprId> dimensions;
            ast::TypeId element = id;
            while (const auto* array = std::get_if<ast::ArrayType>(&tree().types[element].node)) {
              dimensions.insert(dimensions.begin(), array->size);
              element = array->element;
            }
            return with_dimensions(resolve_type(element), dimensions);
          },
      },
      type.node);
}

TypeId Sema::resolve_named(const ast::NamedType& named, SourceRange range, bool) {
  if (named.name.text.empty()) return error_;
  if (const Binding* binding = find_binding(env(), named.name.text)) {
    saw(named.name.range, binding->where);
    if (binding->is_const) {
      report(Code::WrongKindOfName, named.name.range,
             fmt::format("`{}` is a constant parameter, not a type", named.name.text))
          .also(binding->where, "declared here");
      return error_;
    }
    if (!named.arguments.empty()) {
      report(Code::WrongTypeArguments, range,
             fmt::format("the type parameter `{}` takes no arguments", named.name.text));
      return error_;
    }
    return binding->type;
  }
  const SymbolId symbol = find_symbol(env(), named.name.text);
  if (!symbol.valid()) {
    if (named.name.text == "mutex" && named.arguments.empty()) return mutex_;
    if (named.name.text == "condition" && named.arguments.empty()) return condition_;
    if (named.name.text == "rwlock" && named.arguments.empty()) return rwlock_;
    report_unknown(named.name, "type", true);
    return error_;
  }
  const SymbolKind kind = symbols_[symbol].kind;
  saw(named.name.range, symbols_[symbol].where);
  if (kind != SymbolKind::Class && !named.arguments.empty()) {
    report(Code::WrongTypeArguments, range,
           fmt::format("`{}` takes no type arguments: only classes do", named.name.text))
        .also(symbols_[symbol].where, "declared here");
    return error_;
  }
  switch (kind) {
    case SymbolKind::Enum:
      declare_enum(symbol);
      return intern(model::EnumType{symbols_[symbol].enumeration});
    case SymbolKind::Struct: {
      const bool recursive = symbols_[symbol].progress == Progress::Busy;
      declare_struct(symbol);
      if (recursive) return error_;
      return intern(model::StructType{symbols_[symbol].structure});
    }
    case SymbolKind::Class:
      return resolve_class(symbol, named, range);
    default: {
      auto& diagnostic = report(Code::WrongKindOfName, named.name.range,
                                fmt::format("`{}` is not a type", named.name.text));
      diagnostic.also(symbols_[symbol].where, "declared here");
      if (kind == SymbolKind::Thread) diagnostic.cure("the type of a handle is `thread`");
      return error_;
    }
  }
}

TypeId Sema::resolve_class(SymbolId symbol, const ast::NamedType& named, SourceRange range) {
  const auto& decl = std::get<ast::ClassDecl>(decl_of(symbols_[symbol]).node);
  const auto& parameters = decl.type_parameters;
  if (named.arguments.size() != parameters.size()) {
    std::string wanted;
    for (const ast::TypeParameter& parameter : parameters) {
      wanted += wanted.empty() ? "" : ", ";
      wanted += (parameter.is_const ? "const " : "") + std::string(parameter.name.text);
    }
    report(Code::WrongTypeArguments, range,
           fmt::format("`{}` takes {} type argument{}, not {}", named.name.text, parameters.size(),
                       parameters.size() == 1 ? "" : "s", named.arguments.size()))
        .also(decl.name.range, parameters.empty()
                                   ? std::string("declared without parameters")
                                   : fmt::format("declared as `{}<{}>`", decl.name.text, wanted));
    return error_;
  }
  std::vector<Binding> bindings;
  bool good = true;
  bool unknown = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Binding binding{parameters[i].name.text, parameters[i].name.range, parameters[i].is_const,
                    error_, Constant{error_, std::nullopt}};
    const auto* type_argument = std::get_if<ast::TypeId>(&named.arguments[i]);
    const auto* expr_argument = std::get_if<ast::ExprId>(&named.arguments[i]);
    if (!binding.is_const && type_argument != nullptr) {
      binding.type = resolve_type(*type_argument);
      if (is_error(binding.type)) {
        unknown = true;
      } else {
        good =
            storable(binding.type, tree().types[*type_argument].range, "a type argument") && good;
      }
    } else if (binding.is_const && expr_argument != nullptr) {
      binding.constant = constant(*expr_argument);
      unknown = unknown || !binding.constant.value;
    } else if (binding.is_const && type_argument != nullptr) {
      // A bare name can be a constant.
      const ast::Type& type = tree().types[*type_argument];
      const auto* bare = std::get_if<ast::NamedType>(&type.node);
      if (bare == nullptr || !bare->arguments.empty()) {
        report(Code::WrongTypeArguments, type.range,
               fmt::format("`{}` is a constant parameter; a type was given", binding.name))
            .also(binding.where, "declared here");
        good = false;
        continue;
      }
      const ExprId checked = name(ast::NameExpr{bare->name}, type.range, {});
      binding.constant =
          is_error(checked) ? Constant{error_, std::nullopt} : evaluate_checked(checked);
      unknown = unknown || !binding.constant.value;
    } else if (expr_argument != nullptr) {
      report(Code::WrongTypeArguments, ast_expr(*expr_argument).range,
             fmt::format("`{}` is a type parameter; a value was given", binding.name))
          .also(binding.where, "declared here");
      good = false;
      continue;
    }
    if (binding.is_const && as<model::IntType>(binding.constant.type) != nullptr) {
      binding.constant.type = int_;
    }
    bindings.push_back(std::move(binding));
  }
  if (!good || bindings.size() != parameters.size()) return error_;
  // Arguments that are unknown (an error, or a parameter of what encloses this) make an unknown
  // type.
  if (unknown) return error_;
  const model::ClassId cls = instantiate(symbol, std::move(bindings), range);
  return cls.valid() ? intern(model::ClassType{cls, false}) : error_;
}

TypeId Sema::with_dimensions(TypeId element, std::span<const ast::ExprId> dimensions) {
  // x[N][M]: the last dimension is the innermost array.
  for (std::size_t i = dimensions.size(); i > 0; --i)
    element = array_of(element, dimensions[i - 1]);
  return element;
}

TypeId Sema::array_of(TypeId element, ast::ExprId size) {
  const auto count = constant_int(size, "the size of an array");
  const SourceRange where = ast_expr(size).range;
  if (!count) return error_;
  if (*count < 1) {
    report(Code::BadSize, where,
           fmt::format("an array of {} elements: the size must be at least 1", *count));
    return error_;
  }
  if (is_error(element)) return error_;
  if (static_cast<std::uint64_t>(*count) > kMaxElements) {
    report(Code::TooLarge, where,
           fmt::format("an array of {} elements: the limit is {}", *count, kMaxElements))
        .cure(
            "models are explored state by state; a handful of elements usually shows the problem");
    return error_;
  }
  const TypeId array = intern(model::ArrayType{element, static_cast<std::uint32_t>(*count)});
  return limit_elements(array, 1, where, "this array") ? array : error_;
}

bool Sema::limit_elements(TypeId type, std::uint64_t factor, SourceRange where,
                          std::string_view what) {
  const std::uint64_t count = model::scalar_count(model_, type);
  if (count * factor <= kMaxElements) return true;
  report(
      Code::TooLarge, where,
      fmt::format("{} has {}{} elements in total; the limit is {}", what,
                  count >= model::kManyScalars ? "more than " : "", count * factor, kMaxElements))
      .cure("models are explored state by state; a handful of elements usually shows the problem");
  return false;
}

bool Sema::limit_value(TypeId type, SourceRange where, std::string_view what) {
  if (is_error(element_of(type)) || is_handle(element_of(type))) return true;
  const std::uint64_t count = model::scalar_count(model_, type);
  if (count <= kMaxValue) return true;
  report(Code::TooLarge, where,
         fmt::format("{} has {} elements; the limit is {} for what is read, written or kept as one "
                     "value",
                     what, count, kMaxValue))
      .cure(
          "declare large arrays as `shared` or `atomic` objects: there each element stands alone");
  return false;
}

void Sema::declare_enum(SymbolId id) {
  if (symbols_[id].progress != Progress::Fresh) return;
  symbols_[id].progress = Progress::Done;
  const auto& decl = std::get<ast::EnumDecl>(decl_of(symbols_[id]).node);
  model::Enum result{std::string(decl.name.text), {}};
  std::map<std::string_view, SourceRange> seen;
  for (const ast::Name& name : decl.enumerators) {
    const auto [place, fresh] = seen.emplace(name.text, name.range);
    if (!fresh) {
      report(Code::DuplicateName, name.range,
             fmt::format("`{}` stands twice in this enum", name.text))
          .also(place->second, "the first one");
      continue;
    }
    result.enumerators.emplace_back(name.text);
  }
  if (result.enumerators.empty()) result.enumerators.emplace_back("?");  // reported by the parser
  symbols_[id].enumeration = model_.enums.push(std::move(result));
}

void Sema::declare_struct(SymbolId id) {
  const auto& decl = std::get<ast::StructDecl>(decl_of(symbols_[id]).node);
  if (symbols_[id].progress == Progress::Done) return;
  if (symbols_[id].progress == Progress::Busy) {
    std::size_t start = evaluating_.size();
    while (start > 0 && evaluating_[start - 1].where != decl.name.range)
      --start;
    if (start > 0) --start;
    std::string chain;
    for (std::size_t i = start; i < evaluating_.size(); ++i)
      chain += evaluating_[i].name + " → ";
    auto& diagnostic = report(Code::RecursiveStruct, decl.name.range,
                              fmt::format("the struct `{}` contains itself: {}{}", decl.name.text,
                                          chain, decl.name.text));
    for (std::size_t i = start + 1; i < evaluating_.size(); ++i) {
      diagnostic.also(evaluating_[i].where, fmt::format("by way of `{}`", evaluating_[i].name));
    }
    diagnostic.cure("a struct is a value; use a class, whose fields may be references");
    return;
  }
  symbols_[id].progress = Progress::Busy;
  if (evaluating_.size() >= kMaxStructDepth) {
    report(Code::TooLarge, decl.name.range,
           fmt::format("structs contain each other more than {} levels deep", kMaxStructDepth));
    symbols_[id].structure = model_.structs.push({std::string(decl.name.text), {}});
    symbols_[id].progress = Progress::Done;
    return;
  }
  evaluating_.push_back({std::string(decl.name.text), decl.name.range});
  Enter enter(*this, Context{CodeKind::Clause, env_of(id)});
  const model::StructId structure = model_.structs.push({std::string(decl.name.text), {}});
  symbols_[id].structure = structure;
  std::map<std::string_view, SourceRange> seen;
  std::vector<model::Struct::Field> fields;
  for (const ast::StructDecl::Field& field : decl.fields) {
    const auto [place, fresh] = seen.emplace(field.name.text, field.name.range);
    if (!fresh) {
      report(Code::DuplicateName, field.name.range,
             fmt::format("the field `{}` is declared twice", field.name.text))
          .also(place->second, "the first one");
      continue;
    }
    TypeId type = resolve_type(field.type);
    if (!is_error(type) && !storable(type, tree().types[field.type].range, "a field of a struct")) {
      type = error_;
    }
    fields.push_back({std::string(field.name.text), with_dimensions(type, field.dimensions)});
  }
  if (decl.fields.empty()) {
    report(Code::EmptyStruct, decl.name.range,
           fmt::format("the struct `{}` has no fields: it needs at least one", decl.name.text));
  }
  model_.structs[structure].fields = std::move(fields);
  if (!limit_elements(intern(model::StructType{structure}), 1, decl.name.range, "this struct")) {
    model_.structs[structure].fields.clear();
  }
  evaluating_.pop_back();
  symbols_[id].progress = Progress::Done;
}

bool Sema::is_handle(TypeId type) const {
  return as<model::LockType>(type) != nullptr || as<model::RwLockType>(type) != nullptr ||
         as<model::ConditionType>(type) != nullptr || as<model::SemaphoreType>(type) != nullptr ||
         as<model::ChannelType>(type) != nullptr;
}

TypeId Sema::element_of(TypeId type) const {
  while (const auto* array = as<model::ArrayType>(type))
    type = array->element;
  return type;
}

bool Sema::storable(TypeId type, SourceRange where, std::string_view what) {
  const TypeId element = element_of(type);
  if (is_error(element)) return false;
  if (is_handle(element)) {
    report(Code::BadElementType, where,
           fmt::format("{} cannot hold a `{}`: locks, semaphores and channels live only in their "
                       "declarations, in parameters and in `let`",
                       what, name_of(element)))
        .cure("declare the objects as an array and store an index");
    return false;
  }
  return true;
}

bool Sema::has_default(TypeId type) const {
  type = element_of(type);
  if (const auto* cls = as<model::ClassType>(type)) return cls->nullable;
  if (const auto* handle = as<model::ThreadType>(type)) return handle->nullable;
  if (const auto* record = as<model::StructType>(type)) {
    for (const model::Struct::Field& field : model_.structs[record->decl].fields) {
      if (!has_default(field.type)) return false;
    }
  }
  return true;
}

bool Sema::carries_references(TypeId type) const {
  type = element_of(type);
  if (as<model::ClassType>(type) != nullptr || as<model::ThreadType>(type) != nullptr) return true;
  if (const auto* record = as<model::StructType>(type)) {
    for (const model::Struct::Field& field : model_.structs[record->decl].fields) {
      if (carries_references(field.type)) return true;
    }
  }
  return false;
}

bool Sema::comparable(TypeId type) const {
  if (as<model::ArrayType>(type) != nullptr || is_handle(type)) return false;
  if (const auto* record = as<model::StructType>(type)) {
    for (const model::Struct::Field& field : model_.structs[record->decl].fields) {
      if (!comparable(field.type)) return false;
    }
  }
  return as<model::VoidType>(type) == nullptr;
}

}  // namespace cml::sema
