# Which kinds of each library there are: static, shared, or both of one compilation.
#
# BUILD_SHARED_LIBS says it: ON shared, OFF static; where nobody has set it both at the top level, static for an embedder.
# Both kinds in one program would be two libraries with one name for each function: CMake refuses it (LINEFILTER_KIND).
# Of static libraries alone nothing is visible in the program or plugin that links them (linefilter/internal/export.h). Where the
# objects are a shared library's too, the linker hides them again (--exclude-libs).

if(LINEFILTER_SANITIZE OR LINEFILTER_FUZZ)
  set(LINEFILTER_KINDS static)  # a program's own instrumentation is not that of a library to install
elseif(DEFINED BUILD_SHARED_LIBS)
  if(BUILD_SHARED_LIBS)
    set(LINEFILTER_KINDS shared)
  else()
    set(LINEFILTER_KINDS static)
  endif()
elseif(PROJECT_IS_TOP_LEVEL)
  set(LINEFILTER_KINDS static shared)
else()
  set(LINEFILTER_KINDS static)
endif()

# The name that a program remembers (SONAME) changes with each minor version while the major one is 0: doc/VERSIONING.md.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(LINEFILTER_ABI 0.${PROJECT_VERSION_MINOR})
else()
  set(LINEFILTER_ABI ${PROJECT_VERSION_MAJOR})
endif()

# linefilter_is(target kind): whoever links it, directly or not, links no library of ours that is of another kind.
function(linefilter_is target kind)
  set_target_properties(${target} PROPERTIES
    INTERFACE_LINEFILTER_KIND ${kind} COMPATIBLE_INTERFACE_STRING LINEFILTER_KIND)
endfunction()

# linefilter_kinds(name needs): of the static library `name` (our own tests link it, whatever the kinds) also name_shared, if
# wanted. `needs`: the target that linefilterConfig.cmake makes of what an installed one stands on.
function(linefilter_kinds name needs)
  set(elf FALSE)
  if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    set(elf TRUE)
  endif()
  target_link_libraries(${name} PUBLIC $<INSTALL_INTERFACE:${needs}>)
  linefilter_is(${name} static)
  # Calls inside the library are its own affair: inlined as if nothing were exported.
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  if(NOT "shared" IN_LIST LINEFILTER_KINDS)
    target_compile_definitions(${name} PUBLIC LINEFILTER_STATIC)
    return()
  endif()
  target_compile_definitions(${name} INTERFACE $<INSTALL_INTERFACE:LINEFILTER_STATIC>)
  if(elf)
    target_link_options(${name} INTERFACE "LINKER:--exclude-libs,lib${name}.a")
  endif()

  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}>)
  linefilter_is(${name}_shared shared)
  target_compile_features(${name}_shared PUBLIC cxx_std_17)
  set_target_properties(${name}_shared PROPERTIES
    OUTPUT_NAME ${name} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${LINEFILTER_ABI})
  target_include_directories(${name}_shared PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  # What the static one stands on, itself excepted.
  get_target_property(libraries ${name} LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^linefilter$" linefilter_shared)
  target_link_libraries(${name}_shared PUBLIC ${libraries})
  if(elf)
    configure_file(${PROJECT_SOURCE_DIR}/lib/linefilter.map.in ${PROJECT_BINARY_DIR}/linefilter.map @ONLY)
    target_link_options(${name}_shared PRIVATE "LINKER:--version-script,${PROJECT_BINARY_DIR}/linefilter.map"
      LINKER:-z,defs LINKER:-Bsymbolic-functions)
    set_target_properties(${name}_shared PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/linefilter.map)
  endif()
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT "static" IN_LIST LINEFILTER_KINDS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
