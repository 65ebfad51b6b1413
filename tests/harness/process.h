// Running the real program (or any other) from a test, and a folder to do it in.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cml::test {

inline constexpr int kWrong = 2;  // the exit status of cml for a model or a call that is wrong

struct ProcessResult {
  int status = -1;  // the exit status; 128 + N when signal N ended it
  std::string out;
  std::string err;
  bool timed_out = false;
};

struct ProcessOptions {
  std::string input;                     // what it reads on stdin
  std::filesystem::path folder;          // where it runs; empty: here
  std::vector<std::string> environment;  // NAME=value, besides what the test has
  std::chrono::seconds limit{60};        // after which it is killed
};

// arguments[0] is the program, looked up in PATH when it has no slash.
[[nodiscard]] ProcessResult run(const std::vector<std::string>& arguments,
                                const ProcessOptions& options = {});

// A new folder below the system's temporary one; gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file of that name into the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// Runs a script of bash in the folder.
[[nodiscard]] ProcessResult shell(const std::string& script, const TemporaryFolder& folder);

// How many files and folders are in a folder.
[[nodiscard]] std::size_t entries(const std::filesystem::path& folder);

// The whole text of a file; empty when there is none.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace cml::test
