// Columns of Arrow's C data interface, as pyarrow, polars, DuckDB and nanoarrow hand them over: nothing is copied.
//
//   struct ArrowSchema schema;  // filled by the producer, such as __arrow_c_array__ of Python
//   struct ArrowArray array;
//   ...
//   linefilter::ArrowColumn ids;
//   linefilter::Status status = ids.Open(schema, array);
//   if (status.ok()) status = linefilter::SelectMaybes(filter, ids.column(), nullptr, n, rows, &num_rows);
//   array.release(&array);  // by the caller, and not before the column was used for the last time
//
// These types become columns (linefilter/column.h), with or without a dictionary, or run-end encoded (+r):
//
//   c C s S i I l L                       integers             kInteger
//   f g                                   float, double        kReal
//   u U z Z vu vz w:N                     texts and bytes      kText
//   d:P,S  d:P,S,32  d:P,S,64  d:P,S,128  decimals, S >= 0     DecimalForm(S)
//   tdD tdm                               dates                kInstant
//   tts ttm ttu ttn                       times of a day       kInstant
//   tss: tsm: tsu: tsn:                   timestamps           kInstant
//   tDs tDm tDu tDn                       durations            kInstant
//   n                                     nulls                none
//
// Every other type is kUnsupported, and the message tells what to cast it to. A timestamp without a time zone is taken
// as one of UTC: where an engine takes another zone, it casts one side before they are compared. The type that an
// extension has is that of its storage.
//
// An array is checked before anything in it is followed: lengths, missing buffers, offsets of texts, places of views,
// ends of runs. That is one pass over these, and none over numbers. What breaks a rule of Arrow is kCorrupt. Arrow does
// not tell how large most buffers are, so the lengths must be true. An index outside of its dictionary is found when
// rows are asked.
#ifndef LINEFILTER_ARROW_H_
#define LINEFILTER_ARROW_H_

#include <stdint.h>

// The two structs are an ABI that everybody may declare, in this guard.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

// Bits of ArrowSchema::flags, none of which is read here: the order of a dictionary's indices means something.
#define ARROW_FLAG_DICTIONARY_ORDERED 1
// Rows may be null.
#define ARROW_FLAG_NULLABLE 2
// The keys of each map are sorted.
#define ARROW_FLAG_MAP_KEYS_SORTED 4

#ifdef __cplusplus
extern "C" {
#endif

// The type of an array.
struct ArrowSchema {
  const char* format;                    // see above
  const char* name;                      // not read here
  const char* metadata;                  // not read here
  int64_t flags;                         // not read here
  int64_t n_children;                    // 2 if it is run-end encoded: ends and values
  struct ArrowSchema** children;         // so many
  struct ArrowSchema* dictionary;        // the type of a dictionary's values, or null; `format` is that of its indices
  void (*release)(struct ArrowSchema*);  // null: it was released
  void* private_data;                    // of the producer
};

// Its rows.
struct ArrowArray {
  int64_t length;                       // rows
  int64_t null_count;                   // -1: unknown
  int64_t offset;                       // rows of the buffers that come before its first one
  int64_t n_buffers;                    // by its type
  int64_t n_children;                   // that of the schema
  const void** buffers;                 // validity, then values
  struct ArrowArray** children;         // so many
  struct ArrowArray* dictionary;        // the values of a dictionary, or null
  void (*release)(struct ArrowArray*);  // null: it was released
  void* private_data;                   // of the producer
};

#ifdef __cplusplus
}
#endif

#endif  // ARROW_C_DATA_INTERFACE

#ifdef __cplusplus

#include "linefilter/column.h"
#include "linefilter/internal/export.h"
#include "linefilter/status.h"

namespace linefilter {

// The column of an array. It has no rows before it is opened. It stands still, since column() may refer to a part of
// it: keep it, and the array unreleased, as long as that column or a copy is used. The two structs may go.
class LINEFILTER_EXPORT ArrowColumn {
 public:
  ArrowColumn() noexcept;
  ArrowColumn(const ArrowColumn&) = delete;
  ArrowColumn& operator=(const ArrowColumn&) = delete;

  // Takes the rows of an array, in place of those that it had. Nothing is released. kUnsupported: no column has that
  // type; kInvalidArgument: a struct was released, or never filled; kCorrupt: they break a rule of Arrow. On an error
  // all rows of column() stay, and none is added.
  Status Open(const ArrowSchema& schema, const ArrowArray& array) noexcept;

  // Says how it is equal, as Column::SetForm does, for the values of dictionaries and runs, too.
  Status SetForm(KeyForm form) noexcept;
  // The same by a function: see Column::SetCanonical.
  Status SetCanonical(const Canonicalizer& canonicalizer) noexcept;
  // What its nulls are; kNever unless told.
  void SetNulls(Nulls nulls) noexcept { outer_.SetNulls(nulls); }

  // What linefilter/columns.h takes.
  const Column& column() const noexcept { return outer_; }

 private:
  LINEFILTER_LOCAL Status OpenAny(const ArrowSchema& schema, const ArrowArray& array) noexcept;
  LINEFILTER_LOCAL static Status OpenPlain(const ArrowSchema& schema, const ArrowArray& array, Column* column) noexcept;
  LINEFILTER_LOCAL Status OpenDictionary(const ArrowSchema& schema, const ArrowArray& array) noexcept;
  LINEFILTER_LOCAL Status OpenRuns(const ArrowSchema& schema, const ArrowArray& array) noexcept;
  LINEFILTER_LOCAL Column* values() noexcept;
  LINEFILTER_LOCAL Status TakeForm(const Status& status) noexcept;

  Column outer_;
  Column inner_;  // the values of a dictionary or of runs
};

}  // namespace linefilter

#endif  // __cplusplus

#endif  // LINEFILTER_ARROW_H_
