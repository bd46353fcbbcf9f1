// A RecordLook is one look at the header record within a batch: whether it is still the one that the client goes by.
// Marks cannot tell when the record alone is lost and a new filter takes the name: the old shards stay whole.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_RECORD_LOOK_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_RECORD_LOOK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/adapters/redis/wire/batch.h"
#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {

// It must come after the batch began, not after its other commands (doc/REDIS.md section 4); but the router wants all
// checks at the end.
class RecordLook {
 public:
  // `record` is the text that was read last; its check stands for all of it.
  RecordLook(const RedisKey& key, std::string_view record) : key_(&key) {
    memcpy(check_, record.data() + record.size() - sizeof(check_), sizeof(check_));
  }

  void AddTo(Batch* batch) {
    found_ = kUnknown;
    static_assert(sizeof(check_) == 17);
    command_ = batch->Add(*key_, Kind::kCheck, {"GETRANGE", key_->name, "-17", "-1"});
  }

  // Whether that command is the look.
  bool Has(size_t command) const { return command == command_; }
  void OnReply(const Reply& reply) {
    found_ = reply.text() == std::string_view(check_, sizeof(check_)) ? kSame : kOther;
  }

  // This holds whatever was said before.
  void OnError() { found_ = kUnknown; }

  // Whether what the batch found counts.
  bool IsSame() const { return found_ == kSame; }
  // Whether the record has to be read again.
  bool IsOther() const { return found_ == kOther; }

 private:
  enum Found : uint8_t { kUnknown, kSame, kOther };

  const RedisKey* key_;
  char check_[17];  // 16 digits and the newline that ends the record
  size_t command_ = ~size_t{0};
  Found found_ = kUnknown;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_RECORD_LOOK_H_
