/* linefilter_source: images from a stream of hashes. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

typedef struct Numbers {
  uint64_t next;
  int passes;
} Numbers;

static size_t ReadNumbers(void* context, uint64_t* hashes, size_t capacity) {
  Numbers* numbers = context;
  size_t n = 0;
  for (; n < capacity && numbers->next < kKeys; ++n) hashes[n] = linefilter_hash_u64(numbers->next++, 0);
  return n;
}

static bool RewindNumbers(void* context) {
  Numbers* numbers = context;
  numbers->next = 0;
  ++numbers->passes;
  return true;
}

static size_t ReadNothing(void* context, uint64_t* hashes, size_t capacity) {
  (void)context, (void)hashes, (void)capacity;
  return LINEFILTER_SOURCE_FAILED;
}

static void TestSource(void) {
  linefilter_status status;
  linefilter_sizing sizing;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 10);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < kKeys; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  void* image = linefilter_builder_finish(builder, &size, NULL);
  Numbers numbers = {0, 0};
  linefilter_source source;
  source.read = ReadNumbers;
  source.rewind = RewindNumbers;
  source.context = &numbers;
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_source_build_to_sink(&options, &source, Collect, &collected, &sizing, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && numbers.passes >= 1 && sizing.num_keys == kKeys);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  numbers.next = 0;
  CHECK(linefilter_source_build_to_file(&options, &source, FileIn("stream"), NULL, &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("stream"), image, size));
  numbers.next = 0;
  CHECK(linefilter_source_build_to_file(&options, &source, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_source_build_to_file(&options, NULL, "x", NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_source_build_to_sink(&options, &source, NULL, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_source_build_to_sink(NULL, &source, Collect, &collected, NULL, NULL) == LINEFILTER_INVALID_ARGUMENT);
  source.read = ReadNothing;
  CHECK(linefilter_source_build_to_sink(&options, &source, Collect, &collected, NULL, &status) == LINEFILTER_IO_ERROR);
  source.rewind = NULL;
  CHECK(linefilter_source_build_to_sink(&options, &source, Collect, &collected, NULL, &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "rewind"));
  linefilter_image_free(image);
  linefilter_builder_free(builder);
}

void RunSource(void) { RUN(TestSource); }
