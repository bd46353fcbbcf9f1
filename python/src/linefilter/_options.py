"""What a filter should be: the arguments that build, FilterBuilder, the mutable filters share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Optional, SupportsIndex, get_args

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import Number, as_count, as_float, as_uint

if TYPE_CHECKING:
    from ._filter_base import FilterBase

Layout = Literal["auto", "blocked", "classic", "retrieval", "split_block", "quotient"]
Verify = Literal["auto", "whole", "lazy", "trusted"]
VerifyBytes = Literal["whole", "trusted"]  # a view of bytes has no memory for the marks of "lazy"
NO_LIMIT = 2**64 - 1


def verify_mode(verify: str, modes: tuple[str, ...] = get_args(Verify)) -> int:
    """The value of linefilter::VerifyMode, of which `modes` fit."""
    if not isinstance(verify, str) or verify not in modes:
        names = ", ".join(f'"{mode}"' for mode in modes)
        raise InvalidArgumentError(f"{verify!r} is no way to verify: take one of {names}")
    return get_args(Verify).index(verify)


def limit(memory_limit: Optional[Number]) -> int:
    return NO_LIMIT if memory_limit is None else as_count(memory_limit, "memory_limit")


def or_zero(value: Optional[float], what: str) -> float:
    """To the library 0 says that it is not given; here None does."""
    number = 0.0 if value is None else as_float(value, what)
    if value is not None and number == 0:
        raise InvalidArgumentError(f"{what} must be above 0: give bits_per_key or fpr, and leave out the other one")
    return number


def make_options(
    bits_per_key: Optional[float],
    fpr: Optional[float],
    layout: str,
    num_probes: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    secret: Optional[bytes] = None,
    caller_hashes: bool = False,
    memory_limit: Optional[Number] = None,
    threads: SupportsIndex = 1,
    foldable: bool = False,
    like: Optional[FilterBase] = None,
    num_keys: Optional[Number] = None,
    parquet_hash: bool = False,
    removable: bool = False,
    turnovers: SupportsIndex = 0,
) -> _linefilter.Options:
    if like is not None:
        from ._filter_base import FilterBase  # which imports this module

        if not isinstance(like, FilterBase):
            raise TypeError(f"like is a filter or a view of one, not {type(like).__name__}")
        set_if_true = (num_probes, seed, caller_hashes, foldable, parquet_hash, removable, turnovers)
        given = (bits_per_key, fpr, secret, num_keys)
        if any(set_if_true) or any(argument is not None for argument in given):
            raise InvalidArgumentError("like is the whole size, with the hash: leave out the rest but threads and memory_limit")
        if layout not in ("auto", like.layout):
            raise InvalidArgumentError(f"like is a filter of layout {like.layout}, and this one is {layout}")
        return _linefilter.Options.same_size_as(like._core, limit(memory_limit), as_uint(threads, "threads", 4096))
    if secret is not None and caller_hashes:
        raise InvalidArgumentError(
            "a secret is for keys that linefilter hashes, and caller_hashes says that you hash them: drop one"
        )
    if parquet_hash and (secret is not None or caller_hashes):
        raise InvalidArgumentError("parquet_hash is a hash without a secret, which is not your own: drop one")
    if num_keys is not None and as_count(num_keys, "num_keys") == 0:
        raise InvalidArgumentError("num_keys must be above 0: give the number that may come, or leave it out")
    return _linefilter.Options(
        bits_per_key=or_zero(bits_per_key, "bits_per_key"),
        fpr=or_zero(fpr, "fpr"),
        layout=layout,
        num_probes=as_uint(num_probes, "num_probes", 255),
        seed=as_uint(seed, "seed"),
        secret=secret,
        caller_hashes=bool(caller_hashes),
        memory_limit=limit(memory_limit),
        threads=as_uint(threads, "threads", 4096),
        foldable=bool(foldable),
        num_keys=0 if num_keys is None else as_count(num_keys, "num_keys"),
        parquet_hash=bool(parquet_hash),
        removable=bool(removable),
        turnovers=as_uint(turnovers, "turnovers", 2**32 - 1),
    )
