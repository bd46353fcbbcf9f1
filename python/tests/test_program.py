"""`python -m linefilter` is the program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import linefilter

PACKAGE = Path(linefilter.__file__).parent


def program(*arguments, package=PACKAGE, path=os.environ["PATH"], text=""):
    environment = dict(os.environ, PYTHONPATH=str(package.parent), PATH=str(path), PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-m", "linefilter", *arguments]
    return subprocess.run(command, env=environment, input=text, capture_output=True, text=True)


def test_the_program_and_the_package_read_each_other(tmp_path):
    if not (PACKAGE / "_program").is_file():
        pytest.skip("the package carries no program: it was built without CLI11 or nlohmann-json")
    image = tmp_path / "users.filter"
    assert program("build", "--fpr", "0.01", "--out", str(image), text="alice\nbob\n").returncode == 0
    users = linefilter.Bloom.load(image)
    assert "alice" in users and users.key_kind == "text"
    users.add("carol")
    users.save(image)
    answer = program("query", str(image), text="alice\ncarol\ndave\n")
    assert answer.returncode in (0, 1) and "carol" in answer.stdout, answer.stderr
    assert program("no-such-command").returncode == 2


def test_a_reader_that_went_away_ends_it_quietly(tmp_path):
    """As it ends the program: Python ignores SIGPIPE, and what it starts would ignore it, too."""
    if not (PACKAGE / "_program").is_file():
        pytest.skip("the package carries no program: it was built without CLI11 or nlohmann-json")
    command = [sys.executable, "-m", "linefilter", "build", "--fpr", "0.01", "--out", "-"]
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent), PYTHONDONTWRITEBYTECODE="1")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env=environment, text=True, **pipes) as running:
        running.stdout.close()
        running.stdin.write("alice\n")
        running.stdin.close()
        assert running.stderr.read() == "" and running.wait(60) == -signal.SIGPIPE


def test_without_one_of_its_own_it_takes_that_on_the_path(tmp_path):
    """The package is made of links here, but for the program."""
    (tmp_path / "linefilter").mkdir()
    for file in PACKAGE.iterdir():
        if file.name != "_program" and not file.is_dir():
            (tmp_path / "linefilter" / file.name).symlink_to(file)
    nothing = program("info", package=tmp_path / "linefilter", path=tmp_path)
    assert nothing.returncode == 2 and "on the PATH" in nothing.stderr
    (tmp_path / "linefilter.sh").write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    (tmp_path / "linefilter.sh").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "linefilter.sh").rename(tmp_path / "bin" / "linefilter")
    found = program("info", "a b", package=tmp_path / "linefilter", path=tmp_path / "bin")
    assert (found.returncode, found.stdout) == (7, "info a b\n")
