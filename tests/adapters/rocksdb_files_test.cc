// linefilter/rocksdb.h: what an engine's files and an engine's object code hold of us: the filters' name, filters that
// were verified before they were written, and type information.
#include <initializer_list>
#include <new>

#include "linefilter/builder.h"
#include "tests/adapters/rocksdb_test.h"
#include "tests/testing/adapter.h"

namespace {
bool refuse_memory = false;  // of new (std::nothrow)
}

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (refuse_memory) return nullptr;
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}

namespace linefilter::test {
namespace {

Builder NewBuilder(const rocksdb::FilterPolicy& policy, bool detect) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = detect;
  return test::NewBuilder(policy, table);
}
void Add(const std::vector<std::string>& keys, rocksdb::FilterBitsBuilder* builder) {
  for (const std::string& key : keys) builder->AddKey(key);
}

TEST(RocksDBPostVerify, FindsBytesThatWereChanged) {
  for (const Layout layout : EveryLayout()) {
    const Policy policy = New(10, layout);
    const Builder careful = NewBuilder(*policy, true), careless = NewBuilder(*policy, false);
    for (const size_t n : {size_t{30}, size_t{30000}}) {
      for (const Builder* const builder : {&careful, &careless}) Add(Keys(0, n), builder->get());
      std::string filter = Finish(careful.get());
      EXPECT_EQ(filter, Finish(careless.get()));
      EXPECT_TRUE(careful->MaybePostVerify(filter).ok()) << "asked again";
      filter[filter.size() / 2] ^= 1;
      EXPECT_TRUE(careful->MaybePostVerify(filter).IsCorruption());
      EXPECT_TRUE(careless->MaybePostVerify(filter).ok());
      EXPECT_TRUE(careful->MaybePostVerify(filter.substr(1)).IsCorruption());
    }
  }
}

// A sound filter, all of whose bytes are as they were written, and which lacks keys.
TEST(RocksDBPostVerify, FindsThatKeysAreMissing) {
  for (const Layout layout : EveryLayout()) {
    const Policy policy = New(12, layout);
    const Builder builder = NewBuilder(*policy, true);
    for (const size_t n : {size_t{1}, size_t{30}, size_t{30000}}) {
      const std::vector<std::string> keys = Keys(0, n);
      Add(keys, builder.get());
      const std::string filter = Finish(builder.get());
      EXPECT_TRUE(builder->MaybePostVerify(Filter(*policy, Keys(1 << 20, n))).IsCorruption()) << "all others";
      EXPECT_TRUE(builder->MaybePostVerify(Filter(*policy, {})).IsCorruption()) << "none";
      for (const size_t at : {size_t{0}, n / 2, n - 1}) {
        std::vector<std::string> but_one = keys;
        but_one.erase(but_one.begin() + static_cast<long>(at));
        const std::string lacking = Filter(*policy, but_one);
        const Reader reader(policy->GetFilterBitsReader(lacking));
        if (reader->MayMatch(keys[at])) continue;  // a false positive: nothing is lost
        const rocksdb::Status status = builder->MaybePostVerify(lacking);
        EXPECT_TRUE(status.IsCorruption()) << at;
        EXPECT_NE(status.ToString().find("lacks 1 of its " + std::to_string(n) + " keys"), std::string::npos)
            << status.ToString();
      }
      EXPECT_TRUE(builder->MaybePostVerify(filter).ok()) << "and the right one is right";
    }
  }
}

// Each filter is asked for its own keys, not for those of the one before, also where one has none.
TEST(RocksDBPostVerify, AsksForTheKeysOfThatFilter) {
  const Policy policy = New(10, Layout::kBlocked);
  const Builder builder = NewBuilder(*policy, true);
  std::string before;
  for (const size_t n : std::initializer_list<size_t>{5000, 0, 1, 0, 0, 3000}) {
    Add(Keys(n << 20, n), builder.get());
    const std::string filter = Finish(builder.get());
    EXPECT_EQ(filter, Filter(*policy, Keys(n << 20, n)));
    if (n != 0 && !before.empty()) {
      EXPECT_TRUE(builder->MaybePostVerify(before).IsCorruption());
    }
    before = filter;
  }
}

TEST(RocksDBPostVerify, FindsAnotherHash) {
  const std::vector<std::string> keys = Keys(0, 1000);
  for (const bool is_seeded : {false, true}) {
    FilterOptions options;
    options.bits_per_key = 10;
    if (is_seeded) options.seed = 1;
    if (!is_seeded) {
      options.hash_id = HashId::kKeyed;
      options.secret.bytes[0] = 1;
    }
    FilterBuilder other(options);
    for (const std::string& key : keys) other.AddKey(key);
    std::string image;
    ASSERT_TRUE(other.Finish(&image).ok());
    const Policy policy = New(10, Layout::kBlocked);
    const Builder builder = NewBuilder(*policy, true);
    Add(keys, builder.get());
    Finish(builder.get());
    EXPECT_TRUE(builder->MaybePostVerify(image).IsCorruption());
  }
}

// What cannot be verified is not given out: a filter that answers "maybe" is, and RocksDB goes on.
TEST(RocksDBPostVerify, WritesWhatAnswersMaybeWhereMemoryForTheKeysRunsOut) {
  const Policy policy = New(10);
  const std::vector<std::string> keys = Keys(0, 5000);
  const Builder builder = NewBuilder(*policy, true);
  for (size_t i = 0; i < keys.size(); ++i) {
    refuse_memory = i >= 3000;
    builder->AddKey(keys[i]);
  }
  refuse_memory = false;
  const std::string filter = Finish(builder.get());
  EXPECT_EQ(filter, std::string(1, '\0'));
  const Reader reader(policy->GetFilterBitsReader(filter));
  EXPECT_TRUE(reader->MayMatch(EngineKey(1 << 30)));
  Add({"x"}, builder.get());
  EXPECT_EQ(Finish(builder.get()), Filter(*policy, {"x"})) << "the next one is right again";
}

// A policy of an earlier state: it wrote images under another name, and what they say is not to be believed now. Here
// they are sound images of no keys, which answer "absent" to all.
class EarlierPolicy : public rocksdb::FilterPolicy {
 public:
  EarlierPolicy(const char* name, const char* compatibility_name)
      : name_(name), compatibility_name_(compatibility_name) {}
  const char* Name() const override { return name_; }
  const char* CompatibilityName() const override { return compatibility_name_; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override {
    return new Forgetful(policy_->GetBuilderWithContext(context));
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice&) const override { return nullptr; }

 private:
  class Forgetful : public rocksdb::FilterBitsBuilder {
   public:
    explicit Forgetful(rocksdb::FilterBitsBuilder* builder) : builder_(builder) {}
    void AddKey(const rocksdb::Slice&) override { ++num_keys_; }
    size_t EstimateEntriesAdded() override { return num_keys_; }
    rocksdb::Slice Finish(std::unique_ptr<const char[]>* memory) override { return builder_->Finish(memory); }
    rocksdb::Slice Finish(std::unique_ptr<const char[]>* memory, rocksdb::Status* status) override {
      return builder_->Finish(memory, status);
    }
    rocksdb::Status MaybePostVerify(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
    size_t ApproximateNumEntries(size_t num_bytes) override { return builder_->ApproximateNumEntries(num_bytes); }

   private:
    const Builder builder_;
    size_t num_keys_ = 0;
  };

  const char* const name_;
  const char* const compatibility_name_;
  const Policy policy_ = New(10);
};

// The number is that of the bytes of FORMAT.md's layouts: who changes what a layout makes of the same keys raises it.
// RocksDB looks for filters by CompatibilityName, and keeps Name in the properties of the file and in its options.
TEST(RocksDBFiles, NameTheFiltersTheSameWhateverTheOptions) {
  for (const Layout layout : EveryLayout()) {
    EXPECT_STREQ(New(10, layout)->Name(), "linefilter.Image.1");
    EXPECT_STREQ(New(10, layout)->CompatibilityName(), "linefilter.Image.1");
  }
}

TEST(RocksDBFiles, OfAnEarlierStateAreReadWithoutTheirFilters) {
  constexpr uint64_t kKeys = 3000;
  const Policy ours = New(10, Layout::kRetrieval);
  for (const bool partitioned : {false, true}) {
    uint64_t asked = 0;
    RocksDB db, believed;
    if (partitioned) Partition(&db), Partition(&believed);
    db.Open(std::make_shared<EarlierPolicy>("linefilter.Image", "linefilter.Image"));
    db.Fill(0, kKeys);
    db.Open(ours);
    EXPECT_EQ(db.CountLost(0, kKeys), 0u);
    db.CountPassing(1000, false, &asked);
    EXPECT_EQ(asked, 0u);
    db.Fill(0, kKeys);
    EXPECT_EQ(db.CountLost(0, kKeys), 0u);
    db.CountPassing(1000, false, &asked);
    EXPECT_GT(asked, 990u) << "written anew, with filters of now";

    believed.Open(std::make_shared<EarlierPolicy>("linefilter.Image", ours->CompatibilityName()));
    believed.Fill(0, kKeys);
    believed.Open(ours);
    EXPECT_GE(believed.CountLost(0, kKeys), 2 * kKeys) << "by the name of now they are found: the test can tell";
  }
}

TEST(RocksDBRtti, IsThatOfTheEngine) { ExpectRttiOfTheEngine("rocksdb", "N7rocksdb12FilterPolicyE"); }

#ifdef __GXX_RTTI
TEST(RocksDBRtti, AnswersForAPolicyOfEachLayoutAndWhatItMakes) {
  for (const Layout layout : EveryLayout()) {
    const Policy policy = New(10, layout);
    ExpectRttiOf<EarlierPolicy>(policy.get());
    const Builder builder = NewBuilder(*policy, true);
    ExpectRttiOf<rocksdb::FilterBitsReader>(builder.get());
    const Reader reader(policy->GetFilterBitsReader("no image"));
    ExpectRttiOf<rocksdb::FilterBitsBuilder>(reader.get());
  }
  const Policy bloom(rocksdb::NewBloomFilterPolicy(10));
  const Policy policy = New(10);
  const rocksdb::FilterPolicy &of_bloom = *bloom, &of_policy = *policy;
  EXPECT_NE(typeid(of_bloom), typeid(of_policy));
}
#endif

}  // namespace
}  // namespace linefilter::test
