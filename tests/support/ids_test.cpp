// Strong ids and the vectors they index (support/ids.h).
#include "support/ids.h"

#include <doctest/doctest.h>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace {

using ThreadId = cml::Id<struct ThreadTag>;
using ObjectId = cml::Id<struct ObjectTag>;

static_assert(!std::is_convertible_v<ThreadId, ObjectId>);
static_assert(!std::is_convertible_v<int, ThreadId>);
static_assert(sizeof(ThreadId) == sizeof(std::uint32_t));

TEST_CASE("an id is none until it is given an index") {
  CHECK_FALSE(ThreadId().valid());
  CHECK(ThreadId(0).valid());
  CHECK(ThreadId(3) == ThreadId::of(3));
  CHECK(ThreadId(3) < ThreadId(4));
  CHECK(std::unordered_set<ThreadId>{ThreadId(1), ThreadId(1), ThreadId(2)}.size() == 2);
}

TEST_CASE("pushing into an IdVector returns the id of the item") {
  cml::IdVector<ThreadId, std::string> names;
  CHECK(names.empty());
  const ThreadId first = names.push("producer");
  const ThreadId second = names.emplace(3, 'x');
  CHECK(first == ThreadId(0));
  CHECK(names[first] == "producer");
  CHECK(names[second] == "xxx");
  CHECK(names.next_id() == ThreadId(2));
  CHECK(names.contains(second));
  CHECK_FALSE(names.contains(names.next_id()));
  CHECK_FALSE(names.contains(ThreadId()));

  std::vector<ThreadId> seen;
  for (const ThreadId id : names.ids())
    seen.push_back(id);
  CHECK(seen == std::vector<ThreadId>{first, second});
  CHECK(names.ids().size() == 2);
}

TEST_CASE("an IdVector of bool works through proxies") {
  cml::IdVector<ObjectId, bool> marks(4, false);
  marks[ObjectId(2)] = true;
  CHECK(marks[ObjectId(2)]);
  CHECK_FALSE(marks[ObjectId(1)]);
}

}  // namespace
