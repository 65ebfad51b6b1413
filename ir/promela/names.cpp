#include "ir/promela/names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace cml::ir::promela {
namespace {

// Words of Promela and of C, and names that SPIN's C code or the exported text use for something
// else.
constexpr std::array kReserved = std::to_array<std::string_view>(
    {"D_proctype", "STDIN",       "acquire",  "active",   "always",
     "assert",     "at",          "atomic",   "auto",     "available",
     "bit",        "bool",        "break",    "byte",     "c_code",
     "c_decl",     "c_expr",      "c_state",  "c_track",  "case",
     "chan",       "char",        "const",    "continue", "d_proctype",
     "d_step",     "default",     "do",       "double",   "else",
     "empty",      "enabled",     "end",      "enum",     "equivalent",
     "eval",       "eventually",  "extern",   "false",    "fi",
     "float",      "for",         "free",     "full",     "get_priority",
     "goto",       "hidden",      "if",       "implies",  "in",
     "init",       "inline",      "int",      "len",      "local",
     "Lock",       "long",        "ltl",      "main",     "me",
     "mine",       "mtype",       "nempty",   "never",    "nfull",
     "noclaim",    "notrace",     "now",      "np_",      "od",
     "of",         "pc_value",    "pid",      "printf",   "printm",
     "priority",   "proctype",    "provided", "register", "release",
     "restrict",   "return",      "run",      "select",   "set_priority",
     "short",      "show",        "signed",   "sizeof",   "skip",
     "static",     "stronguntil", "struct",   "switch",   "timeout",
     "trace",      "true",        "typedef",  "union",    "unless",
     "unsigned",   "until",       "void",     "volatile", "weakuntil",
     "while",      "xr",          "xs",       "ENDED",    "STOPPED",
     "ASSUMED",    "DIVERGED",    "NOTIFIED", "State",    "Trans",
     "uchar",      "uint",        "ushort",   "max",      "min",
     "Index",      "Version",     "V",        "U",        "X",
     "W",          "unix",        "linux",    "errno",    "stdin",
     "stdout",     "stderr",      "ulong",    "wasnew",   "UnBlock",
     "StackSize",  "Pclaim",      "PanSource"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool has_small_letter(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// What SPIN's C code, or a header, may have for a macro: WS, MA, NULL.
bool may_be_macro(std::string_view name) { return name.size() > 1 && !has_small_letter(name); }

/// Violations are called so: "range_at_12_5".
bool may_be_violation(std::string_view name) {
  return name.find("_at_") != std::string_view::npos && is_digit(name.back());
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == ']') continue;
    name += is_letter(c) || is_digit(c) ? c : '_';
  }
  // Names that begin with an underscore are reserved for SPIN.
  if (name.empty() || !is_letter(name.front())) name.insert(0, "x");
  return name;
}

bool Names::is_free(const std::string& name) const {
  return std::ranges::find(kReserved, name) == kReserved.end() && !taken_.contains(name);
}

std::string Names::unique(std::string_view wanted) {
  std::string name = identifier(wanted);
  if (may_be_violation(name)) name += '_';
  const std::string_view letter = has_small_letter(name) ? "" : "n";
  std::string result = name;
  for (unsigned number = 1; !is_free(result) || may_be_macro(result); ++number)
    result = fmt::format("{}_{}{}", name, letter, number);
  taken_.insert(result);
  return result;
}

std::string Names::process(std::string_view wanted) {
  const std::string name = identifier(wanted);
  std::string result = name;
  for (unsigned number = 1; !is_free(result) || !is_free("P" + result); ++number)
    result = fmt::format("{}_{}", name, number);
  taken_.insert(result);
  taken_.insert("P" + result);
  return result;
}

}  // namespace cml::ir::promela
