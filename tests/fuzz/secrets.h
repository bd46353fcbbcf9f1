// Secrets of keyed images, and what one must say to whoever opens it with its secret, without, or with another one:
// doc/FORMAT.md section 1 and linefilter/view.h. Hashes and checks are the reference's.
#ifndef LINEFILTER_TESTS_FUZZ_SECRETS_H_
#define LINEFILTER_TESTS_FUZZ_SECRETS_H_

#include <cstdint>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/status.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reference/reference.h"

namespace linefilter::fuzz {

// One for each number; none is all zero.
constexpr HashSecret SecretOf(uint64_t number) {
  HashSecret secret;
  for (int i = 0; i < 8; ++i) {
    secret.bytes[i] = static_cast<uint8_t>(number >> (8 * i));
    secret.bytes[8 + i] = static_cast<uint8_t>(~number >> (8 * i));
  }
  return secret;
}

// The same but for one bit, of 128.
constexpr HashSecret OtherThan(HashSecret secret, uint8_t bit) {
  secret.bytes[bit % 16] = static_cast<uint8_t>(secret.bytes[bit % 16] ^ 1 << (bit / 16 % 8));
  return secret;
}

// That of the good images (good_images.h), and another. Whatever is read is opened in these three ways.
inline constexpr HashSecret kSecret = SecretOf(0x0123456789abcdef), kOtherSecret = OtherThan(kSecret, 255);
inline constexpr const HashSecret* kOpenings[] = {nullptr, &kSecret, &kOtherSecret};

inline uint64_t HashBySecret(std::string_view key, const HashSecret& secret) {
  return reference::SipHash(1, 3, key, secret.bytes);
}

// The hash of a key in a filter of that hash id, which hashes keys; `secret` is its secret if it is keyed.
inline uint64_t HashBy(HashId hash_id, uint64_t seed, const HashSecret* secret, std::string_view key) {
  if (hash_id == HashId::kParquet) return reference::Xxh64(key);
  return hash_id == HashId::kKeyed ? HashBySecret(key, *secret) : reference::HashOfKey(key, seed);
}

// Is `secret` (null: none) what that image, which the reference reads, is to be opened with?
inline bool Opens(const HashSecret* secret, const reference::Filter& image) {
  if (image.hash_id != 2) return secret == nullptr;
  return secret != nullptr && image.seed == HashBySecret("linefilter.secret", *secret);
}

// `status` is what opening gave. `image` counts where the bytes are readable, to the reference.
inline void RequireOpenedRightly(const Status& status, bool readable, const reference::Filter& image,
                                 const HashSecret* secret) {
  const StatusCode code = status.code();
  if (!readable) {
    FUZZ_REQUIRE(code == StatusCode::kCorrupt || code == StatusCode::kUnsupported);
  } else {
    FUZZ_REQUIRE(code == (Opens(secret, image) ? StatusCode::kOk : StatusCode::kIncompatible));
  }
  FUZZ_REQUIRE(status.ok() || status.message()[0] != '\0');
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_SECRETS_H_
