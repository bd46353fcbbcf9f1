// What people take today: LevelDB's filter and libbloom where this build found them, and the hash set of C++.
#include <cmath>
#include <unordered_set>

#include "tools/demo/contender.h"
#ifdef LINEFILTER_DEMO_LEVELDB
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#endif
#ifdef LINEFILTER_DEMO_LIBBLOOM
#include <bloom.h>
#endif

namespace linefilter::demo {
namespace {

#ifdef LINEFILTER_DEMO_LEVELDB
class LevelDbContender : public Contender {
 public:
  explicit LevelDbContender(double bits_per_key)
      : bits_per_key_(bits_per_key), policy_(leveldb::NewBloomFilterPolicy(static_cast<int>(bits_per_key))) {}
  std::string name() const override { return "LevelDB's Bloom"; }
  double wanted_bits_per_key() const override { return bits_per_key_; }
  std::string Build(const Words& words) override {
    std::vector<leveldb::Slice> keys;
    keys.reserve(words.size());
    for (const std::string_view word : words) keys.emplace_back(word.data(), word.size());
    filter_.clear();
    policy_->CreateFilter(keys.data(), static_cast<int>(keys.size()), &filter_);
    return "";
  }
  uint64_t bytes() const override { return filter_.size(); }
  uint64_t CountMaybes(const Words& words) const override {
    uint64_t maybes = 0;
    for (const std::string_view word : words) maybes += LevelDbContender::MayContain(word);
    return maybes;
  }
  bool MayContain(std::string_view word) const override {
    return policy_->KeyMayMatch(leveldb::Slice(word.data(), word.size()), filter_);
  }

 private:
  const double bits_per_key_;
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::string filter_;
};
#endif

#ifdef LINEFILTER_DEMO_LIBBLOOM
class LibbloomContender : public Contender {
 public:
  explicit LibbloomContender(double bits_per_key) : bits_per_key_(bits_per_key) {}
  ~LibbloomContender() override { bloom_free(&bloom_); }
  LibbloomContender(const LibbloomContender&) = delete;
  LibbloomContender& operator=(const LibbloomContender&) = delete;

  std::string name() const override { return "libbloom"; }
  double wanted_bits_per_key() const override { return bits_per_key_; }
  std::string Build(const Words& words) override {
    bloom_free(&bloom_);
    const double error = std::exp(-bits_per_key_ * M_LN2 * M_LN2);  // what it makes so many bits per key of
    constexpr size_t kLeastEntries = 1000;                          // it refuses fewer
    if (bloom_init(&bloom_, static_cast<int>(std::max(words.size(), kLeastEntries)), error) != 0)
      return "bloom_init failed";
    for (const std::string_view word : words) bloom_add(&bloom_, word.data(), static_cast<int>(word.size()));
    return "";
  }
  uint64_t bytes() const override { return static_cast<uint64_t>(bloom_.bytes); }
  uint64_t CountMaybes(const Words& words) const override {
    uint64_t maybes = 0;
    for (const std::string_view word : words) maybes += LibbloomContender::MayContain(word);
    return maybes;
  }
  bool MayContain(std::string_view word) const override {
    return bloom_check(&bloom_, word.data(), static_cast<int>(word.size())) != 0;
  }

 private:
  const double bits_per_key_;
  mutable struct bloom bloom_ {};  // bloom_check takes it without const and only reads
};
#endif

// Counts the bytes that the set asks for.
uint64_t set_bytes = 0;
template <class T>
struct CountingAllocator {
  using value_type = T;
  CountingAllocator() = default;
  template <class U>
  CountingAllocator(const CountingAllocator<U>&) {}  // NOLINT: as the standard wants it
  T* allocate(size_t n) {
    set_bytes += n * sizeof(T);
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* at, size_t n) {
    set_bytes -= n * sizeof(T);
    std::allocator<T>().deallocate(at, n);
  }
  template <class U>
  bool operator==(const CountingAllocator<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const CountingAllocator<U>&) const {
    return false;
  }
};

class HashSetContender : public Contender {
 public:
  std::string name() const override { return "std::unordered_set"; }
  double wanted_bits_per_key() const override { return 0; }
  std::string Build(const Words& words) override {
    words_ = {};
    text_bytes_ = 0;
    words_.reserve(words.size());
    for (const std::string_view word : words) {
      words_.insert(word);
      text_bytes_ += word.size();
    }
    return "";
  }
  uint64_t bytes() const override { return set_bytes + text_bytes_; }
  double expected_fpr() const override { return 0; }
  uint64_t CountMaybes(const Words& words) const override {
    uint64_t found = 0;
    for (const std::string_view word : words) found += words_.count(word);
    return found;
  }
  bool MayContain(std::string_view word) const override { return words_.count(word) != 0; }

 private:
  std::unordered_set<std::string_view, std::hash<std::string_view>, std::equal_to<>,
                     CountingAllocator<std::string_view>>
      words_;
  uint64_t text_bytes_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Contender>> OfOthers(double bits_per_key) {
  std::vector<std::unique_ptr<Contender>> others;
#ifdef LINEFILTER_DEMO_LEVELDB
  others.push_back(std::make_unique<LevelDbContender>(bits_per_key));
#endif
#ifdef LINEFILTER_DEMO_LIBBLOOM
  others.push_back(std::make_unique<LibbloomContender>(bits_per_key));
#endif
  (void)bits_per_key;  // of a build that found none
  others.push_back(std::make_unique<HashSetContender>());
  return others;
}

}  // namespace linefilter::demo
