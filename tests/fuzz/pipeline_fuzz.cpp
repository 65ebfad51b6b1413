// libFuzzer target: whatever the text, the whole pipeline keeps its promises (pipeline.h). Most
// mutants are made of words, statements and declarations (mutate.h), so that most are models; the
// seeds are all models there are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/pipeline.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::uint64_t hash(std::string_view text) {  // FNV-1a
  std::uint64_t result = 0xcbf29ce484222325;
  for (const char c : text)
    result = (result ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return result ^ (result >> 29);
}

std::size_t put(const std::string& text, std::uint8_t* data, std::size_t size,
                std::size_t max_size) {
  if (text.empty() || text.size() > max_size) return size;  // as it was
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const cml::fuzz::PipelineReport report = cml::fuzz::run_pipeline(text, hash(text));
  if (report.broken.empty()) return 0;
  std::fprintf(stderr, "promise not kept: %s\n", report.broken.c_str());
  std::abort();
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return put(cml::fuzz::mutant(std::string(data, data + size), {}, seed), data, size, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned int seed) {
  const std::string text(first, first + first_size);
  const std::string other(second, second + second_size);
  return put(cml::fuzz::mutant(text, other, seed), out, 0, max_size);
}
