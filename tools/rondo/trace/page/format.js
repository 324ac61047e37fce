/* Numbers as people read them. */

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];

/* Three digits and a unit: 48.2 ms, with a no-break space. */
function formatDuration(ns) {
  const [size, unit] = UNITS.find(([least]) => Math.abs(ns) >= least * 0.9995) || UNITS[3];
  const value = ns / size;
  const digits = size === 1 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${formatCount(value.toFixed(digits))}\u00a0${unit}`;
}

function formatCount(value) {
  const [whole, fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const formatMany = (count, what) => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;

function formatShare(share) {
  if (!(share > 0)) return '0\u00a0%';
  if (share < 0.001) return '< 0.1\u00a0%';
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`;
}

/* Names of functions can be very long; a line can't. Names are cut where they differ
 * least: the folders of a path, else the middle. */
function shortened(name, most = 60) {
  if (name.length <= most) return name;
  const base = name.slice(name.lastIndexOf('/'));
  if (name.includes('/') && base.length <= most - 4) return `\u2026${base}`;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}\u2026${name.slice(name.length - (most - 1 - head))}`;
}

/* How long an event took. */
const took = (loop, i) => formatDuration(durationOf(loop, i));

/* A time, exact to the microsecond or better: rounding would hide what the reader looks
 * for. */
function formatTime(ns) {
  if (ns >= 1e9) return `${(ns / 1e9).toFixed(6)}\u00a0s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(4)}\u00a0ms`;
  return formatDuration(ns);
}

/* The distance between an axis' marks: 1, 2 or 5 of a unit, at least `least` ns. */
function axisStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) || 10);
}

const unitOf = (step) => UNITS.find(([least]) => step >= least) || UNITS[3];

/* Far from the start marks count from a base, which is written once: 207 ms, +330 us. The base
 * is a whole number of the next larger unit; 0 where marks are short enough without. */
function axisBase(t0, step) {
  const larger = unitOf(step)[0] * 1000;
  return larger > 1e9 || t0 < 10 * larger ? 0 : Math.floor(t0 / larger) * larger;
}

function axisLabel(time, step, base) {
  const [size, unit] = unitOf(step);
  const value = formatCount(String(Math.round((time - base) / step) * step / size));
  return `${base > 0 ? '+' : ''}${value} ${unit}`;
}

function axisBaseLabel(base, step) {
  const larger = unitOf(step)[0] * 1000;
  return `${formatCount(base / larger)} ${unitOf(larger)[1]} +`;
}

/* Common errors of callbacks, since the number alone says little. */
const ERRORS = new Map([
  [-4095, 'EOF'], [-1, 'EPERM'], [-2, 'ENOENT'], [-9, 'EBADF'], [-11, 'EAGAIN'], [-12, 'ENOMEM'],
  [-13, 'EACCES'], [-17, 'EEXIST'], [-20, 'ENOTDIR'], [-21, 'EISDIR'], [-22, 'EINVAL'],
  [-24, 'EMFILE'], [-28, 'ENOSPC'], [-32, 'EPIPE'], [-98, 'EADDRINUSE'], [-103, 'ECONNABORTED'],
  [-104, 'ECONNRESET'], [-105, 'ENOBUFS'], [-110, 'ETIMEDOUT'], [-111, 'ECONNREFUSED'],
  [-113, 'EHOSTUNREACH'], [-125, 'ECANCELED'], [-3008, 'ENOTFOUND'],
]);

/* The meaning of an event's detail, as [what, value]; null if it means nothing. */
function formatDetail(kind, detail, timer = false) {
  if (kind === KIND.TURN) return ['number', formatCount(detail)];
  if (kind === KIND.SLEEP) return ['timeout', detail < 0 ? 'none: until something happens' : formatDuration(detail)];
  if (kind !== KIND.CALLBACK || detail === 0) return null;
  if (timer) return ['late', formatDuration(detail)];
  if (detail > 0) return ['result', formatCount(detail)];
  return ['error', ERRORS.has(detail) ? `${ERRORS.get(detail)} (${detail})` : String(detail)];
}
