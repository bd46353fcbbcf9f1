"""The hashes of linefilter images (doc/FORMAT.md, section 1). SipHash-1-3 and XXH64 are written from that document alone.
XXH3_64 is written from the xxHash specification (doc/xxhash_spec.md of https://github.com/Cyan4973/xxHash, the chapters
on XXH3).

    hash_of_key(b"alice", XXH3, seed)         # a key is bytes or an integer
    hash_of_key(7, KEYED, secret=secret)
    hash_of_key(b"", PARQUET)
"""
import struct

MASK32 = 2**32 - 1
MASK64 = 2**64 - 1


def u32(data, at=0):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at=0):
    return int.from_bytes(data[at:at + 8], "little")


# ---- XXH3_64 with a seed (the specification's names of constants and steps) ----

PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PRIME_MX1, PRIME_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1c ded46de9839097db7240a4a4b7b3671f cb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c 3c2852bb91c300cb88d0658b1b532ea3 71644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d 8a51e04bcdb45931c89f7ec9d9787364 eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e 2b16be587d47a1fc8ff8b8d17ad031ce 45cb3a8f95160428afd7fbcabb4b407e")


def swap_bytes(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def rotate_left(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK64


def avalanche(x):
    x ^= x >> 37
    x = x * PRIME_MX1 & MASK64
    return x ^ x >> 32


def avalanche_xxh64(x):
    x ^= x >> 33
    x = x * PRIME64_2 & MASK64
    x ^= x >> 29
    x = x * PRIME64_3 & MASK64
    return x ^ x >> 32


def multiply_and_fold(a, b):
    return (a * b & MASK64) ^ (a * b >> 64)


def mix_step(data, at, secret_at, seed):
    return multiply_and_fold(u64(data, at) ^ (u64(SECRET, secret_at) + seed & MASK64),
                             u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed & MASK64))


def xxh3_64(data, seed=0):
    size = len(data)
    if size == 0:
        return avalanche_xxh64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if size <= 3:
        combined = data[-1] | size << 8 | data[0] << 16 | data[size >> 1] << 24
        return avalanche_xxh64(((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & MASK64) ^ combined)
    if size <= 8:
        combined = u32(data, size - 4) | u32(data) << 32
        seed ^= swap_bytes(seed & MASK32, 4) << 32
        value = ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & MASK64) ^ combined
        value ^= rotate_left(value, 49) ^ rotate_left(value, 24)
        value = value * PRIME_MX2 & MASK64
        value ^= (value >> 35) + size
        value = value * PRIME_MX2 & MASK64
        return value ^ value >> 28
    if size <= 16:
        low = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & MASK64) ^ u64(data)
        high = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & MASK64) ^ u64(data, size - 8)
        return avalanche(size + swap_bytes(low, 8) + high + multiply_and_fold(low, high) & MASK64)
    if size <= 128:
        acc = size * PRIME64_1
        for i in range((size - 1) // 32 + 1):
            acc += mix_step(data, 16 * i, 32 * i, seed) + mix_step(data, size - 16 * i - 16, 32 * i + 16, seed)
        return avalanche(acc & MASK64)
    if size <= 240:
        acc = size * PRIME64_1 + sum(mix_step(data, 16 * i, 16 * i, seed) for i in range(8))
        acc = avalanche(acc & MASK64)
        acc += sum(mix_step(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, size // 16))
        return avalanche(acc + mix_step(data, size - 16, 119, seed) & MASK64)
    return xxh3_64_large(data, seed)


def xxh3_64_large(data, seed):
    size = len(data)
    signed_seeds = (seed, -seed)
    secret = b"".join((u64(SECRET, 8 * i) + signed_seeds[i % 2] & MASK64).to_bytes(8, "little") for i in range(24))
    acc = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]

    def accumulate(at, secret_at):
        stripe, words = struct.unpack_from("<8Q", data, at), struct.unpack_from("<8Q", secret, secret_at)
        for i in range(8):
            value = stripe[i] ^ words[i]
            acc[i ^ 1] = acc[i ^ 1] + stripe[i] & MASK64
            acc[i] = acc[i] + (value & MASK32) * (value >> 32) & MASK64

    for n in range((size - 1) // 64):  # all stripes but the last; 16 make a block
        accumulate(64 * n, 8 * (n % 16))
        if n % 16 == 15:
            for i in range(8):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ u64(secret, 128 + 8 * i)) * PRIME32_1 & MASK64
    accumulate(size - 64, 121)
    result = size * PRIME64_1
    for i in range(0, 8, 2):
        result += multiply_and_fold(acc[i] ^ u64(secret, 11 + 8 * i), acc[i + 1] ^ u64(secret, 19 + 8 * i))
    return avalanche(result & MASK64)


# ---- Section 1 ----

CALLER, XXH3, KEYED, PARQUET = 0, 1, 2, 3  # hash ids
SEED_OF_KEYS = 0x9216D5D98979FB1B


def siphash_1_3(data, secret):
    k0, k1 = u64(secret), u64(secret, 8)
    v0, v1, v2, v3 = k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573

    def rounds(count):
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = v0 + v1 & MASK64
            v1 = rotate_left(v1, 13) ^ v0
            v0 = rotate_left(v0, 32)
            v2 = v2 + v3 & MASK64
            v3 = rotate_left(v3, 16) ^ v2
            v0 = v0 + v3 & MASK64
            v3 = rotate_left(v3, 21) ^ v0
            v2 = v2 + v1 & MASK64
            v1 = rotate_left(v1, 17) ^ v2
            v2 = rotate_left(v2, 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v3 ^= word
        rounds(1)
        v0 ^= word
    v2 ^= 0xff
    rounds(3)
    return v0 ^ v1 ^ v2 ^ v3


def check_of_secret(secret):
    return siphash_1_3(b"linefilter.secret", secret)


def xxh64(data):
    """With seed 0."""
    def mix(a, w):
        return rotate_left(a + w * PRIME64_2 & MASK64, 31) * PRIME64_1 & MASK64

    h, at = PRIME64_5, len(data) // 32 * 32
    if at:
        a = [PRIME64_1 + PRIME64_2 & MASK64, PRIME64_2, 0, -PRIME64_1 & MASK64]
        for words in struct.iter_unpack("<4Q", data[:at]):
            a = [mix(a[i], words[i]) for i in range(4)]
        h = sum(rotate_left(a[i], (1, 7, 12, 18)[i]) for i in range(4))
        for i in range(4):
            h = (h ^ mix(0, a[i])) * PRIME64_1 + PRIME64_4 & MASK64
    h = h + len(data) & MASK64
    while len(data) - at >= 8:
        h = rotate_left(h ^ mix(0, u64(data, at)), 27) * PRIME64_1 + PRIME64_4 & MASK64
        at += 8
    if len(data) - at >= 4:
        h = rotate_left(h ^ u32(data, at) * PRIME64_1 & MASK64, 23) * PRIME64_2 + PRIME64_3 & MASK64
        at += 4
    for byte in data[at:]:
        h = rotate_left(h ^ byte * PRIME64_5 & MASK64, 11) * PRIME64_1 & MASK64
    return avalanche_xxh64(h)


def hash_of_key(key, hash_id, seed=0, secret=None):
    data = key.to_bytes(8, "little") if isinstance(key, int) else key
    if hash_id == PARQUET:
        return xxh64(data)
    return siphash_1_3(data, secret) if hash_id == KEYED else xxh3_64(data, seed ^ SEED_OF_KEYS)
