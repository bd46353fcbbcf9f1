# armhf: 32-bit Arm (ARMv7), NEON where the CPU has it.
set(LINEFILTER_CROSS_TRIPLET arm-linux-gnueabihf)
set(LINEFILTER_CROSS_QEMU qemu-arm)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
