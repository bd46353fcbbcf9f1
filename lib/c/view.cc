// This opens, verifies and frees a linefilter_view. view_questions.cc asks it, view_facts.cc tells of it.
#include "linefilter/view.h"

#include "lib/c/handles.h"
#include "lib/filters/secret.h"

using namespace linefilter;
using namespace linefilter::internal;

static_assert(static_cast<int>(VerifyMode::kAuto) == LINEFILTER_VERIFY_AUTO);
static_assert(static_cast<int>(VerifyMode::kWhole) == LINEFILTER_VERIFY_WHOLE);
static_assert(static_cast<int>(VerifyMode::kLazy) == LINEFILTER_VERIFY_LAZY);
static_assert(static_cast<int>(VerifyMode::kTrusted) == LINEFILTER_VERIFY_TRUSTED);

namespace {

Status CheckVerify(linefilter_verify_mode verify) {
  if (verify == static_cast<int>(ToVerifyMode(verify))) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "%d is no way to verify: take one of LINEFILTER_VERIFY_...",
                       static_cast<int>(verify));
}

// A view of bytes takes two of the modes.
Status CheckVerifyOfBytes(linefilter_verify_mode verify) {
  const Status status = CheckVerify(verify);
  if (!status.ok() || verify == LINEFILTER_VERIFY_WHOLE || verify == LINEFILTER_VERIFY_TRUSTED) return status;
  return Refused(
      "a view of bytes is opened with LINEFILTER_VERIFY_WHOLE or LINEFILTER_VERIFY_TRUSTED: it has no memory for the "
      "marks of LINEFILTER_VERIFY_LAZY, which a file that is mapped has");
}

}  // namespace

linefilter_view* linefilter_view_open(const void* image, size_t size, linefilter_verify_mode verify,
                                      const uint8_t* secret, linefilter_status* status) {
  const Status fits = CheckVerifyOfBytes(verify);
  if (!fits.ok()) return ToC(fits, status), nullptr;
  auto* const view = NewHandle<OpenView>(status, Allocator(), Allocator());
  if (view == nullptr) return nullptr;
  return HandleOr(view->opened.Open(image, size, ToVerifyMode(verify), GivenSecret(secret).get()), view, status);
}

static_assert(static_cast<int>(MapAdvice::kWillNeed) == LINEFILTER_WILL_NEED);
static_assert(static_cast<int>(MapAdvice::kRandom) == LINEFILTER_RANDOM);

linefilter_view* linefilter_view_map(const char* path, linefilter_verify_mode verify, linefilter_advice advice,
                                     const uint8_t* secret, linefilter_status* status) {
  Status opened = CheckPath(path);
  if (opened.ok()) opened = CheckVerify(verify);
  if (opened.ok() && advice != LINEFILTER_WILL_NEED && advice != LINEFILTER_RANDOM) {
    opened = Refused("the advice is neither LINEFILTER_WILL_NEED nor LINEFILTER_RANDOM");
  }
  if (!opened.ok()) return ToC(opened, status), nullptr;
  auto* const view = NewHandle<OpenView>(status, Allocator(), Allocator());
  if (view == nullptr) return nullptr;
  opened = view->file.Map(path, ToVerifyMode(verify), static_cast<MapAdvice>(advice), GivenSecret(secret).get());
  view->AskFile();
  return HandleOr(opened, view, status);
}

linefilter_view* linefilter_view_load(const char* path, const linefilter_allocator* allocator, uint64_t memory_limit,
                                      const uint8_t* secret, linefilter_status* status) {
  const Allocator memory = allocator == nullptr ? Allocator() : FromC(*allocator);
  Status opened = CheckAllocator(memory);
  if (opened.ok()) opened = CheckPath(path);
  if (!opened.ok()) return ToC(opened, status), nullptr;
  auto* const view = NewHandle<OpenView>(status, memory, memory);
  if (view == nullptr) return nullptr;
  opened = view->file.Load(path, memory, memory_limit, GivenSecret(secret).get());
  view->AskFile();
  return HandleOr(opened, view, status);
}

void linefilter_view_free(linefilter_view* view) {
  if (view != nullptr && view->free != nullptr) view->free(view);
}

linefilter_code linefilter_view_status(const linefilter_view* view, linefilter_status* status) {
  if (view == nullptr) return ToC(NoHandle("view"), status);
  return ToC(view->image != nullptr ? view->image->status() : Status(), status);
}

linefilter_code linefilter_view_verify(const linefilter_view* view, linefilter_status* status) {
  return linefilter_view_verify_chunks(view, 0, linefilter_view_num_chunks(view), status);
}

linefilter_code linefilter_view_advise_huge_pages(const linefilter_view* view, linefilter_status* status) {
  if (view == nullptr) return ToC(NoHandle("view"), status);
  if (view->image != nullptr) return ToC(view->image->AdviseHugePages(), status);
  if (view->swappable == nullptr) return ToC(Status(), status);
  return ToC(Status::Error(StatusCode::kIncompatible,
                           "what serves may be another image the next moment: advise it before it is swapped in, or "
                           "the view of a lease"),
             status);
}

linefilter_code linefilter_view_verify_chunks(const linefilter_view* view, uint64_t first, uint64_t count,
                                              linefilter_status* status) {
  if (view == nullptr) return ToC(NoHandle("view"), status);
  if (view->image != nullptr) return ToC(view->image->VerifyChunks(first, count), status);
  if (view->swappable != nullptr) {
    return ToC(Status::Error(StatusCode::kIncompatible,
                             "what serves may be another image the next moment: verify before it is swapped in, or the "
                             "view of a lease"),
               status);
  }
  if (first == 0 && count == 0) return ToC(Status(), status);
  return ToC(Refused("the view is a filter's, not an image's: it has no chunks"), status);
}

uint64_t linefilter_view_num_chunks(const linefilter_view* view) {
  return view == nullptr || view->image == nullptr ? 0 : view->image->num_chunks();
}

linefilter_code linefilter_image_verify(const void* image, size_t size, linefilter_status* status) {
  return ToC(VerifyImage(image, size), status);
}
