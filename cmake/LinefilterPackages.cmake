# cpack: Debian packages of what LinefilterInstall.cmake installs, one for each component. An embedder gets none of this: cpack
# is his, for packages of his own. Where they are built, dpkg-shlibdeps
# finds out what they need; what the headers need stands here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME linefilter)
set(CPACK_PACKAGE_VENDOR linefilter)
set(CPACK_PACKAGE_CONTACT "linefilter authors <linefilter@example.org>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)  # our own, which an adapter needs
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # and the trigger of ldconfig
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # a new symbol comes with a new version
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/LinefilterDebDocs.cmake)

# linefilter_package(component name section depends text): the Debian package of linefilter_<component>, if there is any.
get_cmake_property(installed COMPONENTS)
set(CPACK_COMPONENTS_ALL "")
macro(linefilter_package component name section depends text)
  if("linefilter_${component}" IN_LIST installed)
    list(APPEND CPACK_COMPONENTS_ALL linefilter_${component})
    string(TOUPPER linefilter_${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "linefilter tells of a key that it is not in a set, or that it may be,\n\
by reading one cache line. Its images have the same bytes everywhere.\n.\n${text}")
    if("${section}" STREQUAL "libs")
      set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
    elseif("${section}" STREQUAL "python")  # makes and removes what Python keeps beside the module
      set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
        ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
    endif()
  endif()
endmacro()

# Highway is compiled into our kernels, so what we run with must not be older than its headers were. The library's package is
# named after its own SONAME. On x86 the headers are all that we need of it (LinefilterDependencies.cmake).
set(hwy "")
find_library(LINEFILTER_HWY_FILE hwy)
find_program(LINEFILTER_DPKG_QUERY dpkg-query)
mark_as_advanced(LINEFILTER_HWY_FILE LINEFILTER_DPKG_QUERY)
if(LINEFILTER_HWY_FILE AND LINEFILTER_DPKG_QUERY AND NOT LINEFILTER_HIGHWAY_HEADERS)
  get_filename_component(file ${LINEFILTER_HWY_FILE} REALPATH)
  execute_process(COMMAND ${LINEFILTER_DPKG_QUERY} -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:]+):")
    set(hwy "${CMAKE_MATCH_1} (>= ${LINEFILTER_HWY_VERSION})")
  endif()
endif()

set(runtime "liblinefilter${LINEFILTER_ABI}")
set(ours "= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
linefilter_package(runtime ${runtime} libs "${hwy}" "This package has the shared library.")
set(development "libhwy-dev (>= ${LINEFILTER_HWY_VERSION})")
if("linefilter_runtime" IN_LIST installed)  # not where the static library is the only one
  string(PREPEND development "${runtime} (${ours}), ")
endif()
linefilter_package(development liblinefilter-dev libdevel "${development}"
  "This package has the headers, the libraries to link, and what CMake and\npkg-config read.")
linefilter_package(program linefilter-tools utils "${hwy}"
  "This package has the program linefilter, which makes images, asks,\nverifies, folds, unites and measures them.")
foreach(engine IN LISTS LINEFILTER_ADAPTERS)
  set(own "liblinefilter-${engine}${LINEFILTER_ABI}")
  set(engine_development lib${engine}-dev)
  set(library "the shared library with a filter policy for ${engine}")
  set(to_link "header and libraries of the policy for ${engine}")
  if(engine STREQUAL "redis")
    set(engine_development libhiredis-dev)
    set(library "the shared library for filters that lie in Redis")
    set(to_link "header and libraries for filters that lie in Redis")
  endif()
  linefilter_package(${engine} ${own} libs "${runtime} (>${ours})" "This package has ${library}.")
  set(development "liblinefilter-dev (${ours}), ${engine_development}")
  if(engine STREQUAL "rocksdb" AND LINEFILTER_ROCKSDB_VERSION)
    string(APPEND development " (>= ${LINEFILTER_ROCKSDB_VERSION}), librocksdb-dev (<< ${LINEFILTER_ROCKSDB_NEXT})")
  endif()
  if(engine STREQUAL "redis" AND LINEFILTER_REDIS_TLS)
    string(APPEND development ", libssl-dev")
  endif()
  if("linefilter_${engine}" IN_LIST installed)
    string(PREPEND development "${own} (${ours}), ")
  endif()
  linefilter_package(${engine}_development liblinefilter-${engine}-dev libdevel "${development}"
    "This package has ${to_link}, to link.")
endforeach()
set(python "python3, python3-numpy")
if("linefilter_python" IN_LIST installed)  # an extension is of one version of Python, and holds the library
  if(LINEFILTER_PYTHON_VERSION MATCHES "^3\\.([0-9]+)$")
    math(EXPR next "${CMAKE_MATCH_1} + 1")
    set(python "python3 (>= 3.${CMAKE_MATCH_1}), python3 (<< 3.${next}), python3-numpy")
    if(hwy)
      string(APPEND python ", ${hwy}")
    endif()
  endif()
endif()
linefilter_package(python python3-linefilter python "${python}" "This package has the module for Python 3.")

include(CPack)
