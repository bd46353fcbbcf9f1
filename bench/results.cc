#include "bench/results.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "linefilter/file.h"

namespace linefilter::bench {
namespace {

using Json = nlohmann::ordered_json;

// Five digits that count: more would be noise.
double Rounded(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.5g", value);
  return std::strtod(text, nullptr);
}

Json ToJson(const Measured& measured) {
  const Row& row = *measured.row;
  const Spec& spec = measured.spec;
  Json json;
  json["row"] = row.name;
  json["access"] = AccessName(row.access);
  json["keys"] = KeyKindName(spec.kind);
  json["hit_percent"] = row.hit_percent;
  json["layout"] = row.peer->name;
  json["origin"] = row.peer->origin;
  json["target"] = row.peer->targets[row.target];
  json["floor"] = row.peer->is_floor;
  json["size"] = SizeName(spec.body_bytes);
  json["body_bytes"] = spec.body_bytes;
  json["image_bytes"] = measured.image_bytes;
  json["asked_bits_per_key"] = spec.bits_per_key;
  json["bits_per_key"] = Rounded(8 * static_cast<double>(measured.image_bytes) / static_cast<double>(spec.num_keys));
  json["num_keys"] = spec.num_keys;
  json["num_probes"] = measured.num_probes;
  if (measured.lines > 0) json["lines"] = Rounded(measured.lines);
  if (spec.rate_goal > 0) json["rate_goal"] = spec.rate_goal;
  json["fpr"] = Rounded(measured.fpr);
  json["fpr_queries"] = measured.fpr_queries;
  json["expected_fpr"] = Rounded(measured.expected_fpr);
  json["ns"] = Rounded(Median(measured.ns));
  json["ns_min"] = Rounded(*std::min_element(measured.ns.begin(), measured.ns.end()));
  json["ns_max"] = Rounded(*std::max_element(measured.ns.begin(), measured.ns.end()));
  json["repetitions"] = measured.ns.size();
  json["group_began_ms"] = measured.group_began_ms;
  json["ns_each"] = Json::array();
  for (const double ns : measured.ns) json["ns_each"].push_back(Rounded(ns));
  if (measured.huge_page_percent >= 0) json["huge_page_percent"] = Rounded(measured.huge_page_percent);
  const auto add_count = [&](const char* name, double Counters::Counts::*count) {
    std::vector<double> values;
    for (const Counters::Counts& counts : measured.counts) values.push_back(counts.*count);
    if (!values.empty() && values[0] >= 0) json[name] = Rounded(Median(values));
  };
  add_count("cycles", &Counters::Counts::cycles);
  add_count("instructions", &Counters::Counts::instructions);
  add_count("cache_misses", &Counters::Counts::cache_misses);
  return json;
}

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string Results::Open(const std::string& path, const nlohmann::json& context, bool fresh) {
  path_ = path;
  context_ = context;
  std::ifstream in(path);
  if (path.empty() || fresh) return "";
  const std::string start_over = ": choose another --out, or --fresh to start it anew";
  if (!in.good()) {
    std::error_code error;
    return std::filesystem::exists(path, error) ? path + " is there and cannot be read" + start_over : "";
  }
  try {
    const Json old = Json::parse(in);
    if (old.at("schema") != kSchema) throw std::runtime_error("another schema");
    const Json& context = old.at("context");
    // What the numbers depend on. The program counts where its commit does not tell what it is made of.
    std::vector<const char*> fields = {"cpu", "commit", "compiler", "flags", "effort", "huge_pages", "words"};
    const std::string commit = context_.value("commit", "");
    if (commit == "unknown" || commit.find("-dirty") != std::string::npos) fields.push_back("program");
    for (const char* field : fields) {
      const Json was = context.value(field, Json()), is = context_.value(field, Json());
      if (was != is)
        return path + " was measured with another " + field + " (" + was.dump() + ", now " + is.dump() + ")" +
               start_over;
    }
    for (const Json& row : old.at("rows")) {
      if (row.at("row").get<std::string>().empty()) throw std::runtime_error("a row without a name");
      rows_.push_back(row);
    }
    context_["date"] = context.at("date");  // of the first rows
  } catch (const std::exception& error) {
    rows_.clear();
    return path + " is no results file of this program (" + kSchema + "; " + error.what() + ")" + start_over;
  }
  return "";
}

std::set<std::string> Results::RowNames() const {
  std::set<std::string> names;
  for (const Json& row : rows_) names.insert(row["row"].get<std::string>());
  return names;
}

void Results::Add(const Measured& measured) {
  if (!measured.ns.empty()) rows_.push_back(ToJson(measured));
}

std::string Results::CheckThatItCanBeWritten() const {
  if (path_.empty()) return "";
  AtomicFile file;  // not committed: nothing stays of it
  const Status status = file.Create(path_.c_str());
  return status.ok() ? "" : std::string(status.message()) + ": choose another --out";
}

std::string Results::Save() const {
  if (path_.empty()) return "";
  std::string text =
      std::string("{\"schema\": \"") + kSchema + "\",\n \"context\": " + context_.dump() + ",\n \"rows\": [";
  const char* separator = "\n  ";
  for (const Json& row : rows_) {
    text += separator + row.dump();
    separator = ",\n  ";
  }
  text += "]}\n";
  AtomicFile file;
  Status status = file.Create(path_.c_str());
  if (status.ok()) status = file.Append(text.data(), text.size());
  if (status.ok()) status = file.Commit();
  return status.ok() ? "" : status.message();
}

}  // namespace linefilter::bench
