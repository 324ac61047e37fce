// The live page: what isn't known yet is asked of the command, which lets the program go on.
const live = (() => {
  let busy = false;
  let halted = false; // the person has had enough
  let found; // what else could have come: { run, at, list, complete }

  async function ask(what, query) {
    const given = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const answer = await fetch(`${what}?${given}`, { method: 'POST' });
    if (!answer.ok) throw new Error(answer.status === 404 ? 'that is not understood' : 'the command refuses');
    return answer.json();
  }

  function setBusy(words) {
    busy = words !== '';
    byId('busy').textContent = words;
    byId('stop').hidden = !busy;
    for (const button of document.querySelectorAll('#live button, #outcomes button, #others button')) if (button.id !== 'stop') button.disabled = busy;
  }

  async function work(words, job) {
    if (busy) return;
    stop();
    halted = false;
    setBusy(words);
    let said = '';
    try {
      said = await job() ?? '';
    } catch (error) {
      said = error instanceof TypeError ? 'The command is gone: start rondo step --web again.' : `No: ${error.message}.`;
    }
    setBusy('');
    byId('busy').textContent = said;
  }

  function merge({ run: more, files }) {
    run.steps.push(...more.steps);
    run.queues.push(...more.queues);
    Object.assign(run, { outcome: more.outcome, over: more.over, lanes: more.lanes, rest: more.rest });
    Object.assign(film.files, files);
    readRun();
  }

  // Within what is known a step is only shown; at its end the program goes on.
  function advance(query) {
    return work('goes on \u2026', async () => {
      let from = shown[at], seen = from, part;
      const origin = from;
      do {
        part = await ask('move', { ...query, from: origin, seen, steps: run.steps.length, queues: run.queues.length, files: Object.keys(film.files).length });
        merge(part);
        seen = part.at;
      } while (part.more && !halted);
      goTo(part.at);
      if (part.found) return '';
      return run.over ? `The program is over: ${run.outcome}.` : halted ? 'Stopped here.' : '';
    });
  }

  function begin({ at: index, data }, label) {
    film.files = data.files;
    run = undefined;
    takeRun({ ...data.runs[0], label });
    goTo(index);
  }

  // How many of the program's own steps come before this one.
  const rank = () => run.steps.slice(0, shown[at]).filter((step) => step.own).length;

  function take(one) {
    const schedule = one.choices === undefined ? { seed: one.seed } : { choices: one.choices };
    const where = one.title === undefined ? 0 : rank();
    return work('begins again \u2026', async () => { begin(await ask('choose', { ...schedule, rank: where }), one.label ?? `${one.title} comes first`); });
  }

  const findElse = () => work('tries other schedules \u2026', async () => {
    const from = shown[at];
    found = { ...await ask('else', { from }), run, from };
    show();
    return found.list.length > 1 ? '' : found.complete ? 'Nothing else could have come here.' : 'Nothing else has come here.';
  });

  const findOutcomes = () => work('looks for other outcomes \u2026', async () => {
    merge(await ask('move', { goal: 'last', from: shown[at], steps: run.steps.length, queues: run.queues.length, files: Object.keys(film.files).length }));
    const { list, complete } = await ask('outcomes', {});
    const output = printedBy(run);
    const usual = run.choices === undefined ? { label: `seed ${run.seed}`, seed: run.seed, output } : { label: run.label, choices: run.choices, output };
    outcomeButtons([usual, ...list], 0, take, complete ? 'All outcomes:' : 'Outcomes, there may be more:');
  });

  function showElse(box) {
    if (found?.run === run && found.from === shown[at] && found.list.length > 1) {
      const list = element('ul');
      for (const one of found.list.filter(({ here }) => !here)) {
        const button = element('button', one.title);
        button.type = 'button';
        button.addEventListener('click', () => take(one));
        const item = element('li');
        item.append(button);
        list.append(item);
      }
      box.append(element('h3', found.complete ? 'Instead of it, and nothing else:' : 'Instead of it (there may be more):'), list);
      return;
    }
    const button = element('button', 'What else could have come?');
    button.type = 'button';
    button.disabled = busy;
    button.addEventListener('click', findElse);
    box.append(button);
  }

  function start() {
    byId('live').hidden = false;
    for (const goal of ['next', 'step', 'phase', 'turn', 'last']) byId(`go-${goal}`).addEventListener('click', () => advance({ goal }));
    byId('until').addEventListener('submit', (event) => {
      event.preventDefault();
      const until = byId('what').value.trim();
      if (until !== '') advance({ until });
    });
    byId('stop').addEventListener('click', () => { halted = true; });
    const button = element('button', 'Other outcomes?');
    button.type = 'button';
    button.addEventListener('click', findOutcomes);
    byId('outcomes').replaceChildren(button);
    byId('outcomes').hidden = false;
  }

  const KEYS_LIVE = { n: 'next', s: 'step', p: 'phase', t: 'turn' };
  function key(name) {
    const goal = KEYS_LIVE[name];
    if (goal === undefined) return false;
    advance({ goal });
    return true;
  }

  // The arrow to the right goes on where the record ends.
  const isAtEnd = () => film.live && at === shown.length - 1 && !run.over;
  return { start, key, advance, isAtEnd, showElse };
})();

takeRun(film.runs[0]);
if (film.live) live.start();
else if (film.runs.length > 1) outcomeButtons(film.runs, 0, takeRun, film.complete ? 'All outcomes:' : 'Outcomes, there may be more:');
// A link may lead to a step, film.html#17, to the end, film.html#last, or to another outcome and
// a step of it, film.html#2.17.
const [, outcome, wanted] = /^#(?:(\d+)\.)?(last|\d+)$/.exec(location.hash) ?? [];
if (outcome !== undefined && !film.live) byId('outcomes').querySelectorAll('button')[outcome - 1]?.click();
if (wanted === 'last') move(shown.length - 1);
else if (wanted !== undefined) goTo(run.steps.findIndex((step) => step.n >= Number(wanted)));
