/* The flame graph beside the turn: of what is selected, or of the whole run. A click or
 * Enter makes a function the whole of it; Escape or Backspace goes back. */

const FLAME_ROW = 19;

class FlameView {
  constructor(app) {
    this.app = app;
    this.shown = 'turn'; // or 'selected', or 'run'
    this.path = [];      // of the function that is the whole
    this.trail = [];     // the paths before
    this.root = null;
    for (const tab of ['turn', 'selected', 'run']) $(`tab-${tab}`).addEventListener('click', () => this.open(tab));
    $('flame-back').addEventListener('click', () => this.back());
    $('flame').addEventListener('keydown', (event) => this.key(event));
  }

  open(tab) {
    this.shown = tab;
    this.path = [];
    this.trail = [];
    this.draw();
    this.app.wheel.draw();
  }

  /* The next of the three, for a key. */
  step() {
    const tabs = ['turn', 'selected', 'run'];
    this.open(tabs[(tabs.indexOf(this.shown) + 1) % tabs.length]);
  }

  /* The callback that blocked the loop, if known, is of more use than the loop's turn. */
  openAtFirst() {
    const { selected } = this.app;
    this.open(selected && flameOf(selected.loop, ...flameRange(selected)).count > 0 ? 'selected' : 'turn');
  }

  tree() {
    const { selected, shown } = this.app;
    if (this.shown === 'run') return flameOfAll(shown);
    return selected ? flameOf(selected.loop, ...flameRange(selected)) : flameOfAll([]);
  }

  draw() {
    const flames = this.shown !== 'turn';
    document.body.classList.toggle('flames', flames);
    for (const tab of ['turn', 'selected', 'run']) $(`tab-${tab}`).setAttribute('aria-pressed', String(tab === this.shown));
    if (!flames) return;
    this.root = this.tree();
    const focus = this.path.length ? flameNode(this.root, this.path) : null;
    if (!focus) this.path = [];
    const { boxes, skipped } = flameBoxes(this.root, focus);
    $('flame-hint').textContent = flameHint(this, focus, skipped);
    $('flame-back').hidden = !focus;
    $('flame').replaceChildren(...boxes.map((box) => this.box(box, (focus ?? this.root).count)));
    $('flame-height').style.height = `${Math.max(0, ...boxes.map(({ depth }) => depth + 1)) * FLAME_ROW}px`;
  }

  box({ name, depth, start, share, count, node, above }, all) {
    const kind = `${isOfScript(name) ? 'scripted' : ''} ${above ? 'above' : ''}`.trim();
    const box = make('div', { role: 'listitem', tabindex: -1, class: kind || null, onclick: () => this.look(node),
                              title: `${name}: ${formatShare(Math.min(1, count / all))}, ${formatCount(count)} of ${formatMany(all, 'sample')}` },
                     flameName(name));
    box.style.left = `${start * 100}%`;
    box.style.width = `${share * 100}%`;
    box.style.top = `${depth * FLAME_ROW}px`;
    box.node = node;
    return box;
  }

  /* Makes a function the whole; that which is the whole already: goes back. */
  look(node) {
    const path = flamePath(node);
    if (path.join('\n') === this.path.join('\n')) return this.back();
    this.trail.push(this.path);
    this.path = path;
    this.draw();
    return this.focus(path);
  }

  back() {
    const left = this.path;
    this.path = this.trail.pop() ?? [];
    this.draw();
    this.focus(left);
  }

  focus(path) {
    const node = flameNode(this.root, path);
    const box = [...$('flame').children].find((child) => child.node === node);
    if (!box) return;
    box.focus();
    announce(box.title);
  }

  key(event) {
    const { node } = event.target;
    const arrows = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (arrows[event.key]) {
      const first = $('flame').firstChild;
      const next = node ? flameNeighbour(node, arrows[event.key]) : first && first.node;
      if (next) this.focus(flamePath(next));
    } else if (event.key === 'Enter' && node) {
      this.look(node);
    } else if ((event.key === 'Escape' || event.key === 'Backspace') && this.path.length) {
      this.back();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/* The stretch that the selected event held its loop up for. */
const flameHeld = ({ loop, event }) => (loop.held || []).find(({ culprit, inside, turn }) => culprit === event || inside === event ||
  (culprit < 0 && turn >= 0 && loop.turns[turn] === event));

function flameRange({ loop, event }) {
  const held = flameHeld({ loop, event });
  return held ? [held.start, held.end] : [loop.start[event], loop.end[event]];
}

function flameHint({ app, shown, root }, focus, skipped) {
  if (root.count === 0)
    return shown === 'run' ? 'No stack was sampled: no loop was held up for 10 ms.'
      : app.selected ? 'No stack was sampled in what is selected.' : 'Nothing is selected.';
  const held = shown === 'run' ? null : flameHeld(app.selected);
  const what = shown === 'run' ? 'of the whole run, taken while a loop was held up'
    : `of ${held ? heldName(held) : shortened(nameOf(app.selected.loop, app.selected.event), 60)}`;
  const below = skipped > 0 && !focus ? `, below ${formatMany(skipped, 'frame')} that all have` : '';
  return `${formatMany(root.count, 'sample')} ${what}${below}${focus ? `; ${formatShare(focus.count / root.count)} of them in ${flameName(focus.name)}` : ''}`;
}
