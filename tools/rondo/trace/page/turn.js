/* One turn in detail: the time of its seven phases, the size of their arcs, and its
 * events in order for the table beside the wheel. */

const LEAST_SHARE = 0.07;
const LEAST_MARK = 0.002;
const MOST_LINES = 250;

function describeTurn(loop, ordinal) {
  const event = loop.turns[ordinal];
  const stop = lastInside(loop, event);
  const phases = PHASES.map((kind) => ({ kind, time: 0, spans: [], callbacks: 0 }));
  let sleep = 0;
  for (let i = event + 1; i < stop; i++) {
    const kind = loop.kind[i];
    if (isPhase(kind) && loop.parent[i] === event) {
      phases[kind - 1].time += durationOf(loop, i);
      phases[kind - 1].spans.push(i);
    } else if (kind === KIND.SLEEP) {
      sleep += durationOf(loop, i);
    } else if (kind === KIND.CALLBACK) {
      const phase = phaseOf(loop, i);
      if (phase) phases[phase - 1].callbacks++;
    }
  }
  phases[KIND.POLL - 1].time = Math.max(0, phases[KIND.POLL - 1].time - sleep);
  return { loop, ordinal, event, stop, phases, sleep, number: loop.detail[event],
           length: durationOf(loop, event), busy: durationOf(loop, event) - sleep };
}

/* The arcs, as shares of the circle: each at least LEAST_SHARE, the rest by time. Sleep
 * often lasts a thousand times longer than all else; it is drawn at most as long as the
 * rest together, and `cut` says so. */
function arcs(turn) {
  const awake = turn.phases.reduce((sum, phase) => sum + phase.time, 0);
  const drawn = awake > 0 ? Math.min(turn.sleep, awake) : turn.sleep;
  const whole = awake + drawn;
  const free = 1 - LEAST_SHARE * PHASES.length;
  let from = 0;
  const result = turn.phases.map((phase) => {
    const rest = phase.kind === KIND.POLL ? drawn : 0;
    const weight = whole > 0 ? (phase.time + rest) / whole : 1 / PHASES.length;
    const share = LEAST_SHARE + free * weight;
    const arc = { kind: phase.kind, from, to: from + share,
                  sleep: phase.time + rest > 0 ? share * (rest / (phase.time + rest)) : 0 };
    from = arc.to;
    return arc;
  });
  return { arcs: result, cut: drawn < turn.sleep };
}

/* The positions of callbacks on the wheel: {event, from, to} in shares of the circle. Callbacks
 * too short to be seen are merged with their neighbours, under the longest of them. */
function arcCallbacks(turn, { arcs: list }) {
  const { loop } = turn;
  const marks = [];
  eachAwake(turn, (i, phase, offset) => {
    const arc = list[phase - 1];
    const time = turn.phases[phase - 1].time || 1;
    const room = arc.to - arc.from - arc.sleep;
    const at = (value) => arc.from + arc.sleep + room * Math.min(1, value / time);
    const mark = { event: i, phase, from: at(offset), to: at(offset + durationOf(loop, i)) };
    const last = marks[marks.length - 1];
    if (last && last.phase === phase && last.to - last.from < LEAST_MARK && mark.to - last.from < LEAST_MARK) {
      last.to = mark.to;
      if (durationOf(loop, i) > durationOf(loop, last.event)) last.event = i;
    } else {
      marks.push(mark);
    }
  });
  return marks;
}

/* Calls emit(event, phase, offset) for a turn's outermost callbacks; the offset is the time
 * awake in that phase before it. */
function eachAwake(turn, emit) {
  const { loop } = turn;
  const before = new Float64Array(KIND.CLOSING + 1);
  let phase = 0, origin = 0;
  for (let i = turn.event + 1; i < turn.stop; i++) {
    const kind = loop.kind[i];
    if (isPhase(kind)) {
      // A phase may come twice (timers after the poll of a run of one turn): go on there.
      phase = kind;
      origin = loop.start[i] - before[kind];
      before[kind] += durationOf(loop, i);
    } else if (kind === KIND.SLEEP && phase) {
      origin += durationOf(loop, i);
      before[phase] -= durationOf(loop, i);
    } else if (kind === KIND.CALLBACK && phase && isPhase(loop.kind[loop.parent[i]])) {
      emit(i, phase, loop.start[i] - origin);
    }
  }
}

/* The events of a turn to be listed, in order: all, or the longest of too many. */
function shownEvents(turn) {
  const { loop, event, stop } = turn;
  const count = stop - event - 1;
  if (count <= MOST_LINES) return Array.from({ length: count }, (_, k) => event + 1 + k);
  const weight = (k) => (isPhase(loop.kind[event + 1 + k]) ? Infinity : durationOf(loop, event + 1 + k));
  return largest(count, weight, MOST_LINES).map((k) => event + 1 + k).sort((a, b) => a - b);
}

/* Lines for the table: {event, kind, depth}; event is -1 for a phase in which nothing ran. */
function turnLines(turn) {
  const { loop } = turn;
  const lines = [];
  let next = KIND.TIMERS;
  const absentUntil = (kind) => {
    for (; next < kind; next++)
      if (turn.phases[next - 1].spans.length === 0) lines.push({ event: -1, kind: next, depth: 0 });
  };
  for (const i of shownEvents(turn)) {
    const kind = loop.kind[i];
    if (isPhase(kind)) {
      absentUntil(kind);
      next = Math.max(next, kind + 1);
    }
    lines.push({ event: i, kind, depth: Math.max(0, depthBelow(loop, i, turn.event) - 1) });
  }
  absentUntil(KIND.CLOSING + 1);
  return { lines, left: turn.stop - turn.event - 1 - lines.filter((line) => line.event >= 0).length };
}

function depthBelow(loop, i, outer) {
  let depth = 0;
  for (let at = i; at > outer; at = loop.parent[at]) depth++;
  return depth;
}
