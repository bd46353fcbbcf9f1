// An image remembers the kinds of its keys, as far as somebody told them: each way out writes them, each way in reads
// them, and what is made of several filters has the kinds of all. (That the field changes no answer: conformance_test.)
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/fold.h"
#include "linefilter/remote_body.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/status.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr KeyKind kAllKinds[] = {KeyKind::kUnknown, KeyKind::kText, KeyKind::kInteger, KeyKind::kMixed};

FilterOptions Told(KeyKind kind) {
  FilterOptions options;
  options.fpr = 0.01;
  options.key_kind = kind;
  return options;
}

// The image of these hashes, by BuildFromSource.
std::string BuildOfSource(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  struct Reading {
    const std::vector<uint64_t>& hashes;
    size_t done;
  } reading = {hashes, 0};
  HashSource source;
  source.context = &reading;
  source.read = [](void* context, uint64_t* to, size_t capacity) noexcept {
    Reading& from = *static_cast<Reading*>(context);
    const size_t n = std::min(capacity, from.hashes.size() - from.done);
    std::copy_n(from.hashes.begin() + static_cast<ptrdiff_t>(from.done), n, to);
    from.done += n;
    return n;
  };
  source.rewind = [](void* context) noexcept {
    static_cast<Reading*>(context)->done = 0;
    return true;
  };
  Collector image;
  EXPECT_TRUE(IsOk(BuildFromSource(options, source, image.sink())));
  return image.bytes;
}

// What an image says, as the reference reads it, and the library.
KeyKind KindIn(const std::string& image) {
  reference::Filter parts;
  EXPECT_TRUE(reference::ReadImage(reinterpret_cast<const uint8_t*>(image.data()), image.size(), &parts));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_EQ(static_cast<int>(view.key_kind()), reference::KeyKindOf(parts));
  return view.key_kind();
}

TEST(KeyKind, HasAName) {
  EXPECT_STREQ(KeyKindName(KeyKind::kUnknown), "unknown");
  EXPECT_STREQ(KeyKindName(KeyKind::kText), "text");
  EXPECT_STREQ(KeyKindName(KeyKind::kInteger), "integer");
  EXPECT_STREQ(KeyKindName(KeyKind::kMixed), "mixed");
  EXPECT_STREQ(KeyKindName(static_cast<KeyKind>(4)), "unknown");
}

// Creates `filter` of that kind, and looks at its image, with and without keys, and at what is made of it again.
template <class Filter, class Create>
void ExpectKept(const Create& create) {
  for (const KeyKind kind : kAllKinds) {
    Filter filter, again;
    ASSERT_TRUE(IsOk(create(&filter, Told(kind))));
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(filter.key_kind(), kind);
      const std::string image = ImageOf(filter);
      EXPECT_EQ(KindIn(image), kind);
      EXPECT_EQ(image.size(), filter.ImageBytes());
      ASSERT_TRUE(IsOk(again.CreateFromImage(image.data(), image.size())));
      EXPECT_EQ(again.key_kind(), kind);
      EXPECT_EQ(ImageOf(again), image);
      filter.InsertKey("alice");
    }
  }
}

TEST(KeyKind, IsKeptByEachFilter) {
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
    for (const uint64_t num_keys : {uint64_t{10}, uint64_t{10000}}) {
      ExpectKept<Filter>([&](Filter* filter, const FilterOptions& options) {
        return filter->Create(num_keys, WithLayout(layout, options));
      });
    }
  }
  ExpectKept<ConcurrentFilter>(
      [](ConcurrentFilter* filter, const FilterOptions& options) { return filter->Create(10000, options); });
  ExpectKept<ScalableFilter>(
      [](ScalableFilter* filter, const FilterOptions& options) { return filter->Create(100, options); });
  ExpectKept<RotatingFilter>(
      [](RotatingFilter* filter, const FilterOptions& options) { return filter->Create(100, 3, options); });
}

TEST(KeyKind, IsKeptByEachWayToBuildAndToOpen) {
  const TempDir folder;
  for (const KeyKind kind : kAllKinds) {
    for (const Layout layout : EveryLayout()) {
      for (const size_t num_keys : {0u, 10u, 20000u}) {
        FilterOptions options = Told(kind);
        options.layout = layout;
        FilterBuilder builder(options);
        std::vector<uint64_t> hashes;
        for (uint64_t key = 0; key < num_keys; ++key) hashes.push_back(HashKey(key));
        builder.AddHashes(hashes.data(), hashes.size());
        const uint64_t image_bytes = builder.ImageBytes();
        const std::string image = Finish(&builder);
        EXPECT_EQ(image.size(), image_bytes);
        EXPECT_EQ(KindIn(image), kind);
        EXPECT_EQ(BuildOfSource(options, hashes), image);
        const std::string path = folder.File("built");
        builder.AddHashes(hashes.data(), hashes.size());
        ASSERT_TRUE(IsOk(builder.FinishToFile(path.c_str())));
        EXPECT_EQ(ReadFile(path), image);
        FilterFile file;
        ASSERT_TRUE(IsOk(file.Map(path.c_str(), VerifyMode::kLazy)));
        EXPECT_EQ(file.view().key_kind(), kind);
        ASSERT_TRUE(IsOk(file.Load(path.c_str())));
        EXPECT_EQ(file.view().key_kind(), kind);
        EXPECT_EQ(FactsOf(file.view()).key_kind, kind);
        EXPECT_EQ(ImageOfBody(FactsOf(file.view()), file.data()), image);
      }
    }
  }
}

TEST(KeyKind, IsRefusedIfItIsNone) {
  BlockedFilter filter;
  const Status status = filter.Create(10, Told(static_cast<KeyKind>(4)));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "key_kind is 4: choose unknown, text, integer or mixed");
}

// Kinds are noted one after the other; what is known of them at last.
TEST(KeyKind, IsAddedUp) {
  using Kinds = std::vector<KeyKind>;
  const auto after = [](KeyKind told, const Kinds& noted) {
    BlockedFilter filter;
    EXPECT_TRUE(IsOk(filter.Create(10, Told(told))));
    for (const KeyKind kind : noted) filter.NoteKeyKind(kind);
    EXPECT_EQ(KindIn(ImageOf(filter)), filter.key_kind());
    return filter.key_kind();
  };
  constexpr KeyKind kUnknown = KeyKind::kUnknown, kText = KeyKind::kText, kInteger = KeyKind::kInteger,
                    kMixed = KeyKind::kMixed, kNone = static_cast<KeyKind>(77);
  EXPECT_EQ(after(kUnknown, {kText}), kText);
  EXPECT_EQ(after(kUnknown, {kText, kText}), kText);
  EXPECT_EQ(after(kUnknown, {kText, kInteger}), kMixed);
  EXPECT_EQ(after(kInteger, {kText}), kMixed);
  EXPECT_EQ(after(kInteger, {kMixed}), kMixed);
  EXPECT_EQ(after(kMixed, {kText}), kMixed);
  EXPECT_EQ(after(kText, {kUnknown}), kUnknown);
  EXPECT_EQ(after(kUnknown, {kUnknown, kText}), kUnknown) << "keys of an unknown kind stay";
  EXPECT_EQ(after(kMixed, {kNone}), kUnknown);
}

TEST(KeyKind, GoesWithTheKeys) {
  BlockedFilter filter;
  filter.NoteKeyKind(KeyKind::kText);
  EXPECT_EQ(filter.key_kind(), KeyKind::kUnknown) << "it was not created";
  ASSERT_TRUE(IsOk(filter.Create(1000, Told(KeyKind::kText))));
  BlockedFilter moved = static_cast<BlockedFilter&&>(filter);
  EXPECT_EQ(moved.key_kind(), KeyKind::kText);
  EXPECT_EQ(filter.key_kind(), KeyKind::kUnknown);
  moved.NoteKeyKind(KeyKind::kUnknown);
  moved.Clear();
  EXPECT_EQ(moved.key_kind(), KeyKind::kUnknown);
  moved.NoteKeyKind(KeyKind::kInteger);
  EXPECT_EQ(moved.key_kind(), KeyKind::kInteger) << "the keys of another kind are gone";
  ScalableFilter growing;
  ASSERT_TRUE(IsOk(growing.Create(10, Told(KeyKind::kText))));
  growing.Clear();
  growing.NoteKeyKind(KeyKind::kInteger);
  EXPECT_EQ(growing.key_kind(), KeyKind::kInteger);
  ConcurrentFilter shared;
  ASSERT_TRUE(IsOk(shared.Create(10, Told(KeyKind::kText))));
  shared.NoteKeyKind(KeyKind::kInteger);
  EXPECT_EQ(shared.Seal().key_kind(), KeyKind::kMixed);
  EXPECT_EQ(shared.key_kind(), KeyKind::kUnknown);
}

// An image that does not tell them makes a filter whose keys are of unknown kinds; without keys there are none.
TEST(KeyKind, OfAnImageThatDoesNotTellItStaysUnknown) {
  const auto expect_after = [](auto* from, auto* to, KeyKind empty_then_text) {
    for (const bool has_keys : {false, true}) {
      if (has_keys) from->InsertKey("alice");
      const std::string image = ImageOf(*from);
      ASSERT_TRUE(IsOk(to->CreateFromImage(image.data(), image.size())));
      to->NoteKeyKind(KeyKind::kText);
      EXPECT_EQ(to->key_kind(), has_keys ? KeyKind::kUnknown : empty_then_text);
    }
  };
  BlockedFilter blocked, blocked_again;
  ASSERT_TRUE(IsOk(blocked.Create(1000, Told(KeyKind::kUnknown))));
  expect_after(&blocked, &blocked_again, KeyKind::kText);
  ScalableFilter growing, growing_again;
  ASSERT_TRUE(IsOk(growing.Create(10, Told(KeyKind::kUnknown))));
  expect_after(&growing, &growing_again, KeyKind::kText);
  RotatingFilter rotating, rotating_again;
  ASSERT_TRUE(IsOk(rotating.Create(10, 2, Told(KeyKind::kUnknown))));
  expect_after(&rotating, &rotating_again, KeyKind::kText);
}

// Keys of an unknown kind came after those of a told one: whoever copies the filter writes the same bytes.
TEST(KeyKind, ThatBecameUnknownIsCopied) {
  ConcurrentFilter shared;
  ASSERT_TRUE(IsOk(shared.Create(1000, Told(KeyKind::kUnknown))));
  for (const KeyKind kind : {KeyKind::kText, KeyKind::kUnknown}) shared.NoteKeyKind(kind);
  shared.InsertKey("alice");
  const std::string image = ImageOf(shared);
  EXPECT_EQ(KindIn(image), KeyKind::kUnknown);
  BlockedFilter opened, cloned;
  const Filter sealed = shared.Seal();
  ASSERT_TRUE(IsOk(opened.CreateFromImage(image.data(), image.size())));
  ASSERT_TRUE(IsOk(cloned.CloneFrom(opened)));
  EXPECT_EQ(ImageOf(sealed), image);
  EXPECT_EQ(ImageOf(opened), image);
  EXPECT_EQ(ImageOf(cloned), image);
  opened.NoteKeyKind(KeyKind::kText);
  EXPECT_EQ(opened.key_kind(), KeyKind::kUnknown);
}

// One side of a union: what was told of it, and whether it has a key.
struct Side {
  KeyKind kind;
  bool has_key;
};

TEST(KeyKind, OfAUnionIsThatOfBothSides) {
  constexpr KeyKind kUnknown = KeyKind::kUnknown, kText = KeyKind::kText, kInteger = KeyKind::kInteger,
                    kMixed = KeyKind::kMixed;
  const struct {
    Side one, other;
    KeyKind united;
  } kUnions[] = {
      {{kText, true}, {kText, true}, kText},       {{kText, true}, {kInteger, true}, kMixed},
      {{kInteger, true}, {kMixed, true}, kMixed},  {{kUnknown, true}, {kUnknown, true}, kUnknown},
      {{kUnknown, true}, {kText, true}, kUnknown}, {{kUnknown, true}, {kMixed, false}, kUnknown},
      {{kUnknown, false}, {kText, true}, kText},   {{kUnknown, false}, {kInteger, false}, kInteger},
      {{kText, false}, {kInteger, false}, kMixed}, {{kUnknown, false}, {kUnknown, false}, kUnknown},
  };
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
    for (const auto& test : kUnions) {
      for (const bool turned : {false, true}) {
        const Side& one = turned ? test.other : test.one;
        const Side& other = turned ? test.one : test.other;
        Filter to, from;
        ASSERT_TRUE(IsOk(to.Create(100, WithLayout(layout, Told(one.kind)))));
        ASSERT_TRUE(IsOk(from.Create(100, WithLayout(layout, Told(other.kind)))));
        if (one.has_key) to.InsertKey("alice");
        if (other.has_key) from.InsertKey("bob");
        const std::string first = ImageOf(to), second = ImageOf(from);
        const FilterView views[] = {{first.data(), first.size(), VerifyMode::kWhole},
                                    {second.data(), second.size(), VerifyMode::kWhole}};
        const FilterView* const both[] = {&views[0], &views[1]};
        Collector united;
        ASSERT_TRUE(IsOk(UniteImages(both, 2, united.sink())));
        EXPECT_EQ(KindIn(united.bytes), test.united);
        ASSERT_TRUE(IsOk(to.Union(from)));
        EXPECT_EQ(to.key_kind(), test.united);
        EXPECT_EQ(ImageOf(to), united.bytes);
        Filter again;
        ASSERT_TRUE(IsOk(again.CreateFromImage(first.data(), first.size())));
        ASSERT_TRUE(IsOk(again.Union(views[1])));
        EXPECT_EQ(again.key_kind(), test.united);
      }
    }
  }
}

TEST(KeyKind, OfAnEmptySetIsAddedToAUnion) {
  FilterOptions options = Told(KeyKind::kText);
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, options)));
  options = FilterOptions::SameSizeAs(filter);
  options.key_kind = KeyKind::kInteger;
  options.num_keys = 0;
  const std::string empty = Build(options, {});
  const FilterView view(empty.data(), empty.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.empty_set());
  ASSERT_TRUE(IsOk(filter.Union(view)));
  EXPECT_EQ(filter.key_kind(), KeyKind::kMixed);
}

TEST(KeyKind, IsKeptByFolding) {
  FilterOptions options = Told(KeyKind::kInteger);
  options.foldable = true;
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(10000, options)));
  filter.InsertKey(1);
  const std::string image = ImageOf(filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  Collector folded;
  ASSERT_TRUE(IsOk(FoldImage(view, 2, folded.sink())));
  EXPECT_EQ(KindIn(folded.bytes), KeyKind::kInteger);
  ASSERT_TRUE(IsOk(filter.Fold(2)));
  EXPECT_EQ(ImageOf(filter), folded.bytes);
}

// What a later version, or somebody else, writes into the field is skipped; twice it is damage.
TEST(KeyKind, OfForeignImages) {
  reference::Filter parts;
  parts.body.assign(64, 0);
  parts.has_extensions = true;
  const auto open = [&parts](const std::vector<reference::Extension>& extensions) {
    parts.extensions = extensions;
    const reference::Bytes image = reference::WriteImage(parts);
    return Status(FilterView(image.data(), image.size(), VerifyMode::kWhole).status());
  };
  const auto kind_of = [&parts](const reference::Bytes& content) {
    parts.extensions = {{9, {1, 2}}, {reference::kKeyKind, content}};
    const reference::Bytes image = reference::WriteImage(parts);
    return KindIn(std::string(image.begin(), image.end()));
  };
  EXPECT_EQ(kind_of({2}), KeyKind::kInteger);
  for (const reference::Bytes& content : {reference::Bytes{}, {0}, {4}, {255}, {1, 0}, {1, 1}, reference::Bytes(300)}) {
    EXPECT_EQ(kind_of(content), KeyKind::kUnknown) << content.size();
  }
  EXPECT_TRUE(IsOk(open({{reference::kKeyKind, {1}}})));
  EXPECT_EQ(open({{reference::kKeyKind, {1}}, {reference::kKeyKind, {1}}}).code(), StatusCode::kCorrupt);
  EXPECT_EQ(open({{reference::kKeyKind, {}}, {reference::kKeyKind, {}}}).code(), StatusCode::kCorrupt);
}

// A snapshot is whole, whatever other threads note meanwhile.
TEST(KeyKind, IsNotedWhileImagesAreWritten) {
  for (int round = 0; round < 50; ++round) {
    ConcurrentFilter filter;
    RotatingFilter rotating;
    ASSERT_TRUE(IsOk(filter.Create(100, Told(KeyKind::kUnknown))));
    ASSERT_TRUE(IsOk(rotating.Create(100, 2, Told(KeyKind::kUnknown))));
    std::thread noting([&] {
      for (const KeyKind kind : {KeyKind::kText, KeyKind::kInteger, KeyKind::kUnknown}) {
        filter.NoteKeyKind(kind);
        rotating.NoteKeyKind(kind);
      }
    });
    for (int i = 0; i < 20; ++i) {
      for (const KeyFilter* const written : {static_cast<KeyFilter*>(&filter), static_cast<KeyFilter*>(&rotating)}) {
        std::string image;
        ASSERT_TRUE(IsOk(written->AppendImage(&image)));
        ASSERT_TRUE(IsOk(FilterView(image.data(), image.size(), VerifyMode::kWhole).status()));
      }
    }
    noting.join();
    EXPECT_EQ(KindIn(ImageOf(filter)), KeyKind::kUnknown);
  }
}

}  // namespace
}  // namespace linefilter::test
