// The part of images.txt that layout `quotient` alone has: multisets, full and saturated blocks, what removals leave,
// and blocks that contradict themselves. The reference alone decides what the bytes and the answers are.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/conformance/images_file.h"

namespace linefilter::test {
namespace {

// So many that both answers come often, in one block too.
constexpr Asked kMany = {60, 200, 60, true, 5};

Filter Multiset(size_t body_bytes) {
  Filter filter = Empty(kQuotient, 1, body_bytes);
  filter.num_probes = 1;
  return filter;
}

std::vector<Question> Times(uint64_t n, size_t times) {
  std::vector<Question> keys;
  for (size_t i = 0; i < times; ++i) {
    const std::vector<Question> once = FirstKeys("text", "key-", n);
    keys.insert(keys.end(), once.begin(), once.end());
  }
  return keys;
}

void Multisets(ImagesFile* file) {
  file->Section("Layout quotient: multisets, in which a key counts as often as it was inserted");
  const Filter small = Multiset(64);
  file->OfKeys("quotient-multiset-empty-set", Multiset(0), {}, {}, true);
  file->OfKeys("quotient-multiset-body-without-keys", small, {}, {});
  for (const size_t times : {1u, 2u, 3u, 400u}) {
    file->OfKeys("quotient-multiset-1-key-" + std::to_string(times) + "-times", small, Times(1, times), kMany);
  }
  file->OfKeys("quotient-multiset-50-keys", small, Times(50, 1), kMany, true);
  file->OfKeys("quotient-multiset-50-keys-twice", small, Times(50, 2), kMany);
  file->OfKeys("quotient-multiset-435-keys-so-L-is-0", small, Times(435, 1), kMany);
  file->OfKeys("quotient-multiset-436-keys-so-it-is-saturated", small, Times(436, 1), kMany);
  file->OfKeys("quotient-multiset-2000-keys-1000-twice", Multiset(2560), Times(1000, 2), kMany);
  file->OfKeys("quotient-multiset-4160-of-keys", Multiset(4160), Times(3000, 1), {3000, 1000, 3, true, 0});
  Filter all_fields = WithNumKeys(WithExtensions(small, {{9, AsBytes("hello")}}), 100);
  all_fields.seed = 77;
  all_fields.has_seed = true;
  file->OfKeys("quotient-multiset-all-fields", all_fields, Times(50, 2), kMany, true);
  Filter callers = small;
  callers.hash_id = reference::kCaller;
  file->OfKeys("quotient-multiset-callers-hashes", callers, FirstKeys("hash", "key-", 50), {0, 0, 1, true, 60});
}

void Removals(ImagesFile* file) {
  file->Section(
      "Layout quotient: what is left when keys were removed. No writer makes these of the keys that are left");
  const auto after = [&](const std::string& name, uint64_t inserted, uint64_t removed, const std::string& what) {
    Filter filter = Multiset(64);
    for (uint64_t i = 0; i < inserted; ++i) filter.Insert(reference::HashOfKey("key-" + std::to_string(i), 0));
    for (uint64_t i = 0; i < removed; ++i) filter.Remove(reference::HashOfKey(what + std::to_string(i), 0));
    file->Image("quotient-multiset-" + name, WriteImage(filter), kMany);
  };
  after("120-keys-of-which-90-went", 120, 90, "key-");
  after("300-keys-of-which-299-went", 300, 299, "key-");
  after("50-keys-that-all-went", 50, 50, "key-");
  after("436-keys-from-which-none-can-go", 436, 100, "key-");
  after("100-keys-and-strangers-that-went", 100, 40, "stranger-");
}

void Loads(ImagesFile* file) {
  file->Section("Layout quotient: sets, from one key in a block to thousands");
  for (const uint64_t keys : {2u, 5u, 12u, 13u, 25u, 100u, 171u, 300u, 5000u}) {
    file->OfKeys("quotient-" + std::to_string(keys) + "-keys-in-a-block", Empty(kQuotient, 0, 64), Times(keys, 1),
                 kMany);
  }
  file->OfKeys("quotient-50-keys-100-times", Empty(kQuotient, 0, 64), Times(50, 100), kMany);
}

void SetBits(size_t first, size_t count, uint64_t value, Bytes* body) {
  for (size_t i = 0; i < count; ++i) {
    uint8_t& byte = (*body)[(first + i) / 8];
    const uint8_t bit = static_cast<uint8_t>(1u << ((first + i) % 8));
    byte = static_cast<uint8_t>((value >> i & 1) != 0 ? byte | bit : byte & ~bit);
  }
}

// The q of a key (section 12).
uint64_t QOf(const Question& key) { return reference::InBlockHash(key.Hash(0)) * uint64_t{0x9E3779B1} % 0x100000000; }

// Blocks of few bits: S ends too early or very late, and a remainder has 27 bits, the last of which is 0 in each key.
void OddBorders(ImagesFile* file) {
  Filter filter = Empty(kQuotient, 0, 64);
  SetBits(0, 64, ~uint64_t{0}, &filter.body);
  SetBits(100, 1, 1, &filter.body);  // number 1 of S
  file->Image("quotient-contradiction-S-ends-early", WriteImage(filter), kMany);
  filter = Empty(kQuotient, 0, 64);
  SetBits(0, 2, 3, &filter.body);
  SetBits(64, 13, 25 << 8 | 77, &filter.body);
  SetBits(510, 2, 3, &filter.body);  // numbers 1 and 2 of S, so the entry of bucket 1 is bit 0
  Asked asked = kMany;
  asked.probes = 800;
  file->Image("quotient-contradiction-S-435", WriteImage(filter), asked);
  for (const bool is_doubled : {true, false}) {
    const uint64_t q = QOf(FirstKeys("text", "key-", 1)[0]);
    filter = Empty(kQuotient, 0, 64);
    SetBits(q >> 26, 1, 1, &filter.body);
    SetBits(64, 8, 1, &filter.body);
    SetBits(77, 1, 1, &filter.body);
    SetBits(512 - 27, 27, q % (uint64_t{1} << 26) * (is_doubled ? 2 : 1), &filter.body);
    file->Image(std::string("quotient-contradiction-27-bits-") + (is_doubled ? "right" : "wrong"), WriteImage(filter),
                kMany);
  }
}

struct Edit {
  const char* name;
  size_t keys;
  size_t first, count;  // of the bits that change
  uint64_t value;
};

// 60 keys leave few buckets empty, and some have several entries.
void Contradictions(ImagesFile* file) {
  file->Section("Layout quotient: blocks that no writer makes. Their bits alone decide what is answered");
  constexpr uint64_t kOnes = ~uint64_t{0};
  const Edit edits[] = {{"m-less-by-1", 60, 64, 1, 0},
                        {"m-0", 60, 64, 8, 0},
                        {"m-255", 60, 64, 8, 255},
                        {"m-255-w-26", 9, 64, 13, 255},
                        {"m-9-w-26", 9, 64, 13, 9},
                        {"w-26", 60, 72, 5, 0},
                        {"w-12-of-60-keys", 60, 72, 5, 14},
                        {"w-1-of-20-keys", 20, 72, 5, 25},
                        {"w-0-of-20-keys", 20, 72, 5, 26},
                        {"d-27", 60, 72, 5, 27},
                        {"d-31", 60, 72, 5, 31},
                        {"no-border", 60, 77, 60, 0},
                        {"no-last-border", 60, 136, 1, 0},
                        {"borders-at-every-entry", 60, 77, 60, kOnes},
                        {"all-buckets", 60, 0, 64, kOnes},
                        {"no-bucket", 60, 0, 64, 0},
                        {"other-buckets", 60, 0, 64, 0xaaaaaaaaaaaaaaaa},
                        {"bits-between-the-fields", 60, 137, 10, kOnes},
                        {"remainders-out-of-order", 60, 448, 64, 0x123456789abcdef0},
                        {"remainders-of-0", 30, 448, 64, 0}};
  for (const Edit& edit : edits) {
    Filter filter = Empty(kQuotient, 0, 64);
    std::vector<uint64_t> hashes;
    for (const Question& key : FirstKeys("text", "key-", edit.keys)) hashes.push_back(key.Hash(0));
    filter.Fill(hashes);
    SetBits(edit.first, edit.count, edit.value, &filter.body);
    file->Image(std::string("quotient-contradiction-") + edit.name, WriteImage(filter), kMany);
  }
  OddBorders(file);
  for (const size_t bytes : {64u, 4032u}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      file->OfFilledBody("quotient-random-" + std::to_string(bytes) + "-" + std::to_string(seed),
                         Empty(kQuotient, 0, bytes), 400 + seed, kMany);
    }
  }
}

}  // namespace

void QuotientImages(ImagesFile* file) {
  Multisets(file);
  Removals(file);
  Loads(file);
  Contradictions(file);
  file->Steps("quotient-damaged-last-chunk", {"copy quotient-65600", "flip 524799"}, kFew);
}

}  // namespace linefilter::test
