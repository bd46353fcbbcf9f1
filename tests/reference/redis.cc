#include "tests/reference/redis.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>

namespace reference {
namespace {

const char* const kHashes[] = {"caller", "xxh3", "keyed", "parquet"};

std::string Hex(uint64_t value) {
  char text[17];
  snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

int IndexOf(const std::string& name, const char* const* names, int n) {
  for (int i = 0; i < n; ++i) {
    if (name == names[i]) return i;
  }
  return -1;
}

uint64_t Decimal(const std::string& text) { return std::stoull(text); }

// What lies in shards of its own.
struct Part {
  std::string id;
  uint64_t bytes, shard_bytes;
};

// "id:num_blocks:num_probes:num_keys:shard_bytes,..."
std::vector<Part> PartsOfStages(const std::string& stages, std::vector<Filter>* filters,
                                std::vector<uint64_t>* num_keys) {
  std::vector<Part> parts;
  std::istringstream entries(stages);
  for (std::string entry; std::getline(entries, entry, ',');) {
    unsigned long long blocks = 0, keys = 0, shard_bytes = 0;
    Filter stage;
    if (sscanf(entry.c_str() + 17, "%llu:%d:%llu:%llu", &blocks, &stage.num_probes, &keys, &shard_bytes) != 4) continue;
    parts.push_back({entry.substr(0, 16), 64 * blocks, shard_bytes});
    filters->push_back(stage);
    num_keys->push_back(keys);
  }
  return parts;
}

// Appends the bits of all shards; false if one is lost, or its mark is above that version.
bool ReadShards(const RedisCommand& run, const std::string& name, const Part& part, uint64_t version, Bytes* body) {
  for (uint64_t begin = 0; begin < part.bytes; begin += part.shard_bytes) {
    const std::string shard = run({"GET", NameOfRedisShard(name, part.id, begin / part.shard_bytes)});
    const size_t size = static_cast<size_t>(std::min(part.bytes - begin, part.shard_bytes));
    if (shard.size() != size + 16 || shard.compare(size, 8, "lfshard1") != 0) return false;
    const auto* const mark = reinterpret_cast<const uint8_t*>(shard.data()) + size + 8;
    const uint64_t number = GetLittleEndian(mark, 8);
    if (number == 0 || number > version) return false;
    body->insert(body->end(), shard.begin(), shard.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return true;
}

Bytes BytesOfHex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace

bool ReadRedisRecord(const std::string& record, std::map<std::string, std::string>* fields) {
  const size_t check = record.rfind("check ");
  if (record.compare(0, 19, "linefilter-redis 1\n") != 0 || check == std::string::npos) return false;
  if (record.substr(check) != "check " + Hex(HashOfKey(record.substr(0, check), 0)) + "\n") return false;
  std::istringstream lines(record.substr(19, check - 19));
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    (*fields)[line.substr(0, space)] = line.substr(space + 1);
  }
  return true;
}

std::string WriteRedisRecord(const std::vector<std::string>& lines) {
  std::string record = "linefilter-redis 1\n";
  for (const std::string& line : lines) record += line + "\n";
  return record + "check " + Hex(HashOfKey(record, 0)) + "\n";
}

std::string NameOfRedisShard(const std::string& name, const std::string& generation, uint64_t shard) {
  const std::string all = name + ":" + generation + ":" + std::to_string(shard);
  const size_t open = name.find('{'), close = open == std::string::npos ? open : name.find('}', open);
  const bool has_tag = close != std::string::npos && close > open + 1;
  return has_tag ? all : "{" + all + "}";
}

bool ReadRedisFilter(const RedisCommand& run, const std::string& name, Filter* filter) {
  std::map<std::string, std::string> record;
  if (!ReadRedisRecord(run({"GET", name}), &record)) return false;
  const uint64_t version = Decimal(record["version"]);
  Filter read;
  read.layout = IndexOf(record["current.layout"], kLayoutNames, static_cast<int>(std::size(kLayoutNames)));
  read.num_probes = std::stoi(record["current.probes"]);
  if (read.layout == kContainer) {
    std::vector<Filter> stages;
    std::vector<uint64_t> num_keys;
    const std::vector<Part> parts = PartsOfStages(record["current.stages"], &stages, &num_keys);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!ReadShards(run, name, parts[i], version, &stages[i].body)) return false;
    }
    read = MakeContainer(stages, num_keys);
  } else {
    const Part all{record["current"], Decimal(record["current.bytes"]), Decimal(record["current.shard-bytes"])};
    if (!ReadShards(run, name, all, version, &read.body)) return false;
  }
  if (record.count("current.growth") != 0) {
    read.extensions.push_back({kGrowth, BytesOfHex(record["current.growth"])});
  }
  read.hash_id = IndexOf(record["hash"], kHashes, static_cast<int>(std::size(kHashes)));
  read.seed = std::stoull(record["seed"], nullptr, 16);
  *filter = read;
  return true;
}

void WriteRedisFilter(const RedisCommand& run, const std::string& name, const Filter& filter, uint64_t shard_bytes) {
  const std::string generation = "00c0ffee00c0ffee";
  const size_t step = static_cast<size_t>(shard_bytes);
  for (size_t begin = 0; begin < filter.body.size(); begin += step) {
    const size_t size = filter.body.size() - begin < step ? filter.body.size() - begin : step;
    std::string shard(reinterpret_cast<const char*>(filter.body.data()) + begin, size);
    shard += std::string("lfshard1\x05\0\0\0\0\0\0\0", 16);
    run({"SET", NameOfRedisShard(name, generation, begin / step), shard});
  }
  run({"SET", name,
       WriteRedisRecord({"version 5", std::string("hash ") + kHashes[filter.hash_id], "seed " + Hex(filter.seed),
                         "current " + generation, std::string("current.layout ") + kLayoutNames[filter.layout],
                         "current.probes " + std::to_string(filter.num_probes),
                         "current.bytes " + std::to_string(filter.body.size()),
                         "current.shard-bytes " + std::to_string(shard_bytes), "current.keys 0"})});
}

void SetBitsInRedis(const RedisCommand& run, const std::string& name, const Filter& filter, uint64_t hash) {
  std::map<std::string, std::string> record;
  if (!ReadRedisRecord(run({"GET", name}), &record)) return;
  const uint64_t per_shard = Decimal(record["current.shard-bytes"]);
  for (const uint64_t bit : BitsOfHash(filter, hash)) {
    const uint64_t byte = bit / 8, offset = 8 * (byte % per_shard) + (7 - bit % 8);
    run({"SETBIT", NameOfRedisShard(name, record["current"], byte / per_shard), std::to_string(offset), "1"});
  }
}

void ChangeBlockInRedis(const RedisCommand& run, const std::string& name, uint64_t hash, Change change) {
  const char* const write = R"(
    local call, shard, words, differing = redis.call, KEYS[1], ARGV, {}
    for i = 1, #words, 4 do
      local first = words[i]
      local now = call('GETRANGE', shard, first, words[i + 1])
      if now == words[i + 2] then call('SETRANGE', shard, first, words[i + 3])
      else differing[#differing + 1] = (i - 1) / 4; differing[#differing + 1] = now end
    end
    return differing)";
  std::map<std::string, std::string> record;
  Filter before;
  if (!ReadRedisRecord(run({"GET", name}), &record) || !ReadRedisFilter(run, name, &before)) return;
  Filter after = before;
  (void)(change == Change::kInsert ? after.Insert(hash) : after.Remove(hash));
  const uint64_t per_shard = Decimal(record["current.shard-bytes"]);
  for (size_t at = 0; at < before.body.size(); at += 64) {
    const std::string was(reinterpret_cast<const char*>(before.body.data()) + at, 64);
    const std::string is(reinterpret_cast<const char*>(after.body.data()) + at, 64);
    if (was == is) continue;
    const uint64_t first = at % per_shard;
    run({"EVAL", write, "1", NameOfRedisShard(name, record["current"], at / per_shard), std::to_string(first),
         std::to_string(first + 63), was, is});
  }
}

}  // namespace reference
