// Whatever a file holds: FilterFile takes of it what the reference takes, keyed images with their secret alone; the
// program's KeyReader hands out every key, and its numbers are refused or right; a table of examples/sst_reader is
// refused, or answers without looking outside, and a damaged one never answers wrongly.
//
// Of the program `linefilter` that is the code between a file and the library (tools/program/key_reader.cc,
// tools/program/number.cc); its commands end in main and are left to tests/tools/tools_test*.cc.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "examples/sst_reader/table.h"
#include "linefilter/file.h"
#include "tests/fuzz/arena.h"
#include "tests/fuzz/edit.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/good_images.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/fuzz/questions.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/secrets.h"
#include "tests/fuzz/sst_bytes.h"
#include "tests/reference/reference.h"
#include "tools/program/compressed.h"
#include "tools/program/key_reader.h"
#include "tools/program/number.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 18;

// A file in memory that has a name, as long as the program runs.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("linefilter-fuzz", MFD_CLOEXEC)) {
    FUZZ_REQUIRE(fd_ >= 0);
    path_ = "/proc/self/fd/" + std::to_string(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const char* Write(std::string_view bytes) {
    FUZZ_REQUIRE(ftruncate(fd_, 0) == 0);
    FUZZ_REQUIRE(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return path_.c_str();
  }

 private:
  const int fd_;
  std::string path_;
};

MemoryFile& TheFile() {
  static MemoryFile file;
  return file;
}

// ---- FilterFile ----

// What the bytes of a file are to the reference.
struct Expected {
  reference::Filter image;
  bool readable, undamaged;

  explicit Expected(std::string_view bytes) {
    const uint8_t* const data = reinterpret_cast<const uint8_t*>(bytes.data());
    readable = reference::ReadImage(data, bytes.size(), &image);
    undamaged = readable && reference::DamagedChunks(data, bytes.size()).empty();
  }
};

// What is verified as a whole (such small files by default, too) is refused if it is damaged.
void RequireMappedRightly(const Status& status, const Expected& expected, VerifyMode verify, const HashSecret* secret) {
  const bool is_whole = verify == VerifyMode::kWhole || verify == VerifyMode::kAuto;
  if (is_whole && expected.readable && !expected.undamaged && Opens(secret, expected.image)) {
    FUZZ_REQUIRE(status.code() == StatusCode::kCorrupt);
  } else {
    RequireOpenedRightly(status, expected.readable, expected.image, secret);
  }
}

Status LoadIt(const char* path, const Expected& expected, uint64_t limit, const HashSecret* secret, FilterFile* file) {
  static Arena arena(2 * kMostBytes);
  file->Close();
  arena.Reset();
  const Status status = file->Load(path, arena.hooks(), limit, secret);
  FUZZ_REQUIRE(arena.peak_bytes() <= limit);
  if (status.code() == StatusCode::kOverLimit) {
    FUZZ_REQUIRE(limit != kNoMemoryLimit);
  } else {
    RequireMappedRightly(status, expected, VerifyMode::kWhole, secret);
  }
  return status;
}

void ReadImageFile(Input* in) {
  const uint8_t how = in->Byte();
  const uint64_t limit = (how & 1) != 0 ? in->Number(2) : kNoMemoryLimit;
  const Questions questions(in);
  std::string bytes;
  if ((how & 2) == 0) {
    bytes = ChooseGoodImage(in);
    Edit(ChooseOtherImage(in), kMostBytes, in, &bytes);
  } else {
    bytes = in->Rest();
  }
  if ((how & 4) == 0) RepairImage(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
  const Expected expected(bytes);
  const char* const path = TheFile().Write(bytes);
  const VerifyMode verify = static_cast<VerifyMode>(how >> 5 & 3);
  const bool may_be_maybe = verify == VerifyMode::kLazy && !expected.undamaged;
  FilterFile file;
  for (const HashSecret* const secret : kOpenings) {
    Status status;
    if ((how & 8) == 0) {
      file.Close();
      status = file.Map(path, verify, (how & 16) == 0 ? MapAdvice::kWillNeed : MapAdvice::kRandom, secret);
      RequireMappedRightly(status, expected, verify, secret);
    } else {
      status = LoadIt(path, expected, limit, secret, &file);
    }
    FUZZ_REQUIRE(file.view().status().ok() == status.ok());
    uint8_t answers[Questions::kMost];
    AskInEveryWay(file.view(), questions, answers);
    AskByKey(file.view(), questions, secret);
    for (size_t i = 0; i < questions.n; ++i) {
      if (!status.ok()) FUZZ_REQUIRE(answers[i] == 1);
      if (!status.ok() || i >= 3) continue;
      FUZZ_REQUIRE(answers[i] == expected.image.MayContain(questions.hashes[i]) || (may_be_maybe && answers[i] == 1));
    }
  }
  file.Close();
  FUZZ_REQUIRE(file.view().MayContainHash(questions.hashes[0]));
}

// ---- keys ----

// The next key of `rest`, of which it is then cut off; false where the reader must end with an error.
bool CutKey(const tools::KeysOption& option, std::string_view* rest, std::string_view* key) {
  if (option.u64) {
    if (rest->size() < 8) return false;
    *key = rest->substr(0, 8);
    rest->remove_prefix(8);
    return true;
  }
  const std::string_view line = rest->substr(0, rest->find(option.line_end()));
  rest->remove_prefix(std::min(rest->size(), line.size() + 1));
  *key = line;
  for (uint64_t field = 1; field <= option.field; ++field) {
    if (field > 1) {
      if (key->end() == line.end()) return false;
      *key = line.substr(static_cast<size_t>(key->end() - line.begin()) + 1);
    }
    *key = key->substr(0, key->find(','));
  }
  return true;
}

void ReadKeyFile(Input* in) {
  const uint8_t how = in->Byte();
  tools::KeysOption option;
  option.u64 = (how & 1) != 0;
  option.null = !option.u64 && (how & 2) != 0;
  option.field = option.u64 ? 0 : how >> 2 & 3;
  option.delimiter = ",";
  std::string bytes(in->Rest());
  if (in->Seldom(2000)) bytes.insert(bytes.size() / 2, size_t{5} << 18, 'x');  // a key beyond the reader's buffer
  for (char& byte : bytes) {
    if (byte == '\r' || byte == '"') byte = 'x';  // the reader would warn of them
  }
  option.paths = {TheFile().Write(bytes)};
  tools::KeyReader reader;
  FUZZ_REQUIRE(reader.Open(option).ok());
  FUZZ_REQUIRE(reader.bytes_total() == bytes.size());
  std::string_view rest = bytes, expected;
  while (reader.Next()) {
    FUZZ_REQUIRE(!reader.keys().empty() && reader.keys().size() <= tools::KeyReader::kBatchKeys);
    for (const std::string_view key : reader.keys()) {
      FUZZ_REQUIRE(!rest.empty() && CutKey(option, &rest, &expected) && key == expected);
    }
  }
  bool is_good = tools::CompressorOf(bytes.data(), bytes.size()) == nullptr;
  while (is_good && !rest.empty()) is_good = CutKey(option, &rest, &expected);  // it ends with the batch of the fault
  FUZZ_REQUIRE(reader.status().ok() == (is_good && rest.empty()));
  FUZZ_REQUIRE(!reader.Next() && reader.keys().empty());
}

void ReadNumbers(Input* in) {
  const std::string text(in->Rest());
  std::string error;
  uint64_t count = 7, seed = 7;
  double real = 7;
  const bool is_count = tools::ParseCount(text, &count, &error);
  FUZZ_REQUIRE(is_count || (count == 7 && !error.empty()));
  const bool is_seed = tools::ParseSeed(text, &seed, &error);
  FUZZ_REQUIRE(is_seed || (seed == 7 && !error.empty()));
  const bool is_real = tools::ParseReal(text, &real, &error);
  FUZZ_REQUIRE(is_real ? std::isfinite(real) : real == 7 && !error.empty());
  if (is_count && text.find_first_not_of("0123456789") == std::string::npos) {
    FUZZ_REQUIRE(is_seed && seed == count && is_real && real == static_cast<double>(count));
    FUZZ_REQUIRE(std::to_string(count) == text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)));
  }
}

// ---- tables ----

struct GoodTable {
  size_t num_keys;
  std::string bytes;
};

const std::vector<GoodTable>& GoodTables() {
  static const std::vector<GoodTable> tables = {{0, SstTable(0, 5, Layout::kRetrieval)},
                                                {20, SstTable(20, 5, Layout::kClassic)},
                                                {40, SstTable(40, 7, Layout::kRetrieval)},
                                                {40, SstTable(40, 40, Layout::kBlocked)}};
  return tables;
}

// Every call; what comes out lies in the table, and there is an end.
void UseTable(const sst::TableReader& table, const uint8_t* begin, size_t size, Input* in) {
  const auto require_inside = [&](std::string_view bytes) {
    const uint8_t* const from = reinterpret_cast<const uint8_t*>(bytes.data());
    FUZZ_REQUIRE(bytes.empty() || (from >= begin && from + bytes.size() <= begin + size));
  };
  const std::string other(in->Take(in->Byte() % 16));
  const std::string keys[] = {SstKey(0), SstKey(2u * in->Byte()), SstKey(1u + 2u * in->Byte()), other};
  const std::string_view views[] = {keys[0], keys[1], keys[2], keys[3]};
  sst::Lookup lookups[4];
  bool good = true;
  for (const std::string_view key : views) {
    sst::Lookup lookup;
    const bool ok = table.Get(key, &lookup).ok();
    FUZZ_REQUIRE(ok == (lookup.outcome != sst::Outcome::kError));
    require_inside(lookup.value);
    good &= ok;
  }
  FUZZ_REQUIRE(table.MultiGet(views, 4, lookups).ok() == good);
  for (const sst::Lookup& lookup : lookups) require_inside(lookup.value);
  sst::TableIterator it(table);
  size_t entries = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next(), ++entries) {
    FUZZ_REQUIRE(entries < size);
    require_inside(it.key());
    require_inside(it.value());
  }
  it.Seek(other);
  if (it.Valid()) FUZZ_REQUIRE(it.key() >= other);
  (void)table.filter().ExpectedFpr();
}

GuardedBytes& TableMemory() {
  static GuardedBytes memory(kMostBytes);
  return memory;
}

// Any bytes, or a good table with changes; mostly with checks that fit.
void ReadAnyTable(Input* in) {
  const uint8_t how = in->Byte(), where = in->Byte();
  std::string bytes;
  if ((how & 3) != 3) {
    bytes = GoodTables()[in->Byte() % GoodTables().size()].bytes;
    Edit(GoodTables()[1].bytes, kMostBytes, in, &bytes);
  } else {
    bytes = in->Take(in->Number(2));
  }
  if ((how & 4) == 0) RepairTable(&bytes);
  sst::ReadOptions options;
  options.use_filter = (how & 8) == 0;
  options.verify_filter = (how & 16) == 0;
  const uint8_t* const placed = TableMemory().Place(bytes, where);
  sst::TableReader table;
  const bool opened = table.OpenBytes(placed, bytes.size(), options).ok();
  UseTable(table, placed, bytes.size(), in);
  if ((how & 0xe0) != 0xe0) return;
  sst::TableReader of_file;
  FUZZ_REQUIRE(of_file.Open(TheFile().Write(bytes), options).ok() == opened);
  FUZZ_REQUIRE(of_file.num_keys() == table.num_keys() && of_file.num_data_blocks() == table.num_data_blocks());
}

// Up to four changed bytes in a row: no member is lost, no stranger found.
void ReadDamagedTable(Input* in) {
  const GoodTable& good = GoodTables()[in->Byte() % GoodTables().size()];
  const uint8_t where = in->Byte(), count = in->Byte();
  std::string bytes = good.bytes;
  const size_t place = PlaceIn(bytes.size(), in);
  for (size_t i = place; i < std::min(bytes.size(), place + 1 + count % 4); ++i) {
    bytes[i] = static_cast<char>(bytes[i] ^ in->Byte());
  }
  const uint8_t* const placed = TableMemory().Place(bytes, where);
  sst::TableReader table;
  const bool opened = table.OpenBytes(placed, bytes.size()).ok();
  FUZZ_REQUIRE(opened || bytes != good.bytes);
  for (int question = 0; question < 4; ++question) {
    const size_t number = in->Byte() % (2 * good.num_keys + 2);
    const bool is_member = number % 2 == 0 && number / 2 < good.num_keys;
    sst::Lookup lookup;
    const Status status = table.Get(SstKey(number), &lookup);
    if (bytes == good.bytes) FUZZ_REQUIRE(status.ok());
    if (lookup.outcome == sst::Outcome::kError) continue;
    FUZZ_REQUIRE((lookup.outcome == sst::Outcome::kFound) == is_member);
    if (is_member) FUZZ_REQUIRE(lookup.value == SstValue(number / 2));
  }
}

}  // namespace

void File(const uint8_t* data, size_t size) {
  Input in(data, size);
  switch (in.Byte() % 8) {
    case 0:
      return ReadImageFile(&in);
    case 1:
      return ReadKeyFile(&in);
    case 2:
    case 3:
      return ReadNumbers(&in);
    case 4:
    case 5:
      return ReadAnyTable(&in);
    default:
      return ReadDamagedTable(&in);
  }
}

}  // namespace linefilter::fuzz
