// Any keys and options, every way to an image: what was inserted answers "maybe", the ways agree to the byte, memory
// stays within its limit, whatever fails says so and leaks nothing. An image of a keyed hash is opened by its secret
// alone. Then the image is damaged: either the damage is found when it is opened, and every answer is "maybe"; or, in a
// body of more than 4096 bytes, Verify finds it.
//
// One damage per execution, and none that the input can write at will over many bytes: a forger who also writes the
// check is no accident. By chance a check of 32 bits fits in one of 2^32 executions that damage.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "lib/build/bulk.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/fuzz/arena.h"
#include "tests/fuzz/edit.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/good_images.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/fuzz/questions.h"
#include "tests/fuzz/secrets.h"
#include "tests/reference/reference.h"
#include "tests/testing/random.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kArenaBytes = size_t{8} << 20, kMostImageBytes = size_t{1} << 17;
constexpr size_t kMostKeys = 2000;

Arena& TheArena() {
  static Arena arena(kArenaBytes);
  return arena;
}

enum class Way : uint8_t { kString, kBuffer, kSink, kSource, kBlocked, kClassic, kConcurrent, kQuotient };

// All that the input asks for.
struct Request {
  Way way = Way::kString;
  FilterOptions options;
  bool may_fail = false;      // for what the options say
  bool by_keys = false;       // AddKey and InsertKey instead of the hashes
  uint64_t planned_keys = 0;  // of the mutable filters
  std::vector<std::string_view> keys;
  std::vector<uint64_t> hashes;  // of the keys, where there are any
  size_t piece = 1;              // how many hashes come at once

  // To open the image with.
  const HashSecret* secret() const { return options.hash_id == HashId::kKeyed ? &options.secret : nullptr; }
};

bool IsMutableWay(Way way) { return way >= Way::kBlocked; }

Executor TwoBackwards() {
  return Executor{[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
                    while (num_tasks != 0) task(argument, --num_tasks);
                  },
                  nullptr, 2};
}

double AnyDouble(Input* in) {
  const uint64_t bits = in->Number(8);
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

void ReadOptions(Input* in, Request* request) {
  FilterOptions& options = request->options;
  const uint8_t flags = in->Byte();
  options.layout = static_cast<Layout>((flags & 0x0f) % 4);
  options.bits_per_key = 1 + in->Byte() / 4.0;  // up to 64.75
  if (options.bits_per_key > kMaxBitsPerKey) request->may_fail = true;
  const uint64_t seed = (flags & 0x10) != 0 ? in->Number(8) : 0;
  if ((flags & 0x20) != 0) options.executor = TwoBackwards();
  if ((flags & 0x40) != 0) options.hash_id = HashId::kCaller;
  if ((flags & 0x44) == 0x04) {
    options.hash_id = HashId::kKeyed;
    options.secret = SecretOf(seed);
  } else {
    options.seed = seed;
  }
  if ((flags & 0x80) == 0) return;
  // Seldom: what may be refused.
  request->may_fail = true;
  const uint8_t what = in->Byte();
  if ((what & 1) != 0) options.num_probes = in->Byte();
  if ((what & 2) != 0) options.memory_limit = in->Number(3);
  if ((what & 4) != 0) options.layout = static_cast<Layout>(in->Byte());
  if ((what & 8) != 0) options.hash_id = static_cast<HashId>(in->Byte());
  if ((what & 0x30) == 0x10) options.bits_per_key = AnyDouble(in);
  if ((what & 0x30) == 0x20) options.bits_per_key = 0, options.fpr = 1.0 / static_cast<double>(1 + in->Number(2));
  if ((what & 0x30) == 0x30) options.fpr = AnyDouble(in);
  if ((what & 0x40) != 0) {
    request->planned_keys = in->Number(8);
    options.memory_limit = std::min<uint64_t>(options.memory_limit, kMostImageBytes);
  }
  if ((what & 0x80) != 0) {  // what a keyed hash refuses: a seed, or no secret
    options.seed = in->Number(8);
    if (options.seed == 0) options.secret = HashSecret();
  }
}

// Keys of the input; or as many hashes as it says: random, crowded, or often the same.
void ReadKeys(Input* in, Request* request) {
  const uint8_t kind = in->Byte();
  request->by_keys = kind % 4 == 0 && request->options.hash_id != HashId::kCaller;
  request->piece = 1 + in->Byte();
  if (request->by_keys) {
    for (const size_t most = in->Byte(); request->keys.size() < most && !in->empty();) {
      request->keys.push_back(in->Take(in->Byte() % 24));
      const std::string_view key = request->keys.back();
      request->hashes.push_back(HashBy(request->options.hash_id, request->options.seed, request->secret(), key));
    }
    return;
  }
  const size_t n = in->Seldom(100) ? in->Below(kMostKeys) : in->Below(100);
  test::Random random(in->Number(2));
  // In-block hashes and blocks of few values, or all of them.
  const uint64_t crowd = kind % 4 != 1 ? ~uint64_t{0} : uint64_t{0x0f00000000000000} << (kind >> 6) | in->Number(4);
  for (size_t i = 0; i < n; ++i) {
    const bool again = kind % 4 == 2 && i != 0 && random.Below(4) == 0;
    request->hashes.push_back(again ? request->hashes[random.Below(i)] : random() & crowd);
  }
}

// Feeds hashes or keys, in pieces.
template <class Filter, class AddKey, class AddHash, class AddHashes>
void Feed(const Request& request, Filter& filter, const AddKey& add_key, const AddHash& add_hash,
          const AddHashes& add_hashes) {
  for (const std::string_view key : request.keys) add_key(filter, key);
  if (request.by_keys) return;
  for (size_t i = 0; i < request.hashes.size(); i += request.piece) {
    const size_t n = std::min(request.piece, request.hashes.size() - i);
    n == 1 ? add_hash(filter, request.hashes[i]) : add_hashes(filter, &request.hashes[i], n);
  }
}

bool AppendTo(void* image, const void* data, size_t size) noexcept {
  static_cast<std::string*>(image)->append(static_cast<const char*>(data), size);
  return true;
}

Status Finish(const Request& request, uint64_t bytes, FilterBuilder& builder, std::string* image) {
  if (request.way == Way::kString) return builder.Finish(image);
  if (request.way == Way::kSink) return builder.FinishToSink(Sink{&AppendTo, image});
  image->resize(bytes);
  size_t written = 0;
  const Status status = builder.FinishTo(image->data(), image->size(), &written);
  FUZZ_REQUIRE(written == (status.ok() ? bytes : 0));
  return status;
}

Status BuildByBuilder(const Request& request, std::string* image) {
  FilterBuilder builder(request.options);
  Feed(
      request, builder, [](FilterBuilder& b, std::string_view key) { b.AddKey(key); },
      [](FilterBuilder& b, uint64_t hash) { b.AddHash(hash); },
      [](FilterBuilder& b, const uint64_t* hashes, size_t n) { b.AddHashes(hashes, n); });
  const uint64_t bytes = builder.ImageBytes(), num_keys = builder.num_keys();
  FUZZ_REQUIRE(bytes <= kMostImageBytes);
  Status status = Finish(request, bytes, builder, image);
  if (status.code() == StatusCode::kOutOfMemory && builder.status().ok()) {
    // The keys are kept, whatever bulk building had done to their memory: when there is some again, all are there.
    FUZZ_REQUIRE(builder.num_keys() == num_keys);
    TheArena().FailNoMore();
    image->clear();
    status = Finish(request, bytes, builder, image);
  }
  if (!status.ok()) return status;
  FUZZ_REQUIRE(image->size() == bytes && builder.num_keys() == 0 && builder.sizing().num_keys <= num_keys);
  if (num_keys % 8 != 0) return status;
  uint64_t estimated = 0;
  FUZZ_REQUIRE(FilterBuilder::EstimateBytes(request.options, builder.sizing().num_keys, &estimated).ok());
  FUZZ_REQUIRE(estimated == bytes);
  return status;
}

// The hashes as a stream, in short reads.
struct Stream {
  const Request& request;
  size_t next = 0;

  static size_t Read(void* context, uint64_t* hashes, size_t capacity) noexcept {
    Stream& self = *static_cast<Stream*>(context);
    const size_t n = std::min({capacity, self.request.piece, self.request.hashes.size() - self.next});
    std::copy_n(self.request.hashes.begin() + static_cast<ptrdiff_t>(self.next), n, hashes);
    self.next += n;
    return n;
  }
  static bool Rewind(void* context) noexcept {
    static_cast<Stream*>(context)->next = 0;
    return true;
  }
};

Status BuildByStream(const Request& request, std::string* image) {
  Stream stream{request};
  return BuildFromSource(request.options, HashSource{&Stream::Read, &Stream::Rewind, &stream}, Sink{&AppendTo, image});
}

// What came twice and went once is there.
template <class Filter>
void InsertAgainAndRemove(const Request&, Filter*) {}

void InsertAgainAndRemove(const Request& request, QuotientFilter* filter) {
  const size_t half = request.hashes.size() / 2;
  const uint64_t* const again = request.hashes.data() + half;
  const size_t n = request.hashes.size() - half;
  filter->InsertHashes(again, n);
  FUZZ_REQUIRE(filter->RemoveHashes(again, n / 2) == n / 2);
  for (size_t i = n / 2; i < n; ++i) FUZZ_REQUIRE(filter->RemoveHash(again[i]));
}

template <class Filter>
Status BuildByFilter(const Request& request, std::string* image) {
  Filter filter;
  const Status status = filter.Create(request.planned_keys, request.options);
  uint64_t were_new = 0;
  Feed(
      request, filter, [&](Filter& f, std::string_view key) { were_new += f.InsertKey(key); },
      [&](Filter& f, uint64_t hash) { were_new += f.InsertHash(hash); },
      [&](Filter& f, const uint64_t* hashes, size_t n) { were_new += f.InsertHashes(hashes, n); });
  if (status.ok()) InsertAgainAndRemove(request, &filter);
  FUZZ_REQUIRE(filter.CountMaybes(request.hashes.data(), request.hashes.size()) == request.hashes.size());
  for (const std::string_view key : request.keys) FUZZ_REQUIRE(filter.MayContainKey(key));
  FUZZ_REQUIRE(were_new <= request.hashes.size() && (status.ok() || were_new == 0));
  if (!status.ok()) return status;
  return filter.AppendImage(image);
}

Status BuildIt(const Request& request, std::string* image) {
  image->clear();
  switch (request.way) {
    case Way::kSource:
      return BuildByStream(request, image);
    case Way::kBlocked:
      return BuildByFilter<BlockedFilter>(request, image);
    case Way::kClassic:
      return BuildByFilter<ClassicFilter>(request, image);
    case Way::kConcurrent:
      return BuildByFilter<ConcurrentFilter>(request, image);
    case Way::kQuotient:
      return BuildByFilter<QuotientFilter>(request, image);
    default:
      return BuildByBuilder(request, image);
  }
}

// A secret that was forgotten, or that would be ignored, is never taken.
void RequireMakesSense(const FilterOptions& options) {
  const bool has_secret = memcmp(options.secret.bytes, HashSecret().bytes, sizeof(HashSecret)) != 0;
  FUZZ_REQUIRE(has_secret == (options.hash_id == HashId::kKeyed));
  FUZZ_REQUIRE(!has_secret || options.seed == 0);
}

void RequireIntact(const std::string& image, const Request& request) {
  const FilterView view(image.data(), image.size(), VerifyMode::kTrusted, request.secret());
  FUZZ_REQUIRE(view.status().ok() && view.Verify().ok() && view.hash_id() == request.options.hash_id);
  const HashSecret* const secret = request.secret();
  FUZZ_REQUIRE(view.seed() == (secret != nullptr ? HashBySecret("linefilter.secret", *secret) : request.options.seed));
  FUZZ_REQUIRE(AllMaybe(view, request.hashes.data(), request.hashes.size()));
  for (const std::string_view key : request.keys) FUZZ_REQUIRE(view.MayContainKey(key));
  for (size_t i = 0; i < std::min<size_t>(request.hashes.size(), 8); ++i) {
    FUZZ_REQUIRE(view.MayContainHash(request.hashes[i]));
  }
}

// With one wrong bit in the secret, without a secret that is needed, or with one that is not: refused, damaged or not.
void RequireClosedToOthers(const uint8_t* image, size_t size, bool intact, const Request& request, uint8_t bit) {
  const HashSecret other = OtherThan(request.options.secret, bit);
  for (const HashSecret* const secret : {static_cast<const HashSecret*>(nullptr), &other}) {
    if (secret == request.secret()) continue;  // not keyed: without is right
    const FilterView view(image, size, VerifyMode::kTrusted, secret);
    FUZZ_REQUIRE(!view.status().ok() && (!intact || view.status().code() == StatusCode::kIncompatible));
    FUZZ_REQUIRE(AllMaybe(view, request.hashes.data(), request.hashes.size()));
    for (size_t i = 0; i < std::min<size_t>(request.keys.size(), 4); ++i) {
      FUZZ_REQUIRE(view.MayContainKey(request.keys[i]) && view.MayContainKey(request.hashes[i]));
      FUZZ_REQUIRE(ImageMayContainKey(image, size, request.keys[i], VerifyMode::kLazy));
    }
  }
}

// Another image of the same keys by the plainest way: the same bytes.
void RequireSameBytesByTheBuilder(const Request& request, const std::string& image) {
  Request plain = request;
  plain.way = Way::kString;
  plain.options.executor = {};
  plain.options.allocator = {};
  plain.options.memory_limit = kNoMemoryLimit;
  internal::SetTuningForTests({});
  static std::string again;
  FUZZ_REQUIRE(BuildIt(plain, &again).ok() && again == image);
}

// Changes the image in one of the ways in which storage damages bytes. `other` is intact, of other keys.
void Damage(Input* in, std::string_view other, std::string* image) {
  const uint8_t how = in->Byte();
  const size_t place = PlaceIn(image->size(), in);
  const std::string copy = *image;
  const uint8_t count = in->Byte();
  switch (how % 8) {
    case 0:
    case 1:  // flipped bits, in four bytes at the most
      for (size_t i = place; i < std::min(image->size(), place + 1 + count % 4); ++i) {
        (*image)[i] = static_cast<char>((*image)[i] ^ in->Byte());
      }
      return;
    case 2:
      image->resize(place);
      return;
    case 3:
      image->erase(0, place);
      return;
    case 4:  // bytes behind it: its own, zeros, ones
      if (how >= 128) image->append(copy, place, std::string::npos);
      image->append(count, (how & 64) != 0 ? '\xff' : '\0');
      return;
    case 5:  // bytes in front
      image->insert(0, copy, 0, place);
      return;
    case 6:  // spliced with another
      image->replace(place, std::string::npos, other.substr(PlaceIn(other.size(), in)));
      return;
    default:  // a piece of itself in the wrong place
      image->replace(place, count, copy, PlaceIn(copy.size(), in), count);
      return;
  }
}

void RequireDamageFound(Input* in, uint8_t where, const std::string& image, const Request& request) {
  static GuardedBytes memory(2 * kMostImageBytes + 1024);
  const std::string& other = ChooseOtherImage(in);
  std::string damaged = image;
  Damage(in, other, &damaged);
  if (damaged == image || damaged == other) return;
  const uint8_t* const placed = memory.Place(damaged, where);
  RequireClosedToOthers(placed, damaged.size(), false, request, where);
  const FilterView view(placed, damaged.size(), VerifyMode::kTrusted, request.secret());
  if (view.status().ok()) {
    FUZZ_REQUIRE(view.body_bytes() > 4096 && !view.Verify().ok());
    return;
  }
  FUZZ_REQUIRE(AllMaybe(view, request.hashes.data(), request.hashes.size()));
  for (size_t i = 0; i < std::min<size_t>(request.keys.size(), 4); ++i) {
    FUZZ_REQUIRE(ImageMayContainKey(placed, damaged.size(), request.keys[i], VerifyMode::kLazy));
  }
}

}  // namespace

void Build(const uint8_t* data, size_t size) {
  static std::string image;
  Input in(data, size);
  const uint8_t way = in.Byte(), tuning = in.Byte(), where = in.Byte();
  Request request;
  request.options.removable = way >= 0xc0 && way < 0xd8;  // other inputs mean what they did
  request.way = request.options.removable ? Way::kQuotient : static_cast<Way>(way % 7);
  ReadOptions(&in, &request);
  if (way >= 0xd8 && way < 0xe8) {
    request.way = static_cast<Way>(way % 4);  // not a mutable one
    request.options.layout = way < 0xe4 ? Layout::kSplitBlock : Layout::kQuotient;
    request.options.removable = way >= 0xe6;
    if (request.options.hash_id == HashId::kXxh3 && request.options.seed == 0)
      request.options.hash_id = HashId::kParquet;
  }
  const Layout shared = way >= 0xe8 ? Layout::kSplitBlock : Layout::kAuto;
  if (request.way == Way::kConcurrent && !request.may_fail) request.options.layout = shared;
  ReadKeys(&in, &request);
  if (IsMutableWay(request.way) && request.planned_keys == 0) request.planned_keys = request.hashes.size();
  Arena& arena = TheArena();
  arena.Reset(tuning >= 0xe0 ? in.Byte() % 16 : Arena::kNever);
  if ((tuning & 0x18) != 0x18) request.options.allocator = arena.hooks();  // else the library's own
  // Ranges so small that few keys are built in bulk.
  if (tuning % 8 != 0) internal::SetTuningForTests({0, uint64_t{1} << (tuning % 8)});
  const Status status = BuildIt(request, &image);
  internal::SetTuningForTests({});
  arena.RequireAllFreed();
  FUZZ_REQUIRE(arena.peak_bytes() <= request.options.memory_limit);
  if (!status.ok()) {
    FUZZ_REQUIRE(request.may_fail || arena.refused());
    FUZZ_REQUIRE(status.message()[0] != '\0');
    return;
  }
  RequireMakesSense(request.options);
  RequireIntact(image, request);
  RequireClosedToOthers(reinterpret_cast<const uint8_t*>(image.data()), image.size(), true, request, where);
  if (in.Seldom(4) && !IsMutableWay(request.way)) RequireSameBytesByTheBuilder(request, image);
  RequireDamageFound(&in, where, image, request);
}

}  // namespace linefilter::fuzz
