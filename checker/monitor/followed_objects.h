// Which shared objects happens-before is computed for, where data races are looked for. An object
// that one lock protects at every access is in no race, and to see that is cheap (discipline.h). So
// only those are followed of which this is not enough to say:
//
//   from the beginning   objects with an initialisation, whose first accesses need no lock: fields
//                        of classes, and what says `init by`
//   then                 all of a declaration of which one has turned out to have no lock. The
//                        search begins again: its states do not have what is needed
//
// It begins again, too, where there is no room for readers that are gone (happens_before.h).
#pragma once

#include <cstddef>

#include "checker/monitor/happens_before.h"
#include "ir/system.h"
#include "support/mutation.h"

namespace cml::checker {

class FollowedObjects {
 public:
  explicit FollowedObjects(const ir::System& system)
      : system_(system), is_followed_(system.groups.size(), false) {
    for (const ir::Object& object : system.objects)
      if ((object.owner.valid() || object.init_by) &&
          !CML_MUTATION("initialisations-are-not-followed"))
        is_followed_[object.group] = true;
  }

  [[nodiscard]] bool operator[](ir::ObjectId id) const {
    return is_followed_[system_.objects[id].group];
  }
  void follow(ir::ObjectId id) { is_followed_[system_.objects[id].group] = true; }
  void follow_all() { is_followed_ = IdVector<ir::GroupId, bool>(system_.groups.size(), true); }

  /// For readers of an object that are gone.
  [[nodiscard]] std::size_t room() const { return room_; }
  void make_room() { room_ *= 2; }

 private:
  const ir::System& system_;
  std::size_t room_ = 2;
  IdVector<ir::GroupId, bool> is_followed_;
};

/// Thrown by a search that should follow this object: no lock protects it.
struct NoLockProtects {
  ir::ObjectId object;
};

/// Calls a search, which throws that, again and again, until all is followed that it needs.
template <class Explore>
auto following(FollowedObjects& followed, Explore explore) {
  for (;;) {
    try {
      return explore();
    } catch (const NoLockProtects& found) {
      followed.follow(found.object);
    } catch (const NoRoomForReaders&) {
      followed.make_room();
    }
  }
}

}  // namespace cml::checker
