"""The package as others make and install it: source distribution, wheel from it, and the tests with what was installed.

LINEFILTER_ARCHIVE and LINEFILTER_REDIS_ARCHIVE, in the environment: liblinefilter.a and liblinefilter_redis.a of this tree, which
saves minutes of compiling.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import linefilter
from conftest import ROOT
from redis_server import SERVER

HERE = Path(__file__).resolve().parent


def run(*command, cwd, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def quickly():
    """CMAKE_ARGS that link the library that the environment names, if it does. Nothing is optimized: only the result counts."""
    names = [name for name in ("LINEFILTER_ARCHIVE", "LINEFILTER_REDIS_ARCHIVE") if os.environ.get(name)]
    return " ".join(shlex.quote(f"-D{name}={os.environ[name]}") for name in names) + " -DCMAKE_CXX_FLAGS_RELEASE=-O0"


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A source distribution, unpacked where nothing else of this tree is."""
    folder = tmp_path_factory.mktemp("sdist")
    run("-m", "build", "--sdist", "--no-isolation", "-o", folder, HERE.parent, cwd=folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder)
    return folder / f"linefilter-{linefilter.__version__}"


def test_the_source_distribution_is_whole(sources):
    for part in ("include", "lib", "cmake"):
        here = {path.relative_to(ROOT) for path in (ROOT / part).rglob("*") if path.is_file()}
        there = {path.relative_to(sources / "core") for path in (sources / "core" / part).rglob("*") if path.is_file()}
        assert here == there and here
    for kind in ("*.cc", "*.h", "*.map", "linefilter/*.py", "linefilter/*.pyi", "linefilter/py.typed"):
        here = {path.relative_to(HERE.parent) for path in (HERE.parent / "src").glob(kind)}
        assert here == {path.relative_to(sources) for path in (sources / "src").glob(kind)} and here
    assert not (sources / "core" / "tests").exists()
    # Everything that CMake asks for is there: the library and the extension can be generated.
    subprocess.run(["cmake", "-S", sources, "-B", sources.parent / "generated", f"-DPython_EXECUTABLE={sys.executable}",
                    f"-DLINEFILTER_ROOT={sources / 'core'}"], check=True, capture_output=True)  # fmt: skip


def test_a_wheel_of_it_passes_the_tests(sources, tmp_path):
    run("-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, sources, cwd=tmp_path, CMAKE_ARGS=quickly())
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "linefilter/py.typed" in names and "linefilter/_linefilter.pyi" in names
    assert not any(name.endswith((".cc", ".h")) or "/tests/" in name for name in names)
    installed = tmp_path / "installed"
    run("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", installed, wheel, cwd=tmp_path)
    told = run("-m", "pytest", "-q", "-c", HERE.parent / "pyproject.toml", HERE, cwd=tmp_path, PYTHONPATH=str(installed))
    has_redis = SERVER is not None and hasattr(linefilter._linefilter, "Redis")
    assert " passed" in told and ("skipped" not in told or not has_redis)
    assert str(installed) in run("-c", "import linefilter; print(linefilter.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))


def test_the_readmes_line_makes_a_wheel(tmp_path):
    """As it stands there, in a copy of the tree: what setuptools leaves in it goes with it. Its folder's name has a space."""
    (line,) = re.findall(r"^`(pip wheel [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    tree = tmp_path / "a tree"
    for part in ("python", "include", "lib", "cmake"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    for part in ("CMakeLists.txt", "LICENSE"):
        shutil.copy2(ROOT / part, tree)
    run("-m", *shlex.split(line), cwd=tree, CMAKE_ARGS=quickly())
    (wheel,) = tree.glob("linefilter-*.whl")
    assert any(name.startswith("linefilter/_linefilter.") and name.endswith(".so") for name in zipfile.ZipFile(wheel).namelist())


ANOTHER_MODULE = """
#include <pybind11/pybind11.h>
#include "linefilter/options.h"
PYBIND11_MODULE(another, module) {
  pybind11::class_<linefilter::FilterOptions>(module, "MyOptions").def(pybind11::init<>());
}
"""


def test_another_module_may_bind_the_librarys_types(tmp_path):
    """pybind11 shares what modules bind, and refuses a type that is bound twice, unless it is said to be local."""
    source = tmp_path / "another.cc"
    source.write_text(ANOTHER_MODULE, encoding="utf-8")
    subprocess.run(["c++", "-std=c++17", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{sysconfig.get_paths()['include']}",
                    f"-I{ROOT / 'include'}", source, "-o", tmp_path / "another.so"], check=True)  # fmt: skip
    path = os.pathsep.join([str(tmp_path), str(Path(linefilter.__file__).parents[1])])
    for order in ("another, linefilter", "linefilter, another"):
        run("-c", f"import {order}; another.MyOptions(); linefilter.build([1], fpr=0.01)", cwd=tmp_path, PYTHONPATH=path)


def test_nothing_of_the_library_is_exported():
    extension = next(Path(linefilter.__file__).parent.glob("_linefilter*.so"))
    symbols = subprocess.run(["nm", "-D", "--defined-only", extension], check=True, capture_output=True, text=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["PyInit__linefilter"]
