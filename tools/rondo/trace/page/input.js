/* Mouse, touch and keys. */

function listenToKeys(app) {
  const closer = () => app.zoomSmoothly(0.6), farther = () => app.zoomSmoothly(1 / 0.6);
  const left = () => app.pan(-0.25), right = () => app.pan(0.25);
  const next = () => app.stepTurn(1), previous = () => app.stepTurn(-1);
  const zoom = () => app.zoomToEvent(app.selected || app.turn);
  const keys = {
    w: closer, '+': closer, '=': closer, ArrowUp: closer,
    s: farther, '-': farther, ArrowDown: farther,
    a: left, ArrowLeft: left,
    d: right, ArrowRight: right,
    f: () => app.fit(), 0: () => app.fit(),
    n: next, ']': next,
    p: previous, '[': previous,
    z: zoom, Enter: zoom,
    t: () => app.flames.step(),
    Escape: () => escape(app),
    '/': () => $('search').focus(),
    '?': toggleHelp,
  };
  const shifted = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target.matches('input, select') && event.key !== 'Escape') return;
    // Buttons are pressed with Enter, boxes are scrolled with the arrows: theirs first.
    if (target.matches('button') && event.key === 'Enter') return;
    if (target.matches('.box') && event.key.startsWith('Arrow') && !event.shiftKey) return;
    const action = event.shiftKey && shifted[event.key] ? () => app.stepEvent(shifted[event.key])
      : keys[event.key] || keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function escape(app) {
  if (!$('help').hidden) return toggleHelp();
  // Out of the search box in any case, so that the keys work again.
  document.activeElement.blur();
  if ($('search').value !== '') {
    $('search').value = '';
    return runSearch(app);
  }
  return app.clear();
}

function toggleHelp() {
  const help = $('help');
  help.hidden = !help.hidden;
  $('help-button').setAttribute('aria-expanded', String(!help.hidden));
  if (!help.hidden) help.focus();
}

/* --- the timeline -------------------------------------------------------------- */

function listenToTimeline(app) {
  const { canvas } = app.timeline;
  const pointers = new Map();
  let moved = 0;
  canvas.addEventListener('wheel', (event) => onWheel(app, event), { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, event);
    hover(app, null);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return hover(app, event);
    moved += dragPointers(app, pointers, event);
    canvas.classList.toggle('dragging', moved > 3);
    return undefined;
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    canvas.classList.remove('dragging');
    if (event.type === 'pointerup' && moved <= 3) click(app, event);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => hover(app, null));
  canvas.addEventListener('dblclick', () => app.zoomToEvent(app.selected));
  canvas.parentElement.addEventListener('scroll', () => app.redraw());
}

function onWheel(app, event) {
  event.preventDefault();
  const pixels = event.deltaMode === 1 ? 20 : 1;
  const { t0, t1 } = app.view;
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const shift = sideways * pixels * (t1 - t0) / app.timeline.span;
    app.setView(t0 + shift, t1 + shift);
    return;
  }
  // Pinching on a touch pad comes as a wheel with Ctrl, in small steps.
  const speed = event.ctrlKey ? 0.01 : 0.002;
  app.zoom(wheelFactor(event.deltaY * pixels, speed), app.timeline.timeAt(event.offsetX));
}

const wheelFactor = (delta, speed) => Math.exp(Math.max(-200, Math.min(200, delta)) * speed);

/* One pointer pans, two pinch; returns how far it went. */
function dragPointers(app, pointers, event) {
  const { timeline, view: { t0, t1 } } = app;
  const scale = (t1 - t0) / timeline.span;
  const before = [...pointers.values()];
  const previous = pointers.get(event.pointerId);
  pointers.set(event.pointerId, event);
  if (before.length === 1) {
    const shift = (previous.offsetX - event.offsetX) * scale;
    app.setView(t0 + shift, t1 + shift);
    return Math.abs(previous.offsetX - event.offsetX) + Math.abs(previous.offsetY - event.offsetY);
  }
  const after = [...pointers.values()];
  const distance = ([a, b]) => Math.max(12, Math.abs(a.offsetX - b.offsetX));
  const middle = ([a, b]) => (a.offsetX + b.offsetX) / 2;
  app.zoom(distance(before) / distance(after), timeline.timeAt(middle(after)));
  return 10;
}

function click(app, event) {
  const picked = app.timeline.hit(event.offsetX, event.offsetY);
  const held = app.timeline.heldAt(event.offsetX, event.offsetY);
  if (held) app.showStretch(held);
  else if (picked) app.select(picked.loop, picked.event);
  else app.clear();
}

function hover(app, event) {
  const picked = event && app.timeline.hit(event.offsetX, event.offsetY);
  app.hover = picked || null;
  app.cursor = event && event.offsetX > app.timeline.gutter ? app.timeline.timeAt(event.offsetX) : null;
  const held = event && app.timeline.heldAt(event.offsetX, event.offsetY);
  app.timeline.canvas.classList.toggle('over', Boolean(picked || held));
  drawTip(app, event);
  app.redraw();
}

/* Beside the pointer, inside of the window. */
function drawTip(app, event) {
  const tip = $('tip');
  tip.hidden = !app.hover;
  if (!app.hover) return;
  const { loop, event: i } = app.hover;
  const subject = loop.kind[i] === KIND.CALLBACK ? subjectOf(loop, i) : '';
  const phase = phaseOf(loop, i);
  const where = [subject, phase && phase !== loop.kind[i] ? KIND_NAMES[phase] : '',
                 loop.turn[i] >= 0 && loop.kind[i] !== KIND.TURN ? `turn ${turnNumber(loop, loop.turn[i])}` : ''];
  tip.replaceChildren(chip(colourOf(loop, i)), make('b', {}, nameOf(loop, i)), ` ${took(loop, i)}`,
                      make('br'), make('span', { class: 'soft' }, where.filter(Boolean).join(' \u00b7 ')));
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + 22 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
}

/* --- the overview, the controls ---------------------------------------------------- */

function listenToOverview(app) {
  const { canvas } = app.overview;
  let grabbed = null;
  let moved = false;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    grabbed = { ...app.overview.grab(event.offsetX), x: event.offsetX };
    moved = false;
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!grabbed) {
      canvas.classList.toggle('over', Boolean(app.overview.markAt(event.offsetX, event.offsetY)));
      return;
    }
    moved = moved || Math.abs(event.offsetX - grabbed.x) > 2;
    if (moved) app.overview.drag(grabbed, event.offsetX);
  });
  const release = (event) => {
    // A mere click: on a mark shows what it marks, elsewhere brings the window there.
    const mark = app.overview.markAt(event.offsetX, event.offsetY);
    if (grabbed && !moved && mark) app.showStretch(mark);
    else if (grabbed && grabbed.fresh && !moved) centreOn(app, app.overview.timeAt(event.offsetX));
    grabbed = null;
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', () => { grabbed = null; });
  canvas.addEventListener('dblclick', () => app.fit());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    app.zoom(wheelFactor(event.deltaY, 0.002), app.overview.timeAt(event.offsetX));
  }, { passive: false });
}

function centreOn(app, time) {
  const { t0, t1 } = app.view;
  app.glideTo(time - (t1 - t0) / 2, time + (t1 - t0) / 2);
}

/* "turn 215", "#215": a turn is asked for, not a name. */
function turnAskedFor(app, text) {
  const number = /^\s*(?:turn|#)\s*([\d,]+)\s*$/i.exec(text);
  if (!number) return null;
  const wanted = Number(number[1].replaceAll(',', ''));
  const loops = [app.turn && app.turn.loop, ...app.shown].filter(Boolean);
  const loop = loops.find((candidate) => turnNumbered(candidate, wanted) >= 0);
  return loop ? { loop, event: loop.turns[turnNumbered(loop, wanted)] } : null;
}

function runSearch(app) {
  const text = $('search').value;
  const turn = turnAskedFor(app, text);
  const found = search([...app.trace.loops, ...app.trace.lanes], turn ? '' : text);
  $('matches').textContent = turn ? 'press Enter' : text.trim() === '' ? ''
    : found === 0 ? 'nothing' : `${formatCount(found)} found`;
  app.redraw();
}

function listenToControls(app) {
  let timer = 0;
  $('search').addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => runSearch(app), 60);
  });
  $('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    clearTimeout(timer);
    runSearch(app);
    const text = $('search').value;
    const turn = turnAskedFor(app, text);
    if (turn) app.show(turn.loop, turn.event);
    else if (text.trim() !== '') app.findNext(event.shiftKey);
  });
  $('loops').addEventListener('change', () => {
    const { value } = $('loops');
    app.showLoops(value === 'all' ? activeLoops(app.trace) : [app.trace.loops[Number(value)]]);
  });
  $('previous').addEventListener('click', () => app.stepTurn(-1));
  $('next').addEventListener('click', () => app.stepTurn(1));
  $('zoom-turn').addEventListener('click', () => app.zoomToEvent(app.turn));
  $('fit').addEventListener('click', () => app.fit());
  $('help-button').addEventListener('click', toggleHelp);
  $('help-close').addEventListener('click', toggleHelp);
}
