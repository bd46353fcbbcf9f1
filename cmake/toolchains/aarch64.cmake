# aarch64: NEON, and SVE where Highway compiles it.
set(LINEFILTER_CROSS_TRIPLET aarch64-linux-gnu)
set(LINEFILTER_CROSS_QEMU qemu-aarch64)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
