/* The numbers beside the picture, as text. Where the loop was held up and by whom, how long one
 * waits for it and which callbacks took the time is found by the command, for this page and for
 * the summary alike (trace_facts.c): here it is only put together for the loops that are shown.
 */

/* The stretches that held a loop up, longest first, with the loop and the ordinal of their turn. */
function heldOf(loop) {
  const known = (i) => (Number.isInteger(i) && i >= 0 && i < loop.count ? i : -1);
  return loop.facts.held.map((held) => {
    const turn = known(held.turn);
    return { ...held, loop, culprit: known(held.culprit), inside: known(held.inside),
             turn: turn < 0 ? -1 : loop.turn[turn] };
  });
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

/* --- timers ------------------------------------------------------------------------ */

/* The detail of a timer's callback is how late it was. */
const isTimer = (loop, i) => loop.kind[i] === KIND.CALLBACK && loop.subject[i] >= 0 && loop.timers[loop.subject[i]];

/* The timers that were late by `least` or more, latest first. The loop timer by which the
 * Node layer fires its own timers is not listed. */
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
  for (const { facts: { phases, times } } of loops)
    rows.forEach((row, kind) => {
      row.spans += phases[kind] ? phases[kind][0] : 0;
      row.callbacks += phases[kind] ? phases[kind][1] : 0;
      row.time += times[kind] || 0;
    });
  return rows;
}

/* Callbacks of one name together, of all loops that are shown. */
function callbackGroups(loops) {
  const groups = new Map();
  for (const loop of loops)
    for (const [name, calls, total, max, event] of loop.facts.totals) {
      if (!groups.has(name)) groups.set(name, { name, count: 0, total: 0, max: -1, loop: null, event: -1 });
      const group = groups.get(name);
      group.count += calls;
      group.total += total;
      if (max > group.max) Object.assign(group, { max, loop, event });
    }
  return [...groups.values()].filter(({ event, loop }) => event >= 0 && event < loop.count);
}

/* --- how busy ---------------------------------------------------------------------- */

const LANES = 9; // the seven phases by their kinds; 0: between phases; 8: outside of turns

/* For each of `columns` parts of the time from t0 to t1, the nanoseconds spent in each
 * lane, without sleep. One pass over all events, done once for the overview. */
function composition(loop, t0, t1, columns) {
  const lanes = new Float64Array(columns * LANES);
  if (loop.strip) return resampled(loop.strip, lanes, (t1 - t0) / columns, columns);
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
    } else if (kind === KIND.OUTSIDE ? !isEnding(loop, i) : loop.parent[i] < 0) add(8, i, 1);
  }
  return lanes;
}

/* The loop was not run again, so nothing waited for it. */
const isEnding = (loop, i) => loop.kind[i] === KIND.OUTSIDE && (loop.detail[i] & 2) !== 0;

/* For a trace that was thinned out, the command has counted all events, in thousandths of
 * its columns. */
function resampled(strip, lanes, width, columns) {
  const scale = strip.length / LANES / columns;
  for (let c = 0; c < columns; c++) {
    const from = Math.floor(c * scale), to = Math.max(from + 1, Math.floor((c + 1) * scale));
    for (let lane = 0; lane < LANES; lane++) {
      let sum = 0;
      for (let k = from; k < to; k++) sum += strip[k * LANES + lane] || 0;
      lanes[c * LANES + lane] = sum / (to - from) / 1000 * width;
    }
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

function measure(trace) {
  for (const loop of trace.loops) {
    loop.held = heldOf(loop);
    loop.late = latestTimers(loop, 6, 1e6);
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
