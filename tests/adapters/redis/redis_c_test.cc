// linefilter/c/redis.h does what linefilter/redis.h does, with the same filters, keys and errors.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/c.h"
#include "linefilter/c/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

class RedisC : public RedisFilterTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisFilterTest::SetUp());
    c_servers_ = linefilter_redis_servers_new(server_->address().c_str(), &status_);
    ASSERT_NE(c_servers_, nullptr) << status_.message;
    linefilter_redis_deadlines deadlines = linefilter_redis_servers_deadlines(c_servers_);
    deadlines.request_ms = deadlines.admin_ms = deadlines.reply_ms = deadlines.connect_ms = 60000;
    ASSERT_EQ(linefilter_redis_servers_set_deadlines(c_servers_, &deadlines, &status_), LINEFILTER_OK);
    linefilter_options_init(&c_options_, sizeof(c_options_));
    c_options_.bits_per_key = 12;
  }
  void TearDown() override {
    linefilter_redis_free(filter_);
    linefilter_redis_servers_free(c_servers_);
  }
  void CreateInC(uint64_t num_keys = 1000, const linefilter_redis_layout* layout = nullptr) {
    filter_ = linefilter_redis_create(c_servers_, "seen", num_keys, &c_options_, layout, &status_);
    ASSERT_NE(filter_, nullptr) << status_.message;
  }
  bool MaybeText(const std::string& key) {
    bool maybe = false;
    EXPECT_EQ(linefilter_redis_may_contain_key(filter_, key.data(), key.size(), &maybe, &status_), LINEFILTER_OK);
    return maybe;
  }
  bool Says(const char* words) const { return strstr(status_.message, words) != nullptr; }
  linefilter_redis_info InfoInC() {
    linefilter_redis_info info;
    EXPECT_EQ(linefilter_redis_read_info(filter_, &info, &status_), LINEFILTER_OK) << status_.message;
    return info;
  }

  linefilter_status status_ = {};
  linefilter_redis_servers* c_servers_ = nullptr;
  linefilter_redis* filter_ = nullptr;
  linefilter_options c_options_;
};

TEST_F(RedisC, AKeyIsTheSameInCAndCpp) {
  CreateInC();
  uint8_t outcome = 77;
  EXPECT_EQ(linefilter_redis_insert_key(filter_, "alice", 5, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_NEW);
  EXPECT_EQ(linefilter_redis_insert_u64(filter_, 1000, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_NEW);
  EXPECT_EQ(linefilter_redis_insert_u64(filter_, 1000, &outcome, nullptr), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_KNOWN);
  RedisFilter in_cpp = Open("seen");
  bool maybe = false;
  EXPECT_TRUE(IsOk(in_cpp.MayContainKey("alice", &maybe)) && maybe);
  EXPECT_TRUE(IsOk(in_cpp.MayContainKey(1000, &maybe)) && maybe);
  EXPECT_TRUE(IsOk(in_cpp.InsertKey("bob", nullptr)));
  EXPECT_TRUE(MaybeText("bob"));
  EXPECT_FALSE(MaybeText("carol"));
  EXPECT_EQ(linefilter_redis_may_contain_u64(filter_, 1000, &maybe, &status_), LINEFILTER_OK);
  EXPECT_TRUE(maybe);
  EXPECT_EQ(linefilter_redis_may_contain_u64(filter_, 1001, &maybe, &status_), LINEFILTER_OK);
  EXPECT_FALSE(maybe);
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, in_cpp.HashOf("bob"), &maybe, &status_), LINEFILTER_OK);
  EXPECT_TRUE(maybe);
}

TEST_F(RedisC, BatchesOfTextsIntegersAndHashesGoInOnePipeline) {
  CreateInC();
  const std::vector<std::string> texts = {"a", "", "ccc", "absent"};
  std::vector<const void*> keys;
  std::vector<size_t> sizes;
  for (const std::string& text : texts) keys.push_back(text.data()), sizes.push_back(text.size());
  uint8_t outcomes[3], answers[4], answered[4];
  EXPECT_EQ(linefilter_redis_insert_keys(filter_, keys.data(), sizes.data(), 3, outcomes, &status_), LINEFILTER_OK);
  EXPECT_EQ(std::count(outcomes, outcomes + 3, LINEFILTER_REDIS_NEW), 3);
  EXPECT_EQ(linefilter_redis_may_contain_keys(filter_, keys.data(), sizes.data(), 4, answers, answered, &status_),
            LINEFILTER_OK);
  EXPECT_EQ(std::vector<int>(answers, answers + 4), (std::vector<int>{1, 1, 1, 0}));
  EXPECT_EQ(std::count(answered, answered + 4, 1), 4);
  const uint64_t numbers[3] = {7, 8, 9};
  EXPECT_EQ(linefilter_redis_insert_u64s(filter_, numbers, 2, nullptr, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_may_contain_u64s(filter_, numbers, 3, answers, nullptr, &status_), LINEFILTER_OK);
  EXPECT_EQ(std::vector<int>(answers, answers + 3), (std::vector<int>{1, 1, 0}));
  const uint64_t hashes[2] = {linefilter_hash_u64(7, 0), linefilter_hash_u64(70, 0)};
  EXPECT_EQ(linefilter_redis_may_contain_hashes(filter_, hashes, 2, answers, nullptr, &status_), LINEFILTER_OK);
  EXPECT_EQ(std::vector<int>(answers, answers + 2), (std::vector<int>{1, 0}));
  EXPECT_EQ(linefilter_redis_insert_hashes(filter_, hashes, 2, outcomes, &status_), LINEFILTER_OK);
  EXPECT_EQ(std::vector<int>(outcomes, outcomes + 2), (std::vector<int>{0, 1}));
  uint8_t outcome = 77;
  EXPECT_EQ(linefilter_redis_insert_hash(filter_, hashes[1], &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_KNOWN);
}

TEST_F(RedisC, KeysAreGivenBackOfWhatIsRemovable) {
  c_options_.removable = 1;
  CreateInC();
  for (uint64_t i = 0; i < 4; ++i) {
    ASSERT_EQ(linefilter_redis_insert_u64(filter_, i, nullptr, &status_), LINEFILTER_OK) << status_.message;
  }
  ASSERT_EQ(linefilter_redis_insert_key(filter_, "alice", 5, nullptr, &status_), LINEFILTER_OK);
  const uint64_t generation = linefilter_redis_generation(filter_);
  uint8_t outcome = 77, outcomes[2];
  EXPECT_EQ(linefilter_redis_remove_u64(filter_, 0, generation, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_REMOVED);
  EXPECT_EQ(linefilter_redis_remove_key(filter_, "alice", 5, 0, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_REMOVED);
  EXPECT_EQ(linefilter_redis_remove_key(filter_, "alice", 5, 0, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_WAS_ABSENT);
  EXPECT_EQ(linefilter_redis_remove_hash(filter_, linefilter_hash_u64(1, 0), 0, &outcome, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_REMOVED);
  const uint64_t hashes[2] = {linefilter_hash_u64(2, 0), linefilter_hash_u64(77, 0)};
  EXPECT_EQ(linefilter_redis_remove_hashes(filter_, hashes, 2, 0, outcomes, &status_), LINEFILTER_OK);
  EXPECT_EQ(outcomes[0], LINEFILTER_REDIS_REMOVED);
  EXPECT_EQ(outcomes[1], LINEFILTER_REDIS_WAS_ABSENT);
  EXPECT_EQ(linefilter_redis_remove_u64(filter_, 3, generation ^ 1, &outcome, &status_), LINEFILTER_INCOMPATIBLE);
  EXPECT_EQ(outcome, LINEFILTER_REDIS_UNKNOWN);
}

TEST_F(RedisC, AFilterIsReservedOpenedLeftAndDeleted) {
  bool is_new = false;
  filter_ = linefilter_redis_reserve(c_servers_, "seen", 1000, &c_options_, nullptr, &is_new, &status_);
  ASSERT_NE(filter_, nullptr) << status_.message;
  EXPECT_TRUE(is_new);
  linefilter_redis* again = linefilter_redis_reserve(c_servers_, "seen", 1000, &c_options_, nullptr, &is_new, &status_);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(linefilter_redis_generation(again), linefilter_redis_generation(filter_));
  linefilter_redis_free(again);
  EXPECT_EQ(linefilter_redis_create(c_servers_, "seen", 1000, &c_options_, nullptr, &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_INCOMPATIBLE);
  EXPECT_EQ(linefilter_redis_expire(filter_, 100000, &status_), LINEFILTER_OK);
  EXPECT_GT(InfoInC().expires_in_ms, 0);
  EXPECT_EQ(linefilter_redis_expire(filter_, 0, &status_), LINEFILTER_OK);
  EXPECT_EQ(InfoInC().expires_in_ms, -1);
  EXPECT_EQ(linefilter_redis_delete(c_servers_, "seen", &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_open(c_servers_, "seen", nullptr, &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_NOT_FOUND);
}

TEST_F(RedisC, ASecretAndALayoutAreTaken) {
  c_options_.hash_id = LINEFILTER_HASH_KEYED;
  for (uint8_t i = 0; i < LINEFILTER_SECRET_BYTES; ++i) c_options_.secret[i] = i;
  linefilter_redis_layout layout = {};
  layout.shard_bytes = 128;
  layout.followed_keys = 500;
  CreateInC(1000, &layout);
  EXPECT_EQ(InfoInC().shard_bytes, 128u);
  EXPECT_EQ(InfoInC().followed_keys, 500u);
  EXPECT_EQ(linefilter_redis_hash_id(filter_), LINEFILTER_HASH_KEYED);
  EXPECT_EQ(linefilter_redis_seed(filter_), linefilter_secret_check(c_options_.secret));
  EXPECT_EQ(linefilter_redis_open(c_servers_, "seen", nullptr, &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_INCOMPATIBLE);
  linefilter_redis* const opened = linefilter_redis_open(c_servers_, "seen", c_options_.secret, &status_);
  EXPECT_NE(opened, nullptr) << status_.message;
  linefilter_redis_free(opened);
  linefilter_options_init(&c_options_, sizeof(c_options_));
  c_options_.fpr = 0.01;
  layout = {};
  layout.grows = 1;
  linefilter_redis* const grows = linefilter_redis_create(c_servers_, "grows", 5000, &c_options_, &layout, &status_);
  EXPECT_EQ(linefilter_redis_layout_of(grows), LINEFILTER_LAYOUT_CONTAINER) << status_.message;
  EXPECT_EQ(linefilter_redis_growth_status(grows, &status_), LINEFILTER_OK);
  linefilter_redis_free(grows);
  layout.grows = 2;
  EXPECT_EQ(linefilter_redis_create(c_servers_, "more", 5000, &c_options_, &layout, &status_), nullptr);
  EXPECT_TRUE(status_.code == LINEFILTER_INVALID_ARGUMENT && Says("grows")) << status_.message;
}

TEST_F(RedisC, AnotherGenerationServesAndImagesComeAndGo) {
  CreateInC();
  ASSERT_EQ(linefilter_redis_insert_key(filter_, "old", 3, nullptr, &status_), LINEFILTER_OK);
  const TempDir dir;
  const std::string path = dir.File("image");
  ASSERT_EQ(linefilter_redis_save(filter_, path.c_str(), &status_), LINEFILTER_OK) << status_.message;
  linefilter_filter* const local = linefilter_filter_load(path.c_str(), nullptr, &status_);
  ASSERT_NE(local, nullptr) << status_.message;
  linefilter_filter_insert_key(local, "local", 5);
  std::string image;
  const linefilter_sink append = [](void* to, const void* data, size_t size) noexcept {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
    return true;
  };
  ASSERT_EQ(linefilter_filter_write_to_sink(local, append, &image, &status_), LINEFILTER_OK);
  linefilter_filter_free(local);
  EXPECT_EQ(linefilter_redis_image_bytes(filter_), image.size());
  EXPECT_EQ(linefilter_redis_load(filter_, image.data(), image.size(), &status_), LINEFILTER_OK);
  EXPECT_TRUE(MaybeText("local"));
  EXPECT_EQ(linefilter_redis_begin_generation(filter_, 1000, &c_options_, nullptr, &status_), LINEFILTER_OK);
  EXPECT_NE(InfoInC().next_generation, 0u);
  EXPECT_EQ(linefilter_redis_abandon_generation(filter_, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_begin_generation(filter_, 1000, &c_options_, nullptr, &status_), LINEFILTER_OK);
  const uint64_t kept = linefilter_hash_key("kept", 4, 0);
  EXPECT_EQ(linefilter_redis_insert_hashes_into_next(filter_, &kept, 1, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_switch_generation(filter_, &status_), LINEFILTER_OK);
  EXPECT_TRUE(MaybeText("kept"));
  EXPECT_FALSE(MaybeText("old"));
  EXPECT_EQ(linefilter_redis_begin_generation_from_image(filter_, image.data(), image.size(), nullptr, &status_),
            LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_load_next(filter_, image.data(), image.size(), &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_switch_generation(filter_, &status_), LINEFILTER_OK);
  EXPECT_TRUE(MaybeText("old"));
  image.clear();
  EXPECT_EQ(linefilter_redis_write_to_sink(filter_, append, &image, &status_), LINEFILTER_OK);
  linefilter_redis* const copy =
      linefilter_redis_from_image(c_servers_, "copy", image.data(), image.size(), nullptr, nullptr, &status_);
  EXPECT_NE(copy, nullptr) << status_.message;
  linefilter_redis_free(copy);
}

TEST_F(RedisC, WhatItTellsIsWhatCppTells) {
  CreateInC();
  const linefilter_redis_info in_c = InfoInC();
  RedisInfo in_cpp;
  ASSERT_TRUE(IsOk(Open("seen").Info(&in_cpp)));
  EXPECT_EQ(in_c.layout, LINEFILTER_LAYOUT_BLOCKED);
  EXPECT_EQ(in_c.num_blocks, in_cpp.num_blocks);
  EXPECT_EQ(in_c.body_bytes, in_cpp.body_bytes);
  EXPECT_EQ(in_c.num_probes, in_cpp.num_probes);
  EXPECT_EQ(in_c.capacity, in_cpp.capacity);
  EXPECT_EQ(in_c.generation, linefilter_redis_generation(filter_));
  EXPECT_EQ(in_c.version, in_cpp.version);
  EXPECT_EQ(in_c.sampled_bytes, in_cpp.sampled_bytes);
  EXPECT_EQ(in_c.approximate_size, 0);
  EXPECT_EQ(in_c.num_masters, 1u);
  EXPECT_EQ(linefilter_redis_num_nodes(filter_), 1u);
  EXPECT_EQ(linefilter_redis_node_at(filter_, 0).address, server_->address());
  EXPECT_EQ(linefilter_redis_node_at(filter_, 0).is_open, 0u);
  EXPECT_STREQ(linefilter_redis_node_at(filter_, 1).address, "");
}

struct Told {
  std::vector<std::string> calls, sentences;
};

TEST_F(RedisC, CallsAndBreakersAreToldAndTheServersMayGo) {
  Told told;
  const linefilter_redis_on_call on_call = [](void* context, const linefilter_redis_call* call) noexcept {
    static_cast<Told*>(context)->calls.push_back(std::string(call->verb) + " " + call->filter + " " +
                                                 std::to_string(call->num_keys) + " " + std::to_string(call->code));
  };
  const linefilter_redis_notice notice = [](void* context, const char* sentence) noexcept {
    static_cast<Told*>(context)->sentences.emplace_back(sentence);
  };
  RedisServer ill;
  ASSERT_TRUE(ill.ok()) << ill.why();
  linefilter_redis_servers* const servers = linefilter_redis_servers_new(ill.address().c_str(), &status_);
  EXPECT_EQ(linefilter_redis_servers_set_on_call(servers, on_call, &told, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_servers_set_notice(servers, notice, &told, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_servers_set_on_unavailable(servers, LINEFILTER_REDIS_MAYBE, 1, &status_), LINEFILTER_OK);
  filter_ = linefilter_redis_create(servers, "seen", 1000, &c_options_, nullptr, &status_);
  linefilter_redis_servers_free(servers);
  ASSERT_NE(filter_, nullptr) << status_.message;
  ill.Kill();
  const uint64_t hashes[2] = {1, 2};
  uint8_t answers[2] = {0, 0};
  EXPECT_EQ(linefilter_redis_may_contain_hashes(filter_, hashes, 2, answers, nullptr, &status_), LINEFILTER_OK)
      << "one call per second may be maybe";
  EXPECT_EQ(answers[0] + answers[1], 2);
  bool maybe = false;
  linefilter_redis_within(filter_, 20);
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_UNAVAILABLE);
  EXPECT_TRUE(maybe);
  EXPECT_EQ(told.calls, (std::vector<std::string>{"may_contain seen 2 9", "may_contain seen 1 9"}));
  ASSERT_EQ(told.sentences.size(), 1u);
  EXPECT_NE(told.sentences[0].find(ill.address()), std::string::npos) << told.sentences[0];
  EXPECT_EQ(linefilter_redis_node_at(filter_, 0).is_open, 1u);
}

TEST_F(RedisC, WrongServersAreRefusedWithASentenceAndChangeNothing) {
  EXPECT_EQ(linefilter_redis_servers_new("redis://a:b:c", &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_INVALID_ARGUMENT);
  const linefilter_redis_deadlines before = linefilter_redis_servers_deadlines(c_servers_);
  linefilter_redis_deadlines none = before;
  none.request_ms = 0;
  EXPECT_EQ(linefilter_redis_servers_set_deadlines(c_servers_, &none, &status_), LINEFILTER_INVALID_ARGUMENT);
  EXPECT_TRUE(Says("request_ms")) << status_.message;
  EXPECT_EQ(linefilter_redis_servers_set_deadlines(c_servers_, nullptr, &status_), LINEFILTER_INVALID_ARGUMENT);
  EXPECT_EQ(linefilter_redis_servers_deadlines(c_servers_).request_ms, before.request_ms);
  EXPECT_EQ(linefilter_redis_servers_set_on_unavailable(c_servers_, 2, 1, &status_), LINEFILTER_INVALID_ARGUMENT);
  EXPECT_EQ(linefilter_redis_servers_set_on_unavailable(c_servers_, 1, -1, &status_), LINEFILTER_INVALID_ARGUMENT);
  EXPECT_EQ(linefilter_redis_open(c_servers_, nullptr, nullptr, &status_), nullptr);
  EXPECT_TRUE(Says("name")) << status_.message;
  EXPECT_EQ(linefilter_redis_create(c_servers_, "seen", 10, nullptr, nullptr, &status_), nullptr);
  EXPECT_TRUE(Says("linefilter_options_init")) << status_.message;
  EXPECT_EQ(linefilter_redis_servers_set_login(c_servers_, "nobody", "wrong", &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_open(c_servers_, "seen", nullptr, &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_INVALID_ARGUMENT) << status_.message;
  EXPECT_EQ(linefilter_redis_servers_set_login(c_servers_, nullptr, nullptr, &status_), LINEFILTER_OK);
  const linefilter_redis_tls tls = {"/nonexistent", nullptr, nullptr, "name"};
  EXPECT_EQ(linefilter_redis_servers_set_tls(c_servers_, &tls, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_servers_set_replicas(c_servers_, 1, 10, true, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_open(c_servers_, "seen", nullptr, &status_), nullptr) << "no such file";
}

TEST_F(RedisC, NullAnswersMaybeInsertsNothingAndSaysSo) {
  bool maybe = false;
  uint8_t outcome = 77, bytes[2] = {0, 0};
  const uint64_t two[2] = {1, 2};
  const void* const keys[2] = {"a", "b"};
  const size_t sizes[2] = {1, 1};
  const auto refuses = [&](linefilter_code code) {
    EXPECT_EQ(code, LINEFILTER_INVALID_ARGUMENT);
    EXPECT_TRUE(Says("NULL")) << status_.message;
  };
  refuses(linefilter_redis_may_contain_key(nullptr, "a", 1, &maybe, &status_));
  EXPECT_TRUE(maybe);
  refuses(linefilter_redis_may_contain_keys(nullptr, keys, sizes, 2, bytes, nullptr, &status_));
  EXPECT_EQ(bytes[0] + bytes[1], 2);
  refuses(linefilter_redis_may_contain_hashes(nullptr, two, 2, bytes, bytes, &status_));
  refuses(linefilter_redis_insert_u64(nullptr, 1, &outcome, &status_));
  EXPECT_EQ(outcome, LINEFILTER_REDIS_FAILED);
  refuses(linefilter_redis_insert_hashes(nullptr, two, 2, bytes, &status_));
  EXPECT_EQ(bytes[0] + bytes[1], 2 * LINEFILTER_REDIS_FAILED);
  refuses(linefilter_redis_insert_keys(nullptr, keys, sizes, 2, bytes, &status_));
  refuses(linefilter_redis_remove_hash(nullptr, 1, 0, &outcome, &status_));
  EXPECT_EQ(outcome, LINEFILTER_REDIS_NOT_REMOVED);
  refuses(linefilter_redis_remove_hashes(nullptr, two, 2, 0, bytes, &status_));
  EXPECT_EQ(bytes[0] + bytes[1], 2 * LINEFILTER_REDIS_NOT_REMOVED);
  refuses(linefilter_redis_switch_generation(nullptr, &status_));
  refuses(linefilter_redis_growth_status(nullptr, &status_));
  linefilter_redis_info info;
  refuses(linefilter_redis_read_info(nullptr, &info, &status_));
  EXPECT_EQ(info.expected_fpr, 1);
  refuses(linefilter_redis_delete(nullptr, "seen", &status_));
  refuses(linefilter_redis_servers_set_tls(nullptr, nullptr, &status_));
  EXPECT_EQ(linefilter_redis_open(nullptr, "seen", nullptr, &status_), nullptr);
  EXPECT_EQ(linefilter_redis_servers_deadlines(nullptr).request_ms, 100u);
  EXPECT_EQ(linefilter_redis_generation(nullptr), 0u);
  EXPECT_EQ(linefilter_redis_num_nodes(nullptr), 0u);
  linefilter_redis_within(nullptr, 1);
  linefilter_redis_free(nullptr);
  linefilter_redis_servers_free(nullptr);
}

}  // namespace
}  // namespace linefilter::test
