// What hands do: pointer, wheel, keys, buttons; and the start of it all.

const pointers = new Map();
let grip = null; // what a drag does: { kind: "zoom" | "pan" | "pinch", ... }

function placeUnder(event) {
  const { left, width } = plot();
  const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
  return view.from + share * (view.to - view.from);
}

const metresPerPixel = () => (view.to - view.from) / plot().width;

function onDown(event) {
  if (event.button > 1 || !event.target.closest("canvas")) return;
  charts.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event.clientX);
  if (pointers.size === 2) grip = { kind: "pinch", apart: fingersApart() };
  else if (event.pointerType === "touch" || event.shiftKey || event.button === 1) grip = { kind: "pan", x: event.clientX };
  else grip = { kind: "zoom", start: placeUnder(event), x: event.clientX };
}

function fingersApart() {
  const [a, b] = [...pointers.values()];
  return Math.max(20, Math.abs(a - b));
}

function onMove(event) {
  if (pointers.has(event.pointerId)) pointers.set(event.pointerId, event.clientX);
  setCursor(placeUnder(event));
  if (!grip) return;
  if (grip.kind === "pinch" && pointers.size === 2) {
    const apart = fingersApart();
    zoom(grip.apart / apart);
    grip.apart = apart;
  } else if (grip.kind === "pan") {
    pan((grip.x - event.clientX) * metresPerPixel());
    grip.x = event.clientX;
  } else if (grip.kind === "zoom") {
    showSelection(event);
  }
}

function showSelection(event) {
  const edge = charts.getBoundingClientRect().left;
  const { left, width } = plot();
  const inside = (x) => Math.min(left + width, Math.max(left, x)) - edge;
  const [a, b] = [inside(grip.x), inside(event.clientX)].sort((p, q) => p - q);
  selection.hidden = b - a < 4;
  selection.style.left = `${a}px`;
  selection.style.width = `${b - a}px`;
}

function onUp(event) {
  pointers.delete(event.pointerId);
  if (grip && grip.kind === "zoom" && !selection.hidden) {
    const end = placeUnder(event);
    show(Math.min(grip.start, end), Math.max(grip.start, end));
  } else if (grip && grip.kind === "zoom") {
    chooseUnder(event);
  }
  selection.hidden = true;
  grip = null;
}

// A click on a mark leads to its line in the list.
function chooseUnder(event) {
  const canvas = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.dataset && each.dataset.strip);
  const mark = canvas && markNear(run.strips[Number(canvas.dataset.strip)], placeUnder(event), 6 * metresPerPixel());
  if (mark) choose(mark.number, true);
}

// A plain wheel scrolls the page; a reader must get past the charts.
function onWheel(event) {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(2 ** (Math.max(-100, Math.min(100, event.deltaY)) / 150), placeUnder(event));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    pan((event.deltaX || event.deltaY) * metresPerPixel());
  }
}

const KEYS = { "+": "in", "=": "in", "-": "out", "0": "reset", Home: "reset", Escape: "reset", f: "fit", F: "fit" };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (way && event.shiftKey) pan((way * (view.to - view.from)) / 4);
  else if (way) moveCursor(way);
  else if (KEYS[event.key]) ACTIONS[KEYS[event.key]]();
  else return;
  event.preventDefault();
}

// By one point, or one pixel where points are closer; the view follows.
function moveCursor(way) {
  const step = Math.max(run.step, metresPerPixel());
  const from = cursor === null ? (view.from + view.to) / 2 : cursor;
  setCursor(Math.min(whole.to, Math.max(whole.from, from + way * step)));
  if (cursor < view.from || cursor > view.to) pan(cursor < view.from ? cursor - view.from : cursor - view.to);
}

function goTo(s) {
  const half = Math.min(view.to - view.from, 500) / 2;
  setCursor(s);
  show(s - half, s + half);
  const box = charts.getBoundingClientRect();
  if (box.top < 0 || box.top > 0.7 * innerHeight) document.getElementById("along").scrollIntoView({ block: "start" });
}

function goToRow(row) {
  if (row.dataset.number) choose(Number(row.dataset.number), false);
  goTo(Number(row.dataset.s));
}

function dragOverview(event) {
  if (!(event.buttons & 1)) return;
  const middle = overviewPlace().s(event.clientX - overview.getBoundingClientRect().left);
  const half = (view.to - view.from) / 2;
  show(middle - half, middle + half);
}

function listen() {
  charts.addEventListener("pointerdown", onDown);
  charts.addEventListener("pointermove", onMove);
  charts.addEventListener("pointerup", onUp);
  charts.addEventListener("pointercancel", onUp);
  charts.addEventListener("wheel", onWheel, { passive: false });
  charts.addEventListener("dblclick", ACTIONS.reset);
  charts.addEventListener("keydown", onKey);
  overview.addEventListener("pointerdown", dragOverview);
  overview.addEventListener("pointermove", dragOverview);
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", ACTIONS[button.dataset.do]);
  for (const row of document.querySelectorAll("[data-s]")) {
    row.addEventListener("click", () => goToRow(row));
    row.addEventListener("keydown", (event) => event.key === "Enter" && goToRow(row));
  }
  addEventListener("resize", redraw);
  const recolour = () => {
    readInk();
    draw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  const printing = (on) => () => {
    document.documentElement.classList.toggle("printing", on); // paper is white
    recolour();
  };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
}

async function start() {
  if (!("DecompressionStream" in window)) throw new Error("this browser is too old for the charts (2023 or newer is needed)");
  await unpackRun();
  if (!run.s.length) {
    charts.replaceChildren(element("p", "none", "The run holds no points along the line."));
    for (const part of [overview, ...document.querySelectorAll(".tools, .hint")]) part.hidden = true;
  } else {
    whole.from = run.s[0] - run.step / 2;
    whole.to = Math.max(run.s[run.s.length - 1] + run.step / 2, whole.from + FEWEST);
    readInk();
    addGroups();
    addAxis();
    for (const [k, strip] of run.strips.entries()) {
      await addStrip(strip);
      const last = k + 1 === run.strips.length || run.strips[k + 1].group !== strip.group;
      if (last) run.ribbons.filter(({ group }) => group === strip.group).forEach(addRibbon);
    }
    run.lanes.forEach(addQuality);
    Object.assign(view, whole);
    listen();
    listenToList();
    draw();
  }
  document.body.dataset.ready = "yes";
}

start().catch((error) => {
  charts.replaceChildren(element("p", "none", `The charts could not be drawn: ${error.message}`));
  document.body.dataset.ready = "failed";
});
