/* Rows of spans, and how to draw them without looking at each. The spans of a row never
 * overlap, so both their starts and their ends are sorted: what is visible is found by
 * halving. What is narrower than a pixel is merged; a pyramid of maxima then finds the
 * longest of any stretch, and running sums its coverage, in a few steps. */

const FAN = 16;

function rowOf(loop, belongs) {
  const index = [];
  for (let i = 0; i < loop.count; i++)
    if (belongs(i)) index.push(i);
  return finishRow(loop, Int32Array.from(index));
}

function buildRows(loop) {
  const lists = [[], [], [], []];
  for (let i = 0; i < loop.count; i++) {
    if (loop.kind[i] === KIND.SLEEP) continue;
    const row = loop.row[i];
    if (row >= MOST_ROWS) continue;
    while (lists.length <= row) lists.push([]);
    lists[row].push(i);
  }
  return lists.map((list) => finishRow(loop, Int32Array.from(list)));
}

function finishRow(loop, index) {
  const n = index.length;
  const sum = new Float64Array(n + 1);
  for (let k = 0; k < n; k++) sum[k + 1] = sum[k] + durationOf(loop, index[k]);
  return { loop, index, count: n, sum, longest: pyramid(loop, index), matches: null };
}

/* Level by level: for FAN entries below, which of the row is the longest. */
function pyramid(loop, index) {
  const levels = [];
  let below = null;
  let size = index.length;
  while (size > FAN) {
    const next = new Int32Array(Math.ceil(size / FAN));
    for (let block = 0; block < next.length; block++) {
      let best = -1;
      for (let k = block * FAN; k < Math.min(size, (block + 1) * FAN); k++)
        best = longer(loop, index, best, below ? below[k] : k);
      next[block] = best;
    }
    levels.push(next);
    below = next;
    size = next.length;
  }
  return levels;
}

function longer(loop, index, best, candidate) {
  if (best < 0) return candidate;
  return durationOf(loop, index[candidate]) > durationOf(loop, index[best]) ? candidate : best;
}

/* The position of the longest span among those from `from` to before `to`, -1 if none:
 * single entries up to a block's border, whole blocks in between. */
function longestIn(row, from, to) {
  let best = -1;
  let lo = from, hi = to, level = -1;
  const entry = (k) => (level < 0 ? k : row.longest[level][k]);
  const take = (k) => { best = longer(row.loop, row.index, best, entry(k)); };
  while (lo < hi) {
    while (lo < hi && lo % FAN !== 0) take(lo++);
    while (hi > lo && hi % FAN !== 0) take(--hi);
    if (lo >= hi) break;
    if (level + 1 >= row.longest.length) {
      while (lo < hi) take(lo++);
      break;
    }
    lo /= FAN;
    hi /= FAN;
    level++;
  }
  return best;
}

/* The first position at or after `from` for which `after` holds; it must hold for all that
 * follow. */
function firstPosition(from, to, after) {
  let lo = from, hi = to;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (after(middle)) hi = middle;
    else lo = middle + 1;
  }
  return lo;
}

const firstEndingAfter = (row, time) =>
  firstPosition(0, row.count, (k) => row.loop.end[row.index[k]] > time);
const firstStartingFrom = (row, time, from = 0) =>
  firstPosition(from, row.count, (k) => row.loop.start[row.index[k]] >= time);

/* Calls emit(from, to, x0, x1) for what is to be drawn of a row between two times on
 * `width` pixels: single spans that are at least a pixel wide, and per pixel one group of
 * those that aren't. The number of calls depends on the pixels, not on the events. */
function eachVisible(row, t0, t1, width, emit) {
  const { loop, index } = row;
  const scale = width / (t1 - t0);
  const x = (time) => (time - t0) * scale;
  let at = firstEndingAfter(row, t0);
  while (at < row.count && loop.start[index[at]] < t1) {
    const x0 = x(loop.start[index[at]]);
    const x1 = x(loop.end[index[at]]);
    if (x1 - x0 >= 1) {
      emit(at, at + 1, x0, x1);
      at++;
      continue;
    }
    const border = Math.floor(x0) + 1;
    let next = Math.max(at + 1, firstStartingFrom(row, t0 + border / scale, at + 1));
    // All others of this pixel end before the last one starts; that one may be wide.
    if (next > at + 1 && durationOf(loop, index[next - 1]) * scale >= 1) next--;
    emit(at, next, border - 1, border);
    at = next;
  }
}

/* The span at a time in a row, or within `slack` of it: the longest there; -1 if none. */
function eventAt(row, time, slack) {
  const from = firstEndingAfter(row, time - slack);
  const to = firstStartingFrom(row, time + slack, from);
  const exact = firstEndingAfter(row, time);
  if (exact < row.count && row.loop.start[row.index[exact]] <= time) {
    // The one under the pointer wins unless it is too small to have been meant.
    if (durationOf(row.loop, row.index[exact]) > slack) return row.index[exact];
  }
  const best = longestIn(row, from, to);
  return best < 0 ? -1 : row.index[best];
}
