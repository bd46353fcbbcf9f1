// linefilter/view.h: a filter in somebody else's bytes. Good images; what is refused is in malformed_test.
#include "linefilter/view.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "tests/testing/building.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

const HashSecret kSecret = {{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa}};

std::string Build(Layout layout, const std::vector<uint64_t>& hashes, uint64_t seed = 0,
                  HashId hash_id = HashId::kXxh3) {
  FilterOptions options = BitsPerKey(10, layout);
  options.seed = seed;
  options.hash_id = hash_id;
  if (hash_id == HashId::kKeyed) options.secret = kSecret;
  return test::Build(options, hashes);
}

TEST(FilterView, IsBrokenUntilOpened) {
  const FilterView view;
  EXPECT_EQ(view.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(view.MayContainKey("x"));
  EXPECT_TRUE(view.MayContainHash(0));
  view.Prepare(~uint64_t{0});
  EXPECT_FALSE(view.empty_set());
  EXPECT_FALSE(view.Verify().ok());
  EXPECT_FALSE(view.VerifyChunks(0, 0).ok());
  EXPECT_FALSE(view.KeyStatus().ok());
  EXPECT_EQ(view.layout(), Layout::kAuto);
  EXPECT_EQ(view.num_chunks(), 0u);
  EXPECT_EQ(view.FillRatio(), 0);
  EXPECT_EQ(view.ExpectedFpr(), 1);
  static_assert(std::is_nothrow_constructible_v<FilterView, const void*, size_t, VerifyMode>,
                "for engines without exceptions");
  static_assert(std::is_nothrow_copy_constructible_v<FilterView> && std::is_nothrow_copy_assignable_v<FilterView>);
}

TEST(FilterView, TellsWhatTheImageIs) {
  for (const Layout layout : EveryLayout()) {
    const std::vector<uint64_t> hashes = RandomHashes(20000, 1);
    const std::string image = Build(layout, hashes, 0x123456789abcdef0);
    FilterView view;
    ASSERT_TRUE(view.Open(image.data(), image.size(), VerifyMode::kWhole).ok());
    EXPECT_TRUE(view.status().ok());
    EXPECT_EQ(view.layout(), layout);
    EXPECT_EQ(view.hash_id(), HashId::kXxh3);
    EXPECT_EQ(view.seed(), 0x123456789abcdef0u);
    EXPECT_EQ(view.image_bytes(), image.size());
    EXPECT_EQ(view.format_version(), 1u);
    EXPECT_TRUE(view.has_num_keys());
    EXPECT_EQ(view.num_keys(), hashes.size());
    EXPECT_EQ(static_cast<const void*>(view.body()), image.data()) << "nothing is copied";
    EXPECT_EQ(view.num_chunks(), (view.body_bytes() + 65535) / 65536);
    EXPECT_FALSE(view.empty_set());
    EXPECT_TRUE(view.Verify().ok());
    EXPECT_NEAR(view.ApproximateSize().keys, 20000, 400);
    EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    const std::string_view target = view.target();
    EXPECT_NE(target, "none");
  }
}

// An image may stand at any address, with anything in front of it and unreadable memory behind (sanitizers see that).
TEST(FilterView, WorksAtEveryAddress) {
  for (const Layout layout : EveryLayout()) {
    for (const size_t n : {40u, 4000u}) {
      const std::vector<uint64_t> hashes = RandomHashes(n, 1), others = RandomHashes(1000, 2);
      const std::string image = Build(layout, hashes);
      std::vector<uint8_t> expected(others.size());
      FilterView(image.data(), image.size(), VerifyMode::kWhole)
          .MayContainHashes(others.data(), others.size(), expected.data());
      for (size_t offset = 0; offset < 64; ++offset) {
        std::vector<char> exact(offset + image.size(), 'x');  // consecutive offsets: every address modulo 64 comes
        char* const at = exact.data() + offset;
        std::memcpy(at, image.data(), image.size());
        const FilterView view(at, image.size(), VerifyMode::kWhole);
        ASSERT_TRUE(view.status().ok()) << offset << ": " << view.status().message();
        ASSERT_TRUE(view.Verify().ok());
        ASSERT_EQ(view.CountMaybes(hashes.data(), n), n) << offset;
        std::vector<uint8_t> answers(others.size());
        view.MayContainHashes(others.data(), others.size(), answers.data());
        ASSERT_EQ(answers, expected) << offset;
      }
    }
  }
}

TEST(FilterView, CopiesAnswerAlike) {
  const std::vector<uint64_t> hashes = RandomHashes(20000, 1);
  const std::string image = Build(Layout::kBlocked, hashes, 5);
  FilterView copy;
  {
    const FilterView original(image.data(), image.size(), VerifyMode::kWhole);
    copy = original;
    const FilterView another(original);
    EXPECT_EQ(another.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  }
  EXPECT_TRUE(copy.status().ok());
  EXPECT_EQ(copy.seed(), 5u);
  EXPECT_TRUE(copy.Verify().ok());
  EXPECT_EQ(copy.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

TEST(FilterView, OpensAnewAfterWhateverWasBefore) {
  const std::string small = Build(Layout::kClassic, {1, 2, 3}, 7),
                    large = Build(Layout::kBlocked, RandomHashes(100000, 1));
  const std::string empty = Build(Layout::kBlocked, {});
  FilterView view(large.data(), large.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.Open(small.data(), small.size(), VerifyMode::kWhole).ok());
  EXPECT_EQ(view.num_chunks(), 0u);
  EXPECT_EQ(view.seed(), 7u);
  ASSERT_FALSE(view.Open(large.data(), large.size() - 1, VerifyMode::kWhole).ok());
  EXPECT_TRUE(view.MayContainKey("x"));
  EXPECT_EQ(view.layout(), Layout::kAuto);
  EXPECT_EQ(view.seed(), 0u) << "nothing of an image before remains";
  EXPECT_EQ(view.num_keys(), 0u);
  ASSERT_TRUE(view.Open(empty.data(), empty.size(), VerifyMode::kWhole).ok());
  EXPECT_FALSE(view.MayContainKey("x"));
  ASSERT_FALSE(view.Open(nullptr, 0, VerifyMode::kWhole).ok());
  EXPECT_TRUE(view.MayContainKey("x")) << "no longer the empty set";
}

TEST(FilterView, OfTheEmptySetAnswersAbsent) {
  for (const uint8_t layout : {uint8_t{1}, uint8_t{2}}) {
    ImageParts parts;
    parts.layout = layout;
    for (const bool with_fields : {false, true}) {
      if (with_fields) {
        parts.seed = 77;
        parts.num_keys = 0;
        parts.extensions = Extension(5, "note");
      }
      const std::string image = Assemble(parts);
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok()) << view.status().message();
      EXPECT_TRUE(view.empty_set());
      EXPECT_TRUE(view.Verify().ok());
      EXPECT_FALSE(view.MayContainKey("x"));
      EXPECT_FALSE(view.MayContainHash(0));
      view.Prepare(~uint64_t{0});
      const std::vector<uint64_t> hashes = RandomHashes(100, 1);
      EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), 0u);
      EXPECT_EQ(view.ApproximateSize().keys, 0);
      EXPECT_EQ(view.ExpectedFpr(), 0);
      EXPECT_EQ(view.seed(), with_fields ? 77u : 0u);
    }
  }
}

// Small and large, with each field that sends it to the view, and with the images that it answers by itself.
TEST(FilterView, AnswersAsAnImageAskedAtOnce) {
  std::vector<std::string> images;
  for (const Layout layout : EveryLayout()) {
    for (const size_t num_keys : {0u, 1u, 20u, 50u, 300u, 3000u, 4000u, 30000u}) {
      for (const uint64_t seed : {0u, 7u}) {
        std::vector<uint64_t> hashes;
        for (size_t i = 0; i < num_keys; ++i) hashes.push_back(HashKey(std::to_string(i), seed));
        images.push_back(Build(layout, hashes, seed));
      }
    }
    images.push_back(Build(layout, {}, 0, HashId::kCaller));
    images.push_back(Build(layout, RandomHashes(50, 1), 0, HashId::kCaller));
  }
  for (const std::string& image : images) {
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.status().ok());
    size_t maybes = 0;
    for (int i = 0; i < 10000; ++i) {
      const std::string key = std::to_string(i);
      const bool maybe = ImageMayContainKey(image.data(), image.size(), key, VerifyMode::kLazy);
      ASSERT_EQ(maybe, view.MayContainKey(key)) << key << " of " << image.size() << " bytes";
      ASSERT_EQ(maybe, ImageMayContainKey(image.data(), image.size(), key, VerifyMode::kTrusted)) << key;
      maybes += maybe;
    }
    if (view.hash_id() == HashId::kXxh3 && image.size() < 1000) {
      EXPECT_LT(maybes, 5000u) << "no filter at all";
    }
  }
}

TEST(FilterView, OfTheCallersHashesAnswersKeysMaybeAndSaysWhy) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  const std::string image = Build(Layout::kBlocked, hashes, 0, HashId::kCaller);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.status().ok()) << "the image itself is good";
  for (uint64_t key = 0; key < 1000; ++key) {
    ASSERT_TRUE(view.MayContainKey(key));
    ASSERT_TRUE(view.MayContainKey(std::to_string(key)));
  }
  const std::vector<std::string_view> keys(100, "x");
  std::vector<uint8_t> answers(100, 7);
  view.MayContainKeys(keys.data(), keys.size(), answers.data());
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 100);
  answers.assign(100, 7);
  view.MayContainKeys(hashes.data(), 100, answers.data());
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 100) << "integers too";
  const Status status = view.KeyStatus();
  EXPECT_EQ(status.code(), StatusCode::kIncompatible);
  EXPECT_NE(std::strstr(status.message(), "ask by hash"), nullptr) << "says what to do: " << status.message();
  EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  const std::vector<uint64_t> absent = RandomHashes(1000, 2);
  EXPECT_LT(view.CountMaybes(absent.data(), absent.size()), 50u) << "hashes are answered as ever";
}

// As an engine asks all tables of a level. Views of different layouts and sizes, one of them broken.
// ---- VerifyImage: what Open and Verify say, for whoever has no secret

// FilterView's own words of an image, with the secret if it is keyed.
Status WordsOfTheView(const std::string& image, HashId hash_id) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, hash_id == HashId::kKeyed ? &kSecret : nullptr);
  return view.status().ok() ? view.Verify() : view.status();
}

TEST(VerifyImage, NeedsNoSecretToSeeThatAnImageIsSound) {
  static_assert(noexcept(VerifyImage(nullptr, 0)), "for engines without exceptions");
  for (const Layout layout : EveryLayout()) {
    for (const HashId hash_id : {HashId::kCaller, HashId::kXxh3, HashId::kKeyed}) {
      for (const size_t num_keys : {0u, 1u, 30u, 3000u, 6000u, 120000u}) {
        const std::string image = Build(layout, RandomHashes(num_keys, 1), 0, hash_id);
        EXPECT_TRUE(IsOk(VerifyImage(image.data(), image.size())))
            << LayoutName(layout) << " " << HashIdName(hash_id) << " ";
      }
    }
  }
}

// Every byte behind the body, where each part begins and ends, and the ends of each chunk of the body.
TEST(VerifyImage, SeesDamageInEveryPart) {
  for (const Layout layout : EveryLayout()) {
    for (const HashId hash_id : {HashId::kCaller, HashId::kXxh3, HashId::kKeyed}) {
      for (const size_t num_keys : {0u, 30u, 3000u, 6000u, 120000u}) {
        const std::string built = Build(layout, RandomHashes(num_keys, 1), 0, hash_id);
        const FilterView view(built.data(), built.size(), VerifyMode::kWhole,
                              hash_id == HashId::kKeyed ? &kSecret : nullptr);
        ASSERT_TRUE(view.status().ok());
        const size_t body_bytes = static_cast<size_t>(view.body_bytes());
        ImageParts parts;
        parts.body = built.substr(0, body_bytes);
        parts.layout = static_cast<uint8_t>(layout);
        parts.num_probes = static_cast<uint8_t>(view.num_probes());
        parts.hash_id = static_cast<uint8_t>(hash_id);
        parts.seed = hash_id == HashId::kKeyed ? CheckOfSecret(kSecret) : 7;
        parts.num_keys = num_keys;
        parts.extensions = Extension(5, "note");
        std::string image = Assemble(parts);
        ASSERT_TRUE(VerifyImage(image.data(), image.size()).ok());
        for (size_t at = 0; at < image.size(); ++at) {
          const bool inside = at % kChunk != 0 && (at + 1) % kChunk != 0 && at + 1 < body_bytes;
          if (inside) continue;
          for (const int bit : {0x80, 0x10}) {
            image[at] = static_cast<char>(image[at] ^ bit);
            const Status status = VerifyImage(image.data(), image.size());
            ASSERT_EQ(status.code(), StatusCode::kCorrupt) << at << " of " << image.size() << ", body " << body_bytes;
            ASSERT_STREQ(status.message(), WordsOfTheView(image, hash_id).message());
            image[at] = static_cast<char>(image[at] ^ bit);
          }
        }
        EXPECT_EQ(VerifyImage(image.data(), image.size() - 1).code(), StatusCode::kCorrupt);
        EXPECT_EQ(VerifyImage(image.data() + 1, image.size() - 1).code(), StatusCode::kCorrupt);
      }
    }
  }
}

TEST(VerifyImage, RefusesWhatIsNoImageOrNotUnderstood) {
  EXPECT_EQ(VerifyImage(nullptr, 0).code(), StatusCode::kCorrupt);
  EXPECT_EQ(VerifyImage(nullptr, 100).code(), StatusCode::kCorrupt);
  EXPECT_EQ(VerifyImage("", 0).code(), StatusCode::kCorrupt);
  EXPECT_EQ(VerifyImage("\xa1\xa1\xa1\xa1\xa1\xa1\xa1", 7).code(), StatusCode::kCorrupt);
  const auto code_of = [](const ImageParts& parts) {
    const std::string image = Assemble(parts);
    return VerifyImage(image.data(), image.size()).code();
  };
  for (const size_t body_bytes : {640u, 6400u}) {
    ImageParts sound;
    sound.body.assign(body_bytes, 'b');
    EXPECT_EQ(code_of(sound), StatusCode::kOk);
    ImageParts parts = sound;
    parts.layout = 77;
    EXPECT_EQ(code_of(parts), StatusCode::kUnsupported);
    parts = sound;
    parts.hash_id = 4;
    EXPECT_EQ(code_of(parts), StatusCode::kUnsupported);
    parts.hash_id = 3;
    EXPECT_EQ(code_of(parts), StatusCode::kOk);
    parts.seed = 0;
    EXPECT_EQ(code_of(parts), StatusCode::kOk);
    parts.seed = 1;
    EXPECT_EQ(code_of(parts), StatusCode::kCorrupt) << "the hash of Parquet has no seed";
    parts = sound;
    parts.extensions = Extension(0x8001, "");
    EXPECT_EQ(code_of(parts), StatusCode::kUnsupported) << "a critical one";
    parts = sound;
    parts.num_probes = 17;
    EXPECT_EQ(code_of(parts), StatusCode::kCorrupt);
    parts = sound;
    parts.body += 'b';
    EXPECT_EQ(code_of(parts), StatusCode::kCorrupt) << "no whole blocks";
    parts = sound;
    parts.hash_id = 2;
    EXPECT_EQ(code_of(parts), StatusCode::kCorrupt) << "keyed, without a check of the secret";
  }
}

// Optional fields that this library does not write itself but FORMAT.md allows.
TEST(FilterView, ReadsEveryCombinationOfFields) {
  for (const size_t n : {30u, 6000u}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, 1);
    const std::string built = Build(Layout::kBlocked, hashes);
    const FilterView original(built.data(), built.size(), VerifyMode::kWhole);
    for (int fields = 0; fields < 8; ++fields) {
      ImageParts parts;
      parts.body = built.substr(0, original.body_bytes());
      parts.num_probes = static_cast<uint8_t>(original.num_probes());
      if (fields & 1) parts.seed = 0;  // a field that holds 0 is legal
      if (fields & 2) parts.num_keys = ~uint64_t{0};
      if (fields & 4) parts.extensions = Extension(1, "") + Extension(0x7fff, std::string(70, 'x'));
      const std::string image = Assemble(parts);
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok()) << fields << ": " << view.status().message();
      EXPECT_TRUE(view.Verify().ok());
      EXPECT_TRUE(VerifyImage(image.data(), image.size()).ok());
      EXPECT_EQ(view.body_bytes(), original.body_bytes());
      EXPECT_EQ(view.CountMaybes(hashes.data(), n), n);
      EXPECT_EQ(view.has_num_keys(), (fields & 2) != 0);
      EXPECT_EQ(view.num_keys(), fields & 2 ? ~uint64_t{0} : 0);
    }
  }
}

// Lengths around the border between the check and the chunk checks, and around whole chunks.
TEST(FilterView, ReadsEveryKindOfBodyLength) {
  Random random(1);
  for (const size_t body : {1u, 7u, 63u, 64u, 4095u, 4096u, 4097u, 65535u, 65536u, 65537u, 131072u, 131073u}) {
    ImageParts parts;
    parts.layout = 2;
    for (size_t i = 0; i < body; ++i) parts.body.push_back(static_cast<char>(random()));
    const std::string image = Assemble(parts);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.status().ok()) << body << ": " << view.status().message();
    EXPECT_EQ(view.body_bytes(), body);
    EXPECT_EQ(view.num_chunks(), body <= 4096 ? 0 : (body + 65535) / 65536);
    EXPECT_TRUE(view.Verify().ok()) << body;
    EXPECT_TRUE(VerifyImage(image.data(), image.size()).ok()) << body;
  }
}

}  // namespace
}  // namespace linefilter::test
