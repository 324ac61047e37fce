// 1: timers come in the order of their times
setTimeout(() => console.log('late'), 50);
setTimeout(() => console.log('early'), 10);
