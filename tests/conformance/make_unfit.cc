// The part of images.txt that no reader may take: other bytes, and what an image may not have, with a right check.
#include <string>
#include <utility>

#include "tests/conformance/images_file.h"

namespace linefilter::test {
namespace {

// `front`, the check, the last four bytes; the check is right if the body has that many bytes.
Bytes Sealed(Bytes front, int flags, size_t body_bytes, int layout = kBlocked) {
  const int last[] = {layout, 6, flags << 4 | 1, 0xa0 + Filter().version};
  front.resize(front.size() + 4);
  for (const int byte : last) front.push_back(static_cast<uint8_t>(byte));
  reference::PutLittleEndian(reference::CheckOfImage(front.data(), front.size(), body_bytes), 4,
                             front.data() + front.size() - 8);
  return front;
}

// Were it read, it would answer "absent" to nearly all.
Filter OneKey(size_t body_bytes = 64) {
  Filter filter = Empty(kBlocked, 6, body_bytes);
  if (body_bytes > 0) filter.Fill({reference::HashOfKey("key-0", 0)});
  return filter;
}

void OtherBytes(ImagesFile* file) {
  file->Section("No images");
  file->Image("no-byte", {}, kFew);
  for (const std::string text : {"\xa0", "7 bytes", "not an image", "not an image but a text of 40 characters"}) {
    file->Image("text-of-" + std::to_string(text.size()), AsBytes(text), kFew);
  }
  file->Image("zeros", Bytes(64, 0), kFew);
  file->Steps("random-bytes", {"fill 72 100"}, kFew);
  file->Steps("a-bloom-filter-of-leveldb", {"fill 63 101", "bytes 06"}, kFew);  // it ends with the number of probes
  file->Steps("two-images", {"copy blocked-1-key", "copy blocked-1-key"}, kFew);
}

void UnknownValues(ImagesFile* file) {
  file->Section("Magics, versions, layouts, hash ids and num_probes that do not exist, with a right check");
  const auto add = [&](std::string name, const Filter& filter, int value) {
    name += "-" + std::to_string(value) + (filter.body.empty() ? "-empty-set" : "");
    file->Image(name, WriteImage(filter), kFew);
  };
  for (const size_t body_bytes : {64u, 0u}) {
    const Filter good = OneKey(body_bytes);
    for (const int magic : {0x00, 0x10, 0x90, 0xb0}) {
      Filter filter = good;
      filter.version += magic - 0xa0;
      add("magic", filter, magic);
    }
    for (const int version : {0, 1, 2, 15}) {
      if (version == good.version) continue;
      Filter filter = good;
      filter.version = version;
      add("version", filter, version);
    }
    for (const int layout : {0, 4, 5, 200, 255}) {
      Filter filter = good;
      filter.layout = layout;
      add("layout", filter, layout);
    }
    for (const int hash_id : {4, 15}) {
      Filter filter = good;
      filter.hash_id = hash_id;
      add("hash-id", filter, hash_id);
    }
    for (const auto& [layout, num_probes] : {std::pair<int, int>{kBlocked, 0},
                                             {kBlocked, 17},
                                             {kBlocked, 255},
                                             {kClassic, 0},
                                             {kClassic, 31},
                                             {kRetrieval, 1},
                                             {kRetrieval, 255},
                                             {kSplitBlock, 1},
                                             {kSplitBlock, 8},
                                             {kQuotient, 2},
                                             {kQuotient, 16}}) {
      Filter filter = good;
      filter.layout = layout;
      filter.num_probes = num_probes;
      add(LayoutWord(layout) + "-num_probes", filter, num_probes);
    }
  }
}

void UnfitBodies(ImagesFile* file) {
  file->Section("Bodies that do not fit, with a right check");
  for (const int layout : {kBlocked, kRetrieval, kSplitBlock, kQuotient}) {
    for (const size_t size : {1u, 8u, 63u, 65u, 127u, 4161u}) {
      file->OfFilledBody(LayoutWord(layout) + "-body-of-" + std::to_string(size), Empty(layout, 6, size), 102, kFew);
    }
  }
  file->Image("5-keys-without-a-body", WriteImage(WithNumKeys(Empty(kBlocked, 6, 0), 5)), kFew);
  const auto filled = [&](const std::string& name, size_t size, int flags, size_t body_bytes, int layout) {
    const Bytes front = AsBytes(FillBytes(size, 103));
    file->Image(name + "-" + std::to_string(size), Sealed(front, flags, body_bytes, layout), kFew, size, 103);
  };
  for (const size_t size : {4160u, 65536u}) filled("large-without-chunk-checks", size, 0, size, kBlocked);
  for (const size_t size : {68u, 4100u})
    filled("small-with-room-for-a-chunk-check", size, kFlagChunks, size - 4, kBlocked);
  // Body and chunk checks together never have such a length.
  for (const size_t size : {65541u, 65544u}) filled("no-body-with-chunk-checks", size, kFlagChunks, size - 8, kClassic);
}

void UnfitFields(ImagesFile* file) {
  file->Section("Fields that do not fit, and critical extensions, with a right check");
  for (const size_t body_bytes : {0u, 64u, 4160u}) {
    for (const uint16_t id : {uint16_t{0x8000}, uint16_t{0x8003}, uint16_t{0xffff}}) {
      const Filter filter = WithExtensions(OneKey(body_bytes), {{9, AsBytes("abc")}, {id, AsBytes("x")}, {9, {}}});
      const std::string name = "critical-extension-" + std::to_string(id) + "-body-" + std::to_string(body_bytes);
      file->OfFilledBody(name, filter, 104, kFew);
    }
  }
  for (const int flags : {kFlagSeed, kFlagNumKeys, kFlagSeed | kFlagNumKeys, kFlagExtensions, kFlagChunks, 15}) {
    const size_t needed = (flags & kFlagSeed ? 8u : 0u) + (flags & kFlagNumKeys ? 8u : 0u) +
                          (flags & (kFlagExtensions | kFlagChunks) ? 4 : 0);
    for (const size_t room : {size_t{0}, needed - 1}) {
      file->Image("flags-" + std::to_string(flags) + "-in-" + std::to_string(room) + "-bytes",
                  Sealed(Bytes(room, 0), flags, 0), kFew);
    }
  }
  for (const uint32_t length : {65u, 4096u, 0x7fffffffu, 0xffffffffu}) {  // there are 64 bytes
    Bytes front(68, 0);
    reference::PutLittleEndian(length, 4, front.data() + 64);
    file->Image("extension-list-of-" + std::to_string(length), Sealed(front, kFlagExtensions, 64), kFew);
  }
  for (const size_t body_bytes : {0u, 64u, 4160u}) {
    const reference::Extension text = {reference::kKeyKind, {1}}, unknown = {reference::kKeyKind, {}};
    const std::string name = "-kinds-of-keys-body-" + std::to_string(body_bytes);
    file->OfFilledBody("two" + name, WithExtensions(OneKey(body_bytes), {text, text}), 104, kFew);
    file->OfFilledBody("two-unknown" + name, WithExtensions(OneKey(body_bytes), {unknown, text}), 104, kFew);
  }
  const Bytes entry = {3, 0, 3, 0, 'a', 'b', 'c'};
  for (size_t size = 1; size < entry.size(); ++size) {
    Bytes front(64, 0);
    for (size_t i = 0; i < size; ++i) front.push_back(entry[i]);
    for (const size_t byte : {size, size_t{0}, size_t{0}, size_t{0}}) front.push_back(static_cast<uint8_t>(byte));
    file->Image("extension-cut-to-" + std::to_string(size), Sealed(front, kFlagExtensions, 64), kFew);
  }
}

// Tables of stages that no reader may take, with a right check.
void UnfitStages(ImagesFile* file) {
  file->Section("Containers whose table of stages does not fit, with a right check");
  const Filter good = ContainerOf({1, 2}, 40, true);
  const auto add = [&](const std::string& name, const Filter& filter) {
    file->OfFilledBody("container-" + name, filter, 106, kFew);
  };
  const auto with_byte = [&](const std::string& name, size_t at, uint8_t value) {
    Filter filter = good;
    filter.extensions[0].content.at(at) = value;
    add(name, filter);
  };
  with_byte("stage-too-long", 0, 2);
  with_byte("stage-too-short", 24, 1);
  with_byte("stage-of-0-blocks", 0, 0);
  with_byte("stage-of-2^56-blocks", 7, 1);
  with_byte("stage-of-2^63-blocks", 31, 0x80);
  with_byte("stage-of-2^58-blocks", 31, 4);  // 64 times as many bytes are 0 modulo 2^64
  for (const int layout : {0, 2, 3, 4, 5, 6, 7, 255}) {
    with_byte("stage-of-layout-" + std::to_string(layout), 16, static_cast<uint8_t>(layout));
  }
  for (const int k : {0, 17, 255}) with_byte("stage-num_probes-" + std::to_string(k), 41, static_cast<uint8_t>(k));
  for (const size_t at : {18u, 23u, 47u}) with_byte("stage-byte-" + std::to_string(at) + "-not-0", at, 1);
  for (const size_t size : {0u, 23u, 24u, 47u}) {
    Filter filter = good;
    filter.extensions[0].content.resize(size);
    add("table-of-" + std::to_string(size) + "-bytes", filter);
  }
  Filter filter = good;
  filter.extensions[0].content.insert(filter.extensions[0].content.end(), 24, 0);
  add("table-with-an-empty-entry", filter);
  filter = ContainerOf(std::vector<size_t>(65, 1), 1, false);
  filter.has_num_keys = false;
  file->OfFilledBody("container-65-stages", filter, 105, kFew);
  filter = good;
  filter.extensions.clear();
  add("without-a-table", filter);
  filter.has_extensions = false;
  add("without-extensions", filter);
  filter = good;
  filter.extensions.push_back(filter.extensions[0]);
  add("two-tables", filter);
  filter = good;
  filter.extensions.push_back({reference::kGrowth, {}});
  filter.extensions.push_back({reference::kGrowth, {}});
  add("two-growths", filter);
  filter = good;
  filter.extensions.push_back({0x8003, {}});
  add("another-critical-extension", filter);
  filter = good;
  filter.num_probes = 7;
  add("num_probes-7", filter);
  filter = good;
  filter.layout = kBlocked;
  filter.num_probes = 5;
  add("table-of-a-blocked-filter", filter);
  filter = ContainerOf({}, 0, false);
  filter.extensions[0].content.assign(24, 0);
  add("a-stage-without-a-body", filter);
}

}  // namespace

void UnfitImages(ImagesFile* file) {
  OtherBytes(file);
  UnknownValues(file);
  UnfitBodies(file);
  UnfitFields(file);
  UnfitStages(file);
}

}  // namespace linefilter::test
