/* The view's state: which loops, which time, which event and turn; and its drawing.
 * Changes only record what has to be drawn; one frame draws it. */

const LEAST_VIEW = 200; // ns: closer than that there is nothing to see
const GLIDE = 180;      // ms
const MOST_LANES = 8;   // threads of the pool

class App {
  constructor(trace) {
    this.trace = trace;
    this.shown = trace.loops;
    this.selected = null;
    this.hover = null;
    this.cursor = null;
    this.turn = null;
    this.view = { t0: 0, t1: 1 };
    this.palette = readPalette();
    this.timeline = new Timeline(this, $('timeline'));
    this.overview = new Overview(this, $('overview'));
    this.wheel = new Wheel(this, $('wheel'), $('turn-table'));
    this.panel = new Panel(this);
    this.flames = new FlameView(this);
    this.pending = false;
    this.fit(true);
  }

  /* The loops that are shown, and the threads of their pools. */
  get tracks() {
    const lanes = this.trace.lanes.filter(({ pid }) => this.shown.some((loop) => loop.pid === pid));
    return [...this.shown, ...lanes.slice(0, MOST_LANES)];
  }

  /* --- drawing --- */

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.frame());
  }

  frame() {
    this.pending = false;
    if (this.glide) this.glideOn();
    this.timeline.draw();
    this.overview.draw();
  }

  resize() {
    this.timeline.layout();
    this.overview.layout(this.timeline.gutter, this.timeline.span);
    this.redraw();
  }

  recolour() {
    this.palette = readPalette();
    this.overview.picture = null;
    this.redraw();
  }

  showLoops(loops) {
    this.shown = loops;
    this.panel.measure();
    if (this.selected && !this.tracks.includes(this.selected.loop)) this.clear();
    if (!this.turn || !loops.includes(this.turn.loop)) this.showWorst();
    this.resize();
  }

  /* Replaces the trace by a later one of the same process. The selection stays; the
   * view's position is reset. */
  replace(trace) {
    const all = $('loops').value === 'all' || trace.loops.length < 2;
    const kept = trace.loops.filter(({ id }) => this.shown.some((loop) => loop.id === id));
    this.trace = trace;
    this.selected = this.hover = this.turn = null;
    this.fit(true);
    this.showLoops(all || kept.length === 0 ? activeLoops(trace) : kept);
    this.panel.drawDetails();
  }

  /* The initial selection: what held its loop up longest, and its turn. */
  showWorst() {
    const { worst } = this.panel;
    const loop = worst ? worst.loop : this.shown.find(({ turns }) => turns.length > 0);
    const turn = worst ? worst.turn : 0;
    this.turn = loop && loop.turns.length > 0 ? describeTurn(loop, Math.max(0, turn)) : null;
    if (worst && worst.culprit >= 0) this.select(loop, worst.culprit);
    else this.wheel.draw();
    this.flames.openAtFirst();
  }

  /* Stretches worth a mark: long, and much longer than usual. */
  marked(loop) {
    const worst = this.panel.worst ? this.panel.worst.length : 0;
    const least = Math.max(1e6, worst / 10);
    return loop.held.filter(({ length }) => length >= least).slice(0, 8);
  }

  /* --- the time looked at --- */

  setView(t0, t1) {
    const { start, end } = this.trace.extent;
    const length = Math.min(Math.max(t1 - t0, LEAST_VIEW), end - start);
    const from = Math.min(Math.max(t0, start), end - length);
    this.view = { t0: from, t1: from + length };
    this.glide = null;
    this.redraw();
  }

  /* Moves to another view gradually, so that the reader keeps the orientation. */
  glideTo(t0, t1) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.setView(t0, t1);
    const from = this.view;
    this.setView(t0, t1);
    this.glide = { from, to: this.view, began: performance.now() };
    this.view = from;
    return this.redraw();
  }

  /* The target of the current movement: keys pressed meanwhile count from there. */
  get goal() { return this.glide ? this.glide.to : this.view; }

  glideOn() {
    const { from, to, began } = this.glide;
    const part = Math.min(1, (performance.now() - began) / GLIDE);
    const ease = 1 - (1 - part) ** 3;
    this.view = { t0: from.t0 + (to.t0 - from.t0) * ease, t1: from.t1 + (to.t1 - from.t1) * ease };
    if (part === 1) this.glide = null;
    else this.redraw();
  }

  fit(atOnce) {
    const { start, end } = this.trace.extent;
    if (atOnce) this.setView(start, end);
    else this.glideTo(start, end);
  }

  zoom(factor, around) {
    const { t0, t1 } = this.view;
    const centre = around ?? (t0 + t1) / 2;
    this.setView(centre - (centre - t0) * factor, centre + (t1 - centre) * factor);
  }

  zoomSmoothly(factor) {
    const { t0, t1 } = this.goal;
    const centre = this.cursor !== null && this.cursor > t0 && this.cursor < t1 ? this.cursor : (t0 + t1) / 2;
    this.glideTo(centre - (centre - t0) * factor, centre + (t1 - centre) * factor);
  }

  pan(share) {
    const { t0, t1 } = this.goal;
    this.glideTo(t0 + (t1 - t0) * share, t1 + (t1 - t0) * share);
  }

  zoomTo(start, end) {
    const pad = Math.max((end - start) * 0.15, LEAST_VIEW / 4);
    this.glideTo(start - pad, end + pad);
  }

  /* An event or a turn, both {loop, event}; null is fine. */
  zoomToEvent(picked) {
    if (picked) this.zoomTo(picked.loop.start[picked.event], picked.loop.end[picked.event]);
  }

  /* Moves the view only if the event isn't well in sight. */
  reveal(loop, event) {
    const { t0, t1 } = this.goal;
    const start = loop.start[event], end = loop.end[event], length = t1 - t0;
    if (start >= t0 && end <= t1 && (end - start) > length / 60) return;
    const wanted = Math.max((end - start) * 4, LEAST_VIEW);
    const next = end - start > length ? wanted : Math.min(length, wanted * 4);
    this.glideTo((start + end - next) / 2, (start + end + next) / 2);
  }

  /* --- what is selected --- */

  select(loop, event) {
    this.selected = { loop, event };
    const turn = loop.turn[event];
    if (turn >= 0) this.turn = describeTurn(loop, turn);
    this.wheel.draw();
    this.panel.drawDetails();
    announce(`${nameOf(loop, event)}, ${took(loop, event)}`);
    this.redraw();
  }

  clear() {
    this.selected = null;
    this.wheel.draw();
    this.panel.drawDetails();
    this.redraw();
  }

  /* Selects and moves there: from lists and from the search. */
  show(loop, event) {
    this.select(loop, event);
    this.timeline.bringIntoSight(loop);
    this.reveal(loop, event);
  }

  showStretch(held) {
    const { loop, culprit, turn, start, end } = held;
    if (culprit >= 0) this.select(loop, culprit);
    else if (turn >= 0) this.select(loop, loop.turns[turn]);
    this.timeline.bringIntoSight(loop);
    this.zoomTo(start, end);
  }

  stepTurn(step) {
    if (!this.turn) return;
    const { loop, ordinal } = this.turn;
    const next = Math.min(loop.turns.length - 1, Math.max(0, ordinal + step));
    this.show(loop, loop.turns[next]);
  }

  /* To the neighbour in the same row, to the parent, to the first child. */
  stepEvent(direction) {
    if (!this.selected) return this.turn ? this.show(this.turn.loop, this.turn.event) : undefined;
    const { loop, event } = this.selected;
    const next = neighbour(loop, event, direction);
    return next < 0 ? undefined : this.show(loop, next);
  }

  findNext(backwards) {
    const { tracks } = this;
    const from = this.selected || { loop: tracks[0], event: backwards ? Infinity : -1 };
    const at = tracks.indexOf(from.loop);
    for (let k = 0; k <= tracks.length; k++) {
      const loop = tracks[(at + (backwards ? tracks.length - k % tracks.length : k)) % tracks.length];
      const found = nextMatch(loop, k === 0 ? from.event : backwards ? Infinity : -1, backwards);
      if (found >= 0) return this.show(loop, found);
    }
    return undefined;
  }
}

function neighbour(loop, event, direction) {
  if (direction === 'up') return loop.parent[event];
  if (direction === 'down') return event + 1 < loop.count && loop.parent[event + 1] === event ? event + 1 : -1;
  const row = loop.kind[event] === KIND.SLEEP ? loop.sleeps : loop.rows[loop.row[event]];
  const at = firstPosition(0, row.count, (k) => row.index[k] >= event) + (direction === 'right' ? 1 : -1);
  return at >= 0 && at < row.count ? row.index[at] : -1;
}

function announce(text) {
  $('live').textContent = text;
}
