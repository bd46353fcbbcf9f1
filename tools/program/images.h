// Several commands do this with images and their memory.
#ifndef LINEFILTER_TOOLS_PROGRAM_IMAGES_H_
#define LINEFILTER_TOOLS_PROGRAM_IMAGES_H_

#include <cstdint>
#include <string>

#include "linefilter/view.h"
#include "tools/program/image.h"
#include "tools/program/key_reader.h"
#include "tools/program/report.h"

namespace linefilter::tools {

// Reports an image's hash and what goes with it: `seed` is its seed field, for a keyed hash the check of its secret.
void ReportHash(HashId hash_id, uint64_t seed, Report* report);

// Reports the stages of a container, the oldest first, and nothing of another layout.
void ReportStages(const FilterView& view, Report* report);

// The memory of this machine or of the container around us, whichever is less: a filter beyond that is refused at once,
// not killed half-way.
uint64_t MemoryOfMachine();

// Whether keys that are written so may be members of the image, by the kind of keys that it remembers. If not, it is
// kIncompatible and says what to type, as the command "query", "verify" or "fpr --filter": all members would answer
// "absent".
Status AreOfItsKind(const char* command, const std::string& path, const FilterView& view, const KeysOption& keys);

// Reports whether keys can be removed, of a layout that has both; of another one nothing.
void ReportRemovable(Layout layout, uint32_t num_probes, Report* report);

// Reports what every image tells of itself. It returns the size, for which all of the image was read.
SizeEstimate ReportImage(const FilterView& view, Report* report);

// Reports how many keys a filter was made for, 0 if nobody said, about how many are in it, and whether they are more.
void ReportSize(uint64_t capacity, const SizeEstimate& size, bool over_capacity, Report* report);
// This is FilterBase::OverCapacity, for an image whose ApproximateSize() is `size`.
bool IsOverCapacity(const FilterView& view, const SizeEstimate& size);

// Reports how many more keys there are until the rate is `fpr`, for which IsWantedFpr was asked.
void ReportRoom(const FilterView& view, double fpr, Report* report);
// Whether the option --fpr of a command is a rate; it is false after saying what is wrong.
bool IsWantedFpr(const char* command, double fpr);

// Warns of a filter that has more different keys than it was made for. A command does it once, at its end.
void WarnOfOverfull(const std::string& name, uint64_t capacity, const SizeEstimate& size);
// Does so if the image, whose ApproximateSize() is `size`, is over its capacity.
void WarnIfOverfull(const std::string& name, const FilterView& view, const SizeEstimate& size);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_IMAGES_H_
