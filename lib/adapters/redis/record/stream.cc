#include "lib/adapters/redis/record/stream.h"

#include <string_view>

#include "lib/base/endian.h"

namespace linefilter::redis_internal {

void StreamAppend::AddTo(Batch* batch, const uint64_t* hashes, size_t n) {
  std::string bytes(8 * n, '\0');
  for (size_t i = 0; i < n; ++i) internal::StoreLE64(hashes[i], reinterpret_cast<uint8_t*>(&bytes[8 * i]));
  const std::string most_entries = std::to_string(std::max<uint64_t>(kept_keys_ / std::max<size_t>(n, 1), 1));
  is_done_ = false;
  command_ = batch->Add(*key_, Kind::kInsert,
                        {"XADD", key_->name, "NOMKSTREAM", "MAXLEN", "~", most_entries, "*", "h", bytes});
}

}  // namespace linefilter::redis_internal
