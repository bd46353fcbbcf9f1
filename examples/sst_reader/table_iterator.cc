// Scanning a table: no filter is asked, every data block is read once.
#include "examples/sst_reader/table.h"

namespace sst {

void TableIterator::OpenDataBlock(size_t i) {
  data_block_ = i;
  valid_ = false;
  status_ = Status();
  if (!table_.open_) {
    status_ = Status::Error(linefilter::StatusCode::kInvalidArgument, "no table is open: call TableReader::Open");
  } else if (i < table_.index_.size()) {
    status_ = table_.ReadDataBlock(i, &rest_);
    if (!status_.ok()) return;
    valid_ = NextEntry(&rest_, &entry_);
    if (!valid_) status_ = table_.Damaged("a data block has no entry");
  }
}

void TableIterator::Next() {
  if (rest_.empty()) return OpenDataBlock(data_block_ + 1);
  valid_ = NextEntry(&rest_, &entry_);
  if (!valid_) status_ = table_.Damaged("a data block ends within an entry");
}

void TableIterator::Seek(std::string_view key) {
  OpenDataBlock(table_.FindDataBlock(key));
  while (valid_ && entry_.key < key) Next();
}

}  // namespace sst
