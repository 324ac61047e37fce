'use strict';
// path.win32: the rules of Windows, on any system. A path is a device (a drive, or server and
// share), a separator if it starts at the device's root, and names. path.js checks arguments.

const { validateString } = require('internal/errors');

const isSeparator = (character) => character === '\\' || character === '/';

// Names that Windows takes for devices wherever they stand.
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[1-9\u00b9\u00b2\u00b3])$/i;

// device: as it was written; root: how long device and separator are. Below the servers '.' and
// '?', which stand for this machine's devices, there are no shares, except where a path is only
// taken to pieces.
function rootOf(path, isWhole = true) {
  const machine = /^[\\/]{2}([.?])[\\/]+/.exec(path);
  if (isWhole && machine !== null && machine[0].length < path.length)
    return { device: `\\\\${machine[1]}`, absolute: true, shared: true, root: machine[0].length };
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)[\\/]?/.exec(path);
  if (share !== null)
    return { device: `\\\\${share[1]}\\${share[2]}`, absolute: true, shared: true, root: share[0].length };
  const device = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  const absolute = isSeparator(path[device.length]);
  return { device, absolute, shared: false, root: device.length + (absolute ? 1 : 0) };
}

// Names without '.', and without '..' where there is one to go back from.
function reduce(names, absolute) {
  const kept = [];
  for (const name of names) {
    if (name === '' || name === '.') continue;
    if (name !== '..') kept.push(name);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!absolute) kept.push(name);
  }
  return kept.join('\\');
}
const namesOf = (text) => text.split(/[\\/]/);

// Something relative must not become the name of a device by losing what stood before it.
function looksLikeDevice(path, tail) {
  return path.includes(':') && (/^[A-Za-z]:/.test(tail) || /:([\\/]|$)/.test(path));
}

function normalize(path) {
  if (path === '') return '.';
  if (path.length === 1) return path === '/' ? '\\' : path;
  let { device, absolute, root } = rootOf(path);
  // Without a colon all but the last character counts: so it is in Node 20.
  const colon = path.indexOf(':');
  const reserved = device === '' && !absolute && RESERVED.test(path.slice(0, colon));
  if (reserved) root = colon + 1;
  let tail = reduce(namesOf(path.slice(root)), absolute);
  if (tail === '' && !absolute) tail = '.';
  if (tail !== '' && path.length > root && isSeparator(path.at(-1))) tail += '\\';
  if (reserved) return `.\\${path.slice(0, root)}${tail}`;
  if (device === '' && !absolute && looksLikeDevice(path, tail)) return `.\\${tail}`;
  return `${device}${absolute ? '\\' : ''}${tail}`;
}

// Two separators before the first name mean a server only if they were written so.
function join(...paths) {
  const parts = paths.filter((path) => path !== '');
  if (parts.length === 0) return '.';
  const joined = parts.join('\\');
  return normalize(/^[\\/]{2}[^\\/]/.test(parts[0]) ? joined : joined.replace(/^[\\/]{2,}/, '\\'));
}

// The directory that a drive was left in, which Windows keeps in the environment.
function directoryOf(drive) {
  if (drive === '') return process.cwd();
  const directory = process.env[`=${drive}`] ?? process.cwd();
  const elsewhere = directory.slice(0, 2).toLowerCase() !== drive.toLowerCase() && directory[2] === '\\';
  return elsewhere ? `${drive}\\` : directory;
}

function resolve(...paths) {
  let device = '';
  let rest = '';
  let absolute = false;
  for (let index = paths.length - 1; index >= -1 && !(absolute && device !== ''); index--) {
    if (index >= 0) validateString(paths[index], `paths[${index}]`);
    const path = index >= 0 ? paths[index] : directoryOf(device);
    if (path === '') continue;
    const at = rootOf(path);
    if (at.device !== '' && device !== '' && at.device.toLowerCase() !== device.toLowerCase()) continue;
    if (device === '') device = at.device;
    if (absolute) continue;
    rest = `${path.slice(at.root)}\\${rest}`;
    absolute = at.absolute;
  }
  const tail = reduce(namesOf(rest), absolute);
  return `${device}${absolute ? '\\' : ''}${tail}` || '.';
}

function isAbsolute(path) {
  return /^([A-Za-z]:)?[\\/]/.test(path);
}

function relative(from, to) {
  if (from === to) return '';
  const [start, target] = [resolve(from), resolve(to)];
  const [lowStart, lowTarget] = [start.toLowerCase(), target.toLowerCase()];
  if (lowStart === lowTarget) return '';
  const split = (text) => text.split('\\').filter(Boolean);
  const [here, there] = [split(start), split(target)];
  let same = 0;
  while (same < here.length && same < there.length && here[same].toLowerCase() === there[same].toLowerCase()) same++;
  const apart = rootOf(start).device.toLowerCase() !== rootOf(target).device.toLowerCase();
  if (same === 0 && (apart || (here.length > 0 && there.length > 0))) return target;
  return [...here.slice(same).map(() => '..'), ...there.slice(same)].join('\\');
}

function toNamespacedPath(path) {
  if (typeof path !== 'string' || path === '') return path;
  const full = resolve(path);
  if (full.length <= 2) return path;
  if (/^\\\\[^?.]/.test(full)) return `\\\\?\\UNC\\${full.slice(2)}`;
  return /^[A-Za-z]:\\/.test(full) ? `\\\\?\\${full}` : full;
}

// --- parts --------------------------------------------------------------------------------------

// Where the last name begins and ends; what is after it are separators.
function lastName(path, from) {
  let end = path.length;
  while (end > from && isSeparator(path[end - 1])) end--;
  let start = end;
  while (start > from && !isSeparator(path[start - 1])) start--;
  return { start, end };
}

const driveEnd = (path) => /^[A-Za-z]:/.test(path) ? 2 : 0;

function dirname(path) {
  if (path === '') return '.';
  const { device, absolute, shared, root } = rootOf(path, false);
  if (shared && path.slice(root) === '') return path;
  const { start } = lastName(path, root);
  if (start - 1 > root) return path.slice(0, start - 1);
  return device === '' && !absolute ? '.' : path.slice(0, root);
}

function basename(path, suffix) {
  const { start, end } = lastName(path, driveEnd(path));
  const name = path.slice(start, end);
  if (suffix === path) return '';
  if (suffix === undefined || suffix.length > path.length) return name;
  // As Node has it: a suffix that ends with the whole name brings the separators after it back.
  if (suffix.length > name.length && suffix.endsWith(name)) return path.slice(start);
  return name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
}

function extensionOf(name) {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name === '..' ? '' : name.slice(dot);
}

function extname(path) {
  const { start, end } = lastName(path, driveEnd(path));
  return extensionOf(path.slice(start, end));
}

function parse(path) {
  const { root } = rootOf(path, false);
  const { start, end } = lastName(path, root);
  const base = path.slice(start, end);
  const ext = extensionOf(base);
  const dir = start > root ? path.slice(0, start - 1) : path.slice(0, root);
  return { root: path.slice(0, root), dir, base, ext, name: base.slice(0, base.length - ext.length) };
}

function format(object) {
  const { dir, root, base, name, ext } = object;
  const folder = dir || root;
  const last = base || `${name || ''}${ext || ''}`;
  if (!folder) return last;
  return folder === root ? `${folder}${last}` : `${folder}\\${last}`;
}

module.exports = {
  resolve, normalize, isAbsolute, join, relative, toNamespacedPath, dirname, basename, extname, format, parse,
};
