/* The calls that one kind of handle alone has, asked of the others. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kNumKinds = 4 };

/* A filter of each kind, with the key 7. */
static linefilter_filter* Make(linefilter_kind kind) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, kind == LINEFILTER_KIND_SCALABLE ? 0 : 16);
  if (kind == LINEFILTER_KIND_SCALABLE) options.fpr = 0.001;
  linefilter_filter* filter = kind == LINEFILTER_KIND_PLAIN        ? linefilter_filter_new(100, &options, NULL)
                              : kind == LINEFILTER_KIND_CONCURRENT ? linefilter_concurrent_new(100, &options, NULL)
                              : kind == LINEFILTER_KIND_SCALABLE   ? linefilter_scalable_new(100, 8, &options, NULL)
                                                                   : linefilter_rotating_new(100, 3, 0, &options, NULL);
  CHECK(linefilter_filter_insert_u64(filter, 7));
  CHECK(linefilter_filter_kind(filter) == kind);
  return filter;
}

/* An image makes the kind that wrote it, which goes on as it did; a concurrent one's is plain. */
static void TestAnImageMakesTheKindThatWroteIt(void) {
  for (linefilter_kind kind = 0; kind < kNumKinds; ++kind) {
    linefilter_status status;
    size_t size = 0, again = 0;
    linefilter_filter* filter = Make(kind);
    linefilter_rotating_rotate(filter);
    void* image = linefilter_filter_image(filter, &size, &status);
    CHECK(image != NULL && IsOk(&status));
    linefilter_filter* shared = linefilter_concurrent_from_image(image, size, NULL, &status); /* whoever wrote it */
    const bool is_blocked = kind == LINEFILTER_KIND_PLAIN || kind == LINEFILTER_KIND_CONCURRENT;
    CHECK(is_blocked ? linefilter_filter_kind(shared) == LINEFILTER_KIND_CONCURRENT
                     : shared == NULL && status.code == LINEFILTER_INCOMPATIBLE);
    linefilter_filter_free(shared);
    const linefilter_options other = Options(LINEFILTER_LAYOUT_RETRIEVAL, 99); /* which does not count */
    linefilter_filter* copy = linefilter_filter_from_image(image, size, &other, &status);
    CHECK(copy != NULL && IsOk(&status));
    CHECK(linefilter_filter_kind(copy) == (kind == LINEFILTER_KIND_CONCURRENT ? LINEFILTER_KIND_PLAIN : kind));
    CHECK(!linefilter_filter_insert_u64(copy, 7) || kind == LINEFILTER_KIND_ROTATING);
    CHECK(linefilter_scalable_max_growth(copy) == (kind == LINEFILTER_KIND_SCALABLE ? 8 : 0));
    CHECK(linefilter_rotating_generation(copy) == (kind == LINEFILTER_KIND_ROTATING ? 1 : 0));
    linefilter_filter_insert_u64(filter, 7);
    for (uint64_t key = 100; key < 400; ++key) {
      CHECK(linefilter_filter_insert_u64(filter, key) == linefilter_filter_insert_u64(copy, key));
    }
    void* one = linefilter_filter_image(filter, &size, NULL);
    void* two = linefilter_filter_image(copy, &again, NULL);
    CHECK(size == again && memcmp(one, two, size) == 0);
    linefilter_image_free(one);
    linefilter_image_free(two);
    linefilter_image_free(image);
    linefilter_filter_free(copy);
    linefilter_filter_free(filter);
  }
}

/* What is wrong with calls for another kind is told, nothing is done, and facts are 0. */
static void CheckCallsOfOthers(linefilter_filter* filter, linefilter_kind kind) {
  linefilter_status status;
  linefilter_scalable_stage stage;
  const uint64_t numbers[2] = {7, 8};
  uint8_t were_removed[2] = {9, 9};
  const linefilter_view* view = linefilter_filter_view(filter);
  if (kind != LINEFILTER_KIND_PLAIN) {
    CHECK(linefilter_filter_fold(filter, 1, &status) == LINEFILTER_INCOMPATIBLE);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "plain"));
    CHECK(linefilter_filter_fold_to_fpr(filter, 0.5, &status) == LINEFILTER_INCOMPATIBLE);
    CHECK(linefilter_filter_union(filter, view, 0, &status) == LINEFILTER_INCOMPATIBLE);
  }
  if (kind != LINEFILTER_KIND_CONCURRENT) {
    CHECK(linefilter_concurrent_seal(filter, &status) == NULL);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "concurrent"));
  }
  if (kind != LINEFILTER_KIND_SCALABLE) {
    CHECK(linefilter_scalable_growth_status(filter, &status) == LINEFILTER_INCOMPATIBLE);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "scalable"));
    CHECK(!linefilter_scalable_stage_at(filter, 0, &stage) && linefilter_scalable_fpr(filter) == 0);
    CHECK(linefilter_scalable_max_growth(filter) == 0 && linefilter_scalable_num_keys(filter) == 0);
  }
  if (kind != LINEFILTER_KIND_ROTATING) {
    CHECK(linefilter_rotating_rotate(filter) == 0 && linefilter_rotating_generation(filter) == 0);
    CHECK(linefilter_rotating_num_generations(filter) == 0 && linefilter_rotating_keys_per_generation(filter) == 0);
    CHECK(linefilter_rotating_rotation(filter) == 0 && linefilter_rotating_fill_ratio_of_age(filter, 0) == 0);
    CHECK(linefilter_rotating_approximate_size_of_age(filter, 0, NULL) == 0);
  }
  CHECK(linefilter_filter_remove_u64s(filter, numbers, 2, were_removed) == 0 && were_removed[0] == 0);
  CHECK(linefilter_filter_remove_hashes(filter, numbers, 2, NULL) == 0);
  CHECK(!linefilter_filter_remove_key(filter, "x", 1) && !linefilter_filter_remove_u64(filter, 7));
  CHECK(!linefilter_filter_remove_hash(filter, linefilter_hash_u64(7, 0)));
  CHECK(linefilter_view_may_contain_u64(view, 7) && linefilter_view_num_chunks(view) == 0);
  CHECK(linefilter_view_image_bytes(view) == 0 && linefilter_view_verify(view, &status) == LINEFILTER_OK);
  CHECK(linefilter_swappable_swap_view((linefilter_view*)view, NULL, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "linefilter_swappable_new"));
  CHECK(linefilter_swappable_swap((linefilter_view*)view, NULL, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_swappable_clear((linefilter_view*)view, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_swappable_num_swaps(view) == 0);
  linefilter_lease lease = linefilter_swappable_read(view); /* of what never changes */
  CHECK(lease.view == view);
  linefilter_lease_end(&lease);
  CHECK(lease.view == NULL);
  const bool clears = kind == LINEFILTER_KIND_PLAIN || kind == LINEFILTER_KIND_SCALABLE;
  CHECK(linefilter_filter_clear(filter, &status) == (clears ? LINEFILTER_OK : LINEFILTER_INCOMPATIBLE));
  CHECK(linefilter_view_may_contain_u64(view, 7) != clears);
}

static void TestCallsOfAnotherKind(void) {
  linefilter_filter* plain = Make(LINEFILTER_KIND_PLAIN);
  for (linefilter_kind kind = 0; kind < kNumKinds; ++kind) {
    linefilter_status status;
    linefilter_filter* filter = Make(kind);
    if (kind != LINEFILTER_KIND_PLAIN) {
      CHECK(linefilter_filter_union(plain, linefilter_filter_view(filter), 0, &status) == LINEFILTER_INCOMPATIBLE);
      CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "stages"));
    }
    CheckCallsOfOthers(filter, kind);
    linefilter_filter_free(filter);
  }
  linefilter_view* swappable = linefilter_swappable_new(NULL, NULL);
  CHECK(linefilter_filter_union(plain, swappable, 0, NULL) == LINEFILTER_INCOMPATIBLE);
  linefilter_view_free(swappable);
  linefilter_filter_free(plain);
}

/* Every kind serves, and its view is the one of the lease. A swappable view tells no facts of what serves. */
static void TestEveryKindServes(void) {
  linefilter_status status;
  linefilter_view* users = linefilter_swappable_new(NULL, NULL);
  const void* keys[2] = {"there", "absent"};
  const size_t sizes[2] = {5, 6};
  const uint64_t hashes[2] = {linefilter_hash_key("there", 5, 0), linefilter_hash_key("absent", 6, 0)};
  for (linefilter_kind kind = 0; kind < kNumKinds; ++kind) {
    uint8_t answers[2] = {9, 9}, bits = 0xff;
    linefilter_filter* filter = Make(kind);
    linefilter_filter_insert_key(filter, "there", 5);
    CHECK(linefilter_swappable_swap(users, filter, &status) == LINEFILTER_OK && IsOk(&status));
    linefilter_view_may_contain_keys(users, keys, sizes, 2, answers);
    CHECK(answers[0] == 1 && answers[1] == 0);
    linefilter_view_may_contain_hashes_to_bits(users, hashes, 2, &bits);
    CHECK(bits == 1 && linefilter_view_count_maybes(users, hashes, 2) == 1);
    const linefilter_view* views[2] = {users, linefilter_filter_view(filter)};
    CHECK(linefilter_views_may_contain_hash(views, 2, LINEFILTER_HASH_XXH3, 0, hashes[1], answers) == 0 &&
          linefilter_views_may_contain_hash(views, 2, LINEFILTER_HASH_XXH3, 0, hashes[0], answers) == 2);
    CHECK(linefilter_view_key_status(users, &status) == LINEFILTER_OK && linefilter_view_expected_fpr(users) < 0.01);
    CHECK(linefilter_view_layout(users) == LINEFILTER_LAYOUT_AUTO && linefilter_view_num_blocks(users) == 0);
    CHECK(linefilter_view_body(users) == NULL && linefilter_view_num_stages(users) == 0);
    CHECK(linefilter_view_hash_id(users) == LINEFILTER_HASH_CALLER);
    linefilter_lease lease = linefilter_swappable_read(users);
    CHECK(lease.view == linefilter_filter_view(filter));
    linefilter_lease_end(&lease);
  }
  CHECK(linefilter_swappable_swap_view(users, users, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_view_verify(users, &status) == LINEFILTER_INCOMPATIBLE); /* not ok: nothing was looked at */
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "lease"));
  CHECK(linefilter_swappable_num_swaps(users) == kNumKinds);
  linefilter_view_free(users);
}

/* Generations are stages for whoever asks, and lie apart. */
static void TestStagesOfARotating(void) {
  linefilter_filter* filter = Make(LINEFILTER_KIND_ROTATING);
  const linefilter_view* view = linefilter_filter_view(filter);
  linefilter_view_stage stage;
  CHECK(linefilter_view_num_stages(view) == 3 && linefilter_rotating_num_generations(filter) == 3);
  CHECK(linefilter_view_layout(view) == LINEFILTER_LAYOUT_CONTAINER && linefilter_view_body(view) == NULL);
  CHECK(linefilter_view_stage_at(view, 2, &stage) && stage.num_keys == 0);
  CHECK(3 * stage.num_blocks == linefilter_view_num_blocks(view) &&
        stage.num_probes == linefilter_view_num_probes(view));
  CHECK(stage.layout == LINEFILTER_LAYOUT_BLOCKED && !linefilter_view_stage_at(view, 3, &stage));
  linefilter_filter_free(filter);
}

void RunKinds(void) {
  RUN(TestAnImageMakesTheKindThatWroteIt);
  RUN(TestCallsOfAnotherKind);
  RUN(TestEveryKindServes);
  RUN(TestStagesOfARotating);
}
