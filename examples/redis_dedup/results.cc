#include "examples/redis_dedup/results.h"

#include <fstream>
#include <stdexcept>
#include <type_traits>

namespace redis_dedup {
namespace {

static_assert(std::is_trivially_copyable_v<Tally>, "it goes through a file");

void WriteNumbers(const std::vector<uint64_t>& numbers, std::ofstream* out) {
  const uint64_t size = numbers.size();
  out->write(reinterpret_cast<const char*>(&size), sizeof(size));
  out->write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(size * sizeof(uint64_t)));
}

void Count(std::ifstream* in, std::vector<uint8_t>* times) {
  uint64_t size = 0, number = 0;
  if (!in->read(reinterpret_cast<char*>(&size), sizeof(size))) throw std::runtime_error("a writer left half a result");
  for (; size > 0; --size) {
    if (!in->read(reinterpret_cast<char*>(&number), sizeof(number))) {
      throw std::runtime_error("a writer left half a result");
    }
    uint8_t& of_it = times->at(number);
    of_it = static_cast<uint8_t>(of_it + (of_it < 255));
  }
}

}  // namespace

std::string ResultFile(const std::string& folder, unsigned writer) { return folder + "/" + std::to_string(writer); }

bool WriteResult(const std::string& path, const Tally& tally, const Notes& notes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&tally), sizeof(tally));
  WriteNumbers(notes.told_new, &out);
  WriteNumbers(notes.accepted, &out);
  out.close();
  return out.good();
}

Tally Collect(const std::string& folder, unsigned writers, Judged* judged) {
  Tally all;
  for (unsigned i = 0; i < writers; ++i) {
    std::ifstream in(ResultFile(folder, i), std::ios::binary);
    Tally tally;
    if (!in.read(reinterpret_cast<char*>(&tally), sizeof(tally))) throw std::runtime_error("a writer left no result");
    all.Add(tally);
    Count(&in, &judged->told_new);
    Count(&in, &judged->accepted);
  }
  return all;
}

}  // namespace redis_dedup
