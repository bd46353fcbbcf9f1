// Links if RocksDB has the type information that a policy with RTTI refers to (cmake/LinefilterRtti.cmake).
#include "rocksdb/filter_policy.h"

namespace {

class Policy : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return ""; }
  const char* CompatibilityName() const override { return ""; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice&) const override { return nullptr; }
};

}  // namespace

int main() {
  const Policy policy;
  return *policy.Name();
}
