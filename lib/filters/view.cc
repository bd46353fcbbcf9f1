#include "linefilter/view.h"

#include "lib/base/fill.h"
#include "lib/base/huge_pages.h"
#include "lib/filters/growth.h"
#include "lib/filters/lazy_checks.h"
#include "lib/filters/secret.h"
#include "lib/image/trailer.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/stages.h"

namespace linefilter {
namespace {

internal::BodyParts PartsOf(const uint8_t* image, const internal::Trailer& trailer) {
  return {image,
          trailer.body_bytes,
          trailer.num_probes,
          static_cast<HashId>(trailer.hash_id),
          trailer.stage_table,
          trailer.stage_table_bytes};
}

// This checks what the trailer's own check cannot know: whether this library implements what it names.
Status CheckMeaning(const internal::Trailer& trailer, const internal::LayoutRecord* record) {
  if (record == nullptr) {
    return Status::Error(StatusCode::kUnsupported,
                         "the image has layout %u (%s), which this version does not read: upgrade "
                         "linefilter",
                         trailer.layout, LayoutName(static_cast<Layout>(trailer.layout)));
  }
  if (!KeyHash::IsKnown(static_cast<HashId>(trailer.hash_id))) {
    return Status::Error(StatusCode::kUnsupported,
                         "the image has hash id %u (%s), which this version does not know: upgrade "
                         "linefilter",
                         trailer.hash_id, HashIdName(static_cast<HashId>(trailer.hash_id)));
  }
  if (record->check_stages != nullptr) return record->check_stages(PartsOf(nullptr, trailer));
  if (!record->body_is_valid(trailer.body_bytes, trailer.num_probes)) {
    return Status::Error(StatusCode::kCorrupt,
                         "layout %s cannot have %u probes in a body of %llu bytes: the image was not "
                         "written by linefilter",
                         record->name, trailer.num_probes, static_cast<unsigned long long>(trailer.body_bytes));
  }
  return Status();
}

// Verifies all of an image that can be before its secret matters; *record is set when it is ok.
Status VerifyTrailer(const uint8_t* image, size_t size, internal::Trailer* trailer,
                     const internal::LayoutRecord** record) {
  const Status status = internal::ParseTrailer(image, size, trailer);
  if (!status.ok()) return status;
  *record = internal::FindLayout(static_cast<Layout>(trailer->layout));
  return CheckMeaning(*trailer, *record);
}

Status VerifyBody(const uint8_t* image, const internal::Trailer& trailer) {
  return internal::VerifyChunks(image, trailer.body_bytes, image + trailer.body_bytes, 0,
                                internal::NumChunks(trailer.body_bytes));
}

Status VerifyBody(const uint8_t* image, const internal::Trailer& trailer, VerifyMode verify) {
  if (verify == VerifyMode::kTrusted) return Status();
  if (verify == VerifyMode::kWhole) return VerifyBody(image, trailer);
  if (verify != VerifyMode::kAuto && verify != VerifyMode::kLazy) {
    return Status::Error(StatusCode::kInvalidArgument, "%u is no way to verify: take one of VerifyMode",
                         static_cast<unsigned>(verify));
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "a view of bytes is opened with VerifyMode::kWhole or kTrusted: it has no memory for the marks "
                       "of kLazy, which a FilterFile has");
}

Status CheckSecret(const internal::Trailer& trailer, const HashSecret* secret) {
  if (!KeyHash::IsKeyed(static_cast<HashId>(trailer.hash_id))) {
    if (secret == nullptr) return Status();
    return Status::Error(StatusCode::kIncompatible,
                         "a secret was given, but the image is not of a keyed hash (its hash is %s): open it without, "
                         "if it is the one that you mean",
                         HashIdName(static_cast<HashId>(trailer.hash_id)));
  }
  if (secret == nullptr) {
    return Status::Error(StatusCode::kIncompatible, "the image is of a keyed hash: open it with its secret");
  }
  if (CheckOfSecret(*secret) == trailer.seed) return Status();
  return Status::Error(StatusCode::kIncompatible, "the image was made with another secret than the one that was given");
}

// What grows or forgets says so in its growth; else the image was made for the keys that went into it.
uint64_t CapacityOf(const internal::Trailer& trailer, uint32_t num_stages) {
  internal::GrowthPlan plan;
  internal::RotatingGrowth rotating;
  if (internal::LoadGrowth(trailer.growth, trailer.growth_bytes, &plan)) {
    return internal::CapacityOfStages(plan, num_stages);
  }
  if (num_stages != 0 && internal::LoadRotatingGrowth(trailer.growth, trailer.growth_bytes, &rotating)) {
    return internal::CapacityOfGenerations(rotating.keys_per_generation, num_stages);
  }
  return trailer.has_num_keys ? trailer.num_keys : 0;
}

// 0 says that keys of an unknown kind came after those of a told one, and a copy writes that again. What is no kind,
// and what a later version may have written there, is unknown.
internal::KeyKinds KeyKindsOf(const internal::Trailer& trailer) {
  using internal::KeyKinds;
  const uint8_t kind = trailer.key_kind_bytes == internal::kKeyKindBytes ? trailer.key_kind[0] : uint8_t{255};
  const KeyKinds told =
      kind == 0 ? KeyKinds(KeyKinds::kTold | KeyKinds::kUntold) : KeyKinds(static_cast<KeyKind>(kind));
  if (trailer.key_forms_bytes == 0) return told;
  // A writer of forms had keys, or was about to have them: where no kind is told, they are of an unknown one.
  const uint8_t bits = told.bits() == 0 ? KeyKinds::kUntold : told.bits();
  const bool fits =
      internal::AreKeyForms(trailer.key_forms) && internal::NumKeyForms(trailer.key_forms) == trailer.key_forms_bytes;
  return KeyKinds(bits, fits ? trailer.key_forms : internal::DifferentForms(trailer.key_forms_bytes));
}

}  // namespace

FilterView::FilterView() noexcept = default;
FilterView::FilterView(const void* image, size_t size, VerifyMode verify, const HashSecret* secret) noexcept {
  (void)Open(image, size, verify, secret);
}
FilterView::FilterView(const FilterView& other) noexcept = default;
FilterView& FilterView::operator=(const FilterView& other) noexcept = default;

Status FilterView::Open(const void* image, size_t size, VerifyMode verify, const HashSecret* secret) noexcept {
  const internal::GivenSecret given(secret);
  // Field by field: to assign a FilterView copies a message of a Status, too.
  internal::BindConstant(internal::AlwaysMaybeKernels(), &state_);
  key_hash_ = KeyHash();
  layout_ = Layout::kAuto;
  key_kinds_ = internal::KeyKinds();
  chunk_checks_ = growth_ = nullptr;
  num_keys_ = capacity_ = 0;
  growth_bytes_ = 0;
  has_num_keys_ = false;
  image_bytes_ = size;
  const uint8_t* const bytes = static_cast<const uint8_t*>(image);
  internal::Trailer trailer;
  const internal::LayoutRecord* record = nullptr;
  status_ = VerifyTrailer(bytes, size, &trailer, &record);
  format_version_ = trailer.version;
  if (status_.ok()) status_ = CheckSecret(trailer, given.get());
  if (status_.ok()) status_ = VerifyBody(bytes, trailer, verify);
  if (!status_.ok()) return status_;

  internal::BindBody(*record, PartsOf(bytes, trailer), &state_);
  layout_ = static_cast<Layout>(trailer.layout);
  key_hash_ = {static_cast<HashId>(trailer.hash_id), trailer.seed, given.OrZero()};
  if (trailer.key_kind != nullptr || trailer.key_forms_bytes != 0) key_kinds_ = KeyKindsOf(trailer);
  has_num_keys_ = trailer.has_num_keys || trailer.body_bytes == 0;
  num_keys_ = trailer.num_keys;
  chunk_checks_ = bytes + trailer.body_bytes;
  growth_ = trailer.growth;
  growth_bytes_ = trailer.growth_bytes;
  capacity_ = CapacityOf(trailer, num_stages());
  return status_;
}

Status FilterView::status() const noexcept {
  if (!status_.ok()) return status_;
  if (state_.changes) return internal::LazyChecks::Of(state_).status();
  if (layout_ != Layout::kAuto) return status_;
  return Status::Error(StatusCode::kCorrupt, "no image was opened: call FilterView::Open");
}

uint64_t FilterView::num_chunks() const noexcept { return internal::NumChunks(body_bytes()); }

Status FilterView::Verify() const noexcept { return VerifyChunks(0, num_chunks()); }

Status FilterView::VerifyChunks(uint64_t first, uint64_t count) const noexcept {
  if (layout_ == Layout::kAuto) return status();
  if (first > num_chunks() || count > num_chunks() - first) {
    return Status::Error(StatusCode::kInvalidArgument, "chunks %llu to %llu were asked for, the image has %llu",
                         static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + count),
                         static_cast<unsigned long long>(num_chunks()));
  }
  if (state_.changes) {
    const Status status = internal::LazyChecks::Of(state_).Verify(first, count);
    internal::GoOver(state_);
    return status;
  }
  return internal::VerifyChunks(body(), body_bytes(), chunk_checks_, first, count);
}

Status FilterView::AdviseHugePages() const noexcept {
  if (layout_ == Layout::kAuto) return status();
  return internal::JoinHugePages(body(), static_cast<size_t>(body_bytes()));
}

StageInfo FilterView::stage(uint32_t index) const noexcept {
  StageInfo info;
  if (index >= num_stages()) return info;
  internal::ForEachStage(state_, [&](uint32_t i, const internal::Stage& stage) {
    if (i != index) return;
    const internal::StageEntry entry = internal::LoadStageEntry(state_.stage_table, i);
    info = {stage.body, entry.num_blocks, entry.num_keys, static_cast<Layout>(entry.layout), entry.num_probes};
  });
  return info;
}

double StageInfo::FillRatio() const noexcept {
  return num_blocks == 0 ? 0 : internal::FillRatioOf(body, internal::kBlockBytes * num_blocks);
}

double StageInfo::ExpectedFpr() const noexcept {
  if (num_blocks == 0) return 0;
  const internal::LayoutRecord& record = internal::StageLayout();
  internal::ProbeState state;
  internal::BindBody(record, {body, internal::kBlockBytes * num_blocks, num_probes}, &state);
  return record.expected_fpr(state);
}

Status VerifyImage(const void* image, size_t size) noexcept {
  const uint8_t* const bytes = static_cast<const uint8_t*>(image);
  internal::Trailer trailer;
  const internal::LayoutRecord* record = nullptr;
  const Status status = VerifyTrailer(bytes, size, &trailer, &record);
  return status.ok() ? VerifyBody(bytes, trailer) : status;
}

}  // namespace linefilter
