// What page.js works out, and what it hands to uPlot and draws itself, by stand-ins for both the
// browser and the library. Needs node only.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");
const { aligned, boxAt, durationText, logSplits, momentLabels } = require("./page.js");

test("curves are brought to the same x and hold their value up to the next", () => {
  const curves = [{ x: [1, 4], y: [10, 100] }, { x: [2, 4, 8], y: [5, 6, 7] }];
  assert.deepStrictEqual(aligned(curves, false),
    [[1, 2, 4, 8], [10, 10, 100, 100], [null, 5, 6, 7]]);
});

test("a logarithmic axis goes from 1 to a power of 10, with smaller values at 1", () => {
  const curves = [{ x: [0, 0.5, 30], y: [20, 40, 100] }];
  assert.deepStrictEqual(aligned(curves, true), [[1, 30, 100], [40, 100, 100]]);
  assert.deepStrictEqual(aligned([{ x: [0], y: [100] }], true), [[1, 10], [100, 100]]);
  assert.deepStrictEqual(aligned([{ x: [1000], y: [100] }], true), [[1, 1000], [null, 100]]);
});

test("labels of a logarithmic axis are round, however little of it is shown", () => {
  assert.deepStrictEqual(logSplits(1, 10000), [1, 10, 100, 1000, 10000]);
  assert.deepStrictEqual(logSplits(15.505, 1060), [20, 50, 100, 200, 500, 1000]);
  assert.deepStrictEqual(logSplits(310, 392), [320, 340, 360, 380]);
  assert.deepStrictEqual(logSplits(1.1, 1.31), [1.1, 1.15, 1.2, 1.25, 1.3]);
});

test("a box is found by a moment and a row in it", () => {
  const plot = {
    parts: { begin_s: [0, 50], end_s: [50, 90] },
    boxes: { part: [0, 0, 1], low: [0, 4, 0], high: [2, 5, 5] },
  };
  assert.strictEqual(boxAt(plot, 10, 1.5), 0);
  assert.strictEqual(boxAt(plot, 10, 4.5), 1);
  assert.strictEqual(boxAt(plot, 10, 3), -1, "between its two boxes");
  assert.strictEqual(boxAt(plot, 50, 3), 2, "the end of one is the begin of the next");
  assert.strictEqual(boxAt(plot, 90, 3), -1);
});

test("moments are days, or times of day of which the first says its day", () => {
  const day = 86400;
  assert.deepStrictEqual(momentLabels([0, 100 * day, 200 * day]), ["0", "100", "200"]);
  const hours = [18, 24, 30].map((hour) => 12 * day + hour * 3600);
  assert.deepStrictEqual(momentLabels(hours), ["day 12, 18:00", "day 13", "06:00"]);
  assert.deepStrictEqual(momentLabels([-6 * 3600, 0]), ["day -1, 18:00", "day 0"]);
});

test("durations have two units", () => {
  const texts = [59, 31 * 60 + 5, 3 * 3600 + 120, 2 * 86400 + 4 * 3600 + 100].map(durationText);
  assert.deepStrictEqual(texts, ["59s", "31m", "3h02m", "2d04h"]);
});

// An element of a page; children are kept, styles and classes are not looked at.
function fakeElement(kind) {
  const made = { kind, children: [], style: {}, textContent: "", clientWidth: 500 };
  made.appendChild = (child) => (made.children.push(child), child);
  made.append = (text) => made.children.push(text);
  return made;
}

// Runs page.js over a document: [the page's own elements by name, every uPlot it made].
function drawn(page) {
  const plots = [];
  class FakePlot {
    constructor(options, data) {
      Object.assign(this, { options, data, views: [] });
      plots.push(this);
    }
    setScale(_, view) { this.views.push(view); }
    static paths = { stepped: () => "stepped" };
  }
  const own = { h1: fakeElement("h1"), pre: fakeElement("pre"), main: fakeElement("main") };
  const document = {
    createElement: fakeElement,
    querySelector: (name) => own[name],
    getElementById: () => ({ textContent: JSON.stringify(page) }),
  };
  vm.runInNewContext(fs.readFileSync(path.join(__dirname, "page.js"), "utf8"), {
    document,
    uPlot: FakePlot,
    getComputedStyle: () => ({ getPropertyValue: (name) => ` colour of ${name}` }),
    matchMedia: () => ({ addEventListener: () => {} }),
    ResizeObserver: class { observe() {} },
  });
  return [own, plots];
}

const PAGE = {
  schema: "muster.plots/1",
  title: "two <jobs>",
  text: "JOBS\n2",
  sections: [{ title: "Waits", note: "A note.", plots: [
    { kind: "curves", title: "Wait", x: "minutes", y: "% of jobs", log_x: true,
      curves: [{ name: "one", x: [2, 10], y: [50, 100] }] },
    { kind: "schedule", title: "lakes", processors: 10, view_s: [0, 100], groups: ["a", "b"],
      parts: { job: [7, 8], begin_s: [0, 150], end_s: [50, 400], waited_s: [0, 90],
        processors: [4, 2], group: [1, 0] },
      boxes: { part: [0, 1], low: [0, 0], high: [4, 2] } },
  ] }],
};

test("a page shows its texts and makes a plot of each kind", () => {
  const [own, [curves, schedule]] = drawn(PAGE);
  assert.strictEqual(own.h1.textContent, "two <jobs>");
  assert.strictEqual(own.pre.textContent, "JOBS\n2");
  const texts = own.main.children.map((child) => child.textContent);
  assert.deepStrictEqual(texts.slice(1), ["Waits", "A note.", ""]);
  const columns = Array.from(curves.data, (column) => [...column]);
  assert.deepStrictEqual(columns, [[1, 2, 10], [null, 50, 100]]);
  const labels = Array.from(curves.options.series, (one) => one.label);
  assert.deepStrictEqual(labels, ["minutes", "one"]);
  assert.strictEqual(curves.options.scales.x.distr, 3);
  assert.strictEqual(curves.options.series[1].stroke(), "colour of --c0");
  assert.deepStrictEqual([...schedule.data[0]], [0, 400], "a double click shows all that ran");
  assert.deepStrictEqual(schedule.views.map((view) => [view.min, view.max]), [[0, 100]]);
});

test("a schedule draws what is in view of its boxes, in the colour of their group", () => {
  const [, [, schedule]] = drawn(PAGE);
  const boxes = [];
  const nothing = () => {};
  const ctx = { save: nothing, restore: nothing, beginPath: nothing, rect: nothing, clip: nothing };
  ctx.fillRect = (...box) => boxes.push([ctx.fillStyle, ...box]);
  const draw = (min, max) => {
    boxes.length = 0;
    const bbox = { left: 20, top: 5, width: 200, height: 100 };
    schedule.options.hooks.drawAxes[0]({ ctx, bbox, scales: { x: { min, max } } });
  };
  draw(0, 100);
  assert.deepStrictEqual(boxes, [["colour of --c1", 20, 65, 99, 39]]);
  draw(200, 400);
  assert.deepStrictEqual(boxes, [["colour of --c0", 20, 85, 199, 19]]);
});
