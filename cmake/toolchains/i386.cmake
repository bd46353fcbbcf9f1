# i386: 32-bit x86, run by the CPU itself: x86-64 kernels run such programs, which find the cross compiler's C library.
# (Debian 12's qemu-i386 hangs when a program forks.) The folder of libraries is not named after the compiler.
set(LINEFILTER_CROSS_TRIPLET i686-linux-gnu)
set(LINEFILTER_CROSS_LIBRARIES i386-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2 -Wl,-rpath,/usr/i686-linux-gnu/lib")
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
