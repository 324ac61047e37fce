'use strict';
// How long something took, for console.timeEnd: "1.234ms", "1.234s", "1:02.345 (m:ss.mmm)".

const { numberToFixed, stringPadStart } = intrinsics;

function durationText(ms) {
  if (ms < 1000) return `${Math.max(0, Number(numberToFixed.call(ms, 3)))}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${numberToFixed.call(seconds, 3)}s`;
  return `${Math.floor(seconds / 60)}:${stringPadStart.call(numberToFixed.call(seconds % 60, 3), 6, '0')} (m:ss.mmm)`;
}

module.exports = { durationText };
