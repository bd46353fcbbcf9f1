# s390x: the big-endian machine that shows byte-order faults. From g++ before 12.3 Highway withholds its portable vectors,
# so the scalar kernels run (and with them: build_s390x_vectors in tools/lib/cpus.sh).
set(LINEFILTER_CROSS_TRIPLET s390x-linux-gnu)
set(LINEFILTER_CROSS_QEMU qemu-s390x)
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
