// Links if LevelDB has the type information that a policy with RTTI refers to (cmake/LinefilterRtti.cmake).
#include <string>

#include "leveldb/filter_policy.h"

namespace {

class Policy : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return ""; }
  void CreateFilter(const leveldb::Slice*, int, std::string*) const override {}
  bool KeyMayMatch(const leveldb::Slice&, const leveldb::Slice&) const override { return true; }
};

}  // namespace

int main() {
  const Policy policy;
  return *policy.Name();
}
