// The obvious scalar reader and writer of an image, written from doc/FORMAT.md alone, for tests to compare the library
// with. It shares nothing with lib/ or the public headers, works byte by byte, and so is right on any byte order.
#ifndef LINEFILTER_TESTS_REFERENCE_REFERENCE_H_
#define LINEFILTER_TESTS_REFERENCE_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

using Bytes = std::vector<uint8_t>;

// Section 1. Xxh3 is that of xxHash; the hash of a key of hash id 1 takes another seed.
uint64_t Xxh3(const void* data, size_t size, uint64_t seed);
uint64_t HashOfKey(std::string_view key, uint64_t seed);
uint64_t HashOfInteger(uint64_t key, uint64_t seed);
// With c rounds per word and d at the end; `key` is 16 bytes.
uint64_t SipHash(int c, int d, std::string_view message, const uint8_t* key);
// What the seed field of an image of hash id 2 holds; `secret` is 16 bytes.
uint64_t CheckOfSecret(const uint8_t* secret);
// XXH64 with seed 0 is the hash of a key of hash id 3.
uint64_t Xxh64(std::string_view message);

// "The high 64 bits of the 128-bit product", by 32-bit halves.
uint64_t MulHi(uint64_t a, uint64_t b);

// Sections 6 and 12: x, section 8: g, and section 11: x of a hash id that is not 3.
uint32_t InBlockHash(uint64_t hash);

// Little-endian integers of 1 to 8 bytes.
uint64_t GetLittleEndian(const uint8_t* from, int bytes);
void PutLittleEndian(uint64_t value, int bytes, uint8_t* to);

inline constexpr int kCaller = 0, kXxh3 = 1, kKeyed = 2, kParquet = 3;  // section 1
// Section 2.
inline constexpr int kBlocked = 1, kClassic = 2, kRetrieval = 3, kContainer = 5, kSplitBlock = 6, kQuotient = 7;
inline constexpr const char* kLayoutNames[] = {"", "blocked",   "classic",     "retrieval",
                                               "", "container", "split_block", "quotient"};
// The others have stages.
inline constexpr int kLayoutsOfOneBody[] = {kBlocked, kClassic, kRetrieval, kSplitBlock, kQuotient};
inline constexpr int kFlagSeed = 1, kFlagNumKeys = 2, kFlagChunks = 4, kFlagExtensions = 8;  // section 3

struct Extension {
  uint16_t id;
  Bytes content;
};

// An image in its parts.
struct Filter {
  int layout = kBlocked;
  int num_probes = 1;
  int hash_id = 1;
  int version = 1;
  bool has_seed = false;  // WriteImage also writes the field when the seed is not 0
  uint64_t seed = 0;
  bool has_num_keys = false;
  uint64_t num_keys = 0;
  bool has_extensions = false;
  std::vector<Extension> extensions;
  Bytes body;

  // Sections 6, 7, 11 and 12, not retrieval. The body must not be empty.
  bool Insert(uint64_t hash);  // true if the key was certainly new: it was "absent"
  bool Remove(uint64_t hash);  // a multiset of section 12; false: refused
  // Sections 6 to 8, 11 and 12: the body, of its size, made of all hashes at once.
  void Fill(const std::vector<uint64_t>& hashes);
  // Section 5: an intact filter's answer.
  bool MayContain(uint64_t hash) const;
};

// Sections 6 to 12: can a body of that layout have so many probes and bytes?
bool LayoutAccepts(int layout, int num_probes, uint64_t body_size);

// Section 3: what the field of the kind of keys says, 1 to 3; 0 if it says nothing, or is not there.
inline constexpr uint16_t kKeyKind = 0x0003;
int KeyKindOf(const Filter& filter);
// What the field of key forms says, a byte for each column; none if it says nothing, or is not there once.
inline constexpr uint16_t kKeyForms = 0x0004;
Bytes KeyFormsOf(const Filter& filter);

// Section 13: the bytes of a value, as tests/conformance/columns.txt writes it, and the hash of the columns of a row.
std::string KeyOfColumn(const std::string& form, const std::string& value);
uint64_t HashOfColumns(const std::vector<std::string>& keys, uint64_t seed);

// Layout 5. The stages of a container, the oldest first, each a `blocked` filter with its part of the body; false if
// its extension list has no right table of them.
inline constexpr uint16_t kStageTable = 0x8002, kGrowth = 0x0002;
bool ReadStages(const Filter& container, std::vector<Filter>* stages);
// A container of these stages: their bodies, and the table; num_keys[i] = 0: unknown.
Filter MakeContainer(const std::vector<Filter>& stages, const std::vector<uint64_t>& num_keys);

// Section 8. `hashes` are those that fall into the block of 64 bytes; the answer is its T.
int SolveRetrievalBlock(const std::vector<uint64_t>& hashes, uint8_t* block);
void SolveRetrieval(const std::vector<uint64_t>& hashes, Bytes* body);
bool RetrievalMayContain(const Bytes& body, uint64_t hash);

// Section 12: a block of 64 bytes, of a set or of a multiset.
bool QuotientMayContain(const uint8_t* block, uint64_t hash);
int QuotientLength(const uint8_t* block);  // L; -1: the block is not sound
struct QuotientEntry {
  int bucket, bits;  // so many bits has the remainder
  uint32_t remainder;
};
std::vector<QuotientEntry> QuotientEntries(const uint8_t* block);  // in their order; none if the block is not sound
// The block that has these hashes.
void QuotientBlock(const std::vector<uint64_t>& hashes, bool is_set, uint8_t* block);
void QuotientInsert(uint64_t hash, bool is_set, uint8_t* block);
void QuotientRemove(uint64_t hash, uint8_t* block);
// `block` becomes the union.
void QuotientUnite(const uint8_t* other, bool is_set, uint8_t* block);

// Blocked, classic and split_block: the numbers of the bits in the body that belong to a hash (bit p is bit p & 7 of
// byte p >> 3).
std::vector<uint64_t> BitsOfHash(const Filter& filter, uint64_t hash);

// Sections 2 to 4. Writes what it is told, also what no reader accepts.
Bytes WriteImage(const Filter& filter);

// False if the image cannot be read: then every answer is "maybe" (section 5). Chunk checks are not compared here, nor
// is a secret asked for.
bool ReadImage(const uint8_t* image, size_t size, Filter* filter);

// Section 5 of an image that ReadImage accepts: false if a reader with this secret (nullptr: none) answers "maybe" to
// everything nevertheless.
bool OpensWith(const Filter& filter, const uint8_t* secret);

// The numbers of the chunks whose check does not match, of an image that ReadImage accepts.
std::vector<uint64_t> DamagedChunks(const uint8_t* image, size_t size);

// The `check` that belongs to an image whose body is `body_size` bytes long (section 4); its own check field is not
// read.
uint32_t CheckOfImage(const uint8_t* image, size_t size, size_t body_size);

}  // namespace reference

#endif  // LINEFILTER_TESTS_REFERENCE_REFERENCE_H_
