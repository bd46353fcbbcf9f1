"""Recipe for Conan 2: conan create packaging/conan. It exports and builds the tree it lies in.

Not run against the real tool: tests/packaging/check.py runs it with stand-ins for Conan's modules.
"""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class LinefilterConan(ConanFile):
    name = "linefilter"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Approximate membership in one cache line"
    topics = ("bloom-filter", "approximate-membership", "simd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "with_leveldb": [True, False], "with_rocksdb": [True, False], "with_redis": [True, False]}
    default_options = {"shared": False, "with_leveldb": False, "with_rocksdb": False, "with_redis": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "lib/*", "packaging/debian/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 17)

    def requirements(self):
        # Its headers are in ours (linefilter/inline.h).
        self.requires("highway/[>=1.0.3 <2]", transitive_headers=True)
        self.requires("xxhash/[>=0.8 <1]")
        if self.options.with_leveldb:
            self.requires("leveldb/1.23", transitive_headers=True)
        if self.options.with_rocksdb:
            self.requires("rocksdb/[>=7.0 <9.6]", transitive_headers=True)
        if self.options.with_redis:
            self.requires("hiredis/[>=1.0 <2]")
            self.requires("openssl/[>=1.1.1 <4]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)  # says BUILD_SHARED_LIBS by the option `shared`
        toolchain.cache_variables["LINEFILTER_ADAPTERS_AS_ASKED"] = True
        toolchain.cache_variables["LINEFILTER_LEVELDB"] = bool(self.options.with_leveldb)
        toolchain.cache_variables["LINEFILTER_ROCKSDB"] = bool(self.options.with_rocksdb)
        toolchain.cache_variables["LINEFILTER_REDIS"] = bool(self.options.with_redis)
        for part in ("TOOLS", "TESTS", "BENCH", "EXAMPLES"):
            toolchain.cache_variables["LINEFILTER_BUILD_" + part] = False
        toolchain.cache_variables["LINEFILTER_PYTHON"] = False
        toolchain.cache_variables["LINEFILTER_WERROR"] = False
        toolchain.cache_variables["FETCHCONTENT_FULLY_DISCONNECTED"] = True
        toolchain.generate()
        dependencies = CMakeDeps(self)
        # As Highway's own CMake package has them, by which our CMakeLists.txt looks.
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        dependencies.set_property("highway::hwy", "cmake_target_name", "hwy::hwy")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "linefilter")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "linefilter::linefilter")
        core.set_property("pkg_config_name", "linefilter")
        core.libs = ["linefilter"]
        core.requires = ["highway::highway", "xxhash::xxhash"]
        if not self.options.shared:
            core.defines = ["LINEFILTER_STATIC"]
        for engine in ("leveldb", "rocksdb", "redis"):
            if self.options.get_safe("with_" + engine):
                adapter = self.cpp_info.components[engine]
                adapter.set_property("cmake_target_name", "linefilter::" + engine)
                adapter.set_property("pkg_config_name", "linefilter-" + engine)
                adapter.libs = ["linefilter_" + engine]
                package = "hiredis" if engine == "redis" else engine
                adapter.requires = ["core", package + "::" + package]
                if engine == "redis":
                    adapter.requires += ["openssl::ssl", "openssl::crypto"]
