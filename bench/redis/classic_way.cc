#include "bench/redis/classic_way.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace linefilter::bench {
namespace {

using tools::BenchUse;

constexpr char kLookup[] =
    "for i = 1, #ARGV do if redis.call('GETBIT', KEYS[1], ARGV[i]) == 0 then return 0 end end return 1";
constexpr char kInsert[] =
    "local new = 0 for i = 1, #ARGV do if redis.call('SETBIT', KEYS[1], ARGV[i], 1) == 0 then new = 1 end end "
    "return new";
constexpr size_t kPieceBytes = 1 << 20;  // a piece of an upload
constexpr char kTimeToLive[] = "3600";

std::string WordOf(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

Status Upload(const Filter& filter, const std::string& key, RedisConnection* connection) {
  const char* const body = reinterpret_cast<const char*>(filter.body());
  const auto size = static_cast<size_t>(filter.body_bytes());
  Status status;
  for (size_t at = 0; status.ok() && at < size; at += kPieceBytes) {
    const std::string piece(body + at, std::min(kPieceBytes, size - at));
    status = connection->Do({"SETRANGE", key, std::to_string(at), piece});
    // This comes at once, in case we are killed meanwhile; the pieces that follow leave it.
    if (status.ok() && at == 0) status = connection->Do({"EXPIRE", key, kTimeToLive});
  }
  return status;
}

}  // namespace

ClassicWay::ClassicWay(Commands commands, const std::string& name) : commands_(commands) {
  const std::string key = name + (commands == kScript ? ":script" : ":bitfield");
  lookups_.key = key + "-lookups";
  inserts_.key = key + "-inserts";
  lookups_.form = {2, "\r\n$11\r\nBITFIELD_RO\r\n" + WordOf(lookups_.key), 3, "$3\r\nGET\r\n$2\r\nu1\r\n", "", false};
  inserts_.form = {2,   "\r\n$8\r\nBITFIELD\r\n" + WordOf(inserts_.key), 4, "$3\r\nSET\r\n$2\r\nu1\r\n", "$1\r\n1\r\n",
                   true};
}

ClassicWay::~ClassicWay() {
  for (Server* server : {&lookups_, &inserts_}) {
    if (server->is_filled) (void)server->connection.Do({"UNLINK", server->key});
  }
}

Status ClassicWay::CreateOne(const tools::BenchRequest& request, BenchUse use, Server* server) {
  Filter local;
  Status status = Make(request, use, Layout::kClassic, &local);
  if (!status.ok()) return status;
  body_.layout = Layout::kClassic;
  body_.body_bytes = local.body_bytes();
  body_.num_probes = local.num_probes();
  status = CheckBody(body_);
  if (status.ok()) status = server->connection.Connect(request.servers);
  if (status.ok() && commands_ == kScript) {
    std::string sha1;
    status = server->connection.Do({"SCRIPT", "LOAD", use == BenchUse::kLookups ? kLookup : kInsert}, &sha1);
    server->form = {4,  "\r\n$7\r\nEVALSHA\r\n$40\r\n" + sha1 + "\r\n$1\r\n1\r\n" + WordOf(server->key),
                    1,  "",
                    "", use == BenchUse::kInserts};
  }
  server->is_filled = status.ok();
  return status.ok() ? Upload(local, server->key, &server->connection) : status;
}

Status ClassicWay::Create(const tools::BenchRequest& request) {
  const Status status = CreateOne(request, BenchUse::kLookups, &lookups_);
  return status.ok() ? CreateOne(request, BenchUse::kInserts, &inserts_) : status;
}

// The commands are written by hand, which costs the client a tenth of what hiredis' formatting does: the row stands for
// the server, not for a slow client. Redis numbers bits from the most significant: bit b of byte i is 8 i + (7 - b).
Status ClassicWay::Run(Server* server, const std::vector<uint64_t>& hashes, uint8_t* answers) {
  const Form& form = server->form;
  uint64_t positions[kMaxPositions];
  buffer_.clear();
  for (const uint64_t hash : hashes) {
    const size_t probes = PositionsOfHash(body_, hash, positions);
    char digits[24];
    const auto append = [this, &digits](const char* before, uint64_t number) {
      buffer_.append(before).append(digits, std::to_chars(digits, std::end(digits), number).ptr);
    };
    append("*", form.words + form.words_of_probe * probes);
    buffer_ += form.begin;
    for (size_t p = 0; p < probes; ++p) {
      const uint64_t offset = positions[p] ^ 7;
      buffer_ += form.before;
      append("$", static_cast<uint64_t>(std::to_chars(digits, std::end(digits), offset).ptr - digits));
      append("\r\n", offset);
      buffer_ += "\r\n";
      buffer_ += form.after;
    }
  }
  return server->connection.Run(buffer_, hashes.size(), [&](size_t i, const redisReply& reply) {
    if (reply.type == REDIS_REPLY_ARRAY) {  // the bits, as they were
      const bool all = std::all_of(reply.element, reply.element + reply.elements,
                                   [](const redisReply* bit) { return bit->integer != 0; });
      answers[i] = all != form.inserts ? 1 : 0;
    } else {
      answers[i] = reply.type == REDIS_REPLY_INTEGER && reply.integer == 0 ? 0 : 1;
    }
  });
}

Status ClassicWay::Ask(const std::vector<uint64_t>& hashes, bool, uint8_t* answers) {
  return Run(&lookups_, hashes, answers);
}

Status ClassicWay::Insert(const std::vector<uint64_t>& hashes, bool) {
  were_new_.resize(hashes.size());
  return Run(&inserts_, hashes, were_new_.data());
}

}  // namespace linefilter::bench
