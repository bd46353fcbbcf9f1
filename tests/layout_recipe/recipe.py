#!/usr/bin/env python3
"""Adds one more layout, `stub`, by the list in CONTRIBUTING.md ("Add a layout"), and takes it out again.

    recipe.py [--build]

The stub is a copy of `blocked` with an id of its own, in a copy of the tree. The list is right if each of its items is an edit here, and
each edit an item; it is complete if the copy builds, and the tests that go over all layouts pass (--build: minutes; at night).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_EDITS = 14
GOLDEN, GUIDE = "tests/golden/images.txt", "doc/guide/layout-and-size.md"
# By file: what is replaced, and by what.
EDITS = {
    "include/linefilter/layout.h": [("  kQuotient = 7,", "  kStub = 8,  // a copy of `blocked`\n  kQuotient = 7,")],
    "include/linefilter/c/types.h": [("  LINEFILTER_LAYOUT_QUOTIENT = 7\n", "  LINEFILTER_LAYOUT_QUOTIENT = 7,\n  LINEFILTER_LAYOUT_STUB = 8\n")],
    "python/src/linefilter/_options.py": [('"quotient"]', '"quotient", "stub"]')],
    "python/src/linefilter/_redis.py": [('"quotient"]', '"quotient", "stub"]')],
    "doc/FORMAT.md": [("7 quotient. Ids", "7 quotient, 8 stub. Ids")],
    "tests/reference/reference.h": [("kQuotient = 7;", "kQuotient = 7, kStub = 8;"),
                                    ('"quotient"};', '"quotient", "stub"};'), ("kSplitBlock, kQuotient};", "kSplitBlock, kQuotient, kStub};")],
    "tests/reference/layouts.cc": [("    case kBlocked:\n", "    case kBlocked:\n    case kStub:\n"),
                                   ("filter.layout == kBlocked ?", "filter.layout == kBlocked || filter.layout == kStub ?")],
    "tests/conformance/linefilter_format.py": [("    5: (", '    8: ("stub", range(1, 17), 64, 2**32, lambda body, k, _, h: '
                                                "has_bits(body, blocked_bits(h, k, len(body)))),\n    5: (")],
    "tests/conformance/linefilter_writer.py": [("if layout == 1 else", "if layout in (1, 8) else")],
    GOLDEN: [("# maker asked keys hash", "builder stub string xxh3 50 10 0 0 stub 7 64 0 | - - - -\n# maker asked keys hash")],
    "tests/fuzz/good_images.h": [("    all.push_back(GoodContainer(70));", "    all.push_back(GoodImage(Layout::kStub, 600, 9, 5, HashId::kXxh3));\n"
                                  "    all.push_back(GoodContainer(70));")],
    "tests/layouts/fpr_baseline.jsonl": [('"name": "blocked, 20 bits per key",', '"name": "stub, 20 bits per key", "num_keys": 1, "num_queries": 1}\n'
                                          '{"name": "blocked, 20 bits per key",')],
    GUIDE: [("| keys go, one by one |", "| as an example | `stub` | what `blocked` is |\n| keys go, one by one |")],
}
ROW = ("lib/layouts/registry.inc", "LINEFILTER_LAYOUT(Quotient)\n", "LINEFILTER_LAYOUT(Quotient)\nLINEFILTER_LAYOUT(Stub)\n")
TESTS = ["kernels", "golden", "conformance", "sizing", "status", "c_api", "redis_format", "layering", "fuzz_corpus", "filter_base", "bulk", "view"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def replace(tree, name, old, new):
    path = os.path.join(tree, name)
    text = read(path)
    assert text.count(old) == 1, f"{name} has {text.count(old)} times: {old}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def listed():
    """The files that the list names, in its order."""
    recipe = read(os.path.join(ROOT, "CONTRIBUTING.md")).split("## Add a layout")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([^`]+)`", recipe, re.MULTILINE)


def copy_of_tree(tree):
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], check=True, stdout=subprocess.PIPE, text=True)
    for name in names.stdout.splitlines():
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(tree, name))


def add(tree):
    for name in sorted(os.listdir(os.path.join(tree, "lib/layouts/blocked"))):
        text = read(os.path.join(tree, "lib/layouts/blocked", name))
        text = text.replace("Blocked", "Stub").replace("BLOCKED", "STUB").replace('"blocked"', '"stub"').replace("layouts/blocked/", "layouts/stub/")
        os.makedirs(os.path.join(tree, "lib/layouts/stub"), exist_ok=True)
        with open(os.path.join(tree, "lib/layouts/stub", name), "w", encoding="utf-8") as file:
            file.write(text)
    replace(tree, *ROW)
    for name, edits in EDITS.items():
        for old, new in edits:
            replace(tree, name, old, new)


def remove(tree):
    shutil.rmtree(os.path.join(tree, "lib/layouts/stub"))
    replace(tree, ROW[0], ROW[2], ROW[1])
    for name, edits in EDITS.items():
        for old, new in reversed(edits):
            replace(tree, name, new, old)
        assert read(os.path.join(tree, name)) == read(os.path.join(ROOT, name)), name


def build(tree):
    def run(*words, **environment):
        subprocess.run(words, check=True, cwd=tree, env={**os.environ, **environment})
    run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DLINEFILTER_BUILD_BENCH=OFF", "-DLINEFILTER_PYTHON=OFF")
    run("ninja", "-C", "build", "linefilter_tool", *[name + "_test" for name in TESTS])
    run("build/tests/golden_test", "--gtest_filter=Golden.Write", LINEFILTER_WRITE_GOLDEN=os.path.join(tree, GOLDEN))
    run("build/tests/conformance_test", LINEFILTER_WRITE_CONFORMANCE=os.path.join(tree, "tests/conformance"))
    run("ctest", "--test-dir", "build", "--output-on-failure", "-R", "^(" + "|".join([*TESTS, "conformance_python"]) + ")$")
    run("sh", "-c", "seq 1000 | build/linefilter build - --layout stub --fpr 0.01 --out stub.filter && build/linefilter info stub.filter")


def main():
    assert listed() == list(EDITS), f"CONTRIBUTING.md lists {listed()}, edited are {list(EDITS)}"
    assert len(EDITS) <= MOST_EDITS
    with tempfile.TemporaryDirectory() as tree:
        copy_of_tree(tree)
        add(tree)
        if "--build" in sys.argv[1:] or os.environ.get("LINEFILTER_NIGHTLY"):
            build(tree)
            shutil.copy2(os.path.join(ROOT, GOLDEN), os.path.join(tree, GOLDEN))
            for old, new in EDITS[GOLDEN]:
                replace(tree, GOLDEN, old, new)
        remove(tree)
    print(f"a layout is a folder, a row and {len(EDITS)} edits")


if __name__ == "__main__":
    main()
