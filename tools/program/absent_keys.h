// The keys that are said to be absent, after a filter was asked for them: how many different ones there are, how many
// of those answered "maybe", and which of these are members after all.
//
// Only a key that answered "maybe" can be a member that nobody lost, so only those are looked up: they are 1 % of the
// keys at a rate of 1 %. It takes 8 bytes per key, and 24 per "maybe", whatever the length of keys. Two keys are taken
// for one if 128 bits of their hashes are equal: one chance in 1e24 among 1e7 keys of each kind. (Repeats are counted
// by 64 bits, where one of 1e7 keys too few is counted once in 400,000 times.)
#ifndef LINEFILTER_TOOLS_PROGRAM_ABSENT_KEYS_H_
#define LINEFILTER_TOOLS_PROGRAM_ABSENT_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "linefilter/filter.h"

namespace linefilter::tools {

class AbsentKeys {
 public:
  // Takes keys with their answers, 1 for "maybe".
  void Add(const std::vector<std::string_view>& keys, const uint8_t* answers);
  // Ends the list. After it members may come.
  void Complete();
  // Takes a member, and tells whether it is in the list, from 0, and answered "maybe" there. It says so once for each
  // key.
  bool Meets(std::string_view member, uint64_t* position);

  // Different keys, and how many more there were.
  uint64_t num_keys() const { return num_keys_; }
  uint64_t num_repeats() const { return num_repeats_; }
  // Of the different ones: those that answered "maybe", and those among them that are members.
  uint64_t num_maybes() const { return maybes_.size(); }
  uint64_t num_members() const { return num_members_; }

 private:
  struct Fingerprint {
    uint64_t first, second, position;
    bool IsOf(const Fingerprint& other) const { return first == other.first && second == other.second; }
    bool operator<(const Fingerprint& other) const {
      return std::tie(first, second, position) < std::tie(other.first, other.second, other.position);
    }
  };

  std::vector<uint64_t> hashes_;  // until Complete
  std::vector<Fingerprint> maybes_;
  std::vector<bool> is_member_;  // of maybes_
  BlockedFilter may_be_there_;   // of maybes_: nearly all members end here
  uint64_t num_keys_ = 0, num_repeats_ = 0, num_members_ = 0;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_ABSENT_KEYS_H_
