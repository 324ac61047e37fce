'use strict';
// path.win32: the rules of Windows, on any system. A path is a device (a drive, or server and
// share), a separator if it starts at the device's root, and names. path.js checks arguments.

const {
  arrayAt, arrayFilter, arrayIncludes, arrayIndexOf, arrayJoin, arrayMap, arrayPop, arrayPush, arraySlice, over,
  regexpExec, regexpReplace, regexpSplit, regexpTest, stringAt, stringEndsWith, stringIncludes, stringIndexOf,
  stringLastIndexOf, stringSlice, stringSplit, stringToLowerCase,
} = intrinsics;
const { validateString } = require('internal/errors');

const isSeparator = (character) => character === '\\' || character === '/';

// Names that Windows treats as devices in every directory.
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[1-9\u00b9\u00b2\u00b3])$/i;

// device: as it was written; root: how long device and separator are. Below the servers '.' and
// '?', which mean this machine's devices, there are no shares, except where a path is only parsed.
function rootOf(path, isWhole = true) {
  const machine = regexpExec.call(/^[\\/]{2}([.?])[\\/]+/, path);
  if (isWhole && machine !== null && machine[0].length < path.length)
    return { device: `\\\\${machine[1]}`, absolute: true, shared: true, root: machine[0].length };
  const share = regexpExec.call(/^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)[\\/]?/, path);
  if (share !== null)
    return { device: `\\\\${share[1]}\\${share[2]}`, absolute: true, shared: true, root: share[0].length };
  const device = regexpExec.call(/^[A-Za-z]:/, path)?.[0] ?? '';
  const absolute = isSeparator(path[device.length]);
  return { device, absolute, shared: false, root: device.length + (absolute ? 1 : 0) };
}

// Removes '.', and '..' with the name before it.
function reduce(names, absolute) {
  const kept = [];
  for (const name of over(names)) {
    if (name === '' || name === '.') continue;
    if (name !== '..') arrayPush.call(kept, name);
    else if (kept.length > 0 && arrayAt.call(kept, -1) !== '..') arrayPop.call(kept);
    else if (!absolute) arrayPush.call(kept, name);
  }
  return arrayJoin.call(kept, '\\');
}
const namesOf = (text) => regexpSplit(/[\\/]/, text);

// A relative path must not become a device's name by losing its beginning.
function looksLikeDevice(path, tail) {
  return stringIncludes.call(path, ':') && (regexpTest(/^[A-Za-z]:/, tail) || regexpTest(/:([\\/]|$)/, path));
}

function normalize(path) {
  if (path === '') return '.';
  if (path.length === 1) return path === '/' ? '\\' : path;
  let { device, absolute, root } = rootOf(path);
  // As in Node 20, without a colon all but the last character counts.
  const colon = stringIndexOf.call(path, ':');
  const reserved = device === '' && !absolute && regexpTest(RESERVED, stringSlice.call(path, 0, colon));
  if (reserved) root = colon + 1;
  let tail = reduce(namesOf(stringSlice.call(path, root)), absolute);
  if (tail === '' && !absolute) tail = '.';
  if (tail !== '' && path.length > root && isSeparator(stringAt.call(path, -1))) tail += '\\';
  if (reserved) return `.\\${stringSlice.call(path, 0, root)}${tail}`;
  if (device === '' && !absolute && looksLikeDevice(path, tail)) return `.\\${tail}`;
  return `${device}${absolute ? '\\' : ''}${tail}`;
}

// Two separators before the first name mean a server only if they were given that way.
function join(...paths) {
  const parts = arrayFilter.call(paths, (path) => path !== '');
  if (parts.length === 0) return '.';
  const joined = arrayJoin.call(parts, '\\');
  return normalize(regexpTest(/^[\\/]{2}[^\\/]/, parts[0]) ? joined : regexpReplace(/^[\\/]{2,}/, joined, '\\'));
}

// The current directory of a drive, which Windows keeps in the environment.
function directoryOf(drive) {
  if (drive === '') return process.cwd();
  const directory = process.env[`=${drive}`] ?? process.cwd();
  const elsewhere = stringToLowerCase.call(stringSlice.call(directory, 0, 2)) !== stringToLowerCase.call(drive) && directory[2] === '\\';
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
    if (at.device !== '' && device !== '' && stringToLowerCase.call(at.device) !== stringToLowerCase.call(device)) continue;
    if (device === '') device = at.device;
    if (absolute) continue;
    rest = `${stringSlice.call(path, at.root)}\\${rest}`;
    absolute = at.absolute;
  }
  const tail = reduce(namesOf(rest), absolute);
  return `${device}${absolute ? '\\' : ''}${tail}` || '.';
}

function isAbsolute(path) {
  return regexpTest(/^([A-Za-z]:)?[\\/]/, path);
}

function relative(from, to) {
  if (from === to) return '';
  const { 0: start, 1: target } = [resolve(from), resolve(to)];
  const { 0: lowStart, 1: lowTarget } = [stringToLowerCase.call(start), stringToLowerCase.call(target)];
  if (lowStart === lowTarget) return '';
  const split = (text) => arrayFilter.call(stringSplit.call(text, '\\'), Boolean);
  const { 0: here, 1: there } = [split(start), split(target)];
  let same = 0;
  while (same < here.length && same < there.length && stringToLowerCase.call(here[same]) === stringToLowerCase.call(there[same])) same++;
  const apart = stringToLowerCase.call(rootOf(start).device) !== stringToLowerCase.call(rootOf(target).device);
  if (same === 0 && (apart || (here.length > 0 && there.length > 0))) return target;
  return arrayJoin.call([...over(arrayMap.call(arraySlice.call(here, same), () => '..')), ...over(arraySlice.call(there, same))], '\\');
}

function toNamespacedPath(path) {
  if (typeof path !== 'string' || path === '') return path;
  const full = resolve(path);
  if (full.length <= 2) return path;
  if (regexpTest(/^\\\\[^?.]/, full)) return `\\\\?\\UNC\\${stringSlice.call(full, 2)}`;
  return regexpTest(/^[A-Za-z]:\\/, full) ? `\\\\?\\${full}` : full;
}

// --- parts --------------------------------------------------------------------------------------

// Where the last name begins and ends; only separators follow it.
function lastName(path, from) {
  let end = path.length;
  while (end > from && isSeparator(path[end - 1])) end--;
  let start = end;
  while (start > from && !isSeparator(path[start - 1])) start--;
  return { start, end };
}

const driveEnd = (path) => regexpTest(/^[A-Za-z]:/, path) ? 2 : 0;

function dirname(path) {
  if (path === '') return '.';
  const { device, absolute, shared, root } = rootOf(path, false);
  if (shared && stringSlice.call(path, root) === '') return path;
  const { start } = lastName(path, root);
  if (start - 1 > root) return stringSlice.call(path, 0, start - 1);
  return device === '' && !absolute ? '.' : stringSlice.call(path, 0, root);
}

function basename(path, suffix) {
  const { start, end } = lastName(path, driveEnd(path));
  const name = stringSlice.call(path, start, end);
  if (suffix === path) return '';
  if (suffix === undefined || suffix.length > path.length) return name;
  // As in Node: a suffix that ends with the whole name keeps the separators after the name.
  if (suffix.length > name.length && stringEndsWith.call(suffix, name)) return stringSlice.call(path, start);
  return name !== suffix && stringEndsWith.call(name, suffix) ? stringSlice.call(name, 0, name.length - suffix.length) : name;
}

function extensionOf(name) {
  const dot = stringLastIndexOf.call(name, '.');
  return dot <= 0 || name === '..' ? '' : stringSlice.call(name, dot);
}

function extname(path) {
  const { start, end } = lastName(path, driveEnd(path));
  return extensionOf(stringSlice.call(path, start, end));
}

function parse(path) {
  const { root } = rootOf(path, false);
  const { start, end } = lastName(path, root);
  const base = stringSlice.call(path, start, end);
  const ext = extensionOf(base);
  const dir = start > root ? stringSlice.call(path, 0, start - 1) : stringSlice.call(path, 0, root);
  return { root: stringSlice.call(path, 0, root), dir, base, ext, name: stringSlice.call(base, 0, base.length - ext.length) };
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
