// await is a promise (N4)
//
// Where does the line behind await come?

const work = async () => {
  console.log('in the function');
  await null;
  console.log('behind await');
};
work().then(() => console.log('the function is over'));
process.nextTick(() => console.log('tick'));
console.log('in the script');

// Answer: The function runs at once up to its await; the rest is a microtask, behind the
// script and its ticks.
