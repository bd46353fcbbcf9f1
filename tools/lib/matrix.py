#!/usr/bin/env python3
"""Compiles sources or public headers under strict warnings, by several compilers and standards, and makes no objects.

matrix.py sources --commands COMPDB --under FOLDER... [options]
    each C++ source in one of the folders; COMPDB: what `ninja -t compdb` says of a configured build
matrix.py headers --root FOLDER [options]
    each header of include/linefilter, alone in a file of its own

Prints what a compiler says of each file that fails. Exit code 1 if a file fails, or if a compiler was given none.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
# A user of the headers has warnings of his own. The two of HEADERS_GCC are unknown to clang or mean nothing there.
HEADERS = ["-Wold-style-cast", "-Wextra-semi"]
HEADERS_GCC = ["-Wuseless-cast", "-Wnull-dereference"]
SPELLED = {"23": "2b"}  # clang 16 does not know C++23 by its final name, and every compiler knows the other one
# What says how to optimize, warn and write output is the matrix's, not the build's.
DROPPED_PREFIXES = ("-O", "-g", "-W", "-std=")
DROPPED_WITH_VALUE = ("-o", "-include", "-MF", "-MT")
DROPPED = ("-c", "-MD")


def options_of(entry):
    """What a compiler must know of a file: where its headers lie, definitions, and what changes the language."""
    words = iter(shlex.split(entry["command"]))
    kept = []
    for word in words:
        if word in DROPPED_WITH_VALUE:
            next(words)
        elif word.startswith("-isystem"):
            kept += [word, next(words)] if word == "-isystem" else [word]
        # What does not begin with "-" is the compiler, what starts it (ccache), and the file.
        elif word.startswith("-") and word not in DROPPED and not word.startswith(DROPPED_PREFIXES):
            kept.append(word)
    return kept


def sources(commands, root, folders):
    """(name, options, file, where to run) of each; what several targets compile in the same way is there once."""
    with open(commands, encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        inside = any(name.startswith(folder.rstrip("/") + "/") for folder in folders)
        if inside and name.endswith(".cc") and " -c " in entry["command"]:
            options = options_of(entry)
            found[(name, *options)] = (name, options, entry["file"], entry["directory"])
    return [found[key] for key in sorted(found)]


def headers(root):
    """The same of each public header. It is read as a source that includes it first and has nothing else."""
    include = os.path.join(root, "include")
    names = sorted(os.path.relpath(os.path.join(folder, file), include)
                   for folder, _, files in os.walk(include) for file in files if file.endswith(".h"))
    return [(f"include/{name}", ["-I", include, "-x", "c++", "-include", name], "/dev/null", root) for name in names]


def command(compiler, standard, kind, optimized, file):
    name, options, path, _ = file
    words = [compiler, "-std=c++" + SPELLED.get(standard, standard), *options, *WARNINGS]
    if kind == "headers":
        words += HEADERS + ([] if "clang" in compiler else HEADERS_GCC)
    # Null pointers are found by the optimizer, in functions that it compiles: all that are inline, too.
    words += ["-O2", "-fkeep-inline-functions", "-S", "-o", "/dev/null"] if optimized else ["-fsyntax-only"]
    return words + [path]


def compile_one(compiler, standard, kind, optimized, file):
    """What the compiler says, or None if it takes the file without a word."""
    words = command(compiler, standard, kind, optimized, file)
    done = subprocess.run(words, cwd=file[3], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode == 0 and not done.stdout:
        return None
    return shlex.join(words) + "\n" + done.stdout.decode(errors="replace")


def run(arguments, files):
    """Compiles all; the number of files that failed, of those that were compiled."""
    failed = compiled = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for compiler in arguments.compilers:
            for standard in arguments.standards:
                label = f"{compiler} C++{standard}{' -O2' if arguments.optimized else ''}"
                faults = 0
                results = pool.map(lambda file: compile_one(compiler, standard, arguments.kind, arguments.optimized, file),
                                   files)
                for file, said in zip(files, results):
                    if said is not None:
                        faults += 1
                        print(f"==== {label}: {file[0]} does not compile\n{said}", flush=True)
                print(f"{label}: {len(files) - faults} of {len(files)} compile", flush=True)
                failed += faults
                compiled += len(files)
    return failed, compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("sources", "headers"))
    parser.add_argument("--commands", help="what `ninja -t compdb` says of a configured build")
    parser.add_argument("--under", nargs="+", default=["lib", "tools", "tests"],
                        help="folders of sources, relative to the root")
    parser.add_argument("--root", default=os.getcwd(), help="where include/ lies")
    parser.add_argument("--compilers", nargs="+", default=["g++"])
    parser.add_argument("--standards", nargs="+", default=["17", "20", "23"])
    parser.add_argument("--optimized", action="store_true", help="-O2 instead of -fsyntax-only, for g++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.kind == "sources":
        files = sources(arguments.commands, os.path.abspath(arguments.root), arguments.under)
    else:
        files = headers(arguments.root)
    failed, compiled = run(arguments, files)
    print(f"{failed} of {compiled} do not compile")
    return 0 if compiled > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
