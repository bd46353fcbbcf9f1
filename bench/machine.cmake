# linefilter_bench_machine: counters.h, cpu.h and machine.h. Only commit.cc is compiled anew when the commit changes.
find_package(Git QUIET)
set(commit_file ${CMAKE_CURRENT_BINARY_DIR}/commit.cc)
add_custom_target(linefilter_bench_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DGIT=${GIT_EXECUTABLE} -DFILE=${commit_file}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/commit.cmake
  BYPRODUCTS ${commit_file} VERBATIM)

add_library(linefilter_bench_machine STATIC counters.cc cpu.cc machine.cc ${commit_file})
linefilter_own(linefilter_bench_machine)
add_dependencies(linefilter_bench_machine linefilter_bench_commit)
target_include_directories(linefilter_bench_machine PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(linefilter_bench_machine PUBLIC linefilter::linefilter nlohmann_json::nlohmann_json)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" flags)
set_source_files_properties(machine.cc PROPERTIES COMPILE_DEFINITIONS "LINEFILTER_BENCH_FLAGS=\"${flags}\"")
