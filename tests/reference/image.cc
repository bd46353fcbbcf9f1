// doc/FORMAT.md sections 2 to 5: the fields around the body.
#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr uint64_t kSeedOfCheck = 0xD1310BA698DFB5AC;
constexpr size_t kTrailerSize = 8, kChunkSize = 65536, kSmallBody = 4096;

size_t NumChunks(size_t body_size) { return (body_size + kChunkSize - 1) / kChunkSize; }

uint32_t CheckOfChunk(const uint8_t* body, size_t body_size, size_t chunk) {
  const size_t begin = chunk * kChunkSize;
  const size_t end = body_size - begin < kChunkSize ? body_size : begin + kChunkSize;
  return static_cast<uint32_t>(Xxh3(body + begin, end - begin, 0) & 0xffffffff);
}

void Append(uint64_t value, int bytes, Bytes* to) {
  to->resize(to->size() + static_cast<size_t>(bytes));
  PutLittleEndian(value, bytes, to->data() + to->size() - bytes);
}

bool Has(const std::vector<Extension>& extensions, uint16_t id) {
  for (const Extension& extension : extensions) {
    if (extension.id == id) return true;
  }
  return false;
}

// The list that ends at `end` within [0, end) of the image: false if it does not fit or must be known but is not. The
// table of stages is known of a container alone.
bool ReadExtensions(const uint8_t* image, size_t end, int layout, size_t* begin, std::vector<Extension>* extensions) {
  if (end < 4) return false;
  const uint64_t length = GetLittleEndian(image + end - 4, 4);
  if (length > end - 4) return false;
  *begin = end - 4 - static_cast<size_t>(length);
  for (size_t at = *begin; at < end - 4;) {
    if (end - 4 - at < 4) return false;
    const uint16_t id = static_cast<uint16_t>(GetLittleEndian(image + at, 2));
    const size_t size = static_cast<size_t>(GetLittleEndian(image + at + 2, 2));
    if (end - 4 - at - 4 < size) return false;
    if (id & 0x8000 && !(layout == kContainer && id == kStageTable)) return false;  // critical, and we know no other
    if (id == kKeyKind && Has(*extensions, id)) return false;
    extensions->push_back({id, Bytes(image + at + 4, image + at + 4 + size)});
    at += 4 + size;
  }
  return true;
}

}  // namespace

uint64_t GetLittleEndian(const uint8_t* from, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | from[i];
  return value;
}

void PutLittleEndian(uint64_t value, int bytes, uint8_t* to) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i) & 0xff);
}

int KeyKindOf(const Filter& filter) {
  for (const Extension& extension : filter.extensions) {
    if (extension.id != kKeyKind) continue;
    return extension.content.size() == 1 && extension.content[0] <= 3 ? extension.content[0] : 0;
  }
  return 0;
}

uint32_t CheckOfImage(const uint8_t* image, size_t size, size_t body_size) {
  const size_t start = body_size <= kSmallBody ? 0 : body_size;
  const uint64_t x = Xxh3(image + start, size - 8 - start, kSeedOfCheck);
  const uint64_t length = size;
  const uint64_t t = GetLittleEndian(image + size - 4, 4) ^ (length % 0x100000000 * 0x100000000 + length / 0x100000000);
  return static_cast<uint32_t>((x ^ t) * 0x9E3779B97F4A7C15 / 0x100000000);
}

Bytes WriteImage(const Filter& filter) {
  Bytes image = filter.body;
  int flags = 0;
  if (filter.body.size() > kSmallBody) {
    flags |= kFlagChunks;
    for (size_t i = 0; i < NumChunks(filter.body.size()); ++i) {
      Append(CheckOfChunk(filter.body.data(), filter.body.size(), i), 4, &image);
    }
  }
  if (filter.has_extensions) {
    flags |= kFlagExtensions;
    const size_t begin = image.size();
    for (const Extension& extension : filter.extensions) {
      Append(extension.id, 2, &image);
      Append(extension.content.size(), 2, &image);
      image.insert(image.end(), extension.content.begin(), extension.content.end());
    }
    Append(image.size() - begin, 4, &image);
  }
  if (filter.has_num_keys) {
    flags |= kFlagNumKeys;
    Append(filter.num_keys, 8, &image);
  }
  if (filter.has_seed || filter.seed != 0) {
    flags |= kFlagSeed;
    Append(filter.seed, 8, &image);
  }
  Append(0, 4, &image);  // the check, below
  Append(static_cast<uint64_t>(filter.layout), 1, &image);
  Append(static_cast<uint64_t>(filter.num_probes), 1, &image);
  Append(static_cast<uint64_t>(flags << 4 | filter.hash_id), 1, &image);
  Append(static_cast<uint64_t>(0xa0 + filter.version), 1, &image);
  PutLittleEndian(CheckOfImage(image.data(), image.size(), filter.body.size()), 4, image.data() + image.size() - 8);
  return image;
}

bool ReadImage(const uint8_t* image, size_t size, Filter* filter) {
  if (size < kTrailerSize) return false;
  const uint8_t* trailer = image + size - kTrailerSize;
  *filter = Filter();
  filter->layout = trailer[4];
  filter->num_probes = trailer[5];
  filter->hash_id = trailer[6] & 15;
  const int flags = trailer[6] >> 4;
  if (trailer[7] != 0xa1) return false;  // another magic or version
  if (filter->hash_id > kParquet) return false;

  size_t end = size - kTrailerSize;  // of what has not been read yet
  if (flags & kFlagSeed) {
    if (end < 8) return false;
    filter->has_seed = true;  // of a keyed hash, the check of its secret
    filter->seed = GetLittleEndian(image + (end -= 8), 8);
  }
  if (filter->hash_id == kKeyed && !filter->has_seed) return false;
  if (filter->hash_id == kParquet && filter->seed != 0) return false;
  if (flags & kFlagNumKeys) {
    if (end < 8) return false;
    filter->has_num_keys = true;
    filter->num_keys = GetLittleEndian(image + (end -= 8), 8);
  }
  if (flags & kFlagExtensions) {
    filter->has_extensions = true;
    if (!ReadExtensions(image, end, filter->layout, &end, &filter->extensions)) return false;
  }
  size_t body_size = end;
  if (flags & kFlagChunks) {
    const size_t chunks = end / 65540 + (end % 65540 != 0);
    if (end < 4 * chunks) return false;
    body_size = end - 4 * chunks;
    if (body_size <= kSmallBody || NumChunks(body_size) != chunks) return false;
  } else if (body_size > kSmallBody) {
    return false;
  }
  if (body_size == 0 && filter->num_keys != 0) return false;  // the keys it counts are nowhere
  if (!LayoutAccepts(filter->layout, filter->num_probes, body_size)) return false;
  if (CheckOfImage(image, size, body_size) != GetLittleEndian(trailer, 4)) return false;
  filter->body.assign(image, image + body_size);
  std::vector<Filter> stages;
  return filter->layout != kContainer || ReadStages(*filter, &stages);
}

bool OpensWith(const Filter& filter, const uint8_t* secret) {
  if (filter.hash_id != kKeyed) return secret == nullptr;
  return secret != nullptr && filter.seed == CheckOfSecret(secret);
}

std::vector<uint64_t> DamagedChunks(const uint8_t* image, size_t size) {
  std::vector<uint64_t> damaged;
  Filter filter;
  if (!ReadImage(image, size, &filter) || filter.body.size() <= kSmallBody) return damaged;
  for (size_t i = 0; i < NumChunks(filter.body.size()); ++i) {
    if (CheckOfChunk(image, filter.body.size(), i) != GetLittleEndian(image + filter.body.size() + 4 * i, 4)) {
      damaged.push_back(i);
    }
  }
  return damaged;
}

}  // namespace reference
