// The layout `container` but for its loops: whether a table of stages is possible, and estimates over all stages.
#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_

#include "lib/layouts/layout_record.h"

namespace linefilter::internal {

const Kernels& StagesKernels();
const Kernels& SharedStagesKernels();

// This is LayoutRecord::bind to the stages of an image, whose table is without fault. Nobody inserts into them.
void BindImageStages(const BodyParts& parts, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
