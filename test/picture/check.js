/* What the page of `rondo trace` is made of, tested without a browser: reading a trace, the
 * rows and what is drawn of them, stretches, turns, counts, search; and the joined page.
 * usage: check.js DIRECTORY_OF_THE_SCRIPTS JOINED_PAGE */
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');

const [directory, joined] = process.argv.slice(2);
const pure = ['model.js', 'rows.js', 'measure.js', 'turn.js', 'flame.js', 'format.js'];
const source = pure.map((name) => fs.readFileSync(path.join(directory, name), 'utf8')).join('\n');
const names = ['KIND', 'KIND_NAMES', 'Unreadable', 'readTrace', 'measure', 'activeLoops', 'nameOf', 'durationOf', 'phaseOf', 'lastInside', 'longestIn',
               'firstEndingAfter', 'firstStartingFrom', 'eachVisible', 'eventAt', 'turnAt', 'turnNumbered', 'phaseCounts', 'loopLabel',
               'callbackGroups', 'composition', 'LANES', 'search', 'nextMatch', 'largest', 'latestTimers', 'isTimer', 'describeTurn', 'arcs',
               'arcCallbacks', 'turnLines', 'formatDuration', 'formatCount', 'formatShare', 'flameOf', 'flameBoxes', 'flameName', 'flameOfAll', 'flameNode', 'flamePath', 'flameNeighbour', 'axisStep', 'axisLabel', 'axisBase', 'axisBaseLabel', 'formatDetail', 'shortened'];
const page = new Function(`'use strict'; ${source}; return { ${names.join(', ')} };`)();
const { KIND } = page;

const trace = (events, more = {}) => JSON.stringify({
  format: 'rondo-trace', version: 2, command: 'app', started: 1, processes: [{ pid: 7, program: '/bin/app',
    loops: [{ id: 1, thread: 7, backend: 'uring', lost: 0, names: ['alpha', 'beta', ''], subjects: ['timer 3', 'tcp 7', 'tcp 8'], events, ...more }] }],
});
const loopOf = (events, more) => page.measure(page.readTrace(trace(events, more))).loops[0];
const list = (array) => Array.from(array);

/* Two turns: the first sleeps and is then held up for 60; the second doesn't sleep. */
const TWO_TURNS = [
  [13, 0, 0, -1, -1, 1],
  [0, 0, 100, -1, -1, 1],
  [1, 5, 10, -1, -1, 0], [9, 6, 8, 0, 0, 0],
  [5, 20, 70, -1, -1, 0], [8, 22, 8, -1, -1, -1], [9, 31, 50, 1, 1, -104], [10, 60, 5, -1, -1, 0], [11, 65, 16, -1, -1, 0],
  [6, 90, 9, -1, -1, 0], [9, 91, 5, 0, -1, 0],
  [0, 100, 20, -1, -1, 2],
  [5, 105, 10, -1, -1, 0], [9, 106, 4, -1, 2, 12],
  [13, 120, 0, -1, -1, 0],
];

const tests = {
  'sampled stacks are a tree, and boxes without what all have in common'() {
    const samples = [[30, [0, 1, 2]], [40, [0, 1, 2]], [50, [0, 1]], [60, [0, 1, 3]], [99, [0]], [45, 'no stack']];
    const loop = loopOf(TWO_TURNS, { names: ['main', 'run', 'parse', 'walk'], samples });
    const root = page.flameOf(loop, 25, 70);
    assert.strictEqual(root.count, 4);
    const { boxes, skipped } = page.flameBoxes(root);
    assert.strictEqual(skipped, 1);
    assert.deepStrictEqual(boxes.map(({ name, depth, start, share }) => [name, depth, start, share]),
      [['run', 0, 0, 1], ['parse', 1, 0, 0.5], ['walk', 1, 0.5, 0.25]]);
    assert.strictEqual(page.flameName('run /app/x.js:3'), 'run x.js:3');
    assert.strictEqual(page.flameOf(loop, 100, 120).count, 0);
  },

  'a function of the flame graph is looked at alone, below its callers, and is found again by its path'() {
    const samples = [[30, [0, 1, 2]], [40, [0, 1, 2]], [50, [0, 1]], [60, [0, 1, 3]]];
    const loop = loopOf(TWO_TURNS, { names: ['main', 'run', 'parse', 'walk'], samples });
    const root = page.flameOf(loop, 0, 70);
    const run = page.flameNode(root, ['main', 'run']), parse = page.flameNode(root, ['main', 'run', 'parse']);
    assert.deepStrictEqual(page.flamePath(parse), ['main', 'run', 'parse']);
    assert.strictEqual(page.flameNode(root, ['main', 'gone', 'parse']), null);
    assert.deepStrictEqual(page.flameBoxes(root, parse).boxes.map(({ name, depth, share, above }) => [name, depth, share, above]),
      [['run', 0, 1, true], ['parse', 1, 1, false]]);
    assert.deepStrictEqual(['left', 'right', 'up', 'down'].map((to) => page.flameNeighbour(parse, to)?.name ?? null), [null, 'walk', 'run', null]);
    assert.strictEqual(page.flameNeighbour(run, 'down'), parse);
    assert.strictEqual(page.flameOfAll([loop, loop]).count, 8);
  },

  'stacks begin with the script, where there is one'() {
    const names = ['main', 'run node:internal:7', 'handle /app/x.js:3', 'parse'];
    const loop = loopOf(TWO_TURNS, { names, samples: [[30, [0, 1, 2, 3]], [40, [0, 2]], [50, [0]]] });
    const { boxes } = page.flameBoxes(page.flameOf(loop, 0, 100));
    assert.deepStrictEqual(boxes.map(({ name, depth, count }) => [name, depth, count]),
      [['handle /app/x.js:3', 0, 2], ['parse', 1, 1], ['(not in the script)', 0, 1]]);
  },

  'the extent of a full ring is that of its busy loops'() {
    const slept = [[0, 0, 9000000, -1, -1, 1], [5, 1, 8999999, -1, -1, 0], [8, 2, 8999998, -1, -1, -1]];
    const late = [[0, 8000000, 990000, -1, -1, 77], [5, 8000000, 990000, -1, -1, 0]];
    const two = (overwritten, sleeper) => page.readTrace(JSON.stringify({
      format: 'rondo-trace', version: 2, command: 'app', started: 1, processes: [{ pid: 7, program: '/bin/app',
        loops: [{ id: 1, thread: 7, backend: 'uring', lost: 0, names: [], subjects: [], events: late, overwritten },
                { id: 2, thread: 8, backend: 'uring', lost: 0, names: [], subjects: [], events: slept, facts: { sleeper } }] }] })).extent;
    assert.deepStrictEqual(two(true, '1 turn, asleep since'), { start: 8000000, end: 8990000 });
    assert.deepStrictEqual(two(true, undefined), { start: 0, end: 9000000 });
    assert.deepStrictEqual(two(false, '1 turn, asleep since'), { start: 0, end: 9000000 });
  },

  'parents, turns and rows'() {
    const loop = loopOf(TWO_TURNS);
    assert.deepStrictEqual(list(loop.parent), [-1, -1, 1, 2, 1, 4, 4, 6, 6, 1, 9, -1, 11, 12, -1]);
    assert.deepStrictEqual(list(loop.turns), [1, 11]);
    assert.deepStrictEqual(loop.rows.map(({ index }) => list(index)), [[0, 1, 11, 14], [2, 4, 9, 12], [3, 6, 10, 13], [7, 8]]);
    assert.strictEqual(page.lastInside(loop, 1), 11);
    assert.strictEqual(page.lastInside(loop, 6), 9);
    assert.strictEqual(page.phaseOf(loop, 8), KIND.POLL);
    assert.strictEqual(page.phaseOf(loop, 1), 0);
  },

  'names: the name, else the subject, else the kind'() {
    const loop = loopOf(TWO_TURNS);
    assert.deepStrictEqual([1, 4, 5, 6, 8, 13].map((i) => page.nameOf(loop, i)), ['turn 1', 'poll', 'sleep', 'beta', 'microtasks', 'tcp 8']);
    const odd = loopOf([[9, 0, 5, 2, -1, 0], [9, 5, 5, 99, -7, 0], [9, 10, 5]]);
    assert.deepStrictEqual([0, 1, 2].map((i) => page.nameOf(odd, i)), ['callback', 'callback', 'callback']);
  },

  'empty spans at the end of their parent stay inside, successors do not'() {
    const loop = loopOf([[0, 0, 10, -1, -1, 1], [5, 2, 8], [9, 10, 0, 0, 0, 0], [0, 10, 10, -1, -1, 2], [5, 10, 0], [9, 10, 0, 0, 0, 0], [6, 10, 5]]);
    assert.deepStrictEqual(list(loop.parent), [-1, 0, 1, -1, 3, 4, 3]);
  },

  'spans open at the end, out of order, beyond their parent'() {
    const open = loopOf([[0, 0, null, -1, -1, 1], [5, 10, null], [9, 20, null, 0, 0, 0], [10, 30, 5]]);
    assert.deepStrictEqual(list(open.end), [35, 35, 35, 35]);
    const mixed = loopOf([[9, 20, 5, 0, 0, 0], [5, 10, 50], [0, 0, 40, -1, -1, 1]]);
    assert.deepStrictEqual(list(mixed.kind), [0, 5, 9]);
    assert.deepStrictEqual(list(mixed.end), [40, 40, 25]);
  },

  'how long data had waited is known of its callback'() {
    assert.strictEqual(loopOf(TWO_TURNS, { arrivals: [[6, 300e6], 'x'] }).arrivals.get(6), 300e6);
    assert.strictEqual(loopOf(TWO_TURNS, { arrivals: 7 }).arrivals.size, 0);
    assert.deepStrictEqual(loopOf(TWO_TURNS).facts.late, []);
  },

  'what the recording ended in is known'() {
    assert.ok(loopOf(TWO_TURNS, { unfinished: [13] }).unfinished.has(13));
    assert.strictEqual(loopOf(TWO_TURNS, { unfinished: 'x' }).unfinished.size, 0);
  },

  'what is not an event is left out and counted'() {
    const loop = loopOf([[0, 0, 10, -1, -1, 1], null, [77, 1, 1], [5, 'x', 1], 'turn', [5, 2, 3]]);
    assert.strictEqual(loop.count, 2);
    assert.strictEqual(loop.skipped, 4);
  },

  'what is no trace is refused with a reason'() {
    const refused = (text, reason) => assert.throws(() => page.readTrace(text), (error) => error instanceof page.Unreadable && reason.test(error.message));
    refused('/*TRACE' + '*/', /no trace in this page/);
    refused('', /no trace in this page/);
    refused('{"format": "rondo-trace", ', /damaged/);
    refused('null', /no trace of rondo/);
    refused('{"format": "other"}', /no trace of rondo/);
    refused('{"format": "rondo-trace", "version": 1}', /version 2/);
    refused('{"format": "rondo-trace", "version": 2}', /no list of processes/);
    refused('{"format": "rondo-trace", "version": 2, "processes": [{}]}', /Process 1 .* no list of loops/);
    refused('{"format": "rondo-trace", "version": 2, "processes": [{"loops": [{}]}]}', /Loop 1 of process 1 has no list of events/);
  },

  'an empty trace, a loop without events, one event'() {
    assert.deepStrictEqual(page.readTrace('{"format": "rondo-trace", "version": 2, "processes": []}').extent, { start: 0, end: 1000 });
    const none = loopOf([]);
    assert.deepStrictEqual([none.count, none.turns.length, none.held.length, none.facts.busy], [0, 0, 0, 0]);
    assert.strictEqual(loopOf([[9, 5, 100, 0, -1, 0]]).count, 1);
  },

  'loops that never ran are not among those shown'() {
    const raw = JSON.parse(trace(TWO_TURNS));
    raw.processes[0].loops.push({ id: 2, events: [] }, { id: 3, events: [[13, 5, 900, -1, -1, 3]] });
    const read = page.readTrace(JSON.stringify(raw));
    assert.deepStrictEqual([read.loops.length, page.activeLoops(read).map(({ id }) => id)], [3, [1]]);
  },

  'what held a loop up is what the command has found'() {
    const facts = { busy: 5, held: [{ start: 31, end: 105, length: 74, culprit: 6, inside: 8, turn: 1, calls: 1, callbacks: 2, taker: 0, text: 'by beta' },
                                    { start: 0, end: 9, length: 9, culprit: 99, inside: -1, turn: 'x', calls: 0, callbacks: 0, taker: 3, text: 'by no callback' }] };
    const [first, second] = loopOf(TWO_TURNS, { facts }).held;
    assert.deepStrictEqual([first.culprit, first.inside, first.turn, first.length], [6, 8, 0, 74]);
    assert.deepStrictEqual([second.culprit, second.turn], [-1, -1]);
  },

  'the busiest loop comes first'() {
    const raw = JSON.parse(trace(TWO_TURNS, { facts: { busy: 3 } }));
    raw.processes[0].loops.push({ id: 2, events: TWO_TURNS, facts: { busy: 90 } }, { id: 3, events: TWO_TURNS, facts: { busy: 4 } });
    assert.deepStrictEqual(page.readTrace(JSON.stringify(raw)).loops.map(({ id }) => id), [2, 3, 1]);
  },

  'threads of the pool are lanes, named by what they ran'() {
    const raw = JSON.parse(trace(TWO_TURNS));
    raw.processes[0].names = ['alpha', 'hash'];
    raw.processes[0].lanes = [{ thread: 12, works: [[5, 20, 1, 'work 1'], [30, 5, -1, 'fs_read 2']] }];
    const { lanes: [lane] } = page.readTrace(JSON.stringify(raw));
    assert.deepStrictEqual([lane.isLane, lane.count, page.nameOf(lane, 0), page.nameOf(lane, 1)], [true, 2, 'hash', 'fs_read 2']);
    assert.ok(page.loopLabel(lane).includes('pool'), page.loopLabel(lane));
  },

  'who began a callback, and what the pool did for it'() {
    const loop = loopOf([[0, 0, 90, -1, -1, 1], [5, 0, 80], [9, 1, 10, 0, 0, 0], [9, 50, 5, 1, 1, 0, 2, 4, 12, 30]]);
    const { waited, took } = loop.works.get(3);
    assert.deepStrictEqual([loop.begunBy[3], loop.begunAt[3], waited, took], [2, 4, 12, 30]);
    assert.deepStrictEqual([loop.begunBy[2], loop.begunAt[2], loop.handles[3]], [-1, -1, 0]);
  },

  'what a thread of the pool ran and its callback know each other'() {
    const raw = JSON.parse(trace([[0, 0, 90, -1, -1, 1], [5, 0, 80], [9, 1, 10, 0, 0, 0], [9, 50, 5, 1, 1, 0, 2, 4, 12, 30, 7]]));
    raw.processes[0].lanes = [{ thread: 12, works: [[1, 2, -1, 'work 1', 6], [16, 30, -1, 'work 2', 7]] }];
    const { loops: [loop], lanes: [lane] } = page.readTrace(JSON.stringify(raw));
    assert.ok(loop.works.get(3).place.loop === lane && loop.works.get(3).place.event === 1);
    assert.ok(lane.calledBack.get(1).loop === loop && lane.calledBack.get(1).event === 3);
    assert.strictEqual(lane.calledBack.size, 1);
  },

  'time outside is a span, with the main script in it'() {
    const loop = loopOf([[13, 0, 60, -1, -1, 1], [12, 0, 50, 0, -1, 0], [0, 60, 20, -1, -1, 1], [5, 70, 5], [13, 80, 4920, -1, -1, 0],
                         [0, 5000, 20, -1, -1, 2], [5, 5010, 5], [13, 5020, 900, -1, -1, 2]]);
    assert.deepStrictEqual(list(loop.parent), [-1, 0, -1, 2, -1, -1, 5, -1]);
    assert.deepStrictEqual([page.durationOf(loop, 4), page.nameOf(loop, 4)], [4920, 'outside']);
    const sum = list(page.composition(loop, 0, 5920, 37)).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - (60 + 20 + 4920 + 20)) < 1e-6, `${sum}: the end, when nobody runs it again, is no time of its`);
  },

  'the strip of a thinned trace is the command\'s'() {
    const strip = new Array(20 * page.LANES).fill(0);
    for (let c = 0; c < 20; c++) strip[c * page.LANES + KIND.POLL] = 500;
    const loop = loopOf([], { strip, gaps: [[14, 0, 50, -1, -1, 3], 'x'] });
    const lanes = page.composition(loop, 0, 100, 10);
    assert.ok(Math.abs(lanes[3 * page.LANES + KIND.POLL] - 5) < 1e-9);
    assert.strictEqual(loop.gaps.count, 1);
  },

  'the longest of any range is found as by looking at each'() {
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    let at = 0;
    const events = Array.from({ length: 5000 }, () => [9, at += 1 + Math.floor(random() * 50), 0, 0, 0, 0]);
    events.forEach((event, k) => { event[2] = k + 1 < events.length ? Math.floor(random() * (events[k + 1][1] - event[1] + 1)) : 3; });
    const row = loopOf(events).rows[2];
    const length = (k) => row.loop.end[row.index[k]] - row.loop.start[row.index[k]];
    for (let round = 0; round < 300; round++) {
      const from = Math.floor(random() * 5000), to = from + Math.floor(random() * (5001 - from));
      let best = from < to ? 0 : -1;
      for (let k = from; k < to; k++) best = Math.max(best, length(k));
      const found = page.longestIn(row, from, to);
      assert.strictEqual(found < 0 ? -1 : length(found), best, `${from} to ${to}`);
      assert.ok(found < 0 || (found >= from && found < to));
    }
  },

  'what is drawn depends on the pixels, and leaves nothing out'() {
    const events = [];
    for (let k = 0; k < 100000; k++) events.push([9, k * 10, k % 1000 === 0 ? 9 : 3, k % 3, 0, 0]);
    const row = loopOf(events).rows[2];
    for (const [t0, t1, width] of [[0, 1e6, 800], [500000, 501000, 800], [-100, 50, 300], [999990, 2e6, 100], [123456, 123457, 50]]) {
      let calls = 0, next = page.firstEndingAfter(row, t0), previous = -Infinity;
      page.eachVisible(row, t0, t1, width, (from, to, x0, x1) => {
        calls++;
        assert.strictEqual(from, next, 'no gap');
        assert.ok(to > from && x1 >= x0 && x0 >= Math.floor(previous));
        next = to;
        previous = x0;
      });
      assert.strictEqual(next, Math.max(page.firstStartingFrom(row, t1), page.firstEndingAfter(row, t0)), 'to the end');
      assert.ok(calls <= 2 * width + 2, `${calls} calls for ${width} pixels`);
    }
  },

  'a wide span is not swallowed by the small ones before it'() {
    const row = loopOf([[9, 0, 1, 0, 0, 0], [9, 2, 1, 0, 0, 0], [9, 4, 900, 1, 0, 0]]).rows[2];
    const drawn = [];
    page.eachVisible(row, 0, 1000, 100, (from, to) => drawn.push([from, to]));
    assert.deepStrictEqual(drawn, [[0, 2], [2, 3]]);
  },

  'pointing finds what is there, or the longest near by'() {
    const row = loopOf([[9, 0, 100, 0, 0, 0], [9, 200, 2, 0, 0, 0], [9, 203, 5, 1, 0, 0], [9, 400, 100, 0, 0, 0]]).rows[2];
    assert.strictEqual(page.eventAt(row, 50, 10), 0);
    assert.strictEqual(page.eventAt(row, 201, 10), 2);
    assert.strictEqual(page.eventAt(row, 300, 10), -1);
    assert.strictEqual(page.eventAt(row, 395, 10), 3);
  },

  'the turn at a time, and by its number'() {
    const loop = loopOf(TWO_TURNS);
    assert.deepStrictEqual([0, 99, 100, 119, 5000].map((time) => page.turnAt(loop, time)), [0, 0, 1, 1, 1]);
    assert.deepStrictEqual([1, 2, 3, 0].map((number) => page.turnNumbered(loop, number)), [0, 1, -1, -1]);
  },

  'counts per phase, and callbacks of one name together, of all loops shown'() {
    const facts = { phases: [[2, 0], [1, 4]], times: [100, 20], totals: [['alpha', 2, 13, 8, 3], ['beta', 1, 50, 50, 6]] };
    const loops = [loopOf(TWO_TURNS, { facts }), loopOf(TWO_TURNS, { facts: { ...facts, totals: [['alpha', 3, 30, 20, 10], ['gone', 1, 1, 1, -1]] } })];
    const counts = page.phaseCounts(loops);
    assert.deepStrictEqual([counts[KIND.TIMERS].spans, counts[KIND.TIMERS].callbacks, counts[KIND.TIMERS].time, counts[KIND.POLL].spans], [2, 8, 40, 0]);
    const groups = page.callbackGroups(loops).map(({ name, count, total, max, event }) => [name, count, total, max, event]);
    assert.deepStrictEqual(groups, [['alpha', 5, 43, 20, 10], ['beta', 1, 50, 50, 6]]);
  },

  'how busy: all time is in some lane, but the sleep'() {
    const loop = loopOf(TWO_TURNS);
    for (const columns of [1, 7, 120]) {
      const lanes = list(page.composition(loop, 0, 120, columns));
      const sum = lanes.reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - 112) < 1e-6, `${sum} of 112`);
      assert.ok(lanes.every((value) => value > -1e-9));
    }
  },

  'what a sleep waited for'() {
    const loop = loopOf([[0, 0, 90, -1, -1, 1], [5, 0, 80], [8, 1, 70, -1, -1, -1, 3, 12]], { alive: ['tcp 7 fd 3', 'timer 3'] });
    assert.deepStrictEqual([loop.handles[2], loop.requests[2], loop.alive], [3, 12, ['tcp 7 fd 3', 'timer 3']]);
    assert.deepStrictEqual([loopOf(TWO_TURNS).handles[5], loopOf(TWO_TURNS).alive], [0, []]);
    assert.strictEqual(page.shortened('x'.repeat(1000)).length, 60);
    assert.strictEqual(page.shortened(`begins${'x'.repeat(100)}ends`, 20), 'beginsxxxx\u2026xxxxxends');
    assert.strictEqual(page.shortened(`/a/very/long/${'folder/'.repeat(20)}server.js:12`), '\u2026/server.js:12');
  },

  'timers that were late, without those that fire them'() {
    const events = [[0, 0, 9e7, -1, -1, 1], [1, 0, 9e7], [9, 0, 5e7, 0, 0, 8e6], [9, 1, 3e7, 0, 1, 7e6], [9, 4e7, 5, 0, 1, 9e6],
                    [9, 6e7, 5, 0, 0, 2e6], [9, 7e7, 5, 0, 2, 5e7], [9, 8e7, 5, 0, 0, 999]];
    const loop = loopOf(events, { subjects: ['timer 1', 'timeout 1', 'timers 3'] });
    assert.deepStrictEqual(loop.late.map(({ event, late }) => [event, late]), [[4, 9e6], [3, 7e6], [5, 2e6]]);
    assert.deepStrictEqual(page.formatDetail(KIND.CALLBACK, 2e6, true), ['late', '2.00\u00a0ms']);
  },

  'search marks, counts and steps both ways'() {
    const loop = loopOf(TWO_TURNS);
    assert.strictEqual(page.search([loop], 'ALPHA'), 2);
    assert.deepStrictEqual([page.nextMatch(loop, -1), page.nextMatch(loop, 3), page.nextMatch(loop, 10)], [3, 10, -1]);
    assert.deepStrictEqual([page.nextMatch(loop, Infinity, true), page.nextMatch(loop, 10, true), page.nextMatch(loop, 3, true)], [10, 3, -1]);
    assert.strictEqual(page.search([loop], 'tcp'), 2);
    assert.strictEqual(page.search([loop], 'microtasks'), 1);
    assert.strictEqual(page.search([loop], 'nowhere'), 0);
    assert.strictEqual(page.search([loop], ' '), 0);
    assert.strictEqual(loop.rows[0].matches, null);
  },

  'the largest, in order, without sorting all'() {
    assert.deepStrictEqual(page.largest(6, (k) => [3, 9, 1, 9, 4, 0][k], 3), [1, 3, 4]);
    assert.deepStrictEqual(page.largest(0, () => 0, 3), []);
  },

  'the wheel: seven arcs that fill the circle, none too small'() {
    const loop = loopOf(TWO_TURNS);
    for (const ordinal of [0, 1]) {
      const { arcs } = page.arcs(page.describeTurn(loop, ordinal));
      assert.strictEqual(arcs.length, 7);
      assert.ok(Math.abs(arcs[6].to - 1) < 1e-9);
      arcs.forEach((arc, k) => assert.ok(arc.to - arc.from >= 0.0699 && (k === 0 || arc.from === arcs[k - 1].to)));
    }
    const asleep = page.describeTurn(loopOf([[0, 0, 1e9, -1, -1, 1], [5, 0, 1e9], [8, 10, 1e9 - 10, -1, -1, -1]]), 0);
    const shape = page.arcs(asleep);
    assert.ok(shape.cut && shape.arcs[4].sleep > 0 && shape.arcs[4].sleep < shape.arcs[4].to - shape.arcs[4].from);
    const nothing = page.arcs(page.describeTurn(loopOf([[0, 0, 0, -1, -1, 1]]), 0));
    assert.ok(Math.abs(nothing.arcs[6].to - 1) < 1e-9);
  },

  'callbacks lie in the arc of their phase, in order'() {
    const turn = page.describeTurn(loopOf(TWO_TURNS), 0);
    const shape = page.arcs(turn);
    const marks = page.arcCallbacks(turn, shape);
    assert.deepStrictEqual(marks.map(({ event }) => event), [3, 6, 10]);
    for (const mark of marks) {
      const arc = shape.arcs[page.phaseOf(turn.loop, mark.event) - 1];
      assert.ok(mark.from >= arc.from + arc.sleep - 1e-9 && mark.to <= arc.to + 1e-9);
    }
  },

  'a turn as lines: all seven phases, what ran below them'() {
    const { lines, left } = page.turnLines(page.describeTurn(loopOf(TWO_TURNS), 0));
    assert.deepStrictEqual(lines.map(({ kind, depth, event }) => [page.KIND_NAMES[kind], depth, event >= 0]), [
      ['timers', 0, true], ['callback', 1, true], ['pending', 0, false], ['idle', 0, false], ['prepare', 0, false],
      ['poll', 0, true], ['sleep', 1, true], ['callback', 1, true], ['ticks', 2, true], ['microtasks', 2, true],
      ['check', 0, true], ['callback', 1, true], ['closing', 0, false]]);
    assert.strictEqual(left, 0);
  },

  'a turn of very many callbacks lists the longest, in order'() {
    const events = [[0, 0, 1e6, -1, -1, 1], [5, 0, 1e6]];
    for (let k = 0; k < 5000; k++) events.push([9, k * 100, k === 4321 ? 90 : k % 50, 0, 0, 0]);
    const { lines, left } = page.turnLines(page.describeTurn(loopOf(events), 0));
    const shown = lines.filter(({ event }) => event >= 0).map(({ event }) => event);
    assert.ok(shown.includes(4323) && shown.every((event, k) => k === 0 || event > shown[k - 1]));
    assert.strictEqual(left + shown.length, 5001);
  },

  'numbers as people read them'() {
    const durations = [[0, '0 ns'], [640, '640 ns'], [999.9, '1.00 \u00b5s'], [12345, '12.3 \u00b5s'], [48.2e6, '48.2 ms'], [999.6e6, '1.00 s'], [2.314e9, '2.31 s'], [12345e9, '12,345 s']];
    for (const [ns, text] of durations) assert.strictEqual(page.formatDuration(ns), text.replace(' ', '\u00a0'));
    assert.deepStrictEqual([page.formatCount(1234567), page.formatCount(999), page.formatCount(-4321)], ['1,234,567', '999', '-4,321']);
    assert.deepStrictEqual([page.formatShare(0), page.formatShare(0.00001), page.formatShare(0.052), page.formatShare(0.54)].map((text) => text.replace('\u00a0', ' ')), ['0 %', '< 0.1 %', '5.2 %', '54 %']);
    assert.deepStrictEqual([page.axisStep(1), page.axisStep(3), page.axisStep(60), page.axisStep(1.5e6)], [1, 5, 100, 2e6]);
    assert.strictEqual(page.axisLabel(2e8, 5e7, 0), '200 ms');
    const base = page.axisBase(207330000, 5000);
    assert.deepStrictEqual([page.axisBaseLabel(base, 5000), page.axisLabel(207335000, 5000, base)], ['207 ms +', '+335 \u00b5s']);
    assert.deepStrictEqual([page.axisBase(5e6, 1e5), page.axisBase(90e9, 2e9), page.axisBase(0, 1)], [0, 0, 0]);
    assert.deepStrictEqual(page.formatDetail(KIND.CALLBACK, -104), ['error', 'ECONNRESET (-104)']);
    assert.strictEqual(page.formatDetail(KIND.CALLBACK, 0), null);
  },

  'a million events are read in time'() {
    const events = [];
    for (let t = 0, turn = 1; events.length < 1e6; turn++, t += 1000)
      events.push([0, t, 990, -1, -1, turn], [5, t + 10, 900, -1, -1, 0], [8, t + 20, 300, -1, -1, -1], [9, t + 400, 100, turn % 2, 1, 0], [9, t + 600, 100, 1, 2, 0]);
    const loop = loopOf(events);
    assert.strictEqual(loop.turns.length, 200000);
  },

  'the joined page is whole, needs nothing from outside and runs no text of a trace'() {
    const text = fs.readFileSync(joined, 'latin1');
    assert.strictEqual(text.split('/*TRACE*/').length, 2, 'one place for the trace');
    assert.ok(!/\/\*(STYLE|SCRIPT)\*\//.test(text), 'all is filled in');
    assert.ok(text.length < 120000, `${text.length} bytes`);
    assert.ok(/^[\t\n -~]*$/.test(text), 'ASCII');
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/.test(text));
    assert.ok(!/\b(src|href)=|@import|url\((?!#)|fetch\((?!this\.source\))|XMLHttpRequest|\son\w+="/.test(text), 'nothing from outside, but for what `rondo top` serves itself');
    const script = text.slice(text.lastIndexOf('<script>') + 8, text.lastIndexOf('</script>'));
    new Function(script);
    for (const name of names) assert.ok(script.includes(name), name);
    const used = new Set([...script.matchAll(/\$\('([\w-]+)'\)/g)].map((match) => match[1]));
    for (const id of used) assert.ok(text.includes(`id="${id}"`), `an element ${id}`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n${error}\n${error.stack}`);
  }
}
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed`);
process.exitCode = failed ? 1 : 0;
