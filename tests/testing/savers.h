// Every way in which the library writes a file, as one.
#ifndef LINEFILTER_TESTS_TESTING_SAVERS_H_
#define LINEFILTER_TESTS_TESTING_SAVERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {

struct Saver {
  std::string name;
  std::function<Status(const char* path)> save;
  std::vector<uint64_t> hashes;  // that are in the filter
  std::string image;             // what the file is to be
};

inline void ExpectWhole(const std::string& path, const Saver& saver) {
  FilterFile file;
  EXPECT_TRUE(IsOk(file.Load(path.c_str())));
  EXPECT_EQ(file.view().CountMaybes(saver.hashes.data(), saver.hashes.size()), saver.hashes.size());
}

// A source of hashes in memory.
struct HashesInMemory {
  const std::vector<uint64_t>* hashes;
  size_t next = 0;

  HashSource source() {
    return HashSource{[](void* context, uint64_t* to, size_t capacity) noexcept {
                        auto* self = static_cast<HashesInMemory*>(context);
                        const size_t n = std::min(capacity, self->hashes->size() - self->next);
                        std::copy_n(self->hashes->begin() + static_cast<ptrdiff_t>(self->next), n, to);
                        self->next += n;
                        return n;
                      },
                      [](void* context) noexcept {
                        static_cast<HashesInMemory*>(context)->next = 0;
                        return true;
                      },
                      this};
  }
};

template <class Filter>
Saver SaverOfFull(const char* name, const std::shared_ptr<Filter>& filter, const std::vector<uint64_t>& hashes) {
  return {name, [filter](const char* path) { return filter->Save(path); }, hashes, ImageOf(*filter)};
}

template <class Filter>
Saver SaverOfFilter(const char* name, size_t num_keys, uint64_t seed) {
  const std::vector<uint64_t> hashes = RandomHashes(num_keys, seed);
  auto filter = std::make_shared<Filter>();
  EXPECT_TRUE(filter->Create(num_keys, BitsPerKey(10)).ok());
  filter->InsertHashes(hashes.data(), num_keys);
  return SaverOfFull(name, filter, hashes);
}

// Of several stages.
inline Saver SaverOfScalable(size_t num_keys, uint64_t seed) {
  const std::vector<uint64_t> hashes = RandomHashes(num_keys, seed);
  auto filter = std::make_shared<ScalableFilter>();
  EXPECT_TRUE(filter->Create(num_keys / 4, Fpr(0.01)).ok());
  filter->InsertHashes(hashes.data(), num_keys);
  return SaverOfFull("ScalableFilter::Save", filter, hashes);
}

// Of three generations, each with a third of the keys.
inline Saver SaverOfRotating(size_t num_keys, uint64_t seed) {
  const std::vector<uint64_t> hashes = RandomHashes(num_keys, seed);
  auto filter = std::make_shared<RotatingFilter>();
  EXPECT_TRUE(filter->Create(num_keys, 3, BitsPerKey(10)).ok());
  for (size_t begin = 0, end = 0; begin < num_keys; begin = end) {
    end = std::min(begin + (num_keys + 2) / 3, num_keys);
    if (begin != 0) filter->Rotate();
    filter->InsertHashes(hashes.data() + begin, end - begin);
  }
  return SaverOfFull("RotatingFilter::Save", filter, hashes);
}

// Filters of num_keys keys; other seeds give other keys.
inline std::vector<Saver> EverySaver(size_t num_keys, uint64_t seed) {
  std::vector<Saver> savers = {SaverOfFilter<BlockedFilter>("BlockedFilter::Save", num_keys, seed),
                               SaverOfFilter<ClassicFilter>("ClassicFilter::Save", num_keys, seed),
                               SaverOfFilter<ConcurrentFilter>("ConcurrentFilter::Save", num_keys, seed)};
  savers.push_back(SaverOfScalable(num_keys, seed));
  savers.push_back(SaverOfRotating(num_keys, seed));
  FilterOptions options = BitsPerKey(10, Layout::kRetrieval);
  const std::vector<uint64_t> hashes = RandomHashes(num_keys, seed);
  const std::string image = Build(options, hashes);
  savers.push_back({"FilterBuilder::FinishToFile",
                    [options, hashes](const char* path) {
                      FilterBuilder builder(options);
                      builder.AddHashes(hashes.data(), hashes.size());
                      return builder.FinishToFile(path);
                    },
                    hashes, image});
  savers.push_back({"BuildFromSourceToFile",
                    [options, hashes](const char* path) {
                      HashesInMemory memory{&hashes};
                      return BuildFromSourceToFile(options, memory.source(), path);
                    },
                    hashes, image});
  return savers;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_SAVERS_H_
