#include "lib/image/trailer.h"

#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/xxh3.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/hash.h"

namespace linefilter::internal {
namespace {

constexpr unsigned kFlagSeed = 1, kFlagNumKeys = 2, kFlagChunkChecks = 4, kFlagExtensions = 8;
constexpr unsigned kCriticalExtension = 0x8000, kStageTable = 0x8002, kGrowth = 0x0002, kKeyKind = 0x0003,
                   kKeyForms = 0x0004;

// The bytes of the whole list, its length included; 0 if there is none.
uint64_t ExtensionBytes(const Trailer& trailer) {
  const uint64_t fields = (trailer.stage_table != nullptr ? 4u + trailer.stage_table_bytes : 0) +
                          (trailer.growth != nullptr ? 4u + trailer.growth_bytes : 0) +
                          (trailer.key_kind != nullptr ? 4u + trailer.key_kind_bytes : 0) +
                          (trailer.key_forms_bytes != 0 ? 4u + trailer.key_forms_bytes : 0);
  return fields == 0 ? 0 : fields + 4;
}

uint8_t* WriteExtension(unsigned id, const uint8_t* content, uint16_t size, uint8_t* to) {
  if (content == nullptr) return to;
  StoreLE32(id | static_cast<uint32_t>(size) << 16, to);
  if (size != 0) memcpy(to + 4, content, size);
  return to + 4 + size;
}

uint8_t* WriteExtensions(const Trailer& trailer, uint8_t* to) {
  const uint64_t bytes = ExtensionBytes(trailer);
  if (bytes == 0) return to;
  to = WriteExtension(kStageTable, trailer.stage_table, trailer.stage_table_bytes, to);
  to = WriteExtension(kGrowth, trailer.growth, trailer.growth_bytes, to);
  to = WriteExtension(kKeyKind, trailer.key_kind, trailer.key_kind_bytes, to);
  if (trailer.key_forms_bytes != 0) {
    uint8_t forms[kMaxKeyFormsBytes];
    StoreLE64(trailer.key_forms, forms);
    to = WriteExtension(kKeyForms, forms, trailer.key_forms_bytes, to);
  }
  StoreLE32(static_cast<uint32_t>(bytes - 4), to);
  return to + 4;
}

unsigned FlagsOf(const Trailer& trailer) {
  return (trailer.has_seed ? kFlagSeed : 0) | (trailer.has_num_keys ? kFlagNumKeys : 0) |
         (trailer.body_bytes > kSmallBodyBytes ? kFlagChunkChecks : 0) |
         (ExtensionBytes(trailer) != 0 ? kFlagExtensions : 0);
}

Status Corrupt(const char* what) {
  return Status::Error(StatusCode::kCorrupt, "%s: the image is truncated or damaged, rebuild it or copy it again",
                       what);
}

// Cuts `bytes` off the end of the optional fields, whose size is *rest.
bool Cut(uint64_t* rest, uint64_t bytes) {
  if (*rest < bytes) return false;
  *rest -= bytes;
  return true;
}

// Only these have a table of stages, and what follows it.
bool HasStages(const Trailer& trailer) {
  const LayoutRecord* const record = FindLayout(static_cast<Layout>(trailer.layout));
  return record != nullptr && record->facts.has_stages;
}

// Where a trailer keeps a field of the extension list; nowhere if it does not know it.
struct KnownField {
  const uint8_t** content = nullptr;
  uint16_t* bytes = nullptr;
};

KnownField FindKnown(unsigned id, bool has_stages, Trailer* trailer) {
  if (id == kKeyKind) return {&trailer->key_kind, &trailer->key_kind_bytes};
  if (has_stages && id == kStageTable) return {&trailer->stage_table, &trailer->stage_table_bytes};
  if (has_stages && id == kGrowth) return {&trailer->growth, &trailer->growth_bytes};
  return {};
}

// The field of the forms of columns refuses no image, because older readers skip it. What is too short or too long, and
// two of them, tell no forms.
void TakeKeyForms(const uint8_t* content, uint64_t bytes, Trailer* trailer) {
  const bool is_first = trailer->key_forms_bytes == 0;
  trailer->key_forms = 0;
  if (!is_first) return;
  trailer->key_forms_bytes = static_cast<uint16_t>(bytes == 0                  ? 1
                                                   : bytes < kMaxKeyFormsBytes ? bytes
                                                                               : kMaxKeyFormsBytes);
  if (bytes > kMaxKeyFormsBytes) return;
  for (uint64_t i = 0; i < bytes; ++i) trailer->key_forms |= uint64_t{content[i]} << (8 * i);
}

// Goes through the list that ends at image + *rest, and cuts it off. It is kUnsupported if an unknown critical id is
// among its fields; the caller reports it after the check has passed.
Status CutExtensions(const uint8_t* image, uint64_t* rest, Trailer* trailer, Status* critical) {
  if (!Cut(rest, 4)) return Corrupt("no room for the extension list");
  const uint64_t list_bytes = LoadLE32(image + *rest);
  if (!Cut(rest, list_bytes)) return Corrupt("the extension list is longer than the image");
  const bool has_stages = HasStages(*trailer);
  const uint8_t* field = image + *rest;
  for (uint64_t left = list_bytes; left != 0;) {
    if (left < 4) return Corrupt("an extension field is cut off");
    const unsigned id = field[0] | unsigned{field[1]} << 8;
    const uint64_t field_bytes = 4 + (field[2] | uint64_t{field[3]} << 8);
    if (left < field_bytes) return Corrupt("an extension field is longer than its list");
    const KnownField known = FindKnown(id, has_stages, trailer);
    if (known.content != nullptr) {
      if (*known.content != nullptr) return Corrupt("an extension field comes twice");
      *known.content = field + 4;
      *known.bytes = static_cast<uint16_t>(field_bytes - 4);
    } else if (id == kKeyForms) {
      TakeKeyForms(field + 4, field_bytes - 4, trailer);
    } else if ((id & kCriticalExtension) != 0 && critical->ok()) {
      *critical =
          Status::Error(StatusCode::kUnsupported,
                        "the image needs extension %u, which this version does not know: upgrade linefilter", id);
    }
    field += field_bytes;
    left -= field_bytes;
  }
  return Status();
}

bool CheckMatches(const uint8_t* image, size_t size, uint64_t body_bytes) {
  const uint64_t first = body_bytes <= kSmallBodyBytes ? 0 : body_bytes, fixed = size - kFixedTrailerBytes;
  const uint64_t covered_hash = Xxh3OfCheck(image + first, fixed - first);
  return CheckOf(covered_hash, LoadLE32(image + fixed + 4), size) == LoadLE32(image + fixed);
}

}  // namespace

Status ParseTrailer(const uint8_t* image, size_t size, Trailer* trailer) {
  if (image == nullptr || size < kFixedTrailerBytes) return Corrupt("shorter than the 8 bytes of a trailer");
  const uint8_t* fixed = image + size - kFixedTrailerBytes;
  if ((fixed[7] & 0xf0) != kMagic) {
    return Status::Error(StatusCode::kCorrupt,
                         "the last byte is 0x%02x, that of a linefilter image is 0xa%x: truncated, or something else",
                         fixed[7], kFormatVersion);
  }
  trailer->version = fixed[7] & 0x0f;
  if (trailer->version != kFormatVersion) {
    return Status::Error(StatusCode::kUnsupported, "the image has format version %u, this library reads %u: %s",
                         trailer->version, kFormatVersion,
                         trailer->version > kFormatVersion ? "upgrade it" : "0 was never released, make it anew");
  }
  trailer->layout = fixed[4];
  trailer->num_probes = fixed[5];
  trailer->hash_id = fixed[6] & 0x0f;
  const unsigned flags = fixed[6] >> 4;

  uint64_t rest = size - kFixedTrailerBytes;
  trailer->has_seed = (flags & kFlagSeed) != 0;
  trailer->has_num_keys = (flags & kFlagNumKeys) != 0;
  if (trailer->has_seed) {
    if (!Cut(&rest, 8)) return Corrupt("no room for the seed");
    trailer->seed = LoadLE64(image + rest);
  }
  if (KeyHash::IsKeyed(static_cast<HashId>(trailer->hash_id)) && !trailer->has_seed) {
    return Corrupt("a keyed hash without a check of its secret");
  }
  if (!KeyHash::HasSeed(static_cast<HashId>(trailer->hash_id)) && trailer->seed != 0) {
    return Corrupt("the hash of Parquet with a seed, which it does not have");
  }
  if (trailer->has_num_keys) {
    if (!Cut(&rest, 8)) return Corrupt("no room for the number of keys");
    trailer->num_keys = LoadLE64(image + rest);
  }
  Status critical;
  if ((flags & kFlagExtensions) != 0) {
    const Status status = CutExtensions(image, &rest, trailer, &critical);
    if (!status.ok()) return status;
  }
  trailer->body_bytes = rest;
  if ((flags & kFlagChunkChecks) != 0) {
    trailer->body_bytes = rest - 4 * ((rest + kChunkBytes + 3) / (kChunkBytes + 4));
    if (trailer->body_bytes + 4 * NumChunks(trailer->body_bytes) != rest) return Corrupt("the chunk checks do not fit");
  }
  if ((trailer->body_bytes > kSmallBodyBytes) != ((flags & kFlagChunkChecks) != 0)) {
    return Corrupt("chunk checks go with a body of more than 4096 bytes, and with no other");
  }
  if (trailer->body_bytes == 0 && trailer->num_keys != 0) return Corrupt("no body for the keys that are counted");
  if (trailer->stage_table == nullptr && HasStages(*trailer)) return Corrupt("no table of its stages");
  if (!CheckMatches(image, size, trailer->body_bytes)) return Corrupt("the check does not match");
  return critical;
}

uint64_t TrailerBytes(const Trailer& trailer) {
  return 4 * NumChunks(trailer.body_bytes) + ExtensionBytes(trailer) + (trailer.has_num_keys ? 8 : 0) +
         (trailer.has_seed ? 8 : 0) + kFixedTrailerBytes;
}

void WriteFields(const Trailer& trailer, const uint8_t* body, uint8_t* out) {
  uint8_t* p = out + 4 * NumChunks(trailer.body_bytes);
  p = WriteExtensions(trailer, p);
  if (trailer.has_num_keys) StoreLE64(trailer.num_keys, p), p += 8;
  if (trailer.has_seed) StoreLE64(trailer.seed, p), p += 8;
  p[4] = trailer.layout;
  p[5] = trailer.num_probes;
  p[6] = static_cast<uint8_t>(FlagsOf(trailer) << 4 | trailer.hash_id);
  p[7] = static_cast<uint8_t>(kMagic | trailer.version);
  const uint64_t image_bytes = trailer.body_bytes + TrailerBytes(trailer),
                 fields_bytes = static_cast<uint64_t>(p - out);
  const auto write_check = [&](const uint8_t* covered, uint64_t size) {
    StoreLE32(CheckOf(Xxh3OfCheck(covered, size), LoadLE32(p + 4), image_bytes), p);
  };
  if (trailer.body_bytes > kSmallBodyBytes) return write_check(out, fields_bytes);
  if (trailer.body_bytes != 0 && body + trailer.body_bytes == out) {
    return write_check(body, trailer.body_bytes + fields_bytes);
  }
  uint8_t covered[kSmallBodyBytes + 4 + kMaxStageTableBytes + 4 + kMaxWrittenGrowthBytes + 4 + kKeyKindBytes + 4 +
                  kMaxKeyFormsBytes + 4 + 16];
  if (trailer.body_bytes != 0) memcpy(covered, body, trailer.body_bytes);
  if (fields_bytes != 0) memcpy(covered + trailer.body_bytes, out, fields_bytes);
  write_check(covered, trailer.body_bytes + fields_bytes);
}

}  // namespace linefilter::internal
