// Several commands do this with images and their memory.
#ifndef LINEFILTER_TOOLS_PROGRAM_IMAGES_H_
#define LINEFILTER_TOOLS_PROGRAM_IMAGES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "linefilter/file.h"
#include "tools/program/report.h"

namespace linefilter::tools {

// This is FilterFile::Map, in the words of the program where the secret does not fit. kIncompatible is for one that is
// missing or of another image (SecretState), kInvalidArgument for one that the image has no use for.
Status MapImage(const std::string& path, VerifyMode verify, MapAdvice advice, const HashSecret* secret,
                FilterFile* file);

// This is FilterBase::KeyStatus, in the words of the program.
Status CanBeAsked(const FilterView& view);

// Maps an image and verifies all of it, with progress. It is false after saying why.
bool OpenImage(const std::string& path, const HashSecret* secret, FilterFile* file);

// This is FilterView::Verify, with progress on a terminal.
Status VerifyBody(const FilterView& view);

// This is VerifyImage of the file, for one that MapImage refused with kIncompatible, without progress.
Status VerifyFile(const std::string& path);

// The state of such an image: "secret missing" or "another secret".
const char* SecretState(const HashSecret* given);

// Reports an image's hash; `seed` is its seed field, for a keyed hash the check of its secret.
void ReportHash(HashId hash_id, uint64_t seed, Report* report);

// Reports the stages of a container, the oldest first, and nothing of another layout.
void ReportStages(const FilterView& view, Report* report);

// Says "ok", "damaged", or "unknown" for what could not be read or is of a kind that this version does not know.
const char* ChecksumState(const Status& verified);

// Says why an image is no good; returns kExitBad.
int FailImage(const std::string& path, const Status& status);

// The memory of this machine or of the container around us, whichever is less: a filter beyond that is refused at once,
// not killed half-way.
uint64_t MemoryOfMachine();

// Whether a file of that name could be made or replaced; else false, with the reason.
bool CanCreate(const std::string& path, std::string* reason);

// Reports what every image tells of itself. It returns the size, for which all of the image was read.
SizeEstimate ReportImage(const FilterView& view, Report* report);

// Reports how many keys a filter was made for, 0 if nobody said, and about how many are in it.
void ReportSize(uint64_t capacity, const SizeEstimate& size, Report* report);

// Reports how many more keys there are until the rate is `fpr`, for which IsWantedFpr was asked.
void ReportRoom(const FilterView& view, double fpr, Report* report);
// Whether the option --fpr of a command is a rate; it is false after saying what is wrong.
bool IsWantedFpr(const char* command, double fpr);

// Warns of a filter that has more different keys than it was made for. A command does it once, at its end.
void WarnOfOverfull(const std::string& name, uint64_t capacity, const SizeEstimate& size);
// Does so if the image, whose ApproximateSize() is `size`, is over its capacity.
void WarnIfOverfull(const std::string& name, const FilterView& view, const SizeEstimate& size);

// Writes a new image by write(sink). A terminal shows `what` as progress, of `total` bytes; 0: nobody knows how many.
// Nothing stays of one that fails.
Status WriteFile(const std::string& out, const char* what, uint64_t total,
                 const std::function<Status(const Sink&)>& write);

// Whether two paths lead to one file; "-" is standard input.
bool SameFile(const std::string& one, const std::string& other);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_IMAGES_H_
