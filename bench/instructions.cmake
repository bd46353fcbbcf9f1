# linefilter_instructions: rows for callgrind to count (tools/perf.sh instructions). It says what its counts depend on
# besides our code, because counts of different compilers and Highways are not compared.
add_executable(linefilter_instructions ${CMAKE_CURRENT_LIST_DIR}/instructions.cc
  ${CMAKE_CURRENT_LIST_DIR}/instructions_columns.cc)
linefilter_own(linefilter_instructions)
target_link_libraries(linefilter_instructions PRIVATE linefilter_bench_machine)
if(linefilter_hwy_VERSION)  # by pkg-config
  set(highway ${linefilter_hwy_VERSION})
elseif(hwy_VERSION)
  set(highway ${hwy_VERSION})
else()
  set(highway fetched)
endif()
target_compile_definitions(linefilter_instructions PRIVATE
  LINEFILTER_BENCH_ON="${CMAKE_SYSTEM_PROCESSOR}, Highway ${highway}")
