"""No undocumented public name, and every example runs."""

import doctest
import inspect
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import linefilter
import linefilter.parquet
from conftest import ROOT
from redis_server import SERVER, Server

PACKAGE = Path(linefilter.__file__).parent
GUIDE = ROOT / "doc" / "guide"
COMING_FROM = [GUIDE / "coming-from" / name for name in ("set.md", "pybloom_live.md", "rbloom.md", "pyrebloom.md")]
DOCUMENTS = [ROOT / "README.md", ROOT / "python" / "README.md", GUIDE / "python.md", GUIDE / "guard-fpr.md", GUIDE / "parquet.md",
             *COMING_FROM]  # fmt: skip


def is_public(thing):
    return getattr(linefilter, thing.__name__, None) is thing


def public_names(module=linefilter):
    for name in module.__all__:
        thing = getattr(module, name)
        if name not in ("__version__", "FIRST_READ"):
            yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, tuple):
            hidden = [base for base in thing.__mro__[1:] if base.__module__.startswith("linefilter.") and not is_public(base)]
            for member, value in [item for part in (thing, *hidden) for item in vars(part).items()]:
                if not member.startswith("_") or member == "__init__" or member == "__contains__":
                    if callable(value) or isinstance(value, (property, classmethod, staticmethod)):
                        yield f"{name}.{member}", value


def test_every_public_name_has_a_docstring():
    found = {**dict(public_names()), **dict(public_names(linefilter.parquet))}
    assert "ParquetFilterView.to_filter" in found and "hash_values" in found and "ColumnType.of_converted" in found
    assert len(found) > 80 and "FilterBase.contains_many" in found and "BlockedFilter.__init__" not in found
    undocumented = [name for name, thing in found.items() if not (inspect.getdoc(thing) or "").strip()]
    # These say what to do instead; its class has the words.
    exempt = ["FilterBase.__init__", "KeyFilter.__init__", "Question.__init__"]
    assert [name for name in undocumented if name not in exempt] == []


def test_all_is_all():
    names = {name for name, value in vars(linefilter).items() if not (name.startswith("_") or inspect.ismodule(value))}
    names.add("__version__")
    assert names == set(linefilter.__all__)
    parquet = linefilter.parquet
    names = {name for name, value in vars(parquet).items() if not (name.startswith("_") or inspect.ismodule(value))}
    assert names == set(parquet.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+", linefilter.__version__)
    assert f"project(linefilter VERSION {linefilter.__version__} " in (ROOT / "CMakeLists.txt").read_text()


def test_hints_list_the_layouts_of_the_library():
    layouts = linefilter._linefilter.layouts()
    assert typing.get_args(linefilter._options.Layout) == ("auto", *(name for name, _ in layouts))
    assert typing.get_args(linefilter._redis.MutableLayout) == ("auto",) + tuple(name for name, takes_keys in layouts if takes_keys)


def test_examples_in_docstrings():
    attempted = 0
    for name in ("_bloom", "_builder", "_filter", "_living", "_monitor", "_parquet_filters", "_parquet_hashes", "_parquet_question",
                 "_parquet_types", "_scalable", "_sizing", "_view"):  # fmt: skip
        result = doctest.testmod(sys.modules[f"linefilter.{name}"])
        assert result.failed == 0
        attempted += result.attempted
    assert attempted >= 5


def code_of_row(row):
    """The code in the second column, "here", of a table of the pages "coming from"."""
    cell = re.match(r"\|(?:[^|`]|`[^`]*`)*\| *`([^`]+)` *\|", row)
    return cell[1].replace(r"\|", "|") + "\n" if cell else ""


def blocks_of(document):
    """The blocks of a page, and the rows of tables of code behind them."""
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```$|^\|[^\n]* \| here \| [^\n]*\n((?:\|[^\n]*\n)*)", text, re.MULTILINE | re.DOTALL)
    return [block or "".join(code_of_row(row) for row in rows.splitlines()) for block, rows in found]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_in_documents(document, tmp_path):
    """The blocks of a page, one after the other, as one program in a folder of its own. Without a server of Redis, those that
    need none."""
    blocks = blocks_of(document)
    assert blocks, f"{document} has no example in Python"
    server = None
    if any("RedisFilter" in block for block in blocks):
        if SERVER is not None and hasattr(linefilter._linefilter, "Redis"):
            server = Server(tmp_path)
        else:
            blocks = [block for block in blocks if "RedisFilter" not in block]
    program = tmp_path / "example.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent), PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="random")
    if server is not None:
        environment["REDIS"] = server.address
    command = [sys.executable, "-W", "error", str(program)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    if server is not None:
        server.kill()
    assert run.returncode == 0, run.stderr


def test_a_stranger_tries_it(tmp_path):
    """tests/first_try: what somebody writes first, from the documents alone."""
    program = ROOT / "tests" / "first_try" / "data_engineer.py"
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent), PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="random")
    command = [sys.executable, "-W", "error", str(program)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
