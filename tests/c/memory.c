/* Memory of the host: hooks, and how much of it may be taken. */
#define _XOPEN_SOURCE 700 /* posix_memalign */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

typedef struct Heap {
  int live, made, fail_at;
  size_t bytes, peak; /* that are allocated, and were */
} Heap;

/* Before each allocation: what it was asked for. */
enum { kHeader = 64 };
typedef struct Asked {
  size_t size, alignment;
} Asked;

static void* Allocate(void* context, size_t size, size_t alignment) {
  Heap* heap = context;
  void* memory = NULL;
  const Asked asked = {size, alignment};
  CHECK(size != 0 && alignment != 0 && kHeader % alignment == 0);
  if (heap->made++ == heap->fail_at) return NULL;
  if (posix_memalign(&memory, kHeader, kHeader + size) != 0) return NULL;
  memcpy(memory, &asked, sizeof(asked));
  ++heap->live;
  heap->bytes += size;
  if (heap->bytes > heap->peak) heap->peak = heap->bytes;
  return memset((uint8_t*)memory + kHeader, 0xa5, size);
}

static void Deallocate(void* context, void* pointer, size_t size, size_t alignment) {
  Heap* heap = context;
  void* memory = (uint8_t*)pointer - kHeader;
  Asked asked;
  memcpy(&asked, memory, sizeof(asked));
  CHECK(size == asked.size && alignment == asked.alignment);
  --heap->live;
  heap->bytes -= size;
  free(memory);
}

static linefilter_allocator Hooks(Heap* heap) {
  linefilter_allocator allocator;
  allocator.allocate = Allocate;
  allocator.deallocate = Deallocate;
  allocator.context = heap;
  return allocator;
}

enum { kMany = 100000 };

static size_t ReadMany(void* context, uint64_t* hashes, size_t capacity) {
  uint64_t* next = context;
  size_t n = 0;
  for (; n < capacity && *next < kMany; ++n) hashes[n] = linefilter_hash_u64((*next)++, 0);
  return n;
}

static bool RewindMany(void* context) {
  *(uint64_t*)context = 0;
  return true;
}

static bool Count(void* context, const void* data, size_t size) {
  (void)data;
  *(size_t*)context += size;
  return true;
}

/* An image of kMany keys from a builder, and as many bytes from a stream. */
static bool BuildMany(linefilter_layout layout, Heap* heap, linefilter_status* status) {
  linefilter_options options = Options(layout, 10);
  uint64_t next = 0;
  const linefilter_source source = {ReadMany, RewindMany, &next};
  size_t size = 0, written = 0;
  options.allocator = Hooks(heap);
  linefilter_builder* builder = linefilter_builder_new(&options, status);
  if (builder == NULL) return false;
  for (uint64_t key = 0; key < kMany; ++key) linefilter_builder_add_u64(builder, key);
  void* image = linefilter_builder_finish(builder, &size, status);
  linefilter_builder_free(builder);
  bool is_done = image != NULL;
  if (is_done) {
    is_done = linefilter_source_build_to_sink(&options, &source, Count, &written, NULL, status) == LINEFILTER_OK;
    CHECK(!is_done || written == size);
  }
  linefilter_image_free(image);
  return is_done;
}

static bool BuildBlocked(Heap* heap, linefilter_status* status) {
  return BuildMany(LINEFILTER_LAYOUT_BLOCKED, heap, status);
}
static bool BuildClassic(Heap* heap, linefilter_status* status) {
  return BuildMany(LINEFILTER_LAYOUT_CLASSIC, heap, status);
}
static bool BuildRetrieval(Heap* heap, linefilter_status* status) {
  return BuildMany(LINEFILTER_LAYOUT_RETRIEVAL, heap, status);
}

/* All kinds of handles; false if one of them found no memory, and said so. */
static bool UseEverything(Heap* heap, linefilter_status* status) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  bool is_done = false;
  void *image = NULL, *other = NULL, *built = NULL;
  size_t size = 0;
  linefilter_filter *filter = NULL, *copy = NULL, *of_file = NULL, *sealed = NULL;
  linefilter_builder* builder = NULL;
  linefilter_filter* concurrent = NULL;
  const uint8_t bitset[32] = {0};
  linefilter_view *view = NULL, *file = linefilter_parquet_open_bitset(bitset, sizeof(bitset), status);
  const linefilter_allocator hooks = Hooks(heap);
  options.allocator = hooks;
  do {
    if ((filter = linefilter_filter_new(1000, &options, status)) == NULL) break;
    linefilter_filter_insert_u64(filter, 1);
    if ((image = linefilter_filter_image(filter, &size, status)) == NULL) break;
    if ((copy = linefilter_filter_from_image(image, size, &options, status)) == NULL) break;
    if ((of_file = linefilter_parquet_copy(file, &options, status)) == NULL) break;
    if ((concurrent = linefilter_concurrent_from_image(image, size, &options, status)) == NULL) break;
    if ((other = linefilter_filter_image(concurrent, &size, status)) == NULL) break;
    if (linefilter_filter_save(concurrent, FileIn("hooks"), status) != LINEFILTER_OK) break;
    if ((sealed = linefilter_concurrent_seal(concurrent, status)) == NULL) break;
    if ((builder = linefilter_builder_new(&options, status)) == NULL) break;
    linefilter_builder_add_u64(builder, 1);
    if ((built = linefilter_builder_finish(builder, &size, status)) == NULL) break;
    if (linefilter_filter_save(filter, FileIn("hooks"), status) != LINEFILTER_OK) break;
    const int made = heap->made;
    view = linefilter_view_load(FileIn("hooks"), &hooks, LINEFILTER_NO_MEMORY_LIMIT, NULL, status);
    if (view == NULL) break;
    CHECK(heap->made >= made + 2); /* the handle, and for the file */
    CHECK(linefilter_view_may_contain_u64(view, 1) && !linefilter_view_may_contain_u64(view, 2));
    is_done = true;
  } while (false);
  linefilter_view_free(view);
  linefilter_builder_free(builder);
  linefilter_filter_free(sealed);
  linefilter_filter_free(concurrent);
  linefilter_filter_free(of_file);
  linefilter_view_free(file);
  linefilter_filter_free(copy);
  linefilter_filter_free(filter);
  linefilter_image_free(image);
  linefilter_image_free(other);
  linefilter_image_free(built);
  return is_done;
}

/* Each allocation fails, one run after the other. */
static void FailEach(bool (*use)(Heap* heap, linefilter_status* status), int least) {
  Heap heap = {0, 0, -1, 0, 0};
  linefilter_status status;
  CHECK(use(&heap, &status) && IsOk(&status) && heap.live == 0 && heap.bytes == 0);
  CHECK(heap.made >= least);
  const int allocations = heap.made;
  for (int i = 0; i < allocations; ++i) {
    heap.live = heap.made = 0;
    heap.fail_at = i;
    CHECK(!use(&heap, &status) && heap.live == 0);
    CHECK(Says(LINEFILTER_OUT_OF_MEMORY, &status, "no memory for"));
  }
}

static void TestHostMemory(void) {
  FailEach(UseEverything, 19); /* the handles, their bodies, three images */
  FailEach(BuildBlocked, 14);  /* and the hashes of many keys; the first of them lie in the builder */
  FailEach(BuildClassic, 14);
  FailEach(BuildRetrieval, 15);
}

static void TestHalfOfTheHooks(void) {
  Heap heap = {0, 0, -1, 0, 0};
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.allocator.allocate = Allocate;
  options.allocator.context = &heap;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_builder_new(&options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_filter_from_image("x", 1, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_view_load("x", &options.allocator, 1, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(heap.made == 0); /* nor was a handle made with half of the hooks */
}

/* Of a builder the image counts, wherever it goes; nothing is taken beyond the limit. */
static void TestLimitCountsTheBuiltImage(void) {
  enum { kOthers = 2048 }; /* that do not count */
  Heap heap = {0, 0, -1, 0, 0};
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 64);
  uint64_t bytes = 0, peak = 0;
  size_t size = 0;
  CHECK(linefilter_builder_estimate(&options, kMany, &bytes, &peak, NULL) == LINEFILTER_OK && peak > 8 * kMany + bytes);
  options.allocator = Hooks(&heap);
  for (int i = 0; i < 2; ++i) {
    heap.peak = heap.made = 0;
    options.memory_limit = i == 0 ? peak : 8 * kMany + bytes - 1;
    linefilter_builder* builder = linefilter_builder_new(&options, NULL);
    for (uint64_t key = 0; key < kMany; ++key) linefilter_builder_add_u64(builder, key);
    CHECK(linefilter_builder_status(builder, &status) == LINEFILTER_OK && IsOk(&status)); /* the keys have room */
    void* image = linefilter_builder_finish(builder, &size, &status);
    CHECK(i == 0 ? image != NULL && IsOk(&status) : image == NULL && status.code == LINEFILTER_OVER_LIMIT);
    linefilter_image_free(image);
    CHECK(heap.peak <= options.memory_limit + kOthers);
    linefilter_builder_free(builder);
  }
  CHECK(heap.live == 0);
}

/* What was wrong before is told, not that there is no memory for an image. */
static void TestEarlierErrorsWin(void) {
  Heap heap = {0, 0, -1, 0, 0};
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.allocator = Hooks(&heap);
  options.hash_id = LINEFILTER_HASH_CALLER;
  linefilter_builder* builder = linefilter_builder_new(&options, &status);
  linefilter_builder_add_u64(builder, 1);
  const int made = heap.made;
  heap.fail_at = made;
  CHECK(linefilter_builder_finish(builder, NULL, &status) == NULL && heap.made == made);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "caller"));
  linefilter_builder_free(builder);
  CHECK(heap.live == 0);
}

/* A filter of each kind, with these options. */
static linefilter_filter* New(linefilter_kind kind, const linefilter_options* options, linefilter_status* status) {
  switch (kind) {
    case LINEFILTER_KIND_CONCURRENT:
      return linefilter_concurrent_new(kMany, options, status);
    case LINEFILTER_KIND_SCALABLE:
      return linefilter_scalable_new(kMany, 0, options, status);
    case LINEFILTER_KIND_ROTATING:
      return linefilter_rotating_new(kMany, 3, LINEFILTER_ROTATE_BY_CALLER, options, status);
    default:
      return linefilter_filter_new(kMany, options, status);
  }
}

/* And of an image; it makes a concurrent one only where that is asked for. */
static linefilter_filter* From(linefilter_kind kind, const void* image, size_t size, const linefilter_options* options,
                               linefilter_status* status) {
  return kind == LINEFILTER_KIND_CONCURRENT ? linefilter_concurrent_from_image(image, size, options, status)
                                            : linefilter_filter_from_image(image, size, options, status);
}

/* To the byte, the handle too, for every kind, and for what an image makes; the image does not count. */
static void TestMemoryUseIsAllThatIsHeld(void) {
  for (linefilter_kind kind = LINEFILTER_KIND_PLAIN; kind <= LINEFILTER_KIND_ROTATING; ++kind) {
    Heap heap = {0, 0, -1, 0, 0};
    linefilter_status status;
    linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 0);
    size_t size = 0;
    options.fpr = 0.01;
    options.allocator = Hooks(&heap);
    linefilter_filter* filter = New(kind, &options, &status);
    CHECK(filter != NULL && heap.bytes == linefilter_filter_memory_use(filter));
    options.memory_limit = heap.bytes;
    linefilter_filter_free(filter);
    CHECK((filter = New(kind, &options, &status)) != NULL && IsOk(&status));
    void* image = linefilter_filter_image(filter, &size, &status);
    CHECK(image != NULL && IsOk(&status));
    linefilter_filter_free(filter);
    char figures[100];
    snprintf(figures, sizeof(figures), "%" PRIu64 " bytes are needed and memory_limit allows %" PRIu64 ":",
             options.memory_limit, options.memory_limit - 1);
    --options.memory_limit;
    CHECK(New(kind, &options, &status) == NULL); /* of stages it is told what is needed beside the handle */
    CHECK(Says(LINEFILTER_OVER_LIMIT, &status, kind <= LINEFILTER_KIND_CONCURRENT ? figures : "memory_limit"));
    options.memory_limit = LINEFILTER_NO_MEMORY_LIMIT;
    const size_t before = heap.bytes;
    filter = From(kind, image, size, &options, &status);
    options.memory_limit = linefilter_filter_memory_use(filter);
    CHECK(filter != NULL && heap.bytes == before + options.memory_limit);
    linefilter_filter_free(filter);
    CHECK((filter = From(kind, image, size, &options, &status)) != NULL && IsOk(&status));
    linefilter_filter_free(filter);
    --options.memory_limit;
    CHECK(From(kind, image, size, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
    options.memory_limit = 1; /* less than the handle alone takes */
    CHECK(New(kind, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
    CHECK(From(kind, image, size, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
    linefilter_image_free(image);
    CHECK(heap.live == 0);
  }
}

void RunMemory(void) {
  RUN(TestHostMemory);
  RUN(TestHalfOfTheHooks);
  RUN(TestLimitCountsTheBuiltImage);
  RUN(TestEarlierErrorsWin);
  RUN(TestMemoryUseIsAllThatIsHeld);
}
