# By these options a file is compiled without AddressSanitizer in a build that has it; other builds have none.
set(LINEFILTER_PLAIN_OPTIONS "")
if(LINEFILTER_SANITIZE MATCHES "address")
  set(LINEFILTER_PLAIN_OPTIONS -fno-sanitize=all)
  if(LINEFILTER_FUZZ)
    list(APPEND LINEFILTER_PLAIN_OPTIONS -fno-sanitize-coverage=inline-8bit-counters,pc-table)
  endif()
endif()

# What every target of ours gets, as properties of the target, never as global flags. Warnings are for our own builds: an
# embedder's compiler may know more of them.
function(linefilter_own target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON  # plugins and bindings are shared libraries
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  # On 32-bit CPUs: streams write images above 2 GiB, keys come from larger files, and the inode of any file may have a
  # number of 64 bits.
  if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  endif()
  # On 32-bit x86 the compiler would count with 80 bits where it likes, and sizes would differ from those of other CPUs
  # (lib/base/real.h): SSE2, of every CPU since 2003, rounds each operation as IEEE 754 says.
  if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i.86|x86|x86_64|AMD64)$" AND NOT MSVC)
    target_compile_options(${target} PRIVATE -msse2 -mfpmath=sse)
  endif()
  if(LINEFILTER_DISABLED_TARGETS)  # all files must agree
    target_compile_definitions(${target} PRIVATE "HWY_DISABLED_TARGETS=${LINEFILTER_DISABLED_TARGETS}")
  endif()
  if(LINEFILTER_WERROR)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
  endif()
  if(LINEFILTER_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${LINEFILTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LINEFILTER_SANITIZE})
  endif()
endfunction()
