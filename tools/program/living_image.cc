#include "tools/program/living_image.h"

#include <utility>

#include "linefilter/remote_body.h"
#include "tools/program/images.h"
#include "tools/program/output.h"

namespace linefilter::tools {
namespace {

constexpr char kMakeAnother[] = "\"linefilter create\" makes an image that does, \"build\" one of all its keys";

Status TakesNoKey(const FilterView& view) {
  if (view.body_bytes() == 0) {
    return Status::Error(StatusCode::kIncompatible, "it is of the empty set and has no room for a key: %s",
                         kMakeAnother);
  }
  return Status::Error(StatusCode::kIncompatible, "layout %s takes no key after it was made: %s",
                       LayoutName(view.layout()), kMakeAnother);
}

BodyFacts FactsOfBody(const Filter& filter) {
  BodyFacts facts;
  facts.layout = filter.layout();
  facts.num_probes = filter.num_probes();
  facts.body_bytes = filter.body_bytes();
  facts.hash_id = filter.hash_id();
  facts.seed = filter.seed();
  facts.num_keys = filter.capacity();
  facts.has_num_keys = facts.num_keys != 0;
  facts.key_kind = filter.key_kind();
  facts.key_forms = filter.key_forms();
  return facts;
}

// Makes a filter by create(&filter), and keeps it where that worked.
template <class Made, class Create>
Status Make(std::unique_ptr<Made>* place, KeyFilter** filter, const Create& create) {
  auto made = std::make_unique<Made>();
  const Status status = create(made.get());
  if (!status.ok()) return status;
  *filter = made.get();
  *place = std::move(made);
  return status;
}

}  // namespace

Status OwnedFilter::Create(uint64_t num_keys, const FilterOptions& options) {
  return Make(&plain_, &filter_, [&](Filter* filter) { return filter->Create(num_keys, options); });
}

Status OwnedFilter::CreateGrowing(uint64_t num_keys, const FilterOptions& options, const GrowthOptions& growth) {
  return Make(&growing_, &filter_, [&](ScalableFilter* filter) { return filter->Create(num_keys, options, growth); });
}

Status OwnedFilter::CreateFromImage(const FilterView& view, const void* image, const FilterOptions& options) {
  const LayoutFacts facts = FactsOf(view.layout());
  const auto create = [&](auto* filter) { return filter->CreateFromImage(image, view.image_bytes(), options); };
  if (view.body_bytes() == 0 || !(facts.takes_keys || facts.has_stages)) return TakesNoKey(view);
  if (!facts.has_stages) return Make(&plain_, &filter_, create);
  Status status = Make(&growing_, &filter_, create);
  if (status.code() == StatusCode::kIncompatible) status = Make(&rotating_, &filter_, create);
  if (status.code() != StatusCode::kIncompatible) return status;
  return Status::Error(StatusCode::kIncompatible, "it has stages that neither grow nor rotate, so it takes no key: %s",
                       kMakeAnother);
}

uint64_t OwnedFilter::ImageBytes() const {
  return plain_ != nullptr ? BodyImageBytes(FactsOfBody(*plain_)) : filter_->ImageBytes();
}

Status OwnedFilter::WriteImage(const Sink& sink) const {
  if (plain_ == nullptr) return filter_->WriteImage(sink);
  BodyImageWriter writer;
  Status status = writer.Start(FactsOfBody(*plain_), sink);
  if (status.ok()) status = writer.Append(plain_->body(), plain_->body_bytes());
  return status.ok() ? writer.Finish() : status;
}

bool LivingImage::CanBeAt(const std::string& path, std::string* reason) {
  struct stat info;
  const bool is_there = stat(path.c_str(), &info) == 0;
  if (path == "-" || (is_there && !S_ISREG(info.st_mode))) {
    *reason = "is changed where it lies: name a regular file";
  } else if (!is_there && lstat(path.c_str(), &info) == 0) {
    *reason = "is a symbolic link to a file that cannot be seen: name that file";
  } else {
    return CanCreate(path, reason);
  }
  return false;
}

Status LivingImage::Lock(const std::string& path) {
  path_ = path;
  const Status status = lock_.Take(path);
  exists_ = stat(path.c_str(), &as_locked_) == 0;
  return status;
}

Status LivingImage::Load(const char* command, const KeysOption& keys, const HashSecret* secret, OwnedFilter* filter) {
  Image image;
  Status status = image.Open(path_, VerifyMode::kTrusted, MapAdvice::kWillNeed, secret);
  if (status.ok()) status = CanBeAsked(image.view());
  if (status.ok()) status = AreOfItsKind(command, path_, image.view(), keys);
  if (!status.ok()) return status;
  FilterOptions options;
  options.memory_limit = MemoryOfMachine();
  if (secret != nullptr) {
    options.hash_id = HashId::kKeyed;
    options.secret = *secret;
  }
  status = filter->CreateFromImage(image.view(), image.data(), options);  // which verifies
  if (status.ok()) (*filter)->NoteKeyKind(keys.kind());
  return status;
}

// Replacing a file gives it another inode, whose number may be that of one before; then its time differs.
bool LivingImage::IsAsLocked() const {
  struct stat now;
  if (stat(path_.c_str(), &now) != 0) return !exists_;
  return exists_ && now.st_dev == as_locked_.st_dev && now.st_ino == as_locked_.st_ino &&
         now.st_size == as_locked_.st_size && now.st_mtim.tv_sec == as_locked_.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == as_locked_.st_mtim.tv_nsec;
}

Status LivingImage::Save(const OwnedFilter& filter) {
  if (!IsAsLocked()) {
    return Status::Error(
        StatusCode::kIncompatible,
        "another program replaced it meanwhile, without its lock: it is left so, and nothing is added");
  }
  return WriteFile(path_, "writing", filter.ImageBytes(), [&](const Sink& sink) { return filter.WriteImage(sink); });
}

}  // namespace linefilter::tools
