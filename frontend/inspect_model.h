// A model as editors want it: like load_model (frontend/load_model.h), with the trees of all files
// and what their names mean; also of text that has errors, as far as it is understood.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"
#include "frontend/load_model.h"
#include "frontend/model.h"
#include "frontend/name_index.h"
#include "frontend/source.h"

namespace cml {

/// Text that stands for a file, by its path without symbolic links: what an editor has not saved.
using UnsavedTexts = std::map<std::string, std::string>;

struct InspectedFile {
  std::string path;  // without symbolic links; of the standard library, the module's name
  ast::Ast tree;
};

struct InspectedModel {
  std::vector<InspectedFile> files;  // the main file first
  model::Model model;                // if there are errors, not for the lowering
  NameIndex names;
};

/// `asked`: a word in the text that stands for a cursor (NameIndex::asked).
[[nodiscard]] InspectedModel inspect_model(SourceSet& sources, FileId main,
                                           const UnsavedTexts& unsaved, Diagnostics& diagnostics,
                                           std::string asked = {});

}  // namespace cml
