/* The trace as the picture needs it: the JSON of `rondo trace` turned into columns (one
 * typed array per field, so that a million events stay small and quick), with each event's
 * parent, turn and row. What can't be understood is refused with a sentence that says
 * what is wrong; what is merely odd is put right or left out and counted. */

const KIND = Object.freeze({
  TURN: 0, TIMERS: 1, PENDING: 2, IDLE: 3, PREPARE: 4, POLL: 5, CHECK: 6, CLOSING: 7,
  SLEEP: 8, CALLBACK: 9, TICKS: 10, MICROTASKS: 11, SCRIPT: 12, OUTSIDE: 13,
});
const KIND_NAMES = ['turn', 'timers', 'pending', 'idle', 'prepare', 'poll', 'check', 'closing',
                    'sleep', 'callback', 'ticks', 'microtasks', 'main script', 'outside'];
const PHASES = [1, 2, 3, 4, 5, 6, 7];

/* How deep a kind lies at least: turns, their phases, what runs in those, what runs after
 * that. Also the row it is drawn in, unless its parent lies there already. */
const LEVEL = [0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 2, 0];
const MOST_ROWS = 8;

const isPhase = (kind) => kind >= KIND.TIMERS && kind <= KIND.CLOSING;

class Unreadable extends Error {}

function need(condition, message) {
  if (!condition) throw new Unreadable(message);
}

/* The whole trace, from the text in the page. Throws Unreadable. */
function readTrace(text) {
  const trimmed = text.trim();
  need(trimmed !== '' && !trimmed.startsWith('/*'),
       'There is no trace in this page. `rondo trace app.js` writes one that has.');
  let raw;
  try {
    raw = JSON.parse(trimmed);
  } catch (error) {
    throw new Unreadable(`The trace in this page is damaged: ${error.message}`);
  }
  need(raw !== null && typeof raw === 'object' && raw.format === 'rondo-trace',
       'This is no trace of rondo: "format" is not "rondo-trace".');
  need(raw.version === 2, `This page draws version 2 of the format, the trace has ${raw.version}.`);
  need(Array.isArray(raw.processes), 'The trace has no list of processes.');
  return buildTrace(raw);
}

function buildTrace(raw) {
  const loops = [];
  const lanes = [];
  raw.processes.forEach((process, p) => {
    need(process && Array.isArray(process.loops), `Process ${p + 1} of the trace has no list of loops.`);
    const own = process.loops.map((loop, l) => {
      need(loop && Array.isArray(loop.events), `Loop ${l + 1} of process ${p + 1} has no list of events.`);
      return buildLoop(loop, process, loops.length + l);
    });
    const threads = (Array.isArray(process.lanes) ? process.lanes : []).map((lane) => buildLane(lane, process));
    linkWorks(own, threads);
    loops.push(...own);
    lanes.push(...threads);
  });
  // The busiest first: a program's main loop is rarely the first that it makes.
  loops.sort((a, b) => b.facts.busy - a.facts.busy || a.ordinal - b.ordinal);
  return {
    command: typeof raw.command === 'string' ? raw.command : '',
    started: Number.isFinite(raw.started) ? raw.started : null,
    loops,
    lanes,
    extent: extentOf(loops),
  };
}

/* A ring has the last seconds of a busy loop, and all that a helper has slept since the
 * program's start, which may be days: the picture is that of the seconds. */
function extentOf(all) {
  const awake = all.filter(({ count, facts }) => count > 0 && !facts.sleeper && !facts.unused);
  const loops = awake.some(({ overwritten }) => overwritten) ? awake : all;
  let start = Infinity, end = -Infinity;
  for (const loop of loops) {
    if (loop.count === 0) continue;
    start = Math.min(start, loop.first);
    end = Math.max(end, loop.last);
  }
  if (start > end) return { start: 0, end: 1000 };
  return { start, end: Math.max(end, start + 1000) };
}

const strings = (list) => (Array.isArray(list) ? list.map(String) : []);

const NO_FACTS = { busy: 0, shown: 0, length: 0, turns: 0, p50: 0, p90: 0, p99: 0, worst: 0, weight: 0, waited: 0, headline: '', verdict: [], waits: '',
                   held: [], late: [], totals: [], phases: [], times: [] };

/* A thread of the pool: a loop without turns, whose callbacks are what it ran. The garbage collections of a
 * loop's thread are such a lane, too. */
function buildLane(raw, process) {
  const works = Array.isArray(raw.works) ? raw.works.filter(Array.isArray) : [];
  const subjects = works.map((work) => String(work[3]));
  const events = works.map(([start, duration, name], k) => [KIND.CALLBACK, start, duration, name, k, 0]);
  const lane = buildLoop({ events, subjects, thread: raw.thread, id: 0 }, process, -1);
  lane.isLane = true;
  lane.label = typeof raw.label === 'string' ? raw.label : 'pool';
  lane.numbers = works.map((work) => work[4]);
  return lane;
}

/* Links the work of a pool's thread with the callback that it was for. */
function linkWorks(loops, lanes) {
  const places = new Map();
  for (const lane of lanes)
    lane.numbers.forEach((number, event) => { if (Number.isInteger(number) && event < lane.count) places.set(number, { loop: lane, event }); });
  for (const loop of loops)
    loop.works.forEach((work, event) => {
      work.place = places.get(work.number) ?? null;
      if (work.place) work.place.loop.calledBack.set(work.place.event, { loop, event });
    });
}

function buildLoop(raw, process, ordinal) {
  const program = typeof process.program === 'string' ? process.program : '';
  const loop = {
    ordinal,
    id: raw.id ?? ordinal + 1,
    thread: raw.thread ?? null,
    backend: typeof raw.backend === 'string' ? raw.backend : '',
    threadName: typeof raw.threadName === 'string' ? raw.threadName : '',
    isLane: false,
    label: typeof raw.label === 'string' ? raw.label : '',
    sampled: Number(raw.sampled) || 0, // looked at from outside, so often: what lies between isn't known
    lost: Number(raw.lost) || 0,
    leftOut: Number(raw.leftOut) || 0, // of the events: too many to draw,
    least: Number(raw.least) || 0,     // and shorter than this
    overwritten: Boolean(raw.overwritten),
    strip: Array.isArray(raw.strip) ? raw.strip : null,
    facts: { ...NO_FACTS, ...raw.facts },
    pid: process.pid ?? null,
    program: program.slice(program.lastIndexOf('/') + 1),
    names: strings(raw.names || process.names),
    subjects: strings(raw.subjects),
    unfinished: new Set(Array.isArray(raw.unfinished) ? raw.unfinished : []),
  };
  loop.alive = strings(raw.alive);
  loop.arrivals = new Map(Array.isArray(raw.arrivals) ? raw.arrivals.filter(Array.isArray) : []);
  loop.samples = samplesOf(raw.samples, loop.names);
  loop.timers = loop.subjects.map((subject) => /^time(r|out) \d+$/.test(subject));
  fillColumns(loop, raw.events);
  fillParents(loop);
  loop.rows = buildRows(loop);
  loop.sleeps = rowOf(loop, (i) => loop.kind[i] === KIND.SLEEP);
  loop.gaps = gapRow(raw.gaps);
  return loop;
}

/* Stacks, the outermost frame first. */
function samplesOf(raw, names) {
  return (Array.isArray(raw) ? raw : []).filter((sample) => Array.isArray(sample) && Array.isArray(sample[1]))
    .map(([at, frames]) => ({ at, frames: frames.map((name) => names[name] ?? '?') }));
}

/* Turns that were left out, many together: a row of its own, drawn behind the turns. */
function gapRow(raw) {
  const gaps = (Array.isArray(raw) ? raw : []).filter(wellFormedGap);
  const start = Float64Array.from(gaps, (gap) => gap[1]);
  const end = Float64Array.from(gaps, (gap) => gap[1] + Math.max(0, gap[2]));
  return finishRow({ start, end, turns: gaps.map((gap) => gap[5]) }, Int32Array.from(gaps, (_, k) => k));
}

const wellFormedGap = (gap) => Array.isArray(gap) && Number.isFinite(gap[1]) && Number.isFinite(gap[2]);

const wellFormed = (event) => Array.isArray(event) && event[0] >= 0 && event[0] <= KIND.OUTSIDE &&
                              Number.isFinite(event[1]);

function inOrder(events) {
  for (let i = 1; i < events.length; i++)
    if (events[i][1] < events[i - 1][1]) return false;
  return true;
}

function fillColumns(loop, all) {
  let events = all.every(wellFormed) ? all : all.filter(wellFormed);
  loop.skipped = all.length - events.length;
  if (!inOrder(events))
    events = events.slice().sort((a, b) => a[1] - b[1] || b[2] - a[2] || LEVEL[a[0]] - LEVEL[b[0]]);
  const n = events.length;
  Object.assign(loop, {
    count: n,
    kind: new Uint8Array(n), start: new Float64Array(n), end: new Float64Array(n),
    name: new Int32Array(n), subject: new Int32Array(n), detail: new Float64Array(n),
    handles: new Int32Array(n), requests: new Int32Array(n), // of sleeps: what they waited for
    begunBy: new Int32Array(n).fill(-1), begunAt: new Float64Array(n).fill(-1), // of what was begun
    works: new Map(), // of those that the pool did: {waited, took, number, place: {loop, event}}
    calledBack: new Map(), // of a thread of the pool: the callback, {loop, event}
  });
  let last = 0;
  for (let i = 0; i < n; i++) {
    // By index: JavaScriptCore 2.50 sometimes finds no iterator here once it has compiled this.
    const event = events[i];
    const kind = event[0], start = event[1], duration = event[2], name = event[3], subject = event[4];
    loop.kind[i] = kind;
    loop.start[i] = start;
    // A span without a duration is open: it is closed below, when the end is known.
    loop.end[i] = Number.isFinite(duration) ? start + Math.max(0, duration) : Infinity;
    loop.name[i] = Number.isInteger(name) && name < loop.names.length ? name : -1;
    loop.subject[i] = Number.isInteger(subject) && subject < loop.subjects.length ? subject : -1;
    loop.detail[i] = Number(event[5]) || 0;
    if (kind === KIND.SLEEP) {
      loop.handles[i] = Number(event[6]) || 0;
      loop.requests[i] = Number(event[7]) || 0;
    } else if (event.length > 7) {
      loop.begunBy[i] = event[6];
      loop.begunAt[i] = event[7];
      if (event.length > 9) loop.works.set(i, { waited: event[8], took: event[9], number: event[10], place: null });
    }
    last = Math.max(last, start, loop.end[i] === Infinity ? 0 : loop.end[i]);
  }
  loop.first = n ? loop.start[0] : 0;
  loop.last = last;
  for (let i = 0; i < n; i++)
    if (loop.end[i] === Infinity) loop.end[i] = last;
}

/* Whether an open span lies around event i. At the very instant of its end only an empty
 * span of a deeper kind still belongs to it: its successor starts there, too. */
function liesAround(loop, outer, i) {
  if (loop.end[outer] !== loop.start[i]) return loop.end[outer] > loop.start[i];
  return loop.end[i] === loop.start[i] && LEVEL[loop.kind[outer]] < LEVEL[loop.kind[i]];
}

function fillParents(loop) {
  const { count, kind, end } = loop;
  const open = [];
  const turns = [];
  loop.parent = new Int32Array(count).fill(-1);
  loop.turn = new Int32Array(count).fill(-1);
  loop.row = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    while (open.length && !liesAround(loop, open[open.length - 1], i)) open.pop();
    const parent = open.length ? open[open.length - 1] : -1;
    loop.parent[i] = parent;
    if (parent >= 0) {
      end[i] = Math.min(end[i], end[parent]);
      loop.turn[i] = loop.turn[parent];
    }
    if (kind[i] === KIND.TURN) loop.turn[i] = turns.push(i) - 1;
    loop.row[i] = Math.max(LEVEL[kind[i]], parent >= 0 ? loop.row[parent] + 1 : 0);
    open.push(i);
  }
  loop.turns = Int32Array.from(turns);
}

/* --- asking about an event ------------------------------------------------------- */

const durationOf = (loop, i) => loop.end[i] - loop.start[i];

/* The kind of the phase an event lies in or is; 0 outside of any. */
function phaseOf(loop, i) {
  for (let at = i; at >= 0; at = loop.parent[at])
    if (isPhase(loop.kind[at])) return loop.kind[at];
  return 0;
}

const subjectOf = (loop, i) => (loop.subject[i] >= 0 ? loop.subjects[loop.subject[i]] : '');

function nameOf(loop, i) {
  const kind = loop.kind[i];
  if (loop.sampled && kind === KIND.TURN) return 'as sampled';
  if (loop.sampled && kind === KIND.OUTSIDE) return 'not looked at';
  if (kind === KIND.TURN) return `turn ${formatCount(loop.detail[i])}`;
  if (loop.name[i] >= 0 && loop.names[loop.name[i]].trim() !== '') return loop.names[loop.name[i]];
  if (kind === KIND.CALLBACK) return subjectOf(loop, i) || 'callback';
  return KIND_NAMES[kind];
}

/* Events are sorted with parents first, so those inside an event follow it. */
function lastInside(loop, i) {
  let at = i + 1;
  while (at < loop.count && loop.start[at] <= loop.end[i] && isInside(loop, at, i)) at++;
  return at;
}

function isInside(loop, i, outer) {
  let at = loop.parent[i];
  while (at > outer) at = loop.parent[at];
  return at === outer;
}

/* Loops that did anything. Programs make loops that they never run; Node.js does. */
const activeLoops = (trace) =>
  trace.loops.filter(({ kind, facts }) => !facts.unused && kind.some((value) => value !== KIND.OUTSIDE));

function loopLabel(loop) {
  const parts = [`${loop.program || 'program'} ${loop.pid ?? ''}`.trim(), loop.label || `loop ${loop.id}`];
  const thread = loop.thread !== null && loop.thread !== loop.pid ? `thread ${loop.thread}` : '';
  const name = loop.threadName && loop.threadName !== loop.program.slice(0, 15) ? loop.threadName : '';
  if (thread || name) parts.push([thread || 'thread', name].filter(Boolean).join(' '));
  if (loop.backend) parts.push(loop.backend);
  return parts.join(' \u00b7 ');
}
