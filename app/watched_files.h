// The files of a model, and whether they have changed. They are looked at now and then: that works
// on file systems that report no changes, and a model has few.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "app/check_options.h"

namespace cml::app {

class WatchedFiles {
 public:
  /// Of the model as it is now: its main file, and what it imports. If it has errors, its folder as
  /// well, where a file that it imports may appear.
  explicit WatchedFiles(const CheckOptions& options);

  /// Whether one of them is another than it was.
  [[nodiscard]] bool have_changed() const;
  /// Likewise, or something has come to the folder, or gone, since the last call of begin_folder().
  [[nodiscard]] bool has_anything_changed() const;
  /// What was written to the folder until now, such as a report, is no change.
  void begin_folder() { folder_stamp_ = stamp(folder_); }
  /// Waits until they stay as they are, and the main file is there. False: there was a signal.
  [[nodiscard]] static bool settle(const CheckOptions& options);

 private:
  /// When it was written, its size and its number; zeros: it is not there.
  using Stamp = std::tuple<long, long, long, unsigned long>;
  [[nodiscard]] static Stamp stamp(const std::string& path);

  std::map<std::string, Stamp> files_;
  std::string folder_;  // empty: it does not matter
  Stamp folder_stamp_;
};

/// A moment in which nothing happens. False: there was a signal.
[[nodiscard]] bool wait_a_moment();

}  // namespace cml::app
