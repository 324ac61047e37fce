/* The numbers beside the picture: the verdict, what held the loop up, which callbacks took
 * the time, what the phases did, and everything about the event that is selected. */

class Panel {
  constructor(app) {
    this.app = app;
    this.order = 'max';
    this.all = false;
    for (const order of ['max', 'total'])
      $(`by-${order}`).addEventListener('click', () => {
        this.order = order;
        this.drawCallbacks();
      });
  }

  /* When the loops shown changed: all but the details. */
  measure() {
    const { shown } = this.app;
    this.held = shown.flatMap((loop) => loop.held).sort((a, b) => b.length - a.length).slice(0, 12);
    this.worst = this.held.find(({ starting }) => !starting) || this.held[0] || null;
    this.groups = callbackGroups(shown);
    this.counts = phaseCounts(shown);
    this.delays = percentiles(shown);
    this.drawVerdict();
    this.drawWarnings();
    this.drawHeld();
    this.drawLate();
    this.drawCallbacks();
    this.drawPhases();
  }

  drawVerdict() {
    const { app: { shown, trace: { extent } }, delays, held, worst } = this;
    const line = $('verdict');
    line.replaceChildren();
    const turns = shown.reduce((sum, loop) => sum + loop.turns.length, 0);
    if (worst) {
      // Less than a millisecond is nothing to worry about: no alarm then.
      const calm = worst.length < 1e6;
      line.append(calm ? 'Never held up for longer than ' : 'Longest: ',
        make('button', { type: 'button', class: `worst ${calm ? 'calm' : ''}`, onclick: () => this.app.showStretch(worst) },
             `${calm ? '' : 'Held up '}${formatDuration(worst.length)}`),
        ...this.culpritText(worst), '. ');
      if (delays.count > 0)
        line.append(`Half of the time the loop came back within ${formatDuration(delays.p50)}, `,
                    `99\u00a0% within ${formatDuration(delays.p99)}. `);
      if (held[0] !== worst) line.append(`Starting took ${formatDuration(held[0].length)}. `);
    }
    const busy = shown.reduce((sum, loop) => sum + loop.busy, 0);
    const share = busy / Math.max(1, (extent.end - extent.start) * shown.length);
    const length = formatDuration(extent.end - extent.start);
    line.append(turns === 0 ? 'No loop turned in this trace.'
      : `${formatMany(turns, 'turn')} in ${length}, ${formatShare(share)} busy.`);
  }

  culpritText(held) {
    const { loop, culprit, inside, turn, calls, share, callbacks } = held;
    if (culprit < 0) return turn < 0 ? [] : [` in turn ${turnNumber(loop, turn)}`];
    const where = loop.turn[culprit] >= 0 ? ` in turn ${turnNumber(loop, loop.turn[culprit])}`
      : held.starting ? ' before the first turn' : ' outside of any turn';
    const name = make('b', {}, shortened(nameOf(loop, culprit)));
    if (share < 0.5) return [` by ${formatCount(callbacks)} callbacks`, where, ', most of all ', name, times(calls)];
    const mostly = inside >= 0 ? `, mostly its ${shortened(nameOf(loop, inside))},` : '';
    const open = loop.unfinished.has(culprit) ? ', which had not ended' : '';
    return [' by ', name, times(calls), `${mostly}${where}${open}`];
  }

  drawWarnings() {
    const { shown } = this.app;
    const lost = shown.reduce((sum, loop) => sum + loop.lost, 0);
    const skipped = shown.reduce((sum, loop) => sum + loop.skipped, 0);
    const words = [];
    if (lost > 0) words.push(`${formatCount(lost)} events did not fit into the recording and are missing here.`);
    if (skipped > 0) words.push(`${formatCount(skipped)} events could not be understood and were left out.`);
    $('warnings').textContent = words.join(' ');
    $('warnings').hidden = words.length === 0;
  }

  drawHeld() {
    const longest = this.held.length ? this.held[0].length : 1;
    const several = this.app.shown.length > 1;
    const rows = this.held.map((held) => {
      const { loop, culprit, turn, inside } = held;
      const name = culprit < 0 ? 'no callback' : nameOf(loop, culprit);
      const text = inside >= 0 ? `${name} \u203a ${nameOf(loop, inside)}` : name + times(held.calls);
      const first = culprit < 0 ? [make('span', {}, text)] : [chip(colourOf(loop, culprit)), make('span', {}, text)];
      const number = turn < 0 ? '' : turnNumber(loop, turn);
      const label = `${text}, held up ${formatDuration(held.length)}, turn ${number}`;
      return actionRow(label, () => this.app.showStretch(held), [
        first,
        softNumberCell(several ? `${loop.pid ?? ''}/${loop.id} \u00b7 ${number}` : number),
        barCell(formatDuration(held.length), held.length / longest),
      ], { title: heldTitle(held) });
    });
    fillTable('held', ['By', several ? 'Loop, turn' : 'Turn', 'For'], rows, 'The loop was never held up.');
  }

  /* Timers late by a millisecond or more; that much they may be. */
  drawLate() {
    const several = this.app.shown.length > 1;
    const late = this.app.shown.flatMap((loop) => loop.late).sort((a, b) => b.late - a.late).slice(0, 6);
    $('late-section').hidden = late.length === 0;
    const rows = late.map(({ loop, event, late: by }) => {
      const name = nameOf(loop, event);
      const number = loop.turn[event] < 0 ? '' : turnNumber(loop, loop.turn[event]);
      return actionRow(`${name}, ${formatDuration(by)} late`, () => this.app.show(loop, event), [
        [chip(colourOf(loop, event)), make('span', {}, name)],
        softNumberCell(several ? `${loop.pid ?? ''}/${loop.id} \u00b7 ${number}` : number),
        barCell(formatDuration(by), by / late[0].late),
      ], { title: `${name} (${subjectOf(loop, event)}) was called ${formatDuration(by)} after it was due` });
    });
    fillTable('late', ['Timer', several ? 'Loop, turn' : 'Turn', 'By'], rows, '');
  }

  drawCallbacks() {
    const { order } = this;
    for (const name of ['max', 'total']) $(`by-${name}`).setAttribute('aria-pressed', String(order === name));
    const sorted = this.groups.slice().sort((a, b) => b[order] - a[order]);
    const most = this.all ? 500 : 12;
    const top = sorted.length ? sorted[0][order] : 1;
    const rows = sorted.slice(0, most).map((group) => this.callbackRow(group, top));
    const heads = order === 'max' ? ['Total', 'Longest'] : ['Longest', 'Total'];
    fillTable('callbacks', ['Name', 'Calls', ...heads], rows, 'Nothing was called.');
    const more = $('more-callbacks');
    more.hidden = sorted.length <= 12;
    more.textContent = this.all ? 'show fewer' : `show all ${formatCount(sorted.length)}`;
    more.onclick = () => {
      this.all = !this.all;
      this.drawCallbacks();
    };
  }

  callbackRow(group, top) {
    const { name, count, total, max, loop, event } = group;
    const label = `${name}: ${formatMany(count, 'call')}, ${formatDuration(total)} in all, longest ${formatDuration(max)}`;
    return actionRow(label, () => this.app.show(loop, event), [
      [chip(colourOf(loop, event)), make('span', {}, name)],
      softNumberCell(formatCount(count)),
      softNumberCell(formatDuration(this.order === 'max' ? total : max)),
      barCell(formatDuration(group[this.order]), group[this.order] / Math.max(1, top)),
    ], { title: name });
  }

  drawPhases() {
    const { counts } = this;
    const kinds = [...PHASES, KIND.SLEEP, KIND.SCRIPT, KIND.TICKS, KIND.MICROTASKS];
    const whole = PHASES.reduce((sum, kind) => sum + counts[kind].time, 0) || 1;
    const rows = kinds.filter((kind) => isPhase(kind) || counts[kind].spans > 0)
      .map((kind) => phaseRow(counts[kind], whole));
    fillTable('phases', ['Phase', 'Times', 'Callbacks', 'Time'], rows, '');
  }

  /* Everything about the selected event. */
  drawDetails() {
    const { selected } = this.app;
    const list = $('details');
    list.replaceChildren();
    $('details-hint').hidden = selected !== null;
    if (!selected) return;
    for (const [what, value] of eventFacts(selected)) list.append(make('dt', {}, what), make('dd', {}, value));
  }
}

const times = (calls) => (calls > 1 ? ` \u00d7 ${formatCount(calls)}` : '');

const turnNumber = (loop, turn) => formatCount(loop.detail[loop.turns[turn]]);

function heldTitle({ loop, start, length, callbacks }) {
  return `${formatDuration(length)} from ${formatTime(start)} without a look at what is new, ` +
         `${formatMany(callbacks, 'callback')}, ${loopLabel(loop)}`;
}

function eventFacts({ loop, event }) {
  const kind = loop.kind[event];
  const facts = [['name', nameOf(loop, event)]];
  if (kind === KIND.CALLBACK && subjectOf(loop, event)) facts.push(['subject', subjectOf(loop, event)]);
  facts.push(['took', took(loop, event)], ['start', formatTime(loop.start[event])]);
  const detail = kind === KIND.TURN ? null : formatDetail(kind, loop.detail[event], isTimer(loop, event));
  if (detail) facts.push(detail);
  if (kind === KIND.SLEEP && loop.handles[event] + loop.requests[event] > 0)
    facts.push(['waits for', `${formatMany(loop.handles[event], 'handle')}, ${formatMany(loop.requests[event], 'request')}`]);
  if (kind === KIND.SLEEP && event === lastSleep(loop) && loop.alive.length)
    facts.push(['kept alive by', loop.alive.join(', ')]);
  if (loop.unfinished.has(event)) facts.push(['end', 'none: the recording ended in it']);
  const inside = kind === KIND.CALLBACK || kind === KIND.SCRIPT ? timeInside(loop, event) : '';
  if (inside) facts.push(['of that', inside]);
  if (kind !== KIND.TURN) facts.push(['kind', isPhase(kind) ? 'phase' : KIND_NAMES[kind]]);
  const phase = phaseOf(loop, event);
  if (phase && phase !== kind) facts.push(['phase', KIND_NAMES[phase]]);
  const turn = loop.turn[event];
  facts.push(['turn', turn < 0 ? 'outside of any' : turnNumber(loop, turn)]);
  facts.push(['loop', loopLabel(loop)]);
  return facts;
}

/* What kept the loop alive is known of that. */
const lastSleep = ({ sleeps }) => (sleeps.count ? sleeps.index[sleeps.count - 1] : -1);

/* How much of a callback were its ticks and microtasks. */
function timeInside(loop, event) {
  const spent = new Float64Array(KIND_NAMES.length);
  const stop = lastInside(loop, event);
  for (let i = event + 1; i < stop; i++) spent[loop.kind[i]] += durationOf(loop, i);
  return [KIND.TICKS, KIND.MICROTASKS].filter((kind) => spent[kind] > 0)
    .map((kind) => `${KIND_NAMES[kind]} ${formatDuration(spent[kind])}`).join(', ');
}

function phaseRow({ kind, name, spans, callbacks, time }, whole) {
  return make('tr', { class: spans === 0 ? 'absent' : null },
    make('th', { scope: 'row' }, chip(kind), make('span', {}, name)),
    softNumberCell(formatCount(spans)),
    softNumberCell(isPhase(kind) ? formatCount(callbacks) : ''),
    isPhase(kind) ? barCell(formatDuration(time), time / whole) : numberCell(formatDuration(time)));
}

/* A table's head and rows; `empty` stands in for no rows. */
function fillTable(id, heads, rows, empty) {
  const table = $(id);
  const body = make('tbody', {}, ...rows);
  if (rows.length === 0) body.append(make('tr', {}, make('td', { colspan: heads.length, class: 'soft' }, empty)));
  const headCell = (text, k) => make('th', { scope: 'col', class: k ? 'number' : null }, text);
  const head = make('tr', {}, ...heads.map(headCell));
  table.replaceChildren(make('thead', {}, head), body);
}
