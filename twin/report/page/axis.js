// Kilometres and scales: which ticks to draw, and where.

// The straight piece of kilometre labels that holds s: [s, km at s, km per metre].
function pieceAt(s) {
  const pieces = run.kilometres;
  let k = pieces.length - 1;
  while (k > 0 && pieces[k][0] > s) k--;
  return pieces[k];
}

function kilometre(s) {
  const [s0, km0, rate] = pieceAt(s);
  return km0 + (s - s0) * rate;
}

// Steps of 1, 2 or 5 times a power of ten, about `count` of them over a span.
function niceStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough * 0.999999);
}

// Ticks at round kilometres between two places, piece by piece: labels may jump.
function kilometreTicks(from, to, count) {
  const step = niceStep((to - from) / 1000, count);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const ticks = [];
  run.kilometres.forEach(([s0, km0, rate], k) => {
    if (!(rate > 0)) return;
    const a = Math.max(from, k === 0 ? -Infinity : s0);
    const b = Math.min(to, k + 1 < run.kilometres.length ? run.kilometres[k + 1][0] : Infinity);
    if (!(b > a)) return;
    const last = Math.floor((km0 + (b - s0) * rate) / step + 1e-9);
    for (let m = Math.ceil((km0 + (a - s0) * rate) / step - 1e-9); m <= last; m++) {
      const s = s0 + (m * step - km0) / rate;
      if (ticks.length && s - ticks[ticks.length - 1].s < 500 * step) continue; // labels of a jump lie too close
      ticks.push({ s, label: (m * step).toFixed(decimals) });
    }
  });
  return ticks;
}

// Posts that change the label: two at one place.
function jumps() {
  const found = [];
  for (let k = 1; k < run.posts.length; k++) {
    const [a, b] = [run.posts[k - 1], run.posts[k]];
    if (a.s === b.s) found.push({ s: a.s, from: a.km, to: b.km });
  }
  return found;
}

// Range of a strip: every bold and design point lies inside; band and earlier line where they are usual.
function rangeOf(strip, a, b) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of strip.lines) {
    let [l, h] = line.role === "earlier" ? usual(line.values, a, b) : extremesOf(line.values, line.values, line.envelope, a, b);
    if (line.sd) {
      const [, sd] = usual(line.sd, a, b);
      if (sd < h - l || h === l) [l, h] = [l - 2 * sd, h + 2 * sd];
    }
    low = Math.min(low, l);
    high = Math.max(high, h);
  }
  return high >= low ? { low, high } : null;
}

// The range with the mildest limits in it: a reader sees how near they are.
function withLimits(strip, range) {
  if (!range) return range;
  let { low, high } = range;
  const mildest = strip.limits.length ? strip.limits[0][0] : "";
  for (const [severity, , , lower, upper] of strip.limits) {
    if (severity !== mildest) continue;
    if (lower !== null) low = Math.min(low, lower);
    if (upper !== null) high = Math.max(high, upper);
  }
  return { low, high };
}

// The scale of the whole run: signed quantities about zero, others from zero, as on paper.
function steadyScale(strip) {
  const range = withLimits(strip, rangeOf(strip, 0, run.s.length));
  if (!range) return null;
  const room = strip.marks && strip.marks.length ? 1.18 : 1.06; // marks have a place above their peaks
  const high = Math.max(range.high, strip.signed ? -range.low : 0) || 1;
  return strip.signed
    ? { low: -room * high, high: room * high, step: niceStep(high, 2.5) }
    : { low: room * Math.min(0, range.low), high: room * high, step: niceStep(high - Math.min(0, range.low), 4) };
}

// The scale of what is in view.
function fittedScale(strip) {
  const range = rangeOf(strip, pointAt(view.from), pointAt(view.to) + 1);
  if (!range) return strip.scale;
  const span = range.high - range.low || Math.abs(range.high) || 1;
  return { low: range.low - 0.06 * span, high: range.high + 0.06 * span, step: niceStep(span, 4) };
}

// Extremes without the outermost 1 % at either end.
function usual(values, a, b) {
  const stride = Math.max(1, Math.floor((b - a) / 4000));
  const sample = [];
  for (let i = a; i < b; i += stride) if (values[i] === values[i]) sample.push(values[i]);
  if (!sample.length) return [Infinity, -Infinity];
  sample.sort((p, q) => p - q);
  const at = (share) => sample[Math.round(share * (sample.length - 1))];
  return [at(0.01), at(0.99)];
}

function numberText(value, decimals) {
  if (!(value === value)) return "–";
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}
