// What xxh3.txt and images.txt contain; make_unfit.cc has what no reader may take, make_keyed.cc what needs a secret,
// make_parquet.cc what is of Parquet's hash, make_quotient.cc more of layout `quotient`, make_columns.cc keys of
// columns. The reference alone decides what the bytes and the answers are.
#include <sstream>

#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kSeed = 0x9e3779b97f4a7c15;  // its bytes all differ

// A usual one of 50 keys, before they are in.
Filter Small(int layout) { return Empty(layout, 7, layout == kClassic ? 63 : 64); }

Filter WithSeed(Filter filter, uint64_t seed) {
  filter.has_seed = true;
  filter.seed = seed;
  return filter;
}

Asked Probes(uint64_t keys, uint64_t probes) {
  Asked asked;
  asked.keys = keys;
  asked.probes = probes;
  return asked;
}

void NumbersOfKeys(ImagesFile* file) {
  file->Section("Numbers of keys");
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = LayoutWord(layout);
    file->OfKeys(name + "-empty-set", Empty(layout, 1, 0), {}, {}, true);
    file->OfKeys(name + "-body-without-keys", Small(layout), {}, {});
    file->OfKeys(name + "-1-key", Empty(layout, 16, layout == kClassic ? 8 : 64), FirstKeys("text", "key-", 1), {},
                 true);
    file->OfKeys(name + "-50-keys", Small(layout), FirstKeys("text", "key-", 50), Probes(50, 500), true);
    file->OfKeys(name + "-1000-keys", Empty(layout, 7, layout == kClassic ? 1250 : 1280),
                 FirstKeys("text", "key-", 1000), Probes(1000, 1000));
  }
  file->OfKeys("classic-1-byte", Empty(kClassic, 3, 1), FirstKeys("text", "key-", 1), {});
  file->OfKeys("retrieval-504-keys", Small(kRetrieval), FirstKeys("text", "key-", 504), {});
  file->OfKeys("retrieval-5000-keys-so-T-is-0", Small(kRetrieval), FirstKeys("text", "key-", 5000), {});
  for (const int layout : reference::kLayoutsOfOneBody) {  // retrieval: T = 255, which nobody writes
    Filter ones = Small(layout);
    ones.body.assign(ones.body.size(), 0xff);
    file->Image(LayoutWord(layout) + "-all-bits-set", WriteImage(ones), {});
  }
}

void NumbersOfProbes(ImagesFile* file) {
  file->Section("Every num_probes, in bodies so full that absent keys pass");
  for (int k = 1; k <= 16; ++k) {
    file->OfKeys("blocked-k-" + std::to_string(k), Empty(kBlocked, k, 64),
                 FirstKeys("text", "key-", static_cast<uint64_t>(800 / k)), {});
  }
  for (int k = 1; k <= 30; ++k) {
    file->OfKeys("classic-k-" + std::to_string(k), Empty(kClassic, k, 40),
                 FirstKeys("text", "key-", static_cast<uint64_t>(600 / k)), {});
  }
}

void KeysAndSeeds(ImagesFile* file) {
  file->Section("Kinds of keys, seeds, the caller's own hashes (hash id 0: a question by key is \"maybe\")");
  Asked integers, hashes;
  integers.integers = 300;
  hashes.hashes_of_keys = 60;
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = LayoutWord(layout);
    file->OfKeys(name + "-integers", Small(layout), FirstKeys("u64", "", 50), integers);
    for (const uint64_t seed : {uint64_t{1}, ~uint64_t{0}}) {
      file->OfKeys(name + "-integers-seed-" + std::to_string(seed), WithSeed(Small(layout), seed),
                   FirstKeys("u64", "", 50), integers);
    }
    file->OfKeys(name + "-keys-of-0-to-299-bytes", WithSeed(Empty(layout, 7, layout == kClassic ? 375 : 384), kSeed),
                 FirstKeys("input", "", 300), {});
    Filter callers = Small(layout);
    callers.hash_id = 0;
    file->OfKeys(name + "-callers-hashes", callers, FirstKeys("hash", "key-", 50), hashes);
    callers = WithSeed(callers, 5);
    file->OfKeys(name + "-callers-hashes-with-a-seed", callers, FirstKeys("hash", "key-", 10), kFew);
    callers.body.clear();
    file->OfKeys(name + "-callers-hashes-empty-set", callers, {}, kFew);
  }
}

void OptionalFields(ImagesFile* file) {
  file->Section("Optional fields; extensions that no reader knows and each skips");
  const std::vector<Question> keys = FirstKeys("text", "key-", 50);
  const Extension short_one{9, AsBytes("hello")}, empty_one{0, {}}, long_one{0x7fff, AsBytes(InputBytes(300))};
  for (const bool empty_set : {false, true}) {
    for (const int layout : reference::kLayoutsOfOneBody) {
      Filter plain = Small(layout);
      if (empty_set) plain = Empty(layout, 7, 0);
      const std::string name = LayoutWord(layout) + (empty_set ? "-empty-set" : "");
      const auto add = [&](const std::string& field, const Filter& filter) {
        const std::vector<Question> none;
        file->OfKeys(name + "-" + field, filter, empty_set ? none : keys, empty_set ? kFew : Asked(),
                     field == "all-fields");
      };
      const uint64_t num_keys = empty_set ? 0 : 50;
      add("seed-field-of-0", WithSeed(plain, 0));
      add("num_keys", WithNumKeys(plain, num_keys));
      if (!empty_set) add("num_keys-of-2^64-1", WithNumKeys(plain, ~uint64_t{0}));
      add("extension-list-without-entry", WithExtensions(plain, {}));
      add("extension", WithExtensions(plain, {short_one}));
      add("extensions", WithExtensions(plain, {empty_one, long_one, short_one, short_one}));
      add("all-fields", WithSeed(WithNumKeys(WithExtensions(plain, {short_one, empty_one}), num_keys), kSeed));
    }
  }
}

void KindsOfKeys(ImagesFile* file) {
  file->Section("The field of the kind of keys: what it says changes no answer");
  const auto add = [&](const std::string& name, const Filter& filter, const Bytes& content, bool damage_every) {
    const std::vector<Question> none, keys = FirstKeys("text", "key-", 50);
    const Filter told = WithExtensions(filter, {{reference::kKeyKind, content}});
    file->OfKeys(name, told, filter.body.empty() ? none : keys, filter.body.empty() ? kFew : Asked(), damage_every);
  };
  for (const int layout : reference::kLayoutsOfOneBody) {
    for (uint8_t kind = 1; kind <= 3; ++kind) {
      add(LayoutWord(layout) + "-key-kind-" + std::to_string(kind), Small(layout), {kind}, false);
    }
  }
  for (const uint8_t no_kind : {0, 4, 255}) {
    add("blocked-key-kind-" + std::to_string(no_kind), Small(kBlocked), {no_kind}, false);
  }
  add("blocked-key-kind-of-0-bytes", Small(kBlocked), {}, false);
  add("blocked-key-kind-of-2-bytes", Small(kBlocked), {1, 0}, false);
  add("blocked-key-kind-damaged", Small(kBlocked), {1}, true);
  add("classic-key-kind-empty-set", Empty(kClassic, 7, 0), {2}, true);
  add("blocked-key-kind-large", Empty(kBlocked, 7, 4160), {3}, false);
  Filter three = ContainerOf({1, 2, 4}, 60, true);
  three.extensions.push_back({reference::kKeyKind, {1}});
  file->Image("container-key-kind-1", WriteImage(three), Probes(420, 500));
}

void LargeBodies(ImagesFile* file) {
  file->Section("Bodies around 4096 bytes, above which they have chunk checks, and of several chunks");
  const Asked asked = Probes(20, 300);
  uint64_t fill_seed = 0;
  const auto add = [&](int layout, std::vector<size_t> sizes) {
    for (const size_t size : sizes) {
      file->OfFilledBody(LayoutWord(layout) + "-" + std::to_string(size), Empty(layout, 4, size), ++fill_seed, asked);
    }
  };
  add(kBlocked, {4096, 4160, 65600});
  add(kClassic, {4096, 4097, 65537, 200003});
  add(kRetrieval, {4096, 4160, 65536, 131072});
  file->OfKeys("blocked-4160-of-keys", Empty(kBlocked, 7, 4160), FirstKeys("text", "key-", 3000), Probes(3000, 1000));
  file->OfKeys("classic-4097-of-keys", Empty(kClassic, 7, 4097), FirstKeys("text", "key-", 3000), Probes(3000, 1000));
  const Filter all_fields =
      WithSeed(WithNumKeys(WithExtensions(Empty(kBlocked, 4, 65600), {{9, AsBytes("hello")}}), 1000000), kSeed);
  file->OfFilledBody("blocked-65600-all-fields", all_fields, ++fill_seed, asked);
  fill_seed = 15;  // Else records of earlier layouts would decide which bytes these have.
  for (const int layout : reference::kLayoutsOfOneBody) {
    if (layout < reference::kContainer) continue;  // these have their own sizes above
    const size_t unit = reference::LayoutAccepts(layout, Empty(layout, 7, 0).num_probes, 32) ? 32 : 64;
    add(layout, {4096, 4096 + unit, 65536 + unit});
    file->OfKeys(LayoutWord(layout) + "-" + std::to_string(4096 + unit) + "-of-keys", Empty(layout, 7, 4096 + unit),
                 FirstKeys("text", "key-", 3000), Probes(3000, 1000));
  }
}

void DamagedLargeBodies(ImagesFile* file) {
  file->Section("Damage to a large body is found by the chunk checks alone, behind it by every reader");
  const Asked asked = {20, 20, 1, false, 0};
  file->Steps("blocked-damaged-first-bit", {"copy blocked-65600", "flip 0"}, asked);
  file->Steps("blocked-damaged-last-bit", {"copy blocked-65600", "flip 524799"}, asked);
  file->Steps("retrieval-damaged-chunk-1", {"copy retrieval-131072", "flip 524288"}, asked);
  file->Steps("classic-damaged-chunks-1-and-3", {"copy classic-200003", "flip 524291", "flip 1600023"}, asked);
  const auto damage = [&](const std::string& large, std::vector<std::string> last_steps) {
    for (const std::string& step : last_steps) {
      std::string name = large + "-then-" + step;
      name[name.find(' ')] = '-';
      file->Steps(name, {"copy " + large, step}, kFew);
    }
  };
  // The first bits of both chunk checks and of the check; a byte, a block, a chunk, the trailer too few; something too
  // much.
  damage("blocked-65600",
         {"flip 524800", "flip 524832", "flip 524864", "cut-front 1", "cut-front 64", "cut-front 65536", "cut-end 1",
          "cut-end 8", "cut-end 64", "cut-end 65536", "bytes 00", "copy blocked-65600"});
  damage("classic-200003",
         {"flip 1600024", "flip 1600151", "cut-front 1", "cut-front 65536", "cut-end 1", "cut-end 24"});
  damage("retrieval-131072", {"flip 1048576", "flip 1048639", "cut-front 64", "cut-end 64"});
  file->Steps("a-byte-then-blocked-65600", {"bytes 00", "copy blocked-65600"}, kFew);
}

void Containers(ImagesFile* file) {
  file->Section("Containers: several stages that answer as one");
  const Filter three = ContainerOf({1, 2, 4}, 60, true);
  file->Image("container-empty-set", WriteImage(ContainerOf({}, 0, false)), {}, 0, 0, {}, true);
  file->Image("container-1-stage", WriteImage(ContainerOf({2}, 40, true)), Probes(80, 200), 0, 0, {}, true);
  file->Image("container-3-stages", WriteImage(three), Probes(420, 500));
  file->OfFilledBody("container-64-stages", ContainerOf(std::vector<size_t>(64, 1), 0, false), 107, Probes(128, 100));
  Filter callers = three;
  callers.hash_id = 0;
  file->Image("container-callers-hashes", WriteImage(callers), kFew);
  Filter all_fields = WithSeed(WithNumKeys(three, 420), kSeed);
  all_fields.extensions.push_back({reference::kGrowth, AsBytes("\x01growth")});
  all_fields.extensions.push_back({9, AsBytes("hello")});
  file->Image("container-all-fields", WriteImage(all_fields), Probes(20, 100));
  for (const size_t last : {64u, 960u}) {
    const Filter large = reference::MakeContainer({Empty(kBlocked, 5, 64), Empty(kBlocked, 6, 64 * last)}, {0, 0});
    file->OfFilledBody("container-" + std::to_string(large.body.size()), large, 200 + last, Probes(20, 200));
  }
  const Filter large = reference::MakeContainer({Empty(kBlocked, 5, 64), Empty(kBlocked, 6, 65536)}, {0, 0});
  file->OfFilledBody("container-65600", large, 300, Probes(20, 200));
  file->Steps("container-damaged-chunk-0", {"copy container-65600", "flip 100"}, kFew);
}

}  // namespace

Filter ContainerOf(const std::vector<size_t>& num_blocks, uint64_t per_block, bool is_counted) {
  std::vector<Filter> stages;
  std::vector<uint64_t> num_keys;
  uint64_t key = 0;
  for (size_t i = 0; i < num_blocks.size(); ++i) {
    stages.push_back(Empty(kBlocked, static_cast<int>(5 + 3 * i % 12), 64 * num_blocks[i]));
    const uint64_t end = key + per_block * num_blocks[i];
    num_keys.push_back(is_counted ? end - key : 0);
    for (; key < end; ++key) stages.back().Insert(reference::HashOfKey("key-" + std::to_string(key), 0));
  }
  return reference::MakeContainer(stages, num_keys);
}

std::string MakeXxh3Vectors() {
  std::ostringstream text;
  text << kHead << "# length of the input | seed, hexadecimal | hash of the input as a key, hexadecimal\n";
  for (const size_t size :
       {0u,   1u,   2u,   3u,    4u,    5u,    7u,    8u,    9u,    15u,   16u,   17u,   31u,   32u,  33u,
        64u,  65u,  96u,  97u,   127u,  128u,  129u,  143u,  144u,  145u,  239u,  240u,  241u,  255u, 256u,
        257u, 512u, 513u, 1023u, 1024u, 1025u, 1088u, 1089u, 2047u, 2048u, 2049u, 5000u, 65536u}) {
    const std::string input = InputBytes(size);
    for (const uint64_t seed : {uint64_t{0}, kSeed}) {
      text << size << " " << Hex64(seed) << " " << Hex64(reference::HashOfKey(input, seed)) << "\n";
    }
  }
  return text.str();
}

std::string MakeConformanceImages() {
  ImagesFile file(kHead);
  NumbersOfKeys(&file);
  NumbersOfProbes(&file);
  KeysAndSeeds(&file);
  OptionalFields(&file);
  KindsOfKeys(&file);
  LargeBodies(&file);
  DamagedLargeBodies(&file);
  Containers(&file);
  UnfitImages(&file);
  KeyedImages(&file);
  ParquetImages(&file);
  KeyFormsImages(&file);
  QuotientImages(&file);
  return file.text();
}

}  // namespace linefilter::test
