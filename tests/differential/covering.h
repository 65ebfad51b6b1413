// Covering arrays of strength 2: few rows of values, one for each dimension, among which every two
// values of two dimensions stand together in some row. Most mistakes that depend on several options
// at once depend on two of them (D. R. Kuhn, D. R. Wallace, A. M. Gallo Jr, "Software Fault
// Interactions and Implications for Software Testing", IEEE TSE 30(6), 2004).
//
// Greedy, as in AETG (D. M. Cohen et al., "The AETG System", IEEE TSE 23(7), 1997): the next row is
// the one with the most pairs that are still missing, for what it costs. Rows may be forbidden; two
// values that no allowed row has together need not be covered.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cml::differential {

using Row = std::vector<unsigned>;  // the value of each dimension

/// All rows over dimensions of these sizes that `allows` allows.
[[nodiscard]] std::vector<Row> allowed_rows(const std::vector<unsigned>& sizes,
                                            const std::function<bool(const Row&)>& allows);

/// Another seed gives another array, the same on every machine.
[[nodiscard]] std::vector<Row> covering_array(const std::vector<unsigned>& sizes,
                                              const std::vector<Row>& allowed,
                                              const std::function<unsigned(const Row&)>& cost,
                                              std::uint64_t seed);

}  // namespace cml::differential
