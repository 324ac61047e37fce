/* Reads the trace from the page, or fetches it, and starts everything. */

const MOST_AT_FIRST = 6; // loops: more tracks than that are chosen, not shown

function refuse(message) {
  document.body.classList.add('refused');
  $('verdict').textContent = message;
}

function drawHeader(trace) {
  $('command').textContent = trace.command;
  $('command').title = trace.command;
  document.title = trace.command ? `${trace.command} \u2013 rondo trace` : 'rondo trace';
  if (trace.started !== null) {
    const time = new Date(trace.started * 1000);
    if (!Number.isNaN(time.getTime())) $('started').textContent = time.toLocaleString();
  }
}

function drawChooser(trace) {
  const { loops } = trace;
  $('chooser').hidden = loops.length < 2;
  $('loops').append(make('option', { value: 'all' }, `all loops (${activeLoops(trace).length})`));
  loops.forEach((loop, k) => $('loops').append(make('option', { value: k }, loopLabel(loop))));
}

function drawLegend() {
  const kinds = [...PHASES, KIND.SLEEP, KIND.TICKS, KIND.MICROTASKS, KIND.SCRIPT, KIND.OUTSIDE];
  $('legend').append(...kinds.map((kind) => make('li', {}, chip(kind), KIND_NAMES[kind])));
}

function listenToWindow(app) {
  new ResizeObserver(() => app.resize()).observe($('timeline').parentElement);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.recolour());
  // Paper is white whatever the screen is; the canvases must be drawn anew for it.
  const forPaper = (on) => {
    document.documentElement.classList.toggle('printing', on);
    app.palette = readPalette();
    app.resize();
    app.overview.picture = null;
    app.frame();
  };
  addEventListener('beforeprint', () => forPaper(true));
  addEventListener('afterprint', () => forPaper(false));
}

/* Draws a trace for the first time. */
function start(trace) {
  drawHeader(trace);
  drawChooser(trace);
  drawLegend();
  const loops = activeLoops(trace);
  // Before anything is drawn: what is hidden has no size to draw for.
  document.body.classList.add('ready');
  const app = new App(trace);
  const many = loops.length > MOST_AT_FIRST;
  if (many) $('loops').value = String(trace.loops.indexOf(loops[0]));
  app.showLoops(many ? [loops[0]] : loops);
  listenToKeys(app);
  listenToTimeline(app);
  listenToOverview(app);
  listenToControls(app);
  listenToWindow(app);
  app.panel.drawDetails();
  return app;
}

function begin() {
  const { live, interval } = $('trace').dataset;
  if (live) {
    new Live(live, Number(interval)).go();
    return;
  }
  let trace;
  try {
    trace = measure(readTrace($('trace').textContent));
  } catch (error) {
    if (!(error instanceof Unreadable)) console.error(error);
    refuse(error instanceof Unreadable ? error.message : `The trace could not be drawn: ${error.message}`);
    return;
  }
  if (activeLoops(trace).length === 0) {
    drawHeader(trace);
    refuse('The trace is empty: no loop ran while it was recorded.');
    return;
  }
  start(trace);
}

// After the page was painted once: a large trace takes a moment, an empty page says nothing.
setTimeout(begin, 20);
