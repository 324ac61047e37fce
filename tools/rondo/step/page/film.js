// The page of a film, or live: one step at a time, with its code, its place in the turn, the queues
// and the output. Everything from the program is put in as text.
const film = JSON.parse(document.getElementById('film').textContent);
const byId = (id) => document.getElementById(id);
const PHASES = ['timers', 'pending', 'idle', 'prepare', 'poll', 'check', 'closing'];
const QUEUES = [...PHASES, 'ticks', 'microtasks'];

let run; // of the film's runs the one that is shown
let main; // its first script
let byNumber;
let lines; // that were printed, each with the index of the step that wrote it
let shown = []; // the indices of the steps that are walked over
let at = 0;
let timer;

// --- words -------------------------------------------------------------------------------

const shortFile = (file) => file.split('/').pop();
const time = (ns) => `${(ns / 1e6).toFixed(ns % 1e6 === 0 ? 0 : 3)} ms`;

function split(name) {
  const described = /^~(.*) \(([^()]*?):(\d+)(?:, [^()]*)?\)$/.exec(name); // by what it is about
  if (described !== null) return { fn: described[1], file: described[2], line: Number(described[3]) };
  const found = /^(?:(.*) )?(\/[^:]*|file:[^:]*):(\d+)(?::\d+)?$/.exec(name);
  return found === null ? undefined : { fn: found[1] ?? '', file: found[2], line: Number(found[3]) };
}

function nameWords(name) {
  const place = split(name);
  return place === undefined ? name.replace(/^~/, '') : `${place.fn || '(anonymous)'} (${shortFile(place.file)}:${place.line})`;
}

function title(step) {
  if (step.what === 'script') return 'the main script';
  if (step.what === 'sleep') return 'the loop waits in its poll';
  if (step.what === 'microtasks') return 'microtasks';
  return nameWords(step.name) || step.subject || step.what;
}

const began = (step) => (step.of === undefined ? step : run.steps[byNumber.get(step.of)] ?? step);

function words(step) {
  if (step.what === 'sleep') return title(step);
  return step.of === undefined ? `Runs next: ${title(step)}` : `Has run: ${title(began(step))}`;
}

function why(step) {
  const parts = [];
  for (let one = began(step), i = 0; one.by !== undefined && i < 8; i++) {
    const cause = run.steps[byNumber.get(one.by)];
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
  const place = split(began(step).name) ?? (step.what === 'script' || file === undefined ? { file: main, line: 0 } : undefined);
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

// A dot for each thing in a phase's queue; the hand is where the loop is.
const DOTS_MOST = 6;
function dots(name, from, to, queues) {
  const list = entries(queues, name) ?? [];
  if (list.length > DOTS_MOST) {
    const [x, y] = onCircle((from + to) / 2, 125);
    return [svg('text', { x, y, class: 'count' }, `${list.length}`)];
  }
  return list.map((entry, index) => {
    const [cx, cy] = onCircle(from + ((index + 1) / (list.length + 1)) * (to - from), 125);
    return svg('circle', { cx, cy, r: 5 });
  });
}

function showWheel(step) {
  const queues = run.queues[step.q];
  const parts = PHASES.flatMap((phase, index) => {
    const from = index / PHASES.length + 0.006, to = (index + 1) / PHASES.length - 0.006;
    const [x1, y1] = onCircle(from, 125), [x2, y2] = onCircle(to, 125);
    const here = phase === step.phase ? 'here' : '';
    const [x, y] = onCircle((from + to) / 2, 76);
    return [svg('path', { d: `M${x1} ${y1}A125 125 0 0 1 ${x2} ${y2}`, class: here }), svg('text', { x, y, class: here }, phase), ...dots(phase, from, to, queues)];
  });
  const phase = PHASES.indexOf(step.phase);
  if (phase >= 0) {
    const [cx, cy] = onCircle((phase + 0.5) / PHASES.length, 149);
    parts.push(svg('circle', { cx, cy, r: 7, class: 'hand' }));
  }
  const turn = step.turn > 0 ? `turn ${step.turn}` : 'before turn 1';
  byId('wheel').replaceChildren(...parts, svg('text', { x: 160, y: 150, class: 'centre' }, turn), svg('text', { x: 160, y: 174 }, time(step.at)));
  byId('wheel').setAttribute('aria-label', step.phase === '' ? turn : `${turn}, phase ${step.phase}`);
}

// The alternatives that could have come here, as far as the choices before this step say it.
function showOthers(step) {
  const box = byId('others');
  box.replaceChildren();
  const others = began(step).others ?? [];
  if (others.length > 0) {
    const list = element('ul');
    for (const words of new Set(others)) list.append(element('li', words));
    box.append(element('h3', 'At this point it could also have gone on with'), list);
  }
  if (film.live) live.showElse(box);
}

// The contents of a queue, with the engine's own left out: null if it isn't known.
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

// The contents of the queues at the step before: entries that are new since then are marked.
function heldBefore() {
  const step = run.steps[shown[at - 1]];
  if (step === undefined) return new Set();
  return new Set(QUEUES.flatMap((name) => (entries(run.queues[step.q], name) ?? []).map((entry) => keyOf(name, entry))));
}

function showQueues(step) {
  const queues = run.queues[step.q];
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

function findLines() {
  lines = run.steps.flatMap((step, index) => (step.printed ? step.printed.replace(/\n$/, '').split('\n').map((text) => ({ text, index })) : []));
  if (run.rest) for (const text of run.rest.replace(/\n$/, '').split('\n')) lines.push({ text, index: run.steps.length - 1 });
}

function showOutput(index) {
  const box = byId('output');
  box.replaceChildren(...lines.filter((line) => line.index <= index).map((line) => {
    const row = element('li', undefined, line.index === index ? 'new' : '');
    const button = element('button', String(run.steps[line.index].n));
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
  const step = run.steps[index];
  const lane = run.lanes > 1 ? `, process ${step.process}, loop ${step.loop}` : '';
  byId('now').textContent = `Step ${step.n}${lane}. ${words(step)}`;
  byId('why').textContent = why(step);
  byId('slider').value = at;
  byId('slider').setAttribute('aria-valuetext', words(step));
  showCode(step);
  showWheel(step);
  showQueues(step);
  showOutput(index);
  showOthers(step);
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
  shown = run.steps.flatMap((step, index) => (every || began(step).own || step.what === 'sleep' || step.printed || index === run.steps.length - 1 ? [index] : []));
  byId('slider').max = shown.length - 1;
  const found = shown.findIndex((index) => index >= here);
  move(found < 0 ? shown.length - 1 : found);
}

// Where the record of a live run ends, the program goes on.
function forward() {
  if (live.isAtEnd()) live.advance({ goal: byId('every').checked ? 'step' : 'next' });
  else move(at + 1);
}

const KEYS = { ArrowRight: forward, ArrowLeft: () => move(at - 1), Home: () => move(0), End: () => move(shown.length - 1), ' ': play };
document.addEventListener('keydown', (event) => {
  const typed = event.target.closest('button, select, input[type=checkbox]') !== null && event.key === ' ';
  if (typed || event.target.id === 'what' || event.ctrlKey || event.altKey || event.metaKey) return;
  if (film.live && live.key(event.key)) {
    event.preventDefault();
    return;
  }
  const key = KEYS[event.key];
  if (key === undefined) return;
  event.preventDefault();
  if (event.key !== ' ') stop();
  key();
});
for (const [id, to] of [['first', () => 0], ['back', () => at - 1], ['last', () => shown.length - 1]])
  byId(id).addEventListener('click', () => { stop(); move(to()); });
byId('next').addEventListener('click', () => { stop(); forward(); });
byId('play').addEventListener('click', play);
byId('speed').addEventListener('change', () => { if (timer !== undefined) { stop(); play(); } });
byId('slider').addEventListener('input', (event) => { stop(); move(Number(event.target.value)); });
byId('every').addEventListener('change', (event) => choose(event.target.checked));
byId('title').textContent = film.title;
document.title = `rondo step: ${film.title}`;

// --- runs --------------------------------------------------------------------------------

// Behind a change of the run: what is found in it.
function readRun() {
  byNumber = new Map(run.steps.map((step, index) => [step.n, index]));
  main = run.steps.find((step) => step.what === 'script' && step.name.startsWith('/'))?.name ?? '';
  findLines();
  byId('ending').textContent = run.over === false ? 'goes on' : run.outcome;
  choose(byId('every').checked);
}

// Another outcome is shown from where it parts from the one before.
function takeRun(next) {
  const before = run;
  const until = at;
  run = next;
  file = undefined;
  shown = [];
  at = 0;
  readRun();
  if (before === undefined) return;
  let same = 0;
  const own = (one) => one.steps.filter((step) => step.own).map((step) => step.what + step.name);
  const [one, other] = [own(before), own(run)];
  while (same < one.length && same < other.length && one[same] === other[same]) same++;
  const index = run.steps.findIndex((step) => step.own && same-- === 0);
  if (index >= 0) goTo(index);
  else move(until);
}

// Each outcome is a button with what it prints; what it takes is said below.
const printedBy = (one) => one.output ?? one.steps.map((step) => step.printed ?? '').join('') + (one.rest ?? '');
const LABEL_MOST = 60;
function outcomeLabel(one) {
  const text = printedBy(one).trim().split('\n').join(' \u00b7 ') || '(prints nothing)';
  return text.length > LABEL_MOST ? `${text.slice(0, LABEL_MOST)}\u2026` : text;
}

function outcomeButtons(list, pressed, take, note) {
  const nav = byId('outcomes');
  nav.hidden = false;
  byId('takes').textContent = `When ${list[pressed].label}.`;
  nav.replaceChildren(element('span', note, 'soft'), ...list.map((one, index) => {
    const button = element('button', `${index + 1}. ${outcomeLabel(one)}`);
    button.type = 'button';
    button.title = `When ${one.label}`;
    button.setAttribute('aria-pressed', String(index === pressed));
    button.addEventListener('click', () => {
      stop();
      for (const other of nav.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button));
      byId('takes').textContent = `When ${one.label}.`;
      take(one);
    });
    return button;
  }));
}

