#!/usr/bin/env python3
"""The section and the page of `quotient`: what is promised is judged by the rows, and what makes no sense is refused."""

import copy
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from summary_test import FIXTURES, load, read  # noqa: E402  (it also finds bench/report)

import choose  # noqa: E402
import page  # noqa: E402
import quotient  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402


class Quotient(unittest.TestCase):
    """Rows are made here: every promise holds, with a tenth to spare."""

    def setUp(self):
        self.context = dict(json.loads(read(FIXTURES["fixture-cpu-a"]))["context"], plan="quotient")
        self.measured = {"schema": results.THROUGHPUT, "context": self.context, "rows": []}
        for size in ("24KB", "8MB", "512MB"):
            for target in ("AVX3", "AVX2", "SCALAR"):
                for bits in (10, 12, 16, 12.64):
                    self.add("quotient", "batch", target, size, bits, 3.5)
                    self.add("blocked", "batch", target, size, bits, 3.2)
                self.add("cuckoo_12_own", "batch", target, size, 12.64, 7)
            for access in ("single", "inlined", "fill", "build"):
                self.add("quotient", access, "AVX3", size, 10, 6)
        for size in ("1220KB", "119MB"):
            self.add("quotient", "build", "AVX3", size, 10, 15)
        self.churn = {"schema": results.CHURN, "context": {**self.context, "plan": None}, "sets": [], "churn": []}
        del self.churn["context"]["plan"]
        for bits, most in quotient.MOST_FPR.items():
            rate = {"fpr": 0.9 * most, "own_fpr": 0.9 * most, "model_fpr": 0.9 * most, "fpr_queries": 10 ** 7}
            self.churn["sets"].append({"filter": "quotient", "bits_per_key": bits, "num_keys": 2000000, "lost_keys": 0, **rate})
        for filter_, bits in (("quotient", 10), ("quotient", 12.1), ("cuckoo_12_own", 12.63)):
            for order in ("random", "first in, first out")[:2 if filter_ == "quotient" else 1]:
                self.churned(filter_, bits, order, 0, 2000000)
                self.churned(filter_, bits, order, 20, 2000000)
            self.churned(filter_, bits, "random", 20, 19660)

    def add(self, layout, access, target, size, bits, ns):
        is_lookup = access in results.LOOKUPS
        row = {"access": access, "keys": "hash", "hit_percent": 50 if is_lookup else -1, "layout": layout,
               "origin": "own implementation" if layout.endswith("_own") else "linefilter", "target": target, "floor": False, "size": size,
               "body_bytes": results.size_bytes(size), "image_bytes": results.size_bytes(size), "asked_bits_per_key": bits, "bits_per_key": bits,
               "num_keys": 1000, "num_probes": 0, "fpr": 0.005, "fpr_queries": 10 ** 6, "expected_fpr": 0.005, "ns": ns, "ns_min": ns, "ns_max": ns,
               "repetitions": 1, "row": f"{access}/hash/{50 if is_lookup else 'none'}/{layout}/{target}/{size}/{bits}"}
        if layout == "cuckoo_12_own" and size == "24KB":
            row.update(ns=4.5, ns_min=4.5, ns_max=4.5)
        self.measured["rows"].append(row)

    def churned(self, filter_, bits, order, turnovers, num_keys):
        self.churn["churn"].append(
            {"filter": filter_, "origin": "linefilter", "order": order, "asked_bits_per_key": bits, "bits_per_key": bits, "num_keys": num_keys,
             "turnovers": turnovers, "fpr": 0.009, "fpr_queries": 10 ** 7, "own_fpr": 0.009, "model_fpr": 0.009, "insert_ns": 20,
             "remove_ns": 18, "lost_keys": 0, "refused_keys": 0})

    def text(self):
        return quotient.details(self.measured, self.churn).text()

    def promise(self, what):
        return next(line for line in self.text().split("\n") if line.startswith(f"| {what}"))

    def test_its_own_section_and_page(self):
        found = load(more=[self.measured, self.churn])
        self.assertEqual(len(found.cpus), 1, "it is of no CPU's page")
        section = quotient.section(self.measured, self.churn).text()
        self.assertIn(section, summary.write(found, {}, "doc/plots", "doc/benchmarks"))
        self.assertEqual(page.pages(found, {}, ".")["quotient"], self.text())
        self.assertRegex(section, r"(\d+) of \1 promises")
        self.assertLess(section.count("\n"), 20, "BENCHMARKS.md is short")
        self.assertNotIn("MISSED", self.text())
        self.assertNotIn("not measured", self.text())

    def test_one_file_alone_says_nothing(self):
        for measured, churn in ((None, self.churn), (self.measured, None)):
            for text in (quotient.section(measured, churn).text(), quotient.details(measured, churn).text()):
                self.assertIn("Not measured yet", text)
                self.assertEqual(quotient.COMMAND in text.replace("\n", " "), measured is None)

    def test_times_are_judged(self):
        for what, wanted in (("batch, 24KB, 10 / 12 / 16 bits, AVX2", {"access": "batch", "size": "24KB", "target": "AVX2", "bits": 12}),
                             ("batch, 512MB, AVX-512", {"access": "batch", "size": "512MB", "target": "AVX3", "bits": 10}),
                             ("batch, 24KB, AVX-512", {"access": "batch", "size": "24KB", "target": "AVX3", "bits": 12.64}),
                             ("one lookup, inlined", {"access": "inlined", "size": "24KB"}), ("build, 1e8", {"access": "build", "size": "119MB"})):
            self.assertIn("| ok ", self.promise(what))
            rows = choose.where(self.measured["rows"], layout="quotient", **wanted)
            self.assertEqual(len(rows), 1, what)
            rows[0]["ns"] *= 10
            self.assertIn("**MISSED**", self.promise(what))
            self.measured["rows"].remove(rows[0])
            self.assertIn("not measured", self.promise(what))

    def test_rates_are_judged(self):
        one = self.churn["sets"][2]
        one.update(fpr=0.0066, own_fpr=0.0066, model_fpr=0.0066)
        self.assertIn("**MISSED**", self.promise("rate of a set, 10 bits"))
        one["model_fpr"] = 0.0068
        self.assertIn("**MISSED**", self.promise("model against measured"))
        turned = next(row for row in self.churn["churn"] if row["asked_bits_per_key"] == 12.1 and row["turnovers"] == 20)
        self.assertIn("| ok ", self.promise("rate after 20 turnovers, 12.1 bits"))
        turned["fpr"] = 0.011
        self.assertIn("**MISSED**", self.promise("rate after 20 turnovers, 12.1 bits"))
        self.assertIn("**MISSED**", self.promise("rate after turnovers against the model, random"))

    def test_a_lost_key_is_told(self):
        self.assertIn("| ok ", self.promise("members lost"))
        self.churn["churn"][0]["lost_keys"] = 1
        self.assertIn("**MISSED**", self.promise("members lost"))
        self.assertIn("1 **MISSED** |", self.text())

    def test_theirs_is_faster(self):
        self.assertIn("| cuckoo, 12 bits (by us)", self.text())
        self.assertNotRegex(self.text(), r"\| cuckoo[^\n]*\| batch +\| AVX-512")
        for row in choose.where(self.measured["rows"], layout="cuckoo_12_own", size="24KB", target="AVX3"):
            row["ns"] = 0.7
        self.assertRegex(self.text(), r"\| cuckoo[^\n]*\| batch +\| AVX-512[^\n]* 5\.00x")

    def test_what_makes_no_sense_is_refused(self):
        for change in ({"fpr": 2}, {"fpr_queries": 0}, {"lost_keys": 0.5}, {"speed": 1}):
            broken = copy.deepcopy(self.churn)
            broken["churn"][3].update(change)
            with self.assertRaisesRegex(results.ResultsError, "entry 4 of 'churn'"):
                load(more=[broken])
        with self.assertRaisesRegex(results.ResultsError, "is there twice"):
            load(more=[{**self.churn, "churn": 2 * self.churn["churn"]}])
        with self.assertRaisesRegex(results.ResultsError, "a second file of churn"):
            load(more=[self.churn, self.churn])
        with self.assertRaisesRegex(results.ResultsError, "a second file of --plan quotient"):
            load(more=[self.measured, self.measured])


if __name__ == "__main__":
    unittest.main()
