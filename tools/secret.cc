#include "tools/secret.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace linefilter::tools {
namespace {

constexpr size_t kBytes = sizeof(HashSecret::bytes), kLongest = 2 * kBytes + 2;

bool FromHex(const std::string& digits, HashSecret* secret) {
  for (size_t i = 0; i < kBytes; ++i) {
    unsigned byte = 0;
    int length = 0;
    const std::string two = digits.substr(2 * i, 2);
    if (two.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return false;
    if (sscanf(two.c_str(), "%2x%n", &byte, &length) != 1 || length != 2) return false;
    secret->bytes[i] = static_cast<uint8_t>(byte);
  }
  return true;
}

}  // namespace

bool ReadSecret(const std::string& path, HashSecret* secret, std::string* error) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongest + 1, '\0');
  file.read(&text[0], static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.empty()) {
    *error = "cannot be read, or is empty: name a file of 16 bytes (head -c 16 /dev/urandom > FILE makes one)";
    return false;
  }
  if (text.size() == kBytes) {
    std::copy(text.begin(), text.end(), secret->bytes);
  } else {
    const size_t end = text.find_last_not_of("\r\n") + 1;
    if (end != 2 * kBytes || !FromHex(text, secret)) {
      *error = "holds no secret: it must be 16 bytes, or 32 hexadecimal digits";
      return false;
    }
  }
  return true;
}

}  // namespace linefilter::tools
