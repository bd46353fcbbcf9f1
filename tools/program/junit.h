// A report of one check in the form of JUnit, an XML file that most CI systems show as a test.
#ifndef LINEFILTER_TOOLS_PROGRAM_JUNIT_H_
#define LINEFILTER_TOOLS_PROGRAM_JUNIT_H_

#include <string>

#include "linefilter/status.h"

namespace linefilter::tools {

struct JunitCase {
  enum class Outcome { kPassed, kFailure, kError };

  std::string name;  // as people give it: any bytes
  double seconds = 0;
  Outcome outcome = Outcome::kPassed;
  std::string type, message;  // of a failure or an error
  std::string output;         // what the check printed
};

// One test suite with this test case. What no XML may hold, bytes that are no UTF-8 and control characters, becomes
// \xNN.
std::string JunitXml(const JunitCase& test_case);

// Writes it to a file, which appears when it is complete, or to standard output ("-").
Status WriteJunit(const std::string& path, const JunitCase& test_case);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_JUNIT_H_
