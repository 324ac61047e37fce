/* A turn as a wheel: the seven phases clockwise from the top, each as long as its time,
 * callbacks outside of their phase; beside it the same as a table. */

const CENTRE = { x: 180, y: 150 };
const RING = { inner: 68, outer: 96, marks: 100, marksEnd: 113, label: 121, way: 60 };

function pointAt(share, radius) {
  const angle = share * 2 * Math.PI - Math.PI / 2;
  return [CENTRE.x + radius * Math.cos(angle), CENTRE.y + radius * Math.sin(angle)];
}

function ringPath(from, to, inner, outer) {
  const large = to - from > 0.5 ? 1 : 0;
  const at = (share, radius) => pointAt(share, radius).map((value) => value.toFixed(2)).join(' ');
  return `M ${at(from, outer)} A ${outer} ${outer} 0 ${large} 1 ${at(to, outer)} ` +
         `L ${at(to, inner)} A ${inner} ${inner} 0 ${large} 0 ${at(from, inner)} Z`;
}

class Wheel {
  constructor(app, svg, table) {
    this.app = app;
    this.svg = svg;
    this.table = table;
  }

  draw() {
    const { turn } = this.app;
    document.body.classList.remove('still');
    this.svg.replaceChildren();
    if (!turn) return this.drawNothing();
    const shape = arcs(turn);
    this.svg.append(stripePattern());
    shape.arcs.forEach((arc) => this.drawPhase(turn, arc));
    arcCallbacks(turn, shape).forEach((mark) => this.drawMark(turn, mark));
    this.drawHub(turn, shape.cut);
    this.svg.setAttribute('aria-label', describeTurnInWords(turn));
    this.drawTable(turn);
    return undefined;
  }

  drawNothing() {
    document.body.classList.add('still');
    $('turn-title').textContent = 'No turn';
    $('turn-when').textContent = '';
    this.svg.setAttribute('aria-label', 'No turn is selected');
    const words = make('td', { class: 'soft' }, 'The loop never turned in this trace.');
    this.table.replaceChildren(make('tbody', {}, make('tr', {}, words)));
  }

  drawPhase(turn, arc) {
    const phase = turn.phases[arc.kind - 1];
    const gap = 0.003;
    const absent = phase.spans.length === 0;
    const group = makeSvg('g', { class: absent ? 'phase absent' : 'phase' });
    const ring = (to, className) => group.append(
      makeSvg('path', { class: className, d: ringPath(arc.from + gap, to, RING.inner, RING.outer) }));
    ring(arc.to - gap, `arc ${cssName(arc.kind)}`);
    if (arc.sleep > 2 * gap) ring(arc.from + arc.sleep, 'arc-sleep');
    group.append(makeSvg('title', {}, phaseInWords(turn, phase)), this.phaseLabel(turn, phase, arc));
    if (!absent) group.addEventListener('click', () => this.app.select(turn.loop, phase.spans[0]));
    this.svg.append(group);
  }

  phaseLabel(turn, phase, arc) {
    const middle = (arc.from + arc.to) / 2;
    const [x, y] = pointAt(middle, RING.label);
    const side = Math.sin(middle * 2 * Math.PI);
    const anchor = Math.abs(side) < 0.2 ? 'middle' : side > 0 ? 'start' : 'end';
    const upwards = Math.cos(middle * 2 * Math.PI);
    const place = { x: x.toFixed(1), 'text-anchor': anchor };
    if (phase.spans.length === 0)
      return makeSvg('text', { ...place, y: (y + 4 - 4 * upwards).toFixed(1) }, KIND_NAMES[phase.kind]);
    // Two lines, above the ring at its top, below it at its bottom.
    return makeSvg('text', { ...place, y: (y - 2 - 11 * upwards).toFixed(1) },
      makeSvg('tspan', { class: 'name' }, KIND_NAMES[phase.kind]),
      makeSvg('tspan', { class: 'time', x: x.toFixed(1), dy: 13 }, formatDuration(phase.time)));
  }

  drawMark(turn, mark) {
    const { loop } = turn;
    const least = 0.004;
    const to = Math.max(mark.to - 0.0012, mark.from + least);
    const path = makeSvg('path', {
      class: `mark ${cssName(phaseOf(loop, mark.event))}${this.isSelected(mark.event) ? ' selected' : ''}`,
      'data-tint': tintOf(loop, mark.event), 'data-event': mark.event,
      d: ringPath(mark.from + 0.0012, to, RING.marks, RING.marksEnd),
    }, makeSvg('title', {}, `${nameOf(loop, mark.event)}, ${took(loop, mark.event)}`));
    path.addEventListener('click', () => this.app.select(loop, mark.event));
    this.svg.append(path);
  }

  drawHub(turn, cut) {
    const line = (dy, text, className) =>
      makeSvg('text', { x: CENTRE.x, y: CENTRE.y + dy, 'text-anchor': 'middle', class: className }, text);
    const at = (share) => pointAt(share, RING.way).join(' ');
    this.svg.append(
      makeSvg('path', { class: 'way', d: `M ${at(0.02)} A ${RING.way} ${RING.way} 0 0 1 ${at(0.21)}` }),
      makeSvg('path', { class: 'way-tip', d: tipPath(0.225, RING.way) }),
      line(-14, `turn ${formatCount(turn.number)}`, 'hub-name'),
      line(6, formatDuration(turn.busy), 'hub-time'),
      line(22, turn.sleep > 0 ? 'awake' : 'all awake', 'hub-note'));
    if (turn.sleep > 0)
      this.svg.append(line(36, `${cut ? '+ ' : ''}${formatDuration(turn.sleep)} asleep`, 'hub-note'));
  }

  isSelected(event) {
    const { selected, turn } = this.app;
    return selected !== null && selected.loop === turn.loop && selected.event === event;
  }

  drawTable(turn) {
    const { loop } = turn;
    const { lines, left } = turnLines(turn);
    $('turn-title').textContent = `Turn ${formatCount(turn.number)}`;
    $('turn-when').textContent = `at ${formatTime(loop.start[turn.event])}, ${formatDuration(turn.length)}`;
    const body = make('tbody');
    for (const line of lines) body.append(line.event < 0 ? absentRow(line) : this.eventRow(turn, line));
    if (left > 0)
      body.append(make('tr', {}, make('td', { colspan: 4, class: 'soft' }, `and ${formatCount(left)} shorter ones`)));
    const head = make('tr', {}, ...['What ran', 'On', 'After', 'Took'].map((text, k) =>
      make('th', { scope: 'col', class: k > 1 ? 'number' : null }, text)));
    const caption = make('caption', { class: 'hidden' }, describeTurnInWords(turn));
    this.table.replaceChildren(caption, make('thead', {}, head), body);
    const current = this.table.querySelector('.selected');
    if (current) scrollIntoBox(current, this.table.parentElement);
  }

  eventRow(turn, { event, kind, depth }) {
    const { loop } = turn;
    const name = nameOf(loop, event);
    const subject = kind === KIND.CALLBACK && subjectOf(loop, event) !== name ? subjectOf(loop, event) : '';
    const classes = [`depth-${Math.min(3, depth)}`, this.isSelected(event) ? 'selected' : '', isPhase(kind) ? 'phase-row' : ''];
    const first = [chip(colourOf(loop, event)), make('span', {}, name)];
    const row = actionRow(`${name}, ${took(loop, event)}`, () => this.app.select(loop, event), [
      first,
      make('td', { class: 'soft' }, subject),
      softNumberCell(formatDuration(loop.start[event] - loop.start[turn.event])),
      barCell(took(loop, event), awakeTime(turn, event) / Math.max(1, turn.busy)),
    ], { class: classes.join(' ') });
    row.addEventListener('mouseenter', () => this.glow(event, true));
    row.addEventListener('mouseleave', () => this.glow(event, false));
    return row;
  }

  glow(event, on) {
    const mark = this.svg.querySelector(`[data-event="${event}"]`);
    if (mark) mark.classList.toggle('glow', on);
  }
}

/* The bars compare work: sleep isn't work, and a poll's time is without it. */
function awakeTime(turn, event) {
  const kind = turn.loop.kind[event];
  if (kind === KIND.SLEEP) return 0;
  return kind === KIND.POLL ? turn.phases[KIND.POLL - 1].time : durationOf(turn.loop, event);
}

function absentRow({ kind }) {
  return make('tr', { class: 'absent' }, make('td', {}, chip(kind), make('span', {}, KIND_NAMES[kind])),
              make('td', { colspan: 3, class: 'soft number' }, 'nothing to run'));
}

function tipPath(share, radius) {
  const [x, y] = pointAt(share, radius);
  const [ax, ay] = pointAt(share - 0.02, radius - 4);
  const [bx, by] = pointAt(share - 0.02, radius + 4);
  return `M ${x} ${y} L ${ax} ${ay} L ${bx} ${by} Z`;
}

function stripePattern() {
  const size = { width: 6, height: 6 };
  const place = { id: 'stripes', ...size, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' };
  return makeSvg('defs', {}, makeSvg('pattern', place,
    makeSvg('rect', { class: 'stripe-paper', ...size }),
    makeSvg('rect', { class: 'stripe-line', ...size, width: 1.4 })));
}

function phaseInWords(turn, phase) {
  const name = KIND_NAMES[phase.kind];
  if (phase.spans.length === 0) return `${name}: nothing to run`;
  const asleep = phase.kind === KIND.POLL && turn.sleep > 0 ? ` after ${formatDuration(turn.sleep)} of sleep` : '';
  return `${name}: ${formatDuration(phase.time)}${asleep}, ${formatMany(phase.callbacks, 'callback')}`;
}

function describeTurnInWords(turn) {
  return `Turn ${formatCount(turn.number)}: ${turn.phases.map((phase) => phaseInWords(turn, phase)).join('; ')}.`;
}

/* scrollIntoView would move the page, too. */
function scrollIntoBox(element, box) {
  const e = element.getBoundingClientRect(), b = box.getBoundingClientRect();
  if (e.top < b.top + 24 || e.bottom > b.bottom) box.scrollTop += e.top - b.top - b.height / 3;
}
