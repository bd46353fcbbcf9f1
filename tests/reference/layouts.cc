// doc/FORMAT.md sections 6, 7 and 11: which bits belong to a hash; and the choice between the layouts.
#include <algorithm>

#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr uint32_t kLaneSets[17] = {0,      0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
                                    0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff};
constexpr uint32_t kLaneMultipliers[16] = {0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1,
                                           0x082EFA99, 0xEC4E6C89, 0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D,
                                           0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917};
constexpr uint64_t kClassicStep = 0xd1342543de82ef95;
constexpr uint32_t kSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

std::vector<uint64_t> BlockedBits(const Filter& filter, uint64_t hash) {
  std::vector<uint64_t> bits;
  const uint64_t block = MulHi(hash, filter.body.size() / 64);
  const uint32_t x = InBlockHash(hash);
  const uint32_t r = x % 16;
  for (uint32_t lane = 0; lane < 16; ++lane) {
    if ((kLaneSets[filter.num_probes] >> ((lane + r) % 16)) & 1) {
      const uint32_t bit = static_cast<uint32_t>(x * kLaneMultipliers[lane]) >> 27;
      // Bit b of a little-endian u32 at byte 4 l is bit b % 8 of byte 4 l + b / 8.
      bits.push_back(block * 512 + lane * 32 + bit);
    }
  }
  return bits;
}

std::vector<uint64_t> ClassicBits(const Filter& filter, uint64_t hash) {
  std::vector<uint64_t> bits;
  uint64_t power = 1;
  for (int i = 0; i < filter.num_probes; ++i) {
    bits.push_back(MulHi(hash * power, 8 * static_cast<uint64_t>(filter.body.size())));
    power *= kClassicStep;
  }
  return bits;
}

std::vector<uint64_t> SplitBlockBits(const Filter& filter, uint64_t hash) {
  std::vector<uint64_t> bits;
  const uint64_t num_blocks = filter.body.size() / 32, high = hash / 0x100000000;
  const uint64_t block = high * num_blocks / 0x100000000;
  const uint32_t x = filter.hash_id == kParquet ? static_cast<uint32_t>(hash % 0x100000000) : InBlockHash(hash);
  for (uint64_t i = 0; i < 8; ++i) {
    bits.push_back(block * 256 + i * 32 + (static_cast<uint32_t>(x * kSalts[i]) >> 27));
  }
  return bits;
}

uint8_t* QuotientBlockOf(uint64_t hash, Bytes* body) { return &(*body)[64 * MulHi(hash, body->size() / 64)]; }

void FillQuotient(const std::vector<uint64_t>& hashes, bool is_set, Bytes* body) {
  std::vector<std::vector<uint64_t>> blocks(body->size() / 64);
  for (const uint64_t hash : hashes) blocks[MulHi(hash, blocks.size())].push_back(hash);
  for (size_t i = 0; i < blocks.size(); ++i) QuotientBlock(blocks[i], is_set, &(*body)[64 * i]);
}

}  // namespace

uint64_t MulHi(uint64_t a, uint64_t b) {
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t low = a0 * b0, middle1 = a0 * b1, middle2 = a1 * b0;
  const uint64_t carry = ((low >> 32) + (middle1 & 0xffffffff) + (middle2 & 0xffffffff)) >> 32;
  return a1 * b1 + (middle1 >> 32) + (middle2 >> 32) + carry;
}

uint32_t InBlockHash(uint64_t hash) {
  return static_cast<uint32_t>(hash / 0x100000000) ^ static_cast<uint32_t>(hash % 0x100000000);
}

std::vector<uint64_t> BitsOfHash(const Filter& filter, uint64_t hash) {
  if (filter.layout == kSplitBlock) return SplitBlockBits(filter, hash);
  return filter.layout == kBlocked ? BlockedBits(filter, hash) : ClassicBits(filter, hash);
}

bool LayoutAccepts(int layout, int num_probes, uint64_t body_size) {
  const bool is_blocks = body_size % 64 == 0 && body_size / 64 <= uint64_t{1} << 32;
  switch (layout) {
    case kBlocked:
      return num_probes >= 1 && num_probes <= 16 && is_blocks;
    case kClassic:
      return num_probes >= 1 && num_probes <= 30 && body_size < uint64_t{1} << 61;
    case kRetrieval:
      return num_probes == 0 && is_blocks;
    case kQuotient:
      return (num_probes == 0 || num_probes == 1) && is_blocks;
    case kSplitBlock:
      return num_probes == 0 && body_size % 32 == 0 && body_size / 32 <= uint64_t{1} << 24;
    case kContainer:
      return num_probes == 0;  // the rest tells its table
    default:
      return false;
  }
}

bool Filter::Remove(uint64_t hash) {
  if (layout != kQuotient || num_probes == 0 || !MayContain(hash)) return false;
  QuotientRemove(hash, QuotientBlockOf(hash, &body));
  return true;
}

bool Filter::Insert(uint64_t hash) {
  bool changed = false;
  if (layout == kQuotient) {
    changed = !MayContain(hash);
    QuotientInsert(hash, num_probes == 0, QuotientBlockOf(hash, &body));
    return changed;
  }
  for (const uint64_t bit : BitsOfHash(*this, hash)) {
    const uint8_t mask = static_cast<uint8_t>(1u << (bit % 8));
    changed |= (body[bit / 8] & mask) == 0;
    body[bit / 8] |= mask;
  }
  return changed;
}

void Filter::Fill(const std::vector<uint64_t>& hashes) {
  if (layout == kRetrieval) return SolveRetrieval(hashes, &body);
  if (layout == kQuotient) return FillQuotient(hashes, num_probes == 0, &body);
  std::fill(body.begin(), body.end(), uint8_t{0});
  for (const uint64_t hash : hashes) Insert(hash);
}

bool Filter::MayContain(uint64_t hash) const {
  if (body.empty()) return false;
  if (layout == kRetrieval) return RetrievalMayContain(body, hash);
  if (layout == kQuotient) return QuotientMayContain(&body[64 * MulHi(hash, body.size() / 64)], hash);
  if (layout == kContainer) {
    std::vector<Filter> stages;
    if (!ReadStages(*this, &stages)) return true;
    return std::any_of(stages.begin(), stages.end(), [hash](const Filter& stage) { return stage.MayContain(hash); });
  }
  for (const uint64_t bit : BitsOfHash(*this, hash)) {
    if ((body[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

}  // namespace reference
