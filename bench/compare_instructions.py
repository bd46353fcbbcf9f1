#!/usr/bin/env python3
"""Instructions per key, row by row, as callgrind counted them, against the stored baseline.

compare_instructions.py FOLDER [--baseline FILE] [--update] [--some]
  FOLDER    of tools/perf.sh instructions: rows.txt as linefilter_instructions printed it, and profile.1, profile.2, ... in
            the order of its rows
  --update  stores the counts in the baseline, beside those of other toolchains
  --some    only some rows were run (a regex was given): the others are not missed

Exit code: 0 no row needs more than 5 % more instructions than the baseline, or than the same row of a lower target; 1 one
does, or a row is missing on one of the two sides; 2 the folder cannot be used; 3 nothing was compared, because the baseline has no counts of this toolchain
(compiler, flags, CPU family, Highway, C library): counts of different compilers say nothing about each other.
"""
import argparse
import json
import os
import sys

TOLERANCE = 0.05  # callgrind is exact; this leaves room for a change that is worth it elsewhere
DEFAULT_BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")


class Unusable(Exception):
    """What was wrong, and what to do."""


def read_profile(path):
    """The instructions of one profile of callgrind."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}: callgrind writes one profile for each row; did it find the function "
                       "linefilter_counted_row?") from error
    if not any(line.startswith("desc: Trigger: --dump-after=") for line in lines):
        raise Unusable(f"{path} is not the profile of a row: run tools/perf.sh instructions again")
    for line in lines:
        if line.startswith("summary:"):
            return int(line.split()[1])
    raise Unusable(f"{path} has no line 'summary:': is this callgrind's format?")


def read_counts(folder):
    """The toolchain, and instructions per key by row, in order."""
    path = os.path.join(folder, "rows.txt")
    toolchain, counts = None, {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.split("\t") for line in file.read().splitlines()]
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}: run tools/perf.sh instructions first") from error
    for words in lines:
        if words[0] == "toolchain":
            toolchain = words[1]
        elif words[0] == "row":
            instructions = read_profile(os.path.join(folder, f"profile.{len(counts) + 1}"))
            counts[words[1]] = round(instructions / int(words[2]), 2)
    if toolchain is None or not counts:
        raise Unusable(f"{path} holds no rows: run tools/perf.sh instructions again")
    if os.path.exists(os.path.join(folder, f"profile.{len(counts) + 1}")):
        raise Unusable(f"{folder} has more profiles than rows: remove it and run tools/perf.sh instructions again")
    return toolchain, counts


def read_baseline(path):
    """Counts by row by toolchain; none if there is no such file."""
    if not os.path.exists(path):
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["toolchains"]
    except (OSError, ValueError, KeyError) as error:
        raise Unusable(f"{path} is no baseline ({error!r}): restore it, or remove it and use --update") from error


def write_baseline(path, toolchains):
    text = json.dumps({"unit": "instructions per key", "toolchains": toolchains}, indent=1, sort_keys=True)
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(path + ".tmp", path)


def target_of(row):
    """'AVX2' of 'single/blocked/AVX2'; '' of rows that have no target."""
    parts = row.split("/")
    return parts[2] if len(parts) == 3 else ""


def dearer_targets(counts):
    """What is wrong with targets: rows are in the order of targets, the best one first, and a better one is offered because it
    is faster (lib/layouts/target.cc)."""
    wrong, seen = [], {}
    for row, count in reversed(list(counts.items())):
        if not target_of(row):
            continue
        name = row.rsplit("/", 1)[0]
        fewest = seen.get(name, (count, row))
        if count > fewest[0] * (1 + TOLERANCE):
            wrong.append(f"{row}: {count:.2f} instructions per key, and {fewest[0]:.2f} on the lower target of {fewest[1]}")
        seen[name] = min(fewest, (count, row))
    return wrong


def compare(counts, baseline, some):
    """Lines of the table, what is wrong, and what is worth a remark."""
    table, wrong, remarks = [], [], []
    for row, count in counts.items():
        if row not in baseline:
            table.append(f"{row:40} {count:12.2f} {'-':>12} {'-':>8}")
            continue
        old = baseline[row]
        change = count / old - 1
        table.append(f"{row:40} {count:12.2f} {old:12.2f} {100 * change:+7.1f}%")
        if change > TOLERANCE:
            wrong.append(f"{row}: {count:.2f} instructions per key, {old:.2f} in the baseline: {100 * change:+.1f} %")
        elif change < -TOLERANCE:
            remarks.append(f"{row}: improved, {count:.2f} instructions per key, {old:.2f} in the baseline: store them with "
                           "tools/perf.sh instructions --update")
    # A target that one of the two machines lacks is not compared; a row of a target that both have must be there.
    for names, others, where in ((counts, baseline, "the baseline: store it with tools/perf.sh instructions --update"),
                                 (baseline, counts, "this run")):
        if some and names is baseline:
            continue
        lacking = sorted({target_of(row) for row in names} - {target_of(row) for row in others})
        for target in lacking:
            remarks.append(f"not compared: no row of {target} in {where}")
        for row in names:
            if row not in others and target_of(row) not in lacking:
                wrong.append(f"{row}: not in {where}")
    return table, wrong, remarks


def run(arguments):
    toolchain, counts = read_counts(arguments.folder)
    toolchains = read_baseline(arguments.baseline)
    baseline = toolchains.get(toolchain)
    print(f"toolchain: {toolchain}")
    print(f"{'row':40} {'per key':>12} {'baseline':>12} {'change':>8}")
    table, wrong, remarks = compare(counts, baseline or {}, arguments.some)
    wrong += dearer_targets(counts)
    print("\n".join(table))
    if arguments.update:
        toolchains[toolchain] = {**(baseline or {}), **counts} if arguments.some else counts
        write_baseline(arguments.baseline, toolchains)
        print(f"stored {len(counts)} rows in {arguments.baseline}")
        return 0
    if baseline is None:
        print(f"NOT COMPARED: the baseline has counts of other toolchains only ({'; '.join(sorted(toolchains)) or 'none'}). "
              "Store those of an unchanged tree with tools/perf.sh instructions --update, then compare your change")
        return 3
    for line in remarks + [f"FAILED {line}" for line in wrong]:
        print(line)
    compared = sum(row in baseline for row in counts)
    if not wrong and compared == 0:
        print("NOT COMPARED: no row of this run is in the baseline")
        return 3
    print(f"{compared} rows compared, {len(wrong)} faults, tolerance {100 * TOLERANCE:g} %")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--baseline", default=DEFAULT_BASELINE)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--some", action="store_true")
    try:
        return run(parser.parse_args())
    except Unusable as error:
        print(f"compare_instructions.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
