"""A forked child that calls something, and how it ends."""

import os
import signal
import time

import pytest

import linefilter

WORKS, RAISES, FAILS = 0, 7, 9  # how a child ends


def fork(question):
    """How a child ends that calls question(): one of the three. Fails the test if it hangs."""
    child = os.fork()
    if child == 0:
        code = FAILS
        try:
            signal.alarm(60)  # should the parent be gone
            question()
            code = WORKS
        except linefilter.InvalidArgumentError as error:
            code = RAISES if "when the process was forked" in str(error) else FAILS
        finally:
            os._exit(code)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid != 0:
            assert os.WIFEXITED(status), f"the child was ended by signal {os.WTERMSIG(status)}"
            return os.WEXITSTATUS(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
