"""The package as others make and install it: source distribution, wheel from it, and tests with what was installed.

LINEFILTER_ARCHIVE and LINEFILTER_REDIS_ARCHIVE, in the environment: liblinefilter.a and liblinefilter_redis.a of this tree, which
saves minutes of compiling.
"""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

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


def files_in(folder, *kinds):
    """What each file holds, by its name."""
    return {path.relative_to(folder): path.read_bytes() for kind in kinds for path in folder.rglob(kind) if path.is_file()}


def test_the_readmes_line_makes_a_wheel_that_works_of_a_source_distribution(tmp_path):
    """The line as it stands there, in a folder whose name has a space. Compiled once: all sources are the tree's, and that CMake
    finds them there, too, is tried without."""
    run("-m", "build", "--sdist", "--no-isolation", "-o", tmp_path, HERE.parent, cwd=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    tree = tmp_path / "a tree"
    with tarfile.open(archive) as file:
        file.extractall(tree)
    sources = (tree / f"linefilter-{linefilter.__version__}").rename(tree / "python")
    for part in ("include", "lib", "cmake"):
        assert files_in(ROOT / part, "*") == files_in(sources / "core" / part, "*") != {}
    kinds = ("*.cc", "*.h", "*.map", "*.py", "*.pyi", "py.typed")
    assert files_in(HERE.parent / "src", *kinds) == files_in(sources / "src", *kinds) != {}
    assert not (sources / "core" / "tests").exists()
    subprocess.run(["cmake", "-S", HERE.parent, "-B", tmp_path / "generated", f"-DPython_EXECUTABLE={sys.executable}"],
                   check=True, capture_output=True)  # fmt: skip

    (line,) = re.findall(r"^`(pip wheel [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    run("-m", *shlex.split(line), cwd=tree, CMAKE_ARGS=quickly())
    (wheel,) = tree.glob("linefilter-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "linefilter/py.typed" in names and "linefilter/_linefilter.pyi" in names
    assert not any(name.endswith((".cc", ".h")) or "/tests/" in name for name in names)
    installed = tmp_path / "installed"
    run("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", installed, wheel, cwd=tmp_path)
    # What may go wrong in installing: a file is missing, something is not linked, bytes differ. Test `python` has all the rest.
    tests = [HERE / f"test_{name}.py" for name in ("docs", "interop", "redis", "secret")]
    told = run("-m", "pytest", "-q", "-c", HERE.parent / "pyproject.toml", *tests, cwd=tmp_path, PYTHONPATH=str(installed))
    has_redis = SERVER is not None and hasattr(linefilter._linefilter, "Redis")
    assert " passed" in told and ("skipped" not in told or not has_redis)
    assert str(installed) in run("-c", "import linefilter; print(linefilter.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))


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
