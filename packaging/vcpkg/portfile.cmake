# A port of vcpkg, as an overlay: vcpkg install linefilter --overlay-ports=packaging/vcpkg. It builds the tree it lies in; a port
# of a release would fetch that (vcpkg_from_git).
#
# Not run against the real tool: tests/packaging/check.py runs it with stand-ins for vcpkg's functions.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES
  leveldb LINEFILTER_LEVELDB
  redis LINEFILTER_REDIS
  rocksdb LINEFILTER_ROCKSDB
  tools LINEFILTER_BUILD_TOOLS)

# The triplet says shared or static, by BUILD_SHARED_LIBS.
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  ${FEATURE_OPTIONS}
  -DLINEFILTER_ADAPTERS_AS_ASKED=ON
  -DLINEFILTER_BUILD_TESTS=OFF
  -DLINEFILTER_BUILD_BENCH=OFF
  -DLINEFILTER_BUILD_EXAMPLES=OFF
  -DLINEFILTER_PYTHON=OFF
  -DLINEFILTER_WERROR=OFF
  -DFETCHCONTENT_FULLY_DISCONNECTED=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME linefilter CONFIG_PATH lib/cmake/linefilter)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES linefilter AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
