"""What gcov counted, per file of lib/: gcov --json-format --stdout ... | coverage.py ROOT LEAST

A line that several compilations contain (a header, a kernel of several targets) has run if it has in one of them.
"""
import collections
import json
import os
import sys


def ranges(lines):
    """[1, 2, 3, 7] as "1-3 7"."""
    parts = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    root, least = sys.argv[1], float(sys.argv[2])
    counts = collections.defaultdict(collections.Counter)  # of each file: how often each line ran
    for document in sys.stdin:
        unit = json.loads(document)
        for source in unit["files"]:
            path = os.path.relpath(os.path.join(unit["current_working_directory"], source["file"]), root)
            if path.startswith("lib/"):
                for line in source["lines"]:
                    counts[path][line["line_number"]] += line["count"]

    total = run = 0
    for path, lines in sorted(counts.items()):
        missed = sorted(number for number, count in lines.items() if count == 0)
        total += len(lines)
        run += len(lines) - len(missed)
        share = 100 * (len(lines) - len(missed)) / len(lines)
        print(f"{share:6.1f} % of {len(lines):4}  {path}{'  not: ' if missed else ''}{ranges(missed)}")
    share = 100 * run / max(total, 1)
    print(f"{share:6.2f} % of {total} lines of lib/ ran, {total - run} did not")
    return 0 if total > 0 and share >= least else 1


sys.exit(main())
