#include "bench/loaded.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/results.h"

namespace linefilter::bench {
namespace {

using Json = nlohmann::json;

// A time is above 0 but for an empty loop, which may round to 0.
double Time(const Json& value) {
  const double ns = value.get<double>();
  if (!(ns >= 0)) throw std::runtime_error("a time below 0");
  return ns;
}

LoadedRow RowOf(const Json& json) {
  LoadedRow row;
  row.name = json.at("row").get<std::string>();
  try {
    row.access = json.at("access").get<std::string>();
    row.keys = json.at("keys").get<std::string>();
    row.layout = json.at("layout").get<std::string>();
    row.target = json.at("target").get<std::string>();
    row.size = json.at("size").get<std::string>();
    row.body_bytes = json.at("body_bytes").get<uint64_t>();
    row.floor = json.at("floor").get<bool>();
    row.ns = Time(json.at("ns"));
    for (const Json& ns : json.value("ns_each", Json::array())) row.ns_each.push_back(Time(ns));
    if (row.ns_each.empty()) row.ns_each.push_back(row.ns);
  } catch (const std::exception& error) {
    throw std::runtime_error("row " + row.name + ": " + error.what());
  }
  return row;
}

void Fill(const Json& json, LoadedFile* file) {
  if (json.at("schema") != kSchema) throw std::runtime_error("its schema is " + json.at("schema").dump());
  const Json& context = json.at("context");
  file->cpu = context.at("cpu").get<std::string>();
  file->date = context.value("date", "");
  file->commit = context.value("commit", "");
  file->planted = context.value("planted", "");
  file->targets = context.value("targets", std::vector<std::string>());
  file->left_out = context.value("left_out", std::vector<std::string>());
  file->plan = context.value("plan", "");
  file->passes = context.value("passes", 0);
  file->complete = context.value("complete", true);
  std::set<std::string> names;
  for (const Json& row : json.at("rows")) {
    file->rows.push_back(RowOf(row));
    file->least_huge_page_percent = std::min(file->least_huge_page_percent, row.value("huge_page_percent", 100.0));
    if (!names.insert(file->rows.back().name).second) {
      throw std::runtime_error("row " + file->rows.back().name + " is there twice");
    }
  }
}

}  // namespace

std::string Load(const std::string& path, LoadedFile* file) {
  *file = LoadedFile();
  file->path = path;
  std::ifstream in(path);
  if (!in.good()) return path + " cannot be read: name a file that linefilter_bench wrote";
  try {
    Fill(Json::parse(in), file);
  } catch (const std::exception& error) {
    return path + " is no results file of linefilter_bench (" + kSchema + "): " + error.what() + ". Measure it anew";
  }
  if (file->rows.empty()) return path + " has no rows: its run was interrupted before the first pass. Measure it anew";
  return "";
}

}  // namespace linefilter::bench
