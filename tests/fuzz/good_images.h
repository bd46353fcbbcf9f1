// Good images of every kind, from which targets make their hostile ones: each layout, with and without keys, seed,
// secret and extensions, with bodies on both sides of the 4096 bytes that the check covers, and one of several chunks.
#ifndef LINEFILTER_TESTS_FUZZ_GOOD_IMAGES_H_
#define LINEFILTER_TESTS_FUZZ_GOOD_IMAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/builder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/secrets.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/random.h"

namespace linefilter::fuzz {

inline std::string GoodImage(Layout layout, size_t num_keys, double bits_per_key, uint64_t seed, HashId hash_id,
                             bool removable = false) {
  FilterOptions options;
  options.layout = layout;
  options.removable = removable;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  options.hash_id = hash_id;
  if (hash_id == HashId::kKeyed) options.secret = kSecret;
  FilterBuilder builder(options);
  for (const uint64_t hash : test::RandomHashes(num_keys, num_keys)) builder.AddHash(hash);
  std::string image;
  FUZZ_REQUIRE(builder.Finish(&image).ok());
  return image;
}

// All fields that there are.
inline std::string GoodImageWithExtensions(size_t body_bytes) {
  test::ImageParts parts;
  parts.body.assign(body_bytes, '\x35');
  parts.seed = 1;
  parts.num_keys = 2;
  parts.extensions = test::Extension(9, "hello") + test::Extension(1, "") + test::Extension(3, "\1");
  std::string image = test::Assemble(parts);
  RepairImage(reinterpret_cast<uint8_t*>(image.data()), image.size());
  return image;
}

// Two stages, of one block and of num_blocks - 1.
inline std::string GoodContainer(uint64_t num_blocks) {
  const auto entry = [](uint64_t blocks, char num_probes) {
    std::string text;
    test::AppendLittleEndian(&text, blocks, 8);
    test::AppendLittleEndian(&text, 7, 8);
    return text + '\1' + num_probes + std::string(6, '\0');
  };
  test::ImageParts parts;
  parts.layout = 5;
  parts.num_probes = 0;
  for (const uint64_t hash : test::RandomHashes(static_cast<size_t>(8 * num_blocks), 8)) {
    test::AppendLittleEndian(&parts.body, hash | hash >> 7, 8);
  }
  parts.extensions =
      test::Extension(0x8002, entry(1, 5) + entry(num_blocks - 1, 9)) + test::Extension(2, std::string(9, '\1'));
  std::string image = test::Assemble(parts);
  RepairImage(reinterpret_cast<uint8_t*>(image.data()), image.size());
  return image;
}

// The first kSmallGoodImages have bodies of at most 4096 bytes, the last has one of three chunks and is dear.
inline constexpr size_t kSmallGoodImages = 41;
inline const std::vector<std::string>& GoodImages() {
  static const std::vector<std::string> images = [] {
    std::vector<std::string> all;
    for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
      for (const size_t num_keys : {0u, 1u, 50u}) all.push_back(GoodImage(layout, num_keys, 10, 0, HashId::kXxh3));
      all.push_back(GoodImage(layout, 99, 7, 11, HashId::kXxh3));
    }
    all.push_back(GoodImage(Layout::kRetrieval, 40, 20, 0, HashId::kCaller));
    all.push_back(GoodImageWithExtensions(128));
    // So dense that each answer tells something of the key's hash.
    for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
      all.push_back(GoodImage(layout, 70, 2, 0, HashId::kKeyed));
    }
    all.push_back(GoodImage(Layout::kBlocked, 0, 10, 0, HashId::kKeyed));
    for (const size_t num_keys : {0u, 1u, 10u})
      all.push_back(GoodImage(Layout::kQuotient, num_keys, 50, 0, HashId::kXxh3, true));
    all.push_back(GoodImage(Layout::kQuotient, 70, 2, 0, HashId::kKeyed, true));
    for (const size_t num_keys : {0u, 1u, 50u}) {
      all.push_back(GoodImage(Layout::kSplitBlock, num_keys, 10, 0, HashId::kXxh3));
    }
    all.push_back(GoodImage(Layout::kSplitBlock, 99, 7, 11, HashId::kXxh3));
    for (const HashId hash_id : {HashId::kKeyed, HashId::kParquet}) {
      all.push_back(GoodImage(Layout::kSplitBlock, 70, 2, 0, hash_id));
    }
    all.push_back(GoodImage(Layout::kBlocked, 50, 10, 0, HashId::kParquet));
    for (const bool removable : {false, true}) {
      for (const size_t num_keys : {0u, 1u, 50u, 200u}) {
        all.push_back(GoodImage(Layout::kQuotient, num_keys, 8, 0, HashId::kXxh3, removable));
      }
    }
    all.push_back(GoodImage(Layout::kQuotient, 2000, 1, 0, HashId::kXxh3, true));  // its blocks are saturated
    all.push_back(GoodImage(Layout::kQuotient, 70, 4, 0, HashId::kKeyed));
    all.push_back(GoodContainer(3));
    all.emplace_back();  // to be written from nothing
    FUZZ_REQUIRE(all.size() == kSmallGoodImages);
    for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
      all.push_back(GoodImage(layout, 600, 64, 5, HashId::kXxh3));
    }
    all.push_back(GoodImage(Layout::kBlocked, 20000, 2, 0, HashId::kKeyed));
    all.push_back(GoodImage(Layout::kQuotient, 1200, 48, 0, HashId::kXxh3, true));
    all.push_back(GoodImage(Layout::kSplitBlock, 600, 64, 0, HashId::kParquet));
    all.push_back(GoodImage(Layout::kQuotient, 6000, 9, 0, HashId::kXxh3, true));
    all.push_back(GoodImageWithExtensions(4160));
    all.push_back(GoodContainer(70));
    all.push_back(GoodImage(Layout::kClassic, 20000, 56, 0, HashId::kXxh3));
    return all;
  }();
  return images;
}

// Seldom the dear one.
inline const std::string& ChooseGoodImage(Input* in) {
  const std::vector<std::string>& images = GoodImages();
  const uint8_t choice = in->Byte();
  return in->Seldom(500) ? images.back() : images[choice % (images.size() - 1)];
}
// To be mixed with it.
inline const std::string& ChooseOtherImage(Input* in) { return GoodImages()[in->Byte() % kSmallGoodImages]; }

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_GOOD_IMAGES_H_
