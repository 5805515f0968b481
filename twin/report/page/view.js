// The view: the rows of the page, which stretch they show, and where the cursor is.

const FEWEST = 5; // shortest stretch that can be shown [m]

const whole = { from: 0, to: 1 };
const view = { from: 0, to: 1 };
let fit = false;
let cursor = null; // arc length [m]
let rows = [];
let waiting = false;

const charts = document.getElementById("charts");
const overview = document.getElementById("overview");
const cursorMark = document.getElementById("cursor");
const selection = document.getElementById("selection");

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// One row per strip: title, canvas, and a legend that is also the read-out.
function addRow(title, note, className) {
  const row = element("section", `strip ${className}`);
  const heading = element("h3", "", title);
  if (note) heading.append(element("small", "", note));
  const canvas = element("canvas");
  const legend = element("ul");
  row.append(heading, canvas, legend);
  charts.append(row);
  return { row, canvas, legend };
}

const isOpen = (group) => !run.groups.length || run.groups.some(({ title, open }) => title === group && open);

function legendEntry(legend, className, text) {
  const entry = element("li", className, text);
  const value = element("b");
  entry.append(value);
  legend.append(entry);
  return value;
}

// The row of a strip; its columns are unpacked when its group is opened.
async function addStrip(strip) {
  const row = addRow(strip.title, [strip.unit, strip.note].filter(Boolean).join(", "), "");
  row.row.hidden = !isOpen(strip.group);
  strip.marks = run.exceedances.filter(({ name }) => strip.name && name === strip.name);
  row.canvas.dataset.strip = String(run.strips.indexOf(strip));
  const readings = [];
  const read = (className, text, value) => readings.push({ output: legendEntry(row.legend, className, text), value });
  const bold = (line) => (line.role === "main" ? 0 : line.role === "earlier" ? 2 : 1);
  for (const line of [...strip.lines].sort((a, b) => bold(a) - bold(b))) {
    read(line.role, line.label, (i) => numberText(line.values[i], strip.decimals));
    if (line.sd) read("band", "± 2 sd", (i) => numberText(2 * line.sd[i], strip.decimals));
    if (line.role === "main" && strip.also) read("also", ALSO[strip.also].label, (i) => ALSO[strip.also].text(line.values[i]));
  }
  if (!strip.lines.length) row.legend.replaceWith(element("p", "empty", "not estimated in this run"));
  const height = !strip.lines.length ? 40 : strip.name ? 96 : strip.lines.some((line) => line.sd) ? 118 : 92;
  const scale = () => (fit ? fittedScale(strip) : strip.scale);
  const entry = { ...row, group: strip.group, readings, draw: (ticks) => drawStrip(row.canvas, strip, view, scale(), height, ticks) };
  entry.prepare = async () => {
    await unpackStrip(strip);
    strip.scale = strip.scale || steadyScale(strip);
  };
  rows.push(entry);
  if (!row.row.hidden) await entry.prepare();
}

function addRibbon(ribbon) {
  const row = addRow(ribbon.title, ribbon.note, "ribbon");
  row.row.hidden = !isOpen(ribbon.group);
  const output = legendEntry(row.legend, "lane", "");
  const value = (i) => {
    const block = blockAt(ribbon, run.s[i]);
    return block ? `${block[2]}, ${numberText(block[3], 2)} mm` : "–";
  };
  rows.push({ ...row, group: ribbon.group, readings: [{ output, value }], draw: (ticks) => drawRibbon(row.canvas, ribbon, view, ticks) });
}

// Buttons that show and hide groups of strips.
function addGroups() {
  const box = document.getElementById("groups");
  for (const group of run.groups) {
    const chip = element("button", "chip", group.title);
    chip.type = "button";
    chip.setAttribute("aria-pressed", String(group.open));
    chip.addEventListener("click", () => toggle(group, chip));
    box.append(chip);
  }
}

async function toggle(group, chip) {
  group.open = !group.open;
  chip.setAttribute("aria-pressed", String(group.open));
  for (const entry of rows.filter((entry) => entry.group === group.title)) {
    if (group.open && entry.prepare) await entry.prepare();
    entry.row.hidden = !group.open;
  }
  redraw();
}

const ALSO = {
  radius: { label: "radius m", text: (k) => (Math.abs(k) < 0.02 ? "straight" : numberText(1000 / Math.abs(k), 0)) },
  degrees: { label: "degrees", text: (mrad) => numberText((mrad / 1000) * (180 / Math.PI), 3) },
};

function addAxis() {
  const row = addRow("", "", "axis");
  rows.push({ ...row, readings: [], draw: (ticks) => drawAxis(row.canvas, view, ticks) });
}

function addQuality(lanes) {
  const row = addRow(lanes.title, "", "quality");
  const output = legendEntry(row.legend, "lane", "");
  const words = (i) => lanes.lanes.filter(({ mask }) => lanes.flags[i] & mask).map(({ label }) => label).join(", ") || "good";
  rows.push({ ...row, readings: [{ output, value: words }], draw: (ticks) => drawQuality(row.canvas, lanes, view, ticks) });
}

function drawOverview() {
  const drawn = run.strips.filter(({ unpacked, lines }) => unpacked && lines.length);
  const strip = drawn.find(({ title }) => title === "Curvature") || drawn[0];
  const surface = prepare(overview, 44);
  const at = overviewPlace();
  const range = strip && strip.scale;
  if (range) {
    const y = (value) => 41 - ((value - range.low) / (range.high - range.low)) * 38;
    const main = strip.lines.find(({ role }) => role === "main") || strip.lines[0];
    strokeLine(surface, whole, at, y, { ...main, role: "earlier" });
  }
  for (const severity of ["alert", "intervention", "immediate action"]) {
    surface.pen.fillStyle = colourOf(severity);
    for (const mark of run.exceedances) if (mark.severity === severity) surface.pen.fillRect(at.x(mark.s) - 1, 0, 2, 7);
  }
  const [a, b] = [at.x(view.from), at.x(view.to)];
  surface.pen.fillStyle = ink.band;
  surface.pen.fillRect(a, 0, Math.max(3, b - a), 44);
  surface.pen.strokeStyle = ink.main;
  surface.pen.strokeRect(a + 0.5, 0.5, Math.max(3, b - a) - 1, 43);
}

function overviewPlace() {
  const scale = overview.clientWidth / (whole.to - whole.from);
  return { x: (s) => (s - whole.from) * scale, s: (x) => whole.from + x / scale };
}

// Where the charts draw, in pixels of the page; the same for every strip.
function plot() {
  const box = charts.querySelector("canvas").getBoundingClientRect();
  return { left: box.left + GUTTER, width: box.width - GUTTER };
}

function showCursor() {
  const inView = cursor !== null && cursor >= view.from && cursor <= view.to;
  cursorMark.hidden = !inView;
  const i = cursor === null ? null : nearestPoint(cursor);
  for (const { readings, row } of rows) {
    if (row.hidden) continue;
    for (const { output, value } of readings) output.textContent = i === null ? "" : value(i);
  }
  document.getElementById("where").replaceChildren(...whereText(i));
  if (!inView) return;
  const { left, width } = plot();
  const x = left - charts.getBoundingClientRect().left + ((cursor - view.from) / (view.to - view.from)) * width;
  cursorMark.style.transform = `translateX(${Math.round(x)}px)`;
}

const stretchText = () => `km ${kilometre(view.from).toFixed(3)} – ${kilometre(view.to).toFixed(3)}`;

function whereText(i) {
  if (i === null) return [stretchText()];
  const parts = [];
  if (run.sd_position) parts.push(`± ${numberText(2 * run.sd_position[i], 2)} m`);
  if (run.time) parts.push(`${numberText(run.time[i], 1)} s`);
  const mark = run.exceedances.find(({ number }) => number === chosen);
  if (mark && Math.abs(mark.s - run.s[i]) < (view.to - view.from) / 150) parts.push(`${mark.number} ${mark.name}, ${mark.severity}`);
  const near = run.events.find(({ s }) => Math.abs(s - run.s[i]) < (view.to - view.from) / 150);
  if (near) parts.push(`${near.number} ${near.text || near.kind}`);
  return [element("b", "", `km ${kilometre(run.s[i]).toFixed(4)}`), ` ${parts.join(" · ")}`];
}

function draw() {
  waiting = false;
  const ticks = kilometreTicks(view.from, view.to, Math.max(3, Math.floor(plot().width / 95)));
  for (const { row, draw: drawRow } of rows) if (!row.hidden) drawRow(ticks);
  drawOverview();
  charts.setAttribute("aria-label", `Strip charts, ${stretchText()}; arrow keys move the cursor, plus and minus zoom`);
  showCursor();
}

function redraw() {
  if (!waiting) requestAnimationFrame(draw);
  waiting = true;
}

// The cursor alone: no chart is drawn anew for it.
function setCursor(s) {
  cursor = s;
  requestAnimationFrame(showCursor);
}

function show(from, to) {
  const length = Math.min(whole.to - whole.from, Math.max(FEWEST, to - from));
  const middle = (from + to) / 2;
  view.from = Math.min(whole.to - length, Math.max(whole.from, middle - length / 2));
  view.to = view.from + length;
  redraw();
}

function zoom(factor, s = cursor === null ? (view.from + view.to) / 2 : cursor) {
  const length = Math.max(FEWEST, (view.to - view.from) * factor);
  const share = (s - view.from) / (view.to - view.from);
  show(s - share * length, s + (1 - share) * length);
}

const pan = (metres) => show(view.from + metres, view.to + metres);

const ACTIONS = {
  in: () => zoom(0.5),
  out: () => zoom(2),
  reset: () => show(whole.from, whole.to),
  fit: () => {
    fit = !fit;
    document.querySelector('[data-do="fit"]').setAttribute("aria-pressed", String(fit));
    redraw();
  },
};
