// These need no handle: names, versions, targets, the defaults of options.
#include "linefilter/c/types.h"

#include <cstring>

#include "lib/c/convert.h"
#include "lib/image/trailer.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/target.h"

using linefilter::internal::ToC;

// lib/CMakeLists.txt takes them from the project's version.
#if !defined(LINEFILTER_VERSION_MAJOR) || !defined(LINEFILTER_VERSION_MINOR) || !defined(LINEFILTER_VERSION_PATCH)
#error "define LINEFILTER_VERSION_MAJOR, LINEFILTER_VERSION_MINOR and LINEFILTER_VERSION_PATCH"
#endif
#define LINEFILTER_TEXT_OF(x) #x
#define LINEFILTER_TEXT(x) LINEFILTER_TEXT_OF(x)

const char* linefilter_version() {
  return LINEFILTER_TEXT(LINEFILTER_VERSION_MAJOR) "." LINEFILTER_TEXT(LINEFILTER_VERSION_MINOR) "." LINEFILTER_TEXT(
      LINEFILTER_VERSION_PATCH);
}

uint32_t linefilter_version_number() {
  return 10000 * LINEFILTER_VERSION_MAJOR + 100 * LINEFILTER_VERSION_MINOR + LINEFILTER_VERSION_PATCH;
}

uint32_t linefilter_format_version() { return linefilter::internal::kFormatVersion; }

const char* linefilter_code_name(linefilter_code code) {
  switch (code) {
    case LINEFILTER_OK:
      return "ok";
    case LINEFILTER_INVALID_ARGUMENT:
      return "invalid argument";
    case LINEFILTER_CORRUPT:
      return "corrupt";
    case LINEFILTER_UNSUPPORTED:
      return "unsupported";
    case LINEFILTER_INCOMPATIBLE:
      return "incompatible";
    case LINEFILTER_OUT_OF_MEMORY:
      return "out of memory";
    case LINEFILTER_OVER_LIMIT:
      return "over limit";
    case LINEFILTER_IO_ERROR:
      return "input/output error";
    case LINEFILTER_NOT_FOUND:
      return "not found";
    case LINEFILTER_UNAVAILABLE:
      return "unavailable";
  }
  return "unknown";
}

const char* linefilter_layout_name(linefilter_layout layout) {
  return linefilter::LayoutName(linefilter::internal::LayoutFromC(layout));
}

bool linefilter_layout_parse(const char* name, linefilter_layout* layout) {
  linefilter::Layout parsed;
  if (name == nullptr || !linefilter::ParseLayout(name, &parsed)) return false;
  *layout = static_cast<linefilter_layout>(parsed);
  return true;
}

const char* linefilter_hash_id_name(linefilter_hash_id hash_id) {
  const bool is_one = hash_id >= 0 && hash_id <= 255;
  return linefilter::HashIdName(static_cast<linefilter::HashId>(is_one ? hash_id : 255));
}

const char* linefilter_key_kind_name(linefilter_key_kind kind) {
  return linefilter::KeyKindName(linefilter::internal::KeyKindFromC(kind));
}

void linefilter_options_init(linefilter_options* options, size_t size) {
  if (options == nullptr || size < sizeof(options->size)) return;
  linefilter_options defaults;
  memset(&defaults, 0, sizeof(defaults));
  defaults.memory_limit = LINEFILTER_NO_MEMORY_LIMIT;
  defaults.hash_id = LINEFILTER_HASH_XXH3;
  defaults.executor.num_threads = 1;
  memset(options, 0, size);  // also what a newer version knows besides
  memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
  options->size = size;
}

const char* linefilter_target_chosen() { return linefilter::ChosenTarget(); }

size_t linefilter_target_supported(const char** names, size_t capacity) {
  const linefilter::TargetList targets = linefilter::SupportedTargets();
  for (size_t i = 0; i < capacity && i < targets.size; ++i) names[i] = targets.names[i];
  return targets.size;
}

linefilter_code linefilter_target_force(const char* name, linefilter_status* status) {
  return ToC(linefilter::ForceTarget(name), status);
}
