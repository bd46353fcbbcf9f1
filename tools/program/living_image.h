// A LivingImage is a filter in a file that goes on taking keys: it is locked and loaded, takes them here, and its file
// is replaced as a whole.
#ifndef LINEFILTER_TOOLS_PROGRAM_LIVING_IMAGE_H_
#define LINEFILTER_TOOLS_PROGRAM_LIVING_IMAGE_H_

#include <sys/stat.h>

#include <memory>
#include <string>

#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "tools/program/image_lock.h"
#include "tools/program/key_reader.h"

namespace linefilter::tools {

// A filter of any class that takes keys.
class OwnedFilter {
 public:
  // Makes one, for num_keys keys; a growing one has room for so many at first.
  Status Create(uint64_t num_keys, const FilterOptions& options);
  Status CreateGrowing(uint64_t num_keys, const FilterOptions& options, const GrowthOptions& growth);
  // Makes it of an image, in the class that wrote that. Messages tell what to do with an image that takes no keys.
  Status CreateFromImage(const FilterView& view, const void* image, const FilterOptions& options);

  // Its image tells what it was made for. (That of KeyFilter::WriteImage does not where nobody counted its keys.)
  uint64_t ImageBytes() const;
  Status WriteImage(const Sink& sink) const;

  KeyFilter& operator*() const { return *filter_; }
  KeyFilter* operator->() const { return filter_; }
  // Those of its class; else null.
  Filter* plain() const { return plain_.get(); }
  ScalableFilter* growing() const { return growing_.get(); }

 private:
  KeyFilter* filter_ = nullptr;  // one of these
  std::unique_ptr<Filter> plain_;
  std::unique_ptr<ScalableFilter> growing_;
  std::unique_ptr<RotatingFilter> rotating_;
};

class LivingImage {
 public:
  // Whether an image could lie there and be replaced; else false, with the reason.
  static bool CanBeAt(const std::string& path, std::string* reason);
  // Waits for the lock of that image, which this object holds while it lives. Then exists() tells whether it is there.
  Status Lock(const std::string& path);
  bool exists() const { return exists_; }
  // Loads the filter, to which keys shall come that are written so. It refuses another kind of keys than the filter
  // has, and names what to type for `command`. The message of an error is for FailImage.
  Status Load(const char* command, const KeysOption& keys, const HashSecret* secret, OwnedFilter* filter);
  // Replaces the file by an image of that filter, synced. It refuses if somebody without the lock has replaced it
  // meanwhile: what that brought would be lost.
  Status Save(const OwnedFilter& filter);

 private:
  bool IsAsLocked() const;

  ImageLock lock_;
  std::string path_;
  bool exists_ = false;
  struct stat as_locked_ = {};
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_LIVING_IMAGE_H_
