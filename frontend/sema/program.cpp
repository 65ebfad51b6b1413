// Loading is depth first, so that the chain of imports that leads to a cycle is at hand when it
// closes. A module has an identity of its own (the canonical path, or the dotted name), its display
// name is how the user would name it.
#include "frontend/sema/program.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "frontend/load_model.h"
#include "frontend/parse.h"
#include "frontend/stdlib_embedded.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

namespace fs = std::filesystem;

/// Imports nest at most this deep: a chain that long is a generator gone wild.
constexpr std::size_t kMaxImportDepth = 200;

std::string dotted(const std::vector<ast::Name>& names) {
  std::string text;
  for (const ast::Name& name : names) {
    if (!text.empty()) text += '.';
    text += name.text;
  }
  return text;
}

class Loader {
 public:
  Loader(SourceSet& sources, Imports imports, Diagnostics& diagnostics,
         const std::map<std::string, std::string>* unsaved)
      : sources_(sources), imports_(imports), diagnostics_(diagnostics), unsaved_(unsaved) {}

  Program load(FileId main) {
    const std::string& name = sources_.file(main).name();
    std::error_code error;
    const fs::path folder = folder_of(name);
    root_ = canonical(folder.empty() ? fs::path(".") : folder, error);
    add(identity_of_file(name), name, main);
    return std::move(program_);
  }

 private:
  struct Step {
    std::string identity;
    ModuleId module;
  };

  /// Where the imports of this file are looked for.
  static fs::path folder_of(const std::string& name) {
    return name == "-" ? fs::path() : fs::path(name).parent_path();
  }

  /// Absolute, also where nothing of a relative path exists.
  static fs::path canonical(const fs::path& path, std::error_code& error) {
    const fs::path absolute = fs::absolute(path, error);
    return error ? fs::path() : fs::weakly_canonical(absolute, error);
  }

  static std::string identity_of_file(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(fs::path(path), error);
    return error ? path : canonical.string();
  }

  ModuleId add(std::string identity, std::string name, FileId file) {
    const ModuleId id =
        program_.modules.push({std::move(name), identity, parse(sources_, file, diagnostics_), {}});
    known_.emplace(identity, id);
    open_.push_back({std::move(identity), id});
    const std::vector<ast::DeclId> items = program_.modules[id].ast.items;
    for (ast::DeclId item : items) {
      // Copied, because loading another module moves the trees.
      const ast::Decl& decl = program_.modules[id].ast.decls[item];
      if (const auto* import = std::get_if<ast::ImportDecl>(&decl.node)) {
        const ast::ImportDecl copy = *import;
        load_import(id, copy, decl.range);
      }
    }
    open_.pop_back();
    return id;
  }

  void load_import(ModuleId importer, const ast::ImportDecl& import, SourceRange where) {
    if (import.file) {
      load_file(importer, *import.file);
    } else if (!import.module.empty()) {
      load_module(importer, import, where);
    }
  }

  void load_file(ModuleId importer, const ast::StringLiteral& file) {
    if (file.value.empty() || file.value.find('\0') != std::string::npos) {
      diagnostics_.report(Code::ModuleNotFound, file.range, "an import names no file");
      return;
    }
    const std::string& importing = program_.modules[importer].name;
    if (standard_.contains(importer)) {
      diagnostics_.report(Code::ModuleNotFound, file.range,
                          "a module of the standard library imports no files");
      return;
    }
    std::string path = (folder_of(importing) / file.value).string();
    if (path == "-") path = "./-";  // a file, not standard input
    if (imports_ == Imports::Inside && !is_inside(path)) {
      diagnostics_
          .report(Code::ModuleNotFound, file.range,
                  fmt::format("`{}` is outside the folder of the model, where imports are not "
                              "looked for",
                              path))
          .cure("for models that you trust, `--allow-imports-outside` allows it");
      return;
    }
    const std::string identity = identity_of_file(path);
    if (reuse(importer, identity, file.range)) return;
    std::error_code error;
    if (fs::is_directory(fs::path(path), error)) {
      diagnostics_.report(Code::ModuleNotFound, file.range,
                          fmt::format("`{}` is a directory, not a model file", path));
      return;
    }
    if (too_deep(file.range)) return;
    auto text = read(path, identity);
    if (!text) {
      auto& report = diagnostics_.report(Code::ModuleNotFound, file.range, text.error().message);
      report.cure("the path is relative to the folder of the importing file");
      return;
    }
    pending_.push_back({importer, program_.modules.next_id(), file.range});
    link(importer, add(identity, path, *text), file.range);
  }

  Expected<FileId, ReadError> read(const std::string& path, const std::string& identity) {
    if (unsaved_ != nullptr)
      if (const auto text = unsaved_->find(identity); text != unsaved_->end())
        return sources_.add(path, text->second);
    return read_file(sources_, path);
  }

  /// Wherever its symbolic links lead. A path that cannot be followed is not.
  [[nodiscard]] bool is_inside(const std::string& path) const {
    std::error_code error;
    const fs::path target = canonical(path, error);
    return !error && !root_.empty() &&
           std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first ==
               root_.end();
  }

  void load_module(ModuleId importer, const ast::ImportDecl& import, SourceRange where) {
    const std::string name = dotted(import.module);
    if (import.module.back().text.empty()) return;  // a syntax error was reported
    const SourceRange place = import.module.size() > 1
                                  ? cover(import.module.front().range, import.module.back().range)
                                  : import.module.front().range;
    if (reuse(importer, name, where)) return;
    for (const EmbeddedModule& module : embedded_stdlib()) {
      if (module.name != name) continue;
      if (too_deep(where)) return;
      const FileId file = sources_.add(name, std::string(module.text), Origin::Library);
      pending_.push_back({importer, program_.modules.next_id(), where});
      standard_.insert(program_.modules.next_id());
      link(importer, add(name, name, file), where);
      return;
    }
    auto& report = diagnostics_.report(Code::ModuleNotFound, place,
                                       fmt::format("there is no module `{}`", name));
    Suggestion suggestion(name);
    for (const EmbeddedModule& module : embedded_stdlib())
      suggestion.consider(module.name);
    if (suggestion.best()) {
      report.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
    } else {
      report.cure(
          "modules are those of the standard library; a file is imported as `import "
          "\"name.cml\";`");
    }
  }

  bool too_deep(SourceRange where) {
    if (open_.size() < kMaxImportDepth) return false;
    diagnostics_.report(Code::ImportCycle, where,
                        fmt::format("imports nest deeper than {} files", kMaxImportDepth));
    return true;
  }

  /// True if the module is loaded already or being loaded, which is a cycle.
  bool reuse(ModuleId importer, const std::string& identity, SourceRange where) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].identity == identity) {
        report_cycle(i, where);
        return true;
      }
    }
    const auto found = known_.find(identity);
    if (found == known_.end()) return false;
    link(importer, found->second, where);
    return true;
  }

  void report_cycle(std::size_t start, SourceRange where) {
    const auto name = [&](std::size_t i) { return program_.modules[open_[i].module].name; };
    if (start + 1 == open_.size()) {
      diagnostics_.report(Code::ImportCycle, where, fmt::format("`{}` imports itself", name(start)))
          .cure("remove this import");
      return;
    }
    std::string chain;
    for (std::size_t i = start; i < open_.size(); ++i)
      chain += name(i) + " → ";
    auto& report = diagnostics_.report(
        Code::ImportCycle, where,
        fmt::format("this import closes a cycle: {}{}; imports must not be cyclic", chain,
                    name(start)));
    for (std::size_t i = start; i + 1 < open_.size(); ++i) {
      for (const Pending& pending : pending_) {
        if (pending.from == open_[i].module && pending.to == open_[i + 1].module) {
          report.also(pending.where, fmt::format("`{}` imports `{}` here", name(i), name(i + 1)));
        }
      }
    }
    report.cure("move what both need into a file that both import");
  }

  void link(ModuleId importer, ModuleId imported, SourceRange where) {
    auto& imports = program_.modules[importer].imports;
    for (const Import& import : imports) {
      if (import.module == imported) return;
    }
    imports.push_back({imported, where});
  }

  struct Pending {
    ModuleId from;
    ModuleId to;
    SourceRange where;
  };

  SourceSet& sources_;
  Imports imports_;
  Diagnostics& diagnostics_;
  const std::map<std::string, std::string>* unsaved_;
  std::filesystem::path root_;  // the folder of the main file, without symbolic links
  Program program_;
  std::map<std::string, ModuleId> known_;
  std::set<ModuleId> standard_;
  std::vector<Step> open_;  // the chain of imports that is being followed
  std::vector<Pending> pending_;
};

}  // namespace

Program load_program(SourceSet& sources, FileId main, Imports imports, Diagnostics& diagnostics,
                     const std::map<std::string, std::string>* unsaved) {
  return Loader(sources, imports, diagnostics, unsaved).load(main);
}

}  // namespace cml::sema
