"""A secret is in no text: neither of an exception, whatever argument was wrong, nor of repr()."""

import inspect
import itertools
import traceback

import numpy as np
import pytest

import linefilter
from conftest import SECRET

IMAGE = linefilter.build(["key"], fpr=0.01, secret=SECRET).to_bytes()
PLAIN = linefilter.build(["key"], fpr=0.01).to_bytes()
WRONG = [None, "text", "\ud800", "blocked\0x", b"blocked", 1.5, -1, 2**64, 10**400, [1], {}, object(), str, np.arange(3), np.float64(2),
         float("nan"), 1j]  # fmt: skip


def calls(tmp_path):
    """Everything that takes a secret, with arguments that are right."""
    path = tmp_path / "image"
    path.write_bytes(IMAGE)
    many = {"fpr": 0.01, "secret": SECRET}
    yield linefilter.build, {"keys": [1], **many}
    yield linefilter.FilterBuilder, many
    for kind in (linefilter.BlockedFilter, linefilter.SplitBlockFilter, linefilter.ClassicFilter):
        yield kind, {"num_keys": 100, **many}
        yield kind.from_bytes, {"image": kind(100, **many).to_bytes(), "secret": SECRET}
    yield linefilter.FilterView, {"image": IMAGE, "verify": "whole", "secret": SECRET}
    yield linefilter.FilterView.from_bytes, {"image": IMAGE, "secret": SECRET}
    yield linefilter.FilterFile, {"path": path, "secret": SECRET}
    yield linefilter.FilterFile, {"path": path, "load": True, "secret": SECRET}
    yield linefilter.hash_key, {"key": 1, "secret": SECRET}
    yield linefilter.hash_keys, {"keys": [1], "secret": SECRET}
    yield linefilter.hash_keys, {"keys": np.arange(3), "secret": SECRET}


def shown(secret):
    """Some of it, as texts may show it."""
    return [repr(secret)[2:-1][:16], secret.hex()[:8], str(list(secret))[1:12]]


def test_no_exception_shows_a_secret(tmp_path):
    refused = 0
    for call, right in calls(tmp_path):
        assert SECRET.hex() not in repr(call(**right))
        names = [name for name in inspect.signature(call).parameters if name != "secret"]
        for name, wrong in itertools.product(names, WRONG):
            try:
                call(**{**right, name: wrong})
            except Exception as error:
                refused += 1
                text = "".join(traceback.format_exception(type(error), error, None))
                assert not any(part in text for part in shown(SECRET)), f"{call.__qualname__}({name}={wrong!r}): {text}"
    assert refused > 500


def test_no_exception_shows_a_wrong_secret(tmp_path):
    secrets = [bytes(range(100, 116)), bytes(range(100, 115)), bytearray(range(100, 117)), np.arange(100, 120), list(range(100, 116))]
    for call, right in calls(tmp_path):
        for secret in secrets:
            wrong = {**right, "secret": secret}
            for given in (wrong, {**wrong, "image": PLAIN} if "image" in right else wrong):
                try:
                    call(**given)
                except Exception as error:
                    assert not any(part in str(error) for part in shown(bytes(bytearray(range(100, 116))))), str(error)


@pytest.mark.parametrize("wrong", [b"blocked", "blocked\0x", "\ud800", None, 5, linefilter.BlockedFilter])
def test_a_layout_is_its_name(wrong):
    for call in (lambda: linefilter.build([1], fpr=0.01, layout=wrong), lambda: linefilter.plan(5, fpr=0.01, layout=wrong),
                 lambda: linefilter.max_keys(500, fpr=0.01, layout=wrong)):  # fmt: skip
        with pytest.raises(ValueError if isinstance(wrong, str) else TypeError):
            call()
