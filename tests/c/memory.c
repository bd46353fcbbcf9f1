/* Memory of the host: hooks, and how much of it may be taken. */
#define _XOPEN_SOURCE 700 /* posix_memalign */
#include <stdlib.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

typedef struct Heap {
  int live, made, fail_at;
} Heap;

static void* Allocate(void* context, size_t size, size_t alignment) {
  Heap* heap = context;
  void* pointer = NULL;
  if (heap->made++ == heap->fail_at) return NULL;
  if (posix_memalign(&pointer, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) != 0) return NULL;
  ++heap->live;
  memset(pointer, 0xa5, size);
  return pointer;
}

static void Deallocate(void* context, void* pointer, size_t size, size_t alignment) {
  (void)size, (void)alignment;
  --((Heap*)context)->live;
  free(pointer);
}

static linefilter_allocator Hooks(Heap* heap) {
  linefilter_allocator allocator;
  allocator.allocate = Allocate;
  allocator.deallocate = Deallocate;
  allocator.context = heap;
  return allocator;
}

/* All kinds of handles; false if one of them found no memory, and said so. */
static bool UseEverything(Heap* heap, linefilter_status* status) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  bool is_done = false;
  void *image = NULL, *built = NULL;
  size_t size = 0;
  linefilter_filter *filter = NULL, *copy = NULL, *sealed = NULL;
  linefilter_builder* builder = NULL;
  linefilter_concurrent* concurrent = NULL;
  linefilter_view* view = NULL;
  const linefilter_allocator hooks = Hooks(heap);
  options.allocator = hooks;
  do {
    if ((filter = linefilter_filter_new(1000, &options, status)) == NULL) break;
    linefilter_filter_insert_u64(filter, 1);
    if ((image = linefilter_filter_image(filter, &size, status)) == NULL) break;
    if ((copy = linefilter_filter_from_image(image, size, &options, status)) == NULL) break;
    if ((concurrent = linefilter_concurrent_from_image(image, size, &options, status)) == NULL) break;
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
  linefilter_concurrent_free(concurrent);
  linefilter_filter_free(copy);
  linefilter_filter_free(filter);
  linefilter_image_free(image);
  linefilter_image_free(built);
  return is_done;
}

static void TestHostMemory(void) {
  Heap heap = {0, 0, -1};
  linefilter_status status;
  CHECK(UseEverything(&heap, &status) && heap.live == 0);
  CHECK(heap.made >= 13); /* the handles, their bodies, two images */
  const int allocations = heap.made;
  for (int i = 0; i < allocations; ++i) {
    heap.live = heap.made = 0;
    heap.fail_at = i;
    CHECK(!UseEverything(&heap, &status) && heap.live == 0);
    CHECK(Says(LINEFILTER_OUT_OF_MEMORY, &status, "no memory for"));
  }
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  heap.made = 0;
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

/* Of a builder the image counts, wherever it goes. */
static void TestLimitCountsTheBuiltImage(void) {
  enum { kMany = 50000 };
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 64);
  uint64_t bytes = 0, peak = 0;
  size_t size = 0;
  CHECK(linefilter_builder_estimate(&options, kMany, &bytes, &peak, NULL) == LINEFILTER_OK && peak > 8 * kMany + bytes);
  for (int i = 0; i < 2; ++i) {
    options.memory_limit = i == 0 ? peak : 8 * kMany + bytes - 1;
    linefilter_builder* builder = linefilter_builder_new(&options, NULL);
    for (uint64_t key = 0; key < kMany; ++key) linefilter_builder_add_u64(builder, key);
    CHECK(linefilter_builder_status(builder, &status) == LINEFILTER_OK && IsOk(&status)); /* the keys have room */
    void* image = linefilter_builder_finish(builder, &size, &status);
    CHECK(i == 0 ? image != NULL && IsOk(&status) : image == NULL && status.code == LINEFILTER_OVER_LIMIT);
    linefilter_image_free(image);
    linefilter_builder_free(builder);
  }
}

/* Of a filter the image does not. */
static void TestLimitIsOfTheFilter(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(100000, &options, NULL);
  linefilter_concurrent* concurrent = linefilter_concurrent_new(100000, &options, NULL);
  const uint64_t of_filter = linefilter_filter_memory_use(filter);
  const uint64_t of_concurrent = linefilter_concurrent_memory_use(concurrent);
  const uint64_t body_bytes = linefilter_concurrent_body_bytes(concurrent);
  linefilter_filter_free(filter);
  linefilter_concurrent_free(concurrent);

  options.memory_limit = body_bytes;
  CHECK(linefilter_filter_new(100000, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
  CHECK(linefilter_concurrent_new(100000, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
  options.memory_limit = of_filter;
  filter = linefilter_filter_new(100000, &options, &status);
  CHECK(filter != NULL && IsOk(&status));
  options.memory_limit = of_concurrent;
  concurrent = linefilter_concurrent_new(100000, &options, &status);
  CHECK(concurrent != NULL && IsOk(&status));
  void* image = linefilter_filter_image(filter, NULL, &status);
  CHECK(image != NULL && IsOk(&status));
  void* other = linefilter_concurrent_image(concurrent, NULL, &status);
  CHECK(other != NULL && IsOk(&status));
  linefilter_image_free(image);
  linefilter_image_free(other);
  linefilter_filter_free(filter);
  linefilter_concurrent_free(concurrent);
}

void RunMemory(void) {
  RUN(TestHostMemory);
  RUN(TestLimitCountsTheBuiltImage);
  RUN(TestLimitIsOfTheFilter);
}
