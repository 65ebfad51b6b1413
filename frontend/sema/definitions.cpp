// `-D NAME=value`: other values for top-level constants of the main file (docs/reference.md,
// "Constants"). What is wrong with one has no place in a file, so it is reported at the beginning
// of the main file.
#include <cctype>
#include <fmt/format.h>
#include <limits>

#include "frontend/sema/sema.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

/// A decimal or hexadecimal number with an optional sign, as in the language.
std::optional<std::int32_t> parse_number(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::int64_t base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    std::int64_t digit = 0;
    if (c == '_') continue;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (base == 16 && std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digit = std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    } else {
      return std::nullopt;
    }
    value = value * base + digit;
    if (value > std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1) return std::nullopt;
  }
  if (negative) value = -value;
  if (value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

}  // namespace

void Sema::apply_definitions() {
  const ModuleId main(0);
  const SourceRange start{tree(main).file, 0, 0};
  for (const auto& [name, text] : definitions_) {
    const auto found = scopes_[main].find(name);
    if (found != scopes_[main].end() && symbols_[found->second].kind == SymbolKind::Constant) {
      defined_.emplace(found->second, text);
      continue;
    }
    Suggestion suggestion(name);
    for (const auto& [known, symbol] : scopes_[main]) {
      if (symbols_[symbol].kind == SymbolKind::Constant) suggestion.consider(known);
    }
    auto& diagnostic = report(
        Code::UnknownDefinition, start,
        fmt::format("`-D {}={}` sets no constant: the main file declares no top-level `const {}`",
                    name, text, name));
    if (suggestion.best()) {
      diagnostic.cure(fmt::format("did you mean `-D {}={}`?", *suggestion.best(), text));
    }
  }
}

std::optional<model::Value> Sema::parse_definition(const Symbol& symbol, TypeId type,
                                                   const std::string& text) {
  const SourceRange start{tree(ModuleId(0)).file, 0, 0};
  const auto bad = [&](const std::string& why) {
    report(Code::BadDefinition, start, fmt::format("`-D {}={}`: {}", symbol.name, text, why))
        .also(symbol.where, fmt::format("`{}` is declared here", symbol.name));
    return std::nullopt;
  };
  if (const auto* range = as<model::IntType>(type)) {
    const auto number = parse_number(text);
    if (!number) return bad("the value is no 32-bit integer");
    if (*number < range->lo || *number > range->hi) {
      return bad(fmt::format("the value is outside `{}`", name_of(type)));
    }
    return model::Value{model::Value::Kind::Int, *number, {}};
  }
  if (const auto* mod = as<model::ModType>(type)) {
    const auto number = parse_number(text);
    if (!number) return bad("the value is no 32-bit integer");
    return model::Value{model::Value::Kind::Int, model::wrapped(*number, mod->last), {}};
  }
  if (as<model::BoolType>(type) != nullptr) {
    if (text != "true" && text != "false") return bad("the value is neither `true` nor `false`");
    return model::Value{model::Value::Kind::Bool, text == "true" ? 1 : 0, {}};
  }
  if (const auto* enumeration = as<model::EnumType>(type)) {
    const model::Enum& e = model_.enums[enumeration->decl];
    std::string_view wanted = text;
    const std::string prefix = e.name + ".";
    if (wanted.starts_with(prefix)) wanted.remove_prefix(prefix.size());
    for (std::size_t i = 0; i < e.enumerators.size(); ++i) {
      if (e.enumerators[i] == wanted) {
        return model::Value{model::Value::Kind::Enum, static_cast<std::int32_t>(i), {}};
      }
    }
    return bad(fmt::format("the value is no enumerator of `{}`", e.name));
  }
  return bad(fmt::format("a constant of type `{}` cannot be set from outside", name_of(type)));
}

}  // namespace cml::sema
