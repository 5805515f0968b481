// The data of the run: packed columns back to numbers (the reverse of pack.py).

const UNKNOWN = -2147483648;

const run = JSON.parse(document.getElementById("data").textContent);

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function column({ packed, resolution }) {
  const bytes = await inflate(packed);
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
  const gapBefore = new Uint8Array(n);
  let i = 0;
  for (const [first, count] of run.stretches) {
    gapBefore[i] = 1;
    for (let k = 0; k < count; k++) s[i++] = (first + k) * run.step;
  }
  return { s, gapBefore };
}

async function unpackRun() {
  Object.assign(run, placesOfPoints());
  run.quality = run.quality && (await column(run.quality));
  run.time = run.time && (await column(run.time));
  run.sd_position = run.sd_position && (await column(run.sd_position));
  for (const strip of run.strips) {
    for (const line of strip.lines) {
      line.values = await column(line.values);
      line.sd = line.sd && (await column(line.sd));
    }
  }
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
