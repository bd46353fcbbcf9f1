"""May this key be in the set? Approximate membership that touches one cache line.

    import linefilter

    users = linefilter.build(["alice@example.org", "bob@example.org"], fpr=0.01)
    "carol@example.org" in users             # False: absent, for certain
    users.contains_many(numpy_array)         # an array of True (maybe) and False (absent)
    users.save("users.filter")               # the same image for C++, C and Python
    linefilter.FilterFile("users.filter")    # mapped, not copied

    seen = linefilter.Bloom(1e6, 0.01)       # in the manner of set: add, update, in, |, len, copy, clear, load, save
    seen.update(["alice", "bob"])

Make filters by Bloom, by build or FilterBuilder (sized by the keys that come), BlockedFilter, QuotientFilter, SplitBlockFilter
or ClassicFilter (take keys for as long as they live). Read them by FilterView (bytes, mmap, shared memory) and FilterFile.
FilterBase tells what all that are asked have in common, KeyFilter what all that take keys have.
For sets that change: ScalableFilter grows with its keys, RotatingFilter forgets what is older than a window, SwappableFilter is replaced
while it is asked. For many machines: RedisFilter lies in Redis.
linefilter.parquet reads, writes and asks Bloom filters of Parquet files.
linefilter.testing holds any filter to its rate in a unit test, FprMonitor in production.
"""

from ._bloom import Bloom
from ._builder import FilterBuilder, build
from ._errors import (
    CorruptError,
    IncompatibleError,
    InvalidArgumentError,
    IoError,
    LinefilterError,
    NotFoundError,
    OutOfMemoryError,
    OverLimitError,
    UnavailableError,
    UnsupportedError,
)
from ._filter import BlockedFilter, ClassicFilter, Filter, QuotientFilter, SplitBlockFilter
from ._filter_base import FilterBase, SizeEstimate
from ._hash import hash_key, hash_keys, mix_hashes, parquet_hash, parquet_hashes
from ._key_filter import KeyFilter
from ._linefilter import version as __version__
from ._living import RotatingFilter, SwappableFilter
from ._many import each_contains, each_contains_hash, each_contains_hashes, each_contains_many, may_contain_any
from ._monitor import FprMonitor, FprMonitorCounts, FprMonitorReport
from ._redis import RedisFilter, RedisInfo
from ._redis_async import AsyncRedisFilter
from ._redis_cached import RedisCachedFilter, RedisCacheInfo
from ._redis_servers import Deadlines, RedisMetrics, RedisServers
from ._scalable import ScalableFilter, Stage
from ._scan import ScanFilter
from ._sizing import Sizing, max_keys, plan
from ._view import FilterFile, FilterView, ViewStage, verify_image

__all__ = [
    "AsyncRedisFilter",
    "BlockedFilter",
    "Bloom",
    "ClassicFilter",
    "CorruptError",
    "Deadlines",
    "Filter",
    "FilterBase",
    "FilterBuilder",
    "FilterFile",
    "FilterView",
    "FprMonitor",
    "FprMonitorCounts",
    "FprMonitorReport",
    "IncompatibleError",
    "InvalidArgumentError",
    "IoError",
    "KeyFilter",
    "LinefilterError",
    "NotFoundError",
    "OutOfMemoryError",
    "OverLimitError",
    "QuotientFilter",
    "RedisCacheInfo",
    "RedisCachedFilter",
    "RedisFilter",
    "RedisInfo",
    "RedisMetrics",
    "RedisServers",
    "RotatingFilter",
    "ScalableFilter",
    "ScanFilter",
    "SizeEstimate",
    "Sizing",
    "SplitBlockFilter",
    "Stage",
    "SwappableFilter",
    "UnavailableError",
    "UnsupportedError",
    "ViewStage",
    "__version__",
    "build",
    "each_contains",
    "each_contains_hash",
    "each_contains_hashes",
    "each_contains_many",
    "hash_key",
    "hash_keys",
    "max_keys",
    "may_contain_any",
    "mix_hashes",
    "parquet_hash",
    "parquet_hashes",
    "plan",
    "verify_image",
]
