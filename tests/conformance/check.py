#!/usr/bin/env python3
"""Compares the reader and the writer in this folder with the vectors in it (README.md tells what they say).

    python3 check.py [FOLDER]

Prints each difference; the exit code is 0 if there is none.
"""
import os
import sys

sys.dont_write_bytecode = True  # leaves nothing in the source tree

from linefilter_columns import hash_of_columns, key_of_column
from linefilter_format import LAYOUTS, Filter
from linefilter_hashes import KEYED, XXH3, check_of_secret, hash_of_key, siphash_1_3, xxh3_64, xxh64
from linefilter_writer import make_body, make_image

LAYOUT_IDS = {layout[0]: number for number, layout in LAYOUTS.items()}
failures = []


def expect(condition, *what):
    if not condition:
        failures.append(" ".join(map(str, what)))


def input_bytes(size):
    return bytes((151 * i + i // 7 + 29) % 256 for i in range(size))


def fill_bytes(size, seed):
    words = (xxh3_64(i.to_bytes(8, "little"), seed).to_bytes(8, "little") for i in range((size + 7) // 8))
    return b"".join(words)[:size]


def lines_of(path):
    with open(path, encoding="ascii") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


def numbers_of(words):
    """The numbers of a list as `0..3 7`."""
    for word in words:
        first, _, last = word.partition("..")
        yield from range(int(first), int(last or first) + 1)


def keys_of(kind, words):
    """(is a hash, key) of what a line `added`, `maybe` or `absent` lists."""
    if kind == "text":
        return [(False, (words[0] + str(i)).encode()) for i in numbers_of(words[1:])]
    if kind == "u64":
        return [(False, i) for i in numbers_of(words)]
    if kind == "input":
        return [(False, input_bytes(i)) for i in numbers_of(words)]
    if kind == "hash":
        return [(True, int(word, 16)) for word in words]
    raise ValueError("unknown kind of keys: " + kind)


def read_images(path):
    """{name: {first word of a line: the rest of the lines that begin so}}, and under "image" the bytes."""
    images, record = {}, None
    for word, *rest in lines_of(path):
        if word == "image":
            record = {"image": b""}
            if rest[0] in images:
                raise ValueError("two images of one name: " + rest[0])
            images[rest[0]] = record
        elif word == "bytes":
            record["image"] += unhex(rest[0])
        elif word == "fill":
            record["image"] += fill_bytes(int(rest[0]), int(rest[1]))
        elif word == "copy":
            record["image"] += images[rest[0]]["image"]
        elif word == "cut-front":
            record["image"] = record["image"][int(rest[0]):]
        elif word == "cut-end":
            record["image"] = record["image"][:len(record["image"]) - int(rest[0])]
        elif word == "flip":
            record["image"] = flipped(record["image"], int(rest[0]))
        elif word in ("xxh3", "secret", "reads", "fields", "extension", "key-kind", "key-forms", "added", "damaged-chunks", "maybe", "absent",
                      "damage"):
            record.setdefault(word, []).append(rest)
        else:
            raise ValueError("unknown word: " + word)
    return images


def flipped(image, bit):
    image = bytearray(image)
    image[bit // 8] ^= 1 << bit % 8
    return bytes(image)


def damaged(image):
    """Every beginning, every end, every image with another bit, and with a byte too many."""
    yield from (image[:size] for size in range(len(image)))
    yield from (image[size:] for size in range(1, len(image) + 1))
    yield from (flipped(image, bit) for bit in range(8 * len(image)))
    yield from (byte + image for byte in (b"\x00", b"\x06", b"\xa0"))
    yield from (image + byte for byte in (b"\x00", b"\x06", b"\xa0"))


def check_answers(name, reader, record):
    asked = 0
    for answer in ("maybe", "absent"):
        for kind, *words in record.get(answer, []):
            for is_hash, key in keys_of(kind, words):
                maybe = reader.may_contain_hash(key) if is_hash else reader.may_contain_key(key)
                expect(maybe == (answer == "maybe"), name, kind, key, "is not", answer)
                asked += 1
    return asked


def number_or_none(text):
    return None if text == "none" else int(text)


def check_fields(name, reader, record):
    told = dict(field.split("=") for field in record["fields"][0])
    extensions = [(int(number), unhex(content)) for number, content in record.get("extension", [])]
    told = (LAYOUT_IDS[told["layout"]], int(told["num_probes"]), int(told["hash_id"]), number_or_none(told["seed"]),
            number_or_none(told["num_keys"]), extensions if told["extensions"] == "yes" else None, int(told["body"]),
            int(told["chunks"]))
    found = (reader.layout, reader.num_probes, reader.hash_id, reader.seed, reader.num_keys, reader.extensions,
             len(reader.body), len(reader.chunk_checks))
    expect(found == told, name, "the reader finds", found, "and not", told)
    key_kind = int(record.get("key-kind", [["0"]])[0][0])
    expect(reader.key_kind == key_kind, name, "the kind of its keys is", reader.key_kind, "and not", key_kind)
    key_forms = bytes(map(int, record.get("key-forms", [[]])[0]))
    expect(reader.key_forms == key_forms, name, "the forms of its columns are", reader.key_forms, "and not", key_forms)


def check_writer(name, reader, record):
    """Of the keys that were added, and of the fields, the writer makes the same bytes."""
    body, secret = reader.body, reader.secret
    if "added" in record:
        added = [key for kind, *words in record["added"] for key in keys_of(kind, words)]
        hashes = [key if is_hash else hash_of_key(key, reader.hash_id, reader.seed or 0, secret) for is_hash, key in added]
        body = make_body(reader.layout, reader.num_probes, reader.hash_id, len(body), hashes)
        expect(body == reader.body, name, "the writer makes another body of these keys")
    seed = check_of_secret(secret) if reader.hash_id == KEYED else reader.seed
    image = make_image(reader.layout, reader.num_probes, reader.hash_id, body, seed, reader.num_keys,
                       reader.extensions)
    expect(image == record["image"], name, "the writer makes other bytes")


def check_image(name, record):
    """Returns how many questions were asked."""
    image = record["image"]
    expect("%016x" % xxh3_64(image) == record["xxh3"][0][0], name, "has other bytes")
    secret = unhex(record["secret"][0][0]) if "secret" in record else None
    reader = Filter(image, secret)
    reads = reader.error is None
    expect(reads == (record["reads"][0] == ["yes"]), name, reader.error or "can be read")
    if reads and "fields" in record:
        check_fields(name, reader, record)
        damaged_chunks = list(numbers_of(record.get("damaged-chunks", [[]])[0]))
        expect(reader.damaged_chunks() == damaged_chunks, name, "damaged chunks:", reader.damaged_chunks())
        if not damaged_chunks:
            check_writer(name, reader, record)
    for bad in damaged(image) if "damage" in record else ():
        broken = Filter(bad, secret)
        expect(broken.error and broken.may_contain_key(b"") and broken.may_contain_hash(0), name, "damaged:", bad.hex())
    return check_answers(name, reader, record)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    hashes = lines_of(os.path.join(folder, "xxh3.txt"))
    for size, seed, told in hashes:
        found = "%016x" % hash_of_key(input_bytes(int(size)), XXH3, int(seed, 16))
        expect(found == told, "the hash of", size, "bytes, seed", seed, "is", found, "and not", told)
    keyed = lines_of(os.path.join(folder, "siphash.txt"))
    for size, secret, told in keyed:
        found = "%016x" % siphash_1_3(input_bytes(int(size)), unhex(secret))
        expect(found == told, "SipHash-1-3 of", size, "bytes, secret", secret, "is", found, "and not", told)
    of_parquet = lines_of(os.path.join(folder, "xxh64.txt"))
    for size, told in of_parquet:
        found = "%016x" % xxh64(input_bytes(int(size)))
        expect(found == told, "XXH64 of", size, "bytes is", found, "and not", told)
    rows = lines_of(os.path.join(folder, "columns.txt"))
    for seed, told, *words in rows:
        values = [word.split(":") for word in words]
        for form, value, key in values:
            expect(key_of_column(form, value).hex() == key, form, value, "becomes", key_of_column(form, value).hex())
        found = "%016x" % hash_of_columns([bytes.fromhex(key) for _, _, key in values], int(seed, 16))
        expect(found == told, "the hash of", *words, "seed", seed, "is", found, "and not", told)
    images = read_images(os.path.join(folder, "images.txt"))
    asked = sum(check_image(name, record) for name, record in images.items())
    with_secret = sum("secret" in record for record in images.values())
    expect(len(hashes) >= 26 and len(keyed) >= 30 and len(of_parquet) >= 30 and len(rows) >= 30 and len(images) >= 100 and with_secret >= 50
           and asked >= 10000, "vectors are missing in", folder)
    for failure in failures:
        print(failure)
    print(f"{len(hashes)} + {len(keyed)} + {len(of_parquet)} + {len(rows)} hashes, {len(images)} images, {asked} questions: {len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
