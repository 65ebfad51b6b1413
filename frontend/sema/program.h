// The files that a model consists of, parsed: the main file and everything it imports.
//
// `import std.x;` names a module of the embedded standard library, `import "f.cml";` a file
// relative to the importing one. A file is read once, however often and by whatever path it is
// imported; cycles are errors that show the cycle (docs/reference.md, "A model"). Names are not
// bound here.
//
// A model may come from anybody, and diagnostics quote what they are about: unless it is trusted,
// no file outside the folder of the main file is looked at, not even to see whether there is one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"
#include "frontend/load_model.h"
#include "frontend/source.h"
#include "support/ids.h"

namespace cml::sema {

using ModuleId = Id<struct ModuleTag>;

struct Import {
  ModuleId module;
  SourceRange where;
};

struct Module {
  std::string name;  // as in messages: "philosophers.cml", "std.rwlock"
  std::string path;  // without symbolic links; of the standard library, the name
  ast::Ast ast;
  std::vector<Import> imports;  // in the order of the text, each module once
};

struct Program {
  IdVector<ModuleId, Module> modules;  // the main file first
};

/// `unsaved`: texts that stand for files, by their paths without symbolic links.
[[nodiscard]] Program load_program(SourceSet& sources, FileId main, Imports imports,
                                   Diagnostics& diagnostics,
                                   const std::map<std::string, std::string>* unsaved = nullptr);

}  // namespace cml::sema
