/* What the numbers beside the picture say: where the loop was held up, which callbacks took
 * the time, what each phase did, how busy each moment was. */

/* A stretch lies between two moments at which the loop asked the kernel what is new: while
 * it lasts nobody is served, however ready they are. The kernel is asked in the sleep, or,
 * where a poll didn't sleep, as it starts. What runs before the first turn counts, too;
 * the time between two calls of uv_run doesn't: it is the program's own. */
function findStretches(loop) {
  const slept = pollsThatSlept(loop);
  const asks = (i) => loop.kind[i] === KIND.SLEEP || (loop.kind[i] === KIND.POLL && !slept[i]);
  const starts = [], ends = [];
  let open = null;
  const close = (time) => {
    if (open !== null && time > open) {
      starts.push(open);
      ends.push(time);
    }
  };
  for (let i = 0; i < loop.count; i++) {
    const kind = loop.kind[i];
    if (kind === KIND.OUTSIDE) {
      close(loop.start[i]);
      open = null;
    } else if (asks(i)) {
      close(loop.start[i]);
      open = kind === KIND.SLEEP ? loop.end[i] : loop.start[i];
    } else if (open === null && kind !== KIND.OUTSIDE) {
      open = loop.start[i];
    }
  }
  close(loop.last);
  return { start: Float64Array.from(starts), end: Float64Array.from(ends) };
}

/* Which polls slept: there the sleep tells when the kernel was asked. */
function pollsThatSlept(loop) {
  const slept = new Uint8Array(loop.count);
  for (let i = 0; i < loop.count; i++)
    if (loop.kind[i] === KIND.SLEEP && loop.parent[i] >= 0) slept[loop.parent[i]] = 1;
  return slept;
}

/* The longest stretches, longest first, each with its culprit. */
function longestStretches(loop, most) {
  const { start, end } = loop.stretches;
  const order = largest(start.length, (k) => end[k] - start[k], most);
  return order.map((k) => describeStretch(loop, start[k], end[k]));
}

function describeStretch(loop, start, end) {
  const row = loop.rows[2];
  const from = firstEndingAfter(row, start);
  const to = firstStartingFrom(row, end, from);
  const group = heaviestGroup(row, from, to);
  const culprit = group ? group.event : -1;
  return { loop, start, end, length: end - start, culprit, callbacks: to - from,
           calls: group ? group.calls : 0, share: group ? group.total / (end - start) : 0,
           inside: culprit < 0 ? -1 : heaviestInside(loop, culprit),
           starting: isStarting(loop, start),
           turn: turnAt(loop, culprit >= 0 ? loop.start[culprit] : start) };
}

/* Whether a time lies before the loop's first turn. Every program takes a while to start:
 * that is told, but not taken for what is wrong with it. */
const isStarting = (loop, time) => loop.turns.length > 0 && time < loop.start[loop.turns[0]];

/* Of the spans from `from` to before `to`, those of the name that took most together, and
 * the longest of them: ten calls of one function are one culprit, unless one call took
 * most of their time. */
function heaviestGroup(row, from, to) {
  const { loop } = row;
  const groups = new Map();
  let best = null;
  for (let k = from; k < to; k++) {
    const i = row.index[k];
    const key = loop.name[i] >= 0 ? loop.name[i] : -1 - loop.subject[i];
    let group = groups.get(key);
    if (!group) groups.set(key, group = { event: i, count: 0, total: 0 });
    group.count++;
    group.total += durationOf(loop, i);
    if (durationOf(loop, i) > durationOf(loop, group.event)) group.event = i;
    if (!best || group.total > best.total) best = group;
  }
  if (best) best.calls = durationOf(loop, best.event) > best.total / 2 ? 1 : best.count;
  return best;
}

/* Ticks or microtasks that took more than half of a callback: the callback itself is not
 * to blame then. */
function heaviestInside(loop, i) {
  const stop = lastInside(loop, i);
  for (let at = i + 1; at < stop; at++)
    if (durationOf(loop, at) > durationOf(loop, i) / 2) return at;
  return -1;
}

/* The indexes of the `most` largest values, largest first, without sorting them all. */
function largest(count, valueOf, most) {
  const best = [];
  for (let k = 0; k < count; k++) {
    const value = valueOf(k);
    if (best.length === most && value <= best[most - 1].value) continue;
    let at = best.length;
    while (at > 0 && best[at - 1].value < value) at--;
    best.splice(at, 0, { k, value });
    if (best.length > most) best.pop();
  }
  return best.map((entry) => entry.k);
}

/* The ordinal of the turn at a time, or of the next one after it; -1 without turns. */
function turnAt(loop, time) {
  const count = loop.turns.length;
  const at = firstPosition(0, count, (k) => loop.end[loop.turns[k]] > time);
  return count === 0 ? -1 : Math.min(at, count - 1);
}

/* The ordinal of the turn with a number; -1 if there is none. Numbers only grow. */
function turnNumbered(loop, number) {
  const { turns, detail } = loop;
  const at = firstPosition(0, turns.length, (k) => detail[turns[k]] >= number);
  return at < turns.length && detail[turns[at]] === number ? at : -1;
}

/* How long stretches last; without those in which a program started. */
function percentiles(loops) {
  const all = [];
  for (const loop of loops) {
    const { start, end } = loop.stretches;
    for (let k = 0; k < start.length; k++)
      if (!isStarting(loop, start[k])) all.push(end[k] - start[k]);
  }
  const total = all.length;
  const lengths = Float64Array.from(all).sort();
  const of = (share) => (total ? lengths[Math.min(total - 1, Math.floor(share * total))] : 0);
  return { count: total, p50: of(0.5), p99: of(0.99), max: of(1) };
}

/* --- timers ------------------------------------------------------------------------ */

/* A callback of a timer has for its detail how late it was. */
const isTimer = (loop, i) => loop.kind[i] === KIND.CALLBACK && loop.subject[i] >= 0 && loop.timers[loop.subject[i]];

/* Of the timers that were late by `least` or more, the latest, latest first. One that fires
 * others, as the Node layer has it, is their means and not told. */
function latestTimers(loop, most, least) {
  const late = [];
  for (let i = 0; i < loop.count; i++) {
    const fires = i + 1 < loop.count && loop.parent[i + 1] === i && isTimer(loop, i + 1);
    if (loop.detail[i] >= least && isTimer(loop, i) && !fires) late.push(i);
  }
  return largest(late.length, (k) => loop.detail[late[k]], most)
    .map((k) => ({ loop, event: late[k], late: loop.detail[late[k]] }));
}

/* --- phases and callbacks -------------------------------------------------------- */

/* Per kind: how often, how long in all, how many callbacks. Poll's time is without sleep. */
function phaseCounts(loops) {
  const rows = KIND_NAMES.map((name, kind) => ({ kind, name, spans: 0, time: 0, callbacks: 0 }));
  for (const loop of loops)
    for (let i = 0; i < loop.count; i++) {
      const row = rows[loop.kind[i]];
      row.spans++;
      row.time += durationOf(loop, i);
      if (loop.kind[i] === KIND.CALLBACK) rows[phaseOf(loop, i)].callbacks++;
    }
  rows[KIND.POLL].time -= rows[KIND.SLEEP].time;
  return rows;
}

/* Callbacks of one name together; those without a name by the kind of their subject. */
function callbackGroups(loops) {
  const groups = new Map();
  for (const loop of loops) {
    const types = loop.subjects.map((subject) => subject.replace(/[\s#]*\d+$/, ''));
    const cache = new Map();
    for (let i = 0; i < loop.count; i++) {
      const kind = loop.kind[i];
      if (kind < KIND.CALLBACK || kind === KIND.OUTSIDE) continue;
      // Names are numbers until here: a million strings would cost more than all else.
      const key = loop.name[i] >= 0 ? loop.name[i]
        : kind === KIND.CALLBACK && loop.subject[i] >= 0 ? -100 - loop.subject[i] : -kind;
      let group = cache.get(key);
      if (!group) cache.set(key, group = groupNamed(groups, loop, i, types));
      addToGroup(group, loop, i);
    }
  }
  return [...groups.values()];
}

function groupNamed(groups, loop, i, types) {
  const named = loop.name[i] >= 0 || loop.kind[i] !== KIND.CALLBACK || loop.subject[i] < 0;
  const name = named ? nameOf(loop, i) : types[loop.subject[i]];
  const key = `${loop.kind[i] === KIND.CALLBACK} ${name}`;
  if (!groups.has(key)) groups.set(key, { name, count: 0, total: 0, max: -1, loop: null, event: -1 });
  return groups.get(key);
}

function addToGroup(group, loop, i) {
  const duration = durationOf(loop, i);
  group.count++;
  group.total += duration;
  if (duration <= group.max) return;
  group.max = duration;
  group.loop = loop;
  group.event = i;
}

/* --- how busy ---------------------------------------------------------------------- */

const LANES = 9; // the seven phases by their kinds; 0: between phases; 8: outside of turns

/* For each of `columns` parts of the time from t0 to t1, the nanoseconds spent in each
 * lane; sleep is in none. One pass over all events: for the overview, once. */
function composition(loop, t0, t1, columns) {
  const lanes = new Float64Array(columns * LANES);
  const width = (t1 - t0) / columns;
  const add = (lane, i, sign) => spread(lanes, lane, (loop.start[i] - t0) / width,
                                        (loop.end[i] - t0) / width, sign * width, columns);
  for (let i = 0; i < loop.count; i++) {
    const kind = loop.kind[i];
    if (kind === KIND.TURN) add(0, i, 1);
    else if (kind === KIND.SLEEP) add(KIND.POLL, i, -1);
    else if (isPhase(kind)) {
      add(kind, i, 1);
      if (loop.parent[i] >= 0) add(0, i, -1);
    } else if (loop.parent[i] < 0 && kind !== KIND.OUTSIDE) add(8, i, 1);
  }
  return lanes;
}

/* Adds a span's time to the columns it lies in; from and to are in columns. */
function spread(lanes, lane, from, to, weight, columns) {
  const first = Math.max(0, Math.floor(from));
  const last = Math.min(columns - 1, Math.floor(to));
  for (let c = first; c <= last; c++)
    lanes[c * LANES + lane] += weight * (Math.min(to, c + 1) - Math.max(from, c));
}

/* Time awake: in turns but not in the sleep, and in what ran outside of turns. */
function busyTime(loop) {
  let busy = 0;
  for (let i = 0; i < loop.count; i++) {
    if (loop.kind[i] === KIND.SLEEP) busy -= durationOf(loop, i);
    else if (loop.parent[i] < 0) busy += durationOf(loop, i);
  }
  return busy;
}

function measure(trace) {
  for (const loop of trace.loops) {
    loop.stretches = findStretches(loop);
    loop.held = longestStretches(loop, 20);
    loop.late = latestTimers(loop, 6, 1e6);
    loop.busy = busyTime(loop);
  }
  return trace;
}

/* --- looking for something ------------------------------------------------------- */

/* Marks what matches in every row, as running counts, so that a merged group knows whether
 * it holds a match. Returns how many match. An empty text clears. */
function search(loops, text) {
  const wanted = text.trim().toLowerCase();
  let found = 0;
  for (const loop of loops) {
    const hit = (list) => list.map((entry) => wanted !== '' && entry.toLowerCase().includes(wanted));
    const names = hit(loop.names), subjects = hit(loop.subjects), kinds = hit(KIND_NAMES);
    const matches = (i) => names[loop.name[i]] || subjects[loop.subject[i]] || kinds[loop.kind[i]];
    for (const row of loop.rows) {
      row.matches = wanted === '' ? null : runningCount(row, matches);
      found += row.matches ? row.matches[row.count] : 0;
    }
  }
  return found;
}

function runningCount(row, matches) {
  const counts = new Int32Array(row.count + 1);
  for (let k = 0; k < row.count; k++) counts[k + 1] = counts[k] + (matches(row.index[k]) ? 1 : 0);
  return counts;
}

/* The next match after an event (by start, then row), in a loop; -1 if there is none. */
function nextMatch(loop, event, backwards) {
  let best = -1;
  for (const row of loop.rows) {
    const position = firstPosition(0, row.count, (k) => (backwards ? row.index[k] >= event : row.index[k] > event));
    const candidate = backwards ? lastMatchBefore(row, position) : firstMatchFrom(row, position);
    if (candidate < 0) continue;
    if (best < 0 || (backwards ? candidate > best : candidate < best)) best = candidate;
  }
  return best;
}

function firstMatchFrom(row, position) {
  const { matches } = row;
  const at = firstPosition(position, row.count, (k) => matches[k + 1] > matches[position]);
  return at < row.count ? row.index[at] : -1;
}

function lastMatchBefore(row, position) {
  const { matches } = row;
  if (matches[position] === 0) return -1;
  return row.index[firstPosition(0, position, (k) => matches[k + 1] >= matches[position])];
}
