// Two clients work on the time of a filter at once. One makes a step, and before each of its commands in turn the other
// one makes his, as a whole. After that the first one goes on, or loses a reply, or dies there or a few commands later.
// From every state of the record, shards live as long as the record that names them (after one who died: once the
// filter is opened). What no record names goes by itself.
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/nightly.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

using Act = RedisRelay::Act;
using Words = RedisRelay::Words;
using Step = std::function<Status(const RedisServers&)>;

struct Named {
  const char* name;
  Step step;
};

constexpr char kName[] = "seen";
constexpr uint64_t kSoonMs = 1000000, kLaterMs = 5000000;  // beyond what a run takes, and other times than a day's

FilterOptions Small() { return RedisOptions(16); }

// On an object of its own, as by a program that does this alone.
template <class Call>
Step OnFilter(const Call& call) {
  return [call](const RedisServers& servers) {
    RedisFilter filter;
    const Status status = filter.Open(servers, kName);
    return status.ok() ? call(&filter) : status;
  };
}

Status Create(const RedisServers& servers) { return RedisFilter().Create(servers, kName, 100, Small()); }
Status Delete(const RedisServers& servers) { return RedisFilter::Delete(servers, kName); }

const std::vector<Named>& Steps() {
  static const std::vector<Named> steps = {
      {"Create", Create},
      {"Begin", OnFilter([](RedisFilter* filter) { return filter->BeginGeneration(100, Small()); })},
      {"Switch", OnFilter([](RedisFilter* filter) { return filter->SwitchGeneration(); })},
      {"Abandon", OnFilter([](RedisFilter* filter) { return filter->AbandonGeneration(); })},
      {"Expire(0)", OnFilter([](RedisFilter* filter) { return filter->Expire(0); })},
      {"Expire(soon)", OnFilter([](RedisFilter* filter) { return filter->Expire(kSoonMs); })},
      {"Expire(later)", OnFilter([](RedisFilter* filter) { return filter->Expire(kLaterMs); })},
      {"Open", [](const RedisServers& servers) { return RedisFilter().Open(servers, kName); }},
      {"Delete", Delete},
      {"Delete, Create",
       [](const RedisServers& servers) {
         const Status status = Delete(servers);
         return status.ok() ? Create(servers) : status;
       }},
  };
  return steps;
}

// What becomes of the first one, at the command before which the other one came: `later` commands behind it he dies.
struct Fate {
  bool dies = false, loses_reply = false;
  size_t later = 0;
};

class RedisTimes : public RedisServerTest {
 protected:
  // Runs `step` through the relay; `at` its command number `n` (from 1) comes. False: it has fewer.
  bool Run(const Step& step, size_t n, const Fate& fate, const std::function<void()>& at) {
    RedisRelay relay(server_->port());
    std::atomic<size_t> number{0};
    relay.before = [&](const Words&) {
      if (++number == n) at();
      if (fate.dies && number >= n + fate.later) return Act::kClose;
      return fate.loses_reply && number == n ? Act::kRunAndClose : Act::kForward;
    };
    RedisServers through = PatientServers(relay.address());
    if (fate.dies) test::SetPatience(0, &through);
    (void)step(through).ok();  // what it says depends on the other one
    return number >= n;
  }

  // The record has one more generation that is being left: its Switch died before Finish.
  void DieInSwitch() {
    RedisRelay relay(server_->port());
    relay.before = [](const Words& words) { return words[0] == "PEXPIRE" ? Act::kClose : Act::kForward; };
    RedisServers through = PatientServers(relay.address());
    test::SetPatience(0, &through);
    RedisFilter dies = Opened(through, kName);
    ASSERT_EQ(dies.SwitchGeneration().code(), StatusCode::kUnavailable);
  }

  std::vector<std::pair<const char*, std::function<void()>>> States() {
    const auto create = [this] { ASSERT_TRUE(Create(servers_).ok()); };
    const auto begin = [this, create] {
      create();
      ASSERT_TRUE(Steps()[1].step(servers_).ok());
    };
    const auto left = [this, begin] {
      begin();
      DieInSwitch();
    };
    const auto mortal = [this](const auto& state) {
      return [this, state] {
        state();
        ASSERT_TRUE(Steps()[6].step(servers_).ok());
      };
    };
    return {{"none", [] {}},
            {"current", create},
            {"current, next", begin},
            {"current, previous", left},
            {"mortal: current", mortal(create)},
            {"mortal: current, next", mortal(begin)}};
  }

  // `opened`: somebody opens the filter before, as the next client does. (Who reads from replicas changes nothing.)
  void ExpectTimesThatFit(bool opened, bool may_be_lost) {
    RedisFilter filter;
    RedisInfo info;
    RedisServers servers = servers_;
    servers.replica_reads = !opened;
    const Status status = filter.Open(servers, kName);
    ASSERT_TRUE(status.ok() || status.code() == StatusCode::kNotFound) << status.message();
    const bool there = status.ok();
    if (there) {
      ASSERT_TRUE(filter.Info(&info).ok());
    }
    EXPECT_TRUE(info.num_lost_shards == 0 || may_be_lost);
    const int64_t record = client_.Integer({"PTTL", kName});
    for (const auto& key : client_.Do({"KEYS", "{seen:*"}).items) {
      const int64_t ms = client_.Integer({"PTTL", key.text});
      const auto is_of = [&](uint64_t generation) {
        return generation != 0 && key.text.rfind("{seen:" + IdOf(generation) + ":", 0) == 0;
      };
      if (is_of(info.previous_generation)) continue;  // the next step gives it its minute
      if (!is_of(info.generation) && !is_of(info.next_generation)) {
        EXPECT_GE(ms, 0) << key.text << " stays for ever, and no record names it";
      } else if (record < 0) {
        EXPECT_EQ(ms, -1) << key.text << " goes, and the record does not";
      } else {
        EXPECT_GE(ms, 0) << key.text << " stays, and the record goes";
        EXPECT_LT(ms, record) << key.text;
        EXPECT_GE(ms, client_.Integer({"PTTL", kName}) - 60000) << key.text << " goes before the filter";
      }
    }
  }

  static bool Has(const Named& step, const char* word) {
    return std::string(step.name).find(word) != std::string::npos;
  }

  void OfTwo(const Fate& fate) {
    const bool goes_on = !fate.dies && !fate.loses_reply;
    for (const auto& [state, make] : States()) {
      const std::string at = state;
      if (!goes_on && (at == "none" || at == "current, previous" || at == "mortal: current")) continue;
      for (const Named& first : Steps()) {
        for (const Named& other : Steps()) {
          // Begin and Abandon are as Switch is here, and a second Create as Open.
          const std::string name = other.name;
          if (!goes_on && (name == "Begin" || name == "Abandon" || name == "Create" || name == "Expire(later)"))
            continue;
          // Each change runs every 11th pair: rows have 10 or 6, and so each step comes first and second.
          if (!IsNightly() && ++num_pairs_ % 11 != 0) continue;
          bool comes = true;
          for (size_t n = 1; comes; ++n) {
            client_.Do({"FLUSHALL"});
            make();
            comes = Run(first.step, n, fate, [&] { (void)other.step(servers_).ok(); });
            SCOPED_TRACE(std::string(state) + ": " + first.name + ", and " + name + " before command " +
                         std::to_string(n));
            // Who dies while he deletes has deleted some; a Create that is sent twice around a Delete says so
            // (kCorrupt).
            ExpectTimesThatFit(!goes_on, Has(first, "Delete") || (Has(first, "Create") && Has(other, "Delete")));
            ++num_runs_;
            if (HasFailure()) return;
          }
        }
      }
    }
  }

  static size_t Some(size_t all) { return IsNightly() ? all : all / 15; }

  RedisClient client_{server_->address()};
  size_t num_runs_ = 0, num_pairs_ = 0;
};

TEST_F(RedisTimes, FitWhenTwoWorkAtOnce) {
  OfTwo({});
  EXPECT_GT(num_runs_, Some(15000));
}

TEST_F(RedisTimes, FitWhenOneOfTwoLosesAReply) {
  OfTwo({false, true, 0});
  EXPECT_GT(num_runs_, Some(5000));
}

TEST_F(RedisTimes, FitWhenOneOfTwoDies) {
  for (const size_t later : {0u, 2u}) {
    SCOPED_TRACE(std::to_string(later) + " commands later");
    OfTwo({true, false, later});
  }
  EXPECT_GT(num_runs_, Some(10000));
}

}  // namespace
}  // namespace linefilter::test
