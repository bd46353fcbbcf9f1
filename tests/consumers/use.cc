// What all consumers in C++ are: a program that uses what the library exports, and ends with 0 if all of it works.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/inline.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"
#include "linefilter/view.h"

namespace {

int Fail(const char* what) {
  std::fprintf(stderr, "failed: %s\n", what);
  return 1;
}

struct Numbers {
  uint64_t next = 0;
};

bool InsertsBatches(linefilter::BlockedFilter* filter) {
  const std::vector<std::string> texts = {"alice", "bob"};
#if defined(__cpp_lib_span)
  if (filter->InsertKeys(std::span(texts)) != 2) return false;
#elif __cplusplus >= 202002L
#error "C++20 has std::span, which linefilter/key_filter.h takes"
#endif
  filter->InsertKeys(texts.data(), texts.size());
  return filter->MayContainKey("alice") && filter->MayContainKey("bob");
}

int Use() {
  linefilter::FilterOptions options;
  options.fpr = 0.01;
  linefilter::BlockedFilter filter;
  if (!filter.Create(1000, options).ok()) return Fail("Create");
  linefilter::ConcurrentFilter concurrent;
  if (!concurrent.Create(1000, options).ok()) return Fail("Create of a concurrent filter");
  options.layout = linefilter::Layout::kRetrieval;
  linefilter::FilterBuilder builder(options);
  std::vector<uint64_t> hashes;
  for (uint64_t key = 0; key < 1000; ++key) {
    hashes.push_back(linefilter::HashKey(key));
    builder.AddKey(key);
    concurrent.InsertKey(key);
  }
  filter.InsertHashes(hashes.data(), hashes.size());
  if (!InsertsBatches(&filter)) return Fail("InsertKeys");
  std::string image, built;
  if (!filter.AppendImage(&image).ok() || !builder.Finish(&built).ok()) return Fail("an image");
  const linefilter::Filter sealed = concurrent.Seal();
  for (const std::string& bytes : {image, built}) {
    const linefilter::FilterView view(bytes.data(), bytes.size(), linefilter::VerifyMode::kWhole);
    const linefilter::inlined::Prober prober(view);
    std::vector<uint8_t> answers(hashes.size());
    view.MayContainHashes(hashes.data(), hashes.size(), answers.data());
    for (uint64_t key = 0; key < 1000; ++key) {
      if (answers[key] != 1 || !view.MayContainKey(key) || !prober.MayContainKey(key)) return Fail("a lookup");
      if (!sealed.MayContainHash(hashes[key])) return Fail("a lookup in a sealed filter");
    }
    if (!view.Verify().ok() || view.CountMaybes(hashes.data(), hashes.size()) != 1000) return Fail("Verify");
  }

  Numbers numbers;
  linefilter::HashSource source;
  source.context = &numbers;
  source.read = [](void* context, uint64_t* to, size_t) noexcept -> size_t {
    uint64_t& next = static_cast<Numbers*>(context)->next;
    if (next == 1000) return 0;
    *to = linefilter::HashKey(next++);
    return 1;
  };
  source.rewind = [](void* context) noexcept {
    static_cast<Numbers*>(context)->next = 0;
    return true;
  };
  if (!linefilter::BuildFromSourceToFile(options, source, "use.filter").ok()) return Fail("BuildFromSourceToFile");
  linefilter::FilterFile file;
  if (!file.Map("use.filter").ok() || file.view().image_bytes() != built.size()) return Fail("Map");
  const linefilter::FilterFile moved = std::move(file);
  if (!moved.view().MayContainKey(uint64_t{7})) return Fail("a mapped lookup");

  if (linefilter::ExpectedFpr(linefilter::Layout::kBlocked, 1000, filter.body_bytes(), filter.num_probes()) > 0.011 ||
      linefilter::KeyedHash("key", linefilter::HashSecret()) == 0 || linefilter::SupportedTargets().size == 0) {
    return Fail("sizing, keyed hash, targets");
  }
  std::printf("ok: %s on %s\n", linefilter::LayoutName(moved.view().layout()), filter.target());
  return 0;
}

}  // namespace

int main() { return Use(); }
