// Images that are damaged, and what loses members of them.
#ifndef LINEFILTER_TESTS_IMAGE_MAPPED_TEST_H_
#define LINEFILTER_TESTS_IMAGE_MAPPED_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

inline constexpr size_t kChunk = 65536;

// An image of some chunks, and members of it.
struct Subject {
  std::string name, image;
  std::vector<uint64_t> keys, hashes;
};

// One of each layout, and a container of one stage, which has other kernels. They stay.
const std::vector<const Subject*>& Subjects();

// The same image with the damage of that number: a bit, a page, many pages of zeros, or cut off.
std::string Damaged(std::string image, uint64_t number);
uint64_t NumDamages();

// Fills the second chunk with noise.
void DamageChunk(std::string* image);

// How many members C loses of an image, in a file and in memory.
uint64_t LostByC(const std::string& path, const std::string& image, const Subject& subject);

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_IMAGE_MAPPED_TEST_H_
