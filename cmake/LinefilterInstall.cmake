# cmake --install: libraries, headers, the program, and what find_package and pkg-config read. The tree may be moved.
#
# Components, each a package of ours (LinefilterPackages.cmake): runtime (the shared library), development (headers, static
# library), the same of each adapter (leveldb, leveldb_development, ...), program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LINEFILTER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/linefilter)
set(LINEFILTER_ADAPTERS "")
foreach(engine leveldb rocksdb)
  if(TARGET linefilter_${engine})
    list(APPEND LINEFILTER_ADAPTERS ${engine})
  endif()
endforeach()

# The Highway that was compiled against: a newer one may be linked, an older one not.
set(LINEFILTER_HWY_VERSION 1.0.3)
if(linefilter_hwy_VERSION)
  set(LINEFILTER_HWY_VERSION ${linefilter_hwy_VERSION})
elseif(hwy_VERSION)
  set(LINEFILTER_HWY_VERSION ${hwy_VERSION})
endif()

# linefilter_install_library(name file static shared runtime development): what is wanted of both kinds, as the targets
# linefilter::<static> and linefilter::<shared> of <file>.cmake, in these components.
function(linefilter_install_library name file static shared runtime development)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${static})
  if("static" IN_LIST LINEFILTER_KINDS)
    install(TARGETS ${name} EXPORT ${file}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${development}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  if(TARGET ${name}_shared)
    set_target_properties(${name}_shared PROPERTIES EXPORT_NAME ${shared})
    install(TARGETS ${name}_shared EXPORT ${file}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${runtime} NAMELINK_COMPONENT ${development}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  install(EXPORT ${file} NAMESPACE linefilter:: DESTINATION ${LINEFILTER_CMAKE_DIR} COMPONENT ${development})
endfunction()

# linefilter_install_pc(name): for pkg-config.
function(linefilter_install_pc name component)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# From lib/pkgconfig to the prefix, so that a moved tree is found.
file(RELATIVE_PATH LINEFILTER_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" LINEFILTER_PC_PREFIX "${LINEFILTER_PC_PREFIX}")
# What a program in C lacks that links the static library.
set(LINEFILTER_CXX_RUNTIME "")
foreach(library stdc++ c++ m)
  if(library IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    string(APPEND LINEFILTER_CXX_RUNTIME " -l${library}")
    target_link_libraries(linefilter INTERFACE $<INSTALL_INTERFACE:$<$<LINK_LANGUAGE:C>:${library}>>)
  endif()
endforeach()

linefilter_install_library(linefilter linefilterTargets static shared runtime development)
linefilter_install_pc(linefilter development)
install(DIRECTORY include/linefilter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN leveldb.h EXCLUDE PATTERN rocksdb.h EXCLUDE)
foreach(engine IN LISTS LINEFILTER_ADAPTERS)
  linefilter_install_library(linefilter_${engine} linefilter_${engine}Targets
    ${engine}_static ${engine}_shared ${engine} ${engine}_development)
  linefilter_install_pc(linefilter-${engine} ${engine}_development)
  if(TARGET linefilter_${engine}_shared)  # it needs the one beside it
    set_target_properties(linefilter_${engine}_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(FILES include/linefilter/${engine}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linefilter
    COMPONENT ${engine}_development)
endforeach()

configure_package_config_file(cmake/linefilterConfig.cmake.in ${PROJECT_BINARY_DIR}/linefilterConfig.cmake
  INSTALL_DESTINATION ${LINEFILTER_CMAKE_DIR} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface: doc/VERSIONING.md.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/linefilterConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/linefilterConfig.cmake ${PROJECT_BINARY_DIR}/linefilterConfigVersion.cmake
  DESTINATION ${LINEFILTER_CMAKE_DIR} COMPONENT development)

if(TARGET linefilter_tool)
  install(TARGETS linefilter_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(FILES tools/linefilter.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endif()

# The Python module (python/), where the distribution's Python looks for its own. Others: pip, of python/pyproject.toml.
if(TARGET _linefilter)
  set(LINEFILTER_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
  install(DIRECTORY python/src/linefilter DESTINATION ${LINEFILTER_PYTHON_DIR} COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(TARGETS _linefilter LIBRARY DESTINATION ${LINEFILTER_PYTHON_DIR}/linefilter COMPONENT python)
endif()
