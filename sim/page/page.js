// Draws the document "muster.plots/1" that stands in the page, with uPlot. docs/simulation.md
// describes its shape. Nothing is computed here but where on the screen things are.
"use strict";

const DAY = 86400; // seconds
const COLOURS = 8; // of page.css
// Distances of labels on an axis of time: minutes, hours, days.
const TIME_STEPS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3600),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((days) => days * DAY),
];
const HEIGHT = { curves: 320, schedule: 420 }; // pixels

// A colour of the page's style: it differs between light and dark.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const numberText = (number) => number.toLocaleString("en");

function element(kind, parent, text = "", className = "") {
  const made = parent.appendChild(document.createElement(kind));
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// "31m", "3h02m", "2d04h".
function durationText(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < DAY) {
    return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
  }
  return `${Math.floor(seconds / DAY)}d${two(Math.floor((seconds % DAY) / 3600))}h`;
}

// All curves over the same ascending x, as uPlot wants them: [x, y of the first, ...]. A curve is a
// step function; it is null before its first point. A logarithmic axis begins at 1 and ends at a
// power of 10.
function aligned(curves, logarithmic) {
  const place = (x) => (logarithmic ? Math.max(x, 1) : x);
  const all = new Set();
  for (const curve of curves) for (const x of curve.x) all.add(place(x));
  if (logarithmic) {
    const most = Math.max(10, ...curves.map((curve) => curve.x.at(-1) ?? 1));
    all.add(1).add(10 ** Math.ceil(Math.log10(most) - 1e-9));
  }
  const xs = [...all].sort((a, b) => a - b);
  const columns = curves.map((curve) => {
    let next = 0;
    let y = null;
    return xs.map((x) => {
      while (next < curve.x.length && place(curve.x[next]) <= x) y = curve.y[next++];
      return y;
    });
  });
  return [xs, ...columns];
}

// Round numbers for the labels of a logarithmic axis: powers of 10, or closer ones on a short axis.
function logSplits(least, most) {
  const decades = Math.log10(most / least);
  const out = [];
  const add = (number) => least <= number && number <= most && out.push(number);
  if (decades > 0.7) {
    const factors = decades > 2 ? [1] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power) {
      for (const factor of factors) add(factor * 10 ** power);
    }
  } else {
    const power = 10 ** Math.floor(Math.log10((most - least) / 5));
    const step = power * [1, 2, 5, 10].find((factor) => (most - least) / (factor * power) <= 6);
    for (let i = Math.ceil(least / step); i * step <= most; ++i) {
      add(Number((i * step).toPrecision(6))); // without what binary fractions add
    }
  }
  return out;
}

// Labels of moments on an axis of seconds: days where all are whole ones, else the time of day too.
function momentLabels(seconds) {
  const whole = seconds.every((at) => at % DAY === 0);
  return seconds.map((at, i) => {
    const day = Math.floor(at / DAY);
    if (whole) return String(day);
    if (at % DAY === 0) return `day ${day}`;
    const clock = new Date((at - day * DAY) * 1000).toISOString().slice(11, 16);
    return i === 0 ? `day ${day}, ${clock}` : clock;
  });
}

// The box of a schedule that holds this moment and this row; -1 if none does.
function boxAt(plot, second, row) {
  const { part, low, high } = plot.boxes;
  const { begin_s: begin, end_s: end } = plot.parts;
  return part.findIndex(
    (one, i) => low[i] <= row && row < high[i] && begin[one] <= second && second < end[one]);
}

function axis(label, more = {}) {
  return {
    label,
    labelFont: "12px system-ui, sans-serif",
    labelSize: 20,
    font: "11px system-ui, sans-serif",
    stroke: () => colour("quiet"),
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("grid"), width: 1 },
    ...more,
  };
}

const shown = []; // every uPlot of the page

// Draws into `figure` and keeps the plot as wide as that.
function show(figure, kind, options, data) {
  const size = () => ({ width: Math.max(figure.clientWidth, 280), height: HEIGHT[kind] });
  const plot = new uPlot({ ...size(), ...options }, data, figure);
  new ResizeObserver(() => plot.setSize(size())).observe(figure);
  shown.push(plot);
  return plot;
}

function drawCurves(plot, figure) {
  const series = plot.curves.map((curve, i) => ({
    label: curve.name,
    stroke: () => colour(`c${i % COLOURS}`),
    width: 1.8,
    paths: uPlot.paths.stepped({ align: 1 }),
    points: { show: false },
    value: (_, y) => (y === null ? "–" : `${y.toFixed(1)} %`),
  }));
  const x = { label: plot.x, value: (_, at) => (at === null ? "–" : numberText(at)) };
  const labels = plot.log_x && {
    splits: (_, __, least, most) => logSplits(least, most),
    values: (_, splits) => splits.map(numberText),
    filter: (_, splits) => splits,
  };
  const options = {
    scales: {
      x: { time: false, distr: plot.log_x ? 3 : 1, range: (_, least, most) => [least, most] },
      y: { range: [0, 100] },
    },
    axes: [axis(plot.x, { size: 34, ...labels }), axis(plot.y, { size: 44 })],
    series: [x, ...series],
    legend: { markers: { width: 0, fill: (_, i) => colour(`c${(i - 1) % COLOURS}`) } },
  };
  show(figure, "curves", options, aligned(plot.curves, plot.log_x));
}

// Boxes of a schedule that lie in what the plot `u` shows, on its canvas.
function drawBoxes(u, plot) {
  const { ctx, bbox } = u;
  const { min: from, max: to } = u.scales.x;
  const across = bbox.width / (to - from);
  const up = bbox.height / plot.processors;
  const { part, low, high } = plot.boxes;
  const { begin_s: begin, end_s: end, group } = plot.parts;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const fills = plot.groups.map((_, i) => colour(`c${i % COLOURS}`));
  for (let i = 0; i < part.length; ++i) {
    const one = part[i];
    if (end[one] <= from || begin[one] >= to) continue;
    const left = bbox.left + (Math.max(begin[one], from) - from) * across;
    const width = (Math.min(end[one], to) - Math.max(begin[one], from)) * across;
    const height = (high[i] - low[i]) * up;
    const edge = width > 4 && height > 4 ? 1 : 0; // so that neighbours can be told apart
    ctx.fillStyle = fills[group[one]];
    ctx.fillRect(left, bbox.top + bbox.height - high[i] * up,
      Math.max(width - edge, 0.3), Math.max(height - edge, 0.3));
  }
  ctx.restore();
}

function drawSchedule(plot, figure) {
  const parts = plot.parts;
  const key = element("div", figure, "", "key");
  plot.groups.forEach((name, i) => {
    if (!parts.group.includes(i)) return;
    const item = element("span", key);
    element("i", item).style.background = `var(--c${i % COLOURS})`;
    item.append(name);
  });
  const readout = element("div", figure, "", "readout");
  const point = (u) => {
    const { left, top } = u.cursor;
    const box = left < 0 ? -1 : boxAt(plot, u.posToVal(left, "x"), u.posToVal(top, "y"));
    const part = plot.boxes.part[box];
    readout.textContent = box < 0 ? "" :
      `job ${parts.job[part]}, ${parts.processors[part]} processors, ` +
      `waited ${durationText(parts.waited_s[part])}, ` +
      `ran ${durationText(parts.end_s[part] - parts.begin_s[part])}`;
  };
  const options = {
    legend: { show: false },
    padding: [null, 40, null, null], // for the last label
    scales: {
      x: { time: false, range: (_, least, most) => [least, most] },
      y: { range: [0, plot.processors] },
    },
    axes: [
      axis("days since the first submission",
        { size: 34, space: 90, incrs: TIME_STEPS, values: (_, splits) => momentLabels(splits) }),
      axis("processors", { size: 58 }),
    ],
    series: [{}, {}],
    cursor: { points: { show: false } },
    hooks: { drawAxes: [(u) => drawBoxes(u, plot)], setCursor: [point] },
  };
  const last = parts.end_s.reduce((most, end) => Math.max(most, end), plot.view_s[1]);
  const u = show(figure, "schedule", options, [[0, last], [null, null]]);
  u.setScale("x", { min: plot.view_s[0], max: plot.view_s[1] });
}

function drawPage(page) {
  document.title = page.title;
  document.querySelector("h1").textContent = page.title;
  document.querySelector("pre").textContent = page.text;
  const main = document.querySelector("main");
  element("p", main, "Drag over a plot to enlarge that span; a double click shows everything.");
  for (const section of page.sections) {
    element("h2", main, section.title);
    if (section.note) element("p", main, section.note);
    const plots = element("div", main, "", "plots");
    for (const plot of section.plots) {
      const figure = element("figure", plots, "", plot.kind);
      element("figcaption", figure, plot.title);
      (plot.kind === "schedule" ? drawSchedule : drawCurves)(plot, figure);
    }
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const plot of shown) plot.redraw();
  });
}

if (typeof document === "undefined") {
  module.exports = { aligned, boxAt, durationText, logSplits, momentLabels }; // for page_test.js
} else {
  drawPage(JSON.parse(document.getElementById("data").textContent));
}
