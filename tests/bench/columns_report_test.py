#!/usr/bin/env python3
"""The page of columns and joins: what is promised is judged by the rows, and what makes no sense is refused."""

import copy
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from summary_test import FIXTURES, load, read  # noqa: E402  (it also finds bench/report)

import choose  # noqa: E402
import columns  # noqa: E402
import join_plot  # noqa: E402
import page  # noqa: E402
import plots  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402

TARGETS = {"AVX3_DL": 1, "AVX2": 2}


class Columns(unittest.TestCase):
    """Rows are made here: every promise holds, with a tenth to spare."""

    def setUp(self):
        context = json.loads(read(FIXTURES["fixture-cpu-a"]))["context"]
        self.measured = {"schema": results.COLUMNS, "context": context, "rows": []}
        self.joins = {"schema": results.JOINS, "context": context, "rows": []}
        for target, factor in TARGETS.items():
            for layout, most in columns.MOST_SELECT.items():
                for percent in columns.PERCENTS:
                    for size, times in ((columns.SMALL, 1), (columns.LARGE, 3)):
                        ours = 0.9 * factor * most * times
                        for what, ns in (("select", ours), ("batch", 0.9 * ours), ("engine_loop", 3 * ours)):
                            self.add(what, target, ns, layout, size, percent)
            for what, ns in (("hash", 0.55 * factor), ("text", 7 * factor), ("dictionary", 0.45 * factor), ("no_filter", 0.5), ("scan_filter", 0.5)):
                self.add(what, target, ns)
        for build_rows in (1000, 1000000):
            for percent in (0.1, 1, 100):
                self.join(build_rows, percent, "AVX3_DL", 2 + percent / 10)
        self.join(1000000, 1, "AVX2", 3)

    def add(self, what, target, ns, layout="none", size="none", percent=-1):
        self.measured["rows"].append({"what": what, "layout": layout, "size": size, "percent": percent, "target": target, "ns": ns,
                                      "ns_each": [0.95 * ns, ns, 1.1 * ns]})

    def join(self, build_rows, percent, target, ns):
        self.joins["rows"].append({"build_rows": build_rows, "probe_rows": 10 ** 8, "percent": percent, "target": target, "layout": "split_block",
                                   "bits_per_key": 10, "found_rows": 10 ** 6, "without_ns": 10, "columns_ns": ns, "one_by_one_ns": 2 * ns,
                                   "filter_ns": 0.1, "table_bytes": 32768, "filter_bytes": 1280})

    def text(self):
        return columns.details(self.measured, self.joins).text()

    def promise(self, what):
        return next(line for line in self.text().split("\n") if line.startswith(f"| {what}"))

    def test_its_own_page_and_plot(self):
        found = load(more=[self.measured, self.joins])
        self.assertEqual(len(found.cpus), 1, "it is of no CPU's page")
        figures = plots.all_figures(found)
        self.assertIn("build rows", figures["join.svg"][1])
        of_page = page.pages(found, {"join.svg": "A join"}, "../plots")["columns"]
        self.assertEqual(of_page, self.text() + "\n![A join](../plots/join.svg)\n")
        self.assertIn("(columns.md)", page.contents(found))
        self.assertIn("benchmarks/columns.md", summary.write(found, {}, "doc/plots", "doc/benchmarks"))
        self.assertNotIn("MISSED", of_page)
        self.assertNotIn("ot measured", of_page)
        self.assertEqual(of_page.count("| ok "), 24)

    def test_what_one_file_cannot_tell(self):
        for measured, joins in ((None, self.joins), (self.measured, None), (None, None)):
            text = columns.details(measured, joins).text().replace("\n", " ")
            self.assertIn("Not measured yet", text)
            self.assertEqual(f"`{columns.COMMAND}`" in text.split("tools/report")[0], measured is None)
            self.assertEqual(f"`{columns.JOINS_COMMAND}`" in text.split("tools/report")[0], joins is None)
            self.assertEqual("| not measured |" in text, bool(measured or joins))
        self.assertIsNone(join_plot.join(None))
        self.assertNotIn("join.svg", plots.all_figures(load()))

    def test_the_worst_pass_rate_and_layout_count(self):
        for what, wanted, factor in (
                ("selection, `blocked`, 512KB, AVX2 ", {"what": "select", "layout": "blocked", "size": "512KB", "percent": 99, "target": "AVX2"}, 1.2),
                ("selection, slowest pass rate, 512KB, AVX2", {"what": "select", "layout": "split_block", "size": "512KB", "percent": 1, "target": "AVX2"}, 1.2),
                ("selection, 256MB, AVX-512 ", {"what": "batch", "layout": "retrieval", "size": "256MB", "percent": 50, "target": "AVX3_DL"}, 0.8),
                ("selection, 512KB, AVX-512 ", {"what": "engine_loop", "layout": "blocked", "size": "512KB", "percent": 1, "target": "AVX3_DL"}, 0.6),
                ("hash of INT64, AVX-512", {"what": "hash", "target": "AVX3_DL"}, 1.2),
                ("selection of texts of 8 to 24 bytes, AVX2", {"what": "text", "target": "AVX2"}, 1.2),
                ("selection of a dictionary of 1,000 texts, AVX-512", {"what": "dictionary", "target": "AVX3_DL"}, 1.2),
                ("`ScanFilter` that lets all rows go on, AVX2", {"what": "no_filter", "target": "AVX2"}, 0.9)):
            with self.subTest(what):
                self.setUp()
                self.assertIn("| ok ", self.promise(what))
                rows = choose.where(self.measured["rows"], **wanted)
                self.assertEqual(len(rows), 1)
                rows[0]["ns"] *= factor
                rows[0]["ns_each"] = [factor * ns for ns in rows[0]["ns_each"]]
                self.assertIn("**MISSED**", self.promise(what))
                self.measured["rows"].remove(rows[0])
                self.assertIn("not measured", self.promise(what), "a part is not the whole")

    def test_a_join_counts_the_making_of_its_filter(self):
        self.assertIn("| ok ", self.promise("join, 1e6 build rows, 1 % found, AVX-512"))
        row = next(iter(choose.where(self.joins["rows"], build_rows=1000000, percent=1, target="AVX3_DL")))
        row["filter_ns"] = 2
        self.assertIn("**MISSED**", self.promise("join, 1e6 build rows, 1 % found, AVX-512"))
        self.assertIn("| ok ", self.promise("join, 1e6 build rows, 1 % found, AVX2"))
        self.joins["rows"].remove(row)
        self.assertIn("not measured", self.promise("join, 1e6 build rows, 1 % found, AVX-512"))

    def test_what_makes_no_sense_is_refused(self):
        for data, changes in ((self.measured, ({"what": "guess"}, {"percent": 101}, {"percent": -2}, {"ns": 0}, {"ns": 10 ** 6}, {"ns_each": []},
                                               {"ns_each": [0, 1]}, {"size": ""}, {"speed": 1})),
                              (self.joins, ({"percent": 0}, {"percent": 101}, {"found_rows": 10 ** 9}, {"build_rows": 0}, {"columns_ns": 0},
                                            {"filter_ns": -1}, {"target": ""}, {"speed": 1}))):
            for change in changes:
                broken = copy.deepcopy(data)
                broken["rows"][3].update(change)
                with self.assertRaisesRegex(results.ResultsError, "row number 4", msg=change):
                    load(more=[broken])
            missing = copy.deepcopy(data)
            del missing["rows"][3]["target"]
            with self.assertRaisesRegex(results.ResultsError, "row number 4: field 'target' is missing"):
                load(more=[missing])
            with self.assertRaisesRegex(results.ResultsError, "is there twice"):
                load(more=[{**data, "rows": 2 * data["rows"]}])
            with self.assertRaisesRegex(results.ResultsError, "'rows' must be a list with at least one entry"):
                load(more=[{**data, "rows": []}])
            with self.assertRaisesRegex(results.ResultsError, "a second file of (columns|joins)"):
                load(more=[data, data])


if __name__ == "__main__":
    unittest.main()
