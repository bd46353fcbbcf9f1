#include "tools/program/secret.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace linefilter::tools {
namespace {

constexpr size_t kBytes = sizeof(HashSecret::bytes), kDigits = 2 * kBytes, kLongest = kDigits + 2;  // and CR LF
constexpr int kPatienceMs = 2000;  // until somebody writes to a pipe

// This is what was read, a byte more than any secret has. It is overwritten at the end: one place holds the secret.
struct Text {
  ~Text() {
    for (volatile char& byte : bytes) byte = 0;  // volatile: else the compiler may leave it out
  }
  char bytes[kLongest + 1] = {};
  size_t size = 0;
};

struct File {
  ~File() {
    if (fd >= 0) close(fd);
  }
  int fd = -1;
};

// This uses read(2), so that no stream keeps a copy of its own. The file does not block, so that a pipe without a
// writer ends; it waits for one with a writer that has nothing yet (a password manager waits for its user).
bool Read(int fd, Text* text) {
  while (text->size < sizeof(text->bytes)) {
    const ssize_t n = read(fd, text->bytes + text->size, sizeof(text->bytes) - text->size);
    pollfd waiting = {fd, POLLIN, 0};
    if (n == 0) return true;
    if (n > 0) {
      text->size += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool FromHex(const Text& text, HashSecret* secret) {
  for (size_t i = 0; i < kDigits; ++i) {
    const char c = text.bytes[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    uint8_t& byte = secret->bytes[i / 2];
    byte = static_cast<uint8_t>(byte << 4 | digit);
  }
  return true;
}

// Is it 16 hexadecimal digits or a word and a line end? These are far below 128 random bits, which look so once in 3e6.
bool IsWritten(const Text& text) {
  for (size_t i = 0; i < kBytes; ++i) {
    const char c = text.bytes[i];
    if (!(c >= ' ' && c <= '~') && !(c >= '\t' && c <= '\r')) return false;
  }
  return true;
}

// Returns "" for a secret, else why it is none.
const char* Parse(const Text& text, HashSecret* secret) {
  if (text.size == 0) return "is empty: it must hold the secret, 16 random bytes or 32 hexadecimal digits";
  if (text.size == kBytes) {
    if (IsWritten(text)) {
      return "holds 16 characters, which are too easily guessed: a secret is 16 random bytes, or 32 hexadecimal digits "
             "(of these 16, if images have them already: od -An -tx1 FILE | tr -d ' \\n')";
    }
    memcpy(secret->bytes, text.bytes, kBytes);
  } else {
    const bool is_line = text.size == kDigits || (text.size == kDigits + 1 && text.bytes[kDigits] == '\n') ||
                         (text.size == kDigits + 2 && memcmp(text.bytes + kDigits, "\r\n", 2) == 0);
    if (!is_line || !FromHex(text, secret)) {
      return "holds no secret: it must be 16 random bytes, or 32 hexadecimal digits, and nothing else";
    }
  }
  uint8_t any = 0;
  for (const uint8_t byte : secret->bytes) any |= byte;
  return any != 0 ? "" : "holds only zeros, which everybody guesses: a secret is 16 random bytes";
}

}  // namespace

bool ReadSecret(const std::string& path, SecretUse use, HashSecret* secret, std::string* error) {
  File file;
  file.fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0) {
    const int reason = errno;
    *error = std::string("cannot be opened: ") + strerror(reason);
    // Say this only here: over a file that is there, if unreadable, the command would destroy all images of its secret.
    if (use == SecretUse::kMake && reason == ENOENT) {
      *error +=
          "; (umask 077; head -c 16 /dev/urandom > FILE) makes a new secret: keep it, no image can be asked "
          "without its own";
    }
    return false;
  }
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
    *error = S_ISDIR(info.st_mode) ? "is a folder: name the file of the secret"
                                   : "is neither a file nor a pipe: name the file of the secret";
    return false;
  }
  Text text;
  pollfd first = {file.fd, POLLIN, 0};
  if (S_ISFIFO(info.st_mode)) (void)poll(&first, 1, kPatienceMs);  // a writer may come a moment after its reader
  if (!Read(file.fd, &text)) {
    *error = std::string("cannot be read: ") + strerror(errno);
    return false;
  }
  *error = text.size == 0 && S_ISFIFO(info.st_mode) ? "is a pipe to which nobody wrote a secret" : Parse(text, secret);
  return error->empty();
}

std::string SecretCheckText(uint64_t check) {
  char digits[17];
  snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(check));
  return digits;
}

}  // namespace linefilter::tools
