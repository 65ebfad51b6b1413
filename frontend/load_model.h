// AST to Model: loads the files that a model consists of, binds names, folds constants, checks
// types and the rules of the language (docs/reference.md). The one entrance to `frontend/sema/`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontend/diagnostic.h"
#include "frontend/model.h"
#include "frontend/source.h"
#include "support/expected.h"

namespace cml {

/// -D NAME=value, as text.
using Definitions = std::map<std::string, std::string, std::less<>>;

struct ReadError {
  std::string message;    // "cannot open `x.cml`: no such file"
  std::string cure = {};  // may be empty
};

/// What a model may read besides its main file.
enum class Imports : std::uint8_t {
  Inside,    // files in and below the folder of the main file, wherever symbolic links lead
  Anywhere,  // for models that are trusted
};

/// Reads a whole regular file of at most 16 MiB into `sources`; "-" is standard input, of any kind.
[[nodiscard]] Expected<FileId, ReadError> read_file(SourceSet& sources, const std::string& path);

/// Reads, parses and checks the model whose main file is `main`, with what it imports. If
/// `diagnostics` has errors afterwards the model must not be used any further.
[[nodiscard]] model::Model load_model(SourceSet& sources, FileId main,
                                      const Definitions& definitions, Diagnostics& diagnostics,
                                      Imports imports = Imports::Inside);

}  // namespace cml
