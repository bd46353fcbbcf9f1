// What the parts of key_forms_test share.
#ifndef LINEFILTER_TESTS_IMAGE_KEY_FORMS_TEST_H_
#define LINEFILTER_TESTS_IMAGE_KEY_FORMS_TEST_H_

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/status.h"

namespace linefilter::test {

inline constexpr uint64_t kNone = 0, kText = 1, kInteger = 2, kReal = 3, kPadded = 5, kNullIsKey = 0x80,
                          kTextOrNull = kText | kNullIsKey, kRealAndText = kReal | kText << 8,
                          kEight = 0x8246060504030201;  // the forms of eight columns

inline FilterOptions Plain(KeyKind kind = KeyKind::kUnknown) {
  FilterOptions options;
  options.fpr = 0.01;
  options.key_kind = kind;
  return options;
}

// The forms that an image tells.
inline uint64_t FormsIn(const std::string& image) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_TRUE(IsOk(Status(view.status())));
  return view.key_forms();
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_IMAGE_KEY_FORMS_TEST_H_
