// Filters in Redis are made, filled from images, replaced and looked at in C as in C++, at the same servers.
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/c/handles.h"
#include "lib/adapters/redis/record/names.h"
#include "tests/adapters/redis/redis_c_test.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

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
  EXPECT_EQ(linefilter_redis_servers_set_database(c_servers_, 1, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_delete(c_servers_, "seen", &status_), LINEFILTER_NOT_FOUND) << "it is in another database";
  EXPECT_EQ(linefilter_redis_servers_set_database(c_servers_, 0, &status_), LINEFILTER_OK);
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
  layout.max_growth = 1;
  EXPECT_EQ(linefilter_redis_create(c_servers_, "grows", 5000, &c_options_, &layout, &status_), nullptr);
  EXPECT_TRUE(Says("set grows, too")) << status_.message;
  layout.grows = 1;
  linefilter_redis* const grows = linefilter_redis_create(c_servers_, "grows", 5000, &c_options_, &layout, &status_);
  EXPECT_EQ(linefilter_redis_layout_of(grows), LINEFILTER_LAYOUT_CONTAINER) << status_.message;
  EXPECT_EQ(linefilter_redis_growth_status(grows, &status_), LINEFILTER_OK);
  const std::vector<uint64_t> many = RandomHashes(10000, 1);
  EXPECT_EQ(linefilter_redis_insert_hashes(grows, many.data(), many.size(), nullptr, &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_growth_status(grows, &status_), LINEFILTER_OVER_LIMIT) << status_.message;
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
  linefilter_redis_layout layout = {};
  layout.shard_bytes = 192;
  EXPECT_EQ(linefilter_redis_begin_generation_from_image(filter_, image.data(), image.size(), &layout, &status_),
            LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_load_next(filter_, image.data(), image.size(), &status_), LINEFILTER_OK);
  EXPECT_EQ(linefilter_redis_switch_generation(filter_, &status_), LINEFILTER_OK);
  EXPECT_TRUE(MaybeText("old"));
  EXPECT_EQ(InfoInC().shard_bytes, 192u);
  image.clear();
  EXPECT_EQ(linefilter_redis_write_to_sink(filter_, append, &image, &status_), LINEFILTER_OK);
  linefilter_redis* const copy =
      linefilter_redis_from_image(c_servers_, "copy", image.data(), image.size(), nullptr, nullptr, &status_);
  EXPECT_NE(copy, nullptr) << status_.message;
  linefilter_redis_free(copy);
}

TEST_F(RedisC, AnImageOfAKeyedHashTakesItsSecret) {
  c_options_.hash_id = LINEFILTER_HASH_KEYED;
  for (uint8_t i = 0; i < LINEFILTER_SECRET_BYTES; ++i) c_options_.secret[i] = static_cast<uint8_t>(7 * i + 1);
  linefilter_filter* const local = linefilter_filter_new(100, &c_options_, &status_);
  linefilter_filter_insert_key(local, "alice", 5);
  size_t size = 0;
  void* const image = linefilter_filter_image(local, &size, &status_);
  ASSERT_NE(image, nullptr) << status_.message;
  EXPECT_EQ(linefilter_redis_from_image(c_servers_, "seen", image, size, nullptr, nullptr, &status_), nullptr);
  EXPECT_EQ(status_.code, LINEFILTER_INCOMPATIBLE);
  filter_ = linefilter_redis_from_image(c_servers_, "seen", image, size, c_options_.secret, nullptr, &status_);
  ASSERT_NE(filter_, nullptr) << status_.message;
  EXPECT_TRUE(MaybeText("alice"));
  linefilter_image_free(image);
  linefilter_filter_free(local);
}

void ExpectSame(const linefilter_redis_info& in_c, const RedisInfo& in_cpp) {
  EXPECT_EQ(in_c.layout, static_cast<int>(in_cpp.layout));
  EXPECT_EQ(in_c.hash_id, static_cast<int>(in_cpp.hash_id));
  EXPECT_EQ(in_c.seed, in_cpp.seed);
  EXPECT_EQ(in_c.capacity, in_cpp.capacity);
  EXPECT_EQ(in_c.num_blocks, in_cpp.num_blocks);
  EXPECT_EQ(in_c.body_bytes, in_cpp.body_bytes);
  EXPECT_EQ(in_c.shard_bytes, in_cpp.shard_bytes);
  EXPECT_EQ(in_c.num_shards, in_cpp.num_shards);
  EXPECT_EQ(in_c.followed_keys, in_cpp.followed_keys);
  EXPECT_EQ(in_c.generation, in_cpp.generation);
  EXPECT_EQ(in_c.next_generation, in_cpp.next_generation);
  EXPECT_EQ(in_c.previous_generation, in_cpp.previous_generation);
  EXPECT_EQ(in_c.version, in_cpp.version);
  EXPECT_EQ(in_c.num_lost_shards, in_cpp.num_lost_shards);
  EXPECT_EQ(in_c.sampled_bytes, in_cpp.sampled_bytes);
  EXPECT_EQ(in_c.fill_ratio, in_cpp.fill_ratio);
  EXPECT_EQ(in_c.approximate_size, in_cpp.approximate_size.keys);
  EXPECT_EQ(in_c.approximate_size_error, in_cpp.approximate_size.error);
  EXPECT_EQ(in_c.expected_fpr, in_cpp.expected_fpr);
  EXPECT_EQ(in_c.num_probes, in_cpp.num_probes);
  EXPECT_EQ(in_c.num_stages, in_cpp.num_stages);
  EXPECT_EQ(in_c.num_masters, in_cpp.num_masters);
  EXPECT_EQ(in_c.is_cluster != 0, in_cpp.cluster);
}

TEST_F(RedisC, WhatItTellsIsWhatCppTells) {
  linefilter_redis_layout layout = {};
  layout.shard_bytes = 128;
  c_options_.seed = 5;
  CreateInC(1000, &layout);
  const std::vector<uint64_t> hashes = RandomHashes(700, 1);
  ASSERT_EQ(linefilter_redis_insert_hashes(filter_, hashes.data(), hashes.size(), nullptr, &status_), LINEFILTER_OK);
  ASSERT_EQ(linefilter_redis_begin_generation(filter_, 100, &c_options_, nullptr, &status_), LINEFILTER_OK);
  client_->Do({"DEL", redis_internal::ShardName("seen", linefilter_redis_generation(filter_), 0)});
  RedisInfo in_cpp;
  ASSERT_TRUE(IsOk(Open("seen").Info(&in_cpp)));
  EXPECT_NE(in_cpp.num_lost_shards, 0u);
  EXPECT_NE(in_cpp.next_generation, 0u);
  ExpectSame(InfoInC(), in_cpp);
  EXPECT_EQ(InfoInC().generation, linefilter_redis_generation(filter_));

  c_options_.bits_per_key = 0, c_options_.fpr = 0.01, layout.grows = 1;
  linefilter_redis_free(filter_);
  filter_ = linefilter_redis_create(c_servers_, "grows", 5000, &c_options_, &layout, &status_);
  ASSERT_NE(filter_, nullptr) << status_.message;
  ASSERT_TRUE(IsOk(Open("grows").Info(&in_cpp)));
  ExpectSame(InfoInC(), in_cpp);
  EXPECT_EQ(linefilter_redis_num_nodes(filter_), 1u);
  EXPECT_EQ(linefilter_redis_node_at(filter_, 0).address, server_->address());
  EXPECT_STREQ(linefilter_redis_node_at(filter_, 1).address, "");
}

// What is set can be seen in the object of C++ alone.
TEST_F(RedisC, TheServersAreThoseOfCpp) {
  linefilter_redis_servers* const set = linefilter_redis_servers_new("rediss://u:p@h:1/3", &status_);
  ASSERT_NE(set, nullptr) << status_.message;
  const RedisServers& told = set->servers;
  EXPECT_TRUE(told.addresses == "h:1" && told.user == "u" && told.password == "p" && told.database == 3 && told.tls);
  const linefilter_redis_deadlines deadlines = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(linefilter_redis_servers_set_deadlines(set, &deadlines, &status_), LINEFILTER_OK);
  const Deadlines& in_cpp = told.deadlines;
  EXPECT_TRUE(in_cpp.request_ms == 1 && in_cpp.request_ms_per_mb == 2 && in_cpp.admin_ms == 3);
  EXPECT_TRUE(in_cpp.connect_ms == 4 && in_cpp.reply_ms == 5 && in_cpp.pause_ms == 6);
  const linefilter_redis_deadlines back = linefilter_redis_servers_deadlines(set);
  EXPECT_EQ(memcmp(&back, &deadlines, sizeof(back)), 0);
  const linefilter_redis_tls tls = {"a", "b", "c", "d"};
  EXPECT_EQ(linefilter_redis_servers_set_tls(set, &tls, &status_), LINEFILTER_OK);
  EXPECT_EQ(told.tls_ca + told.tls_certificate + told.tls_key + told.tls_server_name, "abcd");
  EXPECT_EQ(linefilter_redis_servers_set_tls(set, nullptr, &status_), LINEFILTER_OK);
  EXPECT_EQ(told.tls_ca + told.tls_certificate + told.tls_key + told.tls_server_name, "");
  EXPECT_EQ(linefilter_redis_servers_set_login(set, "x", "y", &status_), LINEFILTER_OK);
  EXPECT_TRUE(told.user == "x" && told.password == "y");
  EXPECT_EQ(linefilter_redis_servers_set_database(set, 2, &status_), LINEFILTER_OK);
  EXPECT_EQ(told.database, 2);
  EXPECT_EQ(linefilter_redis_servers_set_replicas(set, 7, 8, true, &status_), LINEFILTER_OK);
  EXPECT_TRUE(told.wait_replicas == 7 && told.wait_ms == 8 && told.replica_reads);
  EXPECT_EQ(linefilter_redis_servers_set_on_unavailable(set, LINEFILTER_REDIS_MAYBE, 9, &status_), LINEFILTER_OK);
  EXPECT_TRUE(told.on_unavailable == OnUnavailable::kMaybe && told.maybes_per_second == 9);
  linefilter_redis_servers_free(set);
}

TEST_F(RedisC, ASentenceHasTheNamesOfC) {
  linefilter_redis_servers* const wrong = linefilter_redis_servers_new(server_->address().c_str(), &status_);
  const auto says = [&](const char* words) {
    EXPECT_EQ(linefilter_redis_open(wrong, "seen", nullptr, &status_), nullptr);
    EXPECT_TRUE(Says(words)) << status_.message;
    EXPECT_FALSE(Says("::")) << status_.message;
  };
  linefilter_redis_servers_set_database(wrong, 1000, nullptr);
  says("mend linefilter_redis_servers_set_database");
  linefilter_redis_servers_set_database(wrong, 0, nullptr);
  linefilter_redis_servers_set_login(wrong, nullptr, "secret", nullptr);
  says("leave out the password of linefilter_redis_servers_set_login");
  linefilter_redis_servers_free(wrong);
}

}  // namespace
}  // namespace linefilter::test
