// linefilter/c/redis.h does what linefilter/redis.h does, with the same keys, answers and errors.
#include "tests/adapters/redis/redis_c_test.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/c/handles.h"

namespace linefilter::test {
namespace {

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

TEST_F(RedisC, ABatchForWhichThereIsNoMemoryIsRefused) {
  CreateInC();
  const uint64_t key = 1;
  for (const size_t n : {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 16 + 1}) {
    EXPECT_EQ(linefilter_redis_insert_u64s(filter_, &key, n, nullptr, &status_), LINEFILTER_OUT_OF_MEMORY) << n;
  }
  EXPECT_EQ(linefilter_redis_insert_u64s(filter_, nullptr, 0, nullptr, &status_), LINEFILTER_OK);
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
  EXPECT_EQ(linefilter_redis_remove_hash(filter_, hashes[0], generation ^ 1, &outcome, &status_),
            LINEFILTER_INCOMPATIBLE);
  EXPECT_EQ(linefilter_redis_remove_key(filter_, "alice", 5, generation ^ 1, &outcome, &status_),
            LINEFILTER_INCOMPATIBLE);
  EXPECT_EQ(linefilter_redis_remove_hashes(filter_, hashes, 2, generation ^ 1, outcomes, &status_),
            LINEFILTER_INCOMPATIBLE);
  EXPECT_EQ(outcomes[0], LINEFILTER_REDIS_UNKNOWN);
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
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_UNAVAILABLE);
  EXPECT_TRUE(maybe);
  EXPECT_EQ(told.calls, (std::vector<std::string>{"may_contain seen 2 9", "may_contain seen 1 9"}));
  ASSERT_EQ(told.sentences.size(), 1u);
  EXPECT_NE(told.sentences[0].find(ill.address()), std::string::npos) << told.sentences[0];
  const linefilter_redis_node in_c = linefilter_redis_node_at(filter_, 0);
  const RedisNode in_cpp = filter_->filter.node(0);
  EXPECT_TRUE(in_c.is_open == 1 && in_cpp.is_open);
  EXPECT_EQ(in_c.num_failures, in_cpp.num_failures);
  EXPECT_EQ(in_c.num_opened, in_cpp.num_opened);
  EXPECT_EQ(in_c.num_rejected, in_cpp.num_rejected);
  EXPECT_LE(in_c.ms_to_trial, 80u);
}

TEST_F(RedisC, CallbacksAreToldInWordsOfC) {
  std::string told;
  const linefilter_redis_on_call on_call = [](void* context, const linefilter_redis_call* call) noexcept {
    *static_cast<std::string*>(context) = call->message;
  };
  linefilter_redis_deadlines deadlines = linefilter_redis_servers_deadlines(c_servers_);
  deadlines.request_ms = 23;
  ASSERT_EQ(linefilter_redis_servers_set_deadlines(c_servers_, &deadlines, &status_), LINEFILTER_OK);
  ASSERT_EQ(linefilter_redis_servers_set_on_call(c_servers_, on_call, &told, &status_), LINEFILTER_OK);
  CreateInC();
  server_->Pause();
  bool maybe = false;
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_UNAVAILABLE);
  EXPECT_NE(told.find("linefilter_redis_deadlines.request_ms"), std::string::npos) << told;
  EXPECT_EQ(told, status_.message);
  server_->Resume();
  linefilter_redis_within(filter_, 60000);
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_OK) << status_.message;
  EXPECT_EQ(told, "ok");
}

TEST_F(RedisC, ACallHasADeadlineOfItsOwn) {
  CreateInC();
  server_->Pause();
  bool maybe = false;
  linefilter_redis_within(filter_, 23);
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_UNAVAILABLE);
  EXPECT_TRUE(maybe && Says("23 ms")) << status_.message;
  server_->Resume();
  EXPECT_EQ(linefilter_redis_may_contain_hash(filter_, 1, &maybe, &status_), LINEFILTER_OK) << status_.message;
  EXPECT_FALSE(maybe);
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
