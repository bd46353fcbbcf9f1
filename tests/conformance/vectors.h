// The conformance vectors of this folder as C++ sees them; README.md says what their lines mean. Hashes in here are
// made by the reference.
#ifndef LINEFILTER_TESTS_CONFORMANCE_VECTORS_H_
#define LINEFILTER_TESTS_CONFORMANCE_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linefilter::test {

// A line of xxh3.txt.
struct Xxh3Vector {
  size_t size;
  uint64_t seed, hash;
};

// A line of siphash.txt.
struct SiphashVector {
  size_t size;
  std::string secret;  // 16 bytes
  uint64_t hash;
};

// A line of xxh64.txt.
struct Xxh64Vector {
  size_t size;
  uint64_t hash;
};

// A line of columns.txt.
struct ColumnsVector {
  uint64_t seed, hash;
  struct Value {
    std::string form, value, key;
  };
  std::vector<Value> row;
};

// A key, or a hash, of a line `maybe`, `absent` or `added` of images.txt.
struct Question {
  std::string kind;  // text, u64, input or hash
  std::string prefix;
  uint64_t number = 0;
  bool maybe = true;

  bool IsHash() const { return kind == "hash"; }
  std::string Key() const;  // its bytes, unless it is a hash
  // The number itself if it is a hash; with a secret the keyed hash; without one that of the hash id, 1 or 3.
  uint64_t Hash(uint64_t seed, const std::string& secret = "", int hash_id = 1) const;
  std::string Describe() const;
};

// A record of images.txt.
struct ConformanceImage {
  std::string name, bytes, xxh3;
  std::string secret;  // 16 bytes that it is opened with; "": without
  bool reads = false, damage_every = false;
  std::map<std::string, std::string> fields;
  uint64_t key_kind = 0;
  uint64_t key_forms = 0;  // byte i is the form of column i; 0: the field says nothing
  std::vector<uint64_t> damaged_chunks;
  std::vector<Question> added, questions;
};

// The rules by which the files tell long bytes.
std::string InputBytes(size_t size);
std::string FillBytes(size_t size, uint64_t seed);

// Does to `bytes` what a line `bytes`, `fill`, `copy`, `cut-front`, `cut-end` or `flip` says; false if it is another.
bool ApplyStep(const std::vector<std::string>& line, const std::map<std::string, std::string>& images,
               std::string* bytes);

// The files. What cannot be read is a test failure.
std::vector<Xxh3Vector> ReadXxh3Vectors(const std::string& path);
std::vector<SiphashVector> ReadSiphashVectors(const std::string& path);
std::vector<Xxh64Vector> ReadXxh64Vectors(const std::string& path);
std::vector<ColumnsVector> ReadColumnsVectors(const std::string& path);
std::vector<ConformanceImage> ReadConformanceImages(const std::string& path);

// What `damage every` stands for.
std::vector<std::string> EveryDamage(const std::string& image);

// The files as the reference makes them (make_vectors.cc, make_keyed.cc, make_parquet.cc).
std::string MakeXxh3Vectors();
std::string MakeSiphashVectors();
std::string MakeXxh64Vectors();
std::string MakeColumnsVectors();
std::string MakeConformanceImages();

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_CONFORMANCE_VECTORS_H_
