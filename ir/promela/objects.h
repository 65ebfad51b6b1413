// The objects of a system as variables of Promela.
//
//   shared, atomic   a variable, or one for each word of a struct
//   lock             Lock { owner, depth }: owner is 0, or 1 and the number of the process
//   semaphore        its value
//   channel          { size, item[] }, the oldest first; unused items are 0
//
// A declaration is an array where the model has an array, or where an index selects one of its
// objects; else each object has a variable of its own (the fields of a struct). Arrays of several
// dimensions become one-dimensional, row by row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/promela/names.h"
#include "ir/promela/value.h"
#include "ir/promela/writer.h"
#include "ir/system.h"

namespace cml::ir::promela {

/// The smallest type that holds a range: bool, byte, short or int.
[[nodiscard]] std::string type_name(std::int64_t lo, std::int64_t hi);

/// What an instruction assigns by looking.
struct Seen {
  const LocalPlace* target;
  Value value;
};

class Objects {
 public:
  Objects(const System& system, Names& names);

  void declare(Writer& out) const;

  /// "fork[i + 1]"; of objects with several words, the variable of one of them.
  [[nodiscard]] std::string reference(const Place& place, const Frame& frame,
                                      std::uint32_t word = 0) const;
  /// A word of a variable, or the value of a semaphore, as an expression.
  [[nodiscard]] Value word(const Place& place, const Frame& frame, std::uint32_t word = 0) const;
  /// The joined range of a word over all objects of the place.
  [[nodiscard]] WordType joined_type(const Place& place, std::uint32_t word) const;
  /// The range that all objects of the place have in common.
  [[nodiscard]] WordType common_type(const Place& place, std::uint32_t word) const;
  /// "c.item[2]"
  [[nodiscard]] std::string item(const Place& place, const Frame& frame, std::uint32_t word,
                                 const std::string& position) const;
  /// Of an instruction that only looks at an object; none: of another one, or there is no word for
  /// it in Promela.
  [[nodiscard]] std::optional<Seen> seen(const Instruction& instruction, const Frame& frame) const;
  [[nodiscard]] std::uint32_t capacity(const Place& channel) const {
    return system_.objects[channel.base].capacity;
  }
  /// Of a channel: the inline that drops the oldest item.
  [[nodiscard]] const std::string& drop(const Place& channel) const;
  /// Which lock it is, from 1.
  [[nodiscard]] bool is_mutex(const Place& lock) const {
    return system_.objects[lock.base].is_mutex;
  }
  [[nodiscard]] Value set_number(const Place& set, const Frame& frame) const;
  [[nodiscard]] std::size_t set_count() const { return sets_; }

 private:
  struct Group {
    bool is_array = false;
    std::vector<std::string> names;  // of an array: by word; else by object and word
    std::size_t words = 1;
    std::string type;  // of channels
    std::string drop;
  };

  [[nodiscard]] const Group& group(ObjectId id) const { return groups_[system_.objects[id].group]; }
  [[nodiscard]] std::size_t offset(ObjectId id) const {
    return id.index - system_.groups[system_.objects[id].group].first.index;
  }
  template <class Lo, class Hi>
  [[nodiscard]] WordType type_over(const Place& place, std::uint32_t word, Lo lo, Hi hi) const;
  /// Which object of its group, counted in objects from the base.
  [[nodiscard]] Value chosen(const Place& place, const Frame& frame) const;
  void find_arrays();
  void declare_words(Writer& out, GroupId id) const;
  void declare_channel(Writer& out, GroupId id) const;

  const System& system_;
  IdVector<GroupId, Group> groups_;
  IdVector<ObjectId, std::uint32_t> set_numbers_;  // of wait sets
  std::size_t sets_ = 0;
};

}  // namespace cml::ir::promela
