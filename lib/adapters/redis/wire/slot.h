// A key lies in a cluster in one of 16,384 slots, by the CRC-16 of its name, or of the part of it that is a tag.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_SLOT_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_SLOT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linefilter::redis_internal {

constexpr size_t kNumSlots = 16384;

// This is CRC-16/XMODEM: polynomial 0x1021, from 0, most significant bit first.
uint16_t Crc16(std::string_view bytes) noexcept;

// The tag is between the first '{' and the next '}'; it is empty if that is not there, or nothing. Keys with one tag
// share a slot.
std::string_view HashTagOf(std::string_view key) noexcept;

uint16_t SlotOf(std::string_view key) noexcept;

struct RedisKey {
  std::string name;
  uint16_t slot = 0;
};
RedisKey KeyOf(std::string name);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_SLOT_H_
