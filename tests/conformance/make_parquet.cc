// The vectors of Parquet's hash (hash id 3): what xxh64.txt contains, and the part of images.txt that has it. The
// reference alone decides what the bytes and the answers are.
#include <sstream>

#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"

namespace linefilter::test {
namespace {

constexpr Asked kOfParquet = {50, 200, 20, true, 0};

Filter OfParquet(Filter filter) {
  filter.hash_id = reference::kParquet;
  return filter;
}

Filter WithSeedField(Filter filter, uint64_t seed) {
  filter.has_seed = true;
  filter.seed = seed;
  return filter;
}

// These are the records that hash id 1 has in the other sections.
void OfEachLayout(ImagesFile* file) {
  file->Section("Parquet's hash (hash id 3), in every layout");
  const std::vector<Question> keys = FirstKeys("text", "key-", 50);
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = "parquet-" + LayoutWord(layout);
    const Filter small = OfParquet(Empty(layout, 7, layout == kClassic ? 63 : 64));
    file->OfKeys(name + "-50-keys", small, keys, kOfParquet);
    file->OfKeys(name + "-integers", small, FirstKeys("u64", "", 50), {5, 5, 300, true, 0});
    file->OfKeys(name + "-seed-field-of-0", WithSeedField(small, 0), keys, kFew);
    for (const uint64_t seed : {uint64_t{1}, uint64_t{1} << 63}) {
      file->OfKeys(name + "-seed-of-" + std::to_string(seed), WithSeedField(small, seed), keys, kFew);
    }
    file->OpenWith(FillBytes(16, 1));
    file->Steps(name + "-with-a-secret", {"copy " + name + "-50-keys"}, kFew);
    file->OpenWith("");
  }
  std::vector<Filter> stages = {Empty(kBlocked, 7, 64), Empty(kBlocked, 7, 128)};
  for (size_t i = 0; i < keys.size(); ++i) stages[i % 2].Insert(keys[i].Hash(0, "", reference::kParquet));
  file->Image("parquet-container", WriteImage(OfParquet(reference::MakeContainer(stages, {25, 25}))), kOfParquet);
}

void OfParquetFiles(ImagesFile* file) {
  file->Section("Bodies as Parquet files have them: layout split_block with hash id 3");
  const auto sized = [](size_t body_bytes) { return OfParquet(Empty(kSplitBlock, 0, body_bytes)); };
  file->OfKeys("parquet-split_block-empty-set", sized(0), {}, kFew, true);
  file->OfKeys("parquet-split_block-1-block", sized(32), FirstKeys("text", "key-", 25), kOfParquet, true);
  file->OfKeys("parquet-split_block-3-blocks", sized(96), FirstKeys("text", "key-", 75), kOfParquet);
  file->OfKeys("parquet-split_block-keys-of-0-to-299-bytes", sized(384), FirstKeys("input", "", 300), {});
  Filter all_fields = WithNumKeys(WithExtensions(sized(64), {{9, AsBytes("hello")}}), 50);
  file->OfKeys("parquet-split_block-all-fields", WithSeedField(all_fields, 0), FirstKeys("text", "key-", 50),
               kOfParquet);
  file->OfKeys("parquet-split_block-large", sized(4128), FirstKeys("text", "key-", 3000), {300, 300, 20, true, 0});
  file->OfFilledBody("parquet-split_block-chunks", sized(131072), 400, kOfParquet);
  file->Steps("parquet-split_block-damaged-chunk-1", {"copy parquet-split_block-chunks", "flip 524288"}, kFew);
  // The filter in data/bloom_filter.xxhash.bin of apache/parquet-testing, which parquet-mr made of these four strings.
  std::vector<Question> words;
  for (const std::string word : {"hello", "parquet", "bloom", "filter"}) {
    words.push_back({"hash", "", reference::Xxh64(word)});
  }
  file->OfKeys("parquet-split_block-of-parquet-mr", sized(1024), words, kOfParquet);
}

// Another hash id has another x of the same hash.
void HashesOfOtherIds(ImagesFile* file) {
  file->Section("The same hashes in split_block, as those of each hash id that needs no secret");
  for (const int hash_id : {reference::kCaller, reference::kXxh3, reference::kParquet}) {
    Filter filter = Empty(kSplitBlock, 0, 96);
    filter.hash_id = hash_id;
    file->OfKeys("split_block-of-hashes-hash-id-" + std::to_string(hash_id), filter, FirstKeys("hash", "key-", 60),
                 {2, 2, 1, true, 60});
  }
}

}  // namespace

std::string MakeXxh64Vectors() {
  std::ostringstream text;
  text << kHead << "# length of the input | XXH64 of it with seed 0, hexadecimal\n";
  for (const size_t size : {0u,  1u,  2u,  3u,   4u,   5u,   7u,   8u,   9u,   11u,   12u,   13u,   15u,   16u,
                            17u, 23u, 24u, 25u,  28u,  31u,  32u,  33u,  36u,  40u,   45u,   63u,   64u,   65u,
                            95u, 96u, 97u, 127u, 128u, 129u, 255u, 256u, 257u, 1023u, 1024u, 1025u, 65536u}) {
    text << size << " " << Hex64(reference::Xxh64(InputBytes(size))) << "\n";
  }
  return text.str();
}

void ParquetImages(ImagesFile* file) {
  OfEachLayout(file);
  OfParquetFiles(file);
  HashesOfOtherIds(file);
}

}  // namespace linefilter::test
