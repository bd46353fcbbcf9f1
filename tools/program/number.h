// This parses numbers as people write them, and refuses with a sentence that fits after the quoted text.
#ifndef LINEFILTER_TOOLS_PROGRAM_NUMBER_H_
#define LINEFILTER_TOOLS_PROGRAM_NUMBER_H_

#include <cstdint>
#include <string>

namespace linefilter::tools {

// *value is touched on success only.

// It takes 1000000, 1e6, 2.5e3, 10k, 1M, 2G, 3T, and the powers of 1024 Ki, Mi, Gi, Ti: whole and below 2^64.
bool ParseCount(const std::string& text, uint64_t* value, std::string* error);
// It takes 0.01, 1e-2 and 1%, which are the same double; the caller checks the range.
bool ParseRate(const std::string& text, double* value, std::string* error);
// It takes 30 and 30s, 500ms, 5m, 2h, 1.5d, as milliseconds.
bool ParseDuration(const std::string& text, uint64_t* milliseconds, std::string* error);
// It takes decimal or 0x hexadecimal, 64 bits.
bool ParseSeed(const std::string& text, uint64_t* value, std::string* error);
// It takes any finite decimal number; the caller checks the range.
bool ParseReal(const std::string& text, double* value, std::string* error);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_NUMBER_H_
