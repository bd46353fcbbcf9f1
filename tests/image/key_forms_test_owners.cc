// Each way out of a filter writes the forms of its columns, each way in reads them, and they go where its keys go.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/fold.h"
#include "linefilter/remote_body.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/image/key_forms_test.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/status.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

// Creates `filter` and looks at its image, with and without keys, and at what is made of it again.
template <class Filter, class Create>
void ExpectKept(const Create& create) {
  for (const uint64_t forms : {kText, kInteger, kTextOrNull, kReal, kRealAndText, kEight}) {
    Filter filter, again, clone;
    ASSERT_TRUE(IsOk(create(&filter)));
    const uint64_t bare_bytes = filter.ImageBytes();
    filter.NoteKeyForms(forms);
    EXPECT_GT(filter.ImageBytes(), bare_bytes);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(filter.key_forms(), forms);
      const std::string image = ImageOf(filter);
      EXPECT_EQ(FormsIn(image), forms);
      EXPECT_EQ(image.size(), filter.ImageBytes());
      ASSERT_TRUE(IsOk(again.CreateFromImage(image.data(), image.size())));
      EXPECT_EQ(again.key_forms(), forms);
      EXPECT_EQ(again.key_kind(), filter.key_kind());
      EXPECT_EQ(ImageOf(again), image);
      ASSERT_TRUE(IsOk(clone.CloneFrom(filter)));
      EXPECT_EQ(clone.key_forms(), forms);
      EXPECT_EQ(ImageOf(clone), image);
      filter.InsertKey("alice");
    }
  }
}

TEST(KeyForms, AreKeptByEachFilter) {
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
    for (const uint64_t num_keys : {uint64_t{10}, uint64_t{10000}}) {
      ExpectKept<Filter>([&](Filter* filter) { return filter->Create(num_keys, WithLayout(layout, Plain())); });
    }
  }
  ExpectKept<ConcurrentFilter>([](ConcurrentFilter* filter) { return filter->Create(10000, Plain()); });
  ExpectKept<ScalableFilter>([](ScalableFilter* filter) { return filter->Create(100, Plain()); });
  ExpectKept<RotatingFilter>([](RotatingFilter* filter) { return filter->Create(100, 3, Plain()); });
}

TEST(KeyForms, AreKeptByBuildersAndBodiesElsewhere) {
  const TempDir folder;
  const std::string path = folder.File("built");
  for (const uint64_t forms : {kNone, kText, kTextOrNull, kReal, kRealAndText, kEight}) {
    for (const Layout layout : EveryLayout()) {
      for (const size_t num_keys : {0u, 10u, 20000u}) {
        FilterOptions options = Plain();
        options.layout = layout;
        FilterBuilder builder(options);
        std::vector<uint64_t> hashes;
        for (uint64_t key = 0; key < num_keys; ++key) hashes.push_back(HashKey(key));
        builder.AddHashes(hashes.data(), hashes.size());
        if (forms != kNone) builder.NoteKeyForms(forms);
        const uint64_t image_bytes = builder.ImageBytes();
        const std::string image = Finish(&builder);
        EXPECT_EQ(image.size(), image_bytes);
        EXPECT_EQ(FormsIn(image), forms);
        builder.AddHashes(hashes.data(), hashes.size());
        if (forms != kNone) builder.NoteKeyForms(forms);
        ASSERT_TRUE(IsOk(builder.FinishToFile(path.c_str())));
        EXPECT_EQ(ReadFile(path), image);
        FilterFile file;
        ASSERT_TRUE(IsOk(file.Map(path.c_str(), VerifyMode::kLazy)));
        EXPECT_EQ(file.view().key_forms(), forms);
        EXPECT_EQ(FactsOf(file.view()).key_forms, forms);
        EXPECT_EQ(ImageOfBody(FactsOf(file.view()), file.data()), image);
      }
    }
  }
}

TEST(KeyForms, ThatAreUnknownStayUnknownInABodyElsewhere) {
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(1000, Plain())));
  for (const uint64_t forms : {kText, kInteger}) filter.NoteKeyForms(forms);
  const std::string image = ImageOf(filter);
  const BodyFacts facts = FactsOf(FilterView(image.data(), image.size(), VerifyMode::kWhole));
  EXPECT_EQ(facts.key_forms, kUnknownKeyForms);
  EXPECT_EQ(FormsIn(ImageOfBody(facts, filter.body())), kUnknownKeyForms);
}

TEST(KeyForms, OfABuilderAreForgottenWithItsKeys) {
  FilterBuilder builder(Plain());
  const auto build = [&builder] {
    builder.AddKey("alice");
    return Finish(&builder);
  };
  const std::string untold = build();
  builder.NoteKeyForms(kReal);
  builder.NoteKeyForms(kText);
  EXPECT_EQ(FormsIn(build()), kUnknownKeyForms);
  EXPECT_EQ(build(), untold);
  builder.NoteKeyForms(kReal);
  builder.Reset();
  EXPECT_EQ(build(), untold);
  FilterBuilder of_text(Plain(KeyKind::kText));
  of_text.AddKey("alice");
  of_text.NoteKeyForms(kReal);
  EXPECT_EQ(FormsIn(Finish(&of_text)), kUnknownKeyForms) << "the options told another form";
}

TEST(KeyForms, GoWithTheKeys) {
  BlockedFilter filter;
  filter.NoteKeyForms(kReal);
  EXPECT_EQ(filter.key_forms(), kNone) << "it was not created";
  ASSERT_TRUE(IsOk(filter.Create(1000, Plain())));
  filter.NoteKeyForms(kReal);
  BlockedFilter moved = static_cast<BlockedFilter&&>(filter);
  EXPECT_EQ(moved.key_forms(), kReal);
  EXPECT_EQ(filter.key_forms(), kNone);
  moved.NoteKeyForms(kPadded);
  moved.Clear();
  EXPECT_EQ(moved.key_forms(), kNone);
  moved.NoteKeyForms(kPadded);
  EXPECT_EQ(moved.key_forms(), kPadded) << "the keys of another form are gone";
  ScalableFilter growing;
  ASSERT_TRUE(IsOk(growing.Create(10, Plain())));
  growing.NoteKeyForms(kReal);
  growing.Clear();
  growing.NoteKeyForms(kPadded);
  EXPECT_EQ(growing.key_forms(), kPadded);
  ConcurrentFilter shared;
  ASSERT_TRUE(IsOk(shared.Create(10, Plain())));
  shared.NoteKeyForms(kReal);
  EXPECT_EQ(shared.Seal().key_forms(), kReal);
  EXPECT_EQ(shared.key_forms(), kNone);
}

TEST(KeyForms, OfKeysThatNobodyToldStayUnknown) {
  BlockedFilter filter, again;
  ASSERT_TRUE(IsOk(filter.Create(1000, Plain())));
  for (const bool has_keys : {false, true}) {
    if (has_keys) filter.InsertKey("alice");
    const std::string image = ImageOf(filter);
    ASSERT_TRUE(IsOk(again.CreateFromImage(image.data(), image.size())));
    again.NoteKeyForms(kReal);
    EXPECT_EQ(again.key_forms(), has_keys ? kUnknownKeyForms : kReal);
  }
  filter.NoteKeyForms(kReal);
  filter.NoteKeyKind(KeyKind::kUnknown);
  EXPECT_EQ(filter.key_forms(), kUnknownKeyForms);
}

// One side of a union: what was told of it, and whether it has a key.
struct Side {
  uint64_t forms;
  bool has_key;
};

TEST(KeyForms, OfAUnionAreThoseOfBothSides) {
  const struct {
    Side one, other;
    uint64_t united;
  } kUnions[] = {
      {{kReal, true}, {kReal, true}, kReal},
      {{kRealAndText, true}, {kRealAndText, false}, kRealAndText},
      {{kReal, true}, {kPadded, true}, kUnknownKeyForms},
      {{kText, true}, {kTextOrNull, true}, kTextOrNull},
      {{kText, true}, {kInteger, true}, kUnknownKeyForms},
      {{kNone, true}, {kReal, true}, kUnknownKeyForms},
      {{kNone, false}, {kReal, true}, kReal},
      {{kNone, false}, {kNone, false}, kNone},
  };
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
    for (const auto& test : kUnions) {
      for (const bool turned : {false, true}) {
        const Side& one = turned ? test.other : test.one;
        const Side& other = turned ? test.one : test.other;
        Filter to, from;
        ASSERT_TRUE(IsOk(to.Create(100, WithLayout(layout, Plain()))));
        ASSERT_TRUE(IsOk(from.Create(100, WithLayout(layout, Plain()))));
        if (one.forms != kNone) to.NoteKeyForms(one.forms);
        if (other.forms != kNone) from.NoteKeyForms(other.forms);
        if (one.has_key) to.InsertKey("alice");
        if (other.has_key) from.InsertKey("bob");
        const std::string first = ImageOf(to), second = ImageOf(from);
        const FilterView views[] = {{first.data(), first.size(), VerifyMode::kWhole},
                                    {second.data(), second.size(), VerifyMode::kWhole}};
        const FilterView* const both[] = {&views[0], &views[1]};
        Collector united;
        ASSERT_TRUE(IsOk(UniteImages(both, 2, united.sink())));
        EXPECT_EQ(FormsIn(united.bytes), test.united);
        ASSERT_TRUE(IsOk(to.Union(from)));
        EXPECT_EQ(to.key_forms(), test.united);
        EXPECT_EQ(ImageOf(to), united.bytes);
      }
    }
  }
}

TEST(KeyForms, AreKeptByFolding) {
  FilterOptions options = Plain();
  options.foldable = true;
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(10000, options)));
  filter.NoteKeyForms(kRealAndText);
  filter.InsertKey(1);
  const std::string image = ImageOf(filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  Collector folded;
  ASSERT_TRUE(IsOk(FoldImage(view, 2, folded.sink())));
  EXPECT_EQ(FormsIn(folded.bytes), kRealAndText);
  ASSERT_TRUE(IsOk(filter.Fold(2)));
  EXPECT_EQ(ImageOf(filter), folded.bytes);
}

}  // namespace
}  // namespace linefilter::test
