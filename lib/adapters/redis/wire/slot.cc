#include "lib/adapters/redis/wire/slot.h"

#include <array>
#include <utility>

namespace linefilter::redis_internal {
namespace {

constexpr std::array<uint16_t, 256> MakeTable() {
  std::array<uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    table[byte] = static_cast<uint16_t>(crc);
  }
  return table;
}

constexpr std::array<uint16_t, 256> kTable = MakeTable();

}  // namespace

uint16_t Crc16(std::string_view bytes) noexcept {
  unsigned crc = 0;
  for (const char c : bytes) {
    crc = ((crc << 8) ^ kTable[((crc >> 8) ^ static_cast<unsigned char>(c)) & 0xFF]) & 0xFFFF;
  }
  return static_cast<uint16_t>(crc);
}

std::string_view HashTagOf(std::string_view key) noexcept {
  const size_t open = key.find('{');
  if (open == std::string_view::npos) return {};
  const size_t close = key.find('}', open + 1);
  return close == std::string_view::npos ? std::string_view() : key.substr(open + 1, close - open - 1);
}

uint16_t SlotOf(std::string_view key) noexcept {
  const std::string_view tag = HashTagOf(key);
  return static_cast<uint16_t>(Crc16(tag.empty() ? key : tag) % kNumSlots);
}

RedisKey KeyOf(std::string name) {
  RedisKey key;
  key.slot = SlotOf(name);
  key.name = std::move(name);
  return key;
}

}  // namespace linefilter::redis_internal
