# ppc64le: POWER8 and later, little-endian. Highway 1.0.3 has no vectors for it: plain code.
set(LINEFILTER_CROSS_TRIPLET powerpc64le-linux-gnu)
set(LINEFILTER_CROSS_QEMU qemu-ppc64le)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
