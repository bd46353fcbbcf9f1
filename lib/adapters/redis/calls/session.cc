#include "lib/adapters/redis/calls/session.h"

namespace linefilter::redis_internal {
namespace {

// No command that is asked here answers so; PTTL does for a key that is gone.
constexpr int64_t kNoNumber = -2;

class OneAnswer final : public ReplyHandler {
 public:
  explicit OneAnswer(Answer* answer) : answer_(answer) {}
  void OnReply(size_t, const Reply& reply) override {
    answer_->is_nil = reply.is_nil();
    answer_->text.assign(reply.text());
    answer_->number = reply.is_integer() ? reply.integer() : kNoNumber;
  }
  void OnError(size_t, const Status&) override {}  // Run tells it

 private:
  Answer* const answer_;
};

}  // namespace

Status Session::Do(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words, Answer* answer) {
  batch.Clear();
  batch.Add(key, kind, static_cast<uint32_t>(words.size()));
  for (const std::string_view word : words) batch.Arg(word);
  OneAnswer handler(answer);
  return router.Run(batch, &handler);
}

}  // namespace linefilter::redis_internal
