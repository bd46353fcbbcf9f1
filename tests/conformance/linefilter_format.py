"""A reader of linefilter images, written from doc/FORMAT.md alone ("section" below means there). The hashes are in
linefilter_hashes.py.

    filter = Filter(image)               # bytes, exactly one image
    filter = Filter(image, secret)       # of a keyed hash (hash id 2): its 16 bytes
    filter.may_contain_key(b"alice")     # True = "maybe", False = "absent"; a key is bytes or an integer
    filter.may_contain_hash(0x1234)      # the same of a 64-bit hash
    filter.error                         # None, or why the image cannot be read: then every answer is "maybe"
    filter.damaged_chunks()              # of a body above 4096 bytes: the chunks that their checks do not fit

Nothing but the standard library; clear before fast.
"""
import struct

from linefilter_hashes import (CALLER, KEYED, MASK32, MASK64, PARQUET, XXH3, check_of_secret, hash_of_key, rotate_left,
                               u32, u64, xxh3_64)

FORMAT_VERSION = 1


def mulhi(a, b):
    return a * b >> 64


def parity(x):
    return bin(x).count("1") % 2


def ceil_div(a, b):
    return (a + b - 1) // b


# ---- Section 4 ----

SEED_OF_CHECK = 0xD1310BA698DFB5AC

def check_of_image(image, body_size):
    covered = image[0 if body_size <= 4096 else body_size:-8]
    t = u32(image, len(image) - 4) ^ rotate_left(len(image), 32)
    return ((xxh3_64(covered, SEED_OF_CHECK) ^ t) * 0x9E3779B97F4A7C15 & MASK64) >> 32


def chunk_checks_of_body(body):
    return [xxh3_64(body[at:at + 65536]) & MASK32 for at in range(0, len(body), 65536)]


# ---- Sections 6 to 12: the layouts ----


def in_block_hash(h):
    """x of sections 6, 11 and 12, g of section 8. (Section 11 takes another x for hash id 3.)"""
    return (h ^ h >> 32) & MASK32


BLOCKED_S = [0, 0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
             0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff]
BLOCKED_C = [0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1, 0x082EFA99, 0xEC4E6C89,
             0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D, 0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917]
CLASSIC_P = 0xd1342543de82ef95
SPLIT_BLOCK_SALT = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31]
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


def split_block_bits(h, hash_id, body_size):
    block, x = (h >> 32) * (body_size // 32) >> 32, h & MASK32 if hash_id == PARQUET else in_block_hash(h)
    return [256 * block + 32 * i + ((x * salt & MASK32) >> 27) for i, salt in enumerate(SPLIT_BLOCK_SALT)]


def quotient_q(h):
    return in_block_hash(h) * 0x9E3779B1 & MASK32


def quotient_remainder(q, v):
    return (q % 2**26) * 2**v // 2**26


def quotient_has(body, h):
    at = 64 * mulhi(h, len(body) // 64)
    block, q = int.from_bytes(body[at:at + 64], "little"), quotient_q(h)
    b = q >> 26
    if not block >> b & 1:
        return False
    borders = [i for i in range(436) if i == 0 or block >> 76 + i & 1]  # the indices of the 1 of S
    k = bin(block % 2**b).count("1")
    if k + 1 >= len(borders):
        return True
    s, e = borders[k], borders[k + 1]
    m, d = block >> 64 & 255, block >> 72 & 31
    if d > 26:
        return True
    w = 26 - d
    v = w + 1 if e <= m else w
    p = 512 - e * w - min(e, m)
    return p < 0 or any((block >> p + i * v) % 2**v == quotient_remainder(q, v) for i in range(e - s))


# By id: the name, the num_probes it takes, of which units a body consists, how many at most, and a member's test, of
# body, num_probes, hash id and hash.
LAYOUTS = {
    1: ("blocked", range(1, 17), 64, 2**32, lambda body, k, _, h: has_bits(body, blocked_bits(h, k, len(body)))),
    2: ("classic", range(1, 31), 1, 2**48, lambda body, k, _, h: has_bits(body, classic_bits(h, k, len(body)))),
    3: ("retrieval", range(0, 1), 64, 2**32, lambda body, k, _, h: retrieval_has(body, h)),
    5: ("container", range(0, 1), 64, 64 * 2**32, None),  # a container: its stages answer
    6: ("split_block", range(0, 1), 32, 2**24,
        lambda body, _, hash_id, h: has_bits(body, split_block_bits(h, hash_id, len(body)))),
    7: ("quotient", range(0, 2), 64, 2**32, lambda body, _k, _, h: quotient_has(body, h)),  # 0: a set, 1: a multiset
}
CONTAINER, STAGE_TABLE, GROWTH, KEY_KIND, KEY_FORMS = 5, 0x8002, 0x0002, 0x0003, 0x0004


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
            return any(LAYOUTS[1][4](body, num_probes, self.hash_id, h) for body, num_probes in self.stages)
        return len(self.body) > 0 and self._test(self.body, self.num_probes, self.hash_id, h)

    def may_contain_key(self, key):
        if self.error is not None or self.hash_id == CALLER:
            return True
        return self.may_contain_hash(hash_of_key(key, self.hash_id, self.seed or 0, self.secret))

    def damaged_chunks(self):
        checks = chunk_checks_of_body(self.body)
        return [i for i, check in enumerate(self.chunk_checks) if check != checks[i]]

    def _read(self, image):
        expect(len(image) >= 8, "shorter than the fixed trailer")
        check, self.layout, self.num_probes, flags_hash, magic_version = struct.unpack("<IBBBB", image[-8:])
        flags, self.hash_id = flags_hash >> 4, flags_hash & 15
        expect(magic_version >> 4 == 0xA, "another magic")
        expect(magic_version & 15 == FORMAT_VERSION, "another version")
        expect(self.hash_id in (CALLER, XXH3, KEYED, PARQUET), "an unknown hash id")
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
        expect(self.hash_id != PARQUET or not self.seed, "a seed, which the hash of Parquet does not take")
        self.num_keys = u64(take(8)) if flags & 2 else None
        self.extensions = read_extensions(take(u32(take(4))), self.layout) if flags & 8 else None
        self.key_kind = key_kind_of(self.extensions)
        self.key_forms = key_forms_of(self.extensions)
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


def key_forms_of(extensions):
    """The forms of the columns, one byte for each; empty: the field does not tell them."""
    fields = [content for extension_id, content in extensions or [] if extension_id == KEY_FORMS]
    if len(fields) != 1 or not 1 <= len(fields[0]) <= 8:
        return b""
    return fields[0] if all(1 <= form & 0x7f <= 6 or 0x21 <= form & 0x7f <= 0x46 for form in fields[0]) else b""
