"""What a filter should be: the arguments that build, FilterBuilder, BlockedFilter and ClassicFilter share."""

from __future__ import annotations

from typing import Literal, Optional

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import as_uint

Layout = Literal["auto", "blocked", "classic", "retrieval"]
NO_LIMIT = 2**64 - 1


def limit(memory_limit: Optional[int]) -> int:
    return NO_LIMIT if memory_limit is None else as_uint(memory_limit, "memory_limit")


def make_options(
    *,
    bits_per_key: Optional[float],
    fpr: Optional[float],
    layout: str,
    num_probes: int,
    seed: int,
    secret: Optional[bytes],
    caller_hashes: bool,
    memory_limit: Optional[int],
    threads: int = 1,
) -> _linefilter.Options:
    if secret is not None and caller_hashes:
        raise InvalidArgumentError(
            "a secret is for keys that linefilter hashes, and caller_hashes says that you hash them: drop one"
        )
    return _linefilter.Options(
        bits_per_key=0 if bits_per_key is None else float(bits_per_key),
        fpr=0 if fpr is None else float(fpr),
        layout=layout,
        num_probes=as_uint(num_probes, "num_probes", 255),
        seed=as_uint(seed, "seed"),
        secret=secret,
        caller_hashes=bool(caller_hashes),
        memory_limit=limit(memory_limit),
        threads=as_uint(threads, "threads", 4096),
    )
