# cmake --install: libraries, headers, the program, and what find_package and pkg-config read. The tree may be moved.
#
# Components, each a package of ours (LinefilterPackages.cmake): linefilter_runtime (the shared library), linefilter_development
# (headers, static library), the same of each adapter (linefilter_leveldb, linefilter_leveldb_development, ...),
# linefilter_program, linefilter_python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LINEFILTER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/linefilter)
set(LINEFILTER_ADAPTERS "")
foreach(engine leveldb rocksdb redis)
  if(TARGET linefilter_${engine})
    list(APPEND LINEFILTER_ADAPTERS ${engine})
  endif()
endforeach()

# The Highway that was compiled against: a newer one may be linked, an older one not. One that is built with us has its version
# in its header.
set(LINEFILTER_HWY_VERSION "")
if(linefilter_hwy_VERSION)
  set(LINEFILTER_HWY_VERSION ${linefilter_hwy_VERSION})
elseif(hwy_VERSION)
  set(LINEFILTER_HWY_VERSION ${hwy_VERSION})
else()
  get_target_property(folders hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM folders REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1")
  foreach(header base highway)  # which of the two has the numbers depends on them
    unset(path)
    find_file(path hwy/${header}.h PATHS ${folders} NO_CACHE NO_DEFAULT_PATH)
    find_file(path hwy/${header}.h NO_CACHE)  # not named, because compilers look there
    if(path)
      file(STRINGS ${path} lines REGEX "^#define HWY_(MAJOR|MINOR|PATCH) +[0-9]+")
      if(lines)
        string(REGEX REPLACE "[^0-9]+" "." lines "${lines}")  # .major.minor.patch
        string(REGEX REPLACE "^\\.|\\.$" "" LINEFILTER_HWY_VERSION "${lines}")
      endif()
    endif()
  endforeach()
endif()
if(NOT LINEFILTER_HWY_VERSION)
  message(FATAL_ERROR "no header of the target hwy::hwy tells Highway's version (hwy/base.h, hwy/highway.h), which whoever uses an "
    "installed linefilter needs: give the target its include folder, or set LINEFILTER_INSTALL=OFF")
endif()

# The RocksDB that the adapter was compiled for. No other will do: what makes and reads a filter is internal to it.
set(LINEFILTER_ROCKSDB_VERSION "")
set(LINEFILTER_ROCKSDB_NEXT "")
set(LINEFILTER_PC_ROCKSDB "")
if("rocksdb" IN_LIST LINEFILTER_ADAPTERS)
  linefilter_rocksdb_version(linefilter_rocksdb LINEFILTER_ROCKSDB_VERSION)
  if(LINEFILTER_ROCKSDB_VERSION MATCHES "^([0-9]+)[.]([0-9]+)$")
    math(EXPR minor "${CMAKE_MATCH_2} + 1")
    set(LINEFILTER_ROCKSDB_NEXT ${CMAKE_MATCH_1}.${minor})
    set(versions "rocksdb >= ${LINEFILTER_ROCKSDB_VERSION}" "rocksdb < ${LINEFILTER_ROCKSDB_NEXT}")
    if(PKG_CONFIG_FOUND)
      pkg_check_modules(linefilter_rocksdb_pc QUIET ${versions})
    endif()
    if(linefilter_rocksdb_pc_FOUND)  # not every RocksDB has a file for pkg-config
      list(JOIN versions ", " versions)
      set(LINEFILTER_PC_ROCKSDB ", ${versions}")
    endif()
  endif()
endif()

# Whether the adapter of Redis speaks TLS, and so its static library needs OpenSSL. (By .private, as LINEFILTER_PC_PRIVATE below.)
set(LINEFILTER_REDIS_TLS FALSE)
set(LINEFILTER_PC_REDIS_TLS "")
if("redis" IN_LIST LINEFILTER_ADAPTERS)
  get_target_property(definitions linefilter_redis COMPILE_DEFINITIONS)
  if("LINEFILTER_REDIS_TLS" IN_LIST definitions)
    set(LINEFILTER_REDIS_TLS TRUE)
    set(LINEFILTER_PC_REDIS_TLS " -lssl -lcrypto")
  endif()
endif()

# linefilter_install_library(name file static shared runtime development): what is wanted of both kinds, as the targets
# linefilter::<static> and linefilter::<shared> of <file>.cmake, in the components linefilter_<runtime> and _<development>.
function(linefilter_install_library name file static shared runtime development)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${static})
  if("static" IN_LIST LINEFILTER_KINDS)
    install(TARGETS ${name} EXPORT ${file}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT linefilter_${development}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  if(TARGET ${name}_shared)
    set_target_properties(${name}_shared PROPERTIES EXPORT_NAME ${shared})
    install(TARGETS ${name}_shared EXPORT ${file}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT linefilter_${runtime}
      NAMELINK_COMPONENT linefilter_${development}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  install(EXPORT ${file} NAMESPACE linefilter:: DESTINATION ${LINEFILTER_CMAKE_DIR}
    COMPONENT linefilter_${development})
endfunction()

# linefilter_install_pc(name): for pkg-config.
function(linefilter_install_pc name component)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT linefilter_${component})
endfunction()

# From lib/pkgconfig to the prefix, so that a moved tree is found. Folders that were given as absolute stay where they are.
set(LINEFILTER_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(LINEFILTER_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  string(PREPEND LINEFILTER_PC_INCLUDEDIR "\${prefix}/")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(LINEFILTER_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  string(PREPEND LINEFILTER_PC_LIBDIR "\${prefix}/")
  file(RELATIVE_PATH LINEFILTER_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" LINEFILTER_PC_PREFIX "\${pcfiledir}/${LINEFILTER_PC_PREFIX}")
endif()
# What a program in C lacks that links the static library.
set(LINEFILTER_CXX_RUNTIME "")
foreach(library stdc++ c++ m)
  if(library IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    string(APPEND LINEFILTER_CXX_RUNTIME " -l${library}")
    target_link_libraries(linefilter INTERFACE $<INSTALL_INTERFACE:$<$<LINK_LANGUAGE:C>:${library}>>)
  endif()
endforeach()

# pkg-config's words: a static library that is the only one needs at once what a shared one brings itself (.private).
set(LINEFILTER_PC_PRIVATE .private)
set(LINEFILTER_PC_DEFINE "")
set(LINEFILTER_PC_RUNTIME "")
set(LINEFILTER_PC_REDIS_TLS_AT_ONCE "")
if(NOT "shared" IN_LIST LINEFILTER_KINDS)
  set(LINEFILTER_PC_PRIVATE "")
  set(LINEFILTER_PC_DEFINE " -DLINEFILTER_STATIC")
  set(LINEFILTER_PC_RUNTIME "${LINEFILTER_CXX_RUNTIME}")
  set(LINEFILTER_PC_REDIS_TLS_AT_ONCE "${LINEFILTER_PC_REDIS_TLS}")
endif()

# Where only headers of Highway are used (LinefilterDependencies.cmake), nothing of it is linked; linefilter/inline.h includes them.
set(LINEFILTER_PC_HWY "")
if(NOT LINEFILTER_HIGHWAY_HEADERS)
  set(LINEFILTER_PC_HWY "Requires${LINEFILTER_PC_PRIVATE}: libhwy >= ${LINEFILTER_HWY_VERSION}\n")
endif()

linefilter_install_library(linefilter linefilterTargets static shared runtime development)
linefilter_install_pc(linefilter development)
install(DIRECTORY include/linefilter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT linefilter_development
  FILES_MATCHING PATTERN "*.h" PATTERN leveldb.h EXCLUDE PATTERN redis*.h EXCLUDE PATTERN rocksdb.h EXCLUDE)
foreach(engine IN LISTS LINEFILTER_ADAPTERS)
  linefilter_install_library(linefilter_${engine} linefilter_${engine}Targets
    ${engine}_static ${engine}_shared ${engine} ${engine}_development)
  linefilter_install_pc(linefilter-${engine} ${engine}_development)
  if(TARGET linefilter_${engine}_shared)  # it needs the one beside it
    set_target_properties(linefilter_${engine}_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  foreach(folder linefilter linefilter/c)
    file(GLOB headers ${PROJECT_SOURCE_DIR}/include/${folder}/${engine}*.h)
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT linefilter_${engine}_development)
  endforeach()
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
  cmake/LinefilterRocksDB.cmake
  DESTINATION ${LINEFILTER_CMAKE_DIR} COMPONENT linefilter_development)

if(TARGET linefilter_tool)
  install(TARGETS linefilter_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT linefilter_program)
  install(FILES tools/program/linefilter.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT linefilter_program)
  if(NOT CMAKE_CROSSCOMPILING)  # tools/CMakeLists.txt
    install(FILES ${PROJECT_BINARY_DIR}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME linefilter COMPONENT linefilter_program)
    install(FILES ${PROJECT_BINARY_DIR}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
      RENAME _linefilter COMPONENT linefilter_program)
  endif()
endif()

# The Python module (python/), where Debian's Python looks: for packages in /usr/lib/python3, for the rest in a folder of its
# version. Which prefix it is, is known when it is installed. Others: pip, of python/pyproject.toml.
if(TARGET _linefilter)
  set(LINEFILTER_PYTHON_INSTALL_DIR "" CACHE STRING "Where the Python package goes, below the prefix; empty: where Debian's Python looks")
  get_target_property(suffix _linefilter SUFFIX)
  set(LINEFILTER_PYTHON_VERSION 3)
  if(suffix MATCHES "cpython-3([0-9]+)")
    set(LINEFILTER_PYTHON_VERSION 3.${CMAKE_MATCH_1})
  endif()
  if(LINEFILTER_PYTHON_INSTALL_DIR)
    set(folder ${LINEFILTER_PYTHON_INSTALL_DIR})
  else()
    # The variable must not be called as the component: scripts of CMake would take the one for the other.
    install(CODE "
      set(linefilter_python_folder lib/python${LINEFILTER_PYTHON_VERSION}/dist-packages)
      if(CMAKE_INSTALL_PREFIX MATCHES \"/usr/*$\")
        set(linefilter_python_folder lib/python3/dist-packages)
      endif()" COMPONENT linefilter_python)
    set(folder "\${linefilter_python_folder}")
  endif()
  install(DIRECTORY python/src/linefilter DESTINATION ${folder} COMPONENT linefilter_python
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(TARGETS _linefilter LIBRARY DESTINATION ${folder}/linefilter COMPONENT linefilter_python)
endif()
