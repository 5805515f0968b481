// Drawing: one canvas per strip, all on the same stretch of line.

const GUTTER = 56; // room for the numbers of the vertical scale [px]
const FACE = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

let ink = {};

function readInk() {
  const style = getComputedStyle(document.documentElement);
  const names = ["sheet", "ink", "soft", "rule", "grid", "main", "band", "second", "third", "earlier", "design", "post", "event", "bad", "warn"];
  names.push("alert", "intervention", "immediate-action", ...[..."ABCDE"].map((letter) => `class-${letter}`));
  ink = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// A canvas cleared and scaled to the screen; coordinates are CSS pixels.
function prepare(canvas, height) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  const width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = `11px ${FACE}`;
  return { pen, width, height, ratio };
}

function place(view, width) {
  const scale = (width - GUTTER) / (view.to - view.from);
  return { x: (s) => GUTTER + (s - view.from) * scale, s: (x) => view.from + (x - GUTTER) / scale };
}

function vertical(pen, x, top, bottom, colour, dash = []) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, top);
  pen.lineTo(Math.round(x) + 0.5, bottom);
  pen.stroke();
  pen.setLineDash([]);
}

function drawPlaces(pen, view, at, height, ticks) {
  for (const tick of ticks) vertical(pen, at.x(tick.s), 0, height, ink.grid);
  for (const post of run.posts) if (post.s >= view.from && post.s <= view.to) vertical(pen, at.x(post.s), 0, height, ink.post);
  for (const jump of jumps()) if (jump.s >= view.from && jump.s <= view.to) vertical(pen, at.x(jump.s), 0, height, ink.ink, [5, 3]);
  for (const event of run.events) if (event.s >= view.from && event.s <= view.to) vertical(pen, at.x(event.s), 0, height, ink.event, [2, 3]);
}

// Calls visit(x, i, j) for every pixel column that holds points i to j of one stretch, begin() before each stretch.
function walk(view, at, ratio, begin, visit) {
  const last = Math.min(run.s.length, pointAt(view.to) + 1);
  let i = Math.max(0, pointAt(view.from) - 1);
  let stretch = run.ends.findIndex((end) => end > i);
  begin();
  while (i < last) {
    if (i >= run.ends[stretch]) {
      stretch++;
      begin();
    }
    const pixel = Math.floor(at.x(run.s[i]) * ratio);
    const beyond = Math.ceil((at.s((pixel + 1) / ratio) - run.s[i]) / run.step - 1e-9);
    const start = i;
    i = Math.min(last, run.ends[stretch], i + Math.max(1, beyond));
    visit(i - start === 1 ? at.x(run.s[start]) : (pixel + 0.5) / ratio, start, i);
  }
}

function strokeLine(surface, view, at, y, line) {
  const { pen, ratio } = surface;
  let down = false;
  pen.beginPath();
  walk(view, at, ratio, () => (down = false), (x, i, j) => {
    const [low, high] = extremesOf(line.values, line.values, line.envelope, i, j);
    if (!(high >= low)) {
      down = false;
      return;
    }
    const [first, second] = line.values[i] <= line.values[j - 1] ? [low, high] : [high, low];
    if (down) pen.lineTo(x, y(first));
    else pen.moveTo(x - 0.5, y(first));
    pen.lineTo(x, y(first));
    pen.lineTo(x, y(second));
    down = true;
  });
  pen.strokeStyle = ink[line.role];
  pen.lineWidth = { main: 1.5, second: 1.3, third: 1.3, earlier: 1, design: 1.3 }[line.role];
  pen.lineJoin = "round";
  pen.setLineDash(line.role === "design" ? [7, 6] : []);
  pen.stroke();
  pen.setLineDash([]);
}

function fillBand(surface, view, at, y, line) {
  const { pen, ratio } = surface;
  let upper = [];
  let lower = [];
  const close = () => {
    if (upper.length) {
      pen.beginPath();
      upper.forEach(([x, v]) => pen.lineTo(x, v));
      lower.reverse().forEach(([x, v]) => pen.lineTo(x, v));
      pen.fill();
    }
    upper = [];
    lower = [];
  };
  pen.fillStyle = ink.band;
  walk(view, at, ratio, close, (x, i, j) => {
    const { bottom, top, envelope: bunches } = line.band;
    const [low, high] = extremesOf(bottom, top, bunches, i, j);
    if (!(high >= low)) return close();
    upper.push([x, y(high)]);
    lower.push([x, y(low)]);
  });
  close();
}

function drawScale(surface, range, y) {
  const { pen, width, height } = surface;
  const decimals = Math.max(0, Math.ceil(-Math.log10(range.step) - 1e-9));
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let m = Math.ceil(range.low / range.step); m * range.step <= range.high; m++) {
    const at = y(m * range.step);
    pen.strokeStyle = m === 0 ? ink.post : ink.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(GUTTER, Math.round(at) + 0.5);
    pen.lineTo(width, Math.round(at) + 0.5);
    pen.stroke();
    pen.fillStyle = ink.soft;
    pen.fillText(numberText(m * range.step, decimals), GUTTER - 6, Math.min(height - 6, Math.max(7, at)));
  }
}

function drawStrip(canvas, strip, view, range, height, ticks) {
  const surface = prepare(canvas, height);
  const at = place(view, surface.width);
  const { pen } = surface;
  const y = (value) => height - 3 - ((value - range.low) / (range.high - range.low)) * (height - 6);
  if (range) drawScale(surface, range, y);
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, 0, surface.width - GUTTER, height);
  pen.clip();
  drawPlaces(pen, view, at, height, ticks);
  if (range) {
    drawLimits(pen, strip, at, y, view);
    for (const line of strip.lines) if (line.sd) fillBand(surface, view, at, y, line);
    for (const line of strip.lines) strokeLine(surface, view, at, y, line);
    drawMarks(pen, strip, at, y, view, height);
  }
  pen.restore();
}

const LANE = 13; // height of a lane of a quality strip [px]

function drawQuality(canvas, { lanes, flags }, view, ticks) {
  const height = lanes.length * LANE + 4;
  const surface = prepare(canvas, height);
  const { pen, width, ratio } = surface;
  const at = place(view, width);
  pen.font = `9.5px ${FACE}`;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  lanes.forEach((lane, k) => {
    pen.fillStyle = ink.grid;
    pen.fillRect(GUTTER, 2 + k * LANE + LANE / 2, width - GUTTER, 1);
    pen.fillStyle = ink.soft;
    pen.fillText(lane.label, GUTTER - 6, 3 + k * LANE + LANE / 2);
  });
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, 0, width - GUTTER, height);
  pen.clip();
  drawPlaces(pen, view, at, height, ticks);
  const wide = Math.max(2 / ratio, (run.step / (view.to - view.from)) * (width - GUTTER));
  walk(view, at, ratio, () => {}, (x, i, j) => {
    let all = 0;
    for (let k = i; k < j; k++) all |= flags[k];
    if (!all) return;
    lanes.forEach((lane, k) => {
      if (!(all & lane.mask)) return;
      pen.fillStyle = ink[lane.tone];
      pen.fillRect(x - wide / 2, 4 + k * LANE, wide, LANE - 4);
    });
  });
  pen.restore();
}

const AXIS = 54; // height of the kilometre strip: events, jumps, labels [px]

// The kilometre strip: ticks, posts, jumps and numbered events.
function drawAxis(canvas, view, ticks) {
  const surface = prepare(canvas, AXIS);
  const { pen, width, height } = surface;
  const at = place(view, width);
  const inView = ({ s }) => s >= view.from && s <= view.to;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  for (const tick of ticks) {
    const x = Math.round(at.x(tick.s));
    vertical(pen, x, height - 6, height, ink.soft);
    pen.fillStyle = ink.soft;
    const half = pen.measureText(tick.label).width / 2;
    pen.fillText(tick.label, Math.min(width - half, Math.max(GUTTER + half, x)), height - 14);
  }
  pen.textAlign = "right";
  pen.fillText("km", GUTTER - 6, height - 14);
  for (const post of run.posts.filter(inView)) drawPost(pen, at.x(post.s), height);
  drawJumps(pen, at, jumps().filter(inView), height, width);
  drawPins(pen, at, run.events.filter(inView), width);
}

function drawPost(pen, x, height) {
  pen.fillStyle = ink.soft;
  pen.beginPath();
  pen.moveTo(x - 3.5, height - 8);
  pen.lineTo(x + 3.5, height - 8);
  pen.lineTo(x, height - 1);
  pen.fill();
}

function drawJumps(pen, at, found, height, width) {
  pen.fillStyle = ink.ink;
  for (const jump of found) {
    const x = at.x(jump.s);
    vertical(pen, x, 18, height, ink.ink, [5, 3]);
    const text = `km ${jump.from.toFixed(3)} = ${jump.to.toFixed(3)}`;
    const right = x + 6 + pen.measureText(text).width > width;
    pen.textAlign = right ? "right" : "left";
    pen.fillText(text, right ? x - 5 : x + 5, 25);
  }
}

// Numbered marks; the note beside one where there is room before the next.
function drawPins(pen, at, events, width) {
  const sorted = [...events].sort((a, b) => a.s - b.s);
  sorted.forEach((event, k) => {
    const x = at.x(event.s);
    const room = (k + 1 < sorted.length ? at.x(sorted[k + 1].s) - 10 : width) - x - 14;
    vertical(pen, x, 14, AXIS, ink.event, [2, 3]);
    pen.fillStyle = ink.event;
    pen.beginPath();
    pen.arc(x, 8, 7.5, 0, 2 * Math.PI);
    pen.fill();
    pen.textAlign = "center";
    pen.fillStyle = ink.sheet;
    pen.fillText(String(event.number), x, 8.5);
    const text = event.text || event.kind;
    if (pen.measureText(text).width > room) return;
    pen.textAlign = "left";
    pen.fillStyle = ink.event;
    pen.fillText(text, x + 11, 8.5);
  });
}
