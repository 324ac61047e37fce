/* The flame graph: the stacks sampled between two times as a tree, and the tree as boxes,
 * callers above callees. */

const FLAME_DEEPEST = 60;

/* {name, count, children}: `count` samples have this frame below the same callers. Where
 * a script ran, stacks begin with its outermost function, since its callers are the
 * engine's. */
function flameOf(loop, from, to) {
  const root = { name: '', count: 0, children: new Map() };
  const samples = loop.samples.filter(({ at }) => at >= from && at <= to);
  const scripted = samples.some(({ frames }) => frames.some(isOfScript));
  for (const { frames } of samples) {
    root.count++;
    let node = root;
    for (const name of (scripted ? scriptPart(frames) : frames).slice(0, FLAME_DEEPEST)) {
      if (!node.children.has(name)) node.children.set(name, { name, count: 0, children: new Map() });
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

/* {name, depth, start, share, count} of every box, in shares of the whole; the widest
 * first among the callees of one caller. Frames that all samples begin with, without
 * siblings, carry no information: `skipped` of them are left out, except the last. */
function flameBoxes(root) {
  const boxes = [];
  let top = root;
  let skipped = 0;
  while (top.children.size === 1 && onlyChild(top).count === root.count && onlyChild(top).children.size === 1) {
    top = onlyChild(top);
    skipped++;
  }
  const place = (node, depth, start) => {
    let at = start;
    for (const child of [...node.children.values()].sort((a, b) => b.count - a.count)) {
      boxes.push({ name: child.name, depth, start: at, share: child.count / root.count, count: child.count });
      place(child, depth + 1, at);
      at += child.count / root.count;
    }
  };
  place(top, 0, 0);
  return { boxes, skipped };
}

const onlyChild = ({ children }) => children.values().next().value;

/* "parse /app/server.js:12", but not Node's own functions. */
const isOfScript = (name) => / \S+:\d+$/.test(name) && !/ node:/.test(name);

/* For a script's function the file's name, without its folders. */
const flameName = (name) => (isOfScript(name) ? name.replace(/ \S*\//, ' ') : name);
