// Reads xxh3.txt, siphash.txt, xxh64.txt, columns.txt and images.txt.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"

namespace linefilter::test {
namespace {

uint64_t Number(const std::string& text, int base = 10) { return std::strtoull(text.c_str(), nullptr, base); }

std::string Unhex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) bytes.push_back(static_cast<char>(Number(text.substr(i, 2), 16)));
  return bytes;
}

void Flip(uint64_t bit, std::string* bytes) {
  char& byte = bytes->at(static_cast<size_t>(bit / 8));
  byte = static_cast<char>(byte ^ (1 << bit % 8));
}

// The words of each line that is neither empty nor a comment.
std::vector<std::vector<std::string>> Lines(const std::string& path) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line[0] == '#' ? "" : line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty()) lines.push_back(words);
  }
  return lines;
}

// Of a line `maybe`, `absent` or `added`.
void AppendQuestions(const std::vector<std::string>& line, std::vector<Question>* questions) {
  Question question;
  question.kind = line.at(1);
  question.maybe = line[0] != "absent";
  size_t first = 2;
  if (question.kind == "text") question.prefix = line.at(first++);
  for (size_t i = first; i < line.size(); ++i) {
    const size_t dots = line[i].find("..");
    const uint64_t begin = Number(line[i], question.IsHash() ? 16 : 10);
    const uint64_t end = dots == std::string::npos ? begin : Number(line[i].substr(dots + 2));
    for (question.number = begin; question.number <= end; ++question.number) {
      questions->push_back(question);
      if (question.number == end) break;  // it may be the largest number
    }
  }
}

bool ReadLine(const std::vector<std::string>& line, ConformanceImage* image) {
  if (line[0] == "added") {
    AppendQuestions(line, &image->added);
  } else if (line[0] == "maybe" || line[0] == "absent") {
    AppendQuestions(line, &image->questions);
  } else if (line[0] == "xxh3") {
    image->xxh3 = line.at(1);
  } else if (line[0] == "secret") {
    image->secret = Unhex(line.at(1));
    EXPECT_EQ(image->secret.size(), 16u);
  } else if (line[0] == "reads") {
    image->reads = line.at(1) == "yes";
  } else if (line[0] == "damage") {
    image->damage_every = line.at(1) == "every";
  } else if (line[0] == "key-kind") {
    image->key_kind = Number(line.at(1));
  } else if (line[0] == "key-forms") {
    for (size_t i = 1; i < line.size(); ++i) image->key_forms |= Number(line[i]) << (8 * (i - 1));
  } else if (line[0] == "damaged-chunks") {
    for (size_t i = 1; i < line.size(); ++i) image->damaged_chunks.push_back(Number(line[i]));
  } else if (line[0] == "fields") {
    for (size_t i = 1; i < line.size(); ++i) {
      const size_t equal = line[i].find('=');
      image->fields[line[i].substr(0, equal)] = line[i].substr(equal + 1);
    }
  } else {
    return line[0] == "extension";  // the library does not tell them
  }
  return true;
}

}  // namespace

std::string Question::Key() const {
  if (kind == "text") return prefix + std::to_string(number);
  if (kind == "input") return InputBytes(number);
  uint8_t bytes[8];
  reference::PutLittleEndian(number, 8, bytes);
  return std::string(bytes, bytes + 8);
}

uint64_t Question::Hash(uint64_t seed, const std::string& secret, int hash_id) const {
  if (IsHash()) return number;
  if (hash_id == reference::kParquet) return reference::Xxh64(Key());
  if (secret.empty()) return reference::HashOfKey(Key(), seed);
  return reference::SipHash(1, 3, Key(), reinterpret_cast<const uint8_t*>(secret.data()));
}

std::string Question::Describe() const { return kind + " " + prefix + std::to_string(number); }

std::string InputBytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(151 * i + i / 7 + 29));
  return bytes;
}

std::string FillBytes(size_t size, uint64_t seed) {
  std::string bytes;
  for (uint64_t i = 0; bytes.size() < size; ++i) {
    uint8_t word[8];
    reference::PutLittleEndian(i, 8, word);
    reference::PutLittleEndian(reference::Xxh3(word, 8, seed), 8, word);
    bytes.append(word, word + 8);
  }
  bytes.resize(size);
  return bytes;
}

bool ApplyStep(const std::vector<std::string>& line, const std::map<std::string, std::string>& images,
               std::string* bytes) {
  if (line.size() < 2) return false;
  const std::string& what = line[1];
  if (line[0] == "bytes") {
    bytes->append(Unhex(what));
  } else if (line[0] == "fill") {
    bytes->append(FillBytes(Number(what), Number(line.at(2))));
  } else if (line[0] == "copy") {
    bytes->append(images.at(what));
  } else if (line[0] == "cut-front") {
    bytes->erase(0, Number(what));
  } else if (line[0] == "cut-end") {
    bytes->resize(bytes->size() - Number(what));
  } else if (line[0] == "flip") {
    Flip(Number(what), bytes);
  } else {
    return false;
  }
  return true;
}

std::vector<Xxh3Vector> ReadXxh3Vectors(const std::string& path) {
  std::vector<Xxh3Vector> vectors;
  for (const auto& line : Lines(path)) {
    vectors.push_back({static_cast<size_t>(Number(line.at(0))), Number(line.at(1), 16), Number(line.at(2), 16)});
  }
  return vectors;
}

std::vector<SiphashVector> ReadSiphashVectors(const std::string& path) {
  std::vector<SiphashVector> vectors;
  for (const auto& line : Lines(path)) {
    vectors.push_back({static_cast<size_t>(Number(line.at(0))), Unhex(line.at(1)), Number(line.at(2), 16)});
    EXPECT_EQ(vectors.back().secret.size(), 16u);
  }
  return vectors;
}

std::vector<Xxh64Vector> ReadXxh64Vectors(const std::string& path) {
  std::vector<Xxh64Vector> vectors;
  for (const auto& line : Lines(path)) {
    vectors.push_back({static_cast<size_t>(Number(line.at(0))), Number(line.at(1), 16)});
  }
  return vectors;
}

std::vector<ColumnsVector> ReadColumnsVectors(const std::string& path) {
  std::vector<ColumnsVector> vectors;
  for (const auto& line : Lines(path)) {
    vectors.push_back({Number(line.at(0), 16), Number(line.at(1), 16), {}});
    for (size_t i = 2; i < line.size(); ++i) {
      const size_t value = line[i].find(':') + 1, key = line[i].find(':', value) + 1;
      vectors.back().row.push_back(
          {line[i].substr(0, value - 1), line[i].substr(value, key - 1 - value), Unhex(line[i].substr(key))});
    }
  }
  return vectors;
}

std::vector<ConformanceImage> ReadConformanceImages(const std::string& path) {
  std::vector<ConformanceImage> images;
  std::map<std::string, std::string> by_name;
  for (const auto& line : Lines(path)) {
    if (line[0] == "image") {
      images.emplace_back();
      images.back().name = line.at(1);
      EXPECT_TRUE(by_name.emplace(line[1], "").second) << "two images named " << line[1];
    } else if (images.empty()) {
      ADD_FAILURE() << path << " does not begin with an image";
      return images;
    } else if (ApplyStep(line, by_name, &images.back().bytes)) {
      by_name[images.back().name] = images.back().bytes;
    } else {
      EXPECT_TRUE(ReadLine(line, &images.back())) << "unknown: " << line[0];
    }
  }
  return images;
}

std::vector<std::string> EveryDamage(const std::string& image) {
  std::vector<std::string> damaged;
  for (size_t size = 0; size < image.size(); ++size) {
    damaged.push_back(image.substr(0, size));
    damaged.push_back(image.substr(image.size() - size));
  }
  for (uint64_t bit = 0; bit < 8 * image.size(); ++bit) {
    damaged.push_back(image);
    Flip(bit, &damaged.back());
  }
  for (const char byte : {'\0', '\x06', '\xa0'}) {
    damaged.push_back(byte + image);
    damaged.push_back(image + byte);
  }
  return damaged;
}

}  // namespace linefilter::test
