#include "lib/parquet/header.h"

#include "lib/parquet/compact_reader.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/parquet.h"

namespace linefilter::internal {
namespace {

// The fields as they stand there, sensible or not.
struct Fields {
  int64_t bitset_bytes = 0;
  uint32_t seen = 0;     // bit i: field i was there
  uint32_t unknown = 0;  // bit i: the union in field i does not name its first member alone
};

Fields ReadFields(CompactReader* reader) {
  Fields fields;
  reader->Struct([&](int id, int type) {
    if (id < 1 || id > 4) return reader->SkipValue(type, false, 1);
    fields.seen |= 1u << id;
    if (type != (id == 1 ? CompactReader::kI32 : CompactReader::kStruct)) reader->is_sound = false;
    if (id == 1) return static_cast<void>(fields.bitset_bytes = reader->Zigzag());
    uint32_t members = 0;  // bit 0: the one that is known; bit 1: another
    reader->Struct([&](int member, int member_type) {
      members |= member == 1 && member_type == CompactReader::kStruct ? 1u : 2u;
      reader->SkipValue(member_type, false, 1);
    });
    if (members != 1) fields.unknown |= 1u << id;
  });
  return fields;
}

// `wrong` is where the header ceases to be one.
Status Unsound(const CompactReader& reader, size_t wrong, size_t given, bool may_go_on) {
  if (may_go_on) {
    return Status::Error(StatusCode::kCorrupt,
                         "the header of the Bloom filter does not end within the %llu bytes that were given: read more "
                         "of the file (ParquetBytesNeeded tells how many)",
                         static_cast<unsigned long long>(given));
  }
  if (reader.is_cut) {
    return Status::Error(StatusCode::kUnsupported,
                         "the header of the Bloom filter does not end within %llu bytes, which is the most that is "
                         "read: check the offset",
                         static_cast<unsigned long long>(kMaxParquetHeaderBytes));
  }
  return Status::Error(
      StatusCode::kCorrupt,
      "these bytes are no header of a Bloom filter (wrong at byte %llu): check the offset, and whether "
      "the file is encrypted",
      static_cast<unsigned long long>(wrong));
}

Status Missing(const char* what) {
  return Status::Error(StatusCode::kCorrupt, "the header of the Bloom filter does not tell its %s: check the offset",
                       what);
}

Status Unknown(const char* what, const char* known) {
  return Status::Error(StatusCode::kUnsupported,
                       "the %s of the Bloom filter is not %s, which is all that this version reads: upgrade "
                       "linefilter, or read the column without its filter",
                       what, known);
}

}  // namespace

bool IsBitset(uint64_t bitset_bytes) {
  return bitset_bytes != 0 && bitset_bytes % kSplitBlockBytes == 0 && bitset_bytes <= kMaxParquetBitsetBytes;
}

Status ReadHeader(const uint8_t* bytes, size_t size, BloomHeader* header, bool* is_cut) {
  static constexpr struct {
    int field;
    const char* what;
    const char* known;
  } kUnions[] = {{2, "algorithm", "BLOCK"}, {3, "hash", "XXHASH"}, {4, "compression", "UNCOMPRESSED"}};
  const size_t most = size < kMaxParquetHeaderBytes ? size : kMaxParquetHeaderBytes;
  CompactReader reader{bytes, bytes + most};
  const Fields fields = ReadFields(&reader);
  const size_t header_bytes = static_cast<size_t>(reader.at - bytes);  // up to its end, or up to where it is wrong
  *is_cut = reader.is_cut && size < kMaxParquetHeaderBytes;
  if (!reader.is_sound) return Unsound(reader, header_bytes, size, *is_cut);
  if ((fields.seen & 2) == 0) return Missing("size");
  for (const auto& one : kUnions) {
    if (((fields.seen >> one.field) & 1) == 0) return Missing(one.what);
    if (((fields.unknown >> one.field) & 1) != 0) return Unknown(one.what, one.known);
  }
  if (fields.bitset_bytes < 0 || !IsBitset(static_cast<uint64_t>(fields.bitset_bytes))) {
    return Status::Error(
        StatusCode::kCorrupt,
        "the header tells of a bitset of %lld bytes: a Bloom filter has a multiple of %u, from that to "
        "%llu; the file is damaged, or the offset is wrong",
        static_cast<long long>(fields.bitset_bytes), kSplitBlockBytes,
        static_cast<unsigned long long>(kMaxParquetBitsetBytes));
  }
  header->header_bytes = header_bytes;
  header->bitset_bytes = static_cast<uint64_t>(fields.bitset_bytes);
  return Status();
}

size_t WriteHeader(uint64_t bitset_bytes, uint8_t* out) {
  size_t size = 0;
  out[size++] = 0x15;                // field 1 (delta 1), type i32
  uint64_t rest = 2 * bitset_bytes;  // zigzag
  for (; rest >= 0x80; rest >>= 7) out[size++] = static_cast<uint8_t>(rest | 0x80);
  out[size++] = static_cast<uint8_t>(rest);
  for (int i = 0; i < 3; ++i) {
    // The next field (delta 1) is a struct, the union. Its field 1 is a struct that ends at once. The union ends.
    out[size++] = 0x1c;
    out[size++] = 0x1c;
    out[size++] = 0;
    out[size++] = 0;
  }
  out[size++] = 0;
  return size;
}

}  // namespace linefilter::internal
