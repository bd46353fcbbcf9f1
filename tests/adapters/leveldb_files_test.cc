// linefilter/leveldb.h: what an engine's files and an engine's object code hold of us: the filters' name, and type
// information.

#include "tests/adapters/leveldb_test.h"
#include "tests/testing/adapter.h"

namespace linefilter::test {
namespace {

// The number is that of the bytes of FORMAT.md's layouts: who changes what a layout makes of the same keys raises it.
TEST(LevelDBFiles, NameTheFiltersTheSameWhateverTheOptions) {
  for (const Layout layout : EveryLayout()) {
    for (const double bits_per_key : {1.0, 10.0, 64.0}) {
      EXPECT_STREQ(New(bits_per_key, layout)->Name(), "linefilter.Image.1");
    }
  }
}

// A policy of an earlier state: it wrote images under another name, and what they say is not to be believed now. Here
// they are sound images of no keys, which answer "absent" to all.
class EarlierPolicy : public leveldb::FilterPolicy {
 public:
  explicit EarlierPolicy(const char* name) : name_(name) {}
  const char* Name() const override { return name_; }
  void CreateFilter(const leveldb::Slice*, int, std::string* dst) const override {
    policy_->CreateFilter(nullptr, 0, dst);
  }
  bool KeyMayMatch(const leveldb::Slice&, const leveldb::Slice&) const override { return true; }

 private:
  const char* const name_;
  const Policy policy_ = New(10);
};

TEST(LevelDBFiles, OfAnEarlierStateAreReadWithoutTheirFilters) {
  constexpr uint64_t kKeys = 3000;
  const EarlierPolicy earlier("linefilter.Image"), same_name(New(10)->Name());
  for (const Layout layout : EveryLayout()) {
    const Policy ours = New(BitsPerKeyLikeBlocked(layout, 10), layout);
    LevelDB db;
    db.Open(&earlier);
    db.Fill(0, kKeys, 100);
    db.Open(ours.get());
    EXPECT_EQ(db.CountLost(0, kKeys, 100), 0u);
    EXPECT_GT(db.CountReadsOfAbsent(1000), 950u) << "each reads a block: no filter is asked";
    db.Fill(kKeys, kKeys, 100);
    EXPECT_EQ(db.CountLost(0, 2 * kKeys, 100), 0u);
    EXPECT_LT(db.CountReadsOfAbsent(1000), 50u) << "written anew, with filters of now";
  }
  LevelDB db;
  db.Open(&same_name);
  db.Fill(0, kKeys, 100);
  const Policy ours = New(10);
  db.Open(ours.get());
  EXPECT_GT(db.CountLost(0, kKeys, 100), kKeys / 2) << "under the name of now they are believed: the test can tell";
}

TEST(LevelDBRtti, IsThatOfTheEngine) { ExpectRttiOfTheEngine("leveldb", "N7leveldb12FilterPolicyE"); }

#ifdef __GXX_RTTI
TEST(LevelDBRtti, AnswersForAPolicyOfEachLayout) {
  for (const Layout layout : EveryLayout()) ExpectRttiOf<EarlierPolicy>(New(10, layout).get());
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  const Policy policy = New(10), other = New(20);
  const leveldb::FilterPolicy &of_bloom = *bloom, &of_policy = *policy, &of_other = *other;
  EXPECT_NE(typeid(of_bloom), typeid(of_policy));
  EXPECT_EQ(typeid(of_policy), typeid(of_other));
}
#endif

}  // namespace
}  // namespace linefilter::test
