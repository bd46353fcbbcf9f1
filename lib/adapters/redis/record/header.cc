#include "lib/adapters/redis/record/header.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>

#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/wire/cut.h"
#include "linefilter/layout.h"

namespace linefilter::redis_internal {
namespace {

constexpr char kFirstLine[] = "linefilter-redis 1\n";
constexpr std::string_view kFirstWord = "linefilter-redis ";
constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;
constexpr size_t kMaxStages = 64;
constexpr uint64_t kBitsOfBlock = 512;

// The most probes that any layout of this library takes. A record that tells more comes from a later one.
uint32_t MostProbes() {
  uint32_t most = 0;
  for (const Layout layout : SupportedLayouts()) most = std::max(most, FactsOf(layout).max_num_probes);
  return most;
}
// The most of a stage, which is a `blocked` filter.
uint32_t MostProbesOfStage() { return FactsOf(Layout::kBlocked).max_num_probes; }

// Parses a number of at most 64 bits, nothing else.
bool ParseNumber(std::string_view text, int base, uint64_t* value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *value, base);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// Takes a number only as the library writes it: another way to write the same one is damage.
bool ParseHex16(std::string_view text, uint64_t* value) {
  return text.size() == 16 && text.find_first_of("ABCDEF") == std::string_view::npos && ParseNumber(text, 16, value);
}

std::string Hex16(uint64_t value) {
  char text[17];
  snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool ParseLayoutName(std::string_view text, Layout* layout) {
  for (const Layout supported : SupportedLayouts()) {
    if (text != LayoutName(supported)) continue;
    *layout = supported;
    return true;
  }
  return false;
}

// Parses "id:blocks:probes:keys:shard bytes", separated by commas.
bool ParseStages(std::string_view text, std::vector<Stage>* stages) {
  stages->clear();
  while (!text.empty()) {
    std::string_view entry = Cut(&text, ',');
    Stage stage;
    uint64_t probes;
    if (!ParseHex16(Cut(&entry, ':'), &stage.id) || !ParseNumber(Cut(&entry, ':'), 10, &stage.num_blocks) ||
        !ParseNumber(Cut(&entry, ':'), 10, &probes) || !ParseNumber(Cut(&entry, ':'), 10, &stage.num_keys) ||
        !ParseNumber(entry, 10, &stage.shard_bytes) || probes > MostProbesOfStage() || stages->size() == kMaxStages) {
      return false;
    }
    stage.num_probes = static_cast<uint32_t>(probes);
    stages->push_back(stage);
  }
  return true;
}

// Writes two digits for each byte.
std::string HexOf(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const uint8_t byte = static_cast<uint8_t>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool ParseBytes(std::string_view text, std::string* bytes) {
  bytes->clear();
  if (text.empty() || text.size() % 2 != 0 || text.size() > 2 * kMaxBodyGrowthBytes) return false;
  for (; !text.empty(); text.remove_prefix(2)) {
    uint64_t byte;
    if (!ParseNumber(text.substr(0, 2), 16, &byte)) return false;
    bytes->push_back(static_cast<char>(byte));
  }
  return true;
}

void FormatGeneration(const char* role, const Generation& generation, std::string* text) {
  if (!generation.exists()) return;
  const auto line = [&](const char* field, const std::string& value) {
    *text += std::string(role) + field + " " + value + "\n";
  };
  line("", Hex16(generation.id));
  line(".layout", LayoutName(generation.layout));
  line(".probes", std::to_string(generation.num_probes));
  line(".bytes", std::to_string(generation.body_bytes));
  line(".shard-bytes", std::to_string(generation.shard_bytes));
  line(".keys", std::to_string(generation.num_keys));
  std::string stages;
  for (const Stage& stage : generation.stages) {
    if (!stages.empty()) stages += ",";
    stages += Hex16(stage.id) + ":" + std::to_string(stage.num_blocks) + ":" + std::to_string(stage.num_probes) + ":" +
              std::to_string(stage.num_keys) + ":" + std::to_string(stage.shard_bytes);
  }
  if (!stages.empty()) line(".stages", stages);
  if (generation.newest_ones != kUnknownOnes) line(".newest-ones", std::to_string(generation.newest_ones));
  if (!generation.growth.empty()) line(".growth", HexOf(generation.growth));
}

enum class Field { kTaken, kUnknown, kWrong };

Field ParseGenerationField(std::string_view field, std::string_view value, Generation* generation) {
  const auto taken = [](bool ok) { return ok ? Field::kTaken : Field::kWrong; };
  uint64_t probes;
  if (field.empty()) return taken(ParseHex16(value, &generation->id) && generation->id != 0);
  if (field == ".layout") return taken(ParseLayoutName(value, &generation->layout));
  if (field == ".bytes") return taken(ParseNumber(value, 10, &generation->body_bytes));
  if (field == ".shard-bytes") return taken(ParseNumber(value, 10, &generation->shard_bytes));
  if (field == ".keys") return taken(ParseNumber(value, 10, &generation->num_keys));
  if (field == ".stages") return taken(ParseStages(value, &generation->stages));
  if (field == ".newest-ones") return taken(ParseNumber(value, 10, &generation->newest_ones));
  if (field == ".growth") return taken(ParseBytes(value, &generation->growth));
  // A line of a role that is not known would stay behind when another generation takes that role.
  if (field != ".probes") return Field::kWrong;
  if (!ParseNumber(value, 10, &probes) || probes > MostProbes()) return Field::kWrong;
  generation->num_probes = static_cast<uint32_t>(probes);
  return Field::kTaken;
}

Field ParseField(std::string_view field, std::string_view value, Header* header) {
  const auto taken = [](bool ok) { return ok ? Field::kTaken : Field::kWrong; };
  if (field == "version") return taken(ParseNumber(value, 10, &header->version) && header->version != 0);
  if (field == "seed") return taken(ParseHex16(value, &header->seed));
  if (field == "!followed") {
    return taken(ParseNumber(value, 10, &header->followed_keys) && header->followed_keys != 0 &&
                 header->followed_keys <= kMostFollowedKeys);
  }
  if (field == "hash") {
    for (HashId id{}; KeyHash::IsKnown(id); id = static_cast<HashId>(static_cast<int>(id) + 1)) {
      if (value == HashIdName(id)) {
        header->hash_id = id;
        return Field::kTaken;
      }
    }
    return Field::kWrong;
  }
  const struct {
    std::string_view role;
    Generation* generation;
  } roles[] = {{"current", &header->current}, {"next", &header->next}, {"previous", &header->previous}};
  for (const auto& role : roles) {
    if (field.substr(0, role.role.size()) != role.role) continue;
    const std::string_view rest = field.substr(role.role.size());
    if (rest.empty() || rest[0] == '.') return ParseGenerationField(rest, value, role.generation);
  }
  return Field::kUnknown;
}

// Whether the shards of these parts can be named: sizes that make no more than kMaxShards.
bool CanBeNamed(const Generation& generation) {
  uint64_t shards = 0;
  for (const Stage& stage : generation.stages) {
    if (stage.num_blocks > kMaxBlocks) return false;  // its bytes would be no number
  }
  for (const Generation::Part& part : generation.parts()) {
    if (part.id == 0 || part.bytes == 0 || part.shard_bytes == 0 || part.shard_bytes > kMaxShardBytes) return false;
    const uint64_t of_part = (part.bytes - 1) / part.shard_bytes + 1;
    if (of_part > kMaxShards - shards) return false;
    shards += of_part;
  }
  return true;
}

}  // namespace

std::vector<const Generation*> Header::Written() const {
  std::vector<const Generation*> written;
  for (const Generation* generation : {&current, &next, &previous}) {
    if (generation->exists()) written.push_back(generation);
  }
  return written;
}

std::string FormatHeader(const Header& header) {
  std::string text = kFirstLine;
  text += "version " + std::to_string(header.version) + "\n";
  text += std::string("hash ") + HashIdName(header.hash_id) + "\n";
  text += "seed " + Hex16(header.seed) + "\n";
  if (header.followed_keys != 0) text += "!followed " + std::to_string(header.followed_keys) + "\n";
  FormatGeneration("current", header.current, &text);
  FormatGeneration("next", header.next, &text);
  FormatGeneration("previous", header.previous, &text);
  text += header.unknown;
  return text + "check " + Hex16(HashKey(std::string_view(text))) + "\n";
}

Status ParseHeader(std::string_view name, std::string_view text, Header* header) {
  const Printable shown(name);
  if (text.substr(0, kFirstWord.size()) != kFirstWord) {
    return Status::Error(StatusCode::kIncompatible,
                         "key %s in Redis is not a filter of linefilter: something else has this name; choose another",
                         shown.c_str());
  }
  if (text.substr(0, sizeof(kFirstLine) - 1) != kFirstLine) {
    return Status::Error(StatusCode::kUnsupported,
                         "filter %s in Redis has a header record of a later kind: use a newer linefilter",
                         shown.c_str());
  }
  constexpr size_t kLastLine = 6 + 16 + 1;  // "check ", 16 digits, newline
  uint64_t check;
  const size_t checked = text.size() - kLastLine;
  if (text.size() < sizeof(kFirstLine) - 1 + kLastLine || text.substr(checked, 6) != "check " || text.back() != '\n' ||
      !ParseHex16(text.substr(checked + 6, 16), &check) || check != HashKey(text.substr(0, checked))) {
    return Status::Error(StatusCode::kCorrupt,
                         "the header record of filter %s in Redis is damaged, or was written before linefilter 0.1.0 "
                         "(its check does not fit): delete the filter and make it anew of the exact source",
                         shown.c_str());
  }
  Header parsed;
  std::string_view rest = text.substr(sizeof(kFirstLine) - 1, checked - (sizeof(kFirstLine) - 1));
  while (!rest.empty()) {
    const std::string_view line = Cut(&rest, '\n');
    std::string_view value = line;
    const std::string_view field = Cut(&value, ' ');
    const Field found = ParseField(field, value, &parsed);
    if (found == Field::kTaken) continue;
    if (found == Field::kUnknown && (field.empty() || field[0] != '!')) {
      parsed.unknown.append(line).append("\n");
      continue;
    }
    return Status::Error(StatusCode::kUnsupported,
                         "the header record of filter %s in Redis has a field this library does not understand (%s): "
                         "use a newer linefilter",
                         shown.c_str(), Printable(line).c_str());
  }
  if (!parsed.current.exists() || parsed.version == 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "the header record of filter %s in Redis names no generation: delete the filter and make it "
                         "anew of the exact source",
                         shown.c_str());
  }
  if (!KeyHash::HasSeed(parsed.hash_id) && parsed.seed != 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "the header record of filter %s in Redis has a seed, and its hash (parquet) has none: delete "
                         "the filter and make it anew of the exact source",
                         shown.c_str());
  }
  for (const Generation* generation : parsed.Written()) {
    Status status = CheckGeneration(name, *generation);
    if (status.ok() && parsed.followed_keys != 0) status = CheckFollowed(name, generation->layout);
    if (!status.ok()) return status;
  }
  *header = std::move(parsed);
  return Status();
}

// Whatever else is damaged, these fields name the shards.
void SalvageGenerations(std::string_view text, Header* header) {
  Header found;
  while (!text.empty()) {
    std::string_view value = Cut(&text, '\n');
    const std::string_view field = Cut(&value, ' ');
    (void)ParseField(field, value, &found);
  }
  for (Generation* generation : {&found.current, &found.next, &found.previous}) {
    if (!generation->stages.empty()) generation->layout = Layout::kContainer;
    Generation named;
    if (generation->exists() && CanBeNamed(*generation)) {
      named.id = generation->id;
      named.layout = generation->layout;
      named.body_bytes = generation->body_bytes;
      named.shard_bytes = generation->shard_bytes;
      named.stages = generation->stages;
    }
    *generation = std::move(named);
  }
  *header = std::move(found);
}

Status CheckGeneration(std::string_view name, const Generation& generation) {
  const Layout layout = generation.layout;
  const LayoutFacts facts = FactsOf(layout);
  bool good = layout != Layout::kAuto && generation.body_bytes != 0 &&
              (!facts.has_stages || generation.num_probes == 0) && generation.shard_bytes <= kMaxShardBytes;
  // Each stage of a container may have kMaxBlocks.
  const uint64_t most_blocks = kMaxBlocks * (facts.has_stages ? kMaxStages : 1);
  if (facts.block_bytes != 0) {
    good = good && generation.body_bytes % facts.block_bytes == 0 && generation.shard_bytes % facts.block_bytes == 0 &&
           generation.num_blocks() <= most_blocks;
    for (const Stage& stage : generation.stages) good = good && stage.shard_bytes % facts.block_bytes == 0;
  } else {
    good = good && generation.shard_bytes == generation.body_bytes;
  }
  // CheckBody looks at num_probes, too. A layout may take fewer blocks; insertions trust that each hash has its
  // positions.
  if (!facts.has_stages) {
    BodyFacts body;
    body.layout = layout;
    body.num_probes = generation.num_probes;
    body.body_bytes = generation.body_bytes;
    good = good && CheckBody(body).ok();
  }
  good = good && facts.has_stages == !generation.stages.empty() && generation.stages.size() <= kMaxStages;
  uint64_t stage_blocks = 0;
  for (const Stage& stage : generation.stages) {
    good = good && stage.num_blocks != 0 && stage.num_blocks <= kMaxBlocks && stage.num_probes != 0 &&
           stage.num_probes <= MostProbesOfStage() && stage.num_keys <= kBitsOfBlock * stage.num_blocks;
    stage_blocks += stage.num_blocks;
  }
  if (generation.newest_ones != kUnknownOnes) {
    good = good && !generation.stages.empty() &&
           generation.newest_ones <= kBitsOfBlock * generation.stages.back().num_blocks;
  }
  good = good && (!facts.has_stages || generation.num_keys <= kBitsOfBlock * stage_blocks);
  good = good && (generation.growth.empty() || facts.has_stages) && CanBeNamed(generation);
  if (good && (generation.stages.empty() || stage_blocks * facts.block_bytes == generation.body_bytes)) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "the header record of filter %s in Redis describes a %s filter that cannot be (%llu bytes, %u "
                       "probes, %zu stages, shards of %llu bytes): delete it and make it anew of the exact source",
                       Printable(name).c_str(), LayoutName(layout),
                       static_cast<unsigned long long>(generation.body_bytes), generation.num_probes,
                       generation.stages.size(), static_cast<unsigned long long>(generation.shard_bytes));
}

Status CheckFollowed(std::string_view name, Layout layout) {
  const LayoutFacts facts = FactsOf(layout);
  if (facts.shares && facts.takes_keys) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "filter %s in Redis is followed, and a %s filter cannot be: threads that ask it would meet the "
                       "one that brings it up to date; take blocked or split_block",
                       Printable(name).c_str(), LayoutName(layout));
}

Status NewGenerationId(uint64_t* id) {
  try {
    std::random_device random;
    do {
      *id = uint64_t{random()} << 32 | uint64_t{random()};
    } while (*id == 0);
    return Status();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return Status::Error(StatusCode::kIoError,
                         "the system has no random numbers (/dev/urandom), which name a generation");
  }
}

}  // namespace linefilter::redis_internal
