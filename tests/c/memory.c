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

void RunMemory(void) { RUN(TestHostMemory); }
