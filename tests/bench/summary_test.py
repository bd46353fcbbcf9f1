#!/usr/bin/env python3
"""BENCHMARKS.md and the first figures of README.md: which rows they are made of, and that both are short and from bench/results."""

import copy
import glob
import json
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench", "report"))

import choose  # noqa: E402
import choose_plot  # noqa: E402
import engines  # noqa: E402
import goals  # noqa: E402
import headline  # noqa: E402
import losses  # noqa: E402
import markdown  # noqa: E402
import page  # noqa: E402
import parquet  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402
import table_files  # noqa: E402

FIXTURES = {name: os.path.join(ROOT, "tests", "bench", "fixtures", "results", f"{name}.json")
            for name in ("fixture-cpu-a", "fixture-cpu-b", "accuracy")}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def load(change=None, more=()):
    """The fixtures: A after a change, and those that `more` names or holds."""
    data = json.loads(read(FIXTURES["fixture-cpu-a"]))
    if change:
        change(data)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"cpu-{number}.json") for number in range(1 + len(more))]
        for path, one in zip(paths, (data, *more)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(one if isinstance(one, str) else json.dumps(one))
        return results.load(paths, True)


def committed():
    return results.load(sorted(glob.glob(os.path.join(ROOT, "bench", "results", "*.json")) +
                               glob.glob(os.path.join(ROOT, "bench", "results", "cpus", "*.json"))))


def row_like(data, name, **changed):
    row = copy.deepcopy(next(row for row in data["rows"] if row["row"] == name))
    row.update(changed)
    if "ns" in changed:
        row["ns_min"] = row["ns_max"] = changed["ns"]
    return row


def keyed(data, layout="blocked", **changed):
    target = "AVX3" if layout == "blocked" else "packaged"
    bits = changed.setdefault("asked_bits_per_key", 9.94)
    return row_like(data, f"single/u64/50/{layout}/{target}/1MB/10", row=f"single/u64/50/{layout}/{target}/1MB/{bits}", **changed)


class Goals(unittest.TestCase):
    def test_the_smallest_measured_size_that_is_accurate_enough(self):
        cpu = load().cpus[0]
        for layout, goal, asked in (("blocked", 0.01, 10), ("blocked", 0.001, 16), ("rocksdb_bloom", 0.01, 10)):
            way = goals.way(cpu, layout, goal)
            self.assertEqual(way.row["asked_bits_per_key"], asked)
            self.assertLessEqual(way.row["fpr"], goal)
        self.assertIsNone(goals.way(cpu, "blocked", 1e-9), "nothing is interpolated")
        self.assertIsNone(goals.way(cpu, "split_block_256", 0.01), "no row of 64-bit keys")
        self.assertEqual({row["asked_bits_per_key"] for row in goals.way(cpu, "blocked", 0.01).rows()}, {10})

    def test_rows_keyed_by_rate_come_first_and_stay_out_of_other_tables(self):
        def change(data):
            data["rows"].append(keyed(data, rate_goal=0.01, lines=1, bits_per_key=9.94, ns=0.77))

        cpu = load(change).cpus[0]
        self.assertEqual(goals.way(cpu, "blocked", 0.01).row["ns"], 0.77)
        self.assertIsNone(goals.way(cpu, "blocked", 0.001), "a filter that has such rows has no others")
        self.assertEqual(goals.way(cpu, "rocksdb_bloom", 0.01).row["asked_bits_per_key"], 10)
        self.assertEqual(choose.where(cpu.rows, bits=9.94), [])

    def test_lines(self):
        cpu = load().cpus[0]
        lines = {layout: goals.way(cpu, layout, 0.01).lines for layout in ("blocked", "rocksdb_ribbon", "classic")}
        self.assertEqual((lines["blocked"], lines["rocksdb_ribbon"]), ("1", "-"))
        self.assertGreater(int(lines["classic"]), 1)

        def change(data):
            data["rows"].append(keyed(data, "rocksdb_ribbon", rate_goal=0.01, lines=2.5))

        self.assertEqual(goals.way(load(change).cpus[0], "rocksdb_ribbon", 0.01).lines, "2.50")

    def test_the_table_names_ours_and_marks_what_is_not_measured(self):
        text = goals.section(load().cpus[0]).text()
        self.assertIn("| **to 0.1 %**", text)
        line = next(line for line in text.split("\n") if "**blocked**" in line)
        self.assertTrue(line.rstrip(" |").endswith("-"), "no build at 512 MB is measured")
        self.assertIn("RocksDB Bloom", text)


class Cpus(unittest.TestCase):
    def of_plan(self, cpu="Fixture CPU A"):
        data = json.loads(read(FIXTURES["fixture-cpu-a"]))
        data["context"].update(plan="cpus", cpu=cpu, commit="1234567")
        data["rows"] = [keyed(data, rate_goal=0.01, lines=1, ns=0.5), keyed(data, asked_bits_per_key=11)]
        return data

    def test_the_small_plan_adds_rates_to_the_full_one(self):
        both = load(more=[self.of_plan()])
        self.assertEqual(len(both.cpus), 1)
        self.assertEqual(goals.way(both.cpus[0], "blocked", 0.01).row["ns"], 0.5)
        self.assertEqual(len(both.cpus[0].rows), len(load().cpus[0].rows))
        self.assertIn("commit 1234567", goals.section(both.cpus[0]).text())
        self.assertIn("1234567", page.machines(both).text())

    def test_another_cpu_stands_beside_it(self):
        both = load(more=[self.of_plan("Fixture CPU Z")])
        self.assertEqual([cpu.name for cpu in both.cpus], ["Fixture CPU A", "Fixture CPU Z"])
        text = summary.cpus(both).text()
        line = next(line for line in text.split("\n") if line.startswith("| blocked") and "1 MB" in line)
        self.assertIn(" 0.500 ", line)
        self.assertIn("B is Fixture Z. On A each filter has the next size of the full run", text.replace("\n", " "))
        self.assertNotIn("On B", text)
        self.assertEqual(summary.cpus(load()).text(), "", "one CPU has no other beside it")
        self.assertEqual(headline.best_cpu(both).name, "Fixture CPU A", "RocksDB was measured there alone")
        with self.assertRaises(results.ResultsError):
            load(more=[self.of_plan(), self.of_plan()])


    def test_a_call_never_stands_beside_an_inlined_lookup(self):
        other = self.of_plan("Fixture CPU Z")
        inlined = copy.deepcopy(other["rows"][0])
        inlined.update(row=inlined["row"].replace("single", "inlined"), access="inlined", ns=0.25, ns_min=0.25, ns_max=0.25)
        other["rows"].append(inlined)

        def change(data):
            data["rows"] = [row for row in data["rows"] if not (row["access"] == "inlined" and row["keys"] == "u64")]

        text = summary.cpus(load(change, more=[other])).text()
        line = next(line for line in text.split("\n") if line.startswith("| blocked") and "1 MB" in line)
        self.assertIn(" 0.500 ", line)
        self.assertNotIn("0.25", line)

    def test_long_names_and_more_cpus_stay_on_the_page(self):
        names = ["AMD EPYC (family 26, model 2, stepping 0)", "AMD EPYC (family 26, model 2, stepping 1)", "ARM Neoverse-V2",
                 "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"]
        for number in (1, 2, 3, 4):
            text = summary.cpus(load(more=[self.of_plan(name) for name in names[:number]])).text()
            self.assertLessEqual(max(len(line) for line in text.split("\n")), 140)
            head = next(line for line in text.split("\n") if line.startswith("| filter"))
            columns = [cell.strip() for cell in head.strip("|").split("|")]
            self.assertEqual(len(set(columns)), len(columns), "two CPUs of one name")
        self.assertIn("E is Intel Xeon Platinum 8375C.", text.replace("\n", " "))

    def test_rows_by_rate_of_ten_bits_are_in_the_picture(self):
        data = self.of_plan("Fixture CPU Z")
        data["rows"] = [dict(data["rows"][1], asked_bits_per_key=10, rate_goal=0.01)]
        data["rows"][0]["row"] = data["rows"][0]["row"].replace("/11", "/10")
        cpu = next(cpu for cpu in load(more=[data]).cpus if cpu.name == "Fixture CPU Z")
        self.assertEqual([one["layout"] for one, _ in choose_plot.points(cpu, goals.SMALL)], ["blocked"])

    def test_commands_name_the_plan(self):
        cpus = load(more=[self.of_plan("Fixture CPU Z")]).cpus
        commands = [markdown.rows_command(cpu.rows[:1]) for cpu in cpus]
        self.assertEqual([" --plan cpus " in command for command in commands], [False, True])


class TableFiles(unittest.TestCase):
    def setUp(self):
        self.measured = json.loads(read(os.path.join(ROOT, "bench", "results", "tables.json")))

    def lines(self):
        return [line for line in table_files.section(self.measured).text().split("\n") if re.match(r"\| \d+ of ", line)]

    def test_a_line_for_each_filter_and_no_lost_key(self):
        lines = self.lines()
        self.assertEqual(len(lines), 2 * 4)
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            self.assertEqual(cells[-1], "" if cells[1] == "none" else "0")
            self.assertLess(float(cells[3]), 1.01 if cells[1] == "none" else 0.012)
        self.assertIn(lines[0], summary.write(load(more=[self.measured]), {}, "doc/plots", "doc/benchmarks"))

    def test_a_lost_key_is_told(self):
        next(row for row in self.measured["rows"] if "lost_keys" in row)["lost_keys"] = 1
        self.assertEqual(sum("1 **MISSED**" in line for line in self.lines()), 1)

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("Not measured yet", table_files.section(None).text())
        for change in ({"absent_blocks": 10 ** 9}, {"absent_ns": 0}, {"filter": ""}, {"speed": 1}):
            broken = copy.deepcopy(self.measured)
            broken["rows"][3].update(change)
            with self.assertRaisesRegex(results.ResultsError, "row number 4"):
                load(more=[broken])
        with self.assertRaisesRegex(results.ResultsError, "is there twice"):
            load(more=[{**self.measured, "rows": 2 * self.measured["rows"]}])
        with self.assertRaisesRegex(results.ResultsError, "a second file of tables"):
            load(more=[self.measured, self.measured])


class Parquet(unittest.TestCase):
    def setUp(self):
        self.measured = json.loads(read(os.path.join(ROOT, "bench", "results", "parquet.json")))

    def row(self, **wanted):
        return choose.fastest(choose.where(self.measured["rows"], **wanted))

    def change(self, row, factor):
        for field in ("ns", "ns_min", "ns_max"):
            row[field] *= factor
        row["ns_each"] = [factor * each for each in row["ns_each"]]

    def promise(self, what):
        return next(line for line in parquet.section(self.measured).text().split("\n") if line.startswith(f"| {what}"))

    def test_its_own_section_and_page(self):
        found = load(more=[self.measured])
        self.assertEqual(len(found.cpus), 1, "it is of no CPU's page")
        text = summary.write(found, {}, "doc/plots", "doc/benchmarks")
        self.assertIn(parquet.section(self.measured).text(), text)
        self.assertIn("`split_block_concurrent`", page.pages(found, {}, ".")["parquet"])
        self.assertIn(markdown.ns(self.row(layout="arrow_loop", target="AVX2", access="batch", size="2MB")), self.promise("Arrow's loop"))

    def test_promises_are_judged(self):
        for what, wanted in (("lookups, batch, 128KB", {"access": "batch", "size": "128KB"}),
                             ("insertions, batch, 32MB", {"access": "insert_batch", "size": "32MB"})):
            rows = choose.where(self.measured["rows"], layout="arrow_loop", **wanted)
            self.assertIn("| ok ", self.promise(what))
            for row in rows:
                self.change(row, 0.1)
            self.assertIn("**MISSED**", self.promise(what))
            self.measured["rows"] = [row for row in self.measured["rows"] if row not in rows]
            self.assertIn("not measured", self.promise(what))

    def test_the_worst_size_counts(self):
        self.assertIn("| ok ", self.promise("lookups, batch, SSE4"))
        self.change(self.row(layout="split_block", target="SSE4", access="batch", size="32MB"), 20)
        self.assertIn("**MISSED**", self.promise("lookups, batch, SSE4"))

    def test_theirs_is_faster(self):
        losses = [line for line in parquet.section(self.measured).text().split("\n") if re.search(r"\| build .*x \|", line)]
        self.assertEqual(losses, [])
        for row in choose.where(self.measured["rows"], layout="split_block", access="build", size="2MB"):
            self.change(row, 30)
        losses = [line for line in parquet.section(self.measured).text().split("\n") if re.search(r"\| build .* 2MB \| .*x \|", line)]
        self.assertGreater(len(losses), 0)

    def test_one_file_alone(self):
        self.assertIn("Not measured yet", parquet.section(None).text())
        self.assertIn("Not measured yet", parquet.details(None).text())
        with self.assertRaisesRegex(results.ResultsError, "a second file of --plan parquet"):
            load(more=[self.measured, self.measured])


class Engines(unittest.TestCase):
    def test_losses_are_told_and_no_gains(self):
        with open(os.path.join(ROOT, "bench", "results", "engines.json"), encoding="utf-8") as file:
            measured = json.load(file)
        self.assertEqual(len(list(summary._engines(measured))), 3)
        large = [row for row in measured["rows"] if row["block_bytes"] >= engines.LARGE_BLOCKS and row["filter"] == "retrieval"]
        for row in large:
            row["block_bytes"] = 64 << 10
        for row in measured["rows"]:
            if row["block_bytes"] == 1 << 20:
                row["block_bytes"] = 64 << 10
        self.assertTrue(any("blocks of 64 KiB" in note for note in summary._engines(measured)))
        for row in measured["rows"]:
            if row["filter"] in ("blocked", "auto", "retrieval"):
                row["ns"], row["ns_each"] = 1, []
        self.assertEqual(list(summary._engines(measured)), [])


class Losses(unittest.TestCase):
    def test_the_same_rate_with_less(self):
        def change(data):
            data["rows"] += [keyed(data, rate_goal=0.01, ns=3), keyed(data, "rocksdb_bloom", rate_goal=0.01, ns=2),
                             keyed(data, "leveldb_bloom", rate_goal=0.01, ns=1, fpr=0.02)]

        text = summary.to_the_same_rate(load(change).cpus[0])
        self.assertIn("RocksDB Bloom", text)
        self.assertIn("1.50x", text)
        self.assertNotIn("LevelDB", text, "it has not reached the rate")
        self.assertEqual(summary.to_the_same_rate(load().cpus[0]), "")

    def test_usual_accesses_come_first(self):
        text = summary.where_we_lose(load().cpus[0], load()).text()
        accesses = [line.split("|")[2].strip() for line in text.split("\n") if line.startswith("|") and "---" not in line][1:]
        order = [summary.ACCESSES.index(access) for access in accesses]
        self.assertEqual(order, sorted(order))
        self.assertTrue({kind for kind, _, _ in losses.against_peers(load().cpus[0])[1]} <= set(summary.KINDS))

    def test_a_planted_loss_is_told(self):
        def change(data):
            for row in data["rows"]:
                if row["row"] == "single/u64/50/rocksdb_bloom/packaged/1MB/10":
                    row["ns"] = row["ns_min"] = row["ns_max"] = 0.01

        lines = summary.where_we_lose(load(change).cpus[0], load()).text().split("\n")
        self.assertTrue(any("RocksDB Bloom" in line and "| single" in line and "faster" in line for line in lines))


class FirstScreen(unittest.TestCase):
    def test_figures_have_their_place(self):
        found = load()
        text = headline.in_readme(f"a\n{headline.BEGIN}old\n{headline.END}b\n", found)
        self.assertTrue(text.startswith("a\n") and text.endswith("b\n") and "old" not in text)
        self.assertIn("RocksDB's filters", text)
        self.assertIsNone(headline.in_readme("a\nb\n", found))

    def test_nothing_is_said_of_times_that_are_not_there(self):
        self.assertIn("| bits per key", headline.text(load()))
        self.assertNotIn("Times are", headline.text(load()), "no row has calls of RocksDB in batches")
        self.assertIn("Times are per 64-bit key", headline.text(committed()))
        self.assertIn("was measured inside the engine on AMD EPYC", headline.text(committed()))

    def test_the_committed_pages_are_short_and_from_the_results(self):
        readme, benchmarks = (read(os.path.join(ROOT, name)) for name in ("README.md", "BENCHMARKS.md"))
        self.assertLessEqual(readme.count("\n"), 160)
        self.assertLessEqual(benchmarks.count("\n"), 270)
        self.assertLessEqual(max(len(line) for line in benchmarks.split("\n") if line.startswith("|")), 140)
        self.assertEqual(headline.in_readme(readme, committed()), readme, "run tools/report")
        self.assertIn(headline.text(committed()), benchmarks)
        lines = [line for line in headline.text(committed()).split("\n") if line.startswith("|")]
        self.assertEqual(len(lines), 2 + 5)

    def test_own_reimplementations_say_so_in_every_table(self):
        found = committed()
        own = {row["layout"] for cpu in found.cpus for row in cpu.rows + cpu.by_rate if choose.is_own_code(row)}
        self.assertGreater(len(own), 3)
        page.pages(found, {}, ".")
        for path in (os.path.join(ROOT, "BENCHMARKS.md"), *glob.glob(os.path.join(ROOT, "doc", "benchmarks", "*.md"))):
            for line in read(path).split("\n"):
                first = re.match(r"\| *`(\w+)`( \(by us\))? *\|", line)
                if first and first[1] in own:
                    self.assertTrue(first[2] or first[1].endswith("_own"), f"{path}: {line[:60]}")


if __name__ == "__main__":
    unittest.main()
