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
