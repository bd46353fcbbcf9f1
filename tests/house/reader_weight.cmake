# cmake -DPROGRAM=reader -DSTRIP=strip -DREADELF=readelf -DMOST=bytes -P reader_weight.cmake: what a program links that only reads
# images (reader.cc). Stripped it is at most so large, it needs no libhwy, and the library has no constructor that runs before main.
execute_process(COMMAND ${STRIP} -o ${PROGRAM}.stripped ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${PROGRAM}.stripped size)
file(REMOVE ${PROGRAM}.stripped)
message(STATUS "stripped: ${size} bytes")
if(size GREATER MOST)
  message(SEND_ERROR "a reader of images has ${size} bytes, more than ${MOST}: of which file are they (-Wl,-Map)? Insertions belong into "
    "changes.cc of a layout, sizes and solvers into its model.cc (lib/layouts/layout_record.h)")
endif()
execute_process(COMMAND ${READELF} -dSW ${PROGRAM} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "NEEDED.*libc\\.")
  message(SEND_ERROR "readelf does not tell the libraries of ${PROGRAM}:\n${text}")
elseif(text MATCHES "NEEDED[^\n]*hwy")
  message(SEND_ERROR "a reader of images needs ${CMAKE_MATCH_0}: only headers of Highway may be used (lib/layouts/target.h)")
endif()
# The one entry is the compiler's own (frame_dummy).
if(NOT text MATCHES " \\.init_array +INIT_ARRAY +[0-9a-f]+ [0-9a-f]+ 0*8 ")
  message(SEND_ERROR "a reader of images has a constructor of the library's in .init_array:\n${text}")
endif()
