"""Checks the recipes for vcpkg and Conan as far as that is possible without these tools: check.py SOURCES.

Stand-ins take the place of their functions; the options that the recipes pass are then given to a real run of CMake, which must
know them all, on the very files that the recipe exports. Nothing is compiled: that the sources compile is tested elsewhere.
"""

import fnmatch
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import types

ROOT = os.path.abspath(sys.argv[1])


def check(good, message):
    if not good:
        sys.exit("packaging: " + message)


def project_version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(linefilter VERSION ([0-9.]+)", file.read())[1]


def configure(sources, options, folder):
    """Runs CMake; every option must be one of ours."""
    done = subprocess.run(
        ["cmake", "-S", sources, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"] + options,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 0, "CMake failed with the options of the recipe:\n" + done.stdout)
    check("not used by the project" not in done.stdout, "CMake does not know an option:\n" + done.stdout)
    targets = subprocess.run(["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True).stdout
    check(not re.search(r"^(linefilter_bench|[a-z_]+_test|redis_dedup|sst_reader|uses_store|_linefilter): ", targets, re.M), "more than the library is built")
    return targets


def check_vcpkg(scratch):
    port = os.path.join(ROOT, "packaging", "vcpkg")
    with open(os.path.join(port, "vcpkg.json")) as file:
        manifest = json.load(file)
    known = {"name", "version-semver", "description", "license", "supports", "dependencies", "features"}
    check(set(manifest) == known, "vcpkg.json has other fields than %s" % sorted(known))
    check(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"]), "vcpkg.json: name")
    check(manifest["version-semver"] == project_version(), "vcpkg.json has another version than CMakeLists.txt")
    for dependency in manifest["dependencies"]:
        check(isinstance(dependency, str) or set(dependency) <= {"name", "host", "version>="}, "vcpkg.json: %s" % dependency)
    for name, feature in manifest["features"].items():
        check(set(feature) == {"description", "dependencies"}, "vcpkg.json: feature " + name)

    notes, packages = os.path.join(scratch, "notes"), os.path.join(scratch, "packages")
    for features, kind in ((["leveldb", "redis", "rocksdb"], "ON"), ([], "OFF")):
        open(notes, "w").close()
        subprocess.run(
            ["cmake", "-DNOTES=" + notes, "-DPORTFILE=" + os.path.join(port, "portfile.cmake"), "-DPORT=linefilter",
             "-DCURRENT_PACKAGES_DIR=" + packages, "-DFEATURES=" + ";".join(features), "-P",
             os.path.join(ROOT, "tests", "packaging", "vcpkg_functions.cmake")], check=True, stdout=subprocess.DEVNULL)
        with open(notes) as file:
            told = [line.split(";", 1) for line in file.read().splitlines()]
        check({v for k, v in told if k == "feature"} == set(manifest["features"]), "portfile and vcpkg.json differ in features")
        check(all(os.path.exists(v) for k, v in told if k == "file"), "portfile names a file that is not there")
        check(os.path.exists(os.path.join(packages, "share", "linefilter", "usage")), "portfile leaves no usage")
        check(("config", "lib/cmake/linefilter") in map(tuple, told), "portfile has another place for linefilterConfig.cmake")
        source = dict(told)["source"]
        check(os.path.samefile(source, ROOT), "portfile has other sources: " + source)
        targets = configure(source, [v for k, v in told if k == "option"] + ["-DBUILD_SHARED_LIBS=" + kind],
                            os.path.join(scratch, "vcpkg" + kind))
        for engine in ("leveldb", "redis", "rocksdb"):
            check(("linefilter_%s:" % engine in targets) == (engine in features), "feature %s is not as asked" % engine)
        check(("linefilter_shared:" in targets) == (kind == "ON"), "the triplet's kind of library is not built")


class Anything:
    """Of Conan: whatever is done with it, it bears."""

    def __getattr__(self, name):
        return self.__dict__.setdefault(name, Anything())

    def __setitem__(self, name, value):
        self.__dict__[name] = value

    def __getitem__(self, name):
        return self.__dict__.setdefault(name, Anything())

    def __call__(self, *arguments, **options):
        return None


class CMakeToolchain:
    made = None

    def __init__(self, recipe):
        self.cache_variables = {}
        CMakeToolchain.made = self

    def generate(self):
        pass


class CMakeDeps:
    """Writes what find_package finds of Highway, by the names that it is told; no other dependency has a package here."""

    folder = None

    def __init__(self, recipe):
        self.properties = {}

    def set_property(self, dependency, name, value):
        self.properties[dependency, name] = value

    def generate(self):
        name = self.properties.pop(("highway", "cmake_file_name"), "highway")
        target = self.properties.pop(("highway::hwy", "cmake_target_name"), "highway::hwy")
        check(not self.properties, "conanfile.py sets properties that nobody knows: %s" % self.properties)
        os.makedirs(CMakeDeps.folder)
        with open(os.path.join(CMakeDeps.folder, name + "-config.cmake"), "w") as file:
            file.write("add_library(%s INTERFACE IMPORTED)\n" % target)
        with open(os.path.join(CMakeDeps.folder, name + "-config-version.cmake"), "w") as file:
            file.write("set(PACKAGE_VERSION 1.2.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")


def copy(recipe, pattern, source, to):
    for folder, _, files in os.walk(source):
        if folder.startswith(os.path.join(source, "build")) or "/.git" in folder:
            continue
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), source)
            if fnmatch.fnmatch(path, pattern):
                os.makedirs(os.path.dirname(os.path.join(to, path)), exist_ok=True)
                shutil.copy(os.path.join(source, path), os.path.join(to, path))


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def check_conan(scratch):
    folder = os.path.join(ROOT, "packaging", "conan")
    nothing = lambda *arguments, **options: None
    stand_in("conan", ConanFile=object)
    stand_in("conan.tools")
    stand_in("conan.tools.build", check_min_cppstd=nothing, can_run=nothing)
    stand_in("conan.tools.cmake", CMake=lambda recipe: Anything(), CMakeDeps=CMakeDeps,
             CMakeToolchain=CMakeToolchain, cmake_layout=nothing)
    stand_in("conan.tools.files", copy=copy)
    runpy.run_path(os.path.join(folder, "test_package", "conanfile.py"))
    recipe = runpy.run_path(os.path.join(folder, "conanfile.py"))["LinefilterConan"]()
    check(recipe.version == project_version(), "conanfile.py has another version than CMakeLists.txt")
    required = []
    CMakeDeps.folder = os.path.join(scratch, "conan-dependencies")
    recipe.recipe_folder = folder
    recipe.export_sources_folder = recipe.source_folder = os.path.join(scratch, "conan")
    recipe.package_folder = os.path.join(scratch, "conan-package")
    recipe.cpp_info = Anything()
    recipe.cpp_info.components = Anything()
    recipe.requires = lambda name, **options: required.append(name.split("/")[0])
    recipe.options = types.SimpleNamespace(shared=False, with_leveldb=True, with_rocksdb=False, with_redis=True,
                                           get_safe=lambda name: name in ("with_leveldb", "with_redis"))
    for method in ("export_sources", "validate", "requirements", "layout", "generate", "package", "package_info"):
        getattr(recipe, method)()
    check(required == ["highway", "xxhash", "leveldb", "hiredis", "openssl"], "conanfile.py requires %s" % required)
    check(os.path.exists(os.path.join(recipe.package_folder, "licenses", "LICENSE")), "conanfile.py packages no licence")
    check(recipe.cpp_info.components["leveldb"].libs == ["linefilter_leveldb"], "conanfile.py: component leveldb")
    check(recipe.cpp_info.components["redis"].requires == ["core", "hiredis::hiredis", "openssl::ssl", "openssl::crypto"], "conanfile.py: component redis")
    variables = CMakeToolchain.made.cache_variables
    # Highway must be what CMakeDeps wrote, not that of this machine.
    build = os.path.join(scratch, "conan-build")
    targets = configure(recipe.source_folder,
                        ["-D%s=%s" % (k, "ON" if v else "OFF") for k, v in variables.items()] +
                        ["-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_PREFIX_PATH=" + CMakeDeps.folder, "-DPKG_CONFIG_EXECUTABLE=/bin/false"],
                        build)
    with open(os.path.join(build, "CMakeCache.txt")) as file:
        check("hwy_DIR:PATH=%s\n" % CMakeDeps.folder in file.read(), "CMake does not find the Highway that conanfile.py requires")
    check("linefilter_leveldb:" in targets and "linefilter_redis:" in targets and "linefilter_rocksdb:" not in targets, "adapters are not as asked")


with tempfile.TemporaryDirectory() as scratch:
    check_vcpkg(scratch)
    check_conan(scratch)
print("packaging: recipes of vcpkg and Conan are good, as far as can be told without these tools")
