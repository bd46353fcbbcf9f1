// This folds and unites images piece by piece, from the views to the sink.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "lib/base/memory.h"
#include "lib/filters/fold.h"
#include "lib/filters/key_kinds.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/layout_maker.h"
#include "linefilter/fold.h"

namespace linefilter {
namespace {

internal::Trailer TrailerOf(const FilterView& image, uint64_t body_bytes, const uint64_t* num_keys,
                            const internal::KeyKinds& key_kinds) {
  return internal::MakeTrailer(image.layout(), body_bytes, image.num_probes(), image.hash_id(), image.seed(), num_keys,
                               key_kinds);
}

// A folded image says of its keys what the image said.
internal::Trailer FoldedTrailer(const FilterView& image, uint64_t factor) {
  const uint64_t num_keys = image.num_keys();
  return TrailerOf(image, image.body_bytes() / factor, image.has_num_keys() ? &num_keys : nullptr, image.key_kinds());
}

uint64_t FoldedBytes(const FilterView& image, uint64_t factor) {
  const internal::Trailer trailer = FoldedTrailer(image, factor);
  return trailer.body_bytes + internal::TrailerBytes(trailer);
}

// Adds `size` bytes, from `begin` on, of one image to what is written.
void AddPiece(const FilterView& image, uint64_t body_bytes, uint64_t begin, uint64_t size, bool add, uint8_t* piece) {
  const internal::LayoutMaker& maker = *internal::FindMaker(image.layout());
  if (maker.fold_blocks != nullptr) {
    const uint64_t factor = image.body_bytes() / body_bytes;
    return maker.fold_blocks(image.body() + begin * factor, size / maker.block_bytes(), factor, add, image.num_probes(),
                             piece);
  }
  const uint8_t* const from = image.body() + begin;
  if (!add) memset(piece, 0, static_cast<size_t>(size));
  for (uint64_t i = 0; i < size; ++i) piece[i] |= from[i];  // vectorized by the compiler
}

Status Write(const internal::Trailer& trailer, const FilterView* const images[], size_t num_images, const Sink& sink,
             const Allocator& allocator) {
  const Status status = internal::CheckAllocator(allocator);
  if (!status.ok()) return status;
  return internal::WriteInPieces(trailer, allocator, sink, [&](uint64_t begin, uint64_t size, uint8_t* piece) {
    bool add = false;
    for (size_t i = 0; i < num_images; ++i) {
      if (images[i]->body_bytes() == 0) continue;  // an empty set
      AddPiece(*images[i], trailer.body_bytes, begin, size, add, piece);
      add = true;
    }
  });
}

}  // namespace

Status FoldFactorForBytes(const FilterView& image, uint64_t image_bytes, uint64_t* factor) noexcept {
  const Status foldable = internal::CheckFoldable(image);
  if (!foldable.ok()) return foldable;
  const internal::Divisors factors(image.num_blocks());
  for (size_t i = 0; i < factors.size(); ++i) {
    if (FoldedBytes(image, factors[i]) > image_bytes) continue;
    *factor = factors[i];
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "%llu bytes are less than the smallest image that this one can be folded to, of %llu",
                       static_cast<unsigned long long>(image_bytes),
                       static_cast<unsigned long long>(FoldedBytes(image, factors[factors.size() - 1])));
}

Status FoldImage(const FilterView& image, uint64_t factor, const Sink& sink, const Allocator& allocator) noexcept {
  Status status = image.Verify();
  if (status.ok()) status = internal::CheckFold(image, factor);
  const FilterView* const images[] = {&image};
  return status.ok() ? Write(FoldedTrailer(image, factor), images, 1, sink, allocator) : status;
}

Status UniteImages(const FilterView* const images[], size_t num_images, const Sink& sink, const UnionOptions& options,
                   const Allocator& allocator) noexcept {
  const internal::FilterList all(images, num_images);
  for (size_t i = 0; i < num_images; ++i) {
    const Status verified = images[i]->Verify();
    if (!verified.ok()) return verified;
  }
  Status status = internal::CheckUnion(all);
  if (status.ok()) status = internal::CheckUnionFpr(all, options);
  if (!status.ok()) return status;
  const FilterView* model = images[0];  // one that is no empty set, if there is one
  uint64_t body_bytes = 0;
  internal::KeyKinds key_kinds;
  for (size_t i = 0; i < num_images; ++i) {
    if (images[i]->body_bytes() != 0) model = images[i];
    body_bytes = std::gcd(body_bytes, images[i]->body_bytes());
    key_kinds.Add(internal::KeyKindsIn(*images[i]));
  }
  return Write(TrailerOf(*model, body_bytes, nullptr, key_kinds), images, num_images, sink, allocator);
}

}  // namespace linefilter
