// doc/FORMAT.md, layout 5: several `blocked` filters that answer as one.
#include <algorithm>

#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr size_t kEntrySize = 24, kMostStages = 64;

size_t Count(const Filter& filter, uint16_t id) {
  return static_cast<size_t>(std::count_if(filter.extensions.begin(), filter.extensions.end(),
                                           [id](const Extension& extension) { return extension.id == id; }));
}

}  // namespace

bool ReadStages(const Filter& container, std::vector<Filter>* stages) {
  if (Count(container, kStageTable) != 1 || Count(container, kGrowth) > 1) return false;
  Bytes table;
  for (const Extension& extension : container.extensions) {
    if (extension.id == kStageTable) table = extension.content;
  }
  if (table.size() % kEntrySize != 0 || table.size() / kEntrySize > kMostStages) return false;
  size_t at = 0;  // in the body
  for (size_t entry = 0; entry < table.size(); entry += kEntrySize) {
    const uint64_t num_blocks = GetLittleEndian(&table[entry], 8), num_keys = GetLittleEndian(&table[entry + 8], 8);
    if (num_blocks == 0 || num_blocks > (container.body.size() - at) / 64) return false;
    if (num_keys > 512 * num_blocks) return false;
    Filter stage;
    stage.layout = table[entry + 16];
    stage.num_probes = table[entry + 17];
    if (stage.layout != kBlocked || stage.num_probes < 1 || stage.num_probes > 16) return false;
    for (size_t i = 18; i < kEntrySize; ++i) {
      if (table[entry + i] != 0) return false;
    }
    const size_t end = at + 64 * static_cast<size_t>(num_blocks);
    stage.body.assign(container.body.data() + at, container.body.data() + end);
    stages->push_back(stage);
    at = end;
  }
  return at == container.body.size();
}

Filter MakeContainer(const std::vector<Filter>& stages, const std::vector<uint64_t>& num_keys) {
  Filter container;
  container.layout = kContainer;
  container.num_probes = 0;
  container.has_extensions = true;
  Bytes table(kEntrySize * stages.size(), 0);
  for (size_t i = 0; i < stages.size(); ++i) {
    uint8_t* const entry = table.data() + kEntrySize * i;
    PutLittleEndian(stages[i].body.size() / 64, 8, entry);
    PutLittleEndian(num_keys[i], 8, entry + 8);
    entry[16] = static_cast<uint8_t>(stages[i].layout);
    entry[17] = static_cast<uint8_t>(stages[i].num_probes);
    container.body.insert(container.body.end(), stages[i].body.begin(), stages[i].body.end());
  }
  container.extensions = {{kStageTable, table}};
  return container;
}

}  // namespace reference
