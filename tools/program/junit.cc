#include "tools/program/junit.h"

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "tools/program/output.h"

namespace linefilter::tools {
namespace {

// The bytes of the character of UTF-8 that begins there, if XML 1.0 may hold it; else 0.
size_t CharacterBytes(std::string_view rest) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= ' ' && first != 0x7f) || first == '\t' || first == '\n' ? 1 : 0;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || rest.size() < size) return 0;
  uint32_t code = first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff, is_no_character = (code & 0xfffe) == 0xfffe;
  return code < kLeast[size] || code > 0x10ffff || is_surrogate || is_no_character ? 0 : size;
}

// The text as content, and within quotes as an attribute.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size();) {
    const size_t size = CharacterBytes(text.substr(i));
    if (size == 0) {
      char hexadecimal[5];
      snprintf(hexadecimal, sizeof(hexadecimal), "\\x%02x", static_cast<unsigned char>(text[i++]));
      escaped += hexadecimal;
      continue;
    }
    const char c = text[i];
    escaped += c == '&'    ? "&amp;"
               : c == '<'  ? "&lt;"
               : c == '>'  ? "&gt;"
               : c == '"'  ? "&quot;"
               : c == '\n' ? "&#10;"
               : c == '\t' ? "&#9;"
                           : std::string(text.substr(i, size));
    i += size;
  }
  return escaped;
}

}  // namespace

std::string JunitXml(const JunitCase& test_case) {
  const bool failed = test_case.outcome == JunitCase::Outcome::kFailure;
  const bool ended = test_case.outcome == JunitCase::Outcome::kError;
  char time[32];
  snprintf(time, sizeof(time), "%.3f", test_case.seconds);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"linefilter fpr\" tests=\"1\"";
  xml += std::string(" failures=\"") + (failed ? "1" : "0") + "\" errors=\"" + (ended ? "1" : "0") +
         "\" skipped=\"0\" time=\"" + time + "\">\n";
  xml += "  <testcase classname=\"linefilter.fpr\" name=\"" + Escaped(test_case.name) + "\" time=\"" + time + "\">\n";
  if (failed || ended) {
    const char* const element = failed ? "failure" : "error";
    xml += std::string("    <") + element + " type=\"" + Escaped(test_case.type) + "\" message=\"" +
           Escaped(test_case.message) + "\"/>\n";
  }
  if (!test_case.output.empty()) xml += "    <system-out>" + Escaped(test_case.output) + "</system-out>\n";
  return xml + "  </testcase>\n</testsuite>\n";
}

Status WriteJunit(const std::string& path, const JunitCase& test_case) {
  const std::string xml = JunitXml(test_case);
  return WriteFile(path, "writing", xml.size(), [&](const Sink& sink) {
    return sink.write(sink.context, xml.data(), xml.size())
               ? Status()
               : Status::Error(StatusCode::kIoError, "%s cannot be written", path.c_str());
  });
}

}  // namespace linefilter::tools
