// As much of RocksDB as a policy needs, to be compiled with RTTI or without. Nothing of it is called but the first
// three.
#include <string>
#include <unordered_map>

#include "rocksdb/customizable.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

namespace rocksdb {

using std::string;
using OptionsMap = std::unordered_map<string, string>;

FilterPolicy::~FilterPolicy() = default;
string GetRocksVersionAsString(bool) { return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR); }
Status::Status(Code code, SubCode subcode, const Slice&, const Slice&, Severity severity)
    : code_(code), subcode_(subcode), sev_(severity) {}

Status Configurable::PrepareOptions(const ConfigOptions&) { return Status::OK(); }
Status Configurable::ValidateOptions(const DBOptions&, const ColumnFamilyOptions&) const { return Status::OK(); }
Status Configurable::ParseStringOptions(const ConfigOptions&, const string&) { return Status::OK(); }
Status Configurable::ConfigureOptions(const ConfigOptions&, const OptionsMap&, OptionsMap*) { return Status::OK(); }
Status Configurable::ParseOption(const ConfigOptions&, const OptionTypeInfo&, const string&, const string&, void*) {
  return Status::OK();
}
bool Configurable::OptionsAreEqual(const ConfigOptions&, const OptionTypeInfo&, const string&, const void* const,
                                   const void* const, string*) const {
  return true;
}
const void* Configurable::GetOptionsPtr(const string&) const { return nullptr; }
bool Configurable::AreEquivalent(const ConfigOptions&, const Configurable*, string*) const { return true; }
Status Configurable::GetOption(const ConfigOptions&, const string&, string*) const { return Status::OK(); }
string Configurable::SerializeOptions(const ConfigOptions&, const string&) const { return ""; }
string Configurable::GetOptionName(const string& name) const { return name; }
bool Customizable::AreEquivalent(const ConfigOptions&, const Configurable*, string*) const { return true; }
Status Customizable::GetOption(const ConfigOptions&, const string&, string*) const { return Status::OK(); }
string Customizable::SerializeOptions(const ConfigOptions&, const string&) const { return ""; }
string Customizable::GetOptionName(const string& name) const { return name; }

}  // namespace rocksdb
