"""The same key gives the same answer, and the same keys the same bytes, in C++, C and Python: the plain files of tests/."""

import re
import sys

import numpy as np
import pytest

import linefilter
from conftest import ROOT, SECRET

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from check import input_bytes, keys_of, lines_of, read_images, unhex  # noqa: E402

CONFORMANCE = ROOT / "tests" / "conformance"
SEED_OF_KEYS = 0x9216D5D98979FB1B  # what HashKey xors into the seed of XXH3: with it as the seed it is plain XXH3


def test_hashes():
    told = lines_of(CONFORMANCE / "xxh3.txt")
    for size, seed, value in told:
        key = input_bytes(int(size))
        assert linefilter.hash_key(key, seed=int(seed, 16)) == int(value, 16)
        assert linefilter.hash_keys([key], seed=int(seed, 16)).tolist() == [int(value, 16)]
        if int(size) == 8:
            word = np.frombuffer(key, "<u8")
            assert linefilter.hash_keys(word, seed=int(seed, 16)).tolist() == [int(value, 16)]
    keyed = lines_of(CONFORMANCE / "siphash.txt")
    for size, secret, value in keyed:
        assert linefilter.hash_key(input_bytes(int(size)), secret=unhex(secret)) == int(value, 16)
    of_parquet = lines_of(CONFORMANCE / "xxh64.txt")
    for size, value in of_parquet:
        assert linefilter.parquet_hash(input_bytes(int(size))) == int(value, 16)
    assert len(told) >= 26 and len(keyed) >= 30 and len(of_parquet) >= 30


def test_conformance_images():
    asked = read = refused = 0
    for name, record in read_images(CONFORMANCE / "images.txt").items():
        secret = unhex(record["secret"][0][0]) if "secret" in record else None
        if record["reads"][0] == ["no"]:
            refused += 1
            with pytest.raises(linefilter.LinefilterError):
                linefilter.FilterView(record["image"], secret=secret, verify="whole")
            continue
        read += 1
        view = linefilter.FilterView(record["image"], secret=secret, verify="trusted")
        if "damaged-chunks" in record:
            with pytest.raises(linefilter.CorruptError):
                view.verify()
        else:
            view.verify()
        if "fields" in record:
            told = dict(field.split("=") for field in record["fields"][0])
            sizes = (told["layout"], int(told["num_probes"]), int(told["body"]))
            assert (view.layout, view.num_probes, view.body_bytes) == sizes
            if told["num_keys"] != "none":
                assert view.num_keys == int(told["num_keys"])
        for answer in ("maybe", "absent"):
            for kind, *words in record.get(answer, []):
                keys = [key for _, key in keys_of(kind, words)]
                asked += len(keys)
                if view.hash_id == "caller" and kind != "hash":
                    with pytest.raises(linefilter.IncompatibleError):
                        view.contains_many(keys)
                    continue
                one = [view.contains_hash(key) if kind == "hash" else key in view for key in keys]
                if kind != "hash" and view.key_kind == ("text" if isinstance(keys[0], int) else "integer"):
                    assert one == [answer == "maybe"] * len(keys), (name, kind, answer)
                    with pytest.raises(TypeError, match="the filter has"):
                        view.contains_many(keys)
                    continue
                many = view.contains_hashes(keys) if kind == "hash" else view.contains_many(keys)
                assert many.tolist() == one == [answer == "maybe"] * len(keys), (name, kind, answer)
    assert read >= 100 and refused >= 50 and asked >= 10000, (read, refused, asked)


def test_golden_images_are_made_to_the_byte():
    lines = lines_of(ROOT / "tests" / "golden" / "images.txt")
    for maker, asked, keys, hash_id, num_keys, bits_per_key, seed, asked_k, *more, size, xxh3, probes, _ in lines:
        options = {"bits_per_key": float(bits_per_key), "num_probes": int(asked_k), "seed": int(seed, 16)}
        hashed = {"seed": int(seed, 16)}
        if hash_id == "keyed":
            options["secret"] = hashed["secret"] = SECRET
        if hash_id == "caller":
            options["caller_hashes"] = True
        if hash_id == "parquet":
            options["parquet_hash"] = True
        if asked == "quotient":  # its num_probes tells whether keys can be removed
            options["removable"] = options.pop("num_probes") == 1
        added = np.arange(int(num_keys), dtype=np.uint64) if keys == "u64" else [f"key-{i}" for i in range(int(num_keys))]
        rotate_after = None
        if maker == "scalable":
            del options["num_probes"]
            options["fpr"] = options.pop("bits_per_key")
            first_capacity, max_growth, _ = more[4:7]
            filled = linefilter.ScalableFilter(int(first_capacity), max_growth=int(max_growth), **options)
        elif maker == "rotating":
            each, by_count, generations = int(more[4]), more[5] == "1", len(more[6].split(","))
            del options["num_probes"]
            filled = linefilter.RotatingFilter(each * (generations - 1), generations=generations, by_count=by_count, **options)
            rotate_after = None if by_count else each
        elif maker == "mutable":
            kind = {"blocked": linefilter.BlockedFilter, "split_block": linefilter.SplitBlockFilter,
                    "classic": linefilter.ClassicFilter, "quotient": linefilter.QuotientFilter}[asked]  # fmt: skip
            filled = kind(int(num_keys), **options)
        else:
            filled = linefilter.FilterBuilder(layout=asked, **options)
        step = rotate_after or max(len(added), 1)
        for begin in range(0, len(added), step):
            if begin != 0:
                filled.rotate()
            part = added[begin : begin + step]
            # By their hashes: keys would tell their kind, which these images do not.
            if hash_id == "parquet":
                filled.add_hashes(linefilter.parquet_hashes(part))
            else:
                filled.add_hashes(linefilter.hash_keys(part, **({} if hash_id == "caller" else hashed)))
        opened = {"secret": options.get("secret"), "verify": "whole"}
        view = filled.finish() if maker == "builder" else linefilter.FilterView(filled.to_bytes(), **opened)
        line = (maker, asked, keys, hash_id, num_keys, bits_per_key, seed, asked_k)
        assert view.image_bytes == int(size) and linefilter.hash_key(view.to_bytes(), seed=SEED_OF_KEYS) == int(xxh3, 16), line
    assert len(lines) >= 200


def test_images_of_releases():
    read = 0
    for answers in sorted((ROOT / "tests" / "releases").glob("*/answers.txt")):
        secret = (answers.parent / "secret").read_bytes()
        for line in answers.read_text().splitlines():
            name, num_keys, maybes = re.split(" ", line)
            with linefilter.FilterFile(answers.parent / name, secret=secret if "keyed" in name else None) as file:
                file.verify()
                assert file.contains_many(map(str, range(int(num_keys)))).all()
                strangers = map(str, range(int(num_keys), int(num_keys) + 20000))
                assert file.contains_many(strangers).sum() == int(maybes)
                read += 1
    assert read >= 20
