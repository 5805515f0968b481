// The list of exceedances: sorted, filtered, and tied to the charts both ways.

const list = document.getElementById("list");

const ORDER = { "immediate action": 3, intervention: 2, alert: 1 };
const KEYS_OF = { severity: (row) => -ORDER[row.dataset.severity], quantity: (row) => row.dataset.quantity };

function sortList(heading) {
  const key = heading.dataset.sort;
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const other of list.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = KEYS_OF[key] || ((row) => Number(row.dataset[key] || -Infinity));
  const body = list.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row), row]);
  rows.sort(([p], [q]) => (p < q ? -1 : p > q ? 1 : 0) * (down ? -1 : 1));
  body.append(...rows.map(([, row]) => row));
}

function filterList() {
  const classes = new Set();
  for (const chip of document.querySelectorAll("#filters [data-severity]")) if (chip.getAttribute("aria-pressed") === "true") classes.add(chip.dataset.severity);
  const kind = document.getElementById("kind").value;
  let listed = 0;
  for (const row of list.tBodies[0].rows) {
    row.hidden = !classes.has(row.dataset.severity) || (kind && row.dataset.kind !== kind);
    listed += !row.hidden;
  }
  const all = list.tBodies[0].rows.length;
  document.getElementById("listed").textContent = listed === all ? "" : `${listed} of ${all} listed`;
}

// Mark one exceedance in the list and in the charts; show: bring its line into sight.
function choose(number, show) {
  chosen = number;
  if (!list) return;
  for (const row of list.tBodies[0].rows) {
    const own = Number(row.dataset.number) === number;
    row.classList.toggle("chosen", own);
    if (own && show) {
      row.hidden = false;
      row.scrollIntoView({ block: "center" });
      row.focus({ preventScroll: true });
    }
  }
  redraw();
}

function listenToList() {
  if (!list) return;
  for (const heading of list.querySelectorAll("th[data-sort]")) heading.querySelector("button").addEventListener("click", () => sortList(heading));
  for (const chip of document.querySelectorAll("#filters [data-severity]")) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filterList();
    });
  }
  document.getElementById("kind").addEventListener("change", filterList);
}
