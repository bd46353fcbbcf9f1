// A KeyFilter is a filter that takes keys and has an image, whatever its layout and however it lives. Filter
// (filter.h), ConcurrentFilter (concurrent.h), ScalableFilter (scalable.h) and RotatingFilter (rotating.h) are
// KeyFilters. Code that only fills filters, asks them and saves them takes a KeyFilter&, and works with each.
//
//   linefilter::KeyFilter& filter = blocked;  // or a ScalableFilter, a RotatingFilter, ...
//   if (filter.InsertKey(url)) fetch(url);    // certainly new
//   linefilter::Status status = filter.Save("urls.filter");
//   if (!status.ok()) ...  // status.message() says what to do
//
// The class of the filter says which calls may run at once. Load of the class that wrote a file goes on with it, and
// CloneFrom makes a copy. The image may also be asked as a FilterView (view.h), its file as a FilterFile (file.h).
#ifndef LINEFILTER_KEY_FILTER_H_
#define LINEFILTER_KEY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include "linefilter/filter_base.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter {

namespace internal {
struct Around;   // lib/filters/around.h
struct Changes;  // lib/layouts/layout_changes.h: how a body of one layout is changed on one target
}  // namespace internal

// Insertions, and the ways out of an image. Before it is created, and after a move from, a filter answers "maybe" and
// takes nothing.
class LINEFILTER_EXPORT KeyFilter : public FilterBase {
 public:
  // Inserts a key. True means that the key was certainly new, false that it may have been there. A filter of the
  // caller's hashes ignores InsertKey and answers false: its ...Key lookups say "maybe" to all.
  LINEFILTER_INLINE bool InsertKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && InsertHash(hash);
  }
  // The same for a hash (FilterOptions::hash_id says which).
  LINEFILTER_INLINE bool InsertHash(uint64_t hash) noexcept { return insert_(state_, hash); }
  // Inserts a batch and returns how many were certainly new when their turn came. `were_new` is null or gets n bytes of
  // 1 or 0. Answers and bytes are those of single calls.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new = nullptr) noexcept;
  // The same for keys of any type that is a Key (std::string, std::string_view, integers, ...), hashed here in small
  // groups. A filter of the caller's hashes ignores them.
  template <class T, std::enable_if_t<std::is_convertible_v<const T&, Key>, int> = 0>
  uint64_t InsertKeys(const T* keys, size_t n, uint8_t* were_new = nullptr) noexcept {
    uint64_t num_new = 0;
    const auto insert = [&](const uint64_t* hashes, size_t begin, size_t size) {
      num_new += InsertHashes(hashes, size, were_new == nullptr ? nullptr : were_new + begin);
    };
    if (!key_hash_.InGroups(keys, n, insert) && were_new != nullptr && n != 0) std::memset(were_new, 0, n);
    return num_new;
  }
#if defined(__cpp_lib_span)
  template <class T, size_t kExtent>
  uint64_t InsertKeys(std::span<T, kExtent> keys, uint8_t* were_new = nullptr) noexcept {  // see above; from C++20 on
    return InsertKeys(keys.data(), keys.size(), were_new);
  }
#endif
  // Adds a kind of keys to those that the filter has (key_kind), for its image to remember. Call it before the keys of
  // that kind are inserted: once for all of them, or each time, which costs a load. kUnknown says that keys come of a
  // kind that nobody knows: key_kind() then is kUnknown until the filter is cleared. Insertions note nothing, so say
  // kUnknown, too, if keys came before of which nothing was noted. (Load, CreateFromImage and Union see such keys.) It
  // may run at once with whatever an insertion may.
  void NoteKeyKind(KeyKind kind) noexcept {
    if (layout_ != Layout::kAuto) key_kinds_.Add(kind);
  }
  // Adds the forms of columns to those that the filter has (key_forms), as NoteKeyKind adds a kind, and notes the kind,
  // too: text or integer if it is one column of that form, else kUnknown. Other forms than those of before make them
  // unknown until the filter is cleared; so does what are no forms of 1 to 8 columns. AddColumn (columns.h) calls it.
  void NoteKeyForms(uint64_t forms) noexcept {
    if (layout_ != Layout::kAuto) key_kinds_.AddForms(forms);
  }

  // The bytes held, this object included.
  uint64_t MemoryUse() const noexcept;

  // The size of the image (doc/FORMAT.md) of the keys inserted so far. The first kind of keys that is noted adds 9
  // bytes, 5 where there are stages. Forms that the kind does not tell add a byte for each column, and 4 or 8.
  uint64_t ImageBytes() const noexcept;
  // Writes the image to a sink, piece by piece.
  Status WriteImage(const Sink& sink) const noexcept;
  // Writes ImageBytes() bytes to `out` (size may be more; less is kInvalidArgument).
  Status WriteImageTo(void* out, size_t size) const noexcept;
  // Appends the image to *image.
  Status AppendImage(std::string* image) const {
    const auto write = [this](void* out, size_t n) { return WriteImageTo(out, n); };
    for (;;) {
      const uint64_t image_bytes = ImageBytes();
      const Status status = internal::AppendToString(image, image_bytes, write);
      // Another thread may have noted the first kind of keys, or forms, meanwhile: that happens a few times.
      if (status.ok() || ImageBytes() == image_bytes) return status;
    }
  }
  // Writes a file. It is complete and synced before it gets its name; an old file of that name stays until then.
  Status Save(const char* path) const noexcept;

 protected:
  // How the class of a filter tells and writes what it holds. A table does it, because virtual functions would ask for
  // run-time type information where the user's code has it. Before the filter is created, only `memory` is called.
  struct Image {
    uint64_t (*memory)(const KeyFilter& filter);
    uint64_t (*bytes)(const KeyFilter& filter);
    Status (*write)(const KeyFilter& filter, const Sink& sink);
    Status (*write_to)(const KeyFilter& filter, void* out, size_t size);
  };

  explicit KeyFilter(const Image& image) noexcept;
  ~KeyFilter() = default;
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;

  // Makes it a filter that answers "maybe" and takes nothing.
  LINEFILTER_LOCAL void BindNothing() noexcept;
  // Ends each change of state_: from now on it is changed by these.
  LINEFILTER_LOCAL void UseChanges(const internal::Changes& changes) noexcept;
  // Takes the state of `other`, which is then as before its creation. What lies around each stays around it.
  LINEFILTER_LOCAL void MoveState(KeyFilter& other) noexcept;

  bool (*insert_)(const internal::ProbeState&, uint64_t hash);  // that of changes_
  const internal::Changes* changes_;
  uint64_t around_ = 0;  // bytes around this object, which MemoryUse and memory_limit count, too

 private:
  friend struct internal::Around;  // sets around_

  const Image* image_;
};

}  // namespace linefilter

#endif  // LINEFILTER_KEY_FILTER_H_
