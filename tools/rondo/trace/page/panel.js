/* The numbers beside the picture: the worst in one sentence, what held the loop up, which callbacks took
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
    this.worst = [...shown].sort(worstFirst).map(worstOf).find(Boolean) || this.held[0] || null;
    this.groups = callbackGroups(shown);
    this.counts = phaseCounts(shown);
    this.drawVerdict();
    this.drawWarnings();
    this.drawHeld();
    this.drawLate();
    this.drawLateData();
    this.drawCallbacks();
    this.drawPhases();
  }

  /* One sentence: what was worst for whoever waited. Folded below it: what is said of each
   * loop, the worst first. The sentences are those of the summary. */
  drawVerdict() {
    const used = this.app.shown.filter(({ facts }) => !facts.unused);
    const shown = (used.length ? used : [...this.app.shown]).sort(worstFirst);
    const several = shown.length > 1;
    const beside = shown.some(({ facts }) => !facts.sleeper);
    const open = $('verdict').querySelector('details')?.open ?? false;
    const more = make('details', {}, make('summary', {}, several ? `${formatMany(shown.length, 'loop')} in detail` : 'In detail'),
      ...shown.slice(0, MOST_VERDICTS).map((loop) => this.verdictLine(loop, several, beside)));
    if (shown.length > MOST_VERDICTS)
      more.append(make('p', { class: 'soft' }, `and ${formatMany(shown.length - MOST_VERDICTS, 'loop')} less held up`));
    more.open = open;
    $('verdict').replaceChildren(make('p', { class: 'headline' }, this.headline(shown[0], several)), more);
  }

  headline(loop, several) {
    const text = several && loop.thread !== loop.pid ? `${loopLabel(loop)}: ${loop.facts.headline}` : sentence(loop.facts.headline);
    const worst = worstOf(loop);
    const calm = loop.facts.waited < 1e6;
    if (!worst) return make('b', {}, text);
    return make('button', { type: 'button', class: `worst ${calm ? 'calm' : ''}`, title: text, onclick: () => this.app.showStretch(worst) }, text);
  }

  verdictLine(loop, several, beside) {
    const { facts, alive } = loop;
    const line = make('p', { class: 'loop-verdict' });
    if (several) line.append(make('b', {}, `${loopLabel(loop)}: `));
    if (beside && facts.sleeper) {
      line.append(`${sentence(facts.sleeper)}. `);
      return line;
    }
    if (facts.turns === 0 && !loop.sampled) line.append('no turn in this trace. ');
    else if (loop.sampled)
      line.append(make('span', { class: 'waits' }, sentence(facts.waits)), '. ', ...facts.verdict.map((text) => `${sentence(String(text))}. `));
    else line.append(...facts.verdict.map((text) => `${sentence(String(text))}. `), make('span', { class: 'waits' }, sentence(facts.waits)), '. ',
      `${formatMany(facts.turns, 'turn')} in ${formatDuration(facts.length)}, `,
      make('span', { class: 'busy' }, `${formatShare(facts.busy / Math.max(1, facts.shown))} busy`), '. ');
    if (alive.length)
      line.append(make('span', { class: 'alive' }, `Kept alive at last by ${alive.slice(0, 4).join(', ')}` +
                                                   `${alive.length > 4 ? ` and ${formatCount(alive.length - 4)} more` : ''}.`));
    return line;
  }

  drawWarnings() {
    const { shown } = this.app;
    const lost = shown.reduce((sum, loop) => sum + loop.lost, 0);
    const skipped = shown.reduce((sum, loop) => sum + loop.skipped, 0);
    const leftOut = shown.reduce((sum, loop) => sum + loop.leftOut, 0);
    const least = Math.max(...shown.map((loop) => loop.least));
    const words = [];
    if (lost > 0) words.push(`${formatCount(lost)} records did not fit into the recording and are missing here.`);
    if (leftOut > 0)
      words.push(`${formatCount(leftOut)} short events are not drawn; all that took ${formatDuration(least)} or longer is, ` +
                 'and what is said counts all of them.');
    if (shown.some(({ overwritten }) => overwritten)) words.push('What came before was overwritten when the recording was full: this is the end of a longer run.');
    if (skipped > 0) words.push(`${formatCount(skipped)} events could not be understood and were left out.`);
    $('warnings').textContent = words.join(' ');
    $('warnings').hidden = words.length === 0;
  }

  drawHeld() {
    const longest = this.held.length ? this.held[0].length : 1;
    const several = this.app.shown.length > 1;
    const rows = this.held.map((held) => {
      const { loop, culprit, turn } = held;
      const text = heldName(held);
      const first = culprit < 0 || held.taker > 1 ? [make('span', {}, text)] : [chip(colourOf(loop, culprit)), make('span', {}, text)];
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
        [chip(colourOf(loop, event)), make('span', {}, shortened(name, 48))],
        softNumberCell(several ? `${loop.pid ?? ''}/${loop.id} \u00b7 ${number}` : number),
        barCell(formatDuration(by), by / late[0].late),
      ], { title: `${name} (${subjectOf(loop, event)}) was called ${formatDuration(by)} after it was due` });
    });
    fillTable('late', ['Timer', several ? 'Loop, turn' : 'Turn', 'By'], rows, '');
  }

  /* Data that had waited when it was read: the kernel knows since when, of TCP and UDP. */
  drawLateData() {
    const several = this.app.shown.length > 1;
    const late = this.app.shown.flatMap((loop) => loop.facts.late.map((entry) => ({ ...entry, loop })))
      .sort((a, b) => b.waited - a.waited).slice(0, 6);
    $('late-data-section').hidden = late.length === 0;
    const rows = late.map(({ loop, event, behind, subject, text, waited }) => {
      const shown = [event, behind].find((i) => i >= 0 && i < loop.count) ?? -1;
      const by = behind >= 0 && behind < loop.count ? nameOf(loop, behind) : 'no callback';
      const first = shown < 0 ? [] : [chip(colourOf(loop, behind >= 0 ? behind : shown))];
      return actionRow(`${subject} waited ${formatDuration(waited)} behind ${by}`, () => { if (shown >= 0) this.app.show(loop, shown); }, [
        [...first, make('span', {}, shortened(`${subject} behind ${by}`, 48))],
        softNumberCell(several ? `${loop.pid ?? ''}/${loop.id}` : ''),
        barCell(formatDuration(waited), waited / late[0].waited),
      ], { title: `${formatDuration(waited)} or longer: ${text}` });
    });
    fillTable('late-data', ['Whose', several ? 'Loop' : '', 'For'], rows, '');
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
      [chip(colourOf(loop, event)), make('span', {}, shortened(name, 40))],
      softNumberCell(formatCount(count)),
      softNumberCell(formatDuration(this.order === 'max' ? total : max)),
      barCell(formatDuration(group[this.order]), group[this.order] / Math.max(1, top)),
    ], { title: name });
  }

  drawPhases() {
    const { counts } = this;
    const kinds = [...PHASES, KIND.SLEEP, KIND.OUTSIDE, KIND.SCRIPT, KIND.TICKS, KIND.MICROTASKS];
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
    this.app.flames.draw();
    if (!selected) return;
    for (const [what, value] of eventFacts(selected)) list.append(make('dt', {}, what), make('dd', {}, value));
  }
}

const times = (calls) => (calls > 1 ? ` \u00d7 ${formatCount(calls)}` : '');

const turnNumber = (loop, turn) => formatCount(loop.detail[loop.turns[turn]]);

const MOST_VERDICTS = 6;

/* Events on a helper thread don't stand before those that somebody waited for. */
const worstFirst = ({ facts: a }, { facts: b }) => b.weight - a.weight || b.waited - a.waited;

const worstOf = (loop) => loop.held.find(({ starting, unnoticed }) => !starting && !unnoticed) ||
                          loop.held.find(({ unnoticed }) => unnoticed) || null;

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/* Whoever took most of a stretch, in short. */
function heldName({ loop, taker, culprit, calls, callbacks, by }) {
  if (taker === 2) return 'outside of uv_run';
  if (taker === 3 || culprit < 0) return 'no callback';
  const name = shortened(by || nameOf(loop, culprit) + times(calls), 60);
  return taker === 1 ? `${formatMany(callbacks, 'callback')}, most ${name}` : name;
}

function heldTitle({ loop, start, length, text }) {
  return `${formatDuration(length)} from ${formatTime(start)}: held up ${text} (${loopLabel(loop)})`;
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
  if (loop.arrivals.has(event)) facts.push(['its data', `had waited ${formatDuration(loop.arrivals.get(event))} or longer to be read`]);
  facts.push(...causeFacts(loop, event));
  if (loop.unfinished.has(event)) facts.push(['end', 'none: the recording ended in it']);
  const inside = kind === KIND.CALLBACK || kind === KIND.SCRIPT ? timeInside(loop, event) : '';
  if (inside) facts.push(['of that', inside]);
  if (kind !== KIND.TURN) facts.push(['kind', isPhase(kind) ? 'phase' : KIND_NAMES[kind]]);
  const phase = phaseOf(loop, event);
  if (phase && phase !== kind) facts.push(['phase', KIND_NAMES[phase]]);
  const turn = loop.turn[event];
  if (!loop.isLane) facts.push(['turn', turn < 0 ? 'outside of any' : turnNumber(loop, turn)]);
  facts.push([loop.isLane ? 'thread' : 'loop', loopLabel(loop)]);
  return facts;
}

/* Who began it, and what it waited for since then. */
function causeFacts(loop, event) {
  if (loop.isLane) return laneFacts(loop, event);
  if (loop.begunAt[event] < 0) return [];
  const by = loop.begunBy[event];
  const facts = [['begun by', by >= 0 && by < loop.count ? nameOf(loop, by) : 'no callback'],
                 ['begun', `${formatDuration(loop.start[event] - loop.begunAt[event])} before`]];
  const work = loop.works.get(event);
  if (work)
    facts.push(['of that', `${formatDuration(work.waited)} waiting for a thread, ${formatDuration(work.took)} on it, ` +
      `${formatDuration(Math.max(0, loop.start[event] - loop.begunAt[event] - work.waited - work.took))} waiting for the loop`]);
  return facts;
}

/* The work of a thread of the pool: for whom. */
function laneFacts(lane, work) {
  const called = lane.calledBack.get(work);
  if (!called) return [];
  const { loop, event } = called;
  const by = loop.begunBy[event];
  return [['begun by', by >= 0 && by < loop.count ? nameOf(loop, by) : 'no callback'],
          ['waited', `${formatDuration(loop.works.get(event).waited)} for a thread`],
          ['called back', `${nameOf(loop, event)}, ${formatDuration(Math.max(0, loop.start[event] - lane.end[work]))} after its end`]];
}

/* The last sleep, for which it is known what kept the loop alive. */
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
