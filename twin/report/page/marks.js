// What is drawn over the lines of a strip: limits, exceedances, classes.

const MARKED = 4000; // longest view in which a peak has its own mark [m]; beyond, marks would hide the lines
const TAB = 4; // height of the bar at the top of a strip that says where a limit is exceeded [px]
let chosen = null; // number of the exceedance last looked at

const DASHES = { alert: [2, 3], intervention: [6, 3], "immediate action": [] };
const colourOf = (severity) => ink[severity.replace(" ", "-")];

function drawLimits(pen, strip, at, y, view) {
  pen.lineWidth = 1;
  for (const [severity, from, to, lower, upper] of strip.limits) {
    if (to < view.from || from > view.to) continue;
    pen.strokeStyle = colourOf(severity);
    pen.setLineDash(DASHES[severity]);
    pen.globalAlpha = 0.75;
    for (const limit of [lower, upper]) {
      if (limit === null) continue;
      pen.beginPath();
      pen.moveTo(at.x(Math.max(from, view.from)), Math.round(y(limit)) + 0.5);
      pen.lineTo(at.x(Math.min(to, view.to)), Math.round(y(limit)) + 0.5);
      pen.stroke();
    }
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}

function drawMarks(pen, strip, at, y, view, height) {
  for (const mark of strip.marks || []) {
    if (mark.start > view.to || mark.start + mark.length < view.from) continue;
    const [a, b] = [at.x(mark.start), at.x(mark.start + mark.length)];
    pen.fillStyle = colourOf(mark.severity);
    const wide = Math.max(3, b - a);
    pen.fillRect((a + b - wide) / 2, 0, wide, TAB);
    if (view.to - view.from > MARKED && mark.number !== chosen) continue;
    drawPeak(pen, mark, at.x(mark.s), Math.min(height - 5, Math.max(TAB + 5, y(mark.peak))));
  }
}

function drawPeak(pen, mark, x, y) {
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.lineWidth = 1.6;
  pen.strokeStyle = colourOf(mark.severity);
  pen.stroke();
  if (mark.number !== chosen) return;
  pen.fillStyle = colourOf(mark.severity);
  pen.fill();
  const text = `${mark.number}`;
  const wide = pen.measureText(text).width + 10;
  pen.beginPath();
  pen.roundRect(x + 8, y - 8, wide, 16, 8);
  pen.fill();
  pen.fillStyle = ink.sheet;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, x + 8 + wide / 2, y + 0.5);
}

// The exceedance under the hand in a strip, if there is one: those in view nearest to the place.
function markNear(strip, s, reach) {
  const off = (mark) => Math.max(0, mark.start - s, s - mark.start - mark.length);
  const near = (strip.marks || []).filter((mark) => off(mark) <= reach);
  return near.sort((p, q) => off(p) - off(q) || Math.abs(p.s - s) - Math.abs(q.s - s))[0];
}

const RIBBON = 22; // height of a ribbon of classes [px]

function drawRibbon(canvas, ribbon, view, ticks) {
  const { pen, width } = prepare(canvas, RIBBON);
  const at = place(view, width);
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, 0, width - GUTTER, RIBBON);
  pen.clip();
  drawPlaces(pen, view, at, RIBBON, ticks);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const [from, to, letter] of ribbon.blocks) {
    if (to < view.from || from > view.to) continue;
    const [a, b] = [at.x(from), at.x(to)];
    pen.fillStyle = ink[`class-${letter}`];
    pen.fillRect(a, 3, b - a - (b - a > 4 ? 1 : 0), RIBBON - 6);
    const middle = (Math.max(a, GUTTER) + Math.min(b, width)) / 2;
    if (b - a < 14) continue;
    pen.fillStyle = ink.ink;
    pen.fillText(letter, middle, RIBBON / 2 + 0.5);
  }
  pen.restore();
}

function blockAt(ribbon, s) {
  return ribbon.blocks.find(([from, to]) => s >= from && s < to);
}
