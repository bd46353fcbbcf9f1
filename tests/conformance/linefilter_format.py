"""A reader of linefilter images, written from doc/FORMAT.md alone ("section" below means there), and XXH3_64, written
from the xxHash specification (doc/xxhash_spec.md of https://github.com/Cyan4973/xxHash, the chapters on XXH3).

    filter = Filter(image)               # bytes, exactly one image
    filter = Filter(image, secret)       # of a keyed hash (hash id 2): its 16 bytes
    filter.may_contain_key(b"alice")     # True = "maybe", False = "absent"; a key is bytes or an integer
    filter.may_contain_hash(0x1234)      # the same of a 64-bit hash
    filter.error                         # None, or why the image cannot be read: then every answer is "maybe"
    filter.damaged_chunks()              # of a body above 4096 bytes: the chunks that their checks do not fit

Nothing but the standard library; clear before fast.
"""
import struct

FORMAT_VERSION = 1

MASK32 = 2**32 - 1
MASK64 = 2**64 - 1


def u32(data, at=0):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at=0):
    return int.from_bytes(data[at:at + 8], "little")


def mulhi(a, b):
    return a * b >> 64


def parity(x):
    return bin(x).count("1") % 2


def ceil_div(a, b):
    return (a + b - 1) // b


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

CALLER, XXH3, KEYED = 0, 1, 2  # hash ids
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


def hash_of_key(key, seed=0, secret=None):
    """Of hash id 2 with a secret, of hash id 1 without."""
    data = key.to_bytes(8, "little") if isinstance(key, int) else key
    return xxh3_64(data, seed ^ SEED_OF_KEYS) if secret is None else siphash_1_3(data, secret)


# ---- Section 4 ----

SEED_OF_CHECK = 0xD1310BA698DFB5AC

def check_of_image(image, body_size):
    covered = image[0 if body_size <= 4096 else body_size:-8]
    t = u32(image, len(image) - 4) ^ rotate_left(len(image), 32)
    return ((xxh3_64(covered, SEED_OF_CHECK) ^ t) * 0x9E3779B97F4A7C15 & MASK64) >> 32


def chunk_checks_of_body(body):
    return [xxh3_64(body[at:at + 65536]) & MASK32 for at in range(0, len(body), 65536)]


# ---- Sections 6 to 9: the layouts ----


def in_block_hash(h):
    """x of sections 6 and 9, g of section 8."""
    return (h ^ h >> 32) & MASK32


BLOCKED_S = [0, 0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
             0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff]
BLOCKED_C = [0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1, 0x082EFA99, 0xEC4E6C89,
             0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D, 0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917]
CLASSIC_P = 0xd1342543de82ef95
RETRIEVAL_C = [0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345, 0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89]


def blocked_bits(h, num_probes, body_size):
    """The bits of a hash, by their number in the body: bit p is bit p % 8 of byte p // 8."""
    block, x = mulhi(h, body_size // 64), in_block_hash(h)
    return [512 * block + 32 * lane + ((x * BLOCKED_C[lane] & MASK32) >> 27)
            for lane in range(16) if BLOCKED_S[num_probes] >> ((lane + x % 16) % 16) & 1]


def classic_bits(h, num_probes, body_size):
    return [mulhi(h * CLASSIC_P**i & MASK64, 8 * body_size) for i in range(num_probes)]


def has_bits(body, bits):
    return all(body[p // 8] >> (p % 8) & 1 for p in bits)


def retrieval_key(h):
    """f, u and A of a hash."""
    g = in_block_hash(h)
    q = g * 0x9E3779B97F4A7C15 & MASK64
    return q >> 32, (q >> 29) % 8, [g * c for c in RETRIEVAL_C]


def retrieval_z(n):
    return 4 * (n % 8) + 2 * (n // 8 % 2) + n // 16


def retrieval_has(body, h):
    words = struct.unpack_from("<8Q", body, 64 * mulhi(h, len(body) // 64))
    f, u, a = retrieval_key(h)
    header = sum((word >> 63) << l for l, word in enumerate(words))
    t = (header + u) // 8 % 32
    y = sum(parity((words[i // 4] & a[i // 4]) >> (16 * (i % 4)) & 0xffff) << i for i in range(32))  # p
    y ^= (y >> 1) & 0x55555555
    y ^= (y >> 2) & 0x33333333
    y ^= (y >> 4) & 0x0F0F0F0F
    y ^= (y >> 8) & 0x00FF00FF
    y ^= y >> 16
    return all((y ^ f) >> retrieval_z(n) & 1 == 0 for n in range(t))


def counting_counters(h, num_probes, body_size):
    """The counters of a hash, by their number in the body: counter i is the low half of byte i // 2, or the high one."""
    block, x = mulhi(h, body_size // 64), in_block_hash(h)
    return [128 * block + 8 * lane + ((x * BLOCKED_C[lane] & MASK32) >> 29)
            for lane in range(16) if BLOCKED_S[num_probes] >> ((lane + x % 16) % 16) & 1]


def counter_at(body, i):
    return body[i // 2] >> 4 * (i % 2) & 15


# By id: the name, the num_probes it takes, of which units a body consists, how many at most, and a member's test.
LAYOUTS = {
    1: ("blocked", range(1, 17), 64, 2**32, lambda body, k, h: has_bits(body, blocked_bits(h, k, len(body)))),
    2: ("classic", range(1, 31), 1, 2**48, lambda body, k, h: has_bits(body, classic_bits(h, k, len(body)))),
    3: ("retrieval", range(0, 1), 64, 2**32, lambda body, k, h: retrieval_has(body, h)),
    4: ("counting", range(1, 17), 64, 2**32,
        lambda body, k, h: all(counter_at(body, i) for i in counting_counters(h, k, len(body)))),
    5: ("container", range(0, 1), 64, 64 * 2**32, None),  # a container: its stages answer
}
CONTAINER, STAGE_TABLE, GROWTH, KEY_KIND = 5, 0x8002, 0x0002, 0x0003


def stages_of(body, extensions):
    """[(body, num_probes)] of the stages of a container, the oldest first."""
    ids = [number for number, _ in extensions or []]
    expect(ids.count(STAGE_TABLE) == 1 and ids.count(GROWTH) <= 1, "not one table of stages")
    table = extensions[ids.index(STAGE_TABLE)][1]
    expect(len(table) % 24 == 0 and len(table) // 24 <= 64, "not a table of at most 64 stages")
    stages, at = [], 0
    for entry in range(0, len(table), 24):
        num_blocks, num_keys = u64(table, entry), u64(table, entry + 8)
        layout, num_probes = table[entry + 16], table[entry + 17]
        expect(1 <= num_blocks <= 2**32 and 64 * num_blocks <= len(body) - at, "a stage that does not fit")
        expect(num_keys <= 512 * num_blocks, "a stage that counts more keys than it has bits")
        expect(layout == 1 and num_probes in range(1, 17) and not any(table[entry + 18:entry + 24]), "no such stage")
        stages.append((body[at:at + 64 * num_blocks], num_probes))
        at += 64 * num_blocks
    expect(at == len(body), "stages that are shorter than the body")
    return stages


# ---- Sections 2, 3 and 5: the image ----

class Unreadable(Exception):
    pass


class Filter:
    def __init__(self, image, secret=None):
        self.error, self.secret = None, secret
        try:
            self._read(bytes(image))
            self._check_secret()
        except Unreadable as reason:
            self.error = str(reason)

    def may_contain_hash(self, h):
        if self.error is not None:
            return True
        if self.layout == CONTAINER:
            return any(LAYOUTS[1][4](body, num_probes, h) for body, num_probes in self.stages)
        return len(self.body) > 0 and self._test(self.body, self.num_probes, h)

    def may_contain_key(self, key):
        if self.error is not None or self.hash_id == CALLER:
            return True
        return self.may_contain_hash(hash_of_key(key, self.seed or 0, self.secret))

    def damaged_chunks(self):
        checks = chunk_checks_of_body(self.body)
        return [i for i, check in enumerate(self.chunk_checks) if check != checks[i]]

    def _read(self, image):
        expect(len(image) >= 8, "shorter than the fixed trailer")
        check, self.layout, self.num_probes, flags_hash, magic_version = struct.unpack("<IBBBB", image[-8:])
        flags, self.hash_id = flags_hash >> 4, flags_hash & 15
        expect(magic_version >> 4 == 0xA, "another magic")
        expect(magic_version & 15 == FORMAT_VERSION, "another version")
        expect(self.hash_id in (CALLER, XXH3, KEYED), "an unknown hash id")
        expect(self.layout in LAYOUTS, "an unknown layout")
        _, probes, unit, most_units, self._test = LAYOUTS[self.layout]
        expect(self.num_probes in probes, "num_probes out of range")

        end = len(image) - 8  # of what has not been read yet

        def take(size):
            nonlocal end
            expect(size <= end, "a field does not fit")
            end -= size
            return image[end:end + size]

        self.seed = u64(take(8)) if flags & 1 else None  # or the check of the secret
        self.num_keys = u64(take(8)) if flags & 2 else None
        self.extensions = read_extensions(take(u32(take(4))), self.layout) if flags & 8 else None
        self.key_kind = key_kind_of(self.extensions)
        self.chunk_checks = []
        if flags & 4:
            chunks = ceil_div(end, 65540)
            checks = take(4 * chunks)
            expect(end > 4096 and ceil_div(end, 65536) == chunks, "a body that has no such chunk checks")
            self.chunk_checks = [u32(checks, 4 * i) for i in range(chunks)]
        else:
            expect(end <= 4096, "a large body without chunk checks")
        self.body = image[:end]
        expect(end % unit == 0 and end // unit <= most_units, "a body that the layout cannot have")
        expect(end > 0 or not self.num_keys, "keys without a body")
        if self.layout == CONTAINER:
            self.stages = stages_of(self.body, self.extensions)
        expect(check == check_of_image(image, end), "a wrong check")

    def _check_secret(self):
        """Of an image that can be read otherwise."""
        if self.hash_id == KEYED:
            expect(self.secret is not None, "a keyed hash: open it with its secret")
            expect(self.seed == check_of_secret(self.secret), "made with another secret, or without the check of it")
        else:
            expect(self.secret is None, "a secret for an image without a keyed hash")


def expect(condition, reason):
    if not condition:
        raise Unreadable(reason)


def read_extensions(entries, layout):
    """[(id, content)] of the bytes in front of the list's length."""
    extensions, at = [], 0
    while at < len(entries):
        expect(len(entries) - at >= 4, "an extension does not fit")
        extension_id, size = struct.unpack_from("<HH", entries, at)
        expect(len(entries) - at - 4 >= size, "an extension does not fit")
        known = layout == CONTAINER and extension_id == STAGE_TABLE
        expect(known or extension_id & 0x8000 == 0, "an unknown critical extension")
        expect(extension_id != KEY_KIND or KEY_KIND not in dict(extensions), "two kinds of keys")
        extensions.append((extension_id, entries[at + 4:at + 4 + size]))
        at += 4 + size
    return extensions


def key_kind_of(extensions):
    """1 text, 2 integers, 3 both; 0: unknown."""
    content = dict(extensions or []).get(KEY_KIND, b"")
    return content[0] if len(content) == 1 and content[0] <= 3 else 0
