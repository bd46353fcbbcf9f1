"""The exceptions: one family, each of it a built-in exception too where there is one that says the same."""

from __future__ import annotations

import re
from typing import Any


class LinefilterError(Exception):
    """What linefilter could not do. The text tells what was wrong, where, and what to do; `code` names the kind."""

    code: str = "unknown"

    def __str__(self) -> str:
        # OSError would show its number and the name of its file, which stand in the text.
        return str(self.args[-1]) if self.args else ""

    def __reduce__(self) -> Any:
        return error_of, (self.code, str(self), getattr(self, "errno", None) or 0)


class InvalidArgumentError(LinefilterError, ValueError):
    """A request that makes no sense. Nothing was done."""

    code = "invalid_argument"


class CorruptError(LinefilterError, ValueError):
    """An image that is truncated or damaged."""

    code = "corrupt"


class UnsupportedError(LinefilterError, ValueError):
    """An image of a later version of linefilter, or of another kind; or something that no layout can do."""

    code = "unsupported"


class IncompatibleError(LinefilterError, ValueError):
    """Two filters, or a filter and a call or a secret, that do not fit together."""

    code = "incompatible"


class OutOfMemoryError(LinefilterError, MemoryError):
    """An allocation failed."""

    code = "out_of_memory"


class OverLimitError(LinefilterError, MemoryError):
    """More memory would be needed than `memory_limit` allows."""

    code = "over_limit"


class IoError(LinefilterError, OSError):
    """The operating system refused. `errno` says why where it is known, and the exception is then also a
    FileNotFoundError, PermissionError and so on."""

    code = "io_error"


class NotFoundError(LinefilterError, LookupError):
    """Nothing of that name is there."""

    code = "not_found"


class UnavailableError(LinefilterError, ConnectionError):
    """A server does not answer, or not now; asked again later, it may."""

    code = "unavailable"


_KINDS = {kind.code: kind for kind in LinefilterError.__subclasses__()}
_io_kinds: dict[type[OSError], type[IoError]] = {OSError: IoError}


# The library names its own fields, of which some are called otherwise here: times are in seconds.
_PHRASES = {
    "Deadlines::reply_ms and connect_ms are at least 1:": "Deadlines.reply and connect are at least 0.001:",
    "Deadlines::request_ms is at least 1": "Deadlines.request is at least 0.001",
    "RedisFilter::Within": "RedisFilter.within",
    "RedisServers::wait_replicas, wait_ms": "RedisServers.wait_replicas, wait",
    "smaller shards (RedisLayout)": "smaller shards (shard_bytes)",
    "or set replica_reads for lookups": "or set RedisServers.replica_reads for lookups",
    "make it with options for Parquet, or set hash_id": "make it by linefilter.parquet.create, or with parquet_hash=True",
    "make it with options for Parquet": "make it by linefilter.parquet.create",
    " (of a swappable filter write what a lease has)": "",
    "ParquetBytesNeeded": "linefilter.parquet.bytes_needed",
}
_FIELD = re.compile(
    r"\b(RedisServers|Deadlines)::(addresses|user|password|database|tls_ca|tls_certificate|tls_key|tls_server_name|tls|deadlines"
    r"|replica_reads|wait_replicas|wait|request|admin|connect|reply)(_ms)?\b"
)


def in_python(message: str) -> str:
    for there, here in _PHRASES.items():
        message = message.replace(there, here)
    return _FIELD.sub(r"\1.\2", message)


def error_of(code: str, message: str, number: int = 0) -> LinefilterError:
    """The exception for a status of the library; `number`: errno, 0 where it is not known."""
    kind = _KINDS.get(code, LinefilterError)
    message = in_python(message)
    if kind is not IoError or number == 0:
        return kind(message)
    plain = type(OSError(number, message))  # Python's own choice: FileNotFoundError, ...
    if plain not in _io_kinds:
        _io_kinds[plain] = type(plain.__name__, (IoError, plain), {"__doc__": plain.__doc__})
    return _io_kinds[plain](number, message)
