#include "tests/conformance/images_file.h"

#include <cstdio>

namespace linefilter::test {
namespace {

std::string Hex(const Bytes& bytes) {
  return bytes.empty() ? "-" : HexBytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<std::vector<Question>> QuestionsOf(const Asked& asked) {
  std::vector<Question> integers = FirstKeys("u64", "", asked.integers), inputs, hashes = {{"hash", "", 0}};
  if (asked.special) {
    for (const uint64_t i : {uint64_t{0xffffffff}, uint64_t{1} << 63, ~uint64_t{0}}) integers.push_back({"u64", "", i});
    for (const uint64_t i : {0u, 1u, 3u, 4u, 8u, 9u, 16u, 17u, 128u, 129u, 240u, 241u, 1025u})
      inputs.push_back({"input", "", i});
    for (const uint64_t i : {uint64_t{1}, uint64_t{15}, uint64_t{0xffffffff}, uint64_t{0x80000000}, uint64_t{1} << 63,
                             ~uint64_t{0}, uint64_t{0x123456789abcdef0}, uint64_t{0xffffffff00000000}}) {
      hashes.push_back({"hash", "", i});
    }
  }
  for (const char* prefix : {"key-", "probe-"}) {
    for (const Question& hash : FirstKeys("hash", prefix, asked.hashes_of_keys)) hashes.push_back(hash);
  }
  return {FirstKeys("text", "key-", asked.keys), FirstKeys("text", "probe-", asked.probes), integers, inputs, hashes};
}

}  // namespace

std::string Hex64(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string HexBytes(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += Hex64(static_cast<uint8_t>(byte)).substr(14);
  return hex;
}

std::vector<Question> FirstKeys(const std::string& kind, const std::string& prefix, uint64_t n) {
  std::vector<Question> keys;
  for (uint64_t i = 0; i < n; ++i) {
    const Question text{"text", prefix, i};
    keys.push_back(kind == "text" ? text : Question{kind, "", kind == "hash" ? text.Hash(0) : i});
  }
  return keys;
}

void ImagesFile::Steps(const std::string& name, const std::vector<std::string>& steps, const Asked& asked,
                       const std::vector<Question>& added, bool damage_every) {
  std::string bytes;
  text_ << "\nimage " << name << "\n";
  for (const std::string& step : steps) {
    text_ << step << "\n";
    std::istringstream in(step);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    ApplyStep(words, images_, &bytes);
  }
  images_[name] = bytes;
  const Bytes image = AsBytes(bytes);
  Filter filter;
  const uint8_t* const secret = secret_.empty() ? nullptr : reinterpret_cast<const uint8_t*>(secret_.data());
  const bool reads = reference::ReadImage(image.data(), image.size(), &filter) && OpensWith(filter, secret);
  text_ << "xxh3 " << Hex64(reference::Xxh3(image.data(), image.size(), 0)) << "\n";
  if (secret != nullptr) text_ << "secret " << HexBytes(secret_) << "\n";
  text_ << "reads " << (reads ? "yes" : "no") << "\n";
  if (reads) Fields(image, filter);
  Keys("added", added);
  if (damage_every) text_ << "damage every\n";
  for (const std::vector<Question>& questions : QuestionsOf(asked)) {
    for (const bool maybe : {true, false}) {
      std::vector<Question> answered;
      for (const Question& question : questions) {
        if (Answer(filter, reads, question) == maybe) answered.push_back(question);
      }
      Keys(maybe ? "maybe" : "absent", answered);
    }
  }
}

void ImagesFile::Image(const std::string& name, const Bytes& image, const Asked& asked, size_t filled, uint64_t seed,
                       const std::vector<Question>& added, bool damage_every) {
  std::vector<std::string> steps;
  if (filled > 0) steps.push_back("fill " + std::to_string(filled) + " " + std::to_string(seed));
  for (size_t at = filled; at < image.size(); at += 64) {
    const size_t end = image.size() - at < 64 ? image.size() : at + 64;
    steps.push_back("bytes " + Hex(Bytes(image.data() + at, image.data() + end)));
  }
  Steps(name, steps, asked, added, damage_every);
}

void ImagesFile::OfKeys(const std::string& name, Filter filter, const std::vector<Question>& keys, const Asked& asked,
                        bool damage_every) {
  std::vector<uint64_t> hashes;
  for (const Question& key : keys) hashes.push_back(key.Hash(filter.seed, secret_, filter.hash_id));
  filter.Fill(hashes);
  Image(name, WriteImage(filter), asked, 0, 0, keys, damage_every);
}

void ImagesFile::OfFilledBody(const std::string& name, Filter filter, uint64_t fill_seed, const Asked& asked) {
  filter.body = AsBytes(FillBytes(filter.body.size(), fill_seed));
  Image(name, WriteImage(filter), asked, filter.body.size(), fill_seed);
}

bool ImagesFile::Answer(const Filter& filter, bool reads, const Question& question) const {
  if (!reads || (!question.IsHash() && filter.hash_id == 0)) return true;
  return filter.MayContain(question.Hash(filter.seed, secret_, filter.hash_id));
}

void ImagesFile::Fields(const Bytes& image, const Filter& filter) {
  const size_t body = filter.body.size();
  text_ << "fields layout=" << LayoutWord(filter.layout) << " num_probes=" << filter.num_probes
        << " hash_id=" << filter.hash_id << " seed=" << (filter.has_seed ? std::to_string(filter.seed) : "none")
        << " num_keys=" << (filter.has_num_keys ? std::to_string(filter.num_keys) : "none")
        << " extensions=" << (filter.has_extensions ? "yes" : "none") << " body=" << body
        << " chunks=" << (body <= 4096 ? 0 : (body + 65535) / 65536) << "\n";
  for (const reference::Extension& extension : filter.extensions) {
    text_ << "extension " << extension.id << " " << Hex(extension.content) << "\n";
  }
  if (reference::KeyKindOf(filter) != 0) text_ << "key-kind " << reference::KeyKindOf(filter) << "\n";
  const Bytes forms = reference::KeyFormsOf(filter);
  if (!forms.empty()) text_ << "key-forms";
  for (const uint8_t form : forms) text_ << " " << int{form};
  if (!forms.empty()) text_ << "\n";
  const std::vector<uint64_t> damaged = reference::DamagedChunks(image.data(), image.size());
  if (!damaged.empty()) text_ << "damaged-chunks";
  for (const uint64_t chunk : damaged) text_ << " " << chunk;
  if (!damaged.empty()) text_ << "\n";
}

// A line with keys of one kind, consecutive numbers as first..last.
void ImagesFile::Keys(const std::string& word, const std::vector<Question>& keys) {
  if (keys.empty()) return;
  text_ << word << " " << keys[0].kind;
  if (!keys[0].prefix.empty()) text_ << " " << keys[0].prefix;
  for (size_t i = 0, last = 0; i < keys.size(); i = last + 1) {
    if (keys[i].IsHash()) {
      text_ << " " << Hex64(keys[last = i].number);
      continue;
    }
    for (last = i; last + 1 < keys.size() && keys[last + 1].number == keys[last].number + 1;) ++last;
    text_ << " " << keys[i].number;
    if (last > i) text_ << ".." << keys[last].number;
  }
  text_ << "\n";
}

}  // namespace linefilter::test
