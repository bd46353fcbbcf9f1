#!/usr/bin/env python3
"""doc/benchmarks.html in a headless browser: it holds what BENCHMARKS.md and the plots hold, asks for nothing, complains
of nothing, sorts, searches, and can be read at night and on a phone. A page that is broken on purpose fails the same
checks."""

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "testing"))

import browser  # noqa: E402

FIXTURES = [os.path.join(ROOT, "tests", "bench", "fixtures", "results", name + ".json")
            for name in ("fixture-cpu-a", "fixture-cpu-b", "accuracy")]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages(summary, folder):
    """The Markdown of all pages, their headings as deep as in the HTML, which has them in another order."""
    others = [os.path.join(folder, name) for name in os.listdir(folder)]
    return "\n".join([read(summary), *[re.sub("^#", "##", read(path), flags=re.MULTILINE) for path in others]])


def faults(chrome, path, markdown):
    """Opens the page; says what is wrong with it, compared with the same in Markdown."""
    chrome.developer("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    chrome.developer("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    chrome.requests(), chrome.console()
    url = "file://" + path
    chrome.open(url)
    found = [f"complaint: {message}" for message in chrome.console()]
    found += [f"request: {asked}" for asked in chrome.requests() if asked not in (url, "data:,")]
    lines = markdown.split("\n")
    separators = [line for line in lines if re.match(r"\|[-|: ]+\|$", line)]
    expected = {"tables": len(separators), "rows": sum(line.startswith("|") for line in lines) - 2 * len(separators),
                "charts": sum(line.startswith("![") for line in lines),
                "headings": sum(bool(re.match(r"#+ ", line)) for line in lines),
                "items": sum(line.startswith("- ") for line in lines)}
    got = chrome.run("""
        const count = (selector) => document.querySelectorAll(selector).length;
        return {tables: count("table"), rows: count("tbody tr"), headings: count("main h1, main h2, main h3"),
                charts: [...document.querySelectorAll("figure svg")].filter((svg) => svg.getBBox().width > 100 &&
                        svg.querySelectorAll("path").length > 10).length, items: count("li")}""")
    found += [f"{got[what]} {what} instead of {number}" for what, number in expected.items() if got[what] != number]
    cells = [cell.strip() for line in lines if line.startswith("|") and line not in separators
             for cell in line.strip("|").split("|")]
    shown = chrome.run("return [...document.querySelectorAll('th, td')].map((cell) => cell.textContent)")
    if sorted(re.sub(r"`|\*\*", "", cell) for cell in cells) != sorted(shown):
        found.append("the cells are not those of the Markdown")
    twice = chrome.run("""const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
        return ids.filter((id, at) => ids.indexOf(id) !== at)""")
    dead = chrome.run("""return [...document.querySelectorAll("a")].map((a) => a.getAttribute("href"))
        .filter((href) => !href.startsWith("#") || !document.getElementById(href.slice(1)))""")
    return found + [f"id {name} twice" for name in twice] + [f"link to {href}" for href in dead]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="linefilter-html-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.chrome = browser.Browser().__enter__()
        cls.addClassCleanup(cls.chrome.__exit__)
        cls.markdown = os.path.join(cls.folder, "BENCHMARKS.md")
        cls.html = os.path.join(cls.folder, "benchmarks.html")
        subprocess.run([os.path.join(ROOT, "tools", "report"), *FIXTURES, "--allow-fixtures", "--out", cls.markdown,
                        "--plots", os.path.join(cls.folder, "plots")], check=True, stdout=subprocess.DEVNULL)
        cls.pages = pages(cls.markdown, os.path.join(cls.folder, "benchmarks"))

    def column(self, table, column):
        return self.chrome.run("""return [...document.querySelectorAll("table")[arguments[0]].tBodies[0].rows]
            .map((row) => row.cells[arguments[1]].textContent)""", table, column)

    def sort(self, table, column):
        """By a click on the head of the column."""
        self.chrome.click(f"table.under-test thead th:nth-child({column + 1}) button")
        return self.column(table, column)

    def find_table(self, *heads):
        """The first table that has these heads: its number and those of the columns."""
        titles = self.chrome.run("""return [...document.querySelectorAll("table")].map((table) =>
            [...table.tHead.rows[0].cells].map((head) => head.textContent))""")
        number = next(number for number, row in enumerate(titles) if set(heads) <= set(row))
        self.chrome.run("""document.querySelectorAll("table").forEach((table, number) =>
            table.classList.toggle("under-test", number === arguments[0]))""", number)
        return number, [titles[number].index(head) for head in heads]

    def test_the_committed_page_is_whole(self):
        self.assertEqual(faults(self.chrome, os.path.join(ROOT, "doc", "benchmarks.html"),
                                pages(os.path.join(ROOT, "BENCHMARKS.md"), os.path.join(ROOT, "doc", "benchmarks"))), [])

    def test_two_cpus_have_their_rows_and_charts(self):
        self.assertEqual(faults(self.chrome, self.html, self.pages), [])
        self.assertGreaterEqual(self.chrome.run("return document.querySelectorAll('figure').length"), 5)

    def test_a_broken_page_is_found(self):
        page, markdown = read(self.html), self.pages
        broken = os.path.join(self.folder, "broken.html")
        csp = re.search(r"<meta http-equiv[^>]*>", page)[0]
        for change, fault in (
                (("</script>", "nothing.at.all();</script>"), "complaint: "),
                (("</main>", '<img src="https://192.0.2.1/x.png"></main>'), "complaint: "),  # refused by the page itself
                ((csp + "\n", ""), None),
                (("</main>", '<img src="picture.png"></main>'), "request: "),
                (("<tbody>\n<tr>", "<tbody>\n<tr hidden></tr><tr>"), "rows instead of"),
                (('<figure class="wide">', '<figure class="wide"></figure><figure hidden>'), "charts instead of"),
                (("<td", "<td>x</td><td"), "the cells are not those"),
                (('href="#', 'href="#no-'), "link to #no-"),
                (("<h2 id=", "<h2 id=same></h2><h2 id=same></h2><h2 id="), "id same twice")):
            page_now = page.replace(csp, "") if change[0] == "</main>" and fault == "request: " else page
            self.assertIn(change[0], page_now)
            with open(broken, "w", encoding="utf-8") as file:
                file.write(page_now.replace(*change, 1))
            found = faults(self.chrome, broken, markdown)
            if fault is None:
                self.assertEqual(found, [])
            else:
                self.assertTrue(any(fault in one for one in found), f"{change} gave {found}")

    def test_a_click_sorts(self):
        faults(self.chrome, self.html, self.pages)
        table, (column, words) = self.find_table("FPR %", "layout")
        before = self.column(table, column), self.column(table, words)
        self.assertGreater(len(set(before[0])), 2)

        def number(cell):
            return float(cell)

        filled = [cell for cell in before[0] if cell]
        empty = [""] * (len(before[0]) - len(filled))
        self.assertEqual(self.sort(table, column), sorted(filled, key=number) + empty)
        self.assertNotEqual(self.column(table, words), before[1], "whole rows move")
        self.assertEqual(self.sort(table, column), sorted(filled, key=number, reverse=True) + empty)
        self.assertEqual(self.sort(table, column), before[0], "the third click: the page's own order")
        self.assertEqual(self.sort(table, words), sorted(before[1]))
        self.assertEqual(self.chrome.run("return document.querySelectorAll('th[aria-sort]').length"), 1)
        self.assertEqual(self.chrome.console(), [])

    def test_sizes_and_ratios_sort_as_numbers(self):
        faults(self.chrome, self.html, self.pages)
        for cells, order in ((["16MB", "24KB", "2GB", "1MB"], ["24KB", "1MB", "16MB", "2GB"]),
                             (["10.2x", "9.50x", "", "1.00x"], ["1.00x", "9.50x", "10.2x", ""]),
                             (["3.1 (2.0x)", "12.9", "0.5 (1.1x)"], ["0.5 (1.1x)", "3.1 (2.0x)", "12.9"]),
                             (["1e6", "10000", "word"], ["10000", "1e6", "word"])):
            sorted_cells = self.chrome.run("return arguments[0].slice().sort((a, b) => compare(a, b, 1))", cells)
            self.assertEqual(sorted_cells, order)

    def test_search_shows_rows_with_all_words(self):
        faults(self.chrome, self.html, self.pages)
        rows = self.chrome.run("return document.querySelectorAll('tbody tr').length")
        self.chrome.type("input", "blocked avx2")
        shown = self.chrome.run("""return [...document.querySelectorAll("tbody tr")]
            .filter((row) => row.offsetParent).map((row) => row.textContent.toLowerCase())""")
        self.assertTrue(0 < len(shown) < rows)
        for row in shown:
            self.assertIn("blocked", row)
            self.assertIn("avx2", row)
        self.assertEqual(self.chrome.run("return document.querySelector('output').textContent"),
                         f"{len(shown)} of {rows} rows")

    def test_dark_and_light(self):
        path = os.path.join(ROOT, "doc", "benchmarks.html")
        colors = {}
        for scheme in ("light", "dark"):
            faults(self.chrome, path, "")
            self.chrome.developer("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colors[scheme] = self.chrome.run("""
                const style = (element) => getComputedStyle(element);
                return [style(document.body).backgroundColor, style(document.body).color,
                        style(document.querySelector("nav a")).color, style(document.querySelector(".again")).color]""")
            for ink in colors[scheme][1:]:
                self.assertGreaterEqual(contrast(colors[scheme][0], ink), 4.5, f"{scheme}: {ink}")
        self.assertGreater(luminance(colors["light"][0]), 0.9)
        self.assertLess(luminance(colors["dark"][0]), 0.1)

    def test_a_phone_scrolls_down_only(self):
        faults(self.chrome, os.path.join(ROOT, "doc", "benchmarks.html"), "")
        self.chrome.developer("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
        self.chrome.open("file://" + os.path.join(ROOT, "doc", "benchmarks.html"))
        self.assertEqual(self.chrome.run("return document.documentElement.scrollWidth"), 360)
        self.assertLess(self.chrome.run("return document.querySelector('main').getBoundingClientRect().top"), 100,
                        "the contents are folded")
        self.assertGreater(len(base64.b64decode(self.chrome.screenshot())), 10000)


def luminance(color):
    def linear(part):
        part = int(part) / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in re.findall(r"\d+", color)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    """As WCAG defines it: 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    without = browser.is_missing()
    if without:
        sys.exit(without)  # on Ubuntu, which has no package of it, tests/bench/CMakeLists.txt leaves the test out
    unittest.main(argv=[sys.argv[0], "-v"])
