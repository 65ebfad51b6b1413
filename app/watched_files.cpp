#include "app/watched_files.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "app/interruption.h"
#include "frontend/load_model.h"

namespace cml::app {
namespace {

constexpr std::chrono::milliseconds kMoment{100};

}  // namespace

bool wait_a_moment() {
  std::this_thread::sleep_for(kMoment);
  return !Interruption::flag();
}

WatchedFiles::Stamp WatchedFiles::stamp(const std::string& path) {
  struct stat file = {};
  if (::stat(path.c_str(), &file) != 0) return {};
  return {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size, file.st_ino};
}

WatchedFiles::WatchedFiles(const CheckOptions& options) {
  files_[options.model] = stamp(options.model);  // before it is read
  SourceSet sources;
  Diagnostics diagnostics;
  const auto main = read_file(sources, options.model);
  if (main)
    (void)load_model(sources, *main, options.definitions, diagnostics,
                     options.imports_outside ? Imports::Anywhere : Imports::Inside);
  for (std::uint32_t i = 0; i < sources.size(); ++i)
    if (const std::string name(sources.file(FileId(i)).name()); stamp(name) != Stamp())
      files_.emplace(name, stamp(name));
  if (main && !diagnostics.has_errors()) return;
  folder_ = std::filesystem::path(options.model).parent_path().string();
  if (folder_.empty()) folder_ = ".";
  begin_folder();
}

bool WatchedFiles::have_changed() const {
  return std::any_of(files_.begin(), files_.end(),
                     [](const auto& file) { return stamp(file.first) != file.second; });
}

bool WatchedFiles::has_anything_changed() const {
  return have_changed() || (!folder_.empty() && stamp(folder_) != folder_stamp_);
}

bool WatchedFiles::settle(const CheckOptions& options) {
  constexpr int kPatience = 20;  // moments, for an editor that writes its file anew
  for (int i = 0; i < kPatience; ++i) {
    const WatchedFiles now(options);
    if (!wait_a_moment()) return false;
    if (!now.have_changed() && stamp(options.model) != Stamp()) break;
  }
  return true;
}

}  // namespace cml::app
