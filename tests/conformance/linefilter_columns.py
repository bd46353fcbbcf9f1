"""Keys of columns (doc/FORMAT.md, section 13): what bytes a value becomes, and the hash of a row of several columns.

    key_of_column("decimal2", "1.5")                       # a value is text, as in columns.txt
    hash_of_columns([b"alice", bytes(8)], seed)
"""
import math
import struct
from fractions import Fraction

from linefilter_hashes import MASK64, XXH3, hash_of_key

NANOSECONDS = {"d": 86400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def word(value):
    return (value & MASK64).to_bytes(8, "little")


def key_of_column(form, value):
    if form == "null":
        return b"linefilter.null"
    if form == "integer":
        return word(int(value))
    if form == "real":
        real = float(value.rstrip("f")) if value != "inf" else math.inf
        if value[-1] == "f" and value[0].isdigit():
            real, = struct.unpack("<f", struct.pack("<f", real))
        return struct.pack("<d", math.nan if math.isnan(real) else real or 0.0)
    if form == "instant":
        number = value.rstrip("dmnsu")
        return word(int(number) * NANOSECONDS[value[len(number):]])
    if form.startswith("decimal"):
        return word(int(Fraction(value) * 10**int(form[7:])))
    text = value.replace("_", " ").encode()
    return text.rstrip(b" ") if form == "padded" else text


def hash_of_columns(keys, seed):
    first, *others = [hash_of_key(key, XXH3, seed) for key in keys]
    for other in others:
        first = hash_of_key(word(first * 0x9e3779b97f4a7c15 + other), XXH3, seed)
    return first
