#include "ir/promela/names.h"

#include <algorithm>
#include <array>

namespace cml::ir::promela {
namespace {

// Words of Promela, of C, and what SPIN's C code or our own text calls something else.
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
     "W"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == ']') continue;
    name += is_letter(c) || is_digit(c) ? c : '_';
  }
  // An underscore in front is SPIN's.
  if (name.empty() || !is_letter(name.front())) name.insert(0, "x");
  return name;
}

std::string Names::unique(std::string_view wanted) {
  std::string name = identifier(wanted);
  const bool is_reserved = std::ranges::find(kReserved, name) != kReserved.end();
  if (!is_reserved && taken_.insert(name).second) return name;
  for (unsigned number = 1;; ++number) {
    std::string numbered = name + "_" + std::to_string(number);
    if (taken_.insert(numbered).second) return numbered;
  }
}

}  // namespace cml::ir::promela
