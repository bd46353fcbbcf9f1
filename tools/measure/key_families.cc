#include "tools/measure/key_families.h"

#include <cstring>
#include <string_view>

#include "linefilter/hash.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t k2Pow31 = uint64_t{1} << 31, k2Pow63 = uint64_t{1} << 63;
constexpr uint64_t kStride = 4096;

size_t PutLittleEndian(uint64_t value, size_t bytes, char* out) {
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

char* PutText(const char* text, char* out) {
  const size_t size = strlen(text);
  memcpy(out, text, size);
  return out + size;
}

// Writes the lowest `digits` hexadecimal digits.
char* PutHex(uint64_t value, int digits, char* out) {
  for (int i = digits - 1; i >= 0; --i) *out++ = "0123456789abcdef"[(value >> (4 * i)) & 15];
  return out;
}

char* PutDecimal(uint64_t value, char* out) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}

// Members take the even places, absent keys the odd ones between them: the nearest neighbours of members.
uint64_t Interleaved(uint64_t number, bool absent) { return 2 * number + (absent ? 1 : 0); }

// Members and absent keys are disjoint by the top bit.
uint64_t SequentialInteger(uint64_t number, bool absent) { return number | (absent ? k2Pow63 : 0); }

size_t Sequential(uint64_t number, bool absent, char* out) {
  return PutLittleEndian(SequentialInteger(number, absent), 8, out);
}

// Keys are multiples of 4096, like addresses of pages; absent keys are half a stride off.
size_t Strided(uint64_t number, bool absent, char* out) {
  return PutLittleEndian(number * kStride + (absent ? kStride / 2 : 0), 8, out);
}

// They are disjoint by the top bit, like `sequential`.
size_t BigEndian(uint64_t number, bool absent, char* out) {
  const uint64_t value = SequentialInteger(number, absent);
  for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(value >> (56 - 8 * i));
  return 8;
}

// These are interleaved numbers after 100 bytes that are always the same.
size_t SharedPrefix(uint64_t number, bool absent, char* out) {
  static constexpr char kPrefix[] =
      "/warehouse/tables/events/region=europe-west/year=2026/month=11/day=21/hour=13/writer=0042/partition=";
  static_assert(sizeof(kPrefix) - 1 == 100 && sizeof(kPrefix) - 1 + 16 <= kMaxKeyBytes);
  return static_cast<size_t>(PutHex(Interleaved(number, absent), 16, PutText(kPrefix, out)) - out);
}

// They are disjoint by the top bit of 32.
size_t FourByte(uint64_t number, bool absent, char* out) {
  return PutLittleEndian(number | (absent ? k2Pow31 : 0), 4, out);
}

// This is version 4 as text. The first 64 of its 122 free bits are MixHash, a bijection, of the interleaved number.
size_t Uuid(uint64_t number, bool absent, char* out) {
  const uint64_t first = MixHash(Interleaved(number, absent)), second = MixHash(~first);
  char* end = PutHex(first >> 32, 8, out);
  *end++ = '-';
  end = PutHex(first >> 16, 4, end);
  *end++ = '-';
  *end++ = '4';  // version
  end = PutHex(first >> 4, 3, end);
  *end++ = '-';
  end = PutHex(8 | (second >> 62), 1, end);  // variant
  end = PutHex(first, 1, end);
  end = PutHex(second, 2, end);
  *end++ = '-';
  end = PutHex(second >> 8, 12, end);
  return static_cast<size_t>(end - out);
}

// Interleaved numbers are in decimal between "/item/" and "?"; lengths and hosts vary.
size_t Url(uint64_t number, bool absent, char* out) {
  static constexpr const char* kHosts[] = {"www.example.org", "shop.example.com", "cdn.example.net", "example.org"};
  static constexpr const char* kSections[] = {"books", "music", "electronics", "home-and-garden", "toys"};
  const uint64_t value = Interleaved(number, absent), mixed = MixHash(value);
  char* end = PutText("https://", out);
  end = PutText(kHosts[mixed % 4], end);
  *end++ = '/';
  end = PutText(kSections[(mixed >> 8) % 5], end);
  end = PutText("/item/", end);
  end = PutDecimal(value, end);
  end = PutText("?page=", end);
  end = PutDecimal((mixed >> 16) % 30, end);
  return static_cast<size_t>(end - out);
}

// Members are the doubles 0, 1, 2, ...; absent keys are the halves 0.5, 1.5, ... between them. Exact below 2^52.
size_t Float(uint64_t number, bool absent, char* out) {
  const double value = static_cast<double>(number) + (absent ? 0.5 : 0);
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return PutLittleEndian(bits, 8, out);
}

// This is MixHash, a bijection, of interleaved numbers.
size_t Hash(uint64_t number, bool absent, char* out) {
  return PutLittleEndian(MixHash(Interleaved(number, absent)), 8, out);
}

}  // namespace

const std::vector<KeyFamily>& KeyFamilies() {
  static const std::vector<KeyFamily>* const families = new std::vector<KeyFamily>{
      {"sequential", "64-bit integers 0, 1, 2, ...; absent ones from 2^63", k2Pow63, Sequential, false},
      {"strided", "64-bit multiples of 4096; absent ones half-way between", uint64_t{1} << 52, Strided, false},
      {"big_endian", "as sequential, the most significant byte first", k2Pow63, BigEndian, false},
      {"shared_prefix", "100 equal bytes, then 16 hexadecimal digits", k2Pow63, SharedPrefix, false},
      {"four_byte", "32-bit integers 0, 1, 2, ...; absent ones from 2^31", k2Pow31, FourByte, false},
      {"uuid", "random UUIDs (version 4) as text", k2Pow63, Uuid, false},
      {"url", "addresses of four sites, numbered", k2Pow63, Url, false},
      {"float", "bit patterns of the doubles 0, 1, 2, ...; absent: 0.5, 1.5, ...", uint64_t{1} << 52, Float, false},
      {"hash", "64-bit hashes, given as such and not hashed again", k2Pow63, Hash, true}};
  return *families;
}

const KeyFamily* FindKeyFamily(const std::string& name) {
  for (const KeyFamily& family : KeyFamilies()) {
    if (name == family.name) return &family;
  }
  return nullptr;
}

void MakeHashes(const KeyFamily& family, bool absent, uint64_t first, size_t n, uint64_t seed, uint64_t* hashes) {
  if (family.make == &Sequential) {  // 1 ns instead of 5
    for (size_t i = 0; i < n; ++i) hashes[i] = HashKey(SequentialInteger(first + i, absent), seed);
  } else if (family.is_hash) {
    const uint64_t flip = seed == 0 ? 0 : HashKey(seed);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = MixHash(Interleaved(first + i, absent));
      hashes[i] = seed == 0 ? hash : MixHash(hash ^ flip);
    }
  } else {
    char key[kMaxKeyBytes];
    for (size_t i = 0; i < n; ++i)
      hashes[i] = HashKey(std::string_view(key, family.make(first + i, absent, key)), seed);
  }
}

}  // namespace linefilter::tools
