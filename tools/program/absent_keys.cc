#include "tools/program/absent_keys.h"

#include <algorithm>

#include "linefilter/hash.h"

namespace linefilter::tools {
namespace {

// A seed of our own: with that of the image, false positives would have hashes that are alike. The digits of e.
constexpr uint64_t kSeed = 0x2718281828459045u;
constexpr HashSecret kSecret = {
    {0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74, 0x71, 0x35, 0x26}};

uint64_t FirstOf(std::string_view key) { return HashBytes(key.data(), key.size(), kSeed); }
uint64_t SecondOf(std::string_view key) { return KeyedHashBytes(key.data(), key.size(), kSecret); }

}  // namespace

void AbsentKeys::Add(const std::vector<std::string_view>& keys, const uint8_t* answers) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const uint64_t first = FirstOf(keys[i]);
    if (answers[i] != 0) maybes_.push_back({first, SecondOf(keys[i]), hashes_.size()});
    hashes_.push_back(first);
  }
}

void AbsentKeys::Complete() {
  const size_t all = hashes_.size();
  std::sort(hashes_.begin(), hashes_.end());
  num_keys_ = static_cast<uint64_t>(std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin());
  num_repeats_ = all - num_keys_;
  hashes_ = {};
  std::sort(maybes_.begin(), maybes_.end());
  const auto is_one_key = [](const Fingerprint& one, const Fingerprint& other) { return one.IsOf(other); };
  maybes_.erase(std::unique(maybes_.begin(), maybes_.end(), is_one_key), maybes_.end());
  is_member_.resize(maybes_.size());
  FilterOptions options;
  options.bits_per_key = 12;
  if (!may_be_there_.Create(maybes_.size(), options).ok()) return;  // it answers "maybe": slower, and right
  for (const Fingerprint& maybe : maybes_) may_be_there_.InsertHash(maybe.first);
}

bool AbsentKeys::Meets(std::string_view member, uint64_t* position) {
  const uint64_t first = FirstOf(member);
  if (!may_be_there_.MayContainHash(first)) return false;
  const Fingerprint wanted = {first, SecondOf(member), 0};
  const auto found = std::lower_bound(maybes_.begin(), maybes_.end(), wanted);
  if (found == maybes_.end() || !found->IsOf(wanted)) return false;
  const size_t at = static_cast<size_t>(found - maybes_.begin());
  if (is_member_[at]) return false;
  is_member_[at] = true;
  ++num_members_;
  *position = found->position;
  return true;
}

}  // namespace linefilter::tools
