// What an adapter was compiled as: read in its object code.
#ifndef LINEFILTER_TESTS_TESTING_ADAPTER_H_
#define LINEFILTER_TESTS_TESTING_ADAPTER_H_

#include <fstream>
#include <string>
#include <typeinfo>

#include "gtest/gtest.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// Whether the shared library of that name, which this process has loaded, holds these characters. Fails the test if
// none is loaded.
inline bool LoadedLibraryHas(const std::string& name, const std::string& characters) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path == std::string::npos || line.find("/lib" + name + ".so") == std::string::npos) continue;
    return ReadFile(line.substr(path)).find(characters) != std::string::npos;
  }
  ADD_FAILURE() << "lib" << name << ".so is not loaded";
  return false;
}

// LINEFILTER_ADAPTER_HAS_RTTI, which CMake found out by linking, is what the engine has, and the adapter follows.
// `policy` is the name of the engine's class as object code has it.
inline void ExpectRttiOfTheEngine(const std::string& engine, const std::string& policy) {
  const std::string archive = ReadFile(LINEFILTER_ADAPTER);
  EXPECT_NE(archive.find("FilterPolicyE"), std::string::npos) << "symbols are there";
  EXPECT_EQ(archive.find("_ZTI" + policy) != std::string::npos, LINEFILTER_ADAPTER_HAS_RTTI);
  EXPECT_EQ(archive.find("__gxx_personality_v0"), std::string::npos) << "exceptions are not handled";
  EXPECT_EQ(LoadedLibraryHas(engine, "_ZTI" + policy), LINEFILTER_ADAPTER_HAS_RTTI);
}

#ifdef __GXX_RTTI
// What ends a program if the class of `object` was compiled without RTTI. Other: a class that it is not of.
template <class Other, class Base>
void ExpectRttiOf(const Base* object) {
  ASSERT_NE(object, nullptr);
  EXPECT_NE(typeid(*object).name(), nullptr);
  EXPECT_NE(typeid(*object), typeid(Base));
  EXPECT_NE(typeid(*object), typeid(Other));
  EXPECT_EQ(dynamic_cast<const void*>(object), static_cast<const void*>(object));
  EXPECT_EQ(dynamic_cast<const Other*>(object), nullptr);
}
#endif

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_ADAPTER_H_
