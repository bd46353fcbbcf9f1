// The header record of a filter in Redis and the names of its keys have the bytes of doc/REDIS.md, and are read back;
// this needs no server. Whatever is not such a record is refused with a sentence, never believed.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/wire/slot.h"
#include "tests/testing/redis_earlier.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

Header SomeHeader() {
  Header header;
  header.version = 3;
  header.seed = 42;
  header.current.id = 0x5f0c93a17be2d846u;
  header.current.layout = Layout::kBlocked;
  header.current.num_probes = 7;
  header.current.body_bytes = 134217600;
  header.current.shard_bytes = 67108800;
  header.current.num_keys = 100000000;
  return header;
}

Header WithAllGenerations() {
  Header header = SomeHeader();
  header.next = header.current;
  header.next.id = 2;
  header.next.layout = Layout::kClassic;
  header.next.body_bytes = header.next.shard_bytes = 1001;
  header.next.num_probes = 30;
  header.previous = header.current;
  header.previous.id = ~uint64_t{0};
  header.previous.layout = Layout::kContainer;
  header.previous.num_probes = 0;
  header.previous.body_bytes = 64 * 30;
  header.previous.shard_bytes = 0;
  header.previous.stages = {{10, 10, 100, 7, 64 * 8}, {11, 20, 0, 16, 64 * 16}};
  header.previous.num_keys = 512 * 30;  // as many as bits
  header.previous.newest_ones = 99;
  header.previous.growth = std::string("\x01\x00\xff", 3);
  return header;
}

Status Parse(const std::string& text, Header* header) { return ParseHeader("seen", text, header); }

// Text whose check is right, whatever it says.
std::string Checked(const std::string& lines) {
  char check[40];
  snprintf(check, sizeof(check), "check %016llx\n", static_cast<unsigned long long>(HashKey(std::string_view(lines))));
  return lines + check;
}

std::string WithoutCheck(const std::string& text) { return text.substr(0, text.rfind("check ")); }

TEST(RedisHeaderTest, IsTheTextOfTheDocument) {
  EXPECT_EQ(WithoutCheck(FormatHeader(SomeHeader())),
            "linefilter-redis 1\n"
            "version 3\n"
            "hash xxh3\n"
            "seed 000000000000002a\n"
            "current 5f0c93a17be2d846\n"
            "current.layout blocked\n"
            "current.probes 7\n"
            "current.bytes 134217600\n"
            "current.shard-bytes 67108800\n"
            "current.keys 100000000\n");
  EXPECT_EQ(FormatHeader(SomeHeader()), Checked(WithoutCheck(FormatHeader(SomeHeader()))));
}

TEST(RedisHeaderTest, ComesBackAsItWas) {
  for (const Header& header : {SomeHeader(), WithAllGenerations()}) {
    const std::string text = FormatHeader(header);
    Header back;
    ASSERT_TRUE(test::IsOk(Parse(text, &back)));
    EXPECT_EQ(FormatHeader(back), text);
    EXPECT_EQ(back.version, header.version);
    EXPECT_EQ(back.seed, header.seed);
    EXPECT_EQ(back.current.id, header.current.id);
    EXPECT_EQ(back.next.exists(), header.next.exists());
    EXPECT_EQ(back.previous.stages.size(), header.previous.stages.size());
    EXPECT_EQ(back.previous.newest_ones, header.previous.newest_ones);
    EXPECT_EQ(back.previous.growth, header.previous.growth);
    EXPECT_EQ(back.Written().size(), header.next.exists() ? 3u : 1u);
  }
}

TEST(RedisHeaderTest, AnyDamagedByteIsFound) {
  const std::string text = FormatHeader(WithAllGenerations());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 1;
    Header header;
    header.version = 77;
    EXPECT_FALSE(Parse(damaged, &header).ok()) << i;
    EXPECT_EQ(header.version, 77u) << "unchanged after an error";
    EXPECT_FALSE(Parse(text.substr(0, i), &header).ok()) << i;
  }
  Header header;
  EXPECT_FALSE(Parse(text + "\n", &header).ok());
  EXPECT_FALSE(Parse(text + text, &header).ok());
}

TEST(RedisHeaderTest, WhatIsNotARecordIsIncompatibleAndKeepsItsName) {
  for (const std::string& text :
       {std::string(), std::string("42"), std::string("linefilter"), std::string(300, '\0')}) {
    Header header;
    EXPECT_TRUE(test::Says(StatusCode::kIncompatible, Parse(text, &header), "seen")) << text;
  }
}

TEST(RedisHeaderTest, ARecordFromTheFutureIsUnsupported) {
  const std::string lines = WithoutCheck(FormatHeader(SomeHeader()));
  Header header;
  std::string later = lines;
  later.replace(0, 18, "linefilter-redis 2");
  EXPECT_EQ(Parse(Checked(later), &header).code(), StatusCode::kUnsupported);
  EXPECT_EQ(Parse("linefilter-redis 2\nno check at all", &header).code(), StatusCode::kUnsupported);
  EXPECT_EQ(Parse(Checked(lines + "!ribbon yes\n"), &header).code(), StatusCode::kUnsupported);
  // A layout, hash or number that this library does not know: what is meant is not known.
  for (const char* field : {"current.layout ribbon\n", "hash wyhash\n", "current.probes 31\n", "version x\n",
                            "seed 1\n", "current.bytes 18446744073709551616\n", "current.bytes -1\n",
                            "next.stages 0000000000000001:1:2:3\n", "next.stages 1:1:2:3:64\n"}) {
    EXPECT_EQ(Parse(Checked(lines + field), &header).code(), StatusCode::kUnsupported) << field;
  }
}

TEST(RedisHeaderTest, TheHashOfParquetHasNoSeed) {
  const std::string lines = WithoutCheck(FormatHeader(SomeHeader())) + "hash parquet\n";
  Header header;
  EXPECT_TRUE(test::Says(StatusCode::kCorrupt, Parse(Checked(lines), &header), "has a seed"));
  ASSERT_TRUE(test::IsOk(Parse(Checked(lines + "seed 0000000000000000\n"), &header)));
  EXPECT_EQ(header.hash_id, HashId::kParquet);
  EXPECT_NE(FormatHeader(header).find("hash parquet\nseed 0000000000000000\n"), std::string::npos);
}

TEST(RedisHeaderTest, AnUnknownFieldIsSkippedAndKept) {
  const std::string text = Checked(WithoutCheck(FormatHeader(SomeHeader())) + "compression none\nnote a b  c\n");
  Header header;
  ASSERT_TRUE(test::IsOk(Parse(text, &header)));
  EXPECT_EQ(FormatHeader(header), text);
  // Not that of a role: it would stay behind when another generation takes the role.
  for (const char* const line : {"current.future 7\n", "next.future 7\n", "previous.future 7\n"}) {
    EXPECT_EQ(Parse(Checked(WithoutCheck(text) + line), &header).code(), StatusCode::kUnsupported) << line;
  }
}

TEST(RedisHeaderTest, AGenerationThatCannotBeIsRefused) {
  const auto refused = [](void (*change)(Header*)) {
    Header header = WithAllGenerations(), back;
    change(&header);
    return Parse(FormatHeader(header), &back).code() == StatusCode::kCorrupt;
  };
  EXPECT_TRUE(refused([](Header* h) { h->current.id = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.body_bytes = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.body_bytes += 1; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.shard_bytes = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.shard_bytes += 8; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.shard_bytes = uint64_t{1} << 29; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.num_probes = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.num_probes = 17; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.layout = Layout::kRetrieval; }));  // has no probes
  EXPECT_FALSE(refused([](Header* h) { h->current.layout = Layout::kQuotient, h->current.num_probes = 0; }));
  EXPECT_FALSE(refused([](Header* h) { h->current.layout = Layout::kQuotient, h->current.num_probes = 1; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.layout = Layout::kQuotient, h->current.num_probes = 2; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.body_bytes = uint64_t{1} << 39; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.stages = {{1, 1, 1, 1, 64}}; }));
  EXPECT_TRUE(refused([](Header* h) {
    h->current.layout = Layout::kSplitBlock;
    h->current.num_probes = 0;
    h->current.body_bytes = 32 * ((uint64_t{1} << 24) + 1);
  })) << "more blocks than an image of that layout has: an insertion would find no positions";
  EXPECT_TRUE(refused([](Header* h) { h->next.shard_bytes = 64; }));  // of a classic filter
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages.pop_back(); }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[0].num_probes = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[1].num_keys = 512 * 7 * 20 + 1; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.num_keys = 512 * 30 + 1; })) << "more keys than bits";
  EXPECT_TRUE(refused([](Header* h) { h->previous.num_keys = ~uint64_t{0}; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.newest_ones = 512 * h->previous.stages.back().num_blocks + 1; }));
  EXPECT_TRUE(refused([](Header* h) { h->current.newest_ones = 1; })) << "of a container alone";
  EXPECT_TRUE(refused([](Header* h) { h->current.growth = "x"; })) << "of a container alone";
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages.clear(); }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[1].id = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[1].shard_bytes = 0; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[1].shard_bytes = 65; }));
  EXPECT_TRUE(refused([](Header* h) { h->previous.stages[1].shard_bytes = uint64_t{1} << 29; }));
  EXPECT_TRUE(refused([](Header* h) {
    h->current.shard_bytes = 64;
    h->current.body_bytes = 64 * (kMaxShards + 1);
  }));
}

TEST(RedisHeaderTest, ADamagedRecordStillNamesShardsToDelete) {
  std::string text = FormatHeader(WithAllGenerations());
  text.back() = '!';
  Header header;
  SalvageGenerations(text, &header);
  EXPECT_EQ(header.current.id, SomeHeader().current.id);
  EXPECT_EQ(header.current.num_shards(), 2u);
  EXPECT_EQ(header.previous.num_shards(), 4u);
  SalvageGenerations("current 0000000000000001\ncurrent.bytes 99999999999999999999\n", &header);
  EXPECT_FALSE(header.current.exists());
}

TEST(RedisHeaderTest, ARecordOfAnEarlierStateIsRefusedAndStillNamesItsShards) {
  Header header;
  EXPECT_TRUE(
      test::Says(StatusCode::kCorrupt, Parse(test::kEarlierRecord, &header), "was written before linefilter 0.1.0"));
  EXPECT_EQ(Parse(Checked(WithoutCheck(test::kEarlierRecord)), &header).code(), StatusCode::kOk)
      << "its check alone is another";
  SalvageGenerations(test::kEarlierRecord, &header);
  ASSERT_EQ(header.current.num_shards(), std::size(test::kEarlierShards));
  for (uint64_t i = 0; i < header.current.num_shards(); ++i) {
    EXPECT_EQ(ShardName("seen", header.current.id, i), test::kEarlierShards[i]);
  }
}

// Id, bytes and shard-bytes name the shards, and of a container the stages. Damage anywhere else in the record leaves
// none of them in Redis for ever.
TEST(RedisHeaderTest, DamageToOtherFieldsHidesNoShards) {
  const std::string text = FormatHeader(WithAllGenerations());
  size_t num_damaged = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    const std::string field = text.substr(begin, text.find(' ', begin) - begin);
    const std::string of_generation = field.substr(std::min(field.find('.'), field.size()));
    if (field == "current" || field == "next" || field == "previous") continue;
    if (of_generation == ".bytes" || of_generation == ".shard-bytes" || of_generation == ".stages") continue;
    for (size_t i = begin; i < end; ++i, ++num_damaged) {
      for (const char damage : {text[i], static_cast<char>(text[i] ^ 1), '9', '!', '\0'}) {
        std::string damaged = text;
        damaged[i] = damage;
        damaged.back() = '!';
        Header header;
        SalvageGenerations(damaged, &header);
        ASSERT_TRUE(header.current.exists() && header.next.exists() && header.previous.exists()) << damaged;
        EXPECT_EQ(header.current.num_shards() + header.next.num_shards() + header.previous.num_shards(), 2u + 1u + 4u);
        EXPECT_EQ(header.previous.id, ~uint64_t{0});
      }
    }
  }
  EXPECT_GT(num_damaged, 250u);
}

TEST(RedisHeaderTest, NumbersOfGenerationsAreRandom) {
  std::set<uint64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    uint64_t id = 0;
    ASSERT_TRUE(NewGenerationId(&id).ok());
    EXPECT_NE(id, 0u);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 1000u);
}

// Names with braces of all kinds.
constexpr const char* kBraces[] = {"a{b", "a}b",      "a{}b", "x{}y", "{",   "}",    "{}",    "x{{y}}",
                                   "}a",  "a{b}c{d}", "{}}",  "}{a}", "{a}", "{a}}", "a{}{b}"};

TEST(RedisNamesTest, ShardsLieInSlotsOfTheirOwnUnlessTheNameHasATag) {
  EXPECT_EQ(ShardName("seen", 0x1f, 12), "{seen:000000000000001f:12}");
  EXPECT_EQ(ShardName("{users}seen", 0x1f, 12), "{users}seen:000000000000001f:12");
  std::set<uint16_t> slots;
  for (uint64_t i = 0; i < 100; ++i) slots.insert(KeyOf(ShardName("seen", 7, i)).slot);
  EXPECT_GT(slots.size(), 90u);
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(KeyOf(ShardName("{users}seen", 7, i)).slot, KeyOf("users").slot);
  for (const char* name : kBraces) {
    if (!CheckName(name).ok()) continue;
    slots.clear();
    for (uint64_t i = 0; i < 100; ++i) slots.insert(KeyOf(ShardName(name, 7, i)).slot);
    EXPECT_EQ(slots.size() == 1, !HashTagOf(name).empty()) << name;
  }
}

// Uploads have a suffix and must lie where their shard does.
TEST(RedisNamesTest, ASuffixOfAShardStaysInItsSlot) {
  std::vector<std::string> names = {"seen", "{users}seen", ":"};
  names.insert(names.end(), std::begin(kBraces), std::end(kBraces));
  for (const std::string& name : names) {
    if (!CheckName(name).ok()) continue;
    const std::string shard = ShardName(name, 1, 2);
    EXPECT_EQ(KeyOf(shard).slot, KeyOf(shard + ":load:0123456789abcdef").slot) << name;
  }
}

TEST(RedisNamesTest, AnyNameButTheseIsTaken) {
  EXPECT_TRUE(CheckName("a").ok());
  EXPECT_TRUE(CheckName("caf\xc3\xa9 \x01\xff").ok());
  EXPECT_TRUE(CheckName(std::string(200, 'n')).ok());
  for (const char* name : {"a{b", "{", "{a}", "}{a}", "{a}}", "a{b}c{d}"}) EXPECT_TRUE(CheckName(name).ok()) << name;
  for (const std::string& name :
       {std::string(), std::string(201, 'n'), std::string("a\nb"), std::string("a\0b", 3), std::string("}a"),
        std::string("a}b"), std::string("x{}y"), std::string("{}"), std::string("a{}{b}")}) {
    const Status status = CheckName(name);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(std::string(status.message()).find_first_of(std::string("\n\0", 2)), std::string::npos);
  }
}

TEST(RedisShardsTest, EveryByteOfTheBodyIsInOnePlace) {
  Generation generation;
  generation.id = 1;
  generation.layout = Layout::kBlocked;
  generation.num_probes = 7;
  generation.body_bytes = 64 * 103;
  generation.shard_bytes = 64 * 10;
  const Shards shards = ShardsOf("seen", Header(), generation);
  ASSERT_EQ(shards.keys.size(), 11u);
  std::vector<uint64_t> bytes(11, 0);
  for (uint64_t byte = 0; byte < generation.body_bytes; ++byte) {
    const uint64_t shard = shards.ShardOfByte(byte);
    EXPECT_EQ(byte - shards.BeginOfShard(shard), bytes[shard]++);
  }
  for (uint64_t shard = 0; shard < 11; ++shard) EXPECT_EQ(shards.MarkOffset(shard), bytes[shard]);
  EXPECT_EQ(bytes.back(), 64u * 3);
}

TEST(RedisShardsTest, EveryStageHasShardsOfItsOwn) {
  const Shards shards = ShardsOf("seen", Header(), WithAllGenerations().previous);  // of 10 blocks by 8, of 20 by 16
  ASSERT_EQ(shards.keys.size(), 4u);
  const char* const names[] = {"{seen:000000000000000a:0}", "{seen:000000000000000a:1}", "{seen:000000000000000b:0}",
                               "{seen:000000000000000b:1}"};
  const uint64_t begins[] = {0, 512, 640, 640 + 1024}, sizes[] = {512, 128, 1024, 256};
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shards.keys[i].name, names[i]);
    EXPECT_EQ(shards.MarkOffset(i), sizes[i]);
    for (const uint64_t byte : {begins[i], begins[i] + sizes[i] - 1}) {
      EXPECT_EQ(shards.ShardOfByte(byte), i);
      EXPECT_EQ(shards.BeginOfShard(i), begins[i]);
    }
  }
}

// Zero keys are told by a filter that grows and has none yet. In a record whose stages have keys nobody told a sum.
TEST(RedisShardsTest, FactsTellNoNumberOfKeysThatNobodyCounted) {
  Generation generation = WithAllGenerations().previous;
  const auto tells = [&](uint64_t num_keys, uint64_t of_stage, char kind) {
    generation.num_keys = num_keys;
    generation.stages[0].num_keys = of_stage;
    generation.growth[0] = kind;
    const BodyFacts facts = FactsOf(Header(), generation);
    EXPECT_EQ(facts.num_keys, num_keys);
    return facts.has_num_keys;
  };
  EXPECT_TRUE(tells(100, 100, 1));
  EXPECT_TRUE(tells(0, 0, 1));
  EXPECT_FALSE(tells(0, 100, 1));
  EXPECT_FALSE(tells(0, 0, 2)) << "one that forgets";
  EXPECT_TRUE(tells(100, 0, 2));
}

TEST(RedisShardsTest, MarksAreSixteenBytesInAnyOrderOfBytes) {
  const std::string mark = MarkOf(0x0102030405060708u);
  EXPECT_EQ(mark, "lfshard1\x08\x07\x06\x05\x04\x03\x02\x01");
  uint64_t version = 0;
  ASSERT_TRUE(ParseMark(mark, &version));
  EXPECT_EQ(version, 0x0102030405060708u);
  EXPECT_FALSE(ParseMark(std::string(16, '\0'), &version));
  EXPECT_FALSE(ParseMark(mark.substr(1), &version));
  EXPECT_FALSE(ParseMark(mark + "x", &version));
  EXPECT_FALSE(ParseMark("", &version));
  EXPECT_FALSE(ParseMark(MarkOf(0), &version)) << "of a shard that is being made";
}

TEST(RedisShardsTest, SizesFitRedisAndTheCluster) {
  const auto choose = [](Layout layout, uint64_t body, uint64_t request, uint32_t masters) {
    const RedisLayout wanted = {request};
    uint64_t bytes = 0;
    const Status status = ChooseShardBytes(layout, body, wanted, masters, &bytes);
    return status.ok() ? bytes : 0;
  };
  constexpr uint64_t kMiB = 1 << 20, kMost = 64 * kMiB - 64;
  EXPECT_EQ(choose(Layout::kBlocked, 640, 0, 1), 640u);
  EXPECT_EQ(choose(Layout::kBlocked, 10 * kMost, 0, 1), kMost);
  EXPECT_EQ(choose(Layout::kBlocked, 640, 0, 3), 640u) << "below 64 KiB a shard is not worth a slot of its own";
  EXPECT_EQ(choose(Layout::kBlocked, kMiB, 0, 3), kMiB / 12 / 64 * 64 + 64);
  EXPECT_EQ(choose(Layout::kBlocked, 100 * 12 * kMost, 0, 3), kMost);
  EXPECT_EQ(choose(Layout::kBlocked, kMiB, 1000, 1), 1024u);
  EXPECT_EQ(choose(Layout::kBlocked, kMiB, 512 * kMiB, 1), 0u) << "no room for the mark";
  EXPECT_EQ(choose(Layout::kBlocked, uint64_t{1} << 38, 64, 1), 0u) << "too many shards";
  EXPECT_EQ(choose(Layout::kClassic, 1001, 0, 3), 1001u);
  EXPECT_EQ(choose(Layout::kClassic, 1001, 500, 1), 0u);
  EXPECT_EQ(choose(Layout::kClassic, 512 * kMiB - 16, 0, 1), 512 * kMiB - 16);
  EXPECT_EQ(choose(Layout::kClassic, 512 * kMiB - 15, 0, 1), 0u);
}

}  // namespace
}  // namespace linefilter::redis_internal
