// A stream is read in one pass to count, then in one per group of ranges. Where the first pass shows many repeats, some
// passes count the distinct hashes, and each group is read without repeats.
#include <cstring>

#include "lib/base/memory.h"
#include "lib/build/bulk.h"
#include "lib/build/distinct_hashes.h"
#include "lib/build/group_plan.h"
#include "lib/build/hash_reader.h"
#include "lib/build/repeat_sketch.h"
#include "lib/build/repeats.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/options.h"
#include "linefilter/bulk.h"
#include "linefilter/file.h"

namespace linefilter {
namespace internal {
namespace {

// This is held from the first pass to the last.
struct Working {
  Histogram histogram;
  StreamSketch sketch;
  HashChunk chunk;  // of the buffer
  uint64_t buffer[HashReader::kCapacity];
};
static_assert(HashReader::kCapacity > kCountedExactly, "so few keys are in the buffer after the first pass");

Status Changed(const Tally& first, const Tally& now) {
  return Status::Error(StatusCode::kIoError,
                       "the source of hashes gave others when it was read again (%llu, now %llu): it must not change "
                       "while it is read",
                       static_cast<unsigned long long>(first.count), static_cast<unsigned long long>(now.count));
}

class SourceBuild {
 public:
  SourceBuild(const FilterOptions& options, const HashSource& source, const Sink& sink)
      : options_(options), source_(source), sink_(sink) {}
  ~SourceBuild() { Deallocate(options_.allocator, working_, sizeof(Working)); }
  SourceBuild(const SourceBuild&) = delete;
  SourceBuild& operator=(const SourceBuild&) = delete;

  Status Run(Sizing* sizing) {
    uint64_t num_keys = 0;
    Status status = Count(&num_keys);
    if (status.ok()) status = SizeForOptions(options_.layout, num_keys, options_, &sizing_);
    if (status.ok()) status = Build();
    if (status.ok() && sizing != nullptr) *sizing = sizing_;
    return status;
  }

 private:
  // Makes the first pass, and tells how many keys to size for: as many as a builder would (builder.h).
  Status Count(uint64_t* num_keys);
  // Counts the distinct hashes, also for the histogram.
  Status CountDistinct();
  Status Build();
  Status BuildBody(uint64_t memory, ImageWriter* writer);
  Status BuildWhole(ImageWriter* writer);
  Status BuildGroup(const GroupPlan::Group& group, size_t num_workers, ImageWriter* writer);
  // Calls take(hashes, n) with all hashes, which must be those that were counted; false means that they are not.
  template <class Take>
  Status Pass(const Take& take);
  // Reads the hashes of a group; the other one reads the distinct ones, so many at once.
  Status ReadGroup(const GroupPlan::Group& group, Partition* partition);
  uint64_t CapacityFor(const GroupPlan::Group& group) const;
  Status ReadDistinct(uint64_t first_hash, uint64_t last_hash, uint64_t capacity, Partition* partition);

  const FilterOptions options_;
  const HashSource source_;
  const Sink sink_;
  Working* working_ = nullptr;
  Tally tally_;
  Sizing sizing_;
  bool drops_all_repeats_ = false;
  uint64_t num_hashes_ = 0;  // that are built of
  uint64_t held_ = sizeof(Working);
};

Status SourceBuild::Count(uint64_t* num_keys) {
  if (held_ > options_.memory_limit) return OverLimit(held_, options_.memory_limit);
  working_ = static_cast<Working*>(AllocateZeroed(options_.allocator, sizeof(Working)));
  if (working_ == nullptr) return OutOfMemory(sizeof(Working));
  working_->chunk.bytes = sizeof(working_->chunk) + sizeof(working_->buffer);
  HashReader reader(source_, DropsRepeats(options_), working_->buffer);
  while (const size_t n = reader.Next()) {
    working_->histogram.Add(working_->buffer, n);
    working_->sketch.Add(working_->buffer, n, SketchLevel(reader.num_read()));
  }
  if (!reader.status().ok()) return reader.status();
  tally_ = reader.tally();
  num_hashes_ = tally_.count;
  *num_keys = options_.num_keys != 0 ? options_.num_keys : reader.num_read();
  if (options_.num_keys != 0 || !DropsRepeats(options_)) return Status();
  if (reader.num_read() <= kCountedExactly) {
    const bool may_repeat = FewMayRepeat(&working_->chunk, tally_.count);
    *num_keys = may_repeat ? SortDistinct(&working_->chunk, tally_.count) : tally_.count;
  } else if (working_->sketch.ShowsRepeats(reader.num_read())) {
    const Status status = CountDistinct();
    *num_keys = num_hashes_;
    return status;
  }
  return Status();
}

Status SourceBuild::CountDistinct() {
  drops_all_repeats_ = true;
  const uint64_t least = held_ + DistinctHashes::BytesFor(DistinctHashes::kLeast);
  if (least > options_.memory_limit) return OverLimit(least, options_.memory_limit);
  const uint64_t most = (options_.memory_limit - held_ - DistinctHashes::BytesFor(0)) / sizeof(uint64_t);
  const uint64_t all = tally_.count < DistinctHashes::kLeast ? DistinctHashes::kLeast : tally_.count;
  DistinctHashes distinct(options_.allocator);
  if (!distinct.Create(all < most ? all : most)) return OutOfMemory(DistinctHashes::BytesFor(all < most ? all : most));
  working_->histogram = Histogram();
  num_hashes_ = 0;
  for (uint64_t first = 0;; first = distinct.last() + 1) {
    distinct.Begin(first, ~uint64_t{0});
    const Status status = Pass([&](const uint64_t* hashes, size_t n) { return distinct.Add(hashes, n), true; });
    if (!status.ok()) return status;
    distinct.End();
    working_->histogram.Add(distinct.hashes(), static_cast<size_t>(distinct.size()));
    num_hashes_ += distinct.size();
    if (distinct.last() == ~uint64_t{0}) break;
  }
  held_ += DistinctHashes::BytesFor(DistinctHashes::kLeast);  // what reading a group takes, or more if there is more
  return Status();
}

template <class Take>
Status SourceBuild::Pass(const Take& take) {
  if (!source_.rewind(source_.context)) {
    return Status::Error(StatusCode::kIoError, "the source of hashes cannot be rewound: it is read more than once");
  }
  HashReader reader(source_, DropsRepeats(options_), working_->buffer);
  while (const size_t n = reader.Next()) {
    if (!take(working_->buffer, n)) return Changed(tally_, reader.tally());
  }
  if (!reader.status().ok()) return reader.status();
  return reader.tally() == tally_ ? Status() : Changed(tally_, reader.tally());
}

Status SourceBuild::BuildWhole(ImageWriter* writer) {
  const uint64_t body_bytes = sizing_.body_bytes;
  uint8_t* const body = static_cast<uint8_t*>(AllocateZeroed(options_.allocator, body_bytes));
  if (body == nullptr) return OutOfMemory(body_bytes);
  const ProbeState state = StateOf(sizing_, options_.hash_id, body);
  const LayoutMaker& maker = *FindMaker(sizing_.layout);
  Status status = Pass([&](const uint64_t* hashes, size_t n) {
    InsertHashes(maker, state, body, hashes, n);
    return true;
  });
  if (status.ok()) status = writer->Append(body, body_bytes);
  Deallocate(options_.allocator, body, body_bytes);
  return status;
}

Status SourceBuild::ReadGroup(const GroupPlan::Group& group, Partition* partition) {
  const HashInterval interval =
      HashesOf(group.first_block, group.first_block + group.num_blocks, group.shape.num_blocks, group.shape.index_mask);
  if (drops_all_repeats_) return ReadDistinct(interval.first, interval.last, CapacityFor(group), partition);
  return Pass([&](const uint64_t* hashes, size_t n) {
    bool has_room = true;
    ForEachInInterval(hashes, n, interval, [&](const uint64_t* some, size_t size, const uint64_t*) {
      has_room = has_room && partition->Read(0, some, size);
    });
    return has_room;
  });
}

// Twice the hashes that the group may have are enough to read them in one pass.
uint64_t SourceBuild::CapacityFor(const GroupPlan::Group& group) const {
  const uint64_t enough = 2 * group.most_hashes,
                 used = held_ - DistinctHashes::BytesFor(DistinctHashes::kLeast) + Partition::BytesFor(group.shape) +
                        FindMaker(sizing_.layout)->block_bytes() * group.num_blocks + DistinctHashes::BytesFor(0);
  const uint64_t fit = (options_.memory_limit - used) / sizeof(uint64_t), most = enough < fit ? enough : fit;
  return most < DistinctHashes::kLeast ? DistinctHashes::kLeast : most;
}

Status SourceBuild::ReadDistinct(uint64_t first_hash, uint64_t last_hash, uint64_t capacity, Partition* partition) {
  DistinctHashes distinct(options_.allocator);
  if (!distinct.Create(capacity)) return OutOfMemory(DistinctHashes::BytesFor(capacity));
  for (uint64_t first = first_hash;; first = distinct.last() + 1) {
    distinct.Begin(first, last_hash);
    const Status status = Pass([&](const uint64_t* hashes, size_t n) { return distinct.Add(hashes, n), true; });
    if (!status.ok()) return status;
    distinct.End();
    if (!partition->Read(0, distinct.hashes(), static_cast<size_t>(distinct.size()))) return Changed(tally_, tally_);
    if (distinct.last() == last_hash) return Status();
  }
}

Status SourceBuild::BuildGroup(const GroupPlan::Group& group, size_t num_workers, ImageWriter* writer) {
  Partition partition(options_.allocator);
  if (!partition.Create(group.shape)) return OutOfMemory(Partition::BytesFor(group.shape));
  const LayoutMaker& maker = *FindMaker(sizing_.layout);
  const uint64_t bytes = maker.block_bytes() * group.num_blocks;
  uint8_t* const blocks = static_cast<uint8_t*>(Allocate(options_.allocator, bytes));  // before all is read once more
  if (blocks == nullptr) return OutOfMemory(bytes);
  Status status = ReadGroup(group, &partition);
  if (status.ok()) {
    const MemoryBudget budget{held_ + Partition::BytesFor(group.shape) + bytes, options_.memory_limit};
    const BulkContext context{maker, options_.allocator, options_.executor, num_workers, group.scratch, budget};
    const bool is_zero = AllocatesZeros(options_.allocator, bytes);
    status = BuildRanges(context, partition, StateOf(sizing_, options_.hash_id, nullptr), blocks, is_zero);
  }
  if (status.ok()) status = writer->Append(blocks, bytes);
  Deallocate(options_.allocator, blocks, bytes);
  return status;
}

// Builds the body within `memory` bytes.
Status SourceBuild::BuildBody(uint64_t memory, ImageWriter* writer) {
  const LayoutMaker& maker = *FindMaker(sizing_.layout);
  const bool whole_fits = maker.takes_keys() && sizing_.body_bytes <= memory;
  if (maker.range_blocks == 0 || (whole_fits && sizing_.body_bytes < Tuning().min_body_bytes)) {
    return whole_fits ? BuildWhole(writer) : OverLimit(held_ + sizing_.body_bytes, options_.memory_limit);
  }
  const uint64_t num_blocks = sizing_.body_bytes / maker.block_bytes();
  GroupPlan plan(maker, working_->histogram, num_hashes_, num_blocks, options_.executor);
  uint64_t needed = 0;
  const bool fits = plan.Fit(memory, &needed);
  // One slow pass rather than many: reading a hash costs as much as inserting it.
  if (whole_fits && (!fits || plan.Next(0, memory).num_blocks < num_blocks)) return BuildWhole(writer);
  if (!fits) return OverLimit(held_ + needed, options_.memory_limit);
  Status status;
  for (uint64_t block = 0; status.ok() && block < num_blocks;) {
    const GroupPlan::Group group = plan.Next(block, memory);
    status = BuildGroup(group, plan.num_workers(), writer);
    block += group.num_blocks;
  }
  return status;
}

Status SourceBuild::Build() {
  const Trailer trailer = TrailerFor(options_, sizing_);
  ImageWriter writer(trailer, options_.allocator, sink_, options_.executor);
  held_ += ImageWriter::BytesFor(trailer);
  if (held_ > options_.memory_limit) return OverLimit(held_, options_.memory_limit);
  Status status = writer.Start();
  if (status.ok() && sizing_.body_bytes != 0) status = BuildBody(options_.memory_limit - held_, &writer);
  return status.ok() ? writer.Finish() : status;
}

Status Check(const FilterOptions& options, const HashSource& source, const Sink& sink) {
  if (source.read == nullptr || source.rewind == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the source of hashes lacks a function: set read and rewind, it is read more than once");
  }
  const Status status = CheckSink(sink);
  return status.ok() ? CheckOptionsToBuild(options) : status;
}

}  // namespace
}  // namespace internal

Status BuildFromSource(const FilterOptions& options, const HashSource& source, const Sink& sink,
                       Sizing* sizing) noexcept {
  const Status status = internal::Check(options, source, sink);
  return status.ok() ? internal::SourceBuild(options, source, sink).Run(sizing) : status;
}

Status BuildFromSourceToFile(const FilterOptions& options, const HashSource& source, const char* path,
                             Sizing* sizing) noexcept {
  AtomicFile file;
  Status status = file.Create(path);
  if (status.ok()) status = BuildFromSource(options, source, file.sink(), sizing);
  if (status.ok()) status = file.Commit();
  return file.status().ok() ? status : file.status();  // the system's reason, not the sink's
}

}  // namespace linefilter
