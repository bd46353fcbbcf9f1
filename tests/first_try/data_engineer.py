"""What a data engineer writes first, from the documents alone. Each line once stopped or misled somebody."""

import datetime
import pickle
import subprocess
import sys
import uuid

import numpy as np

import linefilter
from linefilter import Bloom

seen = Bloom(1e6, 0.01)
seen.add("alice")
seen.update(["bob", "carol"])
assert "alice" in seen and "dave" not in seen and len(seen) == 3 and seen
assert (seen | seen.copy()) == seen and pickle.loads(pickle.dumps(seen)) == seen
seen.save("seen.lf")
assert "bob" in Bloom.load("seen.lf") and "bob" in Bloom.from_bytes(seen.to_bytes())
assert seen.capacity >= 1_000_000 and 0 < seen.expected_fpr() < 0.01 and "Bloom" in repr(seen)

growing = Bloom(fpr=0.01)
growing.update(range(100_000))
assert 99_000 < len(growing) < 101_000

# Arrays and columns, by a stated rule.
words = np.array(["a", "b", "c"])
texts = Bloom(100, 0.01)
texts.update(words)
assert all(word in texts for word in ("a", "b", "c")) and texts.contains_many(words).all()
try:  # NumPy forgets zero bytes at the end of these
    texts.contains_many(np.array([b"a", b"b"]))
except TypeError as error:
    assert "tolist()" in str(error)
assert texts.contains_many(np.array([b"a", b"b"]).tolist()).all()

for key in (1.5, None, object(), uuid.uuid4(), datetime.datetime.now()):
    try:
        seen.add(key)
    except TypeError:
        continue
    raise AssertionError(f"{key!r} was taken for a key")

# Another kind of keys is refused, not answered.
ids = linefilter.build(np.arange(1000, dtype=np.uint64), fpr=0.01)
try:
    ids.contains_many(["1", "2"])
except TypeError as error:
    assert "int" in str(error)
else:
    raise AssertionError("text was asked of integers")

assert subprocess.run([sys.executable, "-m", "linefilter", "info", "seen.lf"], check=True, capture_output=True).stdout
seen.clear()
assert not seen
