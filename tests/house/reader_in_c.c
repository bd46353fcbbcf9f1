/* A program in C that only reads images, as reader.cc does: it links nothing of what it does not call. */
#include <stdio.h>
#include <string.h>

#include "linefilter/c.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  linefilter_status status;
  linefilter_view* view = linefilter_view_load(argv[1], NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status);
  if (view == NULL) return puts(status.message), 2;
  const int result = linefilter_view_may_contain_key(view, argv[2], strlen(argv[2])) ? 0 : 1;
  linefilter_view_free(view);
  return result;
}
