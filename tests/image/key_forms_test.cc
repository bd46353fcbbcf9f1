// A filter and its image remember the forms of the columns that were added (doc/FORMAT.md section 13), and other forms
// make them unknown. (Every owner keeps them: key_forms_test_owners.cc. The field changes no answer: conformance_test.)
#include "tests/image/key_forms_test.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

// What the field of an image holds, as the reference reads it: its bytes, or none.
reference::Bytes FieldOf(const std::string& image) {
  reference::Filter parts;
  EXPECT_TRUE(reference::ReadImage(reinterpret_cast<const uint8_t*>(image.data()), image.size(), &parts));
  for (const reference::Extension& extension : parts.extensions) {
    if (extension.id == reference::kKeyForms) return extension.content;
  }
  return {};
}

// Notes forms one after the other; `to` sees what is known then, and its image.
uint64_t After(const std::vector<uint64_t>& noted, KeyKind told = KeyKind::kUnknown, std::string* image = nullptr,
               KeyKind* kind = nullptr) {
  BlockedFilter filter;
  EXPECT_TRUE(IsOk(filter.Create(100, Plain(told))));
  for (const uint64_t forms : noted) {
    filter.NoteKeyForms(forms);
    filter.InsertKey(forms);
  }
  const std::string written = ImageOf(filter);
  EXPECT_EQ(written.size(), filter.ImageBytes());
  const bool tells_nothing = FormsIn(written) == kNone && filter.key_forms() == kUnknownKeyForms;
  EXPECT_TRUE(tells_nothing || FormsIn(written) == filter.key_forms()) << "the image says what the filter says";
  if (image != nullptr) *image = written;
  if (kind != nullptr) *kind = filter.key_kind();
  return filter.key_forms();
}

TEST(KeyForms, AreNothingBeforeTheyAreTold) {
  EXPECT_EQ(After({}), kNone);
  EXPECT_EQ(After({}, KeyKind::kText), kText) << "keys of a kind have its form";
  EXPECT_EQ(After({}, KeyKind::kInteger), kInteger);
  EXPECT_EQ(After({}, KeyKind::kMixed), kUnknownKeyForms);
}

TEST(KeyForms, StayIfTheyComeAgain) {
  for (const uint64_t forms : {kText, kInteger, kReal, kPadded, kTextOrNull, kRealAndText, kEight, uint64_t{0x46}}) {
    EXPECT_EQ(After({forms}), forms);
    EXPECT_EQ(After({forms, forms, forms}), forms);
  }
}

TEST(KeyForms, AreUnknownForEverAfterOthers) {
  const std::vector<std::vector<uint64_t>> differ = {{kReal, kRealAndText},
                                                     {kRealAndText, kReal},
                                                     {kText, kInteger},
                                                     {kPadded, kReal, kReal},
                                                     {kReal, kNone},
                                                     {kUnknownKeyForms, kReal},
                                                     {kEight, kText},
                                                     {kReal, 0x7f},
                                                     {kReal, 0x80},
                                                     {kReal | kReal << 16, kReal},
                                                     {0x20},
                                                     {0x47},
                                                     {kNone},
                                                     {kUnknownKeyForms, kUnknownKeyForms}};
  for (const auto& noted : differ) EXPECT_EQ(After(noted), kUnknownKeyForms) << noted[0];
  EXPECT_EQ(After({kReal}, KeyKind::kText), kUnknownKeyForms);
  EXPECT_EQ(After({kText}, KeyKind::kText), kText);
}

// A column of which some parts took nulls as values is one that takes them.
TEST(KeyForms, OfWhichOneTakesNullsAsValuesTakeThem) {
  EXPECT_EQ(After({kText, kTextOrNull}), kTextOrNull);
  EXPECT_EQ(After({kTextOrNull, kText}), kTextOrNull);
  EXPECT_EQ(After({kTextOrNull}, KeyKind::kText), kTextOrNull);
  EXPECT_EQ(After({kRealAndText | 0x80, kRealAndText | 0x8000}), kRealAndText | 0x8080);
}

TEST(KeyForms, TellTheKindOfKeys) {
  const auto kind_after = [](const std::vector<uint64_t>& noted) {
    KeyKind kind;
    After(noted, KeyKind::kUnknown, nullptr, &kind);
    return kind;
  };
  EXPECT_EQ(kind_after({kText}), KeyKind::kText);
  EXPECT_EQ(kind_after({kTextOrNull}), KeyKind::kText);
  EXPECT_EQ(kind_after({kInteger}), KeyKind::kInteger);
  EXPECT_EQ(kind_after({kInteger | kNullIsKey}), KeyKind::kInteger);
  EXPECT_EQ(kind_after({kInteger, kText}), KeyKind::kMixed);
  for (const uint64_t others : {kReal, kPadded, kRealAndText, kEight, kInteger | kInteger << 8, kNone}) {
    EXPECT_EQ(kind_after({others}), KeyKind::kUnknown) << others;
    EXPECT_EQ(kind_after({kText, others}), KeyKind::kUnknown) << others;
  }
}

TEST(KeyForms, AreWrittenIfTheKindDoesNotTellThem) {
  using Bytes = reference::Bytes;
  const auto field_after = [](const std::vector<uint64_t>& noted) {
    std::string image;
    After(noted, KeyKind::kUnknown, &image);
    return FieldOf(image);
  };
  EXPECT_EQ(field_after({kText}), Bytes());
  EXPECT_EQ(field_after({kInteger}), Bytes());
  EXPECT_EQ(field_after({kTextOrNull}), Bytes({0x81}));
  EXPECT_EQ(field_after({kReal}), Bytes({3}));
  EXPECT_EQ(field_after({kInteger | kInteger << 8}), Bytes({2, 2}));
  EXPECT_EQ(field_after({kEight}), Bytes({1, 2, 3, 4, 5, 6, 0x46, 0x82}));
  EXPECT_EQ(field_after({kNone}), Bytes());
  EXPECT_EQ(field_after({kText, kInteger}), Bytes()) << "the kind tells that they differ";
}

// So an image that is being written never becomes shorter.
TEST(KeyForms, ThatBecameUnknownKeepTheirFieldAsZeros) {
  using Bytes = reference::Bytes;
  std::string known, unknown, turned;
  After({kRealAndText}, KeyKind::kUnknown, &known);
  EXPECT_EQ(After({kRealAndText, kText}, KeyKind::kUnknown, &unknown), kUnknownKeyForms);
  EXPECT_EQ(After({kText, kRealAndText}, KeyKind::kUnknown, &turned), kUnknownKeyForms);
  EXPECT_EQ(FieldOf(unknown), Bytes({0, 0}));
  EXPECT_EQ(FieldOf(turned), Bytes({0, 0})) << "the order does not matter";
  EXPECT_GE(unknown.size(), known.size());
  std::string text;
  After({kText, kPadded}, KeyKind::kUnknown, &text);
  EXPECT_EQ(FieldOf(text), Bytes({0}));
  BlockedFilter again;
  ASSERT_TRUE(IsOk(again.CreateFromImage(unknown.data(), unknown.size())));
  EXPECT_EQ(ImageOf(again), unknown);
}

// What a later version, or somebody else, writes into the field is skipped; so are several fields.
TEST(KeyForms, OfForeignImages) {
  const auto forms_of = [](const std::vector<reference::Bytes>& fields, uint8_t kind) {
    reference::Filter parts;
    parts.body.assign(64, 0);
    parts.has_extensions = true;
    if (kind != 0) parts.extensions.push_back({reference::kKeyKind, {kind}});
    for (const reference::Bytes& content : fields) parts.extensions.push_back({reference::kKeyForms, content});
    const reference::Bytes image = reference::WriteImage(parts);
    BlockedFilter filter;
    EXPECT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size())));
    EXPECT_EQ(FormsIn(std::string(image.begin(), image.end())), filter.key_forms());
    EXPECT_EQ(FormsIn(ImageOf(filter)), filter.key_forms()) << "a copy says the same";
    return filter.key_forms();
  };
  EXPECT_EQ(forms_of({{5}}, 0), kPadded);
  EXPECT_EQ(forms_of({{0x81}}, 1), kTextOrNull);
  EXPECT_EQ(forms_of({}, 1), kText);
  EXPECT_EQ(forms_of({}, 2), kInteger);
  EXPECT_EQ(forms_of({}, 3), kUnknownKeyForms);
  for (const uint8_t kind : {0, 1, 2, 3}) {
    for (const reference::Bytes& content : {reference::Bytes{},
                                            {0},
                                            {7},
                                            {0x20},
                                            {0x47},
                                            {0x80},
                                            {0xff},
                                            {5, 0},
                                            {0, 5},
                                            reference::Bytes(9, 5),
                                            reference::Bytes(8, 0xff),
                                            reference::Bytes(300, 1)}) {
      EXPECT_EQ(forms_of({content}, kind), kUnknownKeyForms) << content.size();
    }
    EXPECT_EQ(forms_of({{5}, {5}}, kind), kUnknownKeyForms);
    EXPECT_EQ(forms_of({{5}, {}, {5}}, kind), kUnknownKeyForms);
    EXPECT_EQ(forms_of({{}, {5}}, kind), kUnknownKeyForms);
  }
}

// A snapshot is whole, whatever other threads note meanwhile.
TEST(KeyForms, AreNotedWhileImagesAreWritten) {
  for (int round = 0; round < 50; ++round) {
    ConcurrentFilter filter;
    RotatingFilter rotating;
    ASSERT_TRUE(IsOk(filter.Create(100, Plain())));
    ASSERT_TRUE(IsOk(rotating.Create(100, 2, Plain())));
    std::thread noting([&] {
      for (const uint64_t forms : {kReal, kEight, kText}) {
        filter.NoteKeyForms(forms);
        rotating.NoteKeyForms(forms);
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
    EXPECT_EQ(FormsIn(ImageOf(filter)), kUnknownKeyForms);
    EXPECT_EQ(FieldOf(ImageOf(filter)).size(), 8u);
  }
}

}  // namespace
}  // namespace linefilter::test
