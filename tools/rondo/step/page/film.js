// The film: one step at a time, with its code, its place in the turn, the queues and the output.
// Everything from the program is put in as text.
const film = JSON.parse(document.getElementById('film').textContent);
const byId = (id) => document.getElementById(id);
const PHASES = ['timers', 'pending', 'idle', 'prepare', 'poll', 'check', 'closing'];
const QUEUES = [...PHASES, 'ticks', 'microtasks'];
const byNumber = new Map(film.steps.map((step, index) => [step.n, index]));

let shown = []; // the indices of the steps that are walked over
let at = 0;
let timer;

// --- words -------------------------------------------------------------------------------

const shortFile = (file) => file.split('/').pop();
const time = (ns) => `${(ns / 1e6).toFixed(ns % 1e6 === 0 ? 0 : 3)} ms`;

function split(name) {
  const found = /^(?:(.*) )?(\/[^:]*|file:[^:]*):(\d+)(?::\d+)?$/.exec(name);
  return found === null ? undefined : { fn: found[1] ?? '', file: found[2], line: Number(found[3]) };
}

function nameWords(name) {
  const place = split(name);
  return place === undefined ? name : `${place.fn || '(anonymous)'} (${shortFile(place.file)}:${place.line})`;
}

function title(step) {
  if (step.what === 'script') return 'the main script';
  if (step.what === 'sleep') return 'the loop waits in its poll';
  if (step.what === 'microtasks') return 'microtasks';
  return nameWords(step.name) || step.subject || step.what;
}

const began = (step) => (step.of === undefined ? step : film.steps[byNumber.get(step.of)] ?? step);

function words(step) {
  if (step.what === 'sleep') return title(step);
  return step.of === undefined ? `Runs next: ${title(step)}` : `Has run: ${title(began(step))}`;
}

function why(step) {
  const parts = [];
  for (let one = began(step), i = 0; one.by !== undefined && i < 8; i++) {
    const cause = film.steps[byNumber.get(one.by)];
    if (cause === undefined) break;
    parts.push(`begun by ${title(cause)}`);
    one = cause;
  }
  return parts.join(', ');
}

// --- elements ----------------------------------------------------------------------------

function element(tag, text, classes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

let file; // whose text is shown
function showCode(step) {
  const place = split(began(step).name) ?? (step.what === 'script' || file === undefined ? { file: film.main, line: 0 } : undefined);
  if (place === undefined) return;
  const box = byId('code');
  if (place.file !== file) {
    file = place.file;
    box.replaceChildren(...(film.files[file] ?? '(the source is not in the film)').split('\n').map((line, index) => {
      const row = element('div', line);
      row.dataset.line = index + 1;
      return row;
    }));
    byId('code-title').textContent = shortFile(file);
  }
  for (const row of box.querySelectorAll('.here')) row.className = '';
  const row = box.children[place.line - 1];
  if (row === undefined) return;
  row.className = 'here';
  box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3;
}

const svg = (tag, attributes, text) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

const onCircle = (turn, radius) => {
  const angle = (turn - 0.25) * 2 * Math.PI;
  return [160 + radius * Math.cos(angle), 160 + radius * Math.sin(angle)];
};

function showWheel(step) {
  const parts = PHASES.flatMap((phase, index) => {
    const from = index / PHASES.length + 0.006, to = (index + 1) / PHASES.length - 0.006;
    const [x1, y1] = onCircle(from, 125), [x2, y2] = onCircle(to, 125);
    const here = phase === step.phase ? 'here' : '';
    const [x, y] = onCircle((from + to) / 2, 76);
    return [svg('path', { d: `M${x1} ${y1}A125 125 0 0 1 ${x2} ${y2}`, class: here }), svg('text', { x, y, class: here }, phase)];
  });
  const turn = step.turn > 0 ? `turn ${step.turn}` : 'before turn 1';
  byId('wheel').replaceChildren(...parts, svg('text', { x: 160, y: 150, class: 'centre' }, turn), svg('text', { x: 160, y: 174 }, time(step.at)));
}

// What is in a queue, with the engine's own left out: null if it isn't known.
function entries(queues, name) {
  const { engine } = queues;
  const of = (list) => (list ?? []).filter((entry) => !entry.engines);
  if (name === 'ticks' || name === 'microtasks') return engine === undefined ? undefined : engine[name];
  if (name === 'timers' && engine !== undefined) return engine.timers === null ? null : [...engine.timers, ...of(queues.timers)];
  if (name === 'check' && engine !== undefined) return engine.immediates === null ? null : [...engine.immediates, ...of(queues.check)];
  return name === 'poll' ? [...of(queues.poll), ...of(queues.requests)] : of(queues[name]);
}

function entryWords(entry, now) {
  const parts = [entry.request ?? (entry.name !== undefined ? nameWords(entry.name) : entry.handle)];
  if (entry.fn) parts.push(entry.fn);
  if (entry.due !== undefined) parts.push(entry.due > now ? `in ${time(entry.due - now)}` : 'due');
  if (entry.waits) parts.push(`waits for ${entry.waits}`);
  if (entry.where) parts.push(entry.where);
  if (entry.repeats) parts.push('repeats');
  if (entry.unref) parts.push("doesn't keep the loop alive");
  return parts.join(', ');
}

const keyOf = (name, entry) => `${name} ${entryWords({ ...entry, due: undefined }, 0)} ${entry.due ?? ''}`;

// What the queues held at the step before: what is new since then is marked.
function heldBefore() {
  const step = film.steps[shown[at - 1]];
  if (step === undefined) return new Set();
  return new Set(QUEUES.flatMap((name) => (entries(film.queues[step.q], name) ?? []).map((entry) => keyOf(name, entry))));
}

function showQueues(step) {
  const queues = film.queues[step.q];
  const before = heldBefore();
  byId('queues').replaceChildren(...QUEUES.flatMap((name) => {
    const list = entries(queues, name);
    if (list === undefined) return [];
    const empty = list !== null && list.length === 0;
    const box = element('div', undefined, `queue${empty ? ' empty' : ''}${name === step.phase ? ' phase' : ''}`);
    box.append(element('h3', list === null ? `${name}: not known` : empty ? `${name}: empty` : name));
    if (list === null || empty) return [box];
    const items = element('ul');
    for (const entry of list) items.append(element('li', entryWords(entry, step.at), before.has(keyOf(name, entry)) ? '' : 'new'));
    box.append(items);
    return [box];
  }));
}

// The lines that were printed so far, each with the step that wrote it.
const lines = film.steps.flatMap((step, index) => (step.printed ? step.printed.replace(/\n$/, '').split('\n').map((text) => ({ text, index })) : []));
if (film.rest) for (const text of film.rest.replace(/\n$/, '').split('\n')) lines.push({ text, index: film.steps.length - 1 });

function showOutput(index) {
  const box = byId('output');
  box.replaceChildren(...lines.filter((line) => line.index <= index).map((line) => {
    const row = element('li', undefined, line.index === index ? 'new' : '');
    const button = element('button', String(film.steps[line.index].n));
    button.type = 'button';
    button.title = 'Go to the step that printed this';
    button.addEventListener('click', () => goTo(line.index));
    row.append(button, line.text);
    return row;
  }));
  box.scrollTop = box.scrollHeight;
}

// --- moving ------------------------------------------------------------------------------

function show() {
  const index = shown[at];
  const step = film.steps[index];
  const lane = film.lanes > 1 ? `, process ${step.process}, loop ${step.loop}` : '';
  byId('now').textContent = `Step ${step.n}${lane}. ${words(step)}`;
  byId('why').textContent = why(step);
  byId('slider').value = at;
  byId('slider').setAttribute('aria-valuetext', words(step));
  showCode(step);
  showWheel(step);
  showQueues(step);
  showOutput(index);
}

function move(to) {
  at = Math.max(0, Math.min(shown.length - 1, to));
  show();
}

function goTo(index) {
  stop();
  const found = shown.findIndex((one) => one >= index);
  move(found < 0 ? shown.length - 1 : found);
}

function stop() {
  clearInterval(timer);
  timer = undefined;
  byId('play').textContent = 'Play';
}

function play() {
  if (timer !== undefined) return stop();
  if (at === shown.length - 1) move(0);
  byId('play').textContent = 'Stop';
  timer = setInterval(() => {
    move(at + 1);
    if (at === shown.length - 1) stop();
  }, Number(byId('speed').value));
}

// A beginner sees the program's own callbacks, and what they have done.
function choose(every) {
  const here = shown[at] ?? 0;
  shown = film.steps.flatMap((step, index) => (every || began(step).own || step.what === 'sleep' || step.printed || index === film.steps.length - 1 ? [index] : []));
  byId('slider').max = shown.length - 1;
  const found = shown.findIndex((index) => index >= here);
  move(found < 0 ? shown.length - 1 : found);
}

const KEYS = { ArrowRight: () => move(at + 1), ArrowLeft: () => move(at - 1), Home: () => move(0), End: () => move(shown.length - 1), ' ': play };
document.addEventListener('keydown', (event) => {
  const key = KEYS[event.key];
  const typed = event.target.closest('button, select, input[type=checkbox]') !== null && event.key === ' ';
  if (key === undefined || typed || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  if (event.key !== ' ') stop();
  key();
});
for (const [id, to] of [['first', () => 0], ['back', () => at - 1], ['next', () => at + 1], ['last', () => shown.length - 1]])
  byId(id).addEventListener('click', () => { stop(); move(to()); });
byId('play').addEventListener('click', play);
byId('speed').addEventListener('change', () => { if (timer !== undefined) { stop(); play(); } });
byId('slider').addEventListener('input', (event) => { stop(); move(Number(event.target.value)); });
byId('every').addEventListener('change', (event) => choose(event.target.checked));
byId('title').textContent = film.title;
byId('ending').textContent = film.outcome;
document.title = `rondo step: ${film.title}`;
choose(false);
// A link may lead to a step, film.html#17, or to the end, film.html#last.
const wanted = location.hash.slice(1);
if (wanted === 'last') move(shown.length - 1);
else if (/^\d+$/.test(wanted)) goTo(film.steps.findIndex((step) => step.n >= Number(wanted)));
