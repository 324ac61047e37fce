'use strict';
// process.env.TZ set or deleted while a program runs. The engine reads the zone when it is entered,
// and a date caches its local time. From the first change on, the methods of Date that depend on
// the zone are replaced by those here, which call the C library each time; a program that never
// changes the zone uses the engine's own methods.

const { DateParse, DateUTC, arrayForEach, dateGetTime, numberToString, regexpExec, regexpTest, stringPadStart } = intrinsics;
const { localOffset, localSummer, localZone } = native('process');

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

// Date's own methods as they are at the first change; `on` calls one by its name.
const original = Object.getOwnPropertyDescriptors(Date.prototype);
const on = (date, name, args = []) => Reflect.apply(original[name].value, date, args);

const offsetOf = (time) => localOffset(Math.floor(time / SECOND)) * SECOND;
// A date whose UTC fields are the local ones.
const shifted = (time) => new Date(time + offsetOf(time));

// The time for local fields. An hour that occurs twice means the first one; a skipped hour uses the
// offset before it.
function fromLocal(local) {
  const before = offsetOf(local - DAY);
  if (offsetOf(local - before) === before) return local - before;
  const after = offsetOf(local + DAY);
  return offsetOf(local - after) === after ? local - after : local - before;
}

// --- names ---------------------------------------------------------------------------------

// The zone's name for Intl.
function zoneId() {
  const { TZ } = process.env;
  if (TZ) return TZ;
  try {
    return regexpExec.call(/zoneinfo\/(.+)$/, require('fs').readlinkSync('/etc/localtime'))?.[1];
  } catch {
    return 'UTC';
  }
}

function nameIn(zone, time) {
  const parts = new global.Intl.DateTimeFormat(undefined, { timeZone: zone, timeZoneName: 'long' }).formatToParts(time);
  for (let i = 0; i < parts.length; i++) if (parts[i].type === 'timeZoneName') return parts[i].value;
}

// Intl names zones only for recent years ("GMT+01:00" in others); a day of 2024 with the same kind
// of time, summer or winter, gives the name.
const SAMPLES = [DateUTC(2024, 0, 15), DateUTC(2024, 6, 15)];
function zoneName(time) {
  const isSummer = localSummer(Math.floor(time / SECOND));
  const zone = zoneId();
  try {
    const name = nameIn(zone, time);
    if (!regexpTest(/^GMT[+-]/, name)) return name;
    for (let i = 0; i < SAMPLES.length; i++)
      if (localSummer(SAMPLES[i] / SECOND) === isSummer) return nameIn(zone, SAMPLES[i]);
    return name;
  } catch {
    return localZone(Math.floor(time / SECOND)); // a rule like <+03>-3 is known to the C library only
  }
}

const two = (number) => stringPadStart.call(numberToString.call(number, 10), 2, '0');

// { day: 'Thu Jan 01 1970', time: '09:00:00 GMT+0900 (Japan Standard Time)' }, or undefined
function texts(date) {
  const time = dateGetTime.call(date);
  if (time !== time) return undefined;
  const { 1: weekday, 2: day, 3: month, 4: year, 5: clock } =
    regexpExec.call(/^(\w+), (\d+) (\w+) (-?\d+) (\S+)/, on(shifted(time), 'toUTCString'));
  const minutes = Math.abs(offsetOf(time)) / MINUTE;
  const offset = `${offsetOf(time) < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(Math.floor(minutes % 60))}`;
  return { day: `${weekday} ${month} ${day} ${year}`, time: `${clock} GMT${offset} (${zoneName(time)})` };
}

// --- methods -----------------------------------------------------------------------------

const methods = {
  getTimezoneOffset() {
    const time = dateGetTime.call(this);
    return time !== time ? NaN : -offsetOf(time) / MINUTE + 0; // never -0
  },
  getYear() {
    return this.getFullYear() - 1900;
  },
  setYear(year) {
    const whole = Math.trunc(+year);
    return this.setFullYear(whole >= 0 && whole <= 99 ? 1900 + whole : whole);
  },
  toString() {
    const shown = texts(this);
    return shown === undefined ? 'Invalid Date' : `${shown.day} ${shown.time}`;
  },
  toDateString() {
    return texts(this)?.day ?? 'Invalid Date';
  },
  toTimeString() {
    return texts(this)?.time ?? 'Invalid Date';
  },
};

arrayForEach.call(['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'], (field) => {
  methods[`get${field}`] = {
    get() {
      return on(shifted(dateGetTime.call(this)), `getUTC${field}`);
    },
  }.get;
  if (field === 'Day') return;
  methods[`set${field}`] = {
    set(...args) {
      const time = dateGetTime.call(this);
      const local = time !== time && field === 'FullYear' ? new Date(0) : shifted(time);
      return on(this, 'setTime', [fromLocal(on(local, `setUTC${field}`, args))]);
    },
  }.set;
});

arrayForEach.call(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'], (name) => {
  methods[name] = function (locales, options) {
    if (options?.timeZone !== undefined) return on(this, name, [locales, options]);
    try {
      return on(this, name, [locales, { ...options, timeZone: zoneId() }]);
    } catch {
      return on(this, name, [locales, options]);
    }
  };
});

// --- texts and fields that are read ----------------------------------------------------------

const withZone = /\d:\d\d.*?(?:[zZ]|GMT|UTC?|[ECMP][SD]T|[+-]\d\d?:?(?:\d\d)?)\s*(?:\([^)]*\))?\s*$/;
const onlyDate = /^(?:[+-]\d{6}|\d{4})(?:-\d\d(?:-\d\d)?)?$/;

function parse(value) {
  const text = `${value}`;
  const time = DateParse(text);
  if (time !== time || regexpTest(onlyDate, text) || regexpTest(withZone, text)) return time;
  const worded = DateParse(`${text} GMT`);
  const asUTC = worded === worded ? worded : DateParse(`${text}Z`);
  return asUTC !== asUTC ? time : fromLocal(asUTC);
}

function install() {
  for (const name in methods) {
    const { length } = original[name].value;
    Object.defineProperty(methods[name], 'name', { __proto__: null, value: name, configurable: true });
    Object.defineProperty(methods[name], 'length', { __proto__: null, value: length, configurable: true });
    Object.defineProperty(Date.prototype, name, { __proto__: null, value: methods[name], writable: true, enumerable: false, configurable: true });
  }
  Object.defineProperty(Date, 'parse', { __proto__: null, value: parse, writable: true, enumerable: false, configurable: true });
  const proxy = new Proxy(Date, {
    __proto__: null,
    apply: () => Reflect.apply(methods.toString, new Date(), []),
    construct(target, args, newTarget) {
      const maker = newTarget === proxy ? Date : newTarget;
      if (args.length > 1) args = [fromLocal(Reflect.apply(DateUTC, Date, args))];
      else if (typeof args[0] === 'string') args = [parse(args[0])];
      return Reflect.construct(Date, args, maker);
    },
  });
  Object.defineProperty(Date.prototype, 'constructor', { __proto__: null, value: proxy, writable: true, enumerable: false, configurable: true });
  // A replacement of Date by the program stays.
  if (global.Date === Date)
    Object.defineProperty(global, 'Date', { __proto__: null, value: proxy, writable: true, enumerable: false, configurable: true });
}

module.exports = { install };
