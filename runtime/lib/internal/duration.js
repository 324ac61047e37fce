'use strict';
// How long something took, for console.timeEnd: "1.234ms", "1.234s", "1:02.345 (m:ss.mmm)".

function durationText(ms) {
  if (ms < 1000) return `${Math.max(0, Number(ms.toFixed(3)))}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(3)}s`;
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
}

module.exports = { durationText };
