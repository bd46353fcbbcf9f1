// images.txt: one golden image per line. Its left columns say what is built and how large (inputs, kept by hand), its
// right columns what must come out, written by the reference implementation alone (tests/reference), never by the
// library.
#ifndef LINEFILTER_TESTS_GOLDEN_GOLDEN_TABLE_H_
#define LINEFILTER_TESTS_GOLDEN_GOLDEN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/golden/golden_container.h"
#include "tests/reference/reference.h"

namespace linefilter::test {

inline constexpr char kGoldenHeader[] =
    "# Golden images. Regenerated, from the columns left of the first |, by the reference implementation:\n"
    "#   LINEFILTER_WRITE_GOLDEN=tests/golden/images.txt golden_test --gtest_filter=Golden.Write\n"
    "# maker: builder (FilterBuilder), mutable (Filter), scalable or "
    "rotating; asked: the layout asked for;\n"
    "# keys: string 'key-0', 'key-1', ... or u64 0, 1, ...; hash: xxh3 with the seed, or caller (the hashes of xxh3 "
    "with seed 0 as the\n"
    "# caller's own), or keyed with the secret 00 01 ... 0f, or parquet; asked_k: num_probes asked for, 0 = the best "
    "(quotient: 1 "
    "asks for removable); layout, k, body_bytes: what sizing chooses; counted: 1 if "
    "the image\n"
    "# tells its num_keys. scalable: the bound in the place of bits_per_key, and more columns: first capacity, "
    "max_growth, stages\n"
    "# (num_blocks x num_probes, the oldest first). rotating: keys of a generation, after which by count (1) it "
    "rotates "
    "itself, by the\n"
    "# caller (0) is rotated, and the stages. After |: length of the image, XXH3_64 of its bytes, the first (at most "
    "five) false "
    "positives among\n"
    "# 'probe-0' ... 'probe-19999' by number, and images up to 80 bytes in full.\n"
    "# maker asked keys hash num_keys bits_per_key seed asked_k layout k body_bytes counted | image_bytes xxh3 "
    "maybe_probes image\n";

inline constexpr uint8_t kGoldenSecret[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

struct GoldenCase {
  std::string maker, asked, keys, hash;
  uint64_t num_keys = 0;
  double bits_per_key = 0;
  uint64_t seed = 0;
  uint32_t asked_probes = 0;
  std::string layout;
  int num_probes = 0;
  uint64_t body_bytes = 0;
  bool counted = false;
  GoldenStages stages;  // of a container
  std::string inputs;   // the columns above as text
  std::string results;  // the columns to the right of |

  int HashIdNumber() const { return hash == "xxh3" ? 1 : hash == "keyed" ? 2 : hash == "parquet" ? 3 : 0; }
  uint64_t HashSeed() const { return hash == "xxh3" ? seed : 0; }
  uint64_t HashOf(std::string_view key) const {
    if (hash == "parquet") return reference::Xxh64(key);
    return hash == "keyed" ? reference::SipHash(1, 3, key, kGoldenSecret) : reference::HashOfKey(key, HashSeed());
  }
  uint64_t KeyHash(uint64_t i) const {
    if (keys != "u64") return HashOf("key-" + std::to_string(i));
    uint8_t bytes[8];
    reference::PutLittleEndian(i, 8, bytes);
    return HashOf({reinterpret_cast<const char*>(bytes), 8});
  }
};

inline std::string ProbeKey(uint64_t i) { return "probe-" + std::to_string(i); }
inline constexpr uint64_t kGoldenProbes = 20000;
inline constexpr size_t kGoldenMaybes = 5, kGoldenFullBytes = 80;

inline std::vector<GoldenCase> ReadGoldenTable(const std::string& path) {
  std::vector<GoldenCase> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    GoldenCase c;
    const size_t bar = line.find(" |");
    c.inputs = line.substr(0, bar);
    if (bar != std::string::npos && bar + 3 <= line.size()) c.results = line.substr(bar + 3);
    std::istringstream in(c.inputs);
    in >> c.maker >> c.asked >> c.keys >> c.hash >> c.num_keys >> c.bits_per_key >> std::hex >> c.seed >> std::dec >>
        c.asked_probes >> c.layout >> c.num_probes >> c.body_bytes >> c.counted;
    if (in.fail() || (c.layout == "container" && !c.stages.Read(&in))) c.inputs.clear();  // the test reports it
    cases.push_back(c);
  }
  return cases;
}

// The image as the reference makes it.
inline reference::Bytes ReferenceImage(const GoldenCase& c) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < c.num_keys; ++i) hashes.push_back(c.KeyHash(i));
  reference::Filter filter;
  if (c.layout == "container") {
    filter =
        c.maker == "scalable" ? GoldenScalable(c.stages, c.bits_per_key, hashes) : GoldenRotating(c.stages, hashes);
  }
  const auto& names = reference::kLayoutNames;
  filter.layout = static_cast<int>(std::find(std::begin(names), std::end(names), c.layout) - std::begin(names));
  filter.num_probes = c.num_probes;
  filter.hash_id = c.HashIdNumber();
  filter.seed = c.hash == "keyed" ? reference::SipHash(1, 3, "linefilter.secret", kGoldenSecret) : c.seed;
  filter.has_num_keys = c.counted;
  if (c.layout == "container") return reference::WriteImage(filter);
  filter.num_keys = c.num_keys;
  filter.body.assign(c.body_bytes, 0);
  filter.Fill(hashes);
  return reference::WriteImage(filter);
}

// The columns to the right of |, given the image and who answers may_contain(number of the probe key).
template <class MayContain>
std::string GoldenResults(const uint8_t* image, size_t size, const MayContain& may_contain) {
  char text[64];
  std::snprintf(text, sizeof(text), "%zu %016llx ", size,
                static_cast<unsigned long long>(reference::Xxh3(image, size, 0)));
  std::string results = text, maybes;
  size_t found = 0;
  for (uint64_t i = 0; i < kGoldenProbes && found < kGoldenMaybes; ++i) {
    if (may_contain(i)) maybes += (found++ == 0 ? "" : ",") + std::to_string(i);
  }
  results += maybes.empty() ? "none " : maybes + " ";
  if (size > kGoldenFullBytes) return results + "-";
  for (size_t i = 0; i < size; ++i) {
    std::snprintf(text, sizeof(text), "%02x", image[i]);
    results += text;
  }
  return results;
}

inline std::string ReferenceResults(const GoldenCase& c) {
  const reference::Bytes image = ReferenceImage(c);
  reference::Filter filter;
  if (!reference::ReadImage(image.data(), image.size(), &filter)) return "the reference cannot read its own image";
  return GoldenResults(image.data(), image.size(),
                       [&](uint64_t i) { return filter.MayContain(c.HashOf(ProbeKey(i))); });
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_GOLDEN_GOLDEN_TABLE_H_
