'use strict';
// process.env.TZ set while a program runs counts at once, for old dates too.

const old = [0, 86399999, 1e12, -1e12, 1711846800000, 1711850400000, 1729990800000, 1729994400000, NaN, 253402300800000].map((time) => new Date(time));
const fields = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];

function show(zone) {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  console.log(`--- ${zone}`);
  for (const date of old) console.log(String(date), date.getTimezoneOffset(), ...fields.map((field) => date[`get${field}`]()), date.getYear());
  console.log(old[2].toDateString(), old[2].toTimeString(), old[8].toDateString(), old[8].toTimeString());
  console.log(old[2].toLocaleString('en-US'), old[2].toLocaleDateString('en-US'), old[2].toLocaleTimeString('en-US'), old[2].toLocaleString('en-US', { timeZone: 'UTC' }));
  console.log(old[2].toISOString(), JSON.stringify(old[2]), old[2] - old[1], `${old[2]}`, old[2] + '');
  // an hour that is left out, an hour that comes twice (in Europe, 2024)
  for (const args of [[2024, 2, 31, 2, 30], [2024, 9, 27, 2, 30], [99, 0], [1970, 0, 1, 0, 0, 0, 5], [2024, NaN], [-5, 0, 1]])
    console.log(new Date(...args).getTime());
  for (const text of ['2024-03-31', '2024-03-31T12:00', '2024-03-31T12:00:00.123', '2024-03-31T12:00Z', '2024-03-31T12:00+05:00', 'Mar 31, 2024 12:00', 'Sun Mar 31 2024 12:00:00 GMT+0900 (x)', '2024-03-31 12:00', 'nonsense'])
    console.log(text, Date.parse(text), new Date(text).getTime());
  const date = new Date(Date.UTC(2024, 2, 31, 0, 30));
  console.log(date.setHours(5), date.setMinutes(61), date.setMonth(0, 31), date.setDate(0), date.setFullYear(2023, 1), date.setSeconds(1, 2), date.setMilliseconds(9), date.setHours(1, 2, 3, 4), date.setYear(99));
  console.log(new Date(NaN).setHours(1), new Date(NaN).setFullYear(2000));
}

for (const zone of ['Europe/Paris', 'Asia/Tokyo', 'America/New_York', 'UTC', 'Asia/Kathmandu', 'Australia/Adelaide']) show(zone);
console.log(new Date() instanceof Date, new Date(0).constructor === Date, Date.name, Date.length, typeof Date(), Date.UTC(2000, 0));
class Later extends Date {
  get later() { return this.getTime() + 1; }
}
console.log(new Later(5).later, new Later(5) instanceof Date, new Later(2000, 0, 1).getHours());
for (const name of ['getHours', 'setHours', 'toString', 'setFullYear']) console.log(Date.prototype[name].name, Date.prototype[name].length);
console.log(Object.keys(Date.prototype), Object.keys(new Date()));
try { Date.prototype.getHours.call({}); } catch (error) { console.log(error.name); }
console.log(process.env.TZ, delete process.env.TZ, process.env.TZ);
