/* The whole run on one strip per loop: how busy each moment was, by phase, and where the loop
 * was held up. The picture is made once per size; a frame only lays the window over it. */

const STRIP_SPACE = 62;
const EDGE = 6;
const OVERVIEW_TOP = 14;

class Overview {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.picture = null;
  }

  /* Left and span are the timeline's: the same moment lies in the same place when all is shown. */
  layout(left, span) {
    this.width = canvasWidth(this.canvas);
    this.left = left;
    this.span = span;
    const count = Math.max(1, this.app.shown.length);
    this.strip = Math.max(12, Math.floor(STRIP_SPACE / count));
    this.height = OVERVIEW_TOP + this.strip * count + 2;
    this.picture = null;
  }

  xOf(time) {
    const { start, end } = this.app.trace.extent;
    return this.left + (time - start) * this.span / (end - start);
  }

  timeAt(x) {
    const { start, end } = this.app.trace.extent;
    return start + (x - this.left) * (end - start) / this.span;
  }

  draw() {
    const g = prepareCanvas(this.canvas, this.width, this.height);
    if (!this.picture) this.paint();
    g.drawImage(this.picture, 0, 0, this.width, this.height);
    this.drawWindow(g);
    this.drawMarks(g);
    if (this.left < 20) return;
    g.fillStyle = this.app.palette.soft;
    g.textAlign = 'right';
    g.fillText('busy', this.left - 7, OVERVIEW_TOP + (this.height - OVERVIEW_TOP) / 2);
  }

  paint() {
    this.picture = document.createElement('canvas');
    const ratio = window.devicePixelRatio || 1;
    this.picture.width = Math.max(1, Math.round(this.width * ratio));
    this.picture.height = Math.max(1, Math.round(this.height * ratio));
    const g = this.picture.getContext('2d');
    g.scale(ratio, ratio);
    this.app.shown.forEach((loop, k) => this.paintStrip(g, loop, OVERVIEW_TOP + k * this.strip));
  }

  paintStrip(g, loop, top) {
    const { palette, trace: { extent } } = this.app;
    const columns = Math.max(1, Math.floor(this.span));
    const lanes = composition(loop, extent.start, extent.end, columns);
    const full = (extent.end - extent.start) / columns;
    const height = this.strip - 2;
    // Lanes from the bottom up in the order of the phases; the rest between them on top.
    const order = [8, ...PHASES, 0];
    const colours = [KIND.TURN, ...PHASES, KIND.OUTSIDE].map((kind) => palette.fills[kind]);
    for (let c = 0; c < columns; c++) {
      let y = top + height;
      for (const lane of order) {
        const part = Math.min(1, lanes[c * LANES + lane] / full) * height;
        if (part < 0.02) continue;
        // A moment of work in a long sleep must not vanish.
        const drawn = Math.max(part, y === top + height ? 1 : 0);
        g.fillStyle = colours[lane];
        g.fillRect(this.left + c, y - drawn, 1, drawn);
        y -= drawn;
      }
    }
    g.fillStyle = palette.line;
    g.fillRect(this.left, top + height, this.span, 1);
  }

  held() {
    return this.app.shown.flatMap((loop) => this.app.marked(loop)).sort((a, b) => b.length - a.length);
  }

  /* The stretch whose mark is under a point; undefined if there is none. */
  markAt(x, y) {
    if (y > OVERVIEW_TOP) return undefined;
    return this.held().find(({ start, end }) => Math.abs(this.xOf((start + end) / 2) - x) < 8);
  }

  /* A mark over each stretch, its length beside it where there is room. */
  drawMarks(g) {
    const held = this.held();
    const places = held.map(({ start, end }) => this.xOf((start + end) / 2));
    const taken = [];
    g.fillStyle = this.app.palette.held;
    g.textAlign = 'left';
    held.forEach(({ length }, k) => {
      const x = places[k];
      g.beginPath();
      g.moveTo(x - 4, 4);
      g.lineTo(x + 4, 4);
      g.lineTo(x, 11);
      g.fill();
      const text = formatDuration(length);
      const width = textWidth(g, text);
      const left = x + 7 + width < this.width ? x + 7 : x - 7 - width;
      // The worst is labelled first, whatever lesser mark is near.
      if (taken.some(([a, b]) => left < b + 3 && left + width > a - 3)) return;
      taken.push([left, left + width]);
      g.fillText(text, left, 7);
    });
  }

  drawWindow(g) {
    const { palette, view } = this.app;
    const left = this.xOf(view.t0), right = Math.max(this.xOf(view.t1), left + 2);
    if (this.isWhole()) return;
    g.fillStyle = palette.paper;
    g.globalAlpha = 0.66;
    g.fillRect(this.left, OVERVIEW_TOP, left - this.left, this.height);
    g.fillRect(right, OVERVIEW_TOP, this.left + this.span - right, this.height);
    g.globalAlpha = 1;
    g.strokeStyle = palette.focus;
    g.lineWidth = 1.5;
    g.strokeRect(left + 0.75, OVERVIEW_TOP + 0.75, Math.max(1, right - left - 1.5), this.height - OVERVIEW_TOP - 2.5);
  }

  isWhole() {
    const { view, trace: { extent } } = this.app;
    return view.t1 - view.t0 > (extent.end - extent.start) * 0.995;
  }

  /* Dragging: an edge resizes the window, its inside moves it, elsewhere a new one begins. */
  grab(x) {
    const { view } = this.app;
    const left = this.xOf(view.t0), right = this.xOf(view.t1);
    const whole = this.isWhole();
    if (!whole && Math.abs(x - left) < EDGE) return { fixed: view.t1 };
    if (!whole && Math.abs(x - right) < EDGE) return { fixed: view.t0 };
    if (!whole && x > left && x < right) return { offset: this.timeAt(x) - view.t0 };
    return { fixed: this.timeAt(x), fresh: true };
  }

  drag(grabbed, x) {
    const time = this.timeAt(Math.min(this.left + this.span, Math.max(this.left, x)));
    if (grabbed.offset !== undefined) {
      const { t0, t1 } = this.app.view;
      this.app.setView(time - grabbed.offset, time - grabbed.offset + t1 - t0);
    } else {
      this.app.setView(Math.min(time, grabbed.fixed), Math.max(time, grabbed.fixed));
    }
  }
}
