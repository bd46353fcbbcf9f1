// linefilter/status.h: a code and a sentence, without the heap. And the names of layouts (linefilter/layout.h).
#include "linefilter/status.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "linefilter/sizing.h"
#include "tests/testing/layouts.h"
#include "tests/testing/status.h"

namespace linefilter {
namespace {

TEST(Status, IsOkUnlessAnErrorWasMade) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_STREQ(status.message(), "ok");
}

TEST(Status, KeepsCodeAndFormattedMessage) {
  for (const StatusCode code : {StatusCode::kInvalidArgument, StatusCode::kCorrupt, StatusCode::kUnsupported,
                                StatusCode::kIncompatible, StatusCode::kOutOfMemory, StatusCode::kOverLimit,
                                StatusCode::kIoError, StatusCode::kNotFound, StatusCode::kUnavailable}) {
    const Status status = Status::Error(code, "%s of %d%%", "half", 50);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.code(), code);
    EXPECT_STREQ(status.message(), "half of 50%");
  }
}

TEST(Status, CutsALongMessageToFit) {
  const std::string text(1000, 'x');
  const Status status = Status::Error(StatusCode::kCorrupt, "%s", text.c_str());
  const size_t length = std::strlen(status.message());
  EXPECT_GE(length, 200u);
  EXPECT_LT(length, sizeof(Status));
  EXPECT_EQ(text.compare(0, length, status.message()), 0);
}

TEST(Status, IsAValue) {
  static_assert(std::is_trivially_destructible_v<Status>, "reports out-of-memory: it cannot own memory");
  static_assert(std::is_nothrow_copy_constructible_v<Status> && std::is_nothrow_copy_assignable_v<Status>);
  static_assert(sizeof(Status) == 256, "as the header promises");
  Status status = Status::Error(StatusCode::kIoError, "first");
  const Status copy = status;
  status = Status::Error(StatusCode::kCorrupt, "second");
  EXPECT_STREQ(copy.message(), "first");
  EXPECT_EQ(copy.code(), StatusCode::kIoError);
  EXPECT_STREQ(status.message(), "second");
  Status& self = status;
  status = self;
  EXPECT_STREQ(status.message(), "second");
  status = Status();
  EXPECT_TRUE(status.ok());
  EXPECT_STREQ(status.message(), "ok");
  status = copy;
  EXPECT_STREQ(status.message(), "first") << "an error after success";
}

TEST(Layout, HasANameForEveryId) {
  EXPECT_STREQ(LayoutName(Layout::kAuto), "auto");
  EXPECT_STREQ(LayoutName(Layout::kBlocked), "blocked");
  EXPECT_STREQ(LayoutName(Layout::kClassic), "classic");
  EXPECT_STREQ(LayoutName(Layout::kRetrieval), "retrieval");
  EXPECT_STREQ(LayoutName(Layout::kContainer), "container");
  EXPECT_STREQ(LayoutName(Layout::kSplitBlock), "split_block");
  EXPECT_STREQ(LayoutName(Layout::kQuotient), "quotient");
}

// Id 4 is one that no layout has and the next one does.
TEST(Layout, WithoutANameCanDoNothing) {
  for (const int id : {4, 200, 255}) {
    const Layout layout = static_cast<Layout>(id);
    EXPECT_STREQ(LayoutName(layout), "unknown");
    EXPECT_FALSE(FactsOf(layout).buildable || FactsOf(layout).has_positions) << static_cast<int>(id);
    for (const Layout supported : SupportedLayouts()) EXPECT_NE(supported, layout);
    Sizing sizing;
    EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, SizeForFpr(layout, 1000, 0.01, &sizing), "unknown"));
  }
}

TEST(Layout, ParsesTheNamesOfWhatIsImplemented) {
  std::vector<Layout> layouts = test::EveryLayout();
  layouts.push_back(Layout::kAuto);
  for (const Layout layout : layouts) {
    Layout parsed = Layout::kContainer;
    EXPECT_TRUE(ParseLayout(LayoutName(layout), &parsed));
    EXPECT_EQ(parsed, layout);
  }
  for (const char* name : {"", "unknown", "Blocked", "blocked ", "block", "blockedx", "container"}) {
    Layout parsed = Layout::kClassic;
    EXPECT_FALSE(ParseLayout(name, &parsed)) << name;
    EXPECT_EQ(parsed, Layout::kClassic) << "untouched by " << name;
  }
}

}  // namespace
}  // namespace linefilter
