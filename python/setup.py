"""Builds the extension with CMake, and source distributions that hold the library's sources too.

CMAKE_ARGS in the environment is handed on, split as a shell splits words. With CMAKE_ARGS=-DLINEFILTER_ARCHIVE=.../liblinefilter.a
a library that was built before is linked; around a path with a space belong quotes, as shlex.quote makes them.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# A source distribution has the library in a folder of its own; the repository has it around this one.
CORE = HERE / "core"
ROOT = CORE if CORE.is_dir() else HERE.parent
PARTS = ["CMakeLists.txt", "LICENSE", "cmake", "include", "lib", "tools"]


def version():
    return re.search(r"project\(linefilter VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class BuildExtension(build_ext):
    def build_extension(self, ext):
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        folder = Path(self.build_temp).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "CMAKE_BUILD_TYPE": "Release",
            "LINEFILTER_ROOT": ROOT,
            "Python_EXECUTABLE": sys.executable,
            "CMAKE_INSTALL_PREFIX": target.parent,
        }
        where = subprocess.run([sys.executable, "-m", "pybind11", "--cmakedir"], capture_output=True, text=True)
        if where.returncode == 0:  # of this Python; else CMake looks for the system's
            settings["pybind11_DIR"] = where.stdout.strip()
        configure = ["cmake", "-S", str(HERE), "-B", str(folder), *(f"-D{name}={value}" for name, value in settings.items())]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        subprocess.run([*configure, *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        jobs = ["--parallel", str(self.parallel or os.cpu_count() or 1)]
        subprocess.run(["cmake", "--build", str(folder), "--target", "_linefilter", *jobs], check=True)
        subprocess.run(["cmake", "--install", str(folder), "--strip", "--component", "python"], check=True)


class SourceDistribution(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            to = Path(base_dir, "core", part)
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, to, dirs_exist_ok=True)
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / part, to)
        shutil.copy2(ROOT / "LICENSE", base_dir)


setup(
    version=version(),
    ext_modules=[Extension("linefilter._linefilter", [])],
    cmdclass={"build_ext": BuildExtension, "sdist": SourceDistribution},
)
