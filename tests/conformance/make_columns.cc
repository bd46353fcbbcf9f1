// The vectors of keys of columns: what columns.txt contains, and the part of images.txt that tells key forms. The
// reference alone decides what the bytes and the answers are.
#include <sstream>

#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kSeeds[] = {0, 0x9e3779b97f4a7c15};

// Each is a row of columns FORM:VALUE.
constexpr const char* kRows[] = {
    "text:alice",
    "text:",
    "integer:2",
    "integer:-2",
    "integer:18446744073709551615",
    "real:2",
    "real:1.5",
    "real:-0.0",
    "real:nan",
    "real:inf",
    "real:0.1f",
    "real:9007199254740993",
    "instant:1d",
    "instant:86400s",
    "instant:86400000ms",
    "instant:-1us",
    "instant:106752d",
    "padded:ab__",
    "padded:_a_b",
    "padded:__",
    "canonical:alice",
    "decimal2:1.5",
    "decimal1:-1.5",
    "decimal38:-1",
    "decimal4:12345678901234567890.1234",
    "null:",
    "integer:2 text:alice",
    "text:alice integer:2",
    "integer:0 integer:0",
    "null: real:1.5",
    "text:alice null: decimal2:1.5 instant:1d padded:ab integer:-2 real:1.5 canonical:",
};

Filter WithForms(Filter filter, const std::vector<Bytes>& fields) {
  filter.has_extensions = true;
  for (const Bytes& content : fields) filter.extensions.push_back({reference::kKeyForms, content});
  return filter;
}

// Rows (i, i + 1) of two integers, hashed as hash id 0 has them.
Question HashOfRow(uint64_t i, uint64_t seed) {
  const auto key = [](uint64_t value) { return reference::KeyOfColumn("integer", std::to_string(value)); };
  Question question;
  question.kind = "hash";
  question.number = reference::HashOfColumns({key(i), key(i + 1)}, seed);
  return question;
}

}  // namespace

std::string MakeColumnsVectors() {
  std::ostringstream text;
  text << kHead << "# seed, hexadecimal | hash of the row, hexadecimal | its columns, FORM:VALUE:BYTES\n";
  for (const char* row : kRows) {
    for (const uint64_t seed : kSeeds) {
      std::istringstream columns(row);
      std::vector<std::string> keys;
      std::string told;
      for (std::string word; columns >> word;) {
        const size_t colon = word.find(':');
        keys.push_back(reference::KeyOfColumn(word.substr(0, colon), word.substr(colon + 1)));
        told += " " + word + ":" + HexBytes(keys.back());
      }
      text << Hex64(seed) << " " << Hex64(reference::HashOfColumns(keys, seed)) << told << "\n";
    }
  }
  return text.str();
}

void KeyFormsImages(ImagesFile* file) {
  file->Section("The field of key forms: what it says changes no answer, and no image is refused for it");
  const std::vector<Question> keys = FirstKeys("text", "key-", 50);
  const Filter small = Empty(kBlocked, 7, 64);
  const auto add = [&](const std::string& name, const Filter& filter, const std::vector<Bytes>& fields) {
    file->OfKeys(name, WithForms(filter, fields), keys, kFew, name == "blocked-key-forms-5");
  };
  for (const uint8_t form : {1, 2, 3, 4, 5, 6, 0x21, 0x46, 0x81, 0xc6}) {
    add("blocked-key-forms-" + std::to_string(form), small, {{form}});
  }
  for (const uint8_t no_form : {0, 7, 0x20, 0x47, 0x7f, 0x80, 0xff}) {
    add("blocked-key-forms-" + std::to_string(no_form), small, {{no_form}});
  }
  add("blocked-key-forms-of-0-bytes", small, {{}});
  add("blocked-key-forms-of-8-bytes", small, {{1, 2, 3, 4, 5, 6, 0x22, 0x82}});
  add("blocked-key-forms-of-9-bytes", small, {{1, 2, 3, 4, 5, 6, 0x22, 0x82, 1}});
  add("blocked-key-forms-and-no-form", small, {{5, 0}});
  add("blocked-two-key-forms", small, {{5}, {5}});
  add("blocked-three-key-forms", small, {{}, {5}, {1, 2}});
  Filter text = small;
  text.extensions.push_back({reference::kKeyKind, {1}});
  add("blocked-key-forms-129-of-text", text, {{0x81}});
  for (const int layout : reference::kLayoutsOfOneBody) {
    const std::string name = LayoutWord(layout) + "-key-forms-of-2-integers";
    Filter filter = WithForms(Empty(layout, 7, layout == kClassic ? 63 : 64), {{2, 2}});
    filter.hash_id = 0;
    filter.has_seed = true;
    filter.seed = kSeeds[1];
    std::vector<Question> rows;
    for (uint64_t i = 0; i < 50; ++i) rows.push_back(HashOfRow(i, filter.seed));
    file->OfKeys(name, filter, rows, kFew);
    filter.body.clear();
    file->OfKeys(name + "-empty-set", filter, {}, kFew);
  }
  file->OfFilledBody("blocked-key-forms-large", WithForms(Empty(kBlocked, 7, 4160), {{4}}), 108, kFew);
  file->Image("container-key-forms-3", WriteImage(WithForms(ContainerOf({1, 2, 4}, 60, true), {{3}})), kFew);
}

}  // namespace linefilter::test
