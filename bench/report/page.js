"use strict";

// A cell's number: what it begins with, as a size in bytes if it is one; NaN of anything else.
function numberOf(text) {
  const match = /^(?:at least )?([0-9.]+(?:e[0-9]+)?)(B|KB|MB|GB)?(?![0-9A-Za-z_])|^([0-9.]+)x/.exec(text);
  if (!match) return NaN;
  const unit = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }[match[2]] || 1;
  return Number(match[1] || match[3]) * unit;
}

// Numbers by value, then words; empty cells last, whichever way.
function compare(a, b, sign) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const x = numberOf(a), y = numberOf(b);
  if (isNaN(x) || isNaN(y)) return sign * (isNaN(x) - isNaN(y) || a.localeCompare(b, "en"));
  return sign * (x - y);
}

// A click sorts upwards, the next one downwards, the third brings back the order of the page.
function sortable(table) {
  const body = table.tBodies[0], original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.firstElementChild) return;
    head.firstElementChild.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort") || "none"];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      const rows = [...original];
      if (next !== "none") {
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        rows.sort((a, b) => compare(a.cells[column].textContent, b.cells[column].textContent, sign));
      }
      body.append(...rows);
    });
  });
}

const tables = [...document.querySelectorAll("table")];
const search = document.querySelector("input"), count = document.querySelector("output");

// Rows with all of the words; a table without any is not shown.
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
  let shown = 0, total = 0;
  for (const table of tables) {
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += !row.hidden;
      ++total;
    }
    table.hidden = left === 0;
    shown += left;
  }
  count.textContent = words.length ? `${shown} of ${total} rows` : "";
}

tables.forEach(sortable);
search.addEventListener("input", filter);
search.form.addEventListener("submit", (event) => event.preventDefault());
if (matchMedia("(max-width: 75rem)").matches) document.querySelector("nav details").open = false;
