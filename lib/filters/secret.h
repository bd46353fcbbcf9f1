// An image is opened with a secret: one that was given, or none.
#ifndef LINEFILTER_LIB_FILTERS_SECRET_H_
#define LINEFILTER_LIB_FILTERS_SECRET_H_

#include <cstdint>
#include <cstring>

#include "linefilter/hash.h"
#include "linefilter/options.h"

namespace linefilter::internal {

// It is a copy: what was given may be the secret of the view that is opened anew. (C gives the bytes of one.)
class GivenSecret {
 public:
  explicit GivenSecret(const HashSecret* given) : GivenSecret(given == nullptr ? nullptr : given->bytes) {}
  explicit GivenSecret(const uint8_t* given) : given_(given != nullptr) {
    if (given_) memcpy(secret_.bytes, given, sizeof(secret_.bytes));
  }
  const HashSecret* get() const { return given_ ? &secret_ : nullptr; }
  const HashSecret& OrZero() const { return secret_; }

 private:
  bool given_;
  HashSecret secret_;
};

// An image that is to go with these options is opened with this.
inline const HashSecret* SecretOf(const FilterOptions& options) {
  return KeyHash::IsKeyed(options.hash_id) ? &options.secret : nullptr;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_SECRET_H_
