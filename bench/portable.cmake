# linefilter_bench_portable: linefilter_bench as one file that needs no library where it runs. It is linked of what
# linefilter_bench is compiled of, and of static libraries: a distribution's, or made here of the sources of Highway and
# Google Benchmark in LINEFILTER_SOURCES (tools/lib/sources.sh), which must be the versions of the installed headers.
set(LINEFILTER_SOURCES "" CACHE PATH "Sources of libraries that have no static package: highway-*/, benchmark-*/")

# linefilter_static_library(result name alias pattern...): the static library of a package, of this build, or of sources.
function(linefilter_static_library result name alias)
  unset(file)
  find_library(file lib${name}.a NO_CACHE)
  get_target_property(type ${alias} TYPE)
  get_target_property(aliased ${alias} ALIASED_TARGET)
  if(file)
    set(${result} ${file} PARENT_SCOPE)
  elseif(type STREQUAL "STATIC_LIBRARY" AND aliased)  # fetched, and built with us
    set(${result} ${aliased} PARENT_SCOPE)
  else()
    list(TRANSFORM ARGN PREPEND ${LINEFILTER_SOURCES}/)
    file(GLOB sources ${ARGN})
    list(FILTER sources EXCLUDE REGEX "(_test|_main)\\.cc$")
    if(NOT sources)
      message(FATAL_ERROR "linefilter_bench_portable needs a static ${name}: there is no lib${name}.a, and LINEFILTER_SOURCES "
        "('${LINEFILTER_SOURCES}') has none of ${ARGN}. tools/bench.sh --portable fetches them")
    endif()
    add_library(linefilter_static_${name} STATIC EXCLUDE_FROM_ALL ${sources})
    target_compile_features(linefilter_static_${name} PRIVATE cxx_std_17)
    set(${result} linefilter_static_${name} PARENT_SCOPE)
  endif()
endfunction()

linefilter_static_library(hwy hwy hwy::hwy highway-*/hwy/*.cc)
if(TARGET linefilter_static_hwy)
  file(GLOB folder ${LINEFILTER_SOURCES}/highway-*)
  target_include_directories(linefilter_static_hwy PRIVATE ${folder})
endif()
linefilter_static_library(benchmark benchmark benchmark::benchmark benchmark-*/src/*.cc)
if(TARGET linefilter_static_benchmark)
  file(GLOB folder ${LINEFILTER_SOURCES}/benchmark-*)
  target_include_directories(linefilter_static_benchmark PRIVATE ${folder}/include ${folder}/src)
  target_compile_definitions(linefilter_static_benchmark PRIVATE HAVE_STD_REGEX HAVE_STEADY_CLOCK BENCHMARK_STATIC_DEFINE)
endif()

# main.cc, and the files that say something else here than in linefilter_bench: they come before those of the libraries.
add_executable(linefilter_bench_portable EXCLUDE_FROM_ALL main.cc peers.cc portable.cc)
linefilter_own(linefilter_bench_portable)
set_target_properties(linefilter_bench_portable PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_definitions(linefilter_bench_portable PRIVATE LINEFILTER_BENCH_PORTABLE)
get_property(peer_list GLOBAL PROPERTY linefilter_portable_peers)
get_property(peer_libraries GLOBAL PROPERTY linefilter_portable_libraries)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/portable/bench/peers.inc CONTENT "${peer_list}" @ONLY)
target_include_directories(linefilter_bench_portable PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/portable ${PROJECT_SOURCE_DIR}
  $<TARGET_PROPERTY:linefilter_bench_core,INTERFACE_INCLUDE_DIRECTORIES>)
# By their files: the libraries that they would bring along are the shared ones.
set(parts linefilter_bench_core linefilter_bench_machine linefilter_bench_peers linefilter)
add_dependencies(linefilter_bench_portable ${parts})
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>")
target_link_libraries(linefilter_bench_portable PRIVATE
  ${parts} ${hwy} ${benchmark} ${peer_libraries} CLI11::CLI11 nlohmann_json::nlohmann_json Threads::Threads)
target_link_options(linefilter_bench_portable PRIVATE -static -no-pie -s)
