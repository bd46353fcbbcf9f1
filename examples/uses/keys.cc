// Real keys: the words of /usr/share/dict/words and the paths below /usr. Where there are none, made-up ones.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "examples/uses/use.h"

namespace uses {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFewest = 1000;       // below, the machine has nothing to offer
constexpr size_t kMostTexts = 200000;  // a walk takes half a second for these

size_t Most(uint64_t items) { return static_cast<size_t>(std::clamp<uint64_t>(items, kFewest, kMostTexts)); }

// Sorted: folders are read in any order.
void SortAndFill(const char* made_up, std::vector<std::string>* texts) {
  std::sort(texts->begin(), texts->end());
  texts->erase(std::unique(texts->begin(), texts->end()), texts->end());
  for (size_t i = texts->size(); i < kFewest; ++i) texts->push_back(made_up + std::to_string(i));
}

// What may stand before the @ of an address.
std::string LocalPart(const std::string& word) {
  std::string part;
  for (const char c : word) {
    if (c >= 'A' && c <= 'Z') part += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) part += c;
  }
  return part;
}

}  // namespace

Emails::Emails(uint64_t items) {
  std::ifstream in("/usr/share/dict/words");
  for (std::string word; words_.size() < Most(items) && std::getline(in, word);) {
    word = LocalPart(word);
    if (!word.empty()) words_.push_back(std::move(word));
  }
  SortAndFill("user", &words_);
}

// The number makes each different.
std::string Emails::operator()(uint64_t i) const {
  static constexpr const char* kDomains[] = {"example.org", "example.com", "mail.example.net", "post.example.de"};
  const uint64_t mixed = linefilter::MixHash(i);
  return words_[mixed % words_.size()] + "." + std::to_string(i) + "@" + kDomains[mixed >> 62];
}

Urls::Urls(uint64_t items) {
  std::error_code error;
  fs::recursive_directory_iterator it("/usr", fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end && paths_.size() < Most(items); it.increment(error)) paths_.push_back(it->path().string());
  SortAndFill("/usr/share/page", &paths_);
}

// All pages of one host, then of the next.
std::string Urls::operator()(uint64_t i) const {
  return "https://host" + std::to_string(i / paths_.size()) + ".example.org" + paths_[i % paths_.size()];
}

}  // namespace uses
