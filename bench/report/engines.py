"""Filters inside real databases: what was asked, what it got, and all rows.

A false positive of LevelDB is a block read for an absent key, counted at the file; of RocksDB, what its own statistics count.
"""

from choose import times
from markdown import Section, Table, bits, count, number, percent, ratio
from promises import table, unknown, verdict

COMMAND = "build/release/linefilter_bench_engines --out bench/results/engines.json"
BLOOM = {"leveldb": "leveldb_bloom", "rocksdb": "rocksdb_bloom"}
AGAIN = "_again"                       # ends the name of the same filters in a second database
TRUSTED = "_trusted"                   # ends the name of a filter that does not verify: LevelDB did, by paranoid_checks
RIBBON = "rocksdb_ribbon"
BITS = 10
TINY, LEAST_RETRIEVAL = 60, 45         # keys per filter
MOST_BLOCKED, MOST_RETRIEVAL = 1.2, 0.25  # of the engine's own false positives
SAME_BYTES = 0.99                      # a filter of the engine may be so much smaller and count as of the same bytes
LARGE_BLOCKS, MOST_OFF = 64 << 10, 0.1
NO_VERDICT = ""


def section(engines):
    out = Section("## Inside storage engines")
    if not engines:
        out.say(f"Not measured yet: `{COMMAND}`, then `tools/report`.")
        return out
    rows, context = engines["rows"], engines["context"]
    origins = ", ".join(sorted({row["origin"] for row in rows}))
    out.say(f"{origins}; {context['cpu']}, {context['compiler']}, commit {context['commit']}. Databases of the same keys, each "
            "with another filter, are asked for the same absent keys in turns; times are CPU ns of the whole Get, medians "
            "of rounds, and **x** of rounds too. LevelDB caches no block, so each false positive is a read. Expected: by the filters as they "
            "came to be; model: by the keys per filter and the density that was asked for. `..._again`: the same filters in a "
            "second database; `..._trusted`: verified once by LevelDB (paranoid_checks), not at each lookup.")
    table(out, lines(rows), COMMAND)
    out.table(_all(rows), command=COMMAND)
    return out


def own(rows, row, asked=BITS):
    """The engine's own Bloom filter in a database of the same shape."""
    return next((other for other in rows if other["filter"] == BLOOM[row["engine"]] and same_shape(other, row) and
                 other["asked_bits_per_key"] == asked), None)


def same_shape(a, b):
    return all(a[field] == b[field] for field in ("engine", "num_keys", "value_bytes", "block_bytes"))


def of_same_bytes(rows, row):
    """The engine's own Bloom filters of the fewest bytes that are as large as ours."""
    large = [other for other in rows if other["filter"] == BLOOM[row["engine"]] and same_shape(other, row) and
             other["filter_bytes"] >= SAME_BYTES * row["filter_bytes"]]
    return min(large, key=lambda other: other["filter_bytes"], default=None)


def lines(rows):
    """(what, asked, verdict, got, where, rows) of each promise."""
    leveldb = [row for row in rows if row["engine"] == "leveldb"]
    rocksdb = [row for row in rows if row["engine"] == "rocksdb"]
    automatic = [row for row in leveldb if row["filter"] == "auto" and row["asked_bits_per_key"] == BITS]
    small = [row for row in leveldb if row["block_bytes"] < LARGE_BLOCKS]
    for what, most, ours in (
            ("LevelDB, `auto`, up to 60 keys per filter", 1,
             [row for row in automatic if row["keys_per_filter"] <= TINY]),
            ("LevelDB, `blocked`, above", MOST_BLOCKED,
             [row for row in small if row["filter"] == "blocked" and row["keys_per_filter"] > TINY])):
        yield _rates(f"{what}, equal bits per key asked", most, rows, ours, own)
        yield _rates(f"{what}, same filter bytes", None, rows, ours, of_same_bytes)
    yield from _small_times(rows, small)
    yield _large_times(rows, [row for row in leveldb if row["block_bytes"] >= LARGE_BLOCKS])
    yield _rates("LevelDB, `retrieval`, 45 keys per filter and more, same filter bytes", MOST_RETRIEVAL, rows,
                 [row for row in small if row["filter"] == "retrieval" and row["keys_per_filter"] >= LEAST_RETRIEVAL],
                 of_same_bytes)
    yield _expected(leveldb)
    for field, words in (("ns", "absent Get"), ("multi_get_ns", "absent MultiGet")):
        chance, noise = _chance(rows, rocksdb, field)
        yield _times(f"RocksDB, `blocked`, {words}", f"faster than its own Bloom{chance}", noise,
                     [(row, own(rows, row)) for row in rocksdb if row["filter"] == "blocked"], field)
        ribbon = next((row for row in rocksdb if row["filter"] == RIBBON), None)
        yield _times(f"RocksDB, `retrieval`, {words}", "faster than its Ribbon", 1,
                     [(row, ribbon) for row in rocksdb if row["filter"] == "retrieval"], field)
    yield _rates("RocksDB, `retrieval`, same filter bytes", MOST_RETRIEVAL, rows,
                 [row for row in rocksdb if row["filter"] == "retrieval"], of_same_bytes)


def _rates(what, most, rows, ours, find):
    """most: None where nothing is asked. Unknown as long as one row has nothing to be compared with."""
    asked = f"at most {most:g} times its own Bloom's false positives" if most else "nothing is asked"
    pairs = [(row, find(rows, row)) for row in ours]
    if not pairs or not all(theirs and theirs["false_positives"] for _, theirs in pairs):
        return unknown(what, asked)
    row, theirs = max(pairs, key=lambda pair: pair[0]["fpr"] / pair[1]["fpr"])
    factor = row["fpr"] / theirs["fpr"]
    return (what, asked, verdict(factor <= most) if most else NO_VERDICT,
            f"{ratio(factor, 1)}: {percent(row['fpr'])} to {percent(theirs['fpr'])} %, in "
            f"{ratio(row['filter_bytes'], theirs['filter_bytes'])} the bytes: {row['filter_bytes']} to "
            f"{theirs['filter_bytes']}", place(row), [])


def _times(what, asked, most, pairs, field):
    if not pairs or not all(theirs and field in theirs for _, theirs in pairs):
        return unknown(what, asked)
    pairs = [(_timed(row, field), _timed(theirs, field)) for row, theirs in pairs]
    ours, theirs = max(pairs, key=lambda pair: times(*pair))
    factor = times(ours, theirs)
    return (what, asked, verdict(factor <= most), f"{ratio(factor, 1, 3)}: {number(ours['ns'])} to "
            f"{number(theirs['ns'])} ns", place(ours), [])


def _chance(rows, databases, field):
    """Words and factor: of two databases with the same filters one is faster by chance. No more is a verdict's to tell."""
    pairs = [(row, own(rows, row)) for row in databases if row["filter"] == BLOOM[row["engine"]] + AGAIN]
    factors = [times(_timed(row, field), _timed(theirs, field)) for row, theirs in pairs if theirs and field in theirs]
    if not factors:
        return "", 1
    noise = max(max(factor, 1 / factor) for factor in factors)
    return f"; {ratio(noise, 1, 3)} is chance: what its own differs by in two databases", noise


def _small_times(rows, small):
    what = "LevelDB, blocks of 4 KiB, time per absent Get"
    chance, noise = _chance(rows, small, "ns")
    for words, filters in (("`auto` and `blocked`, verified at each", ("auto", "blocked")),
                           ("`auto`, verified by LevelDB (paranoid_checks)", ("auto" + TRUSTED,))):
        yield _times(f"{what}, {words}", f"no more than with LevelDB's own{chance}", noise,
                     [(row, own(rows, row)) for row in small if row["filter"] in filters], "ns")


def _large_times(rows, large):
    """Of each layout and block size: no worst case, so that nothing hides behind it."""
    what = "LevelDB, time per absent Get in blocks of 64 KiB and 1 MiB"
    asked = "nothing is asked: an absent key pays for the check of the filter bytes that it reads"
    pairs = [(row, own(rows, row)) for row in large if not row["filter"].startswith(BLOOM["leveldb"])]
    if not pairs or not all(theirs for _, theirs in pairs):
        return unknown(what, asked)
    return (what, asked, NO_VERDICT,
            ". ".join(f"`{row['filter']}` in blocks of {row['block_bytes']}: {ratio(times(row, theirs), 1)}, "
                      f"{number(row['ns'])} to {number(theirs['ns'])} ns" for row, theirs in pairs), "", [])


def _timed(row, field):
    return {**row, "ns": row[field], "ns_each": row[f"{field}_each"]}


def _expected(leveldb):
    """Both layouts at two block sizes; the images' own rate hides an image that is not what was asked for."""
    what = "LevelDB, blocks of 64 KiB and 1 MiB"
    asked = "false positives within 10 % of what the images expect and of the model"
    ours = [row for row in leveldb if row["block_bytes"] >= LARGE_BLOCKS and row["filter"] in ("blocked", "retrieval")]
    sizes = {row["block_bytes"] for row in ours}
    if (len(sizes) < 2 or len({(row["filter"], row["block_bytes"]) for row in ours}) < 2 * len(sizes) or
            not all(row["expected_fpr"] and row["model_fpr"] for row in ours)):
        return unknown(what, asked)
    row, field = max(((row, field) for row in ours for field in ("expected_fpr", "model_fpr")),
                     key=lambda pair: abs(pair[0]["fpr"] / pair[0][pair[1]] - 1))
    off = row["fpr"] / row[field]
    return (what, asked, verdict(abs(off - 1) <= MOST_OFF),
            f"{ratio(off, 1, 3)}: {percent(row['fpr'])} to {percent(row[field])} %"
            f"{' of the model' if field == 'model_fpr' else ''}", place(row), [])


def place(row):
    return (f"`{row['filter']}`, {number(row['keys_per_filter'])} keys per filter, values of {row['value_bytes']} bytes, "
            f"blocks of {row['block_bytes']}")


def _all(rows):
    table = Table(("engine", "l"), ("block bytes", "r"), ("value bytes", "r"), ("keys per filter", "r"), ("filter", "l"),
                  ("asked bits per key", "r"), ("filter bytes", "r"), ("real bits per key", "r"), ("absent Gets", "r"),
                  ("let through", "r"), ("FPR %", "r"), ("expected %", "r"), ("model %", "r"), ("ns per Get", "r"), ("", "r"),
                  ("ns per key, MultiGet", "r"))
    for row in rows:
        theirs = own(rows, row)
        table.add(row["engine"], row["block_bytes"], row["value_bytes"],
                  number(row["keys_per_filter"]) if row["keys_per_filter"] else "", f"`{row['filter']}`",
                  bits(row["asked_bits_per_key"]) if row["asked_bits_per_key"] else "", row["filter_bytes"],
                  bits(row["bits_per_key"]), count(row["gets"]), row["false_positives"],
                  percent(row["fpr"]), percent(row["expected_fpr"]) if row["expected_fpr"] else "",
                  percent(row["model_fpr"]) if row["model_fpr"] else "", number(row["ns"]),
                  ratio(times(row, theirs), 1) if theirs and theirs is not row else "",
                  number(row["multi_get_ns"]) if "multi_get_ns" in row else "")
    return table
