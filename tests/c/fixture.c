#include "tests/c/fixture.h"

#include <stdio.h>
#include <string.h>

#include "tests/c/check.h"

char test_folder[] = "/tmp/linefilter-c-test-XXXXXX";
Bytes collected;

const char* FileIn(const char* name) {
  static char path[256];
  snprintf(path, sizeof(path), "%s/%s", test_folder, name);
  return path;
}

linefilter_options Options(linefilter_layout layout, double bits_per_key) {
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.layout = layout;
  options.bits_per_key = bits_per_key;
  return options;
}

const char* Key(unsigned i) {
  static char key[32];
  snprintf(key, sizeof(key), "key %u", i);
  return key;
}

bool Says(linefilter_code code, const linefilter_status* status, const char* word) {
  const bool is_good = status->code == code && strlen(status->message) > 10 && strstr(status->message, word) != NULL;
  if (!is_good) printf("  %s: %s\n", linefilter_code_name(status->code), status->message);
  return is_good;
}

bool IsOk(const linefilter_status* status) {
  const bool is_ok = status->code == LINEFILTER_OK && strcmp(status->message, "ok") == 0;
  if (!is_ok) printf("  %s: %s\n", linefilter_code_name(status->code), status->message);
  return is_ok;
}

bool IsNoHandle(linefilter_code code, const linefilter_status* status) {
  return code == LINEFILTER_INVALID_ARGUMENT && Says(LINEFILTER_INVALID_ARGUMENT, status, "NULL");
}

bool Collect(void* context, const void* data, size_t size) {
  Bytes* bytes = context;
  if (bytes->size + size > bytes->refuse_from) return false;
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return true;
}

bool FileHas(const char* path, const void* image, size_t size) {
  static uint8_t read[100000];
  FILE* file = fopen(path, "rb");
  const size_t n = file == NULL ? 0 : fread(read, 1, sizeof(read), file);
  if (file != NULL) fclose(file);
  return n == size && memcmp(read, image, size) == 0;
}

void CheckAnswers(const linefilter_view* view) {
  int maybes = 0;
  for (unsigned i = 0; i < kKeys; ++i) CHECK(linefilter_view_may_contain_key(view, Key(i), strlen(Key(i))));
  for (unsigned i = kKeys; i < kKeys + kAbsent; ++i) {
    maybes += linefilter_view_may_contain_key(view, Key(i), strlen(Key(i)));
  }
  CHECK(maybes < kAbsent / 20); /* 1 % are expected */
}

void CheckContainer(const linefilter_view* view, size_t image_bytes) {
  CHECK(linefilter_view_layout(view) == LINEFILTER_LAYOUT_CONTAINER && linefilter_view_num_probes(view) == 0);
  CHECK(strcmp(linefilter_layout_name(linefilter_view_layout(view)), "container") == 0);
  CHECK(linefilter_view_image_bytes(view) == image_bytes && !linefilter_view_empty_set(view));
  CHECK(linefilter_view_num_blocks(view) > 1 && linefilter_view_body(view) != NULL);
  CHECK(linefilter_view_body_bytes(view) == 64 * linefilter_view_num_blocks(view));
  CHECK(linefilter_view_verify(view, NULL) == LINEFILTER_OK && linefilter_view_key_status(view, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_fill_ratio(view) > 0 && linefilter_view_fill_ratio(view) < 0.6);
  CHECK(linefilter_view_expected_fpr(view) > 0 && linefilter_view_expected_fpr(view) < 0.01);
}

void InsertSingles(linefilter_filter* filter, uint64_t seed) {
  CHECK(linefilter_filter_insert_key(filter, "one", 3) && !linefilter_filter_insert_key(filter, "one", 3));
  CHECK(linefilter_filter_insert_u64(filter, 10));
  CHECK(linefilter_filter_insert_hash(filter, linefilter_hash_key("two", 3, seed)));
}

void InsertBatchesAndAsk(linefilter_filter* filter, uint64_t seed) {
  const linefilter_view* view = linefilter_filter_view(filter);
  const void* keys[2] = {"three", "four"};
  const size_t sizes[2] = {5, 4};
  const uint64_t numbers[2] = {11, 12}; /* of the hashes the last one is absent */
  const uint64_t hashes[3] = {linefilter_hash_u64(13, seed), linefilter_hash_u64(14, seed),
                              linefilter_hash_u64(15, seed)};
  uint8_t were_new[3] = {0, 0, 7}, answers[4] = {0, 0, 9, 9}, bits = 0;
  CHECK(linefilter_filter_insert_keys(filter, keys, sizes, 2, were_new) == 2 && were_new[1] == 1);
  CHECK(linefilter_filter_insert_keys(filter, keys, sizes, 2, were_new) == 0 && !were_new[0] && !were_new[1]);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 2, NULL) == 2);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 2, were_new) == 0 && !were_new[0] && !were_new[1]);
  were_new[0] = were_new[1] = 0;
  CHECK(linefilter_filter_insert_hashes(filter, hashes, 2, were_new) == 2);
  CHECK(were_new[0] == 1 && were_new[1] == 1 && were_new[2] == 7);
  CHECK(linefilter_view_may_contain_key(view, "two", 3) && !linefilter_view_may_contain_key(view, "x", 1));
  CHECK(linefilter_view_may_contain_u64(view, 14) && !linefilter_view_may_contain_u64(view, 15));
  CHECK(linefilter_view_may_contain_hash(view, hashes[0]) && !linefilter_view_may_contain_hash(view, hashes[2]));
  linefilter_view_may_contain_keys(view, keys, sizes, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1 && answers[2] == 9);
  answers[0] = 0;
  linefilter_view_may_contain_u64s(view, numbers, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1 && answers[2] == 9);
  answers[0] = 0;
  linefilter_view_may_contain_hashes(view, hashes, 3, answers);
  CHECK(answers[0] == 1 && answers[1] == 1 && answers[2] == 0 && answers[3] == 9);
  linefilter_view_may_contain_hashes_to_bits(view, hashes, 3, &bits);
  CHECK(bits == 3 && linefilter_view_count_maybes(view, hashes, 3) == 2);
  bits = 0;
  linefilter_view_may_contain_keys_to_bits(view, keys, sizes, 2, &bits);
  CHECK(bits == 3);
  bits = 0;
  linefilter_view_may_contain_u64s_to_bits(view, numbers, 2, &bits);
  CHECK(bits == 3);
}

void* ImageByEveryWayOut(const linefilter_filter* filter, const char* file, size_t* size) {
  static uint8_t out[100000];
  linefilter_status status;
  void* image = linefilter_filter_image(filter, size, &status);
  CHECK(image != NULL && IsOk(&status) && *size == linefilter_filter_image_bytes(filter));
  out[*size] = 77;
  CHECK(linefilter_filter_write_to(filter, out, sizeof(out), &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(memcmp(out, image, *size) == 0 && out[*size] == 77);
  CHECK(linefilter_filter_write_to(filter, NULL, *size, &status) == LINEFILTER_INVALID_ARGUMENT);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_filter_write_to_sink(filter, Collect, &collected, &status) == LINEFILTER_OK);
  CHECK(collected.size == *size && memcmp(collected.data, image, *size) == 0);
  CHECK(linefilter_filter_write_to_sink(filter, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "sink"));
  CHECK(linefilter_filter_save(filter, FileIn(file), &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn(file), image, *size));
  CHECK(linefilter_filter_save(filter, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  return image;
}
