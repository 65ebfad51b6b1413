// The seeds of the random models that a test looks at: a fixed core; and a stretch that is another
// one for each content of the project, so that the models of all commits together are many.
//
//   CML_ROTATION=N    which stretch; ./test gives the first digits of the content's name. Else 0.
//   CML_SEEDS=a:b     a campaign instead: the seeds a … b - 1
//
// A failure names its seed: CML_SEEDS repeats it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/parts.h"

namespace cml::test {

class Seeds {
 public:
  Seeds(std::uint64_t core, std::uint64_t rotating);

  [[nodiscard]] bool is_campaign() const { return is_campaign_; }
  [[nodiscard]] std::vector<std::uint64_t> all() const;
  [[nodiscard]] std::vector<std::uint64_t> of(const Part& part) const;

  /// For the message of a failure: which it was, and how to see it again.
  [[nodiscard]] static std::string name(std::uint64_t seed);

 private:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // the one behind
  };
  bool is_campaign_ = false;
  std::vector<Range> ranges_;
};

}  // namespace cml::test
