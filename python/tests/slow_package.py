"""The package as others make and install it: source distribution, wheel from it, and tests with what was installed.

LINEFILTER_ARCHIVE, LINEFILTER_REDIS_ARCHIVE and LINEFILTER_PROGRAM, in the environment: liblinefilter.a, liblinefilter_redis.a and the
program of this tree, which saves minutes of compiling.
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
import pytest
from conftest import ROOT
from redis_server import SERVER

HERE = Path(__file__).resolve().parent


def run(*command, cwd, python=sys.executable, **environment):
    done = subprocess.run(
        [python, *map(str, command)], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def quickly():
    """CMAKE_ARGS that link the library that the environment names, if it does. Nothing is optimized: only the result counts."""
    names = ("LINEFILTER_ARCHIVE", "LINEFILTER_REDIS_ARCHIVE", "LINEFILTER_PROGRAM")
    names = [name for name in names if os.environ.get(name)]
    return " ".join(shlex.quote(f"-D{name}={os.environ[name]}") for name in names) + " -DCMAKE_CXX_FLAGS_RELEASE=-O0"


def files_in(folder, *kinds):
    """What each file holds, by its name."""
    return {path.relative_to(folder): path.read_bytes() for kind in kinds for path in folder.rglob(kind) if path.is_file()}


@pytest.mark.skipif(not os.environ.get("LINEFILTER_NIGHTLY"), reason="compiles the extension, which takes two minutes: by night")
def test_the_readmes_lines_make_and_install_a_wheel_of_a_source_distribution(tmp_path):
    """The lines as they stand there, in a folder whose name has a space; the environment is fresh. Compiled once: all sources are the
    tree's, and that CMake finds them there, too, is tried without."""
    run("-m", "build", "--sdist", "--no-isolation", "-o", tmp_path, HERE.parent, cwd=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    tree = tmp_path / "a tree"
    with tarfile.open(archive) as file:
        file.extractall(tree)
    sources = (tree / f"linefilter-{linefilter.__version__}").rename(tree / "python")
    for part in ("include", "lib", "cmake", "tools"):
        assert files_in(ROOT / part, "*") == files_in(sources / "core" / part, "*") != {}
    kinds = ("*.cc", "*.h", "*.map", "*.py", "*.pyi", "py.typed")
    assert files_in(HERE.parent / "src", *kinds) == files_in(sources / "src", *kinds) != {}
    assert not (sources / "core" / "tests").exists()
    subprocess.run(["cmake", "-S", HERE.parent, "-B", tmp_path / "generated", f"-DPython_EXECUTABLE={sys.executable}"],
                   check=True, capture_output=True)  # fmt: skip

    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    make, install = re.findall(r"^(?:/usr/bin/python3|env/bin/pip) ((?:-m venv|install) .*)$", readme, re.MULTILINE)
    assert f"env/bin/pip {install}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    run(*shlex.split(make), cwd=tree)
    python = tree / "env" / "bin" / "python"
    (line,) = re.findall(r"^`env/bin/pip (wheel [^`]*)`", readme, re.MULTILINE)
    run("-m", "pip", *shlex.split(line), cwd=tree, python=python, CMAKE_ARGS=quickly(), PYTHONPATH="")
    (wheel,) = tree.glob("linefilter-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "linefilter/py.typed" in names and "linefilter/_linefilter.pyi" in names
    assert "linefilter/_program" in names
    assert not any(name.endswith((".cc", ".h")) or "/tests/" in name for name in names)
    run("-m", "pip", *shlex.split(install), cwd=tree, python=python, CMAKE_ARGS=quickly(), PYTHONPATH="")
    # What may go wrong in installing: a file is missing, something is not linked, bytes differ. Test `python` has all the rest.
    tests = [HERE / f"test_{name}.py" for name in ("docs", "interop", "program", "redis", "secret")]
    told = run("-m", "pytest", "-q", "-c", HERE.parent / "pyproject.toml", *tests, cwd=tmp_path, python=python, PYTHONPATH="")
    has_redis = SERVER is not None and hasattr(linefilter._linefilter, "Redis")
    assert " passed" in told and ("skipped" not in told or not has_redis)
    where = run("-c", "import linefilter; print(linefilter.__file__)", cwd=tmp_path, python=python, PYTHONPATH="")
    assert where.startswith(str(tree / "env"))
    assert "build" in run("-m", "linefilter", "--help", cwd=tmp_path, python=python, PYTHONPATH="")


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
