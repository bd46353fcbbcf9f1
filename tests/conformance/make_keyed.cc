// The vectors of the keyed hash (hash id 2): what siphash.txt contains, and the part of images.txt that takes secrets.
// The reference alone decides what the bytes and the answers are.
#include <sstream>

#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"

namespace linefilter::test {
namespace {

constexpr Asked kSome = {50, 300, 50, true, 0};

std::string CountingSecret() {
  std::string secret;
  for (char i = 0; i < 16; ++i) secret.push_back(i);
  return secret;
}
std::string RandomSecret() { return FillBytes(16, 1); }

// As near as another secret can be.
std::string OneBitOff(std::string secret) {
  secret.back() = static_cast<char>(secret.back() ^ 0x80);
  return secret;
}

uint64_t CheckOf(const std::string& secret) {
  return reference::CheckOfSecret(reinterpret_cast<const uint8_t*>(secret.data()));
}

Filter Keyed(Filter filter, const std::string& secret) {
  filter.hash_id = 2;
  filter.has_seed = true;
  filter.seed = CheckOf(secret);
  return filter;
}

void WithTheirSecret(ImagesFile* file, const std::string& secret) {
  file->Section("Keyed images, opened with their secret");
  file->OpenWith(secret);
  const std::vector<Question> keys = FirstKeys("text", "key-", 50);
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = "keyed-" + LayoutWord(layout);
    const auto sized = [&](size_t classic, size_t blocks) {
      return Keyed(Empty(layout, 7, layout == kClassic ? classic : blocks), secret);
    };
    file->OfKeys(name + "-empty-set", sized(0, 0), {}, {}, true);
    file->OfKeys(name + "-50-keys", sized(63, 64), keys, kSome, true);
    file->OfKeys(name + "-integers", sized(63, 64), FirstKeys("u64", "", 50), {20, 20, 2000, true, 0});
    file->OfKeys(name + "-keys-of-0-to-299-bytes", sized(375, 384), FirstKeys("input", "", 300), {});
    Filter all_fields = sized(63, 64);
    all_fields.has_num_keys = all_fields.has_extensions = true;
    all_fields.num_keys = 50;
    all_fields.extensions = {{9, AsBytes("hello")}};
    file->OfKeys(name + "-all-fields", all_fields, keys, kSome);
    file->OfKeys(name + "-large", sized(4097, 4160), FirstKeys("text", "key-", 3000), {3000, 500, 20, true, 0});
    file->OfFilledBody(name + "-chunks", sized(65537, 131072), 200, kSome);
    file->Steps(name + "-damaged-chunk-1", {"copy " + name + "-chunks", "flip 524288"}, kFew);
  }
  std::vector<Filter> stages = {Empty(kBlocked, 7, 64), Empty(kBlocked, 7, 128)};
  for (size_t i = 0; i < keys.size(); ++i) stages[i % 2].Insert(keys[i].Hash(0, secret));
  file->Image("keyed-container", WriteImage(Keyed(reference::MakeContainer(stages, {25, 25}), secret)), kSome);
  file->OpenWith(RandomSecret());
  file->OfKeys("keyed-blocked-random-secret", Keyed(Empty(kBlocked, 7, 64), RandomSecret()), keys, kSome);
}

void WithoutIt(ImagesFile* file, const std::string& secret) {
  file->Section("The same opened without a secret, or with another; unkeyed ones opened with a secret");
  for (const int layout : reference::kLayoutsOfOneBody) {
    for (const std::string size : {"empty-set", "50-keys", "large"}) {
      const std::string keyed = "keyed-" + LayoutWord(layout) + "-" + size;
      file->OpenWith("");
      file->Steps(keyed + "-without-a-secret", {"copy " + keyed}, kFew);
      file->OpenWith(OneBitOff(secret));
      file->Steps(keyed + "-with-a-secret-one-bit-off", {"copy " + keyed}, kFew);
      file->OpenWith(RandomSecret());
      file->Steps(keyed + "-with-another-secret", {"copy " + keyed}, kFew);
    }
    file->OpenWith(secret);
    const std::string unkeyed = LayoutWord(layout);
    for (const std::string name : {"-empty-set", "-50-keys", "-4096", "-callers-hashes"}) {
      file->Steps(unkeyed + name + "-with-a-secret", {"copy " + unkeyed + name}, kFew);
    }
    // Only its hash id tells that it is not keyed.
    Filter seeded = Empty(layout, 7, 64);
    seeded.seed = CheckOf(secret);
    file->OfKeys(unkeyed + "-whose-seed-is-the-check-of-the-secret", seeded, {}, kFew);
  }
}

void BadChecks(ImagesFile* file, const std::string& secret) {
  file->Section("Keyed images whose check of the secret is damaged (in front of the last 8 bytes), wrong, or missing");
  file->OpenWith(secret);
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = "keyed-" + LayoutWord(layout);
    for (const std::string size : {"empty-set", "50-keys", "large"}) {
      const std::string good = name + "-" + size;
      const size_t end = 8 * (file->bytes(good).size() - 8);
      for (const size_t bit : {end - 64, end - 1}) {
        file->Steps(good + "-flip-" + std::to_string(bit), {"copy " + good, "flip " + std::to_string(bit)}, kFew);
      }
    }
    // From here on the image's own check is right.
    const Filter keyed = Keyed(Empty(layout, 7, 64), secret);
    const uint64_t right = keyed.seed, swapped = __builtin_bswap64(right);
    const auto wrong = [&](const std::string& what, uint64_t check) {
      Filter filter = keyed;
      filter.seed = check;
      file->Image(name + "-check-" + what, WriteImage(filter), kFew);
    };
    wrong("of-0", 0);
    wrong("first-bit-off", right ^ 1);
    wrong("last-bit-off", right ^ uint64_t{1} << 63);
    wrong("big-endian", swapped);
    wrong("of-another-secret", CheckOf(OneBitOff(secret)));
    for (const size_t body_bytes : {size_t{0}, size_t{64}, size_t{4160}}) {
      Filter filter = Empty(layout, 7, body_bytes);
      filter.hash_id = 2;
      file->Image(name + "-without-check-body-" + std::to_string(body_bytes), WriteImage(filter), kFew, body_bytes);
    }
  }
  file->OpenWith("");
}

}  // namespace

std::string MakeSiphashVectors() {
  std::ostringstream text;
  text << kHead << "# length of the input | secret, its 16 bytes in hexadecimal | SipHash-1-3, hexadecimal\n";
  for (const size_t size : {0u,  1u,  2u,  3u,  4u,  5u,  6u,   7u,   8u,   9u,   15u,  16u,  17u,
                            31u, 32u, 63u, 64u, 65u, 96u, 127u, 128u, 129u, 255u, 256u, 257u, 1025u}) {
    for (const std::string& secret : {CountingSecret(), RandomSecret()}) {
      const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(secret.data());
      text << size << " " << HexBytes(secret) << " " << Hex64(reference::SipHash(1, 3, InputBytes(size), bytes))
           << "\n";
    }
  }
  return text.str();
}

void KeyedImages(ImagesFile* file) {
  const std::string secret = CountingSecret();
  WithTheirSecret(file, secret);
  WithoutIt(file, secret);
  BadChecks(file, secret);
}

}  // namespace linefilter::test
