"""What filters and CPUs are called where people choose.

A peer whose code is a reimplementation by this project says "(by us)".
"""

import re

FILTERS = {"leveldb_bloom": "LevelDB Bloom", "rocksdb_bloom": "RocksDB Bloom", "rocksdb_ribbon": "RocksDB Ribbon",
           "boost_bloom": "Boost.Bloom", "arrow_split_block": "Arrow split block",
           "binary_fuse_8_own": "binary fuse 8 (by us)", "cuckoo_10_own": "cuckoo, 10 bits (by us)",
           "cuckoo_12_own": "cuckoo, 12 bits (by us)", "cuckoo_16_own": "cuckoo, 16 bits (by us)", "k_independent": "k bits, gathered (by us)",
           "k_independent_permute": "k bits, permuted (by us)", "split_block_256": "split block 256 (by us)",
           "split_block_8x64": "split block 512 (by us)", "arrow_loop": "Arrow's loop (by us)",
           "impala_split_block": "Impala's block (by us)",
           "multiblock_256": "Boost.Bloom's block (by us)", "multiblock64": "multiblock 64, plain (by us)",
           "multiblock64_branchless": "multiblock 64, no jump (by us)"}
# Family and model of AMD's EPYC, whose names say nothing else.
GENERATIONS = {("25", "1"): "Zen 3", ("25", "17"): "Zen 4", ("25", "160"): "Zen 4c", ("26", "2"): "Zen 5",
               ("26", "17"): "Zen 5c"}


def of_filter(layout):
    return FILTERS.get(layout, layout)


def of_cpu(cpu):
    """Without what says nothing, at most 30 characters, for the head of a column or the margin of a figure."""
    amd = re.match(r"(AMD EPYC) \(family (\d+), model (\d+)", cpu)
    if amd and (amd[2], amd[3]) in GENERATIONS:
        return f"{amd[1]}, {GENERATIONS[amd[2], amd[3]]}"
    words = re.sub(r"\((R|TM|tm|r)\)|@.*|\b(CPU|Processor|\d+-Core)\b", " ", cpu).split()
    return " ".join(words)[:30]
