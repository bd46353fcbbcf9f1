// What most tests include, for tests/CMakeLists.txt to compile once. Each file includes what it uses all the same.
#ifndef LINEFILTER_TESTS_TESTING_PRECOMPILED_H_
#define LINEFILTER_TESTS_TESTING_PRECOMPILED_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#endif  // LINEFILTER_TESTS_TESTING_PRECOMPILED_H_
