/* The page of `rondo top --web`: the last seconds of a process, fetched again and again,
 * and its current figures. The picture is the same as of any trace. */

class Live {
  constructor(source, interval) {
    this.source = source;
    this.interval = interval;
    this.app = null;
    this.paused = false;
    document.querySelector('h1').textContent = 'rondo top';
    $('pause').hidden = $('now').hidden = false;
    $('pause').addEventListener('click', () => this.pause(!this.paused));
  }

  pause(on) {
    this.paused = on;
    $('pause').textContent = on ? 'Go on' : 'Stop';
  }

  /* One request at a time: data that takes long to fetch is fetched less often. */
  async go() {
    for (;;) {
      if (!this.paused) await this.look();
      await new Promise((resolve) => setTimeout(resolve, this.interval));
    }
  }

  async look() {
    try {
      const answer = await fetch(this.source);
      if (!answer.ok) throw new Error(answer.status === 404 ? 'the process has ended' : `status ${answer.status}`);
      const now = await answer.json();
      this.drawFigures(now.figures);
      if (now.trace) this.show(now.trace, now.window_ns);
    } catch (error) {
      $('now').textContent = `No news: ${error.message}.`;
    }
  }

  /* An event that reaches into the window, such as a sleep of an hour, is not shown from
   * its beginning. */
  show(model, window) {
    const trace = measure(readTrace(JSON.stringify(model)));
    if (activeLoops(trace).length === 0) return;
    trace.extent.start = Math.max(trace.extent.start, trace.extent.end - window);
    if (this.app) this.app.replace(trace);
    else this.app = start(trace);
  }

  drawFigures(figures) {
    const kinds = Object.entries(figures.requests).map(([kind, { count }]) => `${formatCount(count)} ${kind}`);
    const { working, waiting } = figures.pool;
    $('now').replaceChildren(...figures.loops.filter(({ thread }) => thread !== 0).map((loop) => this.loopLine(loop)),
      make('p', {}, `In flight: ${kinds.join(', ') || 'nothing'}. `,
        `Pool: ${formatCount(working)} at work, ${formatCount(waiting)} waiting. `,
        make('span', { class: 'soft' }, `${formatMany(figures.stalls, 'stall')} reported.`)));
  }

  loopLine(loop) {
    const state = loop.never_ran ? 'never run' : loop.asleep ? 'asleep' : loop.held_ns > 2e7 ? `held up for ${formatDuration(loop.held_ns)}` : 'at work';
    const line = make('p', { class: loop.held_ns > 2e7 && !loop.asleep ? 'stalled' : '' },
      make('b', {}, `loop ${loop.number} ${loop.thread_name}: `),
      `${formatCount(Math.round(loop.turns_per_second))} turns/s, ${formatShare(loop.busy)} busy, ${state}`);
    if (loop.in) line.append(` in ${loop.in}`);
    if (loop.waits_ns)
      line.append(`; 99 of 100 wait at most ${formatDuration(loop.waits_ns.p99)}, worst ${formatDuration(loop.waits_ns.worst)}`);
    return line;
  }
}
