# What the toolchain files of this folder share. They set LINEFILTER_CROSS_TRIPLET before they include this; _QEMU, unless
# this CPU runs the programs; _LIBRARIES where the distribution's folders of libraries are not named after the triplet.
#
# The distribution's cross compiler, the foreign libraries of LINEFILTER_SYSROOT (tools/lib/sysroot.sh makes it) and
# qemu-user, which ctest puts before every test program.
set(LINEFILTER_SYSROOT "" CACHE PATH "Folder with the unpacked foreign packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LINEFILTER_SYSROOT)
if(NOT IS_DIRECTORY "${LINEFILTER_SYSROOT}/usr")
  message(FATAL_ERROR "LINEFILTER_SYSROOT ('${LINEFILTER_SYSROOT}') is no sysroot")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${LINEFILTER_CROSS_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${LINEFILTER_CROSS_TRIPLET}-g++)
if(NOT LINEFILTER_CROSS_LIBRARIES)
  set(LINEFILTER_CROSS_LIBRARIES ${LINEFILTER_CROSS_TRIPLET})
endif()
set(CMAKE_LIBRARY_ARCHITECTURE ${LINEFILTER_CROSS_LIBRARIES})
# The C library comes with the cross compiler, everything else from the sysroot; the host's own libraries from neither.
set(CMAKE_FIND_ROOT_PATH ${LINEFILTER_SYSROOT} /usr/${LINEFILTER_CROSS_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${LINEFILTER_SYSROOT}/usr/lib/${LINEFILTER_CROSS_LIBRARIES}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LINEFILTER_SYSROOT})
if(LINEFILTER_CROSS_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${LINEFILTER_CROSS_QEMU};-L;/usr/${LINEFILTER_CROSS_TRIPLET})
endif()
