/* Tests in C: CHECK tells the line that is wrong and goes on; RUN counts. What is printed is what gtest prints, so that
   whoever counts tests counts these, too. */
#ifndef LINEFILTER_TESTS_TESTING_CHECK_H_
#define LINEFILTER_TESTS_TESTING_CHECK_H_

#include <stdbool.h>
#include <stdio.h>

static int check_failures, check_tests, check_failed_tests;

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      ++check_failures;                                                                \
      printf("%s:%d: Failure\n  this is false: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                                  \
  } while (false)

#define RUN(test)                                                                             \
  do {                                                                                        \
    const int check_before = check_failures;                                                  \
    printf("[ RUN      ] C." #test "\n");                                                     \
    test();                                                                                   \
    ++check_tests;                                                                            \
    check_failed_tests += check_failures != check_before;                                     \
    printf("[ %s ] C." #test "\n", check_failures == check_before ? "      OK" : " FAILED "); \
    fflush(stdout);                                                                           \
  } while (false)

/* The end of main. */
static inline int CheckResult(void) {
  printf("[  PASSED  ] %d tests.\n", check_tests - check_failed_tests);
  if (check_failed_tests != 0) printf("[  FAILED  ] %d tests.\n", check_failed_tests);
  return check_failed_tests == 0 ? 0 : 1;
}

#endif /* LINEFILTER_TESTS_TESTING_CHECK_H_ */
