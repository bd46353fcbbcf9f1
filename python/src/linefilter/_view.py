"""FilterView and FilterFile: filters in bytes that exist already."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple, Optional, TypeVar, Union, cast, final, get_args

from . import _linefilter
from ._errors import InvalidArgumentError, LinefilterError, error_of
from ._filter_base import Closable, FilterBase, Imaged
from ._keys import Bytes, Number, Path, as_path
from ._options import Verify, VerifyBytes, limit, verify_mode

Self = TypeVar("Self", bound="FilterView")


class ViewStage(NamedTuple):
    """One of the filters of which a "container" consists.

    num_blocks: of 64 bytes. num_keys: counted in it, None if the image does not say. layout: "blocked", no other so far.
    num_probes: bits per key.
    """

    num_blocks: int
    num_keys: Optional[int]
    layout: str
    num_probes: int


def maybe_if(broken: str) -> bool:
    if not isinstance(broken, str) or broken not in ("raise", "maybe"):
        raise InvalidArgumentError(f'broken is "raise" or "maybe", not {broken!r}')
    return broken == "maybe"


class FilterView(FilterBase, Imaged, Closable):
    """A filter in the bytes of an image, read where they lie: nothing is copied, whatever the address.

    The buffer must be contiguous (else BufferError or ValueError) and must not change. It is held as long as the view, a
    copy of it or a memoryview `image` lives: until then Python refuses to close the mmap or the shared memory, to resize
    the bytearray, to release the memoryview (BufferError). close(), or the end of a `with`, gives it back, when calls in
    other threads have returned.

    verify="whole" verifies all of the image, at about 0.1 s per GB. verify="trusted" verifies the trailer, and a body of up to
    4 KiB: give it only where something else vouches for the bytes, because a damaged body may answer False for a member. What
    is broken raises CorruptError or UnsupportedError. Where a filter must never stop a program, broken="maybe" makes a view
    that answers True to all instead, and `error` has the reason.

    Blocks at an address that is no multiple of 64 lie across two cache lines; those of a mapped file, of from_bytes() and of
    build() do not, those of a bytes object do.

    Copies share the bytes. Pickles hold the image, and are a view of bytes of their own when they are loaded; a view with a
    secret refuses, because the pickle would have to hold the secret.
    """

    __slots__ = ()
    _core: _linefilter.Image

    def __init__(
        self,
        image: Bytes,
        *,
        verify: VerifyBytes,
        secret: Optional[bytes] = None,
        broken: str = "raise",
    ) -> None:
        """Opens an image.

        Args:
            image: a buffer that ends where the image ends.
            verify: "whole", or "trusted". It has no default, so that nobody trusts bytes unaware.
            secret: of an image that was made with one. Without it, with another one, or with one that the image does not
                need: IncompatibleError.
            broken: "raise", or "maybe": answer True to all.
        """
        self._core = _linefilter.Image.over(image, verify_mode(verify, get_args(VerifyBytes)), secret, maybe_if(broken))

    @staticmethod
    def from_bytes(image: Bytes, *, secret: Optional[bytes] = None) -> FilterView:
        """A filter of a copy of the image, verified, with its blocks on cache lines."""
        return FilterView._of(_linefilter.Image.copy(image, secret))

    def verify(self) -> None:
        """CorruptError if the body does not match its checks. Reads the whole image, about 0.1 s per GB. An answer False
        of a damaged body that was opened as "trusted" may be wrong: do not use a view that fails here."""
        self._core.verify()

    def advise_huge_pages(self) -> None:
        """Joins the pages of the body to huge pages where they lie: for a large image in memory that was allocated without them,
        as by recv() or read(). At 512 MB contains_many() of hashes then takes 1.15 times as long as with FilterFile(load=True),
        and 1.8 times before. No byte changes; other threads may ask meanwhile. It takes 0.3 to 2.5 s per GB.

        A body without a whole huge page, of 2 MiB, is left as it is. OutOfMemoryError: not all could be made now; call it again
        later. IoError: the system makes none of this memory, and the message says what to do. (Load a file that is mapped.)
        """
        self._core.advise_huge_pages()

    @property
    def error(self) -> Optional[LinefilterError]:
        """None, or why the view, opened with broken="maybe", answers True to all. In a file that is verified lazily it is the
        first damage that was found: the view answers True to the keys of that part."""
        error = self._core.error()
        return None if error is None else error_of(*error)

    @property
    def num_keys(self) -> Optional[int]:
        """How many keys it was sized for, if the image says so: those that a FilterBuilder counted, or its num_keys."""
        return self._core.num_keys()

    @property
    def stages(self) -> list[ViewStage]:
        """What each stage of a "container" is, the oldest first; empty for every other layout, and for the empty set."""
        return [ViewStage(*facts) for facts in self._core.stages()]

    @property
    def image(self) -> memoryview:
        """The bytes of the image, read-only and not copied: for write(), send(), hashlib. It keeps them alive. Of a broken
        image there are none: what `error` has is raised, as by to_bytes() and save()."""
        error = self.error
        if error is not None:
            raise error
        return memoryview(cast(Any, self._core))

    def __copy__(self: Self) -> Self:
        return self._of(self._core)

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._refuse_to_pickle_a_secret()
        image = pickle.PickleBuffer(self.image) if protocol >= 5 else self.to_bytes()
        return FilterView.from_bytes, (image,)

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.closed:
            return f"<{name}: closed>"
        damaged = self._core.error() is not None
        if damaged and self.layout == "auto":
            return f'<{name}: broken, answers "maybe">'
        part = ", a part is damaged" if damaged else ""
        return f"<{name}: {self.layout}, {self.image_bytes} bytes, {self.hash_id} hashes{part}>"


@final
class FilterFile(FilterView):
    """A filter in a file, mapped or loaded.

    >>> with FilterFile("users.filter") as users:  # doctest: +SKIP
    ...     "bob@example.org" in users
    """

    __slots__ = ("_path",)

    def __init__(
        self,
        path: Path,
        *,
        verify: Verify = "auto",
        load: bool = False,
        random: bool = False,
        secret: Optional[bytes] = None,
        memory_limit: Optional[Number] = None,
        broken: str = "raise",
    ) -> None:
        """Opens a file.

        By default it is mapped: nothing is copied, and processes share the pages. A file that is mapped must not shrink, or the
        process is killed (SIGBUS): replace files by renaming, as save() does, and load where others may cut them short.

        Args:
            path: the file.
            verify: when the body of a file that is mapped is verified. "whole": when it is opened, at about 0.1 s per GB.
                "lazy": each 64 KiB before the first answer False that comes from it; in a damaged part all answers are True,
                and `error` tells. "trusted": never. "auto" is "whole" up to 64 MiB, and "lazy" above.
            load: read it into memory with huge pages, and verify all of it on the way; lookups are 1.2 to 1.5 times faster
                from half a GB up, unless the file system has huge pages, too.
            random: of a file that is mapped: pages come when asked for, without read-ahead: for one larger than memory.
            secret, broken: as of FilterView. A file that cannot be read always raises (IoError, which is an OSError).
            memory_limit: with load: the most bytes that it may take.
        """
        name = as_path(path)
        mode = verify_mode(verify)
        if load and verify != "auto":
            raise InvalidArgumentError("verify is of a file that is mapped, and load verifies it all: drop one")
        if load and random:
            raise InvalidArgumentError("random is of a file that is mapped, and load reads it all: drop one")
        if memory_limit is not None and not load:
            raise InvalidArgumentError("memory_limit is of load: a file that is mapped takes no memory of its own")
        self._core = _linefilter.Image.open(
            name, mode, bool(load), bool(random), limit(memory_limit), secret, maybe_if(broken)
        )
        self._path = path

    @property
    def path(self) -> Path:
        """The file's name, as it was given."""
        return self._path

    def __copy__(self: FileSelf) -> FileSelf:
        made = self._of(self._core)
        made._path = self._path
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a file is not pickled: send its path and open it there, or send to_bytes()")

    def __repr__(self) -> str:
        return super().__repr__()[:-1] + f", {self._path!r}>"


FileSelf = TypeVar("FileSelf", bound=FilterFile)


def verify_image(image: Union[Bytes, FilterView]) -> None:
    """Everything that can be verified of an image without its secret: for who keeps or carries images of others. Raises
    CorruptError or UnsupportedError."""
    _linefilter.verify_image(image.image if isinstance(image, FilterView) else image)
