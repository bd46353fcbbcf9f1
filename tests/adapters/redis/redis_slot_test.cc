// In which slot of a cluster a key lies: CRC-16/XMODEM of the name or its tag, modulo 16,384, as the specification of
// Redis Cluster has it.
#include <string>

#include "gtest/gtest.h"
#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

TEST(RedisSlot, ChecksumIsThatOfTheSpecification) {
  EXPECT_EQ(Crc16("123456789"), 0x31C3);
  EXPECT_EQ(Crc16(""), 0);
  EXPECT_EQ(Crc16("A"), 0x58E5);
  EXPECT_EQ(Crc16(std::string(1, '\0')), 0);
  EXPECT_EQ(Crc16("\xFF"), 0x1EF0);
}

// CRC bit by bit, without a table.
uint16_t SlowCrc16(const std::string& bytes) {
  unsigned crc = 0;
  for (const char c : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      const unsigned in = (static_cast<unsigned char>(c) >> bit & 1) ^ (crc >> 15);
      crc = (crc << 1 & 0xFFFF) ^ (in != 0 ? 0x1021 : 0);
    }
  }
  return static_cast<uint16_t>(crc);
}

TEST(RedisSlot, ChecksumIsThatOfTheObviousLoop) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes.push_back(static_cast<char>(i * 37 + i / 256));
    ASSERT_EQ(Crc16(bytes), SlowCrc16(bytes)) << i;
  }
}

TEST(RedisSlot, ATagDecidesAlone) {
  EXPECT_EQ(HashTagOf("{user1000}.following"), "user1000");
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("{user1000}.followers"));
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("user1000"));
  EXPECT_EQ(HashTagOf("foo{bar}{zap}"), "bar");
  EXPECT_EQ(HashTagOf("foo{{bar}}zap"), "{bar");
  EXPECT_EQ(HashTagOf("foo}{bar}zap"), "bar");
}

TEST(RedisSlot, NoTagIsNoneAndAnEmptyOneNeither) {
  EXPECT_EQ(HashTagOf("foo"), "");
  EXPECT_EQ(HashTagOf("foo{bar"), "");
  EXPECT_EQ(HashTagOf("foo}bar{"), "");
  EXPECT_EQ(HashTagOf("foo{}{bar}"), "");
  EXPECT_EQ(SlotOf("foo{}{bar}"), Crc16("foo{}{bar}") % 16384);
  EXPECT_EQ(SlotOf(""), 0);
}

TEST(RedisSlot, AKeyKnowsItsSlot) {
  const RedisKey key = KeyOf("foo");
  EXPECT_EQ(key.name, "foo");
  EXPECT_EQ(key.slot, 12182);
  EXPECT_EQ(KeyOf("hello").slot, 866);
  EXPECT_EQ(KeyOf("somekey").slot, 11058);
}

}  // namespace
}  // namespace linefilter::redis_internal
