/* The zoomed timeline: a track per loop with rows for turns, phases, callbacks, and the ticks
 * and microtasks below them. Every frame draws what is visible from sorted rows; how many
 * events there are doesn't matter. */

const AXIS = 24;
const TRACK_HEAD = 19;
const TRACK_FOOT = 9;
const ROW_HEIGHTS = [15, 18, 20, 14];
const SMALL_ROWS = [13, 14, 16, 11]; // of three loops and more
const ROW_LABELS = ['turns', 'phases', 'callbacks', 'inside them'];

class Timeline {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.tracks = [];
  }

  /* Where everything lies; when the loops shown, or the window, changed. */
  layout() {
    this.width = canvasWidth(this.canvas);
    this.gutter = this.width > 620 ? 78 : 6;
    const heights = this.app.shown.length > 2 ? SMALL_ROWS : ROW_HEIGHTS;
    let top = AXIS;
    this.tracks = this.app.tracks.map((loop) => {
      const track = { loop, top, rows: [] };
      let y = top + TRACK_HEAD;
      loop.rows.forEach((row, r) => {
        // Programs without JavaScript have no ticks, the pool's threads no turns: no empty row for them.
        if (row.count === 0 && (r > 2 || loop.isLane)) return;
        const height = heights[Math.min(r, heights.length - 1)];
        track.rows.push({ row, top: y, height, label: !loop.isLane ? ROW_LABELS[r] : loop.label === 'pool' ? 'pool' : 'collector', level: r });
        y += height + 2;
      });
      track.bottom = y;
      top = y + TRACK_FOOT;
      return track;
    });
    this.height = top;
  }

  get span() { return Math.max(1, this.width - this.gutter - 4); }

  timeAt(x) {
    const { t0, t1 } = this.app.view;
    return t0 + (x - this.gutter) * (t1 - t0) / this.span;
  }

  xOf(time) {
    const { t0, t1 } = this.app.view;
    return this.gutter + (time - t0) * this.span / (t1 - t0);
  }

  draw() {
    const { palette } = this.app;
    const g = this.g = prepareCanvas(this.canvas, this.width, this.height);
    this.restFill = stripes(g, palette.rest, palette.stripe);
    const step = axisStep((this.app.view.t1 - this.app.view.t0) * 90 / this.span);
    this.eachMark(step, (time, x) => {
      g.fillStyle = palette.line;
      g.fillRect(x, AXIS - 6, 1, this.height - AXIS);
    });
    g.save();
    g.beginPath();
    g.rect(this.gutter, 0, this.span, this.height);
    g.clip();
    this.visibleTracks().forEach((track) => this.drawTrack(track));
    this.drawSelection();
    g.restore();
    this.visibleTracks().forEach((track) => this.drawLabels(track));
    this.drawAxis(step);
  }

  /* With many loops the tracks are scrolled; on paper all are shown. */
  visibleTracks() {
    const { scrollTop, clientHeight } = this.canvas.parentElement;
    if (document.documentElement.classList.contains('printing')) return this.tracks;
    return this.tracks.filter(({ top, bottom }) => bottom > scrollTop && top < scrollTop + clientHeight);
  }

  bringIntoSight(loop) {
    const box = this.canvas.parentElement;
    const track = this.tracks.find((candidate) => candidate.loop === loop);
    if (!track) return;
    const above = track.top - AXIS < box.scrollTop, below = track.bottom > box.scrollTop + box.clientHeight;
    if (above || below) box.scrollTop = track.top - AXIS;
  }

  eachMark(step, emit) {
    const { t0, t1 } = this.app.view;
    for (let k = Math.ceil(t0 / step); k * step <= t1; k++) emit(k * step, Math.round(this.xOf(k * step)));
  }

  /* Stays on top while the tracks are scrolled below it. */
  drawAxis(step) {
    const { g, app: { palette, view: { t0 } } } = this;
    const top = this.canvas.parentElement.scrollTop;
    const base = axisBase(t0, step);
    let free = this.gutter;
    if (top > 0) {
      g.fillStyle = palette.paper;
      g.fillRect(0, top, this.width, AXIS - 4);
    }
    g.textAlign = 'left';
    if (base > 0) {
      const text = axisBaseLabel(base, step);
      const x = Math.max(4, this.gutter - 7 - textWidth(g, text));
      g.fillStyle = palette.ink;
      g.fillText(text, x, top + AXIS / 2);
      free = Math.max(free, x + textWidth(g, text) + 6);
    }
    g.fillStyle = palette.soft;
    this.eachMark(step, (time, x) => {
      const text = axisLabel(time, step, base);
      if (x + 3 < free || x + textWidth(g, text) + 4 > this.width) return;
      g.fillText(text, x + 4, top + AXIS / 2);
    });
  }

  drawTrack(track) {
    const { t0, t1 } = this.app.view;
    track.rows.forEach(({ row, top, height, level: r }) => {
      if (r === 0) this.drawGaps(track.loop.gaps, top, height);
      eachVisible(row, t0, t1, this.span, (from, to, x0, x1) => {
        if (to - from === 1 && x1 - x0 >= 1) this.drawSpan(row, from, r, x0, x1, top, height);
        else this.drawGroup(row, from, to, r, x0, top, height);
      });
      if (r === 1) this.drawSleeps(track.loop.sleeps, top, height);
    });
    this.drawHeld(track);
  }

  /* Turns that were left out, being short. */
  drawGaps(row, top, height) {
    const { g, app: { palette, view: { t0, t1 } } } = this;
    eachVisible(row, t0, t1, this.span, (from, to, x0, x1) => {
      g.fillStyle = palette.stripe;
      g.fillRect(Math.max(0, x0) + this.gutter, top + height / 3, Math.max(1, Math.min(this.span, x1) - Math.max(0, x0)), height / 3);
    });
  }

  dimmed(row, from, to) {
    return row.matches !== null && row.matches[to] === row.matches[from];
  }

  drawSpan(row, at, r, x0, x1, top, height) {
    const { g, app: { palette } } = this;
    const { loop } = row;
    const i = row.index[at];
    const left = Math.max(0, x0) + this.gutter;
    const right = Math.min(this.span, x1) + this.gutter;
    // A hair of paper between neighbours, so that two of one colour are seen as two.
    const width = Math.max(1, right - left - (x1 - x0 > 3 ? 1 : 0));
    // Every other turn in another shade: they follow without a gap.
    const fill = loop.kind[i] === KIND.TURN && loop.turn[i] % 2 ? palette.shade : this.fillOf(loop, i);
    g.globalAlpha = this.dimmed(row, at, at + 1) ? 0.18 : 1;
    g.fillStyle = fill;
    g.fillRect(left, top, width, height);
    const from = this.textLeft(loop, i, left);
    const room = left + width - from;
    if (room > 26) {
      const text = fitText(g, this.spanText(loop, i, room), room - 8);
      g.fillStyle = loop.kind[i] === KIND.TURN ? palette.ink : inkOn(fill);
      g.textAlign = 'left';
      if (text) g.fillText(text, from + 4, top + height / 2 + 0.5);
    }
    g.globalAlpha = 1;
  }

  fillOf(loop, i) {
    const { palette } = this.app;
    const kind = loop.kind[i];
    if (kind === KIND.CALLBACK) return palette.tints[phaseOf(loop, i)][tintOf(loop, i)];
    return palette.fills[kind];
  }

  /* A poll's name stands behind its sleep, which is drawn over it. */
  textLeft(loop, i, left) {
    if (loop.kind[i] !== KIND.POLL || loop.kind[i + 1] !== KIND.SLEEP) return left;
    return Math.max(left, this.xOf(loop.end[i + 1]));
  }

  spanText(loop, i, width) {
    const name = nameOf(loop, i);
    return width > 130 ? `${name}  ${took(loop, i)}` : name;
  }

  /* Many spans in one pixel: the colour of the longest, with the opacity of their share
   * of the pixel. */
  drawGroup(row, from, to, r, x, top, height) {
    const { g, app: { view: { t0, t1 } } } = this;
    const i = row.index[to - from === 1 ? from : longestIn(row, from, to)];
    const coverage = (row.sum[to] - row.sum[from]) * this.span / (t1 - t0);
    g.globalAlpha = (0.4 + 0.6 * Math.min(1, coverage)) * (this.dimmed(row, from, to) ? 0.18 : 1);
    g.fillStyle = this.fillOf(row.loop, i);
    g.fillRect(Math.floor(x) + this.gutter, top, 1, height);
    g.globalAlpha = 1;
  }

  drawSleeps(row, top, height) {
    const { g, app: { palette, view: { t0, t1 } } } = this;
    g.textAlign = 'left';
    eachVisible(row, t0, t1, this.span, (from, to, x0, x1) => {
      if (x1 - x0 < 2) return;
      const left = Math.max(0, x0) + this.gutter;
      const width = Math.min(this.span, x1) + this.gutter - left - (x1 - x0 > 3 ? 1 : 0);
      g.fillStyle = this.restFill;
      g.fillRect(left, top, width, height);
      const text = width > 40 ? fitText(g, `sleep  ${took(row.loop, row.index[from])}`, width - 12) : '';
      if (!text) return;
      g.fillStyle = palette.rest;
      g.fillRect(left + 3, top + 3, textWidth(g, text) + 6, height - 6);
      g.fillStyle = palette.soft;
      g.fillText(text, left + 6, top + height / 2 + 0.5);
    });
  }

  /* Brackets over what held the loop up. The list is short: the longest only. */
  drawHeld(track) {
    const { g, app: { palette, view: { t0, t1 } } } = this;
    const occupied = this.drawTitle(track);
    if (track.loop.isLane) return;
    for (const held of this.app.marked(track.loop)) {
      if (held.end < t0 || held.start > t1) continue;
      const left = Math.max(this.gutter, this.xOf(held.start));
      const right = Math.min(this.gutter + this.span, this.xOf(held.end));
      const y = track.top + TRACK_HEAD - 4;
      g.fillStyle = palette.held;
      g.fillRect(left, y, Math.max(2, right - left), 2);
      g.fillRect(left, y, 1, 4);
      g.fillRect(Math.max(left + 1, right - 1), y, 1, 4);
      this.labelHeld(held, left, right, y - 7, occupied);
    }
  }

  /* Over the middle of its bracket, or beside another label, or not at all. */
  labelHeld(held, left, right, y, occupied) {
    const { g } = this;
    const text = `held up ${formatDuration(held.length)}`;
    const width = textWidth(g, text);
    const hits = (x) => occupied.find(([a, b]) => x < b + 8 && x + width > a - 8);
    let x = Math.min(Math.max(this.gutter + 2, (left + right - width) / 2), this.gutter + this.span - width - 2);
    const other = hits(x);
    if (other && other[1] + 9 < right - width) x = other[1] + 9;
    if (hits(x)) return;
    occupied.push([x, x + width]);
    g.textAlign = 'left';
    g.fillText(text, x, y);
  }

  drawLabels(track) {
    const { g, app: { palette } } = this;
    g.fillStyle = palette.soft;
    g.textAlign = 'right';
    if (this.gutter > 20)
      track.rows.forEach(({ top, height, label }) => {
        if (label) g.fillText(label, this.gutter - 7, top + height / 2 + 0.5);
      });
    g.textAlign = 'left';
  }

  /* Which loop it is, if there are several; returns the places taken. */
  drawTitle(track) {
    const { g, app: { palette, trace } } = this;
    if (trace.loops.length < 2 && trace.lanes.length === 0) return [];
    const text = loopLabel(track.loop);
    const x = this.gutter + 2;
    g.fillStyle = palette.ink;
    g.textAlign = 'left';
    g.fillText(text, x, track.top + 8);
    return [[x, x + textWidth(g, text)]];
  }

  drawSelection() {
    const { g, app } = this;
    this.outline(app.hover, app.palette.ink, 1);
    this.outline(app.selected, app.palette.focus, 2.5);
    this.drawCause(app.selected);
    if (app.cursor === null) return;
    g.fillStyle = app.palette.soft;
    g.globalAlpha = 0.6;
    g.fillRect(Math.round(this.xOf(app.cursor)), AXIS - 6, 1, this.height - AXIS);
    g.globalAlpha = 1;
  }

  placeOf(track, level) {
    return track.rows.find((place) => place.level === level);
  }

  /* Arrows from where the selected callback's request was begun, by way of the thread of the
   * pool that worked for it, if one did. */
  drawCause(picked) {
    const { loop, event } = picked ? picked.loop.calledBack.get(picked.event) ?? picked : {};
    if (!loop || loop.begunAt[event] < 0) return;
    const by = loop.begunBy[event];
    const from = this.placeIn(loop, by >= 0 ? loop.row[by] : 0), to = this.placeIn(loop, loop.row[event]);
    if (!from || !to) return;
    const work = loop.works.get(event)?.place;
    const lane = work && this.placeIn(work.loop, work.loop.row[work.event]);
    const begun = this.xOf(loop.begunAt[event]), called = this.xOf(loop.start[event]);
    if (!lane) {
      this.drawArrow(begun, from.top + from.height, called, to.top + to.height + 3, 10);
      return;
    }
    this.drawArrow(begun, from.top + from.height, this.xOf(work.loop.start[work.event]), lane.top + lane.height + 3, 10);
    this.drawArrow(this.xOf(work.loop.end[work.event]), lane.top + lane.height, called, to.top + to.height + 3, 10);
  }

  placeIn(loop, level) {
    const track = this.tracks.find((candidate) => candidate.loop === loop);
    return track && this.placeOf(track, level);
  }

  /* To the lower edge of something, from below. */
  drawArrow(x0, y0, x1, y1, sag) {
    const { g, app: { palette } } = this;
    const low = Math.max(y0, y1) + sag;
    g.strokeStyle = g.fillStyle = palette.focus;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0, low, x1, low, x1, y1);
    g.stroke();
    g.beginPath();
    g.moveTo(x1 - 4, y1 + 4);
    g.lineTo(x1 + 4, y1 + 4);
    g.lineTo(x1, y1 - 2);
    g.fill();
  }

  outline(picked, colour, thickness) {
    if (!picked) return;
    const { g } = this;
    const track = this.tracks.find(({ loop }) => loop === picked.loop);
    if (!track) return;
    const { loop, event } = picked;
    const place = this.placeOf(track, loop.kind[event] === KIND.SLEEP ? 1 : loop.row[event]);
    if (!place) return;
    const left = Math.max(this.gutter - 4, this.xOf(loop.start[event]));
    const right = Math.min(this.width, this.xOf(loop.end[event]));
    if (right < this.gutter - 4 || left > this.width) return;
    g.strokeStyle = colour;
    g.lineWidth = thickness;
    g.strokeRect(left - 0.5, place.top - 0.5, Math.max(3, right - left), place.height + 1);
  }

  /* The stretch whose bracket is under a point; undefined if there is none. */
  heldAt(x, y) {
    const track = this.tracks.find(({ top }) => y >= top && y < top + TRACK_HEAD);
    const near = ({ start, end }) => x > this.xOf(start) - 4 && x < this.xOf(end) + 4;
    return track && !track.loop.isLane ? this.app.marked(track.loop).find(near) : undefined;
  }

  /* The event under a point: {loop, event}, or null. */
  hit(x, y) {
    if (x < this.gutter) return null;
    const track = this.tracks.find(({ top, bottom }) => y >= top && y < bottom);
    const place = track && track.rows.find(({ top, height }) => y >= top && y < top + height + 2);
    if (!place) return null;
    const time = this.timeAt(x);
    const slack = 2.5 * (this.app.view.t1 - this.app.view.t0) / this.span;
    if (place.row === track.loop.rows[1]) {
      const sleeping = eventAt(track.loop.sleeps, time, 0);
      if (sleeping >= 0) return { loop: track.loop, event: sleeping };
    }
    const event = eventAt(place.row, time, slack);
    return event < 0 ? null : { loop: track.loop, event };
  }
}
