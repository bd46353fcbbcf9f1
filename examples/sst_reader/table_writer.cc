// Writing a table: data blocks as keys come, then index, filter, footer; the name at last.
#include <algorithm>

#include "examples/sst_reader/table.h"

namespace sst {

using linefilter::StatusCode;

namespace {

// Keys are any bytes: a message shows the first printable ones.
std::string Printable(std::string_view key) {
  std::string text(key.substr(0, 40));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace

TableWriter::TableWriter(const TableOptions& options) : options_(options), filter_(options.filter) {}

Status TableWriter::Create(const char* path) {
  open_ = false;
  filter_.Reset();
  if (!filter_.status().ok()) return filter_.status();
  if (options_.filter.hash_id != linefilter::HashId::kXxh3) {
    return Status::Error(StatusCode::kInvalidArgument, "the table hashes its keys itself: leave hash_id kXxh3");
  }
  if (options_.data_block_bytes < 1 || options_.data_block_bytes > kMaxEntryBytes) {
    return Status::Error(StatusCode::kInvalidArgument, "data_block_bytes is %u: choose 1 to 2^30, 4096 is usual",
                         options_.data_block_bytes);
  }
  const Status status = file_.Create(path);
  if (!status.ok()) return status;
  data_block_.clear();
  index_.clear();
  last_key_.clear();
  offset_ = num_keys_ = 0;
  open_ = true;
  return status;
}

Status TableWriter::Add(std::string_view key, std::string_view value) {
  if (!open_) return Status::Error(StatusCode::kInvalidArgument, "no table is being written: call TableWriter::Create");
  if (!file_.status().ok()) return file_.status();
  if (num_keys_ != 0 && key <= last_key_) {
    return Status::Error(
        StatusCode::kInvalidArgument, "the key '%s' %s '%s': add keys in ascending order of their bytes, each once",
        Printable(key).c_str(), key == last_key_ ? "came already, as" : "comes after", Printable(last_key_).c_str());
  }
  if (key.size() > kMaxEntryBytes || value.size() > kMaxEntryBytes - key.size()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the entry of the key '%s' has %zu + %zu bytes: a table takes at most 2^30, store larger "
                         "values elsewhere",
                         Printable(key).c_str(), key.size(), value.size());
  }
  filter_.AddKey(key);
  if (!filter_.status().ok()) return filter_.status();  // of memory, as its options are good
  open_ = false;  // should memory run out from here on, half an entry is in the table: it must not be finished
  AppendEntry({key, value}, &data_block_);
  last_key_.assign(key);
  ++num_keys_;
  const Status status = data_block_.size() < options_.data_block_bytes ? Status() : WriteDataBlock();
  open_ = true;
  return status;
}

Status TableWriter::Append(std::string_view bytes) {
  offset_ += bytes.size();
  for (const char c : bytes.substr(bytes.size() - std::min<size_t>(bytes.size(), 8))) {
    last_8_bytes_ = last_8_bytes_ >> 8 | uint64_t{static_cast<uint8_t>(c)} << 56;
  }
  return file_.Append(bytes.data(), bytes.size());
}

Status TableWriter::WriteDataBlock() {
  if (data_block_.empty()) return Status();
  AppendLE(offset_, &index_);
  AppendLE(static_cast<uint32_t>(data_block_.size()), &index_);
  AppendLE(Check(data_block_, offset_), &index_);
  AppendLE(static_cast<uint32_t>(last_key_.size()), &index_);
  index_ += last_key_;
  const Status status = Append(data_block_);
  data_block_.clear();
  return status;
}

// Straight into the file, in pieces: the image never lies in memory twice.
Status TableWriter::WriteFilter() {
  const linefilter::Sink sink{
      [](void* writer, const void* data, size_t size) noexcept {
        return static_cast<TableWriter*>(writer)->Append({static_cast<const char*>(data), size}).ok();
      },
      this};
  const Status status = filter_.FinishToSink(sink);
  return file_.status().ok() ? status : file_.status();  // the file knows more than "the sink refused"
}

Status TableWriter::WriteAll() {
  Status status = WriteDataBlock();
  if (!status.ok()) return status;
  Footer footer;
  footer.num_keys = num_keys_;
  footer.index_offset = offset_;
  footer.index_bytes = index_.size();
  footer.index_check = Check(index_, offset_);
  footer.filter_offset = AlignUp(offset_ + index_.size());
  index_.append(footer.filter_offset - (offset_ + index_.size()), '\0');
  status = Append(index_);
  if (status.ok()) status = WriteFilter();
  if (!status.ok()) return status;
  footer.filter_bytes = offset_ - footer.filter_offset;
  footer.filter_end = last_8_bytes_;
  status = Append(FooterBytes(footer, offset_));
  return status.ok() ? file_.Commit() : status;
}

Status TableWriter::Finish() {
  if (!open_) return Status::Error(StatusCode::kInvalidArgument, "no table is being written: call TableWriter::Create");
  open_ = false;
  return WriteAll();
}

}  // namespace sst
