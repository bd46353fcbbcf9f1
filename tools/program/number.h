// This parses numbers as people write them, and refuses with a sentence that fits after the quoted text.
#ifndef LINEFILTER_TOOLS_PROGRAM_NUMBER_H_
#define LINEFILTER_TOOLS_PROGRAM_NUMBER_H_

#include <cstdint>
#include <string>

namespace linefilter::tools {

// It takes 1000000, 1e6, 2.5e3: whole and below 2^64. *value is touched on success only.
bool ParseCount(const std::string& text, uint64_t* value, std::string* error);
// It takes decimal or 0x hexadecimal, 64 bits.
bool ParseSeed(const std::string& text, uint64_t* value, std::string* error);
// It takes any finite decimal number; the caller checks the range.
bool ParseReal(const std::string& text, double* value, std::string* error);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_NUMBER_H_
