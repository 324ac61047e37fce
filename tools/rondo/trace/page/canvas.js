/* Helpers for both canvases: sharp pixels, the colours of the style sheet, text that fits. */

const FONT = '11px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/* Colours live in style.css alone; the canvases ask for them when the scheme changes. */
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ['turn', 'timers', 'pending', 'idle', 'prepare', 'poll', 'check', 'closing',
                 'sleep', 'turn', 'ticks', 'microtasks', 'script', 'outside'];
  const fills = names.map(get);
  return {
    fills,
    // Callbacks have their phase's colour in one of three tints by their name, so that
    // neighbours differ.
    tints: fills.map((fill) => TINTS.map((share) => mix(fill, get('paper'), share))),
    paper: get('paper'), ink: get('ink'), soft: get('soft'), line: get('line'), rest: get('rest'),
    stripe: get('stripe'), held: get('held'), focus: get('focus'), shade: get('shade'),
  };
}

const TINTS = [0, 0.22, 0.42];

/* A colour with a share of another in it (both #rrggbb). */
function mix(colour, other, share) {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => Math.round(part(colour, at) * (1 - share) + part(other, at) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

const tintOf = (loop, i) => Math.abs((loop.name[i] >= 0 ? loop.name[i] : loop.subject[i]) + 1) % TINTS.length;

/* Black or white, whichever is easier to read on a colour (#rrggbb). */
function inkOn(colour) {
  const part = (at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.2 ? '#10131a' : '#ffffff';
}

/* As wide as its box. The width of paper isn't known before printing: the canvas is drawn
 * at a large size and scaled. */
function canvasWidth(canvas) {
  return document.documentElement.classList.contains('printing') ? 1250 : canvas.parentElement.clientWidth;
}

/* The context, cleared, in CSS pixels whatever the screen's density. */
function prepareCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  canvas.style.height = `${height}px`;
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = FONT;
  g.textBaseline = 'middle';
  return g;
}

const widths = new Map();

function textWidth(g, text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 5000) widths.clear();
    widths.set(text, width = g.measureText(text).width);
  }
  return width;
}

/* The text, cut with an ellipsis to fit; empty if too little would remain. */
function fitText(g, text, room) {
  const whole = text.length > 200 ? text.slice(0, 200) : text;
  const width = textWidth(g, whole);
  if (width <= room) return whole;
  const letters = Math.floor(whole.length * (room - 8) / width);
  return letters < 3 ? '' : `${whole.slice(0, letters).trimEnd()}\u2026`;
}

/* Stripes, which show rest without a colour. */
function stripes(g, paper, line) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const t = tile.getContext('2d');
  t.fillStyle = paper;
  t.fillRect(0, 0, 8, 8);
  t.strokeStyle = line;
  t.lineWidth = 1.2;
  t.beginPath();
  for (const offset of [-8, 0, 8]) {
    t.moveTo(offset - 1, 9);
    t.lineTo(offset + 9, -1);
  }
  t.stroke();
  return g.createPattern(tile, 'repeat');
}
