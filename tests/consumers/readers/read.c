/* read IMAGE KEY...: as read.cc, by the C API. */
#include <stdio.h>
#include <string.h>

#include "linefilter/c.h"

int main(int argc, char** argv) {
  linefilter_status status;
  int i;
  linefilter_view* view =
      linefilter_view_map(argc > 1 ? argv[1] : "", LINEFILTER_VERIFY_AUTO, LINEFILTER_WILL_NEED, NULL, &status);
  if (view == NULL) {
    fprintf(stderr, "%s\n", status.message);
    return 2;
  }
  for (i = 2; i < argc; ++i) {
    puts(linefilter_view_may_contain_key(view, argv[i], strlen(argv[i])) ? "maybe" : "absent");
  }
  linefilter_view_free(view);
  return 0;
}
