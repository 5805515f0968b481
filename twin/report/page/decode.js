// The data of the run: packed columns back to numbers (the reverse of pack.py).

const UNKNOWN = -2147483648;

const run = JSON.parse(document.getElementById("data").textContent);

async function inflate(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function column({ column: number, resolution }) {
  const holder = document.getElementById(`column-${number}`);
  const bytes = await inflate(holder.textContent);
  holder.remove();
  const n = bytes.length / 4;
  const values = new Float64Array(n);
  let whole = 0;
  for (let i = 0; i < n; i++) {
    whole = (whole + (bytes[i] | (bytes[n + i] << 8) | (bytes[2 * n + i] << 16) | (bytes[3 * n + i] << 24))) | 0;
    values[i] = whole === UNKNOWN ? NaN : whole * resolution;
  }
  return values;
}

// Arc length of every point, and where the points have a gap before them.
function placesOfPoints() {
  const n = run.stretches.reduce((sum, [, count]) => sum + count, 0);
  const s = new Float64Array(n);
  const ends = []; // index behind the last point of every stretch
  let i = 0;
  for (const [first, count] of run.stretches) {
    for (let k = 0; k < count; k++) s[i++] = (first + k) * run.step;
    ends.push(i);
  }
  return { s, ends };
}

async function unpackRun() {
  Object.assign(run, placesOfPoints());
  run.time = run.time && (await column(run.time));
  run.sd_position = run.sd_position && (await column(run.sd_position));
  for (const lanes of run.lanes) lanes.flags = await column(lanes.flags);
}

// The columns of a strip, unpacked when it is shown for the first time.
async function unpackStrip(strip) {
  if (strip.unpacked) return;
  strip.unpacked = true;
  for (const line of strip.lines) {
    line.values = await column(line.values);
    line.sd = line.sd && (await column(line.sd));
    line.envelope = envelope(line.values, line.values);
    if (line.sd) {
      const bottom = line.values.map((value, i) => value - 2 * line.sd[i]);
      const top = line.values.map((value, i) => value + 2 * line.sd[i]);
      line.band = { bottom, top, envelope: envelope(bottom, top) };
    }
  }
}

const BUNCH = 32; // points whose extremes are kept, so that a whole run is drawn at once and no peak is lost

// Smallest of the low and largest of the high column in every bunch; NaN is passed over.
function envelope(low, high) {
  const n = Math.ceil(low.length / BUNCH);
  const lows = new Float64Array(n).fill(Infinity);
  const highs = new Float64Array(n).fill(-Infinity);
  for (let i = 0; i < low.length; i++) {
    const k = (i / BUNCH) | 0;
    if (low[i] < lows[k]) lows[k] = low[i];
    if (high[i] > highs[k]) highs[k] = high[i];
  }
  return { lows, highs };
}

// Smallest of the low and largest of the high column among points a to b.
function extremesOf(low, high, { lows, highs }, a, b) {
  let least = Infinity;
  let most = -Infinity;
  let i = a;
  while (i < b) {
    if (i % BUNCH === 0 && i + BUNCH <= b) {
      const k = i / BUNCH;
      if (lows[k] < least) least = lows[k];
      if (highs[k] > most) most = highs[k];
      i += BUNCH;
    } else {
      if (low[i] < least) least = low[i]; // comparisons are false for NaN
      if (high[i] > most) most = high[i];
      i++;
    }
  }
  return [least, most];
}

// First point at or after s.
function pointAt(s) {
  let low = 0;
  let high = run.s.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.s[middle] < s) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearestPoint(s) {
  const i = pointAt(s);
  if (i === 0) return 0;
  if (i === run.s.length) return i - 1;
  return s - run.s[i - 1] < run.s[i] - s ? i - 1 : i;
}
