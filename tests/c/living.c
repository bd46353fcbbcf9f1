/* Filters that forget, and views whose filter is replaced. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestRotating(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 16);
  options.seed = 7;
  linefilter_filter* seen = linefilter_rotating_new(1000, 3, LINEFILTER_ROTATE_BY_CALLER, &options, &status);
  CHECK(seen != NULL && IsOk(&status));
  InsertSingles(seen, 7);
  CHECK(linefilter_rotating_rotate(seen) == 1 && linefilter_rotating_generation(seen) == 1);
  InsertBatchesAndAsk(seen, 7);
  const linefilter_view* live = linefilter_filter_view(seen);
  CHECK(linefilter_view_key_status(live, &status) == LINEFILTER_OK);

  CHECK(linefilter_view_hash_id(live) == LINEFILTER_HASH_XXH3 && linefilter_view_seed(live) == 7);
  CHECK(linefilter_rotating_num_generations(seen) == 3 && linefilter_rotating_keys_per_generation(seen) == 500);
  CHECK(linefilter_rotating_rotation(seen) == LINEFILTER_ROTATE_BY_CALLER && linefilter_view_num_probes(live) > 5);
  CHECK(linefilter_view_body_bytes(live) == 3 * 1024 && linefilter_filter_memory_use(seen) > 4 * 1024);
  CHECK(strcmp(linefilter_view_target(live), linefilter_target_chosen()) == 0);
  const double newest = linefilter_rotating_approximate_size_of_age(seen, 0, NULL);
  const double before = linefilter_rotating_approximate_size_of_age(seen, 1, NULL);
  CHECK(newest > 5.5 && newest < 6.5 && before > 2.5 && before < 3.5);
  CHECK(linefilter_rotating_fill_ratio_of_age(seen, 1) > 0 && linefilter_rotating_fill_ratio_of_age(seen, 2) == 0);
  CHECK(linefilter_view_expected_fpr(live) < 0.001);

  size_t size = 0;
  void* image = ImageByEveryWayOut(seen, "rotating", &size);
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
  CHECK(linefilter_view_may_contain_u64(view, 10) && !linefilter_view_may_contain_u64(view, 15));
  CheckContainer(view, size);
  CHECK(linefilter_view_body_bytes(view) == linefilter_view_body_bytes(live));
  linefilter_view_free(view);
  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_rotating_generation(copy) == 1 &&
        linefilter_view_may_contain_u64(linefilter_filter_view(copy), 10));
  linefilter_rotating_rotate(copy);
  linefilter_rotating_rotate(copy);
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(copy), 10) &&
        linefilter_view_may_contain_u64(linefilter_filter_view(copy), 11));
  linefilter_filter_free(copy);
  ((uint8_t*)image)[0] ^= 1;
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  linefilter_image_free(image);
  linefilter_filter_free(seen);
}

static void TestRotatingByCountAndWhatIsRefused(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* seen = linefilter_rotating_new(200, 3, LINEFILTER_ROTATE_BY_COUNT, &options, &status);
  for (uint64_t key = 0; key < 1000; ++key) linefilter_filter_insert_u64(seen, key);
  CHECK(linefilter_rotating_generation(seen) >= 9 && linefilter_rotating_generation(seen) <= 10);
  linefilter_filter_free(seen);
  CHECK(linefilter_rotating_new(200, 1, 0, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "generations"));
  CHECK(linefilter_rotating_new(200, 3, 2, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "rotation"));
  CHECK(linefilter_rotating_new(200, 3, 0, NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  options.layout = LINEFILTER_LAYOUT_RETRIEVAL;
  CHECK(linefilter_rotating_new(200, 3, 0, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "blocked"));
}

static linefilter_filter* FilterOf(uint64_t key, uint64_t seed) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  options.seed = seed;
  linefilter_filter* filter = linefilter_filter_new(100, &options, NULL);
  linefilter_filter_insert_u64(filter, key);
  return filter;
}

static void TestSwappable(void) {
  linefilter_status status;
  linefilter_view* users = linefilter_swappable_new(NULL, &status);
  CHECK(users != NULL && IsOk(&status) && linefilter_swappable_num_swaps(users) == 0);
  CHECK(linefilter_view_may_contain_u64(users, 1));
  linefilter_lease lease = linefilter_swappable_read(users);
  CHECK(lease.view == NULL);
  linefilter_lease_end(&lease);

  CHECK(linefilter_swappable_swap(users, FilterOf(1, 0), &status) == LINEFILTER_OK && IsOk(&status));
  const void* keys[2] = {"a", "b"};
  const size_t sizes[2] = {1, 1};
  const uint64_t numbers[2] = {1, 2}, hashes[2] = {linefilter_hash_u64(1, 0), linefilter_hash_u64(2, 0)};
  uint8_t answers[2] = {9, 9};
  CHECK(linefilter_view_may_contain_u64(users, 1) && !linefilter_view_may_contain_u64(users, 2));
  CHECK(linefilter_view_may_contain_hash(users, hashes[0]));
  CHECK(!linefilter_view_may_contain_key(users, "a", 1));
  linefilter_view_may_contain_keys(users, keys, sizes, 2, answers);
  CHECK(answers[0] == 0 && answers[1] == 0);
  linefilter_view_may_contain_u64s(users, numbers, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 0);
  answers[0] = 9;
  linefilter_view_may_contain_hashes(users, hashes, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 0);
  lease = linefilter_swappable_read(users);
  CHECK(linefilter_view_may_contain_u64(lease.view, 1) && !linefilter_view_may_contain_u64(lease.view, 2));
  linefilter_lease moved = lease; /* a structure of C is copied; one of them ends it */
  CHECK(linefilter_view_layout(moved.view) == LINEFILTER_LAYOUT_BLOCKED);
  linefilter_lease_end(&moved);
  CHECK(moved.view == NULL);
  linefilter_lease_end(&moved);

  linefilter_filter* other = FilterOf(2, 5);
  CHECK(linefilter_swappable_swap(users, other, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "seed"));
  CHECK(linefilter_swappable_swap_view(users, (linefilter_view*)linefilter_filter_view(other), &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_filter_save(other, FileIn("seeded"), &status) == LINEFILTER_OK);
  linefilter_view* file = linefilter_view_load(FileIn("seeded"), NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status);
  CHECK(linefilter_swappable_swap_view(users, file, &status) == LINEFILTER_INCOMPATIBLE); /* and is the caller's */
  CHECK(linefilter_swappable_num_swaps(users) == 1);
  CHECK(linefilter_view_may_contain_u64(users, 1) && !linefilter_view_may_contain_u64(users, 2));

  CHECK(linefilter_swappable_clear(users, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(users, 2) && linefilter_swappable_num_swaps(users) == 2);
  CHECK(linefilter_swappable_swap_view(users, file, &status) == LINEFILTER_OK);
  CHECK(!linefilter_view_may_contain_u64(users, 1) && linefilter_view_may_contain_u64(users, 2));
  CHECK(linefilter_swappable_swap(users, other, &status) == LINEFILTER_OK); /* its own now */
  linefilter_view* view =
      linefilter_view_map(FileIn("seeded"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, &status);
  CHECK(linefilter_swappable_swap_view(users, view, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(users, 2) && linefilter_swappable_num_swaps(users) == 5);
  CHECK(linefilter_swappable_swap_view(users, view, &status) == LINEFILTER_INVALID_ARGUMENT); /* it serves */
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "serves already"));

  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 0);
  options.fpr = 0.001;
  options.seed = 5;
  linefilter_filter* growing = linefilter_scalable_new(10, 0, &options, &status);
  for (uint64_t key = 0; key < 100; ++key) linefilter_filter_insert_u64(growing, key);
  CHECK(linefilter_swappable_swap_view(users, (linefilter_view*)linefilter_filter_view(growing), &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_swappable_swap(users, growing, &status) == LINEFILTER_OK); /* its own now */
  CHECK(linefilter_swappable_swap(users, growing, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_view_may_contain_u64(users, 99) && !linefilter_view_may_contain_u64(users, 1000));
  other = FilterOf(3, 5);
  CHECK(linefilter_swappable_swap(users, other, &status) == LINEFILTER_OK);
  CHECK(linefilter_swappable_swap(users, other, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_view_may_contain_u64(users, 3) && linefilter_swappable_num_swaps(users) == 7);
  linefilter_view_free(users);
}

/* What every filter and view answers for NULL stands in filter.c and view.c. */
static void TestNullLiving(void) {
  linefilter_status status;
  CHECK(linefilter_rotating_rotate(NULL) == 0 && linefilter_rotating_generation(NULL) == 0);
  CHECK(linefilter_rotating_num_generations(NULL) == 0 && linefilter_rotating_keys_per_generation(NULL) == 0);
  CHECK(linefilter_rotating_rotation(NULL) == 0 && linefilter_rotating_fill_ratio_of_age(NULL, 0) == 0);
  CHECK(linefilter_rotating_approximate_size_of_age(NULL, 0, NULL) == 0);

  linefilter_view* users = linefilter_swappable_new(NULL, &status);
  CHECK(IsNoHandle(linefilter_swappable_swap(NULL, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_swappable_swap(users, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_swappable_swap_view(NULL, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_swappable_swap_view(users, NULL, &status), &status));
  linefilter_view_free(users);
  CHECK(IsNoHandle(linefilter_swappable_clear(NULL, &status), &status));
  CHECK(linefilter_swappable_num_swaps(NULL) == 0);
  linefilter_lease lease = linefilter_swappable_read(NULL);
  CHECK(lease.view == NULL);
  linefilter_lease_end(&lease);
  linefilter_lease_end(NULL);
}

void RunLiving(void) {
  RUN(TestRotating);
  RUN(TestRotatingByCountAndWhatIsRefused);
  RUN(TestSwappable);
  RUN(TestNullLiving);
}
