/* The flame graph: the stacks sampled between two times as a tree, and the tree as boxes,
 * callers above callees. */

const FLAME_DEEPEST = 60;

/* {name, count, children, parent}: `count` samples have this frame below the same callers.
 * Where a script ran, stacks begin with its outermost function, since its callers are the
 * engine's. */
function flameOf(loop, from, to) {
  return flameOfAll([loop], from, to);
}

function flameOfAll(loops, from = -Infinity, to = Infinity) {
  const root = { name: '', count: 0, children: new Map(), parent: null };
  const samples = loops.flatMap((loop) => loop.samples).filter(({ at }) => at >= from && at <= to);
  const scripted = samples.some(({ frames }) => frames.some(isOfScript));
  for (const { frames } of samples) {
    root.count++;
    let node = root;
    for (const name of (scripted ? scriptPart(frames) : frames).slice(0, FLAME_DEEPEST)) {
      if (!node.children.has(name)) node.children.set(name, { name, count: 0, children: new Map(), parent: node });
      node = node.children.get(name);
      node.count++;
    }
  }
  return root;
}

function scriptPart(frames) {
  const first = frames.findIndex(isOfScript);
  return first < 0 ? ['(not in the script)'] : frames.slice(first);
}

/* {name, depth, start, share, count, node} of every box, in shares of the whole; the widest
 * first among the callees of one caller. Frames that all samples begin with, without
 * siblings, carry no information: `skipped` of them are left out, except the last. With a
 * `focus`, a node, that is the whole: its callers are as wide, and nothing is beside it. */
function flameBoxes(root, focus = null) {
  const boxes = [];
  let top = root;
  let skipped = 0;
  while (hasAll(top, root) && hasAll(onlyChild(top), root)) {
    top = onlyChild(top);
    skipped++;
  }
  if (focus) {
    const path = [];
    for (let node = focus; node && node !== top; node = node.parent) path.unshift(node);
    path.forEach((node, depth) => boxes.push({ name: node.name, depth, start: 0, share: 1, count: node.count, node, above: node !== focus }));
  }
  const whole = (focus ?? root).count;
  const place = (node, depth, start) => {
    let at = start;
    for (const child of [...node.children.values()].sort((a, b) => b.count - a.count)) {
      boxes.push({ name: child.name, depth, start: at, share: child.count / whole, count: child.count, node: child, above: false });
      place(child, depth + 1, at);
      at += child.count / whole;
    }
  };
  place(focus ?? top, boxes.length, 0);
  return { boxes, skipped };
}

/* The names from the root to a node, and the node that has them, if there is one: a tree
 * that was made anew keeps what is looked at. */
function flamePath(node) {
  return node && node.parent ? [...flamePath(node.parent), node.name] : [];
}

function flameNode(root, path) {
  return path.reduce((node, name) => node && node.children.get(name), root) ?? null;
}

/* The node beside, above or below: where the arrow keys lead. */
function flameNeighbour(node, direction) {
  if (direction === 'up') return node.parent && node.parent.parent ? node.parent : null;
  const below = direction === 'down' ? node : node.parent;
  const list = [...below.children.values()].sort((a, b) => b.count - a.count);
  if (direction === 'down') return list[0] ?? null;
  return list[list.indexOf(node) + (direction === 'right' ? 1 : -1)] ?? null;
}

const onlyChild = ({ children }) => children.values().next().value;
const hasAll = (node, root) => node.children.size === 1 && onlyChild(node).count === root.count;

/* "parse /app/server.js:12", but not Node's own functions. */
const isOfScript = (name) => / \S+:\d+$/.test(name) && !/ node:/.test(name);

/* For a script's function the file's name, without its folders. */
const flameName = (name) => (isOfScript(name) ? name.replace(/ \S*\//, ' ') : name);
