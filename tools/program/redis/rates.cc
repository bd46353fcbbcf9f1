#include "tools/program/redis/rates.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace linefilter::tools {
namespace {

struct Field {
  const char* name;
  double RedisRates::*value;
};

constexpr Field kFields[] = {{"lookups_sync", &RedisRates::lookups_sync},
                             {"lookups_pipelined", &RedisRates::lookups_pipelined},
                             {"inserts_sync", &RedisRates::inserts_sync},
                             {"inserts_pipelined", &RedisRates::inserts_pipelined},
                             {"lookup_request_bytes", &RedisRates::lookup_request_bytes},
                             {"lookup_reply_bytes", &RedisRates::lookup_reply_bytes},
                             {"insert_request_bytes", &RedisRates::insert_request_bytes},
                             {"insert_reply_bytes", &RedisRates::insert_reply_bytes}};

}  // namespace

void ReportRates(const RedisRates& rates, Report* report) {
  for (const Field& field : kFields) report->Number(field.name, rates.*field.value);
  report->Count("batch", rates.batch);
}

Status ReadRedisRates(const std::string& path, RedisRates* rates) {
  errno = 0;
  std::ifstream in(path);
  std::ostringstream text;  // not parsed from the stream, which throws where the path is a folder
  text << in.rdbuf();
  if (!in.is_open() || (text.fail() && errno != 0)) {
    return Status::Error(StatusCode::kIoError, "%s: cannot be read: %s", path.c_str(), strerror(errno));
  }
  const nlohmann::json json = nlohmann::json::parse(text.str(), nullptr, false);
  if (!json.is_object()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s: holds no rates: it must be what `linefilter redis bench --json` printed", path.c_str());
  }
  RedisRates read;
  for (const Field& field : kFields) {
    const auto found = json.find(field.name);
    double value = found != json.end() && found->is_number() ? found->get<double>() : 0;
    if (!(value >= 1 && value <= 1e15)) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "%s: %s is %s: it must be what `linefilter redis bench --json` printed", path.c_str(),
                           field.name, found == json.end() ? "missing" : "no rate of 1 or more");
    }
    read.*field.value = value;
  }
  const auto batch = json.find("batch");
  if (batch == json.end() || !batch->is_number_unsigned() || *batch == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s: batch is no count above 0: it must be what `linefilter redis bench --json` printed",
                         path.c_str());
  }
  read.batch = batch->get<uint64_t>();
  *rates = read;
  return Status();
}

}  // namespace linefilter::tools
