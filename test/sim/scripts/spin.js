// Waits awake until the clock says so.
const began = Date.now();
while (Date.now() < began + 50) continue;
let turns = 0;
function turn() {
  turns++;
  if (Date.now() < began + 100) setImmediate(turn);
  else console.log('the clock went on', turns > 0);
}
turn();
