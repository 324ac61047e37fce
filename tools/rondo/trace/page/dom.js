/* Making elements. Text only ever goes in as text: names come from programs. */

const $ = (id) => document.getElementById(id);

/* make('td', {class: 'number'}, 'text', child...): an HTML element. */
function make(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'onclick') element.addEventListener('click', value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ''));
  return element;
}

const chip = (kind) => make('i', { class: `chip ${cssName(kind)}`, 'aria-hidden': 'true' });

/* The class that gives a kind its colour. */
const cssName = (kind) => (kind === KIND.SCRIPT ? 'script' : KIND_NAMES[kind]);

const colourOf = (loop, i) => (loop.kind[i] === KIND.CALLBACK ? phaseOf(loop, i) : loop.kind[i]);

/* A table row that is a button: the first cell's button carries the name for assistive
 * technology, a click anywhere in the row does the same. */
function actionRow(label, action, cells, attributes = {}) {
  const [first, ...rest] = cells;
  const button = make('button', { type: 'button', 'aria-label': label }, ...[].concat(first));
  const classes = `action ${attributes.class || ''}`;
  const row = make('tr', { ...attributes, class: classes }, make('td', {}, button), ...rest);
  row.addEventListener('click', action);
  return row;
}

const numberCell = (text) => make('td', { class: 'number' }, text);
const softNumberCell = (text) => make('td', { class: 'number soft' }, text);

/* A bar behind a number, as long as its share. */
function barCell(text, share) {
  const bar = make('i', { class: 'bar', 'aria-hidden': 'true' });
  bar.style.width = `${Math.max(0, Math.min(100, share * 100))}%`;
  return make('td', { class: 'number barred' }, bar, make('span', {}, text));
}
