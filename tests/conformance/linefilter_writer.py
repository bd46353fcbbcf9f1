"""A writer of linefilter images, written from doc/FORMAT.md alone, beside the reader in linefilter_format.py.

    body = make_body(layout, num_probes, hash_id, body_size, hashes)
    image = make_image(layout, num_probes, hash_id, body, seed, num_keys, extensions)   # None: the field is not written

Of hash id 2 (keyed) the hashes are siphash_1_3 of the keys, and the seed is check_of_secret.
"""
import struct

from linefilter_format import (FORMAT_VERSION, blocked_bits, check_of_image, chunk_checks_of_body, classic_bits, in_block_hash,
                               mulhi, parity, quotient_q, quotient_remainder, retrieval_key, retrieval_z, split_block_bits)


# ---- Sections 6, 7 and 11; the others are below ----

def make_body(layout, num_probes, hash_id, body_size, hashes):
    if layout == 3:
        return make_retrieval_body(body_size, hashes)
    if layout == 7:
        return make_quotient_body(num_probes, body_size, hashes)
    body = bytearray(body_size)
    for h in hashes:
        if layout == 6:
            bits = split_block_bits(h, hash_id, body_size)
        else:
            bits = (blocked_bits if layout == 1 else classic_bits)(h, num_probes, body_size)
        for p in bits:
            body[p // 8] |= 1 << p % 8
    return bytes(body)


# ---- Section 8. A block is one integer of 512 bits; an equation too, of its unknowns, with its right side above. ----

RIGHT_SIDE = 1 << 512
PART_OF_Z = [sum(0xffff << 16 * i for i in range(32) if i & z == z) for z in range(32)]


def make_retrieval_body(body_size, hashes):
    num_blocks = body_size // 64
    blocks = [set() for _ in range(num_blocks)]
    for h in hashes:
        blocks[mulhi(h, num_blocks)].add(in_block_hash(h))  # equal g are one key
    return b"".join(solve_block(keys).to_bytes(64, "little") for keys in blocks)


def solve_block(keys):
    keys = [retrieval_key(g) for g in keys]
    header, pivots = 0, {}  # the equations of `header`, eliminated: by their lowest column
    while header < 248:
        tried = dict(pivots)
        if not all(add_equation(tried, f, a, (header + u) // 8) for f, u, a in keys if (header + 1 + u) % 8 == 0):
            break
        header, pivots = header + 1, tried
    solution = 0
    for column in sorted(pivots, reverse=True):  # what has no pivot stays 0
        row = pivots[column]
        if parity(row & (solution | RIGHT_SIDE)):
            solution |= column
    return solution | sum(1 << 64 * l + 63 for l in range(8) if header >> l & 1)


def add_equation(pivots, f, a, n):
    """Constraint n of a key. False if it contradicts the equations that are there."""
    z = retrieval_z(n)
    row = sum(word << 64 * l for l, word in enumerate(a)) & PART_OF_Z[z]
    row |= RIGHT_SIDE if f >> z & 1 else 0
    while row not in (0, RIGHT_SIDE):
        lowest = row & -row
        if lowest not in pivots:
            pivots[lowest] = row
            return True
        row ^= pivots[lowest]
    return row == 0


# ---- Section 12. A block is one integer of 512 bits. ----

def make_quotient_body(num_probes, body_size, hashes):
    num_blocks = body_size // 64
    blocks = [[] for _ in range(num_blocks)]
    for h in hashes:
        blocks[mulhi(h, num_blocks)].append(quotient_q(h))
    return b"".join(quotient_block(keys, num_probes == 0).to_bytes(64, "little") for keys in blocks)


def quotient_block(keys, is_set):
    """The block of these q."""
    fits, too_long = -1, 1665  # what has no room at one length has none at a greater one
    while too_long - fits > 1:
        length = (fits + too_long) // 2
        entries, m = quotient_entries(keys, is_set, length)
        has_room = 77 + len(entries) * (1 + length // 64) + m <= 512
        fits, too_long = (length, too_long) if has_room else (fits, length)
    if fits == -1:
        return 2**512 - 1  # saturated
    entries, m = quotient_entries(keys, is_set, fits)
    w, block, at = fits // 64, m << 64 | 26 - fits // 64 << 72, 512
    for i, (bucket, remainder) in enumerate(entries):
        at -= w + 1 if i < m else w
        block |= remainder << at | 1 << bucket
        if i + 1 == len(entries) or entries[i + 1][0] != bucket:
            block |= 1 << 77 + i
    return block


def quotient_entries(keys, is_set, length):
    """The entries of that length, in order, and how many of them have the longer remainders."""
    w, longer = divmod(length, 64)
    entries = [(q >> 26, quotient_remainder(q, w + (q >> 26 < longer))) for q in keys]
    entries = sorted(set(entries) if is_set else entries)
    return entries, sum(bucket < longer for bucket, _ in entries)


# ---- Sections 2 to 4 ----

def make_image(layout, num_probes, hash_id, body, seed=None, num_keys=None, extensions=None):
    image, flags = body, 0
    if len(body) > 4096:
        flags |= 4
        image += b"".join(check.to_bytes(4, "little") for check in chunk_checks_of_body(body))
    if extensions is not None:
        flags |= 8
        entries = b"".join(struct.pack("<HH", number, len(content)) + content for number, content in extensions)
        image += entries + len(entries).to_bytes(4, "little")
    if num_keys is not None:
        flags |= 2
        image += num_keys.to_bytes(8, "little")
    if seed is not None:
        flags |= 1
        image += seed.to_bytes(8, "little")
    image += struct.pack("<IBBBB", 0, layout, num_probes, flags << 4 | hash_id, 0xA0 + FORMAT_VERSION)
    return image[:-8] + check_of_image(image, len(body)).to_bytes(4, "little") + image[-4:]
