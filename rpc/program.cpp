#include "rpc/program.h"

#include <algorithm>
#include <sys/wait.h>
#include <unistd.h>

namespace cml::rpc {

std::unique_ptr<Program> Program::start(const std::vector<std::string>& arguments,
                                        const std::string& folder, const std::string& input) {
  // An argument ends at its first zero: what was checked would not be what is executed.
  const auto has_zero = [](const std::string& word) { return word.find('\0') != word.npos; };
  if (std::ranges::any_of(arguments, has_zero)) return nullptr;
  std::vector<std::string> words = {"cml"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Descriptor in = memory_file("standard input", input);
  if (!in.valid()) return nullptr;
  auto child = Child::start({}, [&] {
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) return;
    ::dup2(in.number(), STDIN_FILENO);
    ::execv("/proc/self/exe", pointers.data());
  });
  if (!child) return nullptr;
  return std::unique_ptr<Program>(new Program(*std::move(child)));
}

Program::~Program() {
  if (is_waited_for_) return;
  child_.send(SIGKILL);
  (void)child_.wait();
}

ProgramResult Program::result() {
  const int ended = child_.wait();
  is_waited_for_ = true;
  return {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, child_.out(), child_.err()};
}

}  // namespace cml::rpc
