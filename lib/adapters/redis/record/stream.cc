#include "lib/adapters/redis/record/stream.h"

#include <string_view>

#include "lib/adapters/redis/record/u64.h"

namespace linefilter::redis_internal {

void StreamAppend::AddTo(Batch* batch, const uint64_t* hashes, size_t n) {
  std::string bytes;
  bytes.reserve(8 * n);
  for (size_t i = 0; i < n; ++i) AppendU64(hashes[i], &bytes);
  const std::string most_entries = std::to_string(std::max<uint64_t>(kept_keys_ / std::max<size_t>(n, 1), 1));
  is_done_ = false;
  command_ = batch->Add(*key_, Kind::kInsert,
                        {"XADD", key_->name, "NOMKSTREAM", "MAXLEN", "~", most_entries, "*", "h", bytes});
}

}  // namespace linefilter::redis_internal
