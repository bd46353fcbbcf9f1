/* What the tests in C share. */
#ifndef LINEFILTER_TESTS_C_FIXTURE_H_
#define LINEFILTER_TESTS_C_FIXTURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c.h"

enum { kKeys = 5000, kAbsent = 2000 };

extern char test_folder[]; /* main makes and removes it */

/* A path in it, until the next call. */
const char* FileIn(const char* name);

linefilter_options Options(linefilter_layout layout, double bits_per_key);

/* Key i as bytes, until the next call; absent ones from kKeys on. */
const char* Key(unsigned i);

/* An error: a code and a sentence with that word. */
bool Says(linefilter_code code, const linefilter_status* status, const char* word);
bool IsOk(const linefilter_status* status);
/* What is said where a handle is NULL. */
bool IsNoHandle(linefilter_code code, const linefilter_status* status);

/* Where Collect, a linefilter_sink, puts an image; it refuses what goes beyond refuse_from. */
typedef struct Bytes {
  uint8_t data[100000];
  size_t size, refuse_from;
} Bytes;
extern Bytes collected;
bool Collect(void* context, const void* data, size_t size);

bool FileHas(const char* path, const void* image, size_t size);

/* Is everything that is in `view` what one asks of kKeys keys? */
void CheckAnswers(const linefilter_view* view);

/* The ways to insert into a filter of any kind of `seed`: one by one, then in batches, which are asked for in each way.
 */
void InsertSingles(linefilter_filter* filter, uint64_t seed);
void InsertBatchesAndAsk(linefilter_filter* filter, uint64_t seed);

/* The image of a filter, which is the same by every way out; one of them is the file of that name. */
void* ImageByEveryWayOut(const linefilter_filter* filter, const char* file, size_t* size);

/* What a view of an image of that many bytes tells that has several stages. */
void CheckContainer(const linefilter_view* view, size_t image_bytes);

/* One in each file. */
void RunTypes(void);
void RunHash(void);
void RunSizing(void);
void RunMemory(void);
void RunFilter(void);
void RunConcurrent(void);
void RunScalable(void);
void RunLiving(void);
void RunKinds(void);
void RunBuilder(void);
void RunSource(void);
void RunView(void);
void RunColumns(void);
void RunColumnFaults(void);
void RunColumnCanonical(void);
void RunScanFilter(void);
void RunUnite(void);
void RunHashIds(void);
void RunTesting(void);
void RunMonitor(void);
void RunParquet(void);
void RunParquetValues(void);

#endif /* LINEFILTER_TESTS_C_FIXTURE_H_ */
