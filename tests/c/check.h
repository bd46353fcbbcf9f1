/* Tests in C: CHECK tells the line that is wrong and goes on; RUN counts. What is printed is what gtest prints, so that
   whoever counts tests counts these, too. */
#ifndef LINEFILTER_TESTS_C_CHECK_H_
#define LINEFILTER_TESTS_C_CHECK_H_

#include <stdbool.h>
#include <stdio.h>

extern int check_failures, check_tests, check_failed_tests; /* main.c */

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

#endif /* LINEFILTER_TESTS_C_CHECK_H_ */
