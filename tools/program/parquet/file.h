// A Parquet file on disk is read from its end. What is read is checked against its size first.
#ifndef LINEFILTER_TOOLS_PROGRAM_PARQUET_FILE_H_
#define LINEFILTER_TOOLS_PROGRAM_PARQUET_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "linefilter/parquet.h"
#include "linefilter/status.h"
#include "tools/program/parquet/footer.h"

namespace linefilter::tools {

class ParquetFile {
 public:
  ParquetFile() = default;
  ~ParquetFile();
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;

  // Opens a regular file: a pipe has no end to begin at.
  Status Open(const std::string& path);
  uint64_t size() const { return size_; }

  // Reads the footer. Errors tell what is missing or encrypted.
  Status ReadFooter(ParquetFooter* footer);

  // Opens a filter that begins there; a length of 0 is not known, and its header tells. The view is of *bytes.
  Status OpenFilter(uint64_t offset, uint64_t length, std::string* bytes, ParquetFilterView* view);
  // The same for a column in a row group, which has a filter. After ReadFooter.
  Status OpenFilter(const ParquetChunk& chunk, std::string* bytes, ParquetFilterView* view);

 private:
  // Reads a part that lies within the file.
  Status Read(uint64_t offset, uint64_t size, std::string* bytes);
  // Reads what OpenFilter opens; of what is wrong perhaps a part.
  Status ReadFilter(uint64_t offset, uint64_t length, std::string* bytes);

  int fd_ = -1;
  uint64_t size_ = 0;
  uint64_t end_ = 0;   // where filters must end: the file, or its footer
  uint64_t read_ = 0;  // bytes of the filters that were opened; in a sound file these are apart
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PARQUET_FILE_H_
